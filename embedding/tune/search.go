package tune

import (
	"context"
	"errors"
	"math"
	"time"

	"heavytail/embedding"
)

// search is the state of one Search: it runs the trials that a planner asks for.
type search struct {
	ctx       context.Context
	objective Objective
	opts      Options
	branches  []*branch
	runner    *runner
	workers   int
	began     time.Time
	trials    []Trial
	stage     Stage // of the running trial
	reason    Reason
	known     []savedTrial // of a checkpoint
	savedAt   time.Time    // of the last checkpoint, or of the beginning

	jobs    map[key]*job // trials that run or ran before the planner has asked for them
	ahead   *job         // the one of them that runs; nil if none does
	reports chan string  // how far the embedding of a Placing is
}

// refused reports whether a method refuses its options on a graph.
func refused(err error) bool {
	return errors.Is(err, embedding.ErrOptions) || errors.Is(err, embedding.ErrEntries)
}

var errCut = errors.New("limit reached")

func (s *search) planner(ask func(request) (float64, error)) *planner {
	return &planner{
		branches: s.branches, objective: s.objective, ask: ask,
		scores: map[key]float64{}, solved: map[key]bool{}, best: map[*branch]scored{}, leader: scored{score: math.Inf(-1)},
	}
}

// answer runs a trial, and returns its score. It returns errCut if a limit has been reached.
func (s *search) answer(r request) (float64, error) {
	s.stage = r.stage
	t, there, err := s.recall(r)
	if !there && err == nil {
		t, err = s.perform(r)
	}
	if err != nil {
		return math.NaN(), err
	}
	t.Confirmed = r.effort == Exact
	s.trials = append(s.trials, t)
	s.report()
	return t.Score, s.save(false)
}

// perform runs the next trial, unless a limit has been reached.
func (s *search) perform(r request) (Trial, error) {
	j := s.jobs[r.key]
	if err := s.limit(r, j != nil); err != nil {
		return Trial{}, err
	}
	if j == nil {
		j = s.start(r)
	}
	if j == s.ahead {
		s.ahead = nil
	}
	s.await(j)
	delete(s.jobs, r.key)
	if j.err != nil {
		return Trial{}, j.err
	}
	t := j.trial
	t.Number, t.Stage = len(s.trials)+1, r.stage
	return t, nil
}

// judge embeds and judges a point. A point that the method refuses is not an
// error of the search.
func (s *search) judge(r request, workers int) (t Trial, err error) {
	start := time.Now()
	t = Trial{Method: r.branch.method.Name, Options: r.branch.options(r.point)}
	m, err := s.runner.embed(s.ctx, s.embeds(r), workers)
	switch {
	case refused(err):
		t.Score, t.Err, err = math.NaN(), err, nil
	case err == nil:
		t.Judgement, err = s.objective.Judge(s.ctx, m, r.effort, workers)
	}
	t.Seconds = time.Since(start).Seconds()
	return t, err
}

func (s *search) embeds(r request) solveKey {
	return solveKey{s.objective.Graph(r.effort), r.branch, r.effort != Rough, r.point}
}

func (s *search) report() { s.reportAs(s.stage.String()) }

func (s *search) reportAs(stage string) {
	if s.opts.Progress != nil {
		s.opts.Progress(stage, int64(len(s.trials)), int64(s.opts.Trials))
	}
}

// expected returns how long a trial will take, if this is known and may be long: for a
// method that places vertices, the longest time of its trials at the same price, or the
// estimate of the method before there is one. It is zero for other methods.
func (s *search) expected(r request) time.Duration {
	if r.branch.method.Placing == nil {
		return 0
	}
	seconds := 0.0
	for _, t := range s.trials {
		if t.Method == r.branch.method.Name && (t.Stage == Survey) == (r.effort == Rough) {
			seconds = max(seconds, t.Seconds)
		}
	}
	if seconds == 0 {
		seconds = r.branch.price(s.objective.Graph(r.effort), r.point, r.effort != Rough)
	}
	return time.Duration(min(seconds, math.MaxInt32) * float64(time.Second))
}

// limit returns errCut if a trial may not be listed. A trial that has begun before the
// budget is used up is finished.
func (s *search) limit(r request, begun bool) error {
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case len(s.trials) == 0:
		return nil // at least one trial is run
	case s.opts.Trials > 0 && len(s.trials) >= s.opts.Trials:
		s.reason = Trials
		return errCut
	case !begun && s.spent(s.expected(r)):
		s.reason = Budget
		return errCut
	}
	return nil
}

// spent reports whether the budget is used up after a trial that is expected to take so long.
func (s *search) spent(expected time.Duration) bool {
	return s.opts.Budget > 0 && time.Since(s.began)+expected >= s.opts.Budget
}
