package query

import (
	"errors"
	"slices"

	"heavytail/embedding/link"
	"heavytail/storage"
)

// readScored reads what scorers need for pairs, unless a scorer reads more of the graph than the
// rows of some vertices. also, which may be nil, reads more for the pair.
func (c *call) readScored(found *scorerEntries, pairs []Pair, also func(p *storage.GraphPart, u, v uint32) error) error {
	if !found.readsPart() {
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
