package csr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"heavytail/storage/vec"
)

// ErrInvalid is wrapped by every error of Validate.
var ErrInvalid = errors.New("invalid graph")

// Graph is an immutable simple undirected graph of n vertices, numbered from 0
// to n-1, in compressed sparse rows. Every edge {u, v} appears twice, as v in
// the row of u and as u in the row of v. Rows are strictly ascending; there are
// no self-loops and no parallel edges. Both entries of an edge have its weight,
// which is finite and positive, and its timestamp. It takes 8 bytes per vertex
// and 8 bytes per edge, 8 more per edge with weights and 16 more with
// timestamps. It is safe for concurrent use.
type Graph struct {
	Offsets []int64   // len n+1; row v is Targets[Offsets[v]:Offsets[v+1]]
	Targets []uint32  // neighbours, ascending within a row
	Weights []float32 // weight of each entry of Targets; nil where all are 1
	Times   []int64   // timestamp of each entry of Targets, NoTime where an edge has none; nil where none has one
}

// NoTime is the time, in Times, of an edge without a timestamp.
const NoTime = math.MinInt64

// Edge is one undirected edge between two vertices, in either order.
type Edge struct{ U, V uint32 }

// Vertices returns n.
func (g *Graph) Vertices() int {
	if len(g.Offsets) == 0 {
		return 0
	}
	return len(g.Offsets) - 1
}

// Edges returns the number of undirected edges.
func (g *Graph) Edges() int64 { return int64(len(g.Targets)) / 2 }

// Degree returns the number of neighbours of v.
func (g *Graph) Degree(v uint32) int { return int(g.Offsets[v+1] - g.Offsets[v]) }

// Neighbors returns the neighbours of v in ascending order. The slice aliases
// the graph and must not be written.
func (g *Graph) Neighbors(v uint32) []uint32 {
	lo, hi := g.Offsets[v], g.Offsets[v+1]
	return g.Targets[lo:hi:hi]
}

// Weighted reports whether the graph has weights; without them each is 1.
func (g *Graph) Weighted() bool { return g.Weights != nil }

// WithoutEqualWeights returns the graph, or, if all weights are equal, its structure without
// weights and times: equal weights change no embedding, and products with the adjacency matrix are
// faster without them. The slices alias those of g.
func (g *Graph) WithoutEqualWeights() *Graph {
	for _, w := range g.Weights {
		if w != g.Weights[0] {
			return g
		}
	}
	return &Graph{Offsets: g.Offsets, Targets: g.Targets}
}

// WeightsOf returns the weights of the edges of v, in the order of Neighbors,
// or nil where the graph has none. The slice aliases the graph and must not be
// written.
func (g *Graph) WeightsOf(v uint32) []float32 {
	if g.Weights == nil {
		return nil
	}
	lo, hi := g.Offsets[v], g.Offsets[v+1]
	return g.Weights[lo:hi:hi]
}

// HasEdge reports whether u and v are adjacent. It takes O(log d), d the
// smaller of the two degrees.
func (g *Graph) HasEdge(u, v uint32) bool {
	if g.Degree(u) > g.Degree(v) {
		u, v = v, u
	}
	_, found := g.find(u, v)
	return found
}

// FirstCommon returns the first common element of two ascending lists, such as the first common neighbour of
// two vertices. It takes O(log l) for each element of the shorter list, l the length of the longer one.
func FirstCommon(a, b []uint32) (element uint32, found bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, v := range a {
		at, found := slices.BinarySearch(b, v)
		if found {
			return v, true
		}
		b = b[at:]
	}
	return 0, false
}

// find returns the index of v in the row of u, as an index of Targets.
func (g *Graph) find(u, v uint32) (at int64, found bool) {
	row := g.Neighbors(u)
	i := sort.Search(len(row), func(i int) bool { return row[i] >= v })
	return g.Offsets[u] + int64(i), i < len(row) && row[i] == v
}

// FromEdges builds the graph of n vertices that has the given edges in any
// order. Self-loops and repeated edges (in either direction) are dropped. An
// end point of n or above is an error. It takes O(n + m) time and the sort of
// each row, and 16 bytes per edge of working memory.
func FromEdges(n int, edges []Edge) (*Graph, error) {
	return FromEdgesContext(context.Background(), n, edges)
}

// FromEdgesContext is [FromEdges] that stops within some milliseconds when ctx is done, and then
// returns ctx.Err().
func FromEdgesContext(ctx context.Context, n int, edges []Edge) (*Graph, error) {
	const piece = 1 << 16 // edges, or the vertices of rows, between two looks at ctx
	offsets := vec.Zeros[int64](n + 1)
	for part := range slices.Chunk(edges, piece) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, e := range part {
			if int(e.U) >= n || int(e.V) >= n {
				return nil, fmt.Errorf("edge (%d, %d) in a graph of %d vertices: %w", e.U, e.V, n, ErrInvalid)
			}
			if e.U != e.V {
				offsets[e.U+1]++
				offsets[e.V+1]++
			}
		}
	}
	for v := range n {
		offsets[v+1] += offsets[v]
	}
	// Two counting passes sort the rows: arcs enter by ascending source, so
	// that every row is filled in ascending order of its targets.
	targets := vec.Zeros[uint32](int(offsets[n]))
	next := append([]int64(nil), offsets[:n]...)
	for part := range slices.Chunk(edges, piece) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, e := range part {
			if e.U != e.V {
				targets[next[e.U]] = e.V
				next[e.U]++
				targets[next[e.V]] = e.U
				next[e.V]++
			}
		}
	}
	sorted := vec.Zeros[uint32](len(targets))
	copy(next, offsets[:n])
	for u := range n {
		if u%(piece/16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, v := range targets[offsets[u]:offsets[u+1]] {
			sorted[next[v]] = uint32(u)
			next[v]++
		}
	}
	return compact(offsets, sorted), nil
}

