package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"heavytail/index"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// ReconstructSample estimates the result of ReconstructSweep with the Quantiles grid, from
// the pairs of a sample of vertices with all other vertices: it costs one pass over these
// pairs instead of two passes over all pairs. If the sample would have at least half of the
// vertices, all vertices are measured.
//
// Half of the sample are the vertices of highest degree, which determine Pearson's
// correlation of a scale-free graph. The other half is spread evenly over the remaining
// vertices in the order of their degrees, and represents all of them. On ego-facebook, over
// forty embeddings by dp_spectral in 64 dimensions, the largest Pearson estimated from
// 1,024 vertices was within 0.03 of that of all vertices, and the largest value of ByBoth
// within 0.02 if it was above 0.65; where almost no ranks are reconstructed it was up to
// 0.08 too low.
//
// Edges, precision and recall are estimates for the whole graph; Kendall and
// Law are unknown, so with the criterion ByKendall or ByKS all vertices are
// measured. Radii are exact to 1/4096 of the range of distances, in its
// logarithm. Errors are those of ReconstructSweep. Memory: 16 KB per vertex of
// the sample.
func ReconstructSample(ctx context.Context, g *csr.Graph, m *vec.Matrix, rows int, opts ReconstructOptions) (best int, points []ReconstructionPoint, err error) {
	if SampleIsAll(g, rows, opts.Criterion) {
		return ReconstructSweep(ctx, g, m, opts)
	}
	if err := opts.Validate(); err != nil {
		return 0, nil, err
	}
	if g.Vertices() != m.Rows {
		return 0, nil, fmt.Errorf("%d vertices, %d vectors: %w", g.Vertices(), m.Rows, ErrShape)
	}
	s := newSample(g, m, max(2, rows), opts.withDefaults())
	if err := s.measure(ctx); err != nil {
		return 0, nil, err
	}
	points = s.points(s.quantiles())
	at := bestPoint(g, points, opts.Criterion)
	if fine := s.between(points, at); len(fine) > 0 {
		points = append(points, s.points(fine)...)
		slices.SortFunc(points, func(a, b ReconstructionPoint) int { return cmp.Compare(a.Radius, b.Radius) })
	}
	return bestPoint(g, points, opts.Criterion), points, nil
}

// SampleIsAll reports whether ReconstructSample measures all vertices of a
// graph, as ReconstructSweep does: if at least half of them are requested, or
// the criterion cannot be estimated from a sample.
func SampleIsAll(g *csr.Graph, rows int, criterion Criterion) bool {
	return sampleIsAll(g.Vertices(), rows, criterion)
}

func sampleIsAll(vertices, rows int, criterion Criterion) bool {
	return vertices <= 2*rows || criterion == ByKendall || criterion == ByKS
}

// ReconstructSampleBytes is [ReconstructBytes] of [ReconstructSample]: the counts of the sampled
// vertices, and 12 for each vertex and its place by degree.
func ReconstructSampleBytes(vertices, dim int, edges int64, rows int, opts ReconstructOptions) int64 {
	if sampleIsAll(vertices, rows, opts.Criterion) {
		return ReconstructBytes(vertices, dim, edges, opts)
	}
	return 4*sampleCells*int64(rows) + 12*int64(vertices)
}

// sampleCells is the number of classes of distances.
const sampleCells = 4096

// sample has the distances of some vertices from all others, by classes.
type sample struct {
	g       *csr.Graph
	m       *vec.Matrix
	opts    ReconstructOptions
	rows    []uint32  // hubs first
	hubs    int       // vertices that represent only themselves
	weight  float64   // number of vertices that each of the others represents
	weights []float64 // of the sampled vertices
	degrees []float64 // of the sampled vertices, in the graph
	ranks   []float64 // of the degrees

	// Squared distances from lowest to highest are in cells of equal ranges of
	// their bit patterns, which ascend as the distances do, so the cells have
	// about equal ratios.
	lowest, highest uint32
	// counts[i·sampleCells+c] is the number of pairs of sampled vertex i up to
	// the end of cell c.
	counts []uint32
	// kept are the arcs of the graph from the sampled vertices up to the end
	// of each cell, scaled to all vertices that these represent.
	kept []float64
}

