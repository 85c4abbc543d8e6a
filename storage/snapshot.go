package storage

import (
	"context"
	"fmt"
	"math"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// Snapshot is one version of a graph in memory, with the keys of its vertices.
// It never changes, is safe for concurrent use and holds no transaction. It
// takes 16 bytes per vertex, 8 per edge, 8 more with weights and 16 more with
// timestamps, the keys, and 4 per vertex that was deleted; the first call of
// Vertex adds 22 to 43 bytes per vertex.
type Snapshot struct {
	Info  GraphInfo
	Graph *csr.Graph

	keys  block.KeySet
	slots block.SlotMap
	index sync.Once
	table block.KeyTable
}

// Snapshot reads the latest version of a graph. Everything is copied out in one
// read transaction, which is closed on return. It takes O(n + m).
func (db *DB) Snapshot(ctx context.Context, graph string) (*Snapshot, error) {
	var s *Snapshot
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err != nil {
			return err
		}
		s, err = t.snapshot(graph, r)
		return err
	})
	return s, err
}

// Key returns the key of vertex v, which must be below Info.Vertices. It
// allocates; AppendKey does not.
func (s *Snapshot) Key(v uint32) string { return string(s.keys.At(v)) }

// AppendKey appends the key of vertex v to dst.
func (s *Snapshot) AppendKey(dst []byte, v uint32) []byte { return append(dst, s.keys.At(v)...) }

// Vertex returns the vertex with the given key, and whether there is one. The
// first call builds an index in O(n); each call takes constant time.
func (s *Snapshot) Vertex(key string) (uint32, bool) {
	s.index.Do(func() { s.table, _ = block.TableOf(context.Background(), &s.keys) }) // only a context makes it fail
	return s.table.Find(&s.keys, block.BytesOf(key))
}

// VertexOf is Vertex for a key in bytes, which it does not keep.
func (s *Snapshot) VertexOf(key []byte) (uint32, bool) {
	s.index.Do(func() { s.table, _ = block.TableOf(context.Background(), &s.keys) })
	return s.table.Find(&s.keys, key)
}

// Slot returns the slot of vertex v, which must be below Info.Vertices: the
// number that is v's in every version of the graph, where vertices are numbered
// anew when one is deleted. It takes O(log d) after d deletions.
func (s *Snapshot) Slot(v uint32) uint32 { return s.slots.Slot(v) }

// snapshot reads a graph with its live vertices numbered densely.
func (t *tx) snapshot(name string, r *graphRecord) (*Snapshot, error) {
	c, err := t.readContents(name, r, true)
	if err != nil {
		return nil, err
	}
	return &Snapshot{Info: r.info(name), Graph: c.graph, keys: c.keys, slots: c.slots}, nil
}

// readContents reads the keys and edges of a graph and checks ranges, order and
// counts; that every edge is there in both directions is the work of Check. Keys
// and edges are those of the vertices where dense is set. Otherwise they are
// those of the slots, some of which may be empty and have neither, and the
// attributes are read too.
func (t *tx) readContents(name string, r *graphRecord, dense bool) (contents, error) {
	c := contents{keys: block.NewKeySet(int(r.Slots))}
	if r.Object == 0 {
		c.graph = &csr.Graph{Offsets: []int64{0}}
		return c, nil
	}
	if r.Edges > math.MaxInt/8 || r.Slots > math.MaxInt/8 {
		return c, fmt.Errorf("graph %q is too large for this machine: %w", name, ErrLimit)
	}
	var err error
	if c.slots, err = t.slotsOf(r); err != nil {
		return c, fault.Corrupt(t.path, describeGraph(name)+", empty slots", err)
	}
	if err := t.readKeys(&c.keys, r); err != nil {
		return c, fault.Corrupt(t.path, describeGraph(name)+", keys", err)
	}
	n := int(r.Slots)
	var vertices []uint32
	if dense {
		n, vertices = int(r.Vertices), c.slots.Table()
		if err := c.keys.Drop(c.slots.Empty); err != nil {
			return c, fault.Corrupt(t.path, describeGraph(name)+", keys", err)
		}
	} else if err := t.readAttributes(name, r, &c); err != nil {
		return c, err
	}
	g, err := t.readArcs(r, n, vertices)
	if err != nil {
		return c, fault.Corrupt(t.path, describeGraph(name)+", arcs", err)
	}
	c.graph = g
	return c, nil
}

// readKeys fills the set with the keys of all slots.
func (t *tx) readKeys(keys *block.KeySet, r *graphRecord) error {
	p, err := t.part(r.Object, block.KeysName)
	if err != nil {
		return err
	}
	t.readAhead(p.bucket)
	err = t.scan(p, func(key, payload []byte) error {
		if err := block.DecodeKeys(keys, key, payload); err != nil {
			return err
		}
		if uint64(keys.Len()) > r.Slots {
			return fault.Record("more keys than the %d slots", r.Slots)
		}
		return nil
	})
	if err == nil && uint64(keys.Len()) != r.Slots {
		err = fault.Record("%d keys for %d slots", keys.Len(), r.Slots)
	}
	return err
}

// readArcs builds n rows from the arc blocks. vertices, where not nil, gives the
// row of each slot.
func (t *tx) readArcs(r *graphRecord, n int, vertices []uint32) (*csr.Graph, error) {
	p, err := t.part(r.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	b := block.NewRowBuilder(r.Edges, r.Weighted, r.Timed, n, vertices)
	var block block.ArcBlock
	t.readAhead(p.bucket)
	err = t.scan(p, func(key, payload []byte) error {
		if err := block.Decode(key, payload); err != nil {
			return err
		}
		if err := b.Add(block.Arcs); err != nil {
			return err
		}
		return b.AddColumns(&block)
	})
	if err != nil {
		return nil, err
	}
	return b.Finish()
}

// VertexID returns the vertex of a graph that has the given key. It reads the
// one block that can hold it, so that a single question needs no snapshot, and
// the list of empty slots where there are some.
func (db *DB) VertexID(ctx context.Context, graph, key string) (uint32, error) {
	var id uint32
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err == nil {
			id, err = t.vertexID(r, graph, key)
		}
		return err
	})
	return id, err
}

// vertexID returns the number of the vertex with the given key.
func (t *tx) vertexID(r *graphRecord, graph, key string) (uint32, error) {
	slot, found, err := t.slotOf(r, []byte(key))
	if err != nil {
		return 0, fault.Corrupt(t.path, describeGraph(graph)+", ids", err)
	}
	if !found {
		return 0, &NotFoundError{Kind: "vertex", Name: key}
	}
	slots, err := t.slotsOf(r)
	if err != nil {
		return 0, fault.Corrupt(t.path, describeGraph(graph)+", empty slots", err)
	}
	id, found := slots.Vertex(slot)
	if !found {
		return 0, fault.Corrupt(t.path, describeGraph(graph)+", empty slots", fault.Record("key %q has the empty slot %d", fault.Clip(key), slot))
	}
	return id, nil
}
