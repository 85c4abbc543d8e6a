package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Search returns the parameters of the methods with the highest score. It runs
// at least one trial. A search with a higher limit runs the same trials and
// then others, so its best confirmed trial is never worse; nor is it worse
// than the defaults of any method, once these have been tried. Errors are
// ErrOptions, those of the methods and of the objective,
// embedding.ErrCheckpoint, and that of ctx, which is also checked within a
// trial.
//
// In addition to the methods and the objective, it takes memory for the
// eigenvectors of the last solves: see [Bytes].
func Search(ctx context.Context, objective Objective, methods []Method, opts Options) (*Result, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &search{
		ctx: ctx, objective: objective, opts: opts, workers: opts.workersOf(), began: time.Now(), savedAt: time.Now(),
		jobs: map[key]*job{}, reports: make(chan string),
	}
	defer s.abandon()
	defer cancel()
	s.runner = &runner{abreast: opts.abreast(), report: func(about string) {
		select {
		case s.reports <- about:
		case <-ctx.Done():
		}
	}}
	for _, m := range methods {
		branches, err := m.branches()
		if err != nil {
			return nil, err
		}
		s.branches = append(s.branches, branches...)
	}
	if len(s.branches) == 0 {
		return nil, fmt.Errorf("%w: no method to search", ErrOptions)
	}
	if err := s.resume(); err != nil {
		return nil, err
	}
	s.reason = Finished
	p := s.planner(s.answer)
	err := p.run()
	if err == nil || errors.Is(err, errCut) {
		err = s.save(true)
	} else if ctx.Err() != nil {
		err = errors.Join(err, s.save(true))
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.trials, compareTrials)
	if refused := s.trials[0].Err; refused != nil {
		return nil, refused
	}
	return &Result{Trials: s.trials, Reason: s.reason, Stage: p.stage, Left: p.left, Missing: p.missing, Seconds: time.Since(s.began).Seconds()}, nil
}
