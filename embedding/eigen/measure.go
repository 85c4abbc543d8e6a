package eigen

import (
	"context"
	"math"
	"sort"

	"heavytail/storage/vec"
)

// measure returns the k leading columns of the basis as the result, with eigenvalues and
// residuals measured by products with N.
func (s *solver) measure(ctx context.Context) (*Result, error) {
	vectors := vec.NewMatrix(s.n, s.k)
	vec.Parallel(s.n, rowBlock, s.opts.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(vectors.Row(i), s.basis.Row(i))
		}
	})
	result := &Result{Vectors: vectors, Restarts: s.restarts, Products: s.products, Degree: s.filter.degree}
	return result, result.finish(ctx, s.op, s.opts)
}

// Measure returns the given vectors, the columns of a matrix, as a Result: scaled to unit
// norm with a fixed sign, with their Rayleigh quotients and residuals, by descending
// Rayleigh quotient. It changes the matrix, which becomes part of the result.
func Measure(ctx context.Context, op Operator, vectors *vec.Matrix, opts Options) (*Result, error) {
	r := &Result{Vectors: vectors}
	return r, r.finish(ctx, op, opts.withDefaults())
}

// finish computes eigenvalues and residuals of the vectors, orders the pairs
// and fixes signs.
func (r *Result) finish(ctx context.Context, op Operator, opts Options) error {
	n, k := r.Vectors.Rows, r.Vectors.Dim
	r.Values = make([]float64, k)
	r.Residuals = make([]float64, k)
	scale := make([]float64, k) // factors that make the columns unit vectors of fixed sign
	x := make([]float32, n*Width)
	y := make([]float32, n*Width)
	for lo := 0; lo < k; lo += Width {
		cols := min(Width, k-lo)
		clear(x)
		copyBlock(vec.Panel{Data: x, Rows: n, Cols: cols, Stride: Width}, r.Vectors.Panel(lo, lo+cols), opts.Workers)
		if err := op.Apply(ctx, y, x, 1, 0, 0); err != nil {
			return err
		}
		r.Products += cols
		sums := columnSums(x, y, n, opts.Workers)
		for j := range cols {
			r.Values[lo+j] = sums.xy[j] / sums.xx[j]
			scale[lo+j] = sums.sign[j] / math.Sqrt(sums.xx[j])
		}
		res := columnResiduals(x, y, r.Values[lo:lo+cols], n, opts.Workers)
		for j := range cols {
			r.Residuals[lo+j] = math.Sqrt(res[j] / sums.xx[j])
			if math.IsNaN(r.Residuals[lo+j]) || math.IsInf(r.Values[lo+j], 0) {
				return ErrNotFinite
			}
		}
	}
	r.order(scale, opts.Workers)
	if k == 0 {
		r.Converged, r.Reason = true, ReasonConverged
		return nil
	}
	norm := opts.norm(r.Values[0])
	r.Converged, r.Reason = true, ReasonConverged
	for _, residual := range r.Residuals {
		if residual > opts.Tolerance*norm {
			r.Converged, r.Reason = false, ReasonPrecision
		}
	}
	return nil
}

// order sorts the pairs by descending eigenvalue and multiplies column j by
// scale[j].
func (r *Result) order(scale []float64, workers int) {
	k := r.Vectors.Dim
	from := make([]int, k)
	for j := range from {
		from[j] = j
	}
	sort.SliceStable(from, func(a, b int) bool { return r.Values[from[a]] > r.Values[from[b]] })
	values, residuals := make([]float64, k), make([]float64, k)
	factor := make([]float32, k)
	for j, f := range from {
		values[j], residuals[j], factor[j] = r.Values[f], r.Residuals[f], float32(scale[f])
	}
	r.Values, r.Residuals = values, residuals
	vec.Parallel(r.Vectors.Rows, rowBlock, workers, func(_, lo, hi int) {
		old := make([]float32, k)
		for i := lo; i < hi; i++ {
			row := r.Vectors.Row(i)
			copy(old, row)
			for j, f := range from {
				row[j] = factor[j] * old[f]
			}
		}
	})
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