// FromSorted is the graph of n vertices that has the given edges, which must be distinct,
// ascending and each from its smaller end, with their weights and timestamps where these are not
// nil.
func FromSorted(n int, edges []Edge, weights []float32, times []int64) *Graph {
	g := &Graph{Offsets: make([]int64, n+1), Targets: make([]uint32, 2*len(edges))}
	if weights != nil {
		g.Weights = make([]float32, len(g.Targets))
	}
	if times != nil {
		g.Times = make([]int64, len(g.Targets))
	}
	for _, e := range edges {
		g.Offsets[e.U+1]++
		g.Offsets[e.V+1]++
	}
	for v := range n {
		g.Offsets[v+1] += g.Offsets[v]
	}
	next := slices.Clone(g.Offsets[:n])
	for i, e := range edges {
		for _, half := range [2]Edge{{U: e.V, V: e.U}, e} {
			at := next[half.U]
			next[half.U]++
			g.Targets[at] = half.V
			if weights != nil {
				g.Weights[at] = weights[i]
			}
			if times != nil {
				g.Times[at] = times[i]
			}
		}
	}
	return g
}

// compact removes repeated targets from sorted rows, in place.
func compact(offsets []int64, targets []uint32) *Graph {
	out, lo := int64(0), int64(0)
	for v := range len(offsets) - 1 {
		hi := offsets[v+1]
		start := out
		for i := lo; i < hi; i++ {
			if out > start && targets[out-1] == targets[i] {
				continue
			}
			targets[out] = targets[i]
			out++
		}
		offsets[v+1], lo = out, hi
	}
	return &Graph{Offsets: offsets, Targets: targets[:out:out]}
}

// Validate checks everything that Graph says and reports the first fault.
// It takes O(m log d).
func (g *Graph) Validate() error {
	if err := g.validateShape(); err != nil {
		return err
	}
	for v := range g.Vertices() {
		if err := g.validateRow(uint32(v)); err != nil {
			return err
		}
	}
	return nil
}

// validateShape checks the lengths of the lists and the offsets.
func (g *Graph) validateShape() error {
	n := g.Vertices()
	if n == 0 && len(g.Targets) > 0 {
		return fmt.Errorf("%w: targets without vertices", ErrInvalid)
	}
	if g.Weights != nil && len(g.Weights) != len(g.Targets) {
		return fmt.Errorf("%w: %d weights for %d targets", ErrInvalid, len(g.Weights), len(g.Targets))
	}
	if g.Times != nil && len(g.Times) != len(g.Targets) {
		return fmt.Errorf("%w: %d timestamps for %d targets", ErrInvalid, len(g.Times), len(g.Targets))
	}
	if n > 0 && (g.Offsets[0] != 0 || g.Offsets[n] != int64(len(g.Targets))) {
		return fmt.Errorf("%w: offsets do not span the targets", ErrInvalid)
	}
	for v := range n {
		if g.Offsets[v] > g.Offsets[v+1] || g.Offsets[v+1] > int64(len(g.Targets)) {
			return fmt.Errorf("%w: offsets of vertex %d", ErrInvalid, v)
		}
	}
	return nil
}

// validateRow checks the edges of v. The shape of the graph is valid.
func (g *Graph) validateRow(v uint32) error {
	n := g.Vertices()
	row := g.Neighbors(v)
	for i, u := range row {
		switch {
		case int(u) >= n:
			return fmt.Errorf("%w: vertex %d has neighbour %d of %d", ErrInvalid, v, u, n)
		case u == v:
			return fmt.Errorf("%w: self-loop at vertex %d", ErrInvalid, v)
		case i > 0 && row[i-1] >= u:
			return fmt.Errorf("%w: neighbours of vertex %d are not ascending", ErrInvalid, v)
		}
		back, found := g.find(u, v)
		if !found {
			return fmt.Errorf("%w: edge (%d, %d) has no reverse", ErrInvalid, v, u)
		}
		at := g.Offsets[v] + int64(i)
		if g.Weights != nil {
			// The comparison is false for NaN as well.
			if w := g.Weights[at]; !(w > 0 && w <= math.MaxFloat32) {
				return fmt.Errorf("%w: edge (%d, %d) has weight %v", ErrInvalid, v, u, w)
			}
			if g.Weights[at] != g.Weights[back] {
				return fmt.Errorf("%w: edge (%d, %d) has two weights", ErrInvalid, v, u)
			}
		}
		if g.Times != nil && g.Times[at] != g.Times[back] {
			return fmt.Errorf("%w: edge (%d, %d) has two timestamps", ErrInvalid, v, u)
		}
	}
	return nil
}
