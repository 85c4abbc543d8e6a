package generate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heavytail/storage/csr"
)

// PreferentialAttachment is the model of Barabási and Albert ("Emergence of
// Scaling in Random Networks", Science 1999): vertices arrive one by one, and
// each attaches to M different earlier vertices, drawn with probability
// proportional to their degree. Its degrees follow a power law of exponent 3.
//
// The paper leaves the start open. Here it is a clique of M+1 vertices, so that
// every vertex has degree M or more and the graph is connected. It has
// M·(N−M−1) + M·(M+1)/2 edges: with N = 2000 and M = 10 the 19,945 of the sample
// that the authors of DP-Spectral published.
type PreferentialAttachment struct {
	N    int    // vertices, numbered in the order of their arrival
	M    int    // edges that each new vertex brings, at least 1 and below N
	Seed uint64 // the same seed gives the same graph on every machine
}

// maxArcs bounds what is asked of memory: 4 bytes for each of the two arcs of
// an edge. 2^36 arcs are 256 GiB; where an int has 32 bits, slices end earlier.
const maxArcs = min(1<<36, math.MaxInt/4)

// Validate reports all faults at once. Each wraps ErrOptions.
func (p PreferentialAttachment) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: preferential attachment: "+format, append([]any{ErrOptions}, args...)...))
	}
	if p.M < 1 {
		fault("m (%d) must be at least 1", p.M)
	}
	if p.N < 2 {
		fault("n (%d) must be at least 2", p.N)
	} else if p.M >= p.N {
		fault("m (%d) must be below n (%d)", p.M, p.N)
	}
	if int64(p.N) > math.MaxUint32 {
		fault("n (%d) exceeds the %d vertices of a graph", p.N, uint32(math.MaxUint32))
	} else if p.M >= 1 && p.M < p.N {
		// In floating point, since the product can overflow an integer.
		n, m := float64(p.N), float64(p.M)
		if edges := m*(n-m-1) + m*(m+1)/2; 2*edges > maxArcs {
			fault("n (%d) and m (%d) ask for %.0f edges, the most are %d", p.N, p.M, edges, int64(maxArcs/2))
		}
	}
	return errors.Join(faults...)
}

// Generate makes the graph. It takes expected O(N·M log M) time, 8 bytes per
// vertex and 8 per edge for the result, and 4 per vertex and 4 per edge of
// working memory. The error is one of Validate or the plain ctx.Err(), wrapped.
func (p PreferentialAttachment) Generate(ctx context.Context) (*csr.Graph, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	attached, err := p.attach(ctx)
	if err != nil {
		return nil, fmt.Errorf("preferential attachment: %w", err)
	}
	g, err := p.rows(ctx, attached)
	if err != nil {
		return nil, fmt.Errorf("preferential attachment: %w", err)
	}
	return g, nil
}

// checkEvery is how many draws or arcs go by between two looks at the context:
// some milliseconds.
const checkEvery = 1 << 16

// attach draws the M targets of every vertex after the clique, ascending: those
// of vertex M+1+i are attached[i*M:(i+1)*M].
//
// A vertex is drawn in proportion to its degree by drawing an end point of a
// random edge (the "repeated targets" of Batagelj and Brandes, "Efficient
// generation of large random networks", 2005). Only the targets need an array:
// the sources follow from the position.
func (p PreferentialAttachment) attach(ctx context.Context) ([]uint32, error) {
	m := uint64(p.M)
	cliqueEnds := m * (m + 1)
	attached := make([]uint32, (uint64(p.N)-m-1)*m)
	drawn := make([]uint32, p.N) // drawn[t] == v: v has already drawn t
	random := newRandom(p.Seed)
	work := 0
	for v := m + 1; v < uint64(p.N); v++ {
		first := (v - m - 1) * m // edges attached before v arrived
		targets := attached[first : first+m]
		for i := range targets {
			for {
				if work++; work%checkEvery == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
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

// rows builds the graph. Vertices arrive in ascending order, so a row is the
// sorted targets of its vertex followed by the later vertices that attached to
// it, in the order of their arrival: no sort and no second copy is needed, as
// they would be from a plain list of edges.
func (p PreferentialAttachment) rows(ctx context.Context, attached []uint32) (*csr.Graph, error) {
	n, m := uint32(p.N), uint32(p.M)
	offsets := make([]int64, p.N+1)
	for v := range n {
		offsets[v+1] = int64(m) // to earlier vertices, or to the rest of the clique
	}
	for _, t := range attached {
		offsets[t+1]++
	}
	for v := range n {
		offsets[v+1] += offsets[v]
	}
	targets := make([]uint32, offsets[n])
	next := slices.Clone(offsets[:n])
	work := 0
	for v := range n {
		if v <= m {
			for u := range m + 1 {
				if u != v {
					targets[next[v]] = u
					next[v]++
				}
			}
			work += p.M
		} else {
			first := int(v-m-1) * p.M
			own := attached[first : first+p.M]
			next[v] += int64(copy(targets[next[v]:], own))
			for _, t := range own {
				targets[next[t]] = v
				next[t]++
			}
			work += 2 * p.M
		}
		if work > checkEvery {
			if work = 0; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	return &csr.Graph{Offsets: offsets, Targets: targets}, nil
}
