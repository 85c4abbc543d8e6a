package evaluate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"

	"heavytail/embedding/link"
	"heavytail/storage/csr"
)

// Negatives is a way to draw the pairs without an edge that held-out edges are compared
// with. Each way answers a different question:
//
//   - RandomNegatives: can a scorer separate edges from pairs of any two vertices? Edges
//     join vertices of high degree and random pairs do not, so that the product of the
//     degrees alone does well where degrees differ.
//   - DegreeNegatives: does it know more than the degrees? A pair that is drawn has ends
//     of as high a degree as a held-out edge has.
//   - TwoHopNegatives: can it choose among the candidates of a recommendation, which
//     have a common neighbour?
type Negatives string

const (
	// RandomNegatives draws uniformly among all pairs of different vertices that are no
	// edge of the whole graph, each once.
	RandomNegatives Negatives = "random"

	// DegreeNegatives draws both vertices of a pair uniformly among the ends of the
	// held-out edges, so that a vertex comes up in proportion to how many of these edges
	// it has; a pair of one vertex, an edge of the whole graph and a pair that was drawn
	// before are drawn again. Two hubs are mostly linked, and such pairs are
	// rejected more often, so that high degrees are slightly rarer than among the edges.
	// The pairs to learn from are drawn by the ends of the edges to learn from. After
	// Aiyappa et al., "Implicit degree bias in the link prediction task", ICML 2025,
	// who draw by the degrees in the graph; by the ends of the held-out edges the pairs
	// also fit where the latest edges are held out.
	DegreeNegatives Negatives = "degree"

	// TwoHopNegatives draws uniformly among the pairs that are no edge of the whole graph
	// and have a common neighbour in what is left of it, each once: the candidates of a
	// recommendation. Likewise, only those held-out edges and training edges are used whose
	// ends have a common neighbour. Otherwise an edge without common neighbours would score
	// 0 by common neighbours, and all pairs without an edge would score more. On a random
	// graph, where nothing can be predicted and the AUC should be 0.5, these scorers would
	// then have an AUC near 0. The price is that the result does not cover edges between
	// vertices that are farther apart.
	TwoHopNegatives Negatives = "two_hop"

	// ReversedNegatives, of a directed graph, are the ways back of the held-out edges: can a scorer predict
	// the direction? Only edges without a way back in the whole graph are used, likewise in the
	// training. The AUC of every symmetric scorer is 0.5. This is the task with biased negative samples of
	// Salha et al., "Gravity-Inspired Graph Autoencoders for Directed Link Prediction", CIKM 2019.
	ReversedNegatives Negatives = "reversed"
)

// AllNegatives lists all ways to draw pairs of an undirected graph.
func AllNegatives() []Negatives {
	return []Negatives{RandomNegatives, DegreeNegatives, TwoHopNegatives}
}

// DirectedNegatives lists all ways to draw pairs of a directed graph.
func DirectedNegatives() []Negatives { return append(AllNegatives(), ReversedNegatives) }

// With returns a copy of the split in which the pairs without an edge, for the test and for
// the training, are drawn in another way. For TwoHopNegatives both lists of edges may be
// shorter. The copy shares Graph with s, which does not change. g and opts are those of the
// split. No pair is an edge of g or is in both lists.
//
// If g has too few such pairs, or they are too rare to be found with 64 draws each
// (TwoHopNegatives: 256, in graphs of more than 2²⁸ paths of two edges), there are fewer
// pairs than edges. Between the sides of a bipartite graph there is no pair for
// TwoHopNegatives. The error is ErrNegatives where a list is empty that is not in s,
// ErrOption for an unknown way, or that of ctx. Memory: 40 bytes for each pair; time: the
// draws, and for TwoHopNegatives up to 2²⁸ steps to list what there is.
func (s *LinkSplit) With(ctx context.Context, g *csr.Graph, kind Negatives, opts SplitOptions) (*LinkSplit, error) {
	return s.with(ctx, edgeRows{g, false}, kind, opts)
}

