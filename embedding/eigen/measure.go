package eigen

import (
	"context"
	"math"
	"runtime/debug"
	"sort"

	"heavytail/storage/vec"
)

// measurement has measured eigenpairs, without their vectors, and what makes those of the
// measured vectors.
type measurement struct {
	Result
	from   []int     // column j of the result is that of the measured vectors,
	factor []float32 // multiplied to have unit norm and a fixed sign
}

// measure measures the k leading columns of the basis as the result, by products with N. It
// overwrites u and w.
func (s *solver) measure(ctx context.Context) (*measurement, error) {
	s.held = false
	m, err := measure(ctx, s.op, s.basis.Panel(0, s.k), s.u, s.w, s.opts)
	m.Restarts, m.Products, m.Degree = s.restarts, s.products+m.Products, s.filter.degree
	return m, err
}

// result ends the solve with the columns that were measured. The memory of the blocks and that of
// the operator make room for it, and that of the basis for what the caller does next.
func (s *solver) result(m *measurement) *Result {
	s.u, s.w, s.h, s.sums, s.small = nil, nil, nil, vec.Sums{}, workspace{}
	if op, ok := s.op.(Releaser); ok {
		op.Release()
	}
	s.giveBack()
	result := m.collect(vec.NewMatrix(s.n, s.opts.Lead+s.k), s.opts.Lead, s.basis.Panel(0, s.k), s.opts.Workers)
	s.basis = vec.Matrix{}
	s.giveBack()
	return result
}

// giveBack returns to the system at once what a large solve has given up. Otherwise that would be
// free only when the heap had grown as far as it may between garbage collections, and in pieces too
// small for what comes next. It takes some milliseconds, since large arrays have no pointers.
func (s *solver) giveBack() {
	if GivesBack(s.n, s.k) {
		debug.FreeOSMemory()
	}
}

// Measure returns the given vectors, the columns of a matrix, as a Result: scaled to unit
// norm with a fixed sign, with their Rayleigh quotients and residuals, by descending
// Rayleigh quotient. It changes the matrix, which becomes part of the result.
func Measure(ctx context.Context, op Operator, vectors *vec.Matrix, opts Options) (*Result, error) {
	return measureIn(ctx, op, vectors, 0, opts.withDefaults())
}

// measureIn is Measure for the columns from first on.
func measureIn(ctx context.Context, op Operator, vectors *vec.Matrix, first int, opts Options) (*Result, error) {
	x, y := vec.Zeros[float32](vectors.Rows*Width), vec.Zeros[float32](vectors.Rows*Width)
	panel := vectors.Panel(first, vectors.Dim)
	m, err := measure(ctx, op, panel, x, y, opts)
	if err != nil {
		return nil, err
	}
	return m.collect(vectors, first, panel, opts.Workers), nil
}

// measure computes eigenvalues and residuals of the columns of a panel, in descending order of the
// eigenvalues. x and y are blocks that it may overwrite.
func measure(ctx context.Context, op Operator, vectors vec.Panel, x, y []float32, opts Options) (*measurement, error) {
	n, k := vectors.Rows, vectors.Cols
	m := &measurement{}
	values, residuals := make([]float64, k), make([]float64, k)
	scale := make([]float64, k) // factors that make the columns unit vectors of fixed sign
	for lo := 0; lo < k; lo += Width {
		cols := min(Width, k-lo)
		if cols < Width {
			clear(x)
		}
		columns := vec.Panel{Data: vectors.Data[lo:], Rows: n, Cols: cols, Stride: vectors.Stride}
		copyBlock(vec.Panel{Data: x, Rows: n, Cols: cols, Stride: Width}, columns, opts.Workers)
		if err := op.Apply(ctx, y, x, 1, 0, 0); err != nil {
			return m, err
		}
		m.Products += cols
		sums := columnSums(x, y, n, opts.Workers)
		for j := range cols {
			values[lo+j] = sums.xy[j] / sums.xx[j]
			scale[lo+j] = sums.sign[j] / math.Sqrt(sums.xx[j])
		}
		res := columnResiduals(x, y, values[lo:lo+cols], n, opts.Workers)
		for j := range cols {
			residuals[lo+j] = math.Sqrt(res[j] / sums.xx[j])
			if math.IsNaN(residuals[lo+j]) || math.IsInf(values[lo+j], 0) {
				return m, ErrNotFinite
			}
		}
	}
	m.order(values, residuals, scale)
	m.Converged, m.Reason = true, ReasonConverged
	for _, residual := range m.Residuals {
		if residual > opts.Tolerance*opts.norm(m.Values[0]) {
			m.Converged, m.Reason = false, ReasonPrecision
		}
	}
	return m, nil
}

