package evaluate

import (
	"context"
	"fmt"

	"heavytail/embedding/link"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file holds out edges of directed graphs. A pair is then ordered: it is the source and the target of
// an edge, or of one that the graph does not have.

// SplitDirected is SplitLinks for a directed graph: it holds out edges with their direction. An edge from u
// to v may be held out while the one from v to u is not. Non-edges are ordered pairs without an edge from
// the first vertex to the second; the way back of an edge is one of them, unless it is an edge, too. Pairs
// keep their order: SplitOptions.Ascending has no effect. Connected holds out no edge between two vertices
// that a spanning forest of the undirected view joins, so that this view keeps its components. Sides are
// ErrOption.
func SplitDirected(ctx context.Context, d *csr.Directed, opts SplitOptions) (*LinkSplit, error) {
	if opts.Sides != nil {
		return nil, fmt.Errorf("sides of a directed graph: %w", ErrOption)
	}
	opts.Ascending = true
	s, rest, err := splitEdges(ctx, arcRows(d), d.Undirected, opts)
	if err != nil {
		return nil, err
	}
	s.Directed = csr.NewDirected(csr.Rows(*rest.Graph))
	s.Graph = s.Directed.Undirected()
	return s, nil
}

// Held returns the rows of the held-out edges, of a directed graph by their sources.
func (s *LinkSplit) Held() (*csr.Graph, error) { return s.rows().of(s.Edges) }

// predictor finds the likeliest links of what is left of the graph, along its edges if it is directed.
func (s *LinkSplit) predictor(scoring link.Scoring) *link.Predictor {
	if s.Directed != nil {
		return link.NewPredictorAlong(s.Directed, scoring, link.PredictOptions{})
	}
	return link.NewPredictor(s.Graph, scoring, link.PredictOptions{Sides: s.Sides})
}

// WayBack counts the pairs of a list whose way back is an edge of what is left of a directed graph: the
// undirected view joins their vertices.
func (s *LinkSplit) WayBack(pairs []csr.Edge) int {
	n := 0
	for _, e := range pairs {
		if s.Directed != nil && s.rows().HasEdge(e.V, e.U) {
			n++
		}
	}
	return n
}

// WithDirected is With for a split of SplitDirected. DegreeNegatives are from the source of one held-out
// edge to the target of another; in TwoHopNegatives two edges lead from the first vertex to the second.
func (s *LinkSplit) WithDirected(ctx context.Context, d *csr.Directed, kind Negatives, opts SplitOptions) (*LinkSplit, error) {
	opts.Ascending = true
	return s.with(ctx, arcRows(d), kind, opts)
}

// score is link.New for what is left of the graph, along its edges if it is directed.
func (s *LinkSplit) score(name string, m *vec.Matrix) (func(u, v uint32) float64, error) {
	if s.Directed != nil {
		return link.NewAlong(name, s.Directed, m)
	}
	return link.New(name, s.Graph, m)
}
