package algorithms

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"heavytail/storage/csr"
)

// ExchangeOptions sets how Exchange works. The zero value works.
type ExchangeOptions struct {
	Work
	PerEdge int // attempts per edge; 0 means 10, after which the graph is as good as random
	Seed    uint64
}

// Exchange returns a random graph whose vertices have the degrees of g: the null model
// with which the structure of g is compared. It takes two random edges and exchanges an
// end of each, unless that makes an edge from a vertex to itself or one that exists
// (Maslov and Sneppen, "Specificity and Stability in Topology of Protein Networks",
// 2002). The result has no weights and no timestamps. It takes O(PerEdge·m) on one core,
// and 36 bytes per edge and 16 per vertex, the result included.
func Exchange(ctx context.Context, g *csr.Graph, opts ExchangeOptions) (*csr.Graph, error) {
	edges, err := exchanged(ctx, g, false, opts)
	if err != nil {
		return nil, err
	}
	made, err := csr.FromEdges(g.Vertices(), edges)
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	return made, nil
}

// DirectedExchange returns a random directed graph with the in-degrees and out-degrees of d: it is Exchange of the
// targets of two edges, so that the two directions of a pair are as often both edges as by chance. It takes 44 bytes per edge
// and 16 per vertex, the result included.
func DirectedExchange(ctx context.Context, d *csr.Directed, opts ExchangeOptions) (*csr.Directed, error) {
	edges, err := exchanged(ctx, (*csr.Graph)(&d.Out), true, opts)
	if err != nil {
		return nil, err
	}
	rows := csr.RowsOf(d.Vertices(), edges)
	rows.Offsets = d.Out.Offsets // the out-degrees are those of d
	return csr.NewDirected(rows), nil
}

// exchanged returns the edges of a graph, or the arcs in its rows, after random exchanges.
func exchanged(ctx context.Context, g *csr.Graph, arcs bool, opts ExchangeOptions) ([]csr.Edge, error) {
	opts.PerEdge = cmp.Or(opts.PerEdge, 10)
	if opts.PerEdge < 0 {
		return nil, &OptionError{"exchanges", opts.PerEdge, "at least 1"}
	}
	e := newExchange(g, arcs, opts.Seed)
	attempts := int64(opts.PerEdge) * int64(len(e.edges))
	report := opts.reporter("exchanging", attempts)
	for i := range attempts {
		if i%checkVertices == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			report(i)
		}
		e.attempt()
	}
	report(attempts)
	return e.edges, nil
}

// exchange has the present edges, as a list and as a set.
type exchange struct {
	rng   *rand.Rand
	edges []csr.Edge
	set   *csr.EdgeSet
	arcs  bool
}

func newExchange(g *csr.Graph, arcs bool, seed uint64) *exchange {
	n := g.Edges()
	if arcs {
		n = int64(len(g.Targets))
	}
	e := &exchange{rng: rand.New(rand.NewPCG(seed, 0xe8c4)), edges: make([]csr.Edge, 0, n), set: csr.NewEdgeSet(n, arcs), arcs: arcs}
	for v := range uint32(g.Vertices()) {
		for _, u := range g.Neighbors(v) {
			switch {
			case arcs:
				e.add(csr.Edge{U: v, V: u})
			case u < v:
				e.add(csr.Edge{U: u, V: v})
			}
		}
	}
	return e
}

func (e *exchange) add(edge csr.Edge) {
	e.edges = append(e.edges, edge)
	e.set.Add(edge)
}

// attempt exchanges the ends of two random edges, if it can.
func (e *exchange) attempt() {
	i, j := e.rng.IntN(len(e.edges)), e.rng.IntN(len(e.edges))
	a, b := e.edges[i], e.edges[j]
	if !e.arcs && e.rng.Uint32()&1 != 0 {
		b.U, b.V = b.V, b.U
	}
	first, second := csr.Edge{U: a.U, V: b.V}, csr.Edge{U: b.U, V: a.V}
	if a.U == b.V || b.U == a.V || first == second || first == (csr.Edge{U: second.V, V: second.U}) || e.set.Has(first) || e.set.Has(second) {
		return
	}
	e.set.Remove(a)
	e.set.Remove(b)
	e.set.Add(first)
	e.set.Add(second)
	e.edges[i], e.edges[j] = first, second
}

// Sample returns a uniformly random set of count of the n vertices, in ascending
// order; all of them if n is at most count.
func Sample(n, count int, seed uint64) []uint32 {
	r := rand.New(rand.NewPCG(seed, 0x5a3b1e))
	var chosen []uint32
	for v := range n { // Knuth, "The Art of Computer Programming", volume 2, algorithm 3.4.2 S
		if left := count - len(chosen); r.IntN(n-v) < left {
			chosen = append(chosen, uint32(v))
		}
	}
	return chosen
}
