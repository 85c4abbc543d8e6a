package algorithms

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// DirectedPageRank is PageRank of a walk along the arcs of a directed graph: a walk at a vertex from which
// no arc leads starts again.
//
// It takes O(n + m) an iteration, at most about 70 iterations for 0.85 and usually half of that, and
// the memory of flow.solve.
func DirectedPageRank(ctx context.Context, d *csr.Directed, opts PageRankOptions) (Scores, error) {
	return directedPageRank(ctx, d, opts, maxIterations)
}

func directedPageRank(ctx context.Context, d *csr.Directed, opts PageRankOptions, most int) (Scores, error) {
	opts.Damping = cmp.Or(opts.Damping, 0.85)
	if err := checkFraction("damping", opts.Damping); err != nil {
		return Scores{}, err
	}
	out, err := weightsOf(rowsOf(&d.Out), !opts.Unweighted)
	if err != nil || d.Vertices() == 0 {
		return Scores{}, err
	}
	in, err := weightsOf(rowsOf(&d.In), !opts.Unweighted)
	if err != nil {
		return Scores{}, err
	}
	start, err := starts(d.Vertices(), opts.From)
	if err != nil {
		return Scores{}, err
	}
	f := flow{
		Work: opts.Work, in: in, out: out, factor: opts.Damping, inverse: inverseStrengths(opts.Work, out), c: start,
		tolerance: tolerance(opts.Tolerance), most: most, stage: "pagerank",
	}
	f.expected = (&system{rho: opts.Damping, tolerance: f.tolerance, most: f.most}).expected()
	scores, err := f.solve(ctx)
	if err == nil {
		scale(scores.Values, 1/sumOf(scores.Values))
	}
	return scores, err
}

// Hits returns the hubs and authorities of a directed graph (Kleinberg, "Authoritative Sources in a
// Hyperlinked Environment", 1999): a vertex is as good an authority as the hubs are from which arcs lead
// to it, and as good a hub as the authorities to which its arcs lead. The authorities are the eigenvector of
// the largest eigenvalue of AᵀA, found as Eigenvector does, and the hubs A times it; a last product
// with Aᵀ follows. The values of each
// add up to 1, as in networkx. A graph without arcs is ErrEdges.
//
// It takes O(n + m) an iteration, 10 to 200 iterations, 180 bytes per vertex, and TileBytes twice.
func Hits(ctx context.Context, d *csr.Directed, opts EigenvectorOptions) (hubs, authorities Scores, err error) {
	out, err := weightsOf(rowsOf(&d.Out), !opts.Unweighted)
	if err != nil {
		return Scores{}, Scores{}, err
	}
	in, err := weightsOf(rowsOf(&d.In), !opts.Unweighted)
	if err != nil {
		return Scores{}, Scores{}, err
	}
	if opts.Tolerance <= 0 {
		opts.Tolerance = 1e-10
	}
	from, err := newProduct(ctx, opts.Work, out, in, nil)
	if err != nil {
		return Scores{}, Scores{}, err
	}
	to, err := newProduct(ctx, opts.Work, in, out, nil)
	if err != nil {
		return Scores{}, Scores{}, err
	}
	if _, authorities, err = largestEigenpair(ctx, from, to, opts.Tolerance); err != nil {
		return Scores{}, Scores{}, err
	}
	hubs = authorities
	hubs.Values = from.times(authorities.Values)
	authorities.Values = to.times(hubs.Values) // 0 where no arc leads
	scale(hubs.Values, 1/sumOf(hubs.Values))
	scale(authorities.Values, 1/sumOf(authorities.Values))
	return hubs, authorities, nil
}

