package unitball

import (
	"errors"
	"fmt"

	"heavytail/embedding/internal/base"
	"heavytail/storage/vec"
)

// Method is the name of Embed as a method of embeddings.
const Method = "unit_ball"

const maxDim = base.MaxDim

// StartAnchor is the default anchor of start rows that are given.
const StartAnchor = 0.3

// Options are the parameters of [Embed]. The zero value takes every default.
type Options struct {
	Dim       int      // k, coordinates per vertex, up to 4096; 0 is 128
	Passes    int      // passes of a round, up to 2²⁰; 0 is 300
	Rounds    int      // largest number of rounds, up to 1000; 0 is 12, and 1 makes no other
	Step      float64  // about the longest move of a vertex in a pass while it is constant, up to 4; 0 is 0.3
	Margin    float64  // μ while it is constant, up to 0.5; 0 is 0.05
	Anchor    *float64 // λ while it is constant, up to 100; nil is 0 without Start, and StartAnchor with it
	Balance   *float64 // b, by which the weights of vertices follow their degrees, up to 1; nil is 0.1
	Tolerance int64    // wrong pairs that end a run
	Seed      uint64   // of the random start, or of the noise of another one
	Workers   int      // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Start has the start rows, n × Dim, at any scale: only their directions are
	// used, and in one dimension only their proportions. Nil means random rows. It is not
	// modified, and not used after the call.
	Start *vec.Matrix

	// Progress, if not nil, receives the wrong pairs before every pass, from one
	// goroutine.
	Progress func(pass, passes int, wrong Wrong)

	Checkpoints Checkpoints
}

// WithDefaults returns a copy in which every parameter but Start is set.
//
// The step, the margin and the decay of Adam's second moment were chosen together, by
// the worst of cora, ca-GrQc, CollegeMsg and ego-facebook; cmd/paper/BENCHMARKS.md has
// the table. Smaller steps and larger margins leave pairs wrong; larger steps let the
// vertices of sparse graphs drift apart, so that every pass needs another join. Graphs
// with large hubs need 128 dimensions; 64 suffice for those four. A random start has
// the fewest wrong pairs and costs nothing. With the anchor, a run that begins with vectors
// of deepwalk or dp_walker predicts hidden links and labels nearly as well as they do, and
// no pair of those four graphs is wrong either; anchors from 0.1 to 3 differ by less than
// other seeds do.
func (o Options) WithDefaults() Options {
	set(&o.Dim, 128)
	set(&o.Passes, 300)
	set(&o.Rounds, 12)
	set(&o.Step, 0.3)
	set(&o.Margin, 0.05)
	switch {
	case o.Anchor == nil && o.Start == nil:
		o.Anchor = new(0.0)
	case o.Anchor == nil:
		o.Anchor = new(StartAnchor)
	}
	if o.Balance == nil {
		o.Balance = new(0.1)
	}
	return o
}

// set replaces a zero parameter by its default.
func set[T int | float64](x *T, to T) {
	if *x == 0 {
		*x = to
	}
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o Options) Validate() error {
	o = o.WithDefaults()
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
		}
	}
	check(o.Dim >= 1 && o.Dim <= maxDim, "dim (%d) must be from 1 to %d", o.Dim, maxDim)
	check(o.Passes >= 1 && o.Passes <= 1<<20, "passes (%d) must be from 1 to %d", o.Passes, 1<<20)
	check(o.Rounds >= 1 && o.Rounds <= 1000, "rounds (%d) must be from 1 to 1000", o.Rounds)
	check(o.Step > 0 && o.Step <= 4, "step (%g) must be above 0 and at most 4", o.Step)
	check(o.Margin > 0 && o.Margin <= 0.5, "margin (%g) must be above 0 and at most 0.5", o.Margin)
	check(*o.Anchor >= 0 && *o.Anchor <= 100, "anchor (%g) must be from 0 to 100", *o.Anchor)
	check(*o.Balance >= 0 && *o.Balance <= 1, "balance (%g) must be from 0 to 1", *o.Balance)
	check(o.Tolerance >= 0, "tolerance (%d) must not be negative", o.Tolerance)
	check(o.Workers >= 0, "workers (%d) must not be negative", o.Workers)
	return errors.Join(errs...)
}
