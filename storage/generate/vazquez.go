package generate

import (
	"context"
	"slices"

	"heavytail/storage/csr"
)

// LocalRule selects how the ends of new edges are found when only the neighbours of a vertex are
// known.
type LocalRule uint8

const (
	// RandomWalk: every new vertex attaches to an earlier vertex, drawn uniformly. After each
	// attachment, with probability P it also attaches to one of the vertices to which that vertex
	// attached when it was new, drawn uniformly; otherwise it stops. Each step leads to an earlier
	// vertex, so the walk ends at the first vertex at the latest.
	RandomWalk LocalRule = iota
	// ConnectNeighbors closes triangles. In every step, with probability 1−P a new vertex attaches
	// to another one, drawn uniformly, and gets a potential edge to each neighbour of that vertex;
	// with probability P a potential edge, drawn uniformly from all, becomes an edge. It begins
	// with two linked vertices, and ends when vertex N+1 would be added.
	ConnectNeighbors
)

// String returns the name of the rule in the language.
func (r LocalRule) String() string {
	switch r {
	case RandomWalk:
		return "random_walk"
	case ConnectNeighbors:
		return "connect_neighbors"
	}
	return "unknown"
}

// Vazquez is growth by local rules (Vázquez, "Growing network with local rules: preferential
// attachment, clustering hierarchy, and degree correlations", Physical Review E 67, 2003), two of
// those that the paper studies. The rules do not use degrees, yet vertices gain edges nearly in
// proportion to them, because a vertex that is reached through a neighbour is reached by one of its
// edges. Unlike [PreferentialAttachment] the graphs are clustered.
//
// Degrees have power-law tails. The mean-field argument, which gives every
// vertex the rate of an average one of its degree, has for their exponents
//
//	random_walk        1 + 1/P       from dk/d ln t = 1 + P·k, k edges from later vertices
//	connect_neighbors  1 + 1/b       from dk/d ln t = 1 + a·d, dd/d ln t = k − a·d, d potential
//	                                 edges, a = P/(2−P), and so b = (√(a²+4a) − a)/2
//
// It is accurate for ConnectNeighbors. Under RandomWalk a vertex is reached more often if the
// vertices attached to it are older, which the argument ignores: the tails are heavier. Measured
// with 300,000 vertices, by maximum likelihood from degree 50 on (20 for P ¼), with mean degree and
// the largest degree:
//
//	                   P     mean field  measured       mean  largest
//	random_walk        ¼     5           3.93 ± 0.10    2.7   229
//	                   ½     3           2.54 ± 0.06    3.9   10,192
//	                   ¾     2.33        2.30 ± 0.04    5.7   115,202
//	connect_neighbors  ¼     4.19        4.08 ± 0.10    2.7   139
//	                   ½     3.30        3.29 ± 0.08    4.0   597
//	                   ¾     2.88        2.50 ± 0.02    8.0   2,649   2.78 from degree 200 on
//
// ConnectNeighbors has (N−1)/(1−P) edges on average; RandomWalk has fewer, because walks end at the
// first vertex, which with P ¾ becomes a neighbour of a third of all vertices. The paper does not
// define the start of ConnectNeighbors, the end of growth, and the direction in which a walk
// follows edges: these are our choices. The other rules of the paper are not implemented.
//
// The graph that the paper of DP-Spectral calls synthetic, and cites this model for, has 10,000
// vertices and 399,580 arcs. PreferentialAttachment{N: 10000, M: 20} has exactly these numbers; of
// the rules here, ConnectNeighbors with P 0.95 is closest.
type Vazquez struct {
	N    int       // vertices, numbered in the order of their arrival, at least 2
	P    float64   // q_e of the paper for RandomWalk, u for ConnectNeighbors: from 0 to below 1
	Rule LocalRule // RandomWalk or ConnectNeighbors
	Seed uint64    // the same seed gives the same graph on every machine
}

var _ Model = Vazquez{}

// Validate reports all faults at once. Each is an *OptionError.
func (z Vazquez) Validate() error {
	f := faults{model: "vazquez"}
	f.vertices(z.N, 2)
	f.check(z.P >= 0 && z.P < 1, "p", z.P, "at least 0 and below 1")
	f.check(z.Rule <= ConnectNeighbors, "rule", z.Rule, "random_walk or connect_neighbors")
	if len(f.list) == 0 {
		f.edges(z.edges())
	}
	return f.err()
}

