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

// ErrOptions is wrapped by every error of an invalid method or option.
var ErrOptions = errors.New("invalid options")

// Options are the limits of a search.
type Options struct {
	// Budget is the time after which no trial begins; 0 means no limit. A
	// trial that has begun is finished.
	Budget time.Duration
	// Trials is the largest number of trials; 0 means no limit.
	Trials  int
	Workers int // goroutines; 0 is GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives the name of the stage, the number of
	// finished trials, and the largest number of trials, 0 if it is unknown,
	// as without Trials.
	Progress func(stage string, done, total int64)

	// Checkpoints save the finished trials. A search that continues from them runs the
	// remaining trials and ends with the same result; the budget includes the time that
	// was spent before.
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

// The stages. Trials of Select and Confirm come between those of the others.
const (
	Defaults Stage = iota
	Survey
	Select
	Refine
	Confirm
)

// String returns the name of the stage.
func (s Stage) String() string {
	return [...]string{"defaults", "survey", "select", "refine", "confirm"}[min(s, Confirm)]
}

// Trial is one embedding that was computed and judged.
type Trial struct {
	Number  int      `json:"number"` // from 1, in the order of the search
	Method  string   `json:"method"`
	Options []Option `json:"options"` // the searched parameters; the others are as given
	Stage   Stage    `json:"stage"`
	// Confirmed reports that the embedding was computed in full and judged
	// exactly: embedding the graph with these options and measuring it again
	// gives the same score.
	Confirmed bool `json:"confirmed"`
	Judgement
	// Err is the reason why the method refused these parameters on this graph,
	// such as a penalty beyond the precision of its matrix. The score is then
	// NaN, and there are no measures.
	Err error `json:"error"`
	// Seconds is the wall time that the trial took. Of trials that share a solve
	// the first has its time.
	Seconds float64 `json:"seconds"`
}

// Option is a parameter with its value, a float64 or a string, by the name that
// it has in the language.
type Option struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// Reason is why a search ended.
type Reason string

// The reasons.
const (
	Finished Reason = "finished" // nothing was left to try
	Budget   Reason = "budget"   // the time was over
	Trials   Reason = "trials"   // the number of trials was reached
)

// Result of a search.
type Result struct {
	// Trials are all trials, the best first: the confirmed ones by their
	// scores, then others in full, then those of the survey, then trials
	// without a score, and last those that were refused. Of equal ones the
	// earlier is first.
	Trials  []Trial
	Reason  Reason
	Stage   Stage   // stage in which the search ended
	Left    int     // trials of the survey that were not run
	Missing int     // methods whose defaults were not tried
	Seconds float64 // wall time
}

// Best returns the best trial.
func (r *Result) Best() Trial { return r.Trials[0] }

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
	s := &search{
		ctx: ctx, objective: objective, opts: opts, began: time.Now(), savedAt: time.Now(),
		runner: &runner{workers: opts.Workers}, done: map[key]int{}, record: math.Inf(-1),
	}
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
	return &Result{Trials: s.trials, Reason: s.reason, Stage: s.stage, Left: s.left, Missing: s.missing, Seconds: time.Since(s.began).Seconds()}, nil
}

// compareTrials orders the better trial first.
func compareTrials(a, b Trial) int {
	return cmp.Or(
		compareBool(a.Err != nil, b.Err != nil), compareBool(math.IsNaN(a.Score), math.IsNaN(b.Score)),
		cmp.Compare(a.rank(), b.rank()), cmp.Compare(value(b.Score), value(a.Score)),
	)
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

// rank is lower for trials with more reliable figures.
func (t Trial) rank() int {
	switch {
	case t.Stage == Survey:
		return 2
	case t.Confirmed:
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
var errCut = errors.New("limit reached")

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
	missing   int     // defaults that were not tried
	record    float64 // the best close score
	reason    Reason
	known     []savedTrial // of a checkpoint
	savedAt   time.Time    // of the last checkpoint, or of the beginning
}

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
	if err := s.limit(); err != nil {
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
func (s *search) report() {
	if s.opts.Progress == nil {
		return
	}
	s.opts.Progress(s.stage.String(), int64(len(s.trials)), int64(s.opts.Trials))
}

// limit returns errCut if no further trial may begin.
func (s *search) limit() error {
	switch {
	case s.ctx.Err() != nil:
		return fmt.Errorf("%w", s.ctx.Err())
	case len(s.trials) == 0:
		return nil // at least one trial is run
	case s.opts.Trials > 0 && len(s.trials) >= s.opts.Trials:
		s.reason = Trials
		return errCut
	case s.opts.Budget > 0 && time.Since(s.began) >= s.opts.Budget:
		s.reason = Budget
		return errCut
	}
	return nil
}
