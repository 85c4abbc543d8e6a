package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"heavytail/storage/vec"
)

// Model is a linear classifier of two classes: a score above 0 means the positive class. It
// never changes and is safe for concurrent use.
type Model struct {
	Weights []float64 // of the original features, which are not standardised
	Bias    float64

	Loss       float64 // value of the objective at the end of training
	Iterations int
	// Converged reports that the gradient came below the tolerance; otherwise rounding or
	// the number of iterations ended the training.
	Converged bool
}

// Score returns the logarithm of the odds of the positive class. x has as many
// features as the rows that the model was trained on.
func (m *Model) Score(x []float32) float64 {
	s := m.Bias
	for j, w := range m.Weights {
		s += w * float64(x[j])
	}
	return s
}

// Probability returns the probability of the positive class.
func (m *Model) Probability(x []float32) float64 { return sigmoid(m.Score(x)) }

// Options sets how Logistic works. The zero value works.
type Options struct {
	// Penalty is the factor λ of the squared weights. 0 means 1, the usual strength. A
	// penalty of 1 has about the weight of one row, so it matters only if there are few
	// rows.
	Penalty float64
	// Training ends when no element of the gradient, as a mean over all rows, is larger
	// than Tolerance. 0 means 1e-5.
	Tolerance float64
	// Iterations is the largest number of steps. 0 means 300.
	Iterations int
	Workers    int // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives the number of classes that OneVsRest has trained, from
	// one goroutine at a time.
	Progress func(done, total int64)
}

// Validate reports all faults of the options at once.
func (o Options) Validate() error {
	var faults []error
	for _, value := range []struct {
		name string
		x    float64
	}{{"penalty", o.Penalty}, {"tolerance", o.Tolerance}, {"iterations", float64(o.Iterations)}, {"workers", float64(o.Workers)}} {
		if !(value.x >= 0) || math.IsInf(value.x, 0) {
			faults = append(faults, fmt.Errorf("%s (%v) must be finite and not negative: %w", value.name, value.x, ErrOption))
		}
	}
	return errors.Join(faults...)
}

func (o Options) withDefaults() Options {
	o.Penalty = cmp.Or(o.Penalty, 1)
	o.Tolerance = cmp.Or(o.Tolerance, 1e-5)
	o.Iterations = cmp.Or(o.Iterations, 300)
	return o
}

// Logistic trains a logistic regression: it minimises
//
//	1/m · ( Σ ln(1 + e^(−y·score)) + λ/2 · Σ w² )
//
// over the m rows of x. y is 1 for rows whose element of positive is true, and −1 for the
// others. w are the weights of the features after each feature was shifted to the mean 0
// and scaled to the standard deviation 1, so that the penalty does not depend on the units
// of the features. The bias is not penalised. The weight of a constant feature is 0.
//
// The minimum is unique, and L-BFGS converges to it. Every step takes one or a few passes
// over x, O(m · dim) each. The same rows give the same model at any number of workers.
// Errors are ErrShape, ErrClasses, ErrValue, ErrOption, and that of ctx.
func Logistic(ctx context.Context, x *vec.Matrix, positive []bool, opts Options) (*Model, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	p, err := newProblem(ctx, x, positive, opts.withDefaults())
	if err != nil {
		return nil, err
	}
	best := minimise(ctx, p.visit, x.Dim+1, p.opts.Tolerance, p.opts.Iterations)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	m := &Model{Loss: best.value, Iterations: best.iterations, Converged: best.converged}
	m.Weights, m.Bias = p.plain(best.w)
	return m, nil
}
