package walk

import (
	"context"
	"fmt"
	"math"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Walker samples walks on one graph. It is safe for concurrent use.
type Walker struct {
	graph   *csr.Graph
	options Options

	// targets draws a neighbour of a vertex; the cells of row v are parallel
	// to its arcs. The weights are those of the edges for Uniform and Biased
	// (nil if all are equal), and A_vj d_j^−β for Penalized.
	targets []cell
	// unit is the factor of weights for Penalized: 1 over their mean.
	unit float64
	// ways draws the next step of Penalized from v: column k of row v is a step through the
	// k-th neighbour of v, and the column after the last neighbour is a direct step. Row v
	// begins at Offsets[v] + v. It is nil if all steps are direct.
	ways []cell
	// penalty is d_v^−β for Penalized, nil for the other kinds. d_v is the sum of the
	// weights of v, or its degree if the graph has no weights.
	penalty []float64
}

// direct reports whether walks follow edges only, which one table suffices for.
func (o Options) direct() bool { return o.Kind != Penalized || o.Common != nil && *o.Common == 0 }

// Bytes returns the number of bytes that New allocates and keeps for a graph.
func Bytes(g *csr.Graph, o Options) int64 {
	const cellBytes, penaltyBytes = 8, 8
	cells, vertices := int64(len(g.Targets))*cellBytes, int64(g.Vertices())
	switch {
	case !o.direct(): // two tables, a cell for the direct way, and penalties
		return 2*cells + vertices*(cellBytes+penaltyBytes)
	case o.Kind == Penalized:
		return cells + vertices*penaltyBytes
	case g.Weighted():
		return cells
	}
	return 0
}

// New prepares the walks of a graph. It takes O(n + m) time. Penalized needs 32 bytes per
// edge and 16 per vertex, and half of that if Common is 0; the other kinds need 16 per edge if the graph has weights, and
// otherwise nothing. The error is ErrOptions if β is so large that powers of degrees leave
// the range of floating-point numbers, which happens only with weights of very different
// sizes. workers bounds the goroutines; 0 means GOMAXPROCS.
func New(ctx context.Context, g *csr.Graph, o Options, workers int) (*Walker, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w := &Walker{graph: g, options: o.WithDefaults(), unit: 1}
	if o.Kind == Penalized {
		if g.Weighted() {
			w.unit = 1 / meanWeight(g)
		}
		if err := w.penalize(); err != nil {
			return nil, err
		}
	}
	if o.Kind == Penalized || g.Weighted() {
		if err := w.prepare(ctx, workers); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// meanWeight returns the mean weight of a graph, 1 if it has no edges.
func meanWeight(g *csr.Graph) float64 {
	sum := 0.0
	for _, x := range g.Weights {
		sum += float64(x)
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(len(g.Weights))
}

// maxPower limits d^−β and d^β. It is above 2³² to the power of maxBeta, which
// is the maximum without weights, and low enough that the weight of a step, a
// product of two edge weights and a penalty, does not overflow.
const maxPower = 1e155

// penalize computes the penalties. That of a vertex without neighbours is 0.
func (w *Walker) penalize() error {
	w.penalty = vec.Zeros[float64](w.graph.Vertices())
	for v := range uint32(w.graph.Vertices()) {
		degree := w.degree(v)
		if degree == 0 {
			continue
		}
		x := math.Pow(degree, -w.options.Beta)
		if !(x <= maxPower && x >= 1/maxPower) {
			return fmt.Errorf("%w: Beta (%v) is too large for the weights of this graph", ErrOptions, w.options.Beta)
		}
		w.penalty[v] = x
	}
	return nil
}

// degree returns the sum of the weights of a vertex over the mean weight, or
// its number of neighbours if the graph has no weights.
func (w *Walker) degree(v uint32) float64 {
	if !w.graph.Weighted() {
		return float64(w.graph.Degree(v))
	}
	sum := 0.0
	for _, x := range w.graph.WeightsOf(v) {
		sum += float64(x)
	}
	return sum * w.unit
}

// prepare fills the tables.
func (w *Walker) prepare(ctx context.Context, workers int) error {
	g, penalty := w.graph, w.penalty
	w.targets = vec.Zeros[cell](len(g.Targets)) // read in random order, as are the ways
	var sums []float64
	if !w.options.direct() {
		sums = vec.Zeros[float64](g.Vertices())
	}
	err := w.eachRow(ctx, workers, func(v uint32, t *tableSpace) {
		weights := w.rowWeights(v, penalty, t.weights[:0])
		fillAlias(w.targets[g.Offsets[v]:g.Offsets[v+1]], weights, t.scaled, t.order)
		if sums != nil {
			for _, x := range weights {
				sums[v] += x
			}
		}
	})
	if err != nil || sums == nil {
		return err
	}
	w.ways = vec.Zeros[cell](len(g.Targets) + g.Vertices())
	return w.eachRow(ctx, workers, func(v uint32, t *tableSpace) {
		weights := w.pathWeights(v, penalty, sums, t.weights[:0])
		lo := g.Offsets[v] + int64(v)
		fillAlias(w.ways[lo:lo+int64(len(weights))], weights, t.scaled, t.order)
	})
}

// rowWeights appends the weight A_vj d_j^−β of each neighbour j of v.
func (w *Walker) rowWeights(v uint32, penalty, dst []float64) []float64 {
	g := w.graph
	for i := g.Offsets[v]; i < g.Offsets[v+1]; i++ {
		x := 1.0
		if penalty != nil {
			x = penalty[g.Targets[i]]
		}
		if g.Weights != nil {
			x *= float64(g.Weights[i]) * w.unit
		}
		dst = append(dst, x)
	}
	return dst
}

// pathWeights appends the weight of each middle vertex of v, and that of the
// direct way. A middle vertex of degree 1 leads back to v only.
func (w *Walker) pathWeights(v uint32, penalty, sums, dst []float64) []float64 {
	g := w.graph
	for i := g.Offsets[v]; i < g.Offsets[v+1]; i++ {
		m := g.Targets[i]
		a := 1.0
		if g.Weights != nil {
			a = float64(g.Weights[i]) * w.unit
		}
		x := 0.0
		if g.Degree(m) > 1 {
			x = *w.options.Common * a * max(0, sums[m]-a*penalty[v])
		}
		dst = append(dst, x)
	}
	return append(dst, sums[v])
}

// tableSpace is working space for the longest row and one more entry.
type tableSpace struct {
	weights, scaled []float64
	order           []uint32
}

// eachRow calls f for every vertex with neighbours, from several goroutines.
func (w *Walker) eachRow(ctx context.Context, workers int, f func(v uint32, t *tableSpace)) error {
	longest := 0
	for v := range uint32(w.graph.Vertices()) {
		longest = max(longest, w.graph.Degree(v))
	}
	const block = 1024 // rows: about 100 µs
	vec.Parallel(w.graph.Vertices(), block, workers, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		t := &tableSpace{make([]float64, longest+1), make([]float64, longest+1), make([]uint32, longest+1)}
		for v := uint32(lo); v < uint32(hi); v++ {
			if w.graph.Degree(v) > 0 {
				f(v, t)
			}
		}
	})
	return ctx.Err()
}

// Append appends the walk with the number round from vertex start to dst: Length vertices
// beginning with start, or fewer if it comes to a vertex without neighbours.
func (w *Walker) Append(dst []uint32, start uint32, round int) []uint32 {
	dst = append(dst, start)
	if w.graph.Degree(start) == 0 {
		return dst
	}
	random := newStream(w.options.Seed, uint64(start), uint64(round))
	switch {
	case w.ways != nil:
		return w.penalized(dst, start, &random)
	case w.options.Kind == Biased && (w.options.P != 1 || w.options.Q != 1):
		return w.biased(dst, start, &random)
	}
	for range w.options.Length - 1 {
		if w.graph.Degree(start) == 0 {
			break
		}
		start = w.neighbor(start, &random)
		dst = append(dst, start)
	}
	return dst
}

// Abreast is the number of walks that AppendEach advances at a time.
const Abreast = 8

// Start identifies a walk by its first vertex and by its number among the walks from that
// vertex.
type Start struct {
	Vertex uint32
	Round  int
}

// AppendEach appends to each dst[i] the walk that Append generates for
// starts[i]. It advances several walks alternately, one step of each in turn:
// a step waits for memory, and the waits of several walks overlap. It panics
// if dst is shorter than starts.
func (w *Walker) AppendEach(dst [][]uint32, starts []Start) {
	if w.options.Kind == Biased {
		for i, s := range starts {
			dst[i] = w.Append(dst[i], s.Vertex, s.Round)
		}
		return
	}
	for len(starts) > 0 {
		n := min(len(starts), Abreast)
		w.abreast(dst[:n], starts[:n])
		dst, starts = dst[n:], starts[n:]
	}
}

// abreast generates up to Abreast walks whose steps depend only on the current
// vertex.
func (w *Walker) abreast(dst [][]uint32, starts []Start) {
	var (
		random [Abreast]stream
		at     [Abreast]uint32
		walks  [Abreast]int // indices in dst of the walks in progress
	)
	n := 0
	for i, s := range starts {
		dst[i] = append(dst[i], s.Vertex)
		if w.graph.Degree(s.Vertex) > 0 {
			random[n], at[n], walks[n] = newStream(w.options.Seed, uint64(s.Vertex), uint64(s.Round)), s.Vertex, i
			n++
		}
	}
	for range w.options.Length - 1 {
		for j, i := range walks[:n] {
			if w.ways != nil {
				at[j] = w.penalizedStep(at[j], &random[j])
			} else {
				at[j] = w.neighbor(at[j], &random[j])
			}
			dst[i] = append(dst[i], at[j])
		}
		if !w.options.Arcs {
			continue
		}
		for j := n - 1; j >= 0; j-- { // the last walk takes the place of one that ends
			if w.graph.Degree(at[j]) == 0 {
				n--
				random[j], at[j], walks[j] = random[n], at[n], walks[n]
			}
		}
	}
}

// neighbor draws a neighbour of v by the weights of the edges.
func (w *Walker) neighbor(v uint32, random *stream) uint32 {
	lo, hi := w.graph.Offsets[v], w.graph.Offsets[v+1]
	if w.targets == nil {
		return w.graph.Targets[lo+int64(random.below(uint64(hi-lo)))]
	}
	return w.graph.Targets[lo+int64(draw(w.targets[lo:hi], random))]
}

func (w *Walker) penalized(dst []uint32, v uint32, random *stream) []uint32 {
	for range w.options.Length - 1 {
		v = w.penalizedStep(v, random)
		dst = append(dst, v)
	}
	return dst
}

func (w *Walker) penalizedStep(v uint32, random *stream) uint32 {
	g := w.graph
	lo, hi := g.Offsets[v], g.Offsets[v+1]
	way := int64(draw(w.ways[lo+int64(v):hi+int64(v)+1], random))
	if way == hi-lo {
		return w.neighbor(v, random)
	}
	return w.beyond(g.Targets[lo+way], v, random)
}

// biased appends the walk of node2vec from a vertex with neighbours. It proposes a neighbour by its weight,
// and accepts it with the ratio of its factor to the largest factor.
func (w *Walker) biased(dst []uint32, v uint32, random *stream) []uint32 {
	back, out := 1/w.options.P, 1/w.options.Q
	most := max(back, 1, out)
	if w.options.Length < 2 {
		return dst
	}
	previous := v
	v = w.neighbor(v, random)
	dst = append(dst, v)
	for range w.options.Length - 2 {
		if w.graph.Degree(v) == 0 {
			break
		}
		factor := func(j uint32) float64 {
			switch {
			case j == previous:
				return back
			case w.near(previous, j):
				return 1
			}
			return out
		}
		next, found := uint32(0), false
		for range manyDraws {
			next = w.neighbor(v, random)
			if found = random.float()*most < factor(next); found {
				break
			}
		}
		if !found {
			next = w.scan(v, random, factor)
		}
		previous, v = v, next
		dst = append(dst, v)
	}
	return dst
}

// near reports whether j is one step away from v.
func (w *Walker) near(v, j uint32) bool {
	if !w.options.Arcs {
		return w.graph.HasEdge(v, j)
	}
	_, found := slices.BinarySearch(w.graph.Neighbors(v), j)
	return found
}

// beyond draws a neighbour of m other than i. m must have at least two neighbours, one of
// which is i.
func (w *Walker) beyond(m, i uint32, random *stream) uint32 {
	for range manyDraws {
		if j := w.neighbor(m, random); j != i {
			return j
		}
	}
	return w.scan(m, random, func(j uint32) float64 {
		if j == i {
			return 0
		}
		return 1
	})
}

// manyDraws is how often a draw is repeated before scan takes over. If one vertex has
// nearly all the weight and is excluded, draws would repeat almost for ever. This is rare,
// because such rows are rarely chosen.
const manyDraws = 64

// scan draws a neighbour of v in proportion to its weight times a factor, in O(d). For at
// least one neighbour both must be above 0.
func (w *Walker) scan(v uint32, random *stream, factor func(j uint32) float64) uint32 {
	weights := w.rowWeights(v, w.penalty, nil)
	row := w.graph.Neighbors(v)
	sum := 0.0
	for k, j := range row {
		weights[k] *= factor(j)
		sum += weights[k]
	}
	x := random.float() * sum
	last := v
	for k, j := range row {
		if weights[k] == 0 {
			continue
		}
		last = j
		if x -= weights[k]; x < 0 {
			break
		}
	}
	return last
}