func (s *LinkSplit) with(ctx context.Context, g edgeRows, kind Negatives, opts SplitOptions) (*LinkSplit, error) {
	other := *s
	d := negativeDraw{ctx: ctx, g: g, rest: s.rows().Graph, back: s.Graph, sides: s.Sides, random: splitRandom(opts.Seed, "non-edges "+string(kind)), most: int64(len(s.Edges) + len(s.TrainEdges))}
	if s.Directed != nil {
		d.back = (*csr.Graph)(&s.Directed.In)
	}
	var err error
	switch {
	case kind == RandomNegatives:
		return s, nil
	case kind == DegreeNegatives:
		if other.NonEdges, err = d.byEnds(s.Edges); err == nil {
			other.TrainNonEdges, err = d.byEnds(s.TrainEdges)
		}
		if len(other.TrainNonEdges) == 0 { // the test has all that there are
			other.divideNonEdges(other.NonEdges)
		}
	case kind == TwoHopNegatives:
		other.Edges, other.TrainEdges = d.near(s.Edges), d.near(s.TrainEdges)
		var pairs []csr.Edge
		pairs, err = d.twoHop(len(other.Edges) + len(other.TrainEdges))
		other.divideNonEdges(pairs)
	case kind == ReversedNegatives && g.arcs:
		other.Edges, other.NonEdges = reversed(g, s.Edges)
		other.TrainEdges, other.TrainNonEdges = reversed(g, s.TrainEdges)
	default:
		return nil, fmt.Errorf("negatives %q: %w", string(kind), ErrOption)
	}
	if err != nil {
		return nil, err
	}
	if min(len(other.Edges), len(other.NonEdges)) == 0 || len(s.TrainEdges) > 0 && min(len(other.TrainEdges), len(other.TrainNonEdges)) == 0 {
		return nil, fmt.Errorf("%q: %w", string(kind), ErrNegatives)
	}
	if !opts.Ascending {
		order := splitRandom(opts.Seed, "order "+string(kind))
		mixOrder(order, other.NonEdges)
		mixOrder(order, other.TrainNonEdges)
	}
	return &other, nil
}

// reversed returns the edges of a list without a way back in a directed graph, and their ways back.
func reversed(whole edgeRows, edges []csr.Edge) (list, back []csr.Edge) {
	for _, e := range edges {
		if !whole.HasEdge(e.V, e.U) {
			list, back = append(list, e), append(back, csr.Edge{U: e.V, V: e.U})
		}
	}
	return list, back
}

// divideNonEdges divides pairs between the test and the training in proportion to their
// numbers of edges.
func (s *LinkSplit) divideNonEdges(pairs []csr.Edge) {
	test := len(s.Edges)
	if all := test + len(s.TrainEdges); all > len(pairs) {
		test = len(pairs) * test / all
	}
	s.NonEdges, s.TrainNonEdges = pairs[:test:test], pairs[test:]
}

// negativeDraw draws pairs without an edge, each once.
type negativeDraw struct {
	ctx    context.Context
	g      edgeRows   // whole
	rest   *csr.Graph // what is left of it
	back   *csr.Graph // the same by targets, in an undirected graph rest
	sides  link.Sides
	random *rand.Rand
	most   int64        // pairs that are wanted in all
	seen   *csr.EdgeSet // those of draws; nil before
}

// draws calls pair up to a number of times for each pair that is wanted, until there
// are so many new ones without an edge.
func (d *negativeDraw) draws(wanted, each int, pair func() (u, v uint32, ok bool)) ([]csr.Edge, error) {
	if d.seen == nil {
		d.seen = csr.NewEdgeSet(d.most, d.g.arcs)
	}
	pairs := make([]csr.Edge, 0, wanted)
	const few = 1 << 12 // draws at least, for tiny graphs
	for tries := range each*wanted + few {
		if tries%4096 == 0 && d.ctx.Err() != nil {
			return nil, d.ctx.Err()
		}
		if len(pairs) == wanted {
			break
		}
		u, v, ok := pair()
		e := d.g.pairOf(u, v)
		if ok && u != v && !d.g.HasEdge(u, v) && d.sides.Across(u, v) && d.seen.Add(e) {
			pairs = append(pairs, e)
		}
	}
	return pairs, nil
}

