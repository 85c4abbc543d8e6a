package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// remains are what is left of a damaged graph: the vertices whose keys are known,
// numbered in the order of their slots, and the edges between them.
type remains struct {
	slots  []uint32          // of the vertices, ascending
	keys   []string          // of the vertices
	vertex map[uint32]uint32 // by slot
	graph  *csr.Graph
	values []*Column

	names      []string // embeddings of the graph
	embeddings []oldEmbedding
}

// oldEmbedding is an embedding of a damaged graph, with the rows of the vertices
// that are left.
type oldEmbedding struct {
	info EmbeddingInfo
	rows *vec.Matrix
	why  string // it cannot be kept
}

// remainsOf collects what is left of a graph object, all of whose records have
// right checksums. r may be nil.
func (t *tx) remainsOf(object uint64, r *graphRecord) (*remains, error) {
	left := &remains{vertex: make(map[uint32]uint32), graph: &csr.Graph{Offsets: []int64{0}}}
	if object == 0 {
		return left, nil
	}
	if err := left.readKeys(t, object); err != nil {
		return nil, err
	}
	if err := left.readEdges(t, object); err != nil {
		return nil, err
	}
	if r != nil {
		return left, left.readValues(t, r)
	}
	return left, nil
}

// eachPayload calls f with the records of a part, if there is one. What f finds
// wrong with a record ends the reading of this record only.
func (t *tx) eachPayload(object uint64, name []byte, f func(key, payload []byte) error) error {
	p, found, err := t.findPart(object, name)
	if err != nil || !found {
		return err
	}
	return t.scan(p, func(key, payload []byte) error {
		_ = f(key, payload) // only hostile records have a right checksum and wrong content
		return nil
	})
}

// readKeys reads the keys from both lists. Where they contradict each other,
// which takes a hostile file, the first one counts.
func (left *remains) readKeys(t *tx, object uint64) error {
	bySlot, byKey := make(map[uint32]string), make(map[string]uint32)
	add := func(slot uint32, key []byte) error {
		if _, known := bySlot[slot]; known || len(key) == 0 {
			return nil
		}
		if _, taken := byKey[string(key)]; !taken {
			text := string(key)
			bySlot[slot], byKey[text] = text, slot
		}
		return nil
	}
	err := t.eachPayload(object, keysName, func(first, payload []byte) error { return eachKey(first, payload, add) })
	if err != nil {
		return err
	}
	err = t.eachPayload(object, idsName, func(first, payload []byte) error {
		return decodeIDs(first, payload, func(key []byte, slot uint32) error { return add(slot, key) })
	})
	if err != nil {
		return err
	}
	for slot := range bySlot {
		left.slots = append(left.slots, slot)
	}
	slices.Sort(left.slots)
	left.keys = make([]string, len(left.slots))
	for v, slot := range left.slots {
		left.keys[v] = bySlot[slot]
		left.vertex[slot] = uint32(v)
	}
	return nil
}