// edges is an upper bound of the expected number of edges.
func (z Vazquez) edges() float64 {
	return min((float64(z.N)-1)/(1-z.P), pairs(z.N))
}

// Bytes is the memory that Generate takes, see [Model].
func (z Vazquez) Bytes() int64 {
	if z.Rule == RandomWalk {
		return bytesOf(z.N, z.edges(), 24, 16) // a slice that grows has up to half of its length to spare
	}
	// Lists of neighbours, 24 bytes for each edge, and potential edges, at most two
	// for each, in slices that grow by a quarter.
	return bytesOf(z.N, z.edges(), 16, 1.25*(24+2*8))
}

// Generate makes the graph in expected O(N/(1−P)) time.
func (z Vazquez) Generate(ctx context.Context, progress Progress) (*csr.Graph, error) {
	grow := z.walk
	if z.Rule == ConnectNeighbors {
		grow = z.connect
	}
	return grown(ctx, progress, "vazquez", z, 2*int64(z.N), grow)
}

// walk grows a graph by RandomWalk. A vertex never meets another twice, since
// its walk descends.
func (z Vazquez) walk(w *work) (*csr.Graph, error) {
	r := newRandom(z.Seed)
	first := make([]int64, z.N+1) // beginning of the earlier neighbours of each vertex
	var earlier []uint32
	for v := 1; v < z.N; v++ {
		begin := len(earlier)
		u := uint32(r.below(uint64(v)))
		earlier = append(earlier, u)
		for r.chance(z.P) {
			next := earlier[first[u]:first[u+1]]
			if len(next) == 0 {
				break
			}
			u = next[r.below(uint64(len(next)))]
			earlier = append(earlier, u)
		}
		slices.Reverse(earlier[begin:])
		first[v+1] = int64(len(earlier))
		if err := w.add(2*(len(earlier)-begin), int64(v)); err != nil {
			return nil, err
		}
	}
	return fromEarlier(w, z.N, func(v int) []uint32 { return earlier[first[v]:first[v+1]] })
}

// connect grows a graph by ConnectNeighbors. No pair is a potential edge twice or already an edge:
// potential edges begin at a new vertex, whose only edge leads to the common neighbour.
func (z Vazquez) connect(w *work) (*csr.Graph, error) {
	r := newRandom(z.Seed)
	g := newGrowing(z.N)
	var potential []csr.Edge
	g.connect(0, 1)
	for v := uint32(2); ; {
		steps := 2
		if r.chance(z.P) {
			if last := len(potential) - 1; last >= 0 {
				i := r.below(uint64(last + 1))
				e := potential[i]
				potential[i] = potential[last]
				potential = potential[:last]
				g.connect(e.U, e.V)
			}
		} else {
			if int(v) == z.N {
				break
			}
			at := uint32(r.below(uint64(v)))
			g.eachNeighbor(at, func(u uint32) {
				potential = append(potential, csr.Edge{U: v, V: u})
				steps++
			})
			g.connect(at, v)
			v++
		}
		if err := w.add(steps, int64(v)); err != nil {
			return nil, err
		}
	}
	return fromEdges(w, z.N, g.edges)
}

// growing is a graph to which edges are added one by one. The neighbours of a vertex are a linked
// list of arcs; arcs 2i and 2i+1 belong to edge i.
type growing struct {
	edges  []csr.Edge
	newest []int64 // last arc from each vertex, plus one; 0 for none
	before []int64 // of each arc, the arc from the same vertex before it, plus one
}

func newGrowing(n int) *growing { return &growing{newest: make([]int64, n)} }

func (g *growing) connect(u, v uint32) {
	arc := 2 * int64(len(g.edges))
	g.edges = append(g.edges, csr.Edge{U: u, V: v})
	g.before = append(g.before, g.newest[u], g.newest[v])
	g.newest[u], g.newest[v] = arc+1, arc+2
}

// eachNeighbor calls f with the neighbours of v, the newest first.
func (g *growing) eachNeighbor(v uint32, f func(u uint32)) {
	for at := g.newest[v]; at > 0; {
		arc := at - 1
		if e := g.edges[arc/2]; arc%2 == 0 {
			f(e.V)
		} else {
			f(e.U)
		}
		at = g.before[arc]
	}
}
