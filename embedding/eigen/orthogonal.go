package eigen

import (
	"context"
	"math"

	"heavytail/storage/vec"
)

// orthogonalize subtracts from the block y its projection on the basis and
// returns the coefficients, cols × Width, which are valid until the next call.
//
// One pass of Gram–Schmidt leaves errors of the size of the subtracted part.
// In exact arithmetic y has components only on the last two blocks, so a first
// pass subtracts those, and a pass over the whole basis then subtracts little:
// this has the effect of two passes at little more than the cost of one. The
// exceptions are the first block after a restart, and the columns that were kept, of which
// a filter makes much out of rounding errors.
func (s *solver) orthogonalize(ctx context.Context, y []float32) ([]float64, error) {
	total := s.small.totals[:s.cols*Width]
	clear(total)
	first := max(s.cols-2*Width, 0)
	if s.fresh {
		first = 0
	}
	if kept := min(roundUp(s.kept, fastColumns), first); kept > 0 {
		if err := s.subtract(ctx, y, 0, kept, total); err != nil {
			return nil, err
		}
	}
	if err := s.subtract(ctx, y, first, s.cols, total); err != nil {
		return nil, err
	}
	return total, s.subtract(ctx, y, 0, s.cols, total)
}

// fastColumns is a number of columns for which the products with a block have a fast case; further
// columns do no harm.
const fastColumns = 2 * vec.TileRows

// subtract subtracts from y its projection on the columns [first, end) of the basis, and adds
// the coefficients to total.
func (s *solver) subtract(ctx context.Context, y []float32, first, end int, total []float64) error {
	panel := s.basis.Panel(first, end)
	c := s.small.inner[:panel.Cols*Width]
	if err := s.sums.MulTN(ctx, c, panel, s.block(y), s.opts.Workers); err != nil {
		return err
	}
	c32 := s.small.coefficients32[:len(c)]
	for i, v := range c {
		c32[i] = float32(v)
		total[first*Width+i] += v
	}
	return s.sums.MulNN(ctx, s.block(y), 1, -1, panel, c32, s.opts.Workers)
}

// append makes the columns of y orthonormal, appends them to the basis as the block q, and
// returns the Width × Width matrix r with y = q·r. y must be orthogonal to the basis, and h
// has the coefficients that were subtracted to make it so. y is overwritten.
//
// The factorisation uses the eigenvectors of the Gram matrix (Stathopoulos and
// Wu, SIAM J. Sci. Comput. 23, 2002). Unlike Cholesky's it shows which
// directions have vanished: the basis is then invariant under the operator,
// and random vectors continue it.
func (s *solver) append(ctx context.Context, y []float32, h []float64) ([]float64, error) {
	r := identity(Width)
	gram := make([]float64, Width*Width)
	scale := 0.0
	// Two rounds are usual. A round resolves directions down to 1e-3 of the
	// largest, so four rounds reach the rounding errors; more are needed only
	// after random vectors were added.
	for round := range 12 {
		if err := s.sums.MulTN(ctx, gram, s.block(y), s.block(y), s.opts.Workers); err != nil {
			return nil, err
		}
		if round == 0 {
			scale = normBefore(gram, h)
		} else if distance := fromIdentity(gram); distance < 4e-6 {
			break
		}
		g, u, err := eigenpairs(gram, Width, Width)
		if err != nil {
			return nil, err
		}
		if round == 0 && g[0] <= square(vanished*scale) {
			// Only rounding errors are left.
			clear(r)
			if err := s.replaceColumns(ctx, y, func(int) bool { return true }); err != nil {
				return nil, err
			}
			continue
		}
		// y·U·G^-½ and G^½·Uᵀ·r, with the smallest of G held at what float32
		// products can distinguish from zero.
		floor := 1e-6 * g[0]
		c := make([]float32, Width*Width)
		next := make([]float64, Width*Width)
		for i := range Width {
			root := math.Sqrt(max(g[i], floor))
			for j := range Width {
				c[j*Width+i] = float32(u[i*Width+j] / root)
				vec.Axpy64(root*u[i*Width+j], r[j*Width:(j+1)*Width], next[i*Width:(i+1)*Width])
			}
		}
		copy(r, next)
		if err := s.sums.MulNN(ctx, s.block(y), 0, 1, s.block(y), c, s.opts.Workers); err != nil {
			return nil, err
		}
		if g[Width-1] < 1e-3*g[0] || round == 0 && g[Width-1] < square(1e-2*scale) {
			// Scaling up short directions also scaled their errors.
			dead := func(i int) bool {
				row := r[i*Width : (i+1)*Width]
				return g[i] <= floor && vec.Dot64(row, row) <= square(vanished*scale)
			}
			for i := range Width {
				if dead(i) {
					clear(r[i*Width : (i+1)*Width])
				}
			}
			if err := s.replaceColumns(ctx, y, dead); err != nil {
				return nil, err
			}
		} else if g[Width-1] > 0.99*g[0] {
			break
		}
	}
	s.store(y, s.cols)
	s.cols += Width
	if &y[0] == &s.w[0] {
		s.u, s.w = s.w, s.u
	}
	s.held = true
	return r, nil
}

