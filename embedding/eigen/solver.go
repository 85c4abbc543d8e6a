package eigen

import (
	"math"
	"math/rand/v2"
	"time"

	"heavytail/storage/vec"
)

// solver is one run of filtered block Lanczos.
type solver struct {
	op      Operator
	project func([]float32) // never nil
	opts    Options
	n, k, m int

	position
	basis  vec.Matrix // n × (m+Width): orthonormal columns, the first cols of them set
	states []state    // estimate of the spectrum
	h      []float64  // projected filter(N), (m+Width)², lower and upper
	last   []float64  // Width × Width: coupling of the last block to the one before
	u, w   []float32  // blocks, n × Width
	held   bool       // u is the last block of the basis
	sums   vec.Sums
	small  workspace
	source *rand.PCG
	random *rand.Rand // from source

	// The state between two blocks, for checkpoints.
	marked       position
	markedRandom rand.PCG
	torn         bool // the basis is being changed as a whole: it is no state
	saved        time.Time
}

// workspace is memory for the projected problem, which is kept from one problem to the next.
type workspace struct {
	a, space       []float64 // the problem, then its eigenvectors, and what [symmetric] needs, then those with locked ones
	inner, totals  []float64 // coefficients of a block
	coefficients32 []float32 // m × kept
}

func newSolver(op Operator, opts Options) *solver {
	s := &solver{op: op, opts: opts, n: op.Size(), k: opts.K, m: basisColumns(opts.K), project: func([]float32) {}}
	if p, ok := op.(Projector); ok && p.Known() > 0 {
		s.project = p.Project
	}
	stride := s.m + Width
	s.basis = *vec.NewMatrix(s.n, stride)
	// One piece, of huge pages if it is large.
	numbers := vec.Zeros[float64](stride*stride + s.m*s.m + spaceOf(s.m) + 2*stride*Width)
	cut := func(n int) (first []float64) {
		first, numbers = numbers[:n:n], numbers[n:]
		return first
	}
	s.h = cut(stride * stride)
	s.small = workspace{
		a: cut(s.m * s.m), space: cut(spaceOf(s.m)),
		inner: cut(stride * Width), totals: cut(stride * Width),
		coefficients32: make([]float32, max(s.m*keepColumns(s.k), stride*Width)),
	}
	s.last = make([]float64, Width*Width)
	s.u = vec.Zeros[float32](s.n * Width)
	s.w = vec.Zeros[float32](s.n * Width)
	s.full, s.margin, s.best = s.m, margin, math.Inf(1)
	s.source = rand.NewPCG(opts.Seed, 0x9e3779b97f4a7c15)
	s.random = rand.New(s.source)
	s.saved = time.Now()
	return s
}

// report reports how many pairs have converged: after every block, although the number
// changes only with a full basis, to show that the solve continues.
func (s *solver) report() {
	if s.opts.Progress != nil {
		s.opts.Progress(s.done)
	}
}

// load makes u the last block of the basis.
func (s *solver) load() {
	if !s.held {
		copyBlock(s.block(s.u), s.basis.Panel(s.cols-Width, s.cols), s.opts.Workers)
	}
	s.held = true
}

// store copies a block into the basis from column lo.
func (s *solver) store(x []float32, lo int) {
	copyBlock(s.basis.Panel(lo, lo+Width), s.block(x), s.opts.Workers)
}

func (s *solver) block(x []float32) vec.Panel {
	return vec.Panel{Data: x, Rows: s.n, Cols: Width, Stride: Width}
}