// byEnds draws as many pairs as there are edges, by the ends of these.
func (d *negativeDraw) byEnds(edges []csr.Edge) ([]csr.Edge, error) {
	if d.g.arcs {
		return d.draws(len(edges), 64, func() (u, v uint32, ok bool) {
			return edges[d.random.IntN(len(edges))].U, edges[d.random.IntN(len(edges))].V, true
		})
	}
	end := func() uint32 {
		at := d.random.IntN(2 * len(edges))
		if e := edges[at/2]; at%2 == 0 {
			return e.U
		} else {
			return e.V
		}
	}
	return d.draws(len(edges), 64, func() (u, v uint32, ok bool) { return end(), end(), true })
}

// near returns the edges whose ends have a common neighbour in what is left.
func (d *negativeDraw) near(edges []csr.Edge) []csr.Edge {
	var list []csr.Edge
	for _, e := range edges {
		if _, ok := csr.FirstCommon(d.rest.Neighbors(e.U), d.back.Neighbors(e.V)); ok {
			list = append(list, e)
		}
	}
	return list
}

// mostWedges is the number of paths of two edges up to which all pairs that they join
// are listed, in about a second.
const mostWedges = 1 << 28

// twoHop draws pairs two edges apart.
func (d *negativeDraw) twoHop(wanted int) ([]csr.Edge, error) {
	if wedges := d.wedges(); wedges[len(wedges)-1] > mostWedges {
		return d.drawn(wanted, wedges)
	}
	return d.listed(wanted)
}

// wedges returns for each vertex, and behind the last, the number of paths of two edges
// whose middle is an earlier vertex.
func (d *negativeDraw) wedges() []int64 {
	wedges := make([]int64, d.rest.Vertices()+1)
	for v := range d.rest.Vertices() {
		n := choose2(int64(d.rest.Degree(uint32(v))))
		if d.g.arcs {
			n = int64(d.back.Degree(uint32(v))) * int64(d.rest.Degree(uint32(v)))
		}
		wedges[v+1] = wedges[v] + n
	}
	return wedges
}

// drawn draws paths of two edges uniformly, and takes the pair that one joins where its
// middle is the first of the common neighbours: so each pair is as likely as any other.
func (d *negativeDraw) drawn(wanted int, wedges []int64) ([]csr.Edge, error) {
	all := wedges[len(wedges)-1]
	return d.draws(wanted, 256, func() (u, v uint32, ok bool) {
		at := d.random.Int64N(all)
		middle := uint32(sort.Search(len(wedges), func(i int) bool { return wedges[i] > at }) - 1)
		row := d.rest.Neighbors(middle)
		if d.g.arcs {
			from := d.back.Neighbors(middle)
			u, v = from[d.random.IntN(len(from))], row[d.random.IntN(len(row))]
			first, _ := csr.FirstCommon(d.rest.Neighbors(u), d.back.Neighbors(v))
			return u, v, first == middle
		}
		i, j := d.random.IntN(len(row)), d.random.IntN(len(row)-1)
		if j >= i {
			j++
		}
		first, _ := csr.FirstCommon(d.rest.Neighbors(row[i]), d.rest.Neighbors(row[j]))
		return row[i], row[j], first == middle
	})
}

// listed goes through all pairs two edges apart and keeps a uniform sample, in random
// order (Algorithm R; Vitter, "Random Sampling with a Reservoir", 1985).
func (d *negativeDraw) listed(wanted int) ([]csr.Edge, error) {
	var pairs []csr.Edge
	there := int64(0)
	last := make([]uint32, d.rest.Vertices()) // u + 1 where the vertex was met from u
	for u := range uint32(d.rest.Vertices()) {
		if u%64 == 0 && d.ctx.Err() != nil {
			return nil, d.ctx.Err()
		}
		for _, v := range d.g.Neighbors(u) {
			last[v] = u + 1
		}
		for _, w := range d.rest.Neighbors(u) {
			row := d.rest.Neighbors(w)
			if !d.g.arcs {
				row = row[sort.Search(len(row), func(i int) bool { return row[i] > u }):]
			}
			for _, v := range row {
				if last[v] == u+1 || v == u {
					continue
				}
				last[v] = u + 1
				there++
				if len(pairs) < wanted {
					pairs = append(pairs, csr.Edge{U: u, V: v})
				} else if at := d.random.Int64N(there); at < int64(wanted) {
					pairs[at] = csr.Edge{U: u, V: v}
				}
			}
		}
	}
	d.random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return pairs, nil
}
