package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"heavytail/embedding"
)

// ErrOptions is wrapped by every error of a method or an option that cannot be
// used.
var ErrOptions = errors.New("tune: invalid options")

// Options say how long a search goes on.
type Options struct {
	// Budget is the time after which no trial begins; 0 is none. A trial that
	// has begun is finished.
	Budget time.Duration
	// Trials is the largest number of trials; 0 is none but the search's own end.
	Trials  int
	Workers int // goroutines; 0 is GOMAXPROCS; no result depends on it

	// Progress, if not nil, hears under the names of the stages how many trials of
	// the search are done, and how many there are at the end of the stage: 0 where
	// that is not known, as of a refinement without a number of trials.
	Progress func(stage string, done, total int64)

	// Checkpoints have the trials that were made. A search that goes on from them
	// makes the others and ends with the same result; the budget includes the time
	// that was spent before.
	Checkpoints embedding.Checkpoints
}

// Validate reports all faults of the options at once.
func (o Options) Validate() error {
	var faults []error
	if o.Budget < 0 {
		faults = append(faults, fmt.Errorf("%w: budget (%v) must not be negative", ErrOptions, o.Budget))
	}
	if o.Trials < 0 {
		faults = append(faults, fmt.Errorf("%w: trials (%d) must not be negative", ErrOptions, o.Trials))
	}
	return errors.Join(faults...)
}

// Stage is a part of a search.
type Stage uint8

// The stages in their order.
const (
	Survey Stage = iota
	Select
	Refine
	Confirm
)

// String returns the name of the stage.
func (s Stage) String() string {
	return [...]string{"survey", "select", "refine", "confirm"}[min(s, Confirm)]
}

// effort is what a judgement in the stage may cost.
func (s Stage) effort() Effort {
	switch s {
	case Survey:
		return Rough
	case Confirm:
		return Exact
	}
	return Close
}

// Trial is one embedding that was computed and judged.
type Trial struct {
	Number  int // from 1, in the order of the search
	Method  string
	Options []Option // the parameters that were searched; the others are as they were given
	Stage   Stage
	Judgement
	// Err says why the method refused these parameters on this graph, as a penalty
	// beyond the precision of its matrix. The score is NaN then, and the others are
	// not measured.
	Err error
	// Seconds is the wall time that the trial took. Of trials that share a solve
	// the first has its time.
	Seconds float64
}

// Option is a parameter with its value, a float64 or a string, by the name that
// it has in the language.
type Option struct {
	Name  string
	Value any
}

// Reason says why a search ended.
type Reason string

// The reasons.
const (
	Finished Reason = "finished" // nothing was left to try
	Budget   Reason = "budget"   // the time was over
	Trials   Reason = "trials"   // the number of trials was reached
)

// Result of a search.
type Result struct {
	// Trials are all that were made, the best first: those with exact figures by
	// their scores, then those with close ones, then those of the survey. Of equal
	// ones the earlier is first.
	Trials []Trial
	Reason Reason
	Stage  Stage // that the search ended in
	// Left is the number of trials of that stage that were planned and not made.
	// What a refinement would have tried next is not known before.
	Left    int
	Seconds float64 // wall time
}

// Best returns the best trial.
func (r *Result) Best() Trial { return r.Trials[0] }

// Search looks for the parameters of the methods that the objective scores
// highest. At least one trial is made. Errors are ErrOptions, those of the
// methods and of the objective, embedding.ErrCheckpoint, and that of ctx, which is
// heeded within a trial too.
//
// Memory beside what the methods and the objective take is the eigenvectors of
// the last solves: see [Bytes].
func Search(ctx context.Context, objective Objective, methods []Method, opts Options) (*Result, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	s := &search{ctx: ctx, objective: objective, opts: opts, began: time.Now(), savedAt: time.Now(), done: map[key]int{}}
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
	s.runner = newRunner(objective.Graph(), opts.Workers)
	err := s.run()
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
	return &Result{Trials: s.trials, Reason: s.reason, Stage: s.stage, Left: s.left, Seconds: time.Since(s.began).Seconds()}, nil
}