// order sets the pairs by descending eigenvalue.
func (m *measurement) order(values, residuals, scale []float64) {
	m.from = make([]int, len(values))
	for j := range m.from {
		m.from[j] = j
	}
	sort.SliceStable(m.from, func(a, b int) bool { return values[m.from[a]] > values[m.from[b]] })
	for _, f := range m.from {
		m.Values, m.Residuals = append(m.Values, values[f]), append(m.Residuals, residuals[f])
		m.factor = append(m.factor, float32(scale[f]))
	}
}

// collect returns the result with its vectors written to the columns of a matrix from first on, given
// the vectors that were measured, which may be the same columns.
func (m *measurement) collect(to *vec.Matrix, first int, vectors vec.Panel, workers int) *Result {
	vec.Parallel(to.Rows, rowBlock, workers, func(_, lo, hi int) {
		old := make([]float32, vectors.Cols)
		for i := lo; i < hi; i++ {
			copy(old, vectors.Data[i*vectors.Stride:])
			row := to.Row(i)[first:]
			for j, f := range m.from {
				row[j] = m.factor[j] * old[f]
			}
		}
	})
	m.Vectors = to
	return &m.Result
}

// sums of the columns x of a block with the columns y of another.
type sums struct {
	xx, xy  [Width]float64
	sign    [Width]float64 // of the entry of x of largest magnitude, the first of equals
	largest [Width]float32 // that magnitude
}

// columnSums adds in float64: first within fixed runs of rows, then over the runs in order,
// so that the result does not depend on the number of workers.
func columnSums(x, y []float32, n, workers int) sums {
	parts := make([]sums, (n+rowBlock-1)/rowBlock)
	vec.Parallel(n, rowBlock, workers, func(block, lo, hi int) {
		p := &parts[block]
		for i := lo * Width; i < hi*Width; i += Width {
			for j, v := range x[i : i+Width] {
				p.xx[j] += float64(v) * float64(v)
				p.xy[j] += float64(v) * float64(y[i+j])
				if v > p.largest[j] {
					p.largest[j], p.sign[j] = v, 1
				} else if -v > p.largest[j] {
					p.largest[j], p.sign[j] = -v, -1
				}
			}
		}
	})
	total := parts[0]
	for _, p := range parts[1:] {
		for j := range Width {
			total.xx[j] += p.xx[j]
			total.xy[j] += p.xy[j]
			if p.largest[j] > total.largest[j] {
				total.largest[j], total.sign[j] = p.largest[j], p.sign[j]
			}
		}
	}
	return total
}

// columnResiduals returns ‖y − λx‖² of each column.
func columnResiduals(x, y []float32, values []float64, n, workers int) [Width]float64 {
	parts := make([][Width]float64, (n+rowBlock-1)/rowBlock)
	vec.Parallel(n, rowBlock, workers, func(block, lo, hi int) {
		p := &parts[block]
		for i := lo * Width; i < hi*Width; i += Width {
			for j, value := range values {
				d := float64(y[i+j]) - value*float64(x[i+j])
				p[j] += d * d
			}
		}
	})
	var total [Width]float64
	for _, p := range parts {
		for j, v := range p {
			total[j] += v
		}
	}
	return total
}
