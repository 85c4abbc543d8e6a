package generate

import (
	"context"

	"heavytail/storage/csr"
)

// WattsStrogatz is the small world of Watts and Strogatz ("Collective dynamics of 'small-world'
// networks", Nature 1998): a ring in which every vertex is linked to the K nearest others, and each
// edge is rewired with probability Beta. Beta 0 gives the lattice, with clustering 3(K−2)/(4(K−1))
// if K ≤ 2(N−1)/3; a few percent make paths short but keep the clustering; 1 gives nearly a random
// graph. It has N·K/2 edges and no hubs.
//
// As in the paper, edges are visited in laps around the ring: first the edges to the next vertex,
// then the edges to the one after it, and so on. The far end of a rewired edge is drawn uniformly
// from the vertices that give neither a self-loop nor a parallel edge. A vertex that is linked to
// all others keeps its edge.
type WattsStrogatz struct {
	N    int     // vertices, at least 3
	K    int     // neighbours of each in the lattice: even, at least 2, below N, and at most N/2 if Beta is above 0
	Beta float64 // probability that an edge is rewired, from 0 to 1
	Seed uint64  // the same seed gives the same graph on every machine
}

var _ Model = WattsStrogatz{}

// Validate reports all faults at once. Each is an *OptionError.
func (s WattsStrogatz) Validate() error {
	f := faults{model: "watts strogatz"}
	known := f.vertices(s.N, 3)
	f.check(s.K >= 2 && s.K%2 == 0, "k", s.K, "even and at least 2")
	f.probability("beta", s.Beta)
	switch {
	case !known:
	case s.K >= s.N:
		f.add("k", "", s.K, "below n (%d)", s.N)
	case s.Beta > 0 && s.K > s.N/2:
		f.add("k", "", s.K, "at most n/2 (%d) where edges are rewired, so that there are other vertices to rewire to", s.N/2)
	case len(f.list) == 0:
		f.edges(s.edges())
	}
	return f.err()
}

func (s WattsStrogatz) edges() float64 { return float64(s.N) * float64(s.K) / 2 }

// Bytes is the memory that Generate takes, see [Model].
func (s WattsStrogatz) Bytes() int64 {
	bytes := bytesOf(s.N, s.edges(), 20, 24)
	if s.Beta > 0 {
		bytes += edgeSetBytes * int64(s.edges())
	}
	return bytes
}

// Generate makes the graph in expected O(N·K) time.
func (s WattsStrogatz) Generate(ctx context.Context, progress Progress) (*csr.Graph, error) {
	return grown(ctx, progress, "watts strogatz", s, 2*int64(s.edges()), func(w *work) (*csr.Graph, error) {
		edges, err := s.lattice(w)
		if err == nil && s.Beta > 0 {
			err = s.rewire(w, edges)
		}
		if err != nil {
			return nil, err
		}
		return fromEdges(w, s.N, edges)
	})
}

// lattice returns the edges of the ring lap by lap: lap i has the edges from each vertex to the
// vertex i places ahead.
func (s WattsStrogatz) lattice(w *work) ([]csr.Edge, error) {
	edges := make([]csr.Edge, 0, s.N*(s.K/2))
	for ahead := 1; ahead <= s.K/2; ahead++ {
		for v := range s.N {
			edges = append(edges, csr.Edge{U: uint32(v), V: uint32((v + ahead) % s.N)})
			if err := w.add(1, int64(len(edges))); err != nil {
				return nil, err
			}
		}
	}
	return edges, nil
}

// rewire moves the far ends of edges.
func (s WattsStrogatz) rewire(w *work, edges []csr.Edge) error {
	r, present := newRandom(s.Seed), csr.NewEdgeSet(int64(len(edges)), false)
	degrees := make([]uint32, s.N)
	for _, e := range edges {
		present.Add(e)
		degrees[e.U]++
		degrees[e.V]++
		if err := w.add(1, int64(len(edges))); err != nil {
			return err
		}
	}
	for i := range edges {
		e := &edges[i]
		steps := 1
		if r.chance(s.Beta) && int(degrees[e.U]) < s.N-1 {
			for {
				steps++
				to := csr.Edge{U: e.U, V: uint32(r.below(uint64(s.N)))}
				if to.V != e.U && !present.Has(to) {
					present.Remove(*e)
					present.Add(to)
					degrees[e.V]--
					degrees[to.V]++
					*e = to
					break
				}
			}
		}
		if err := w.add(steps, int64(len(edges)+i)); err != nil {
			return err
		}
	}
	return nil
}
