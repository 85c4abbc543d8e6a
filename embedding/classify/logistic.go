package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

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

// block is the number of rows that one worker sums at a time. The sums of the blocks are
// added in the order of the blocks, so the result does not depend on the workers.
const block = 256

// problem is the function that training minimises. Its argument has the weights
// of the standardised features, then the bias.
type problem struct {
	ctx  context.Context
	x    *vec.Matrix
	sign []float64 // of each row, 1 or −1
	opts Options

	mean, deviation []float64 // of each feature; the deviation 0 if it never changes

	partial []partial // of each block
}

// partial has the sums over one block of rows.
type partial struct {
	loss float64
	bias float64   // sum of the derivatives by the score
	grad []float32 // the same, times the features
}

func newProblem(ctx context.Context, x *vec.Matrix, positive []bool, opts Options) (*problem, error) {
	if x.Rows != len(positive) {
		return nil, fmt.Errorf("%d rows, %d labels: %w", x.Rows, len(positive), ErrShape)
	}
	if !slices.Contains(positive, true) || !slices.Contains(positive, false) {
		return nil, fmt.Errorf("%d rows: %w", x.Rows, ErrClasses)
	}
	p := &problem{ctx: ctx, x: x, opts: opts, sign: make([]float64, x.Rows)}
	for i, yes := range positive {
		p.sign[i] = -1
		if yes {
			p.sign[i] = 1
		}
	}
	p.partial = make([]partial, (x.Rows+block-1)/block)
	for i := range p.partial {
		p.partial[i].grad = make([]float32, x.Dim)
	}
	return p, p.standardise()
}

// constant is the largest deviation, relative to the mean, at which a feature counts as
// constant: about a hundred roundings of float32. The first coordinate of
// laplacian_eigenmaps is the same for all vertices, except for the last digit. Scaled to a
// deviation of 1, it would need weights so large that the other features would be lost in
// the rounding of the float32 products.
const constant = 1e-5

// standardise finds the mean and the deviation of every feature.
func (p *problem) standardise() error {
	p.mean, p.deviation = make([]float64, p.x.Dim), make([]float64, p.x.Dim)
	for pass := range 2 { // the second needs the mean: without it the difference of large squares would lose precision
		for i := range p.x.Rows {
			if i%block == 0 && p.ctx.Err() != nil {
				return p.ctx.Err()
			}
			for j, v := range p.x.Row(i) {
				if pass == 0 {
					p.mean[j] += float64(v)
					continue
				}
				d := float64(v) - p.mean[j]
				p.deviation[j] += d * d
			}
		}
		for j := range p.mean {
			if pass == 0 {
				p.mean[j] /= float64(p.x.Rows)
			} else {
				p.deviation[j] = math.Sqrt(p.deviation[j] / float64(p.x.Rows))
			}
		}
	}
	for j, d := range p.deviation {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return fmt.Errorf("feature %d: %w", j, ErrValue)
		}
		if d <= constant*math.Abs(p.mean[j]) || d < math.SmallestNonzeroFloat32 {
			p.deviation[j] = 0
		}
	}
	return nil
}

// plain returns the weights and the bias for the original features.
func (p *problem) plain(w []float64) (weights []float64, bias float64) {
	weights, bias = make([]float64, p.x.Dim), w[p.x.Dim]
	for j, d := range p.deviation {
		if d > 0 {
			weights[j] = w[j] / d
			bias -= weights[j] * p.mean[j]
		}
	}
	return weights, bias
}

// visit computes the loss and the gradient at w: the function to minimise. If the context
// ends, both are incomplete.
func (p *problem) visit(w, grad []float64) float64 {
	weights, bias := p.plain(w)
	rounded := make([]float32, len(weights))
	for j, x := range weights {
		rounded[j] = float32(x)
	}
	vec.Parallel(p.x.Rows, block, p.opts.Workers, func(b, lo, hi int) {
		if p.ctx.Err() == nil {
			p.sum(&p.partial[b], rounded, bias, lo, hi)
		}
	})
	return p.collect(w, grad)
}

// sum adds the rows [lo, hi) to the sums of a block.
func (p *problem) sum(s *partial, weights []float32, bias float64, lo, hi int) {
	s.loss, s.bias = 0, 0
	clear(s.grad)
	for i := lo; i < hi; i++ {
		row := p.x.Row(i)
		margin := p.sign[i] * (float64(vec.Dot(weights, row)) + bias)
		s.loss += softplus(-margin)
		slope := -p.sign[i] * sigmoid(-margin)
		s.bias += slope
		vec.Axpy(float32(slope), row, s.grad)
	}
}

// collect sums the blocks and adds the penalty. It returns the loss, and stores the
// gradient at w in grad.
func (p *problem) collect(w, grad []float64) (loss float64) {
	dim, rows := p.x.Dim, float64(p.x.Rows)
	clear(grad)
	for _, s := range p.partial {
		loss += s.loss
		grad[dim] += s.bias
		for j, g := range s.grad {
			grad[j] += float64(g)
		}
	}
	for j, d := range p.deviation {
		if d == 0 {
			grad[j] = 0
			continue
		}
		grad[j] = (grad[j]-grad[dim]*p.mean[j])/d + p.opts.Penalty*w[j]
		loss += p.opts.Penalty / 2 * w[j] * w[j]
	}
	for j := range grad {
		grad[j] /= rows
	}
	return loss / rows
}

// sigmoid is 1/(1+e^−x), without overflow.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// softplus is ln(1+e^x), without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