// DirectedKatz is Katz along the arcs of a directed graph: x = Alpha·Aᵀ·x + 1, the number of walks that end
// at a vertex, with the Euclidean norm 1, as in networkx. Those that begin at a vertex are those of
// d.Reversed. The largest eigenvalue is the largest of the strong components; without cycles there is
// none, every Alpha is good, and 0 means 0.5. Where the eigenvalue is hard to compute 0 means half of the
// inverse of a bound of it.
//
// It takes O(n + m) an iteration, for the eigenvalue and for the system, and 30 bytes per vertex
// beside the memory of flow.solve.
func DirectedKatz(ctx context.Context, d *csr.Directed, opts KatzOptions) (Scores, error) {
	out, err := weightsOf(rowsOf(&d.Out), !opts.Unweighted)
	if err != nil || d.Vertices() == 0 {
		return Scores{}, err
	}
	in, err := weightsOf(rowsOf(&d.In), !opts.Unweighted)
	if err != nil {
		return Scores{}, err
	}
	least, most, err := spectralRadius(ctx, opts.Work, d, in, opts.Alpha)
	if err != nil {
		return Scores{}, err
	}
	alpha := opts.Alpha
	switch {
	case alpha == 0 && most == 0:
		alpha = 0.5
	case alpha == 0:
		alpha = 0.5 / most
	case !(alpha > 0) || math.IsInf(alpha, 0) || alpha*least >= 1:
		return Scores{}, alphaError(alpha, least)
	}
	f := flow{
		Work: opts.Work, in: in, out: out, factor: alpha, c: vec.Zeros[float64](d.Vertices()),
		tolerance: tolerance(opts.Tolerance), most: maxIterations, stage: "katz",
	}
	for v := range f.c {
		f.c[v] = 1
	}
	f.expected = (&system{rho: min(max(alpha*most, 0.01), 1-1e-6), tolerance: f.tolerance, most: f.most}).expected()
	scores, err := f.solve(ctx)
	// The solution is positive only where the sum of the walks converges.
	if alpha*most >= 1 && (errors.Is(err, ErrConverge) || err == nil && !(slices.Min(scores.Values) > 0)) {
		return Scores{}, alphaError(alpha, least)
	}
	if err == nil {
		f.toUnit(scores.Values)
	}
	return scores, err
}

// spectralRadius returns bounds of the largest eigenvalue of the matrix of the rows of in. They differ by
// less than a millionth; or they decide whether alpha, if it is not 0, is below the inverse; or they are
// those after a thousand products, as of a long cycle with a chord. Without cycles both are 0.
//
// Of each strong component it computes products with a positive vector, between whose smallest and
// largest factors the eigenvalue is (Collatz and Wielandt: Varga, "Matrix Iterative Analysis", 2.1).
func spectralRadius(ctx context.Context, w Work, d *csr.Directed, in *csr.Graph, alpha float64) (least, most float64, err error) {
	const products, exact = 1000, 1e-6
	c := d.StrongComponents()
	count := 0 // components with cycles are the first
	for count < len(c.Sizes) && c.Sizes[count] > 1 {
		count++
	}
	if count == 0 {
		return 0, 0, ctx.Err()
	}
	n := d.Vertices()
	x, y := vec.Zeros[float64](n), vec.Zeros[float64](n)
	for v := range x {
		x[v] = 1
	}
	low, high, top := make([]float64, count), make([]float64, count), make([]float64, count)
	report := w.reporter("eigenvalue", products)
	for k := range products {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		// A shift keeps the vector positive, and converges where the other eigenvalues are as large.
		shift := least / 4
		w.each(n, func(lo, hi int) {
			for v := lo; v < hi; v++ {
				if int(c.Label[v]) < count {
					y[v] = insideProduct(in, c.Label, uint32(v), x)
				}
			}
		})
		for i := range low {
			low[i], high[i], top[i] = math.Inf(1), 0, 0
		}
		for v, i := range c.Label {
			if int(i) < count {
				low[i], high[i] = min(low[i], y[v]/x[v]), max(high[i], y[v]/x[v])
				y[v] += float64(shift * x[v])
				top[i] = max(top[i], y[v])
			}
		}
		least, most = max(least, slices.Max(low)), slices.Max(high)
		if most-least <= exact*most || alpha*most < 1 && alpha > 0 || alpha*least >= 1 {
			break
		}
		const smallest = 1e-200 // of an entry: the bounds are those of any positive vector
		for v, i := range c.Label {
			if int(i) < count {
				x[v] = max(y[v]/top[i], smallest)
			}
		}
		report(int64(k + 1))
	}
	report(products)
	return least, most, nil
}

// insideProduct is row v times x, without the arcs from other components.
func insideProduct(g *csr.Graph, label []uint32, v uint32, x []float64) float64 {
	sum := 0.0
	weights := g.WeightsOf(v)
	for i, u := range g.Neighbors(v) {
		if label[u] == label[v] {
			sum += float64(lengthOf(weights, i) * x[u])
		}
	}
	return sum
}
