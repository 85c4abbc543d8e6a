package generate

import (
	"context"

	"heavytail/storage/csr"
)

// ErdosRenyi is the random graph in which all pairs of vertices are equally likely to be linked.
// With P every pair is an edge with that probability, independently: G(n, p) (Gilbert, "Random
// Graphs", 1959). With M the graph is drawn uniformly from all graphs with M edges: G(n, m) (Erdős
// and Rényi, "On Random Graphs I", 1959). Without either it has no edges. Degrees are binomial,
// nearly Poisson: there are no hubs.
type ErdosRenyi struct {
	N    int     // vertices, at least 1
	P    float64 // probability of every edge, from 0 to 1; 0 if M is given
	M    int64   // edges; 0 if P is given
	Seed uint64  // the same seed gives the same graph on every machine
}

var _ Model = ErdosRenyi{}

// Validate reports all faults at once. Each is an *OptionError.
func (e ErdosRenyi) Validate() error {
	f := faults{model: "erdos renyi"}
	if known := f.vertices(e.N, 1); known {
		f.check(float64(e.M) <= pairs(e.N), "m", e.M, "at most %.0f, the pairs of n (%d) vertices", pairs(e.N), e.N)
	}
	f.check(e.M >= 0, "m", e.M, "at least 0")
	if f.probability("p", e.P) && len(f.list) == 0 {
		f.edges(max(e.P*pairs(e.N), float64(e.M)))
	}
	f.check(e.P == 0 || e.M == 0, "p", e.P, "0 where m (%d) is given", e.M)
	return f.err()
}

// Bytes is the memory that Generate takes, see [Model].
func (e ErdosRenyi) Bytes() int64 {
	if e.M > 0 {
		return bytesOf(e.N, float64(e.M), 16, 24) + edgeSetBytes*e.drawn()
	}
	return bytesOf(e.N, float64(room(pairs(e.N), e.P)), 24, 12)
}

// Generate makes the graph in expected O(N+M) time: G(n, p) by jumping over the pairs without an
// edge, G(n, m) by drawing distinct pairs: the linked ones or, if these are fewer, the others.
func (e ErdosRenyi) Generate(ctx context.Context, progress Progress) (*csr.Graph, error) {
	if e.M > 0 {
		return grown(ctx, progress, "erdos renyi", e, e.M, e.exactly)
	}
	return grown(ctx, progress, "erdos renyi", e, 2*int64(e.N), e.independently)
}

// independently makes G(n, p). Pairs are tried in ascending order of the larger vertex, so every
// vertex draws its earlier neighbours in ascending order.
func (e ErdosRenyi) independently(w *work) (*csr.Graph, error) {
	first := make([]int64, e.N+1) // where the earlier neighbours of a vertex begin
	earlier := make([]uint32, 0, room(pairs(e.N), e.P))
	r, jump := newRandom(e.Seed), newJumps(e.P)
	u := jump.next(r)
	for v := range e.N {
		begin := len(earlier)
		for u < uint64(v) {
			earlier = append(earlier, uint32(u))
			u += 1 + jump.next(r)
		}
		u -= uint64(v)
		first[v+1] = int64(len(earlier))
		if err := w.add(len(earlier)-begin+1, int64(v)); err != nil {
			return nil, err
		}
	}
	return fromEarlier(w, e.N, func(v int) []uint32 { return earlier[first[v]:first[v+1]] })
}

// drawn is the number of pairs that G(n, m) draws.
func (e ErdosRenyi) drawn() int64 { return min(e.M, int64(pairs(e.N))-e.M) }

// exactly makes G(n, m).
func (e ErdosRenyi) exactly(w *work) (*csr.Graph, error) {
	r, set := newRandom(e.Seed), csr.NewEdgeSet(e.drawn(), false)
	complement := e.drawn() < e.M
	edges := make([]csr.Edge, 0, e.M)
	for drawn := int64(0); drawn < e.drawn(); {
		pair := csr.Edge{U: uint32(r.below(uint64(e.N))), V: uint32(r.below(uint64(e.N)))}
		if pair.U != pair.V && set.Add(pair) {
			drawn++
			if !complement {
				edges = append(edges, pair)
			}
		}
		if err := w.add(2, int64(len(edges))); err != nil {
			return nil, err
		}
	}
	if complement {
		for v := range uint32(e.N) {
			for u := range v {
				if pair := (csr.Edge{U: u, V: v}); !set.Has(pair) {
					edges = append(edges, pair)
				}
				if err := w.add(1, int64(len(edges))); err != nil {
					return nil, err
				}
			}
		}
	}
	return fromEdges(w, e.N, edges)
}