func newSample(g *csr.Graph, m *vec.Matrix, rows int, opts ReconstructOptions) *sample {
	n := g.Vertices()
	order := make([]uint32, n) // by descending degree
	for v := range order {
		order[v] = uint32(v)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(g.Degree(b), g.Degree(a)) })
	s := &sample{g: g, m: m, opts: opts, hubs: rows / 2}
	s.rows = append(s.rows, order[:s.hubs]...)
	others, rest := rows-s.hubs, n-s.hubs
	for i := range others {
		s.rows = append(s.rows, order[s.hubs+(2*i+1)*rest/(2*others)])
	}
	s.weight = float64(rest) / float64(others)
	for i, v := range s.rows {
		s.weights = append(s.weights, s.weight)
		if i < s.hubs {
			s.weights[i] = 1
		}
		s.degrees = append(s.degrees, float64(g.Degree(v)))
	}
	s.ranks = weightedRanks(s.degrees, s.weights)
	return s
}

// measure counts all pairs of the sampled vertices.
func (s *sample) measure(ctx context.Context) error {
	if err := s.setRange(ctx); err != nil {
		return err
	}
	s.counts = make([]uint32, len(s.rows)*sampleCells)
	const group, block = 16, 512 // sampled vertices and vectors that stay in the caches
	n := s.m.Rows
	vec.Parallel(len(s.rows), group, s.opts.Workers, func(_, lo, hi int) {
		squares := make([]float32, block)
		for first := 0; first < n && ctx.Err() == nil; first += block {
			for i := lo; i < hi; i++ {
				s.count(i, first, min(first+block, n), squares)
			}
		}
		for i := lo; i < hi; i++ {
			row := s.counts[i*sampleCells:][:sampleCells]
			for c := 1; c < len(row); c++ {
				row[c] += row[c-1]
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.countEdges(ctx)
}

// setRange determines the relevant range of distances from those between the
// sampled vertices: the distances beyond three quarters of them belong to more
// pairs than a sweep considers.
func (s *sample) setRange(ctx context.Context) error {
	squares := make([]uint32, 0, choose2(int64(len(s.rows)))) // bit patterns, which ascend as the numbers do
	for i, u := range s.rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, v := range s.rows[:i] {
			if d := vec.L2Squared(s.m.Row(int(u)), s.m.Row(int(v))); d > 0 && !math.IsInf(float64(d), 1) {
				squares = append(squares, math.Float32bits(d))
			}
		}
	}
	if len(squares) == 0 {
		squares = append(squares, math.Float32bits(1))
	}
	s.lowest, s.highest = slices.Min(squares), ranked(squares, len(squares)*3/4)
	return nil
}

// ranked returns the number that sorting would put at a place. It counts the numbers by
// their upper halves, and then by their lower halves those that may be the one.
func ranked(x []uint32, place int) uint32 {
	upper, lower := make([]int, 1<<16), make([]int, 1<<16)
	for _, value := range x {
		upper[value>>16]++
	}
	high, low := uint32(0), uint32(0)
	for ; place >= upper[high]; high++ {
		place -= upper[high]
	}
	for _, value := range x {
		if value>>16 == high {
			lower[value&0xffff]++
		}
	}
	for ; place >= lower[low]; low++ {
		place -= lower[low]
	}
	return high<<16 | low
}

// cell returns the class of a squared distance, sampleCells for one beyond all.
func (s *sample) cell(squared float32) int {
	bits := math.Float32bits(squared)
	switch {
	case bits <= s.lowest:
		return 0
	case bits > s.highest || math.IsNaN(float64(squared)):
		return sampleCells
	}
	return int(uint64(bits-s.lowest) * sampleCells / s.span())
}

// radius returns the largest distance of a cell.
func (s *sample) radius(cell int) float64 {
	bits := s.lowest + uint32((uint64(cell+1)*s.span()-1)/sampleCells)
	return math.Sqrt(float64(math.Float32frombits(bits)))
}

// span is the number of bit patterns in the range.
func (s *sample) span() uint64 { return uint64(s.highest-s.lowest) + 1 }

// count adds the pairs of sampled vertex i with the vectors from first to
// last. squares has room for their distances.
func (s *sample) count(i, first, last int, squares []float32) {
	u, dim := int(s.rows[i]), s.m.Dim
	squares = squares[:last-first]
	vec.ScanL2Squared(squares, s.m.Row(u), s.m.Data[first*dim:last*dim])
	counts := s.counts[i*sampleCells:][:sampleCells]
	for at, square := range squares {
		if c := s.cell(square); c < sampleCells && first+at != u {
			counts[c]++
		}
	}
}

func (s *sample) countEdges(ctx context.Context) error {
	s.kept = make([]float64, sampleCells)
	for i, u := range s.rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, v := range s.g.Neighbors(u) {
			if c := s.cell(vec.L2Squared(s.m.Row(int(u)), s.m.Row(int(v)))); c < sampleCells {
				s.kept[c] += s.weights[i]
			}
		}
	}
	for c := 1; c < sampleCells; c++ {
		s.kept[c] += s.kept[c-1]
	}
	return nil
}

// edges estimates the pairs of the whole graph up to the end of a cell.
func (s *sample) edges(cell int) float64 {
	ends := 0.0
	for i, w := range s.weights {
		ends += w * float64(s.counts[i*sampleCells+cell])
	}
	return ends / 2
}

// quantiles returns ascending cells at which the number of edges grows
// geometrically, as in ReconstructSweep.
func (s *sample) quantiles() []int {
	low := max(1, float64(s.g.Edges())/50)
	high := max(low, float64(choose2(int64(s.m.Rows)))/2)
	var cells []int
	for i := range s.opts.Points {
		wanted := low * math.Pow(high/low, float64(i)/float64(max(1, s.opts.Points-1)))
		cells = append(cells, sort.Search(sampleCells-1, func(c int) bool { return s.edges(c) >= wanted }))
	}
	return slices.Compact(cells)
}

// between returns cells around that of a point, up to those of its neighbours.
func (s *sample) between(points []ReconstructionPoint, at int) []int {
	cell := func(i int) int { return s.cell(float32(points[i].Radius * points[i].Radius)) }
	lo, mid, hi := cell(max(0, at-1)), cell(at), min(sampleCells-1, cell(min(at+1, len(points)-1)))
	step := max(1, 2*(hi-lo)/max(1, s.opts.Points))
	var cells []int
	for c := lo + 1; c < hi; c += step {
		if c != mid {
			cells = append(cells, c)
		}
	}
	return cells
}

// points estimates the reconstructions up to the ends of cells.
func (s *sample) points(cells []int) []ReconstructionPoint {
	points := make([]ReconstructionPoint, len(cells))
	vec.Parallel(len(cells), 1, s.opts.Workers, func(i, _, _ int) { points[i] = s.point(cells[i]) })
	return points
}

func (s *sample) point(cell int) ReconstructionPoint {
	degrees := make([]float64, len(s.rows))
	for i := range degrees {
		degrees[i] = float64(s.counts[i*sampleCells+cell])
	}
	edges, radius, all := s.edges(cell), s.radius(cell), 0.0
	for i, w := range s.weights {
		all += w * s.degrees[i]
	}
	return ReconstructionPoint{
		Epsilon:   index.RadiusToEpsilon(radius),
		Radius:    radius,
		Edges:     int64(math.Round(edges)),
		Pearson:   weightedPearson(s.degrees, degrees, s.weights),
		Spearman:  weightedPearson(s.ranks, weightedRanks(degrees, s.weights), s.weights),
		Kendall:   math.NaN(),
		Precision: ratio(s.kept[cell], 2*edges),
		Recall:    ratio(s.kept[cell], all),
	}.withMeans()
}

// weightedRanks returns the average ranks of a list in which value i occurs
// weights[i] times.
func weightedRanks(x, weights []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(a, b)) })
	ranks := make([]float64, len(x))
	below := 0.0
	for from := 0; from < len(order); {
		to, tied := from, 0.0
		for ; to < len(order) && x[order[to]] == x[order[from]]; to++ {
			tied += weights[order[to]]
		}
		for _, i := range order[from:to] {
			ranks[i] = below + (tied+1)/2
		}
		below += tied
		from = to
	}
	return ranks
}