// readEdges reads every edge of which one direction is left and both ends are
// known.
func (left *remains) readEdges(t *tx, object uint64) error {
	var arcs []arcValue
	block := make([]arcValue, 0, maxBlockArcs)
	err := t.eachPayload(object, arcsName, func(key, payload []byte) error {
		found, err := decodeArcValues(block[:0], key, payload)
		if err != nil {
			return err
		}
		for _, a := range found {
			u, knownU := left.vertex[a.arc.source()]
			v, knownV := left.vertex[a.arc.target()]
			if knownU && knownV {
				a.arc = newArc(min(u, v), max(u, v))
				arcs = append(arcs, a)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if arcs, err = sortedArcs(t.ctx, arcs); err != nil {
		return err
	}
	for _, a := range arcs {
		a.arc = a.arc.reverse()
		arcs = append(arcs, a)
	}
	if arcs, err = sortedArcs(t.ctx, arcs); err != nil {
		return err
	}
	left.graph = graphOf(len(left.slots), arcs)
	return nil
}

// sortedArcs sorts arcs and keeps the first of equal ones.
func sortedArcs(ctx context.Context, arcs []arcValue) ([]arcValue, error) {
	sorted, err := mergeSort(ctx, arcs, arcValue.compare)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	return slices.CompactFunc(sorted, func(a, b arcValue) bool { return a.arc == b.arc }), nil
}

// graphOf makes the graph of n vertices that has the given arcs, ascending and
// in both directions.
func graphOf(n int, arcs []arcValue) *csr.Graph {
	g := &csr.Graph{Offsets: make([]int64, n+1), Targets: make([]uint32, len(arcs)), Weights: make([]float32, len(arcs)), Times: make([]int64, len(arcs))}
	weighted, timed := false, false
	for i, a := range arcs {
		g.Offsets[a.arc.source()+1]++
		g.Targets[i], g.Weights[i], g.Times[i] = a.arc.target(), a.weight, a.time
		weighted, timed = weighted || a.weight != 1, timed || a.time != csr.NoTime
	}
	for v := range n {
		g.Offsets[v+1] += g.Offsets[v]
	}
	if !weighted {
		g.Weights = nil
	}
	if !timed {
		g.Times = nil
	}
	return g
}

// readValues reads what is left of the attributes.
func (left *remains) readValues(t *tx, r *graphRecord) error {
	byID := make(map[uint16]*Column)
	names := make(map[string]bool)
	for _, a := range r.Attributes {
		if a.attribute().check() == nil && byID[a.ID] == nil && !names[a.Name] {
			column := NewColumn(a.attribute(), len(left.slots))
			byID[a.ID], names[a.Name] = column, true
			left.values = append(left.values, column)
		}
	}
	return t.eachPayload(r.Object, attrsName, func(key, payload []byte) error {
		if len(key) != attrKeySize || byID[binary.BigEndian.Uint16(key)] == nil {
			return nil
		}
		column := byID[binary.BigEndian.Uint16(key)]
		return decodeValues(column.Type, key, payload, func(slot uint32, v Value) error {
			if vertex, known := left.vertex[slot]; known {
				v.text = strings.Clone(v.text)
				return column.Set(vertex, v)
			}
			return nil
		})
	})
}

// attributesLost says how many values of attributes are missing.
func (left *remains) attributesLost(r *graphRecord) string {
	was, is := uint64(0), 0
	for _, a := range r.Attributes {
		was += a.Values
	}
	for _, c := range left.values {
		is += c.Count()
	}
	if was == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d of %d values of attributes", is, was)
}

// readEmbeddings reads the embeddings of a damaged graph. Only those of its last
// version are kept: the rows of the others cannot be told from each other in
// the rebuilt graph.
func (left *remains) readEmbeddings(t *tx, r *graphRecord, faulty func(where string) bool) error {
	return t.each(embeddingsName, func(key, record []byte) error {
		var e embeddingRecord
		if err := decodeStruct(seedOf(embeddingsName), key, record, &e); err != nil {
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
		old := oldEmbedding{info: e.info(name, slotMap{})}
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
func (left *remains) readRows(t *tx, e *embeddingRecord, old *oldEmbedding) error {
	damaged := func(err error) error {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		old.why = reason(err)
		return nil
	}
	if err := e.validate(t.size()); err != nil {
		return damaged(err)
	}
	slots, err := t.embeddingSlots(e)
	if err != nil {
		return damaged(err)
	}
	m, err := t.readRows(e)
	if err != nil {
		return damaged(err)
	}
	old.rows = vec.NewMatrix(len(left.slots), m.Dim)
	for v, slot := range left.slots {
		row, found := slots.vertex(slot)
		if !found || int(row) >= m.Rows {
			old.why = "has no rows for some vertices of its graph"
			return nil
		}
		copy(old.rows.Row(v), m.Row(int(row)))
	}
	return nil
}

// store writes the graph as a new one and returns its version.
func (left *remains) store(ctx context.Context, db *DB, name, source string) (version uint64, err error) {
	info, err := db.PutGraph(ctx, name, PutGraphRequest{Graph: left.graph, Keys: func(v uint32) string { return left.keys[v] }, Source: source})
	if err != nil {
		return 0, err
	}
	version = info.Version
	const batch = 1 << 15
	for from := 0; from < len(left.keys) && len(left.values) > 0; from += batch {
		var vertices []Vertex
		for v := from; v < min(from+batch, len(left.keys)); v++ {
			vertex := Vertex{Key: left.keys[v]}
			for _, c := range left.values {
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
