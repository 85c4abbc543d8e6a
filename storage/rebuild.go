package storage

import (
	"context"
	"fmt"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/rescue"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// rebuilt is a damaged graph, rebuilt from its remains, with its embeddings.
type rebuilt struct {
	*rescue.Remains
	names      []string // embeddings of the graph
	embeddings []oldEmbedding
}

// oldEmbedding is an embedding of a damaged graph, with the rows of the vertices
// that are left.
type oldEmbedding struct {
	info EmbeddingInfo
	rows *vec.Matrix
	why  string // why it cannot be kept; "" if it can
}

// salvaged reads the records of a store that has been salvaged.
type salvaged struct{ t *tree.Tx }

func (s salvaged) Each(object uint64, name []byte, f func(key, payload []byte) error) error {
	p, found, err := s.t.FindPart(object, name)
	if err != nil || !found {
		return err
	}
	return s.t.Scan(p, func(key, payload []byte) error {
		_ = f(key, payload) // only hostile records have a right checksum and wrong content
		return nil
	})
}

// remainsOf collects what is left of a graph object; r may be nil.
func remainsOf(t *tree.Tx, object uint64, r *graphs.Record) (*rebuilt, error) {
	var attributes []rescue.Attribute
	if r != nil {
		for _, a := range r.Attributes {
			attributes = append(attributes, rescue.Attribute{Attribute: a.Attribute(), ID: a.ID})
		}
	}
	left, err := rescue.RemainsOf(t.Ctx, salvaged{t}, object, attributes)
	return &rebuilt{Remains: left}, err
}

// attributesLost says how many values of attributes are missing.
func (left *rebuilt) attributesLost(r *graphs.Record) string {
	was, is := uint64(0), 0
	for _, a := range r.Attributes {
		was += a.Values
	}
	for _, c := range left.Values {
		is += c.Count()
	}
	if was == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d of %d values of attributes", is, was)
}

// readEmbeddings reads the embeddings of a damaged graph. Only those of its last
// version are kept: the rows of different versions cannot be distinguished in
// the rebuilt graph.
func (left *rebuilt) readEmbeddings(t *tree.Tx, r *graphs.Record) error {
	return t.Each(block.EmbeddingsName, func(key, record []byte) error {
		var e embeddingRecord
		if err := block.DecodeStruct(block.EmbeddingsName, key, record, &e); err != nil {
			return err
		}
		if e.GraphID != r.ID {
			return nil
		}
		name := string(key)
		left.names = append(left.names, name)
		if e.Past {
			return nil
		}
		e.name = name
		old := oldEmbedding{info: e.info(block.SlotMap{})}
		switch {
		case e.GraphVersion != r.Version:
			old.why = "was made from an older version of a graph that had to be rebuilt"
		default:
			if err := left.readRows(t, &e, &old); err != nil {
				return err
			}
		}
		left.embeddings = append(left.embeddings, old)
		return nil
	})
}

// readRows reads an embedding and keeps the rows of the vertices that are left.
func (left *rebuilt) readRows(t *tree.Tx, e *embeddingRecord, old *oldEmbedding) error {
	damaged := func(err error) error {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		old.why = fault.Reason(err)
		return nil
	}
	if err := e.validate(graphs.Size(t)); err != nil {
		return damaged(err)
	}
	slots, err := embeddingSlots(t, e)
	if err != nil {
		return damaged(err)
	}
	m, err := readRows(t, e)
	if err != nil {
		return damaged(err)
	}
	old.rows = vec.NewMatrix(len(left.Slots), m.Dim)
	for v, slot := range left.Slots {
		row, found := slots.Vertex(slot)
		if !found || int(row) >= m.Rows {
			old.why = "has no rows for some vertices of its graph"
			return nil
		}
		copy(old.rows.Row(v), m.Row(int(row)))
	}
	return nil
}

// store writes the graph as a new one and returns its version.
func (left *rebuilt) store(ctx context.Context, db *DB, name, source string) (version uint64, err error) {
	info, err := db.PutGraph(ctx, name, PutGraphRequest{Graph: left.Graph, Keys: func(v uint32) string { return left.Keys[v] }, Source: source})
	if err != nil {
		return 0, err
	}
	version = info.Version
	const batch = 1 << 15
	for from := 0; from < len(left.Keys) && len(left.Values) > 0; from += batch {
		var vertices []Vertex
		for v := from; v < min(from+batch, len(left.Keys)); v++ {
			vertex := Vertex{Key: left.Keys[v]}
			for _, c := range left.Values {
				if !c.IsMissing(uint32(v)) {
					vertex.Values = append(vertex.Values, NamedValue{Name: c.Name, Value: c.At(uint32(v))})
				}
			}
			if len(vertex.Values) > 0 {
				vertices = append(vertices, vertex)
			}
		}
		err := db.Update(ctx, func(x *Tx) error {
			stats, err := x.InsertVertices(name, vertices)
			if stats.Version > 0 {
				version = stats.Version
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return version, nil
}