// vanished is the relative length of a vector, compared with its length before
// it was made orthogonal to the basis, below which it is considered rounding
// errors.
const vanished = 2e-6

// replaceColumns sets the listed columns of y to random vectors of about unit
// norm, and makes y orthogonal to the basis again.
func (s *solver) replaceColumns(ctx context.Context, y []float32, listed func(int) bool) error {
	norm := float32(math.Sqrt(3 / float64(s.n))) // of uniform entries
	for j := range Width {
		if listed(j) {
			for i := j; i < len(y); i += Width {
				y[i] = norm * (2*s.random.Float32() - 1)
			}
		}
	}
	return s.clean(ctx, y)
}

// clean makes a block, of which any part may lie in their span, orthogonal to the known
// eigenvectors and to the basis.
func (s *solver) clean(ctx context.Context, y []float32) error {
	s.project(y)
	scratch := make([]float64, s.cols*Width)
	for range 2 {
		if s.cols == 0 {
			break
		}
		if err := s.subtract(ctx, y, 0, s.cols, scratch); err != nil {
			return err
		}
	}
	return nil
}

// normBefore returns the largest norm that a column of y had before the
// coefficients h were subtracted, by the theorem of Pythagoras.
func normBefore(gram, h []float64) float64 {
	largest := 0.0
	for j := range Width {
		sum := gram[j*Width+j]
		for i := j; i < len(h); i += Width {
			sum += h[i] * h[i]
		}
		largest = max(largest, sum)
	}
	return math.Sqrt(largest)
}

// eigenpairs returns all eigenvalues and the first want eigenvectors of a symmetric matrix.
func eigenpairs(a []float64, n, want int) (values, vectors []float64, err error) {
	return eigenpairsOf(a, make([]float64, spaceOf(n)), n, 1, func([]float64) int { return want })
}

// eigenpairsOf calls symmetric and reports its two failures as one error.
func eigenpairsOf(a, space []float64, n, workers int, want func(values []float64) int) (values, vectors []float64, err error) {
	for _, v := range a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, ErrNotFinite
		}
	}
	values, vectors, ok := symmetric(a, space, n, workers, want)
	if !ok {
		return nil, nil, ErrNotFinite
	}
	return values, vectors, nil
}

func identity(n int) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	return a
}

// fromIdentity returns the largest difference of an entry from the identity.
func fromIdentity(a []float64) float64 {
	largest := 0.0
	for i, v := range a {
		if i%(Width+1) == 0 {
			v--
		}
		largest = max(largest, math.Abs(v))
	}
	return largest
}

func square(x float64) float64 { return x * x }
