package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"heavytail/embedding"
)

// search is the state of one Search.
type search struct {
	ctx       context.Context
	objective Objective
	opts      Options
	branches  []*branch
	runner    *runner
	began     time.Time
	trials    []Trial
	done      map[key]int // index in trials of each trial
	stage     Stage
	left      int     // trials of the survey
	missing   int     // number of methods whose defaults were not tried
	record    float64 // the best close score
	reason    Reason
	known     []savedTrial // of a checkpoint
	savedAt   time.Time    // of the last checkpoint, or of the beginning
}

// errCut ends a search that has reached a limit.
var errCut = errors.New("limit reached")

// key identifies a trial: a point of a branch at a price.
type key struct {
	branch *branch
	effort Effort
	point  point
}

// effort returns the effort to use for a requested one.
func (s *search) effort(asked Effort) Effort {
	if asked == Close && s.objective.CloseIs() == Same {
		return Exact
	}
	return asked
}

// try runs a trial, unless it was run before, and returns its score. It
// returns errCut if a limit has been reached.
func (s *search) try(b *branch, p point, effort Effort) (float64, error) {
	effort = s.effort(effort)
	k := key{b, effort, p}
	if i, there := s.done[k]; there {
		return s.trials[i].Score, nil
	}
	t, there, err := s.recall(b, p)
	if !there && err == nil {
		t, err = s.perform(b, p, effort)
	}
	if err != nil {
		return math.NaN(), err
	}
	t.Confirmed = effort == Exact
	s.done[k] = len(s.trials)
	s.trials = append(s.trials, t)
	s.report()
	return t.Score, s.save(false)
}

// tryClosely runs a trial at the full price, and confirms it if it is better
// than all before it. It returns the close score.
func (s *search) tryClosely(b *branch, p point) (float64, error) {
	score, err := s.try(b, p, Close)
	if x := (scored{branch: b, point: p, score: score}); err == nil && (b.best.branch == nil || better(x, b.best) < 0) {
		b.best = x
	}
	if err != nil || !(score > s.record) {
		return score, err
	}
	s.record = score
	return score, s.confirm(b, p)
}

// confirm judges a point exactly.
func (s *search) confirm(b *branch, p point) error {
	stage := s.stage
	s.stage = Confirm
	if _, err := s.try(b, p, Exact); err != nil {
		return err
	}
	s.stage = stage
	return nil
}

// perform runs the next trial, unless a limit has been reached.
func (s *search) perform(b *branch, p point, effort Effort) (Trial, error) {
	if err := s.limit(s.expected(b, effort)); err != nil {
		return Trial{}, err
	}
	start := time.Now()
	j, refusal, err := s.judge(b, p, effort)
	return Trial{
		Number: len(s.trials) + 1, Method: b.method.Name, Options: b.options(p), Stage: s.stage,
		Judgement: j, Err: refusal, Seconds: time.Since(start).Seconds(),
	}, err
}

// judge embeds and judges a point. A point that the method refuses is not an
// error of the search.
func (s *search) judge(b *branch, p point, effort Effort) (j Judgement, refusal, err error) {
	m, err := s.runner.embed(s.ctx, solveKey{s.objective.Graph(effort), b, effort != Rough, p})
	if errors.Is(err, embedding.ErrOptions) {
		return Judgement{Score: math.NaN()}, err, nil
	}
	if err != nil {
		return j, nil, err
	}
	j, err = s.objective.Judge(s.ctx, m, effort, s.opts.Workers)
	return j, nil, err
}

// report reports the trials so far.
func (s *search) report() { s.reportAs(s.stage.String()) }

// reportWithin reports how far a trial is.
func (s *search) reportWithin(about string) { s.reportAs(s.stage.String() + ": " + about) }

func (s *search) reportAs(stage string) {
	if s.opts.Progress != nil {
		s.opts.Progress(stage, int64(len(s.trials)), int64(s.opts.Trials))
	}
}

// expected returns how long a trial will take, if this is known and may be long: for a
// method that places vertices, the longest time of its trials at the same price, or the
// estimate of the method before there is one. It is zero for other methods.
func (s *search) expected(b *branch, effort Effort) time.Duration {
	if b.method.Placing == nil {
		return 0
	}
	seconds := 0.0
	for _, t := range s.trials {
		if t.Method == b.method.Name && (t.Stage == Survey) == (effort == Rough) {
			seconds = max(seconds, t.Seconds)
		}
	}
	if seconds == 0 {
		seconds = b.price(s.objective.Graph(effort), effort != Rough)
	}
	return time.Duration(min(seconds, math.MaxInt32) * float64(time.Second))
}

// limit returns errCut if a trial that is expected to take this long may not begin.
func (s *search) limit(expected time.Duration) error {
	switch {
	case s.ctx.Err() != nil:
		return fmt.Errorf("%w", s.ctx.Err())
	case len(s.trials) == 0:
		return nil // at least one trial is run
	case s.opts.Trials > 0 && len(s.trials) >= s.opts.Trials:
		s.reason = Trials
		return errCut
	case s.opts.Budget > 0 && time.Since(s.began)+expected >= s.opts.Budget:
		s.reason = Budget
		return errCut
	}
	return nil
}

// scored is a point with its score.
type scored struct {
	branch *branch
	point  point
	score  float64
	number int // number of the trial, if it matters
}

// better orders by descending score. It is used with stable sorts only.
func better(a, b scored) int { return cmp.Compare(value(b.score), value(a.score)) }
