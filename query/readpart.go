package query

import (
	"errors"
	"slices"

	"heavytail/embedding/link"
	"heavytail/query/internal/session"
	"heavytail/query/internal/where"
	"heavytail/storage"
)

// This file decides what statements about few vertices read in the file in place of loading the
// graph; session.Call.ReadPart says when that pays. The statements then work on the part as they
// do on the whole graph.

// readScored reads what scorers need for pairs, unless a scorer reads more of the graph than the
// rows of some vertices. also, which may be nil, reads more for the pair.
func (c *call) readScored(found *scorerEntries, pairs []Pair, also func(p *storage.GraphPart, u, v uint32) error) error {
	if slices.ContainsFunc(found.scorers, func(s scorerEntry) bool { return s.Model != "" || !link.ReadsRows(s.Name) }) {
		return nil
	}
	var ends []uint32
	err := c.ReadPart(found.graph, nil, func(v *storage.GraphView, p *storage.GraphPart) error {
		for _, pair := range pairs {
			a, foundA, err := vertexIn(v, pair.Source)
			if err != nil {
				return err
			}
			b, foundB, err := vertexIn(v, pair.Target)
			if err != nil {
				return err
			}
			if !foundA || !foundB {
				continue
			}
			p.Name(a, b)
			ends = append(ends, a, b)
			for _, s := range found.scorers {
				if err := link.ReadPair(p, s.Name, a, b); err != nil {
					return err
				}
			}
			if also != nil {
				if err := also(p, a, b); err != nil {
					return err
				}
			}
		}
		return nil
	})
	g := c.Graphs[found.graph.Name]
	if err != nil || g == nil || g.Vertices == nil {
		return err
	}
	for i, u := range ends {
		at, _ := slices.BinarySearch(g.Vertices, u)
		ends[i] = uint32(at)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for _, e := range found.embeddings() {
		if err := c.ReadRows(*e, ends); err != nil {
			return err
		}
	}
	return nil
}

// vertexIn returns the number of a vertex, and whether there is one of this key.
func vertexIn(v *storage.GraphView, key string) (uint32, bool, error) {
	u, err := v.Vertex(key)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, false, nil
	}
	return u, err == nil, err
}

// readNeighbors reads what SHOW NEIGHBORS needs.
func (c *call) readNeighbors(req NeighborsRequest, graph storage.GraphInfo) error {
	return c.ReadPart(graph, req.Attributes, func(v *storage.GraphView, p *storage.GraphPart) error {
		vertex, err := v.Vertex(req.Vertex)
		if err != nil {
			return err
		}
		return p.ReadAround(vertex, max(1, req.Within))
	})
}

// readVertices reads what SHOW VERTICES with a limit and without an order needs: the first
// vertices, until enough of them meet the condition.
func (c *call) readVertices(req VerticesRequest, graph storage.GraphInfo) error {
	if req.Limit == 0 || req.OrderBy != "" {
		return nil
	}
	names := req.attributes()
	return c.ReadPart(graph, names, func(v *storage.GraphView, p *storage.GraphPart) error {
		for next, size := 0, max(req.Limit, 16); ; size *= 2 {
			for ; next < min(size, graph.Vertices); next++ {
				if err := p.Read(uint32(next)); err != nil {
					return err
				}
			}
			if req.Where == nil || next == graph.Vertices {
				return nil
			}
			s, columns, _, err := p.Snapshot(names)
			if err != nil {
				return err
			}
			g, set, found := &session.Graph{Snapshot: s}, &session.ColumnSet{Names: names, Columns: columns}, 0
			for u := range uint32(next) {
				if req.Where(where.NewCandidate(g, set, u, false)) {
					found++
				}
			}
			if found >= req.Limit {
				return nil
			}
		}
	})
}

// readEdges reads what SHOW EDGES with a limit and without a condition or an order needs: the
// edges of the first vertices.
func (c *call) readEdges(req EdgesRequest, graph storage.GraphInfo) error {
	if req.Limit == 0 || req.OrderBy != "" || req.Where != nil {
		return nil
	}
	return c.ReadPart(graph, req.attributes(), func(v *storage.GraphView, p *storage.GraphPart) error {
		left := req.Limit
		for u := uint32(0); left > 0 && int(u) < graph.Vertices; u++ {
			if err := p.Read(u); err != nil {
				return err
			}
			row := p.Neighbors(u)
			first, _ := slices.BinarySearch(row, u)
			targets := row[first:][:min(left, len(row)-first)]
			p.Name(targets...)
			if slices.Contains(req.Columns, "degree") {
				if err := p.Read(targets...); err != nil {
					return err
				}
			}
			left -= len(targets)
		}
		return nil
	})
}
