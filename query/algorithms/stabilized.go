package algorithms

import (
	"context"
	"fmt"
	"math"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// flow is the linear system x = factor·A·S·x + c, with A a matrix of weights that need not be symmetric,
// and S a diagonal matrix; both are not negative. The spectral radius of factor·A·S must be below 1.
type flow struct {
	Work
	in, out   *csr.Graph // the rows and the columns of A
	factor    float64
	inverse   []float64 // the diagonal of S; nil is all ones
	c         []float64 // which solve changes
	tolerance float64   // of the residual, relative to the sum of x
	most      int       // products
	expected  int       // products, for the progress
	stage     string
	shared    bool // the workers share a product, as they do in graphs of more than sweepArcs

	x, scaled []float64 // of all vertices: the values that are known, and those times S
	core      []uint32  // the vertices of the system that is left
	rows      *product  // with their rows, where the workers share a product
}

// sweepArcs is the number of arcs up to which a product uses each value as soon as it is computed, on
// one core: that halves the products, and takes less than a second. In larger graphs the workers share
// a product.
const sweepArcs = 1 << 23

// solve finds x, and returns it with the number of products and the residual, which is at most
// tolerance: the sum of |factor·A·S·x + c − x| before the last plain step, divided by the sum of x.
//
// The values of vertices that no cycle leads to are known from those before them, and those of vertices
// that lead to no cycle are needed by no others. For the rest it uses iterate. It takes O(n + m) a
// product, 100 bytes per vertex, and TileBytes where the workers share a product.
func (f *flow) solve(ctx context.Context) (s Scores, err error) {
	n := len(f.c)
	f.shared = f.shared || len(f.in.Targets) > sweepArcs
	f.x, f.scaled = vec.Zeros[float64](n), vec.Zeros[float64](n)
	first := peeled(f.in, f.out, nil)
	f.follow(first)
	last := peeled(f.out, f.in, first)
	f.core = rest(n, first, last)
	if s.Iterations = 1; len(f.core) > 0 {
		c := make([]float64, len(f.core))
		f.each(len(c), func(lo, hi int) {
			for i, v := range f.core[lo:hi] {
				c[lo+i] = f.c[v] + float64(f.factor*rowProduct(f.in, v, f.scaled))
			}
		})
		clear(f.scaled) // known values are in c
		f.rows = &product{Work: f.Work, rows: f.in, list: f.core}
		if f.shared {
			if f.rows, err = newProduct(ctx, f.Work, f.in, f.out, f.core); err != nil {
				return Scores{}, err
			}
		}
		if s, err = f.iterate(ctx, c); err != nil {
			return Scores{}, err
		}
		for i, v := range f.core {
			f.x[v] = s.Values[i]
		}
	}
	f.scaled = f.times(f.x, f.scaled)
	slices.Reverse(last)
	f.follow(last)
	s.Values = f.x
	return s, ctx.Err()
}

// peeled lists the vertices that no cycle of arcs leads to, each after those from which arcs lead to it,
// without the vertices of some list and their arcs. in has the arcs to a vertex, and out those from it.
func peeled(in, out *csr.Graph, without []uint32) (list []uint32) {
	n := in.Vertices()
	waiting := make([]int32, n) // arcs from vertices that are not in the list
	for v := range waiting {
		waiting[v] = int32(in.Degree(uint32(v)))
	}
	for _, v := range without {
		waiting[v] = -1
	}
	for v := range waiting {
		if waiting[v] == 0 {
			list = append(list, uint32(v))
		}
	}
	for at := 0; at < len(list); at++ {
		for _, u := range out.Neighbors(list[at]) {
			if waiting[u]--; waiting[u] == 0 {
				list = append(list, u)
			}
		}
	}
	return list
}

// rest lists the vertices that are in none of two lists.
func rest(n int, a, b []uint32) (list []uint32) {
	listed := make([]bool, n)
	for _, v := range a {
		listed[v] = true
	}
	for _, v := range b {
		listed[v] = true
	}
	for v, is := range listed {
		if !is {
			list = append(list, uint32(v))
		}
	}
	return list
}

// follow computes the values of vertices whose values depend on known ones and on those before them.
func (f *flow) follow(list []uint32) {
	for _, v := range list {
		f.x[v] = f.c[v] + float64(f.factor*rowProduct(f.in, v, f.scaled))
		if f.scaled[v] = f.x[v]; f.inverse != nil {
			f.scaled[v] *= f.inverse[v]
		}
	}
}

// times sets to = S·x, and returns it.
func (f *flow) times(x, to []float64) []float64 {
	copy(to, x)
	for v, s := range f.inverse {
		to[v] *= s
	}
	return to
}

// scale writes S·x of the core.
func (f *flow) scale(x []float64) {
	f.each(len(x), func(lo, hi int) {
		for i, v := range f.core[lo:hi] {
			f.scaled[v] = x[lo+i]
			if f.inverse != nil {
				f.scaled[v] *= f.inverse[v]
			}
		}
	})
}

// plain sets to = factor·A·S·x + c, or with no c factor·A·S·x.
func (f *flow) plain(x, c, to []float64) {
	f.scale(x)
	f.rows.blocks(f.scaled, func(lo, _ int, y []float64) {
		for i, v := range y {
			if v = float64(f.factor * v); c != nil {
				v += c[lo+i]
			}
			to[lo+i] = v
		}
	})
}

// step sets to = T·x + c', or with no c T·x, where x = T·x + c' has the same solution: T is that of a step
// of Gauss and Seidel, or of a plain one in large graphs.
func (f *flow) step(x, c, to []float64) {
	if f.shared {
		f.plain(x, c, to)
		return
	}
	f.scale(x)
	for i, v := range f.core {
		y := float64(f.factor * rowProduct(f.in, v, f.scaled))
		if c != nil {
			y += c[i]
		}
		to[i] = y
		if f.scaled[v] = y; f.inverse != nil {
			f.scaled[v] *= f.inverse[v]
		}
	}
}

// iterate finds the values of the core by stabilised bi-conjugate gradients (van der Vorst, "Bi-CGSTAB: A
// Fast and Smoothly Converging Variant of Bi-CG", 1992) on the steps of Gauss and Seidel. It returns one
// plain step from the last x, so that the residual is computed from x. Where the gradients do not lower
// the residual, plain steps do.
func (f *flow) iterate(ctx context.Context, c []float64) (Scores, error) {
	n := len(c)
	g := newGradients(n)
	x, next, best := slices.Clone(c), make([]float64, n), make([]float64, n)
	report := f.reporter(f.stage, int64(f.expected))
	// The smallest residual so far, the plain steps to take, and how many they are after the next time that
	// gradients do not lower it.
	least, plain, more := math.Inf(1), 0, 1
	for k := 1; k <= f.most; k++ {
		if err := ctx.Err(); err != nil {
			return Scores{}, err
		}
		f.plain(x, c, next)
		sums := f.sums(n, 2, func(lo, hi int, parts []float64) {
			for v := lo; v < hi; v++ {
				parts[0] += math.Abs(next[v] - x[v])
				parts[1] += math.Abs(next[v])
			}
		})
		reached := sums[0] / sums[1]
		if reached <= f.tolerance || sums[1] == 0 {
			report(int64(f.expected))
			return Scores{Values: next, Iterations: k, Residual: min(reached, f.tolerance)}, nil
		}
		report(min(int64(k), int64(f.expected)-1))
		if plain > 0 {
			plain--
			x, next = next, x
			continue
		}
		if !(reached < least) { // also if it is no number
			copy(x, best)
			plain, more = more, 2*more
			continue
		}
		least = reached
		copy(best, next)
		x, next = next, x
		done, err := g.run(ctx, f, c, x, f.most-k, func(done int) { report(min(int64(k+done), int64(f.expected)-1)) })
		if err != nil {
			return Scores{}, err
		}
		k += done
	}
	return Scores{}, fmt.Errorf("%s: %d iterations: %w", f.stage, f.most, ErrConverge)
}

// gradients have the vectors of the method, by the names of its paper.
type gradients struct{ r, shadow, p, v, t []float64 }

func newGradients(n int) *gradients {
	list := make([][]float64, 5)
	for i := range list {
		list[i] = vec.Zeros[float64](n)
	}
	return &gradients{list[0], list[1], list[2], list[3], list[4]}
}

// run improves x until the residual, which is updated, is below half of the tolerance, and returns the
// number of products. It also ends where the method cannot go on.
func (g *gradients) run(ctx context.Context, f *flow, c, x []float64, most int, report func(products int)) (products int, err error) {
	n := len(x)
	f.step(x, c, g.r)
	f.each(n, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			g.r[v] -= x[v]
			g.shadow[v], g.p[v] = g.r[v], g.r[v]
		}
	})
	rho := f.sum(n, func(lo, hi int) float64 { return squaresOf(g.r[lo:hi]) })
	square := rho // of the shadow
	for products = 1; products < most; products += 2 {
		if err := ctx.Err(); err != nil {
			return products, err
		}
		report(products)
		along := g.product(f, g.p, g.v, g.shadow)[0]
		alpha := rho / along
		f.each(n, func(lo, hi int) { vec.Axpy64(-alpha, g.v[lo:hi], g.r[lo:hi]) })
		parts := g.product(f, g.r, g.t, g.r)
		omega := parts[0] / parts[1]
		if !usable(alpha) || !usable(omega) {
			return products + 2, nil
		}
		sums := f.sums(n, 4, func(lo, hi int, parts []float64) {
			for v := lo; v < hi; v++ {
				x[v] += float64(alpha*g.p[v]) + float64(omega*g.r[v])
				g.r[v] -= float64(omega * g.t[v])
				parts[0] += float64(g.shadow[v] * g.r[v])
				parts[1] += math.Abs(g.r[v])
				parts[2] += math.Abs(x[v])
				parts[3] += float64(g.r[v] * g.r[v])
			}
		})
		beta := sums[0] / rho * (alpha / omega)
		rho = sums[0]
		if sums[1] <= f.tolerance/2*sums[2] || !usable(beta) || math.Abs(rho) < orthogonal*math.Sqrt(square*sums[3]) {
			return products + 2, nil
		}
		f.each(n, func(lo, hi int) {
			for v := lo; v < hi; v++ {
				g.p[v] = g.r[v] + float64(beta*(g.p[v]-float64(omega*g.v[v])))
			}
		})
	}
	return products, nil
}

// product sets to = x − T·x, and returns its products with another vector and with itself.
func (g *gradients) product(f *flow, x, to, with []float64) []float64 {
	f.step(x, nil, to)
	return f.sums(len(x), 2, func(lo, hi int, parts []float64) {
		for v := lo; v < hi; v++ {
			y := x[v] - to[v]
			to[v] = y
			parts[0] += float64(with[v] * y)
			parts[1] += float64(y * y)
		}
	})
}

// orthogonal is the cosine of the residual and its shadow below which their product is mostly rounding
// errors.
const orthogonal = 1e-7

// usable reports whether a factor of the method is a number and not 0.
func usable(x float64) bool { return x != 0 && !math.IsNaN(x) && !math.IsInf(x, 0) }