// compareTrials puts the better first.
func compareTrials(a, b Trial) int {
	return cmp.Or(compareBool(a.Err != nil, b.Err != nil), cmp.Compare(a.rank(), b.rank()), cmp.Compare(value(b.Score), value(a.Score)))
}

// compareBool puts false first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// rank is lower the more the figures of a trial are worth.
func (t Trial) rank() int {
	switch {
	case t.Stage == Survey:
		return 2
	case t.Exact:
		return 0
	}
	return 1
}

// value of a score that may be NaN, which is worse than all others.
func value(score float64) float64 {
	if math.IsNaN(score) {
		return math.Inf(-1)
	}
	return score
}

// errCut ends a search that has reached a limit.
var errCut = errors.New("tune: limit reached")

// search is the state of one Search.
type search struct {
	ctx       context.Context
	objective Objective
	opts      Options
	branches  []*branch
	runner    *runner
	began     time.Time
	trials    []Trial
	done      map[key]int // index in trials of each that was made
	stage     Stage
	planned   int // trials at the end of the stage; 0 if not known
	left      int
	reason    Reason
	known     []savedTrial // of a checkpoint
	savedAt   time.Time    // of the last checkpoint, or of the beginning
}

// key names a trial: a point of a branch at a price.
type key struct {
	branch *branch
	effort Effort
	point  point
}

// try makes a trial, unless it was made before, and returns its score. It
// returns errCut where a limit has been reached.
func (s *search) try(b *branch, p point) (float64, error) {
	effort := s.stage.effort()
	k := key{b, effort, p}
	if i, there := s.done[k]; there {
		return s.trials[i].Score, nil
	}
	t, there, err := s.recall(b, p)
	if !there && err == nil {
		t, err = s.perform(b, p)
	}
	if err != nil {
		return math.NaN(), err
	}
	s.done[k] = len(s.trials)
	s.trials = append(s.trials, t)
	s.report()
	return t.Score, s.save(false)
}

// perform makes the next trial, unless a limit has been reached.
func (s *search) perform(b *branch, p point) (Trial, error) {
	if err := s.limit(); err != nil {
		return Trial{}, err
	}
	start := time.Now()
	j, refusal, err := s.judge(b, p, s.stage.effort())
	return Trial{
		Number: len(s.trials) + 1, Method: b.method.Name, Options: b.options(p), Stage: s.stage,
		Judgement: j, Err: refusal, Seconds: time.Since(start).Seconds(),
	}, err
}

// judge embeds and judges a point. A point that the method refuses is no error of
// the search.
func (s *search) judge(b *branch, p point, effort Effort) (j Judgement, refusal, err error) {
	m, err := s.runner.embed(s.ctx, b, p, effort != Rough)
	if errors.Is(err, embedding.ErrOptions) {
		return Judgement{Score: math.NaN(), Exact: true}, err, nil
	}
	if err != nil {
		return j, nil, err
	}
	j, err = s.objective.Judge(s.ctx, m, effort, s.opts.Workers)
	return j, nil, err
}

// report tells of the trials so far.
func (s *search) report() {
	if s.opts.Progress == nil {
		return
	}
	total := s.planned
	if most := s.opts.Trials; most > 0 && (total == 0 || total > most) {
		total = most
	}
	s.opts.Progress(s.stage.String(), int64(len(s.trials)), int64(total))
}

// limit returns errCut where no trial may begin.
func (s *search) limit() error {
	switch {
	case s.ctx.Err() != nil:
		return fmt.Errorf("tune: %w", s.ctx.Err())
	case len(s.trials) == 0:
		return nil // one there must be
	case s.opts.Trials > 0 && len(s.trials) >= s.opts.Trials:
		s.reason = Trials
		return errCut
	case s.opts.Budget > 0 && time.Since(s.began) >= s.opts.Budget:
		s.reason = Budget
		return errCut
	}
	return nil
}
