package generate

import (
	"context"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// PreferentialAttachment is the model of Barabási and Albert ("Emergence of
// Scaling in Random Networks", Science 1999): vertices arrive one by one, and
// each attaches to M different earlier vertices, drawn with probability
// proportional to their degree. Its degrees follow a power law of exponent 3.
//
// The paper leaves the start open. Here it is a clique of M+1 vertices, so that
// every vertex has degree M or more and the graph is connected. It has
// M·(N−M−1) + M·(M+1)/2 edges: with N = 2000 and M = 10 the 19,945 of the sample
// that the authors of DP-Spectral published, and with N = 10,000 and M = 20 the
// 199,790 of which the 399,580 arcs in their paper's table of data sets are twice.
type PreferentialAttachment struct {
	N    int    // vertices, numbered in the order of their arrival
	M    int    // edges that each new vertex brings, at least 1 and below N
	Seed uint64 // the same seed gives the same graph on every machine
}

var _ Model = PreferentialAttachment{}

// Validate reports all faults at once. Each is an *OptionError.
func (p PreferentialAttachment) Validate() error {
	f := faults{model: "preferential attachment"}
	f.check(p.M >= 1, "m", p.M, "at least 1")
	if f.vertices(p.N, 2) && p.M >= p.N {
		f.add("m", "", p.M, "below n (%d)", p.N)
	}
	if len(f.list) == 0 {
		f.edges(p.edges())
	}
	return f.err()
}

// edges is in floating point, since the product can overflow an integer.
func (p PreferentialAttachment) edges() float64 {
	n, m := float64(p.N), float64(p.M)
	return m*(n-m-1) + m*(m+1)/2
}

// Bytes is the memory that Generate takes, see [Model].
func (p PreferentialAttachment) Bytes() int64 { return bytesOf(p.N, p.edges(), 20, 12) }

// Generate makes the graph in expected O(N·M log M) time.
func (p PreferentialAttachment) Generate(ctx context.Context, progress Progress) (*csr.Graph, error) {
	return grown(ctx, progress, "preferential attachment", p, 2*int64(p.N), func(w *work) (*csr.Graph, error) {
		attached, err := p.attach(w)
		if err != nil {
			return nil, err
		}
		return fromEarlier(w, p.N, p.earlier(attached))
	})
}

// attach draws the M targets of every vertex after the clique, ascending: those
// of vertex M+1+i are attached[i*M:(i+1)*M].
//
// A vertex is drawn in proportion to its degree by drawing an end point of a
// random edge (the "repeated targets" of Batagelj and Brandes, "Efficient
// generation of large random networks", 2005). Only the targets need an array:
// the sources follow from the position.
func (p PreferentialAttachment) attach(w *work) ([]uint32, error) {
	m := uint64(p.M)
	cliqueEnds := m * (m + 1)
	attached := vec.Zeros[uint32](int((uint64(p.N) - m - 1) * m))
	drawn := vec.Zeros[uint32](p.N) // drawn[t] == v: v has already drawn t
	random := newRandom(p.Seed)
	for v := m + 1; v < uint64(p.N); v++ {
		first := (v - m - 1) * m // edges attached before v arrived
		targets := attached[first : first+m]
		for i := range targets {
			for {
				if err := w.add(1, int64(v)); err != nil {
					return nil, err
				}
				t := p.endPoint(attached, random.below(cliqueEnds+2*first))
				if drawn[t] != uint32(v) {
					drawn[t], targets[i] = uint32(v), t
					break
				}
			}
		}
		slices.Sort(targets)
	}
	return attached, nil
}

// endPoint returns end point number e of the edges so far: first those of the
// clique, where each vertex has M of them, then two of each attached edge.
func (p PreferentialAttachment) endPoint(attached []uint32, e uint64) uint32 {
	m := uint64(p.M)
	cliqueEnds := m * (m + 1)
	if e < cliqueEnds {
		return uint32(e / m)
	}
	e -= cliqueEnds
	if e%2 == 0 {
		return attached[e/2]
	}
	return uint32(m + 1 + e/2/m)
}

// earlier returns the earlier neighbours of a vertex: the targets that it has
// drawn or, in the clique, all that came before.
func (p PreferentialAttachment) earlier(attached []uint32) func(v int) []uint32 {
	clique := make([]uint32, p.M)
	for v := range clique {
		clique[v] = uint32(v)
	}
	return func(v int) []uint32 {
		if v <= p.M {
			return clique[:v]
		}
		return attached[(v-p.M-1)*p.M:][:p.M]
	}
}
