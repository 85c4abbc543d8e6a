package evaluate

import (
	"context"
	"fmt"
	"slices"

	"heavytail/embedding/link"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file holds out edges of directed graphs. A pair is then ordered: it is the source and the target of
// an edge, or of one that the graph does not have.

// edgeRows are the edges of an undirected graph, or with arcs those of a directed graph by their sources.
type edgeRows struct {
	*csr.Graph
	arcs bool
}

// Edges returns the number of edges.
func (g edgeRows) Edges() int64 {
	if g.arcs {
		return int64(len(g.Targets))
	}
	return g.Graph.Edges()
}

// HasEdge reports whether there is an edge between u and v, or with arcs one from u to v.
func (g edgeRows) HasEdge(u, v uint32) bool {
	if !g.arcs {
		return g.Graph.HasEdge(u, v)
	}
	_, found := slices.BinarySearch(g.Neighbors(u), v)
	return found
}

// of returns the rows of a graph with other edges.
func (g edgeRows) of(edges []csr.Edge) (*csr.Graph, error) {
	if !g.arcs {
		return csr.FromEdges(g.Vertices(), edges)
	}
	rows := &csr.Graph{Offsets: make([]int64, g.Vertices()+1), Targets: make([]uint32, len(edges))}
	sorted := slices.Clone(edges)
	slices.SortFunc(sorted, compareEdges)
	for i, e := range sorted {
		rows.Targets[i] = e.V
		rows.Offsets[e.U+1]++
	}
	for u := range g.Vertices() {
		rows.Offsets[u+1] += rows.Offsets[u]
	}
	return rows, nil
}

// pairOf is the form of a pair in lists of non-edges.
func (g edgeRows) pairOf(u, v uint32) csr.Edge {
	if g.arcs {
		return csr.Edge{U: u, V: v}
	}
	return csr.Edge{U: min(u, v), V: max(u, v)}
}

// newPairSet returns an empty set of at most so many pairs.
func newPairSet(g edgeRows, most int64) *csr.EdgeSet {
	if g.arcs {
		return csr.NewArcSet(most)
	}
	return csr.NewEdgeSet(most)
}

// SplitDirected is SplitLinks for a directed graph: it holds out edges with their direction. An edge from u
// to v may be held out while the one from v to u is not. Non-edges are ordered pairs without an edge from
// the first vertex to the second; the way back of an edge is one of them, unless it is an edge, too. Pairs keep their order:
// SplitOptions.Ascending has no effect. Connected holds out no edge between two vertices that a spanning forest of the
// undirected view joins, so that this view keeps its components. Sides are ErrOption.
func SplitDirected(ctx context.Context, d *csr.Directed, opts SplitOptions) (*LinkSplit, error) {
	if opts.Sides != nil {
		return nil, fmt.Errorf("sides of a directed graph: %w", ErrOption)
	}
	opts.Ascending = true
	s, rest, err := splitEdges(ctx, edgeRows{(*csr.Graph)(&d.Out), true}, d.Undirected, opts)
	if err != nil {
		return nil, err
	}
	s.Directed = csr.NewDirected(csr.Rows(*rest.Graph))
	s.Graph = s.Directed.Undirected()
	return s, nil
}

// Held returns the rows of the held-out edges, of a directed graph by their sources.
func (s *LinkSplit) Held() (*csr.Graph, error) { return s.rows().of(s.Edges) }

// rows are the edges of what is left of the graph.
func (s *LinkSplit) rows() edgeRows {
	if s.Directed != nil {
		return edgeRows{(*csr.Graph)(&s.Directed.Out), true}
	}
	return edgeRows{s.Graph, false}
}

// predictor finds the likeliest links of what is left of the graph, along its edges if it is directed.
func (s *LinkSplit) predictor(scoring link.Scoring) *link.Predictor {
	if s.Directed != nil {
		return link.NewPredictorAlong(s.Directed, scoring, link.PredictOptions{})
	}
	return link.NewPredictor(s.Graph, scoring, link.PredictOptions{Sides: s.Sides})
}

// WayBack counts the pairs of a list whose way back is an edge of what is left of a directed graph. For
// held-out edges these are the edges of which an undirected view shows that the vertices are linked, and for non-edges those that
// only the direction excludes, apart from ways back of held-out edges.
func (s *LinkSplit) WayBack(pairs []csr.Edge) int {
	n := 0
	for _, e := range pairs {
		if s.Directed != nil && s.rows().HasEdge(e.V, e.U) {
			n++
		}
	}
	return n
}

// WithDirected is With for a split of SplitDirected. DegreeNegatives are from the source of one held-out edge to the
// target of another; TwoHopNegatives are pairs that two edges lead from and to, one after the other.
func (s *LinkSplit) WithDirected(ctx context.Context, d *csr.Directed, kind Negatives, opts SplitOptions) (*LinkSplit, error) {
	opts.Ascending = true
	return s.with(ctx, edgeRows{(*csr.Graph)(&d.Out), true}, kind, opts)
}

// score is link.New for what is left of the graph, along its edges if it is directed.
func (s *LinkSplit) score(name string, m *vec.Matrix) (func(u, v uint32) float64, error) {
	if s.Directed != nil {
		return link.NewAlong(name, s.Directed, m)
	}
	return link.New(name, s.Graph, m)
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
