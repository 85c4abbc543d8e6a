package storage

import (
	"context"
	"fmt"
	"math"
	"sync"

	"heavytail/storage/csr"
)

// Snapshot is one version of a graph in memory, with the keys of its vertices.
// It never changes, is safe for concurrent use and holds no transaction. It
// takes 16 bytes per vertex, 8 per edge, 8 more with weights and 16 more with
// timestamps, the keys, and 4 per vertex that was deleted; the first call of
// Vertex adds 22 to 43 bytes per vertex.
type Snapshot struct {
	Info  GraphInfo
	Graph *csr.Graph

	keys  keySet
	slots slotMap
	index sync.Once
	table keyTable
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
func (s *Snapshot) Key(v uint32) string { return string(s.keys.at(v)) }

// AppendKey appends the key of vertex v to dst.
func (s *Snapshot) AppendKey(dst []byte, v uint32) []byte { return append(dst, s.keys.at(v)...) }

// Vertex returns the vertex with the given key, and whether there is one. The
// first call builds an index in O(n); each call takes constant time.
func (s *Snapshot) Vertex(key string) (uint32, bool) {
	s.index.Do(func() { s.table, _ = tableOf(context.Background(), &s.keys) }) // only a context makes it fail
	return s.table.find(&s.keys, bytesOf(key))
}

// VertexOf is Vertex for a key in bytes, which it does not keep.
func (s *Snapshot) VertexOf(key []byte) (uint32, bool) {
	s.index.Do(func() { s.table, _ = tableOf(context.Background(), &s.keys) })
	return s.table.find(&s.keys, key)
}

// Slot returns the slot of vertex v, which must be below Info.Vertices: the
// number that is v's in every version of the graph, where vertices are numbered
// anew when one is deleted. It takes O(log d) after d deletions.
func (s *Snapshot) Slot(v uint32) uint32 { return s.slots.slot(v) }

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
	c := contents{keys: newKeySet(int(r.Slots))}
	if r.Object == 0 {
		c.graph = &csr.Graph{Offsets: []int64{0}}
		return c, nil
	}
	if r.Edges > math.MaxInt/8 || r.Slots > math.MaxInt/8 {
		return c, fmt.Errorf("storage: graph %q is too large for this machine: %w", name, ErrLimit)
	}
	var err error
	if c.slots, err = t.slotsOf(r); err != nil {
		return c, corrupt(t.path, describeGraph(name)+", empty slots", err)
	}
	if err := t.readKeys(&c.keys, r); err != nil {
		return c, corrupt(t.path, describeGraph(name)+", keys", err)
	}
	n := int(r.Slots)
	var vertices []uint32
	if dense {
		n, vertices = int(r.Vertices), c.slots.table()
		if err := c.keys.drop(c.slots.empty); err != nil {
			return c, corrupt(t.path, describeGraph(name)+", keys", err)
		}
	} else if err := t.readAttributes(name, r, &c); err != nil {
		return c, err
	}
	g, err := t.readArcs(r, n, vertices)
	if err != nil {
		return c, corrupt(t.path, describeGraph(name)+", arcs", err)
	}
	c.graph = g
	return c, nil
}

// readKeys fills the set with the keys of all slots.
func (t *tx) readKeys(keys *keySet, r *graphRecord) error {
	p, err := t.part(r.Object, keysName)
	if err != nil {
		return err
	}
	t.readAhead(p.bucket)
	err = t.scan(p, func(key, payload []byte) error {
		if err := decodeKeys(keys, key, payload); err != nil {
			return err
		}
		if uint64(keys.len()) > r.Slots {
			return badRecord("more keys than the %d slots", r.Slots)
		}
		return nil
	})
	if err == nil && uint64(keys.len()) != r.Slots {
		err = badRecord("%d keys for %d slots", keys.len(), r.Slots)
	}
	return err
}

// readArcs builds n rows from the arc blocks. vertices, where not nil, gives the
// row of each slot.
func (t *tx) readArcs(r *graphRecord, n int, vertices []uint32) (*csr.Graph, error) {
	p, err := t.part(r.Object, arcsName)
	if err != nil {
		return nil, err
	}
	b := newRowBuilder(r, n, vertices)
	var block arcBlock
	t.readAhead(p.bucket)
	err = t.scan(p, func(key, payload []byte) error {
		if err := block.decode(key, payload); err != nil {
			return err
		}
		if err := b.add(block.arcs); err != nil {
			return err
		}
		return b.addColumns(&block)
	})
	if err != nil {
		return nil, err
	}
	return b.finish()
}

// rowBuilder turns ascending blocks of arcs into rows.
type rowBuilder struct {
	offsets []int64
	targets []uint32  // its capacity is the number of arcs that there should be
	weights []float32 // nil where there should be none
	times   []int64   // nil where there should be none
	source  uint32    // row that is being filled
	last    arc

	vertices []uint32 // row of each slot, noVertex for empty ones; nil where they are the same

	weighted, timed uint64 // arcs with a weight other than 1, or a timestamp, that are still due
}

func newRowBuilder(r *graphRecord, n int, vertices []uint32) *rowBuilder {
	b := &rowBuilder{vertices: vertices, offsets: make([]int64, n+1), targets: make([]uint32, 0, 2*r.Edges), weighted: 2 * r.Weighted, timed: 2 * r.Timed}
	if r.Weighted > 0 {
		b.weights = make([]float32, 0, 2*r.Edges)
	}
	if r.Timed > 0 {
		b.times = make([]int64, 0, 2*r.Edges)
	}
	return b
}

// addColumns takes the weights and timestamps of a block whose arcs were added.
func (b *rowBuilder) addColumns(block *arcBlock) error {
	if b.weights != nil {
		if len(block.weights) == 0 {
			for range block.arcs {
				b.weights = append(b.weights, 1)
			}
		}
		b.weights = append(b.weights, block.weights...)
	}
	if b.times != nil {
		if len(block.times) == 0 {
			for range block.arcs {
				b.times = append(b.times, csr.NoTime)
			}
		}
		b.times = append(b.times, block.times...)
	}
	weighted, timed := countValues(block.weights, block.times)
	if weighted > b.weighted || timed > b.timed {
		return badRecord("more edges with weights or timestamps than the catalogue says")
	}
	b.weighted -= weighted
	b.timed -= timed
	return nil
}

// countValues counts the weights that are not 1 and the timestamps.
func countValues(weights []float32, times []int64) (weighted, timed uint64) {
	for _, w := range weights {
		if w != 1 {
			weighted++
		}
	}
	for _, t := range times {
		if t != csr.NoTime {
			timed++
		}
	}
	return weighted, timed
}

func (b *rowBuilder) add(block []arc) error {
	n := uint32(len(b.offsets) - 1)
	if len(b.targets) > 0 && block[0] <= b.last {
		return badRecord("arc blocks do not ascend")
	}
	b.last = block[len(block)-1]
	if len(block) > cap(b.targets)-len(b.targets) {
		return badRecord("more arcs than the catalogue says")
	}
	if b.vertices != nil {
		if err := toVertices(block, b.vertices); err != nil {
			return err
		}
	}
	if last := block[len(block)-1].source(); last >= n {
		return badRecord("arc of vertex %d of %d", last, n)
	}
	for _, a := range block {
		if a.target() >= n {
			return badRecord("arc to vertex %d of %d", a.target(), n)
		}
		for b.source < a.source() {
			b.source++
			b.offsets[b.source] = int64(len(b.targets))
		}
		b.targets = append(b.targets, a.target())
	}
	return nil
}

// toVertices replaces slots by vertices, which keeps the order.
func toVertices(block []arc, vertices []uint32) error {
	for i, a := range block {
		u, v := uint32(noVertex), uint32(noVertex)
		if int(a.source()) < len(vertices) && int(a.target()) < len(vertices) {
			u, v = vertices[a.source()], vertices[a.target()]
		}
		if u == noVertex || v == noVertex {
			return badRecord("arc (%d, %d) of an empty slot", a.source(), a.target())
		}
		block[i] = newArc(u, v)
	}
	return nil
}

func (b *rowBuilder) finish() (*csr.Graph, error) {
	if len(b.targets) != cap(b.targets) {
		return nil, badRecord("%d arcs where the catalogue says %d", len(b.targets), cap(b.targets))
	}
	if b.weighted != 0 || b.timed != 0 {
		return nil, badRecord("fewer edges with weights or timestamps than the catalogue says")
	}
	for v := int(b.source) + 1; v < len(b.offsets); v++ {
		b.offsets[v] = int64(len(b.targets))
	}
	return &csr.Graph{Offsets: b.offsets, Targets: b.targets, Weights: b.weights, Times: b.times}, nil
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
		return 0, corrupt(t.path, describeGraph(graph)+", ids", err)
	}
	if !found {
		return 0, &NotFoundError{Kind: "vertex", Name: key}
	}
	slots, err := t.slotsOf(r)
	if err != nil {
		return 0, corrupt(t.path, describeGraph(graph)+", empty slots", err)
	}
	id, found := slots.vertex(slot)
	if !found {
		return 0, corrupt(t.path, describeGraph(graph)+", empty slots", badRecord("key %q has the empty slot %d", clip(key), slot))
	}
	return id, nil
}

// floor returns the last record whose key is at most key: the block that holds
// it, or would.
func (p part) floor(key []byte) (first, record []byte) {
	cursor := p.bucket.Cursor()
	first, record = cursor.Seek(key)
	if first == nil {
		return cursor.Last()
	}
	if string(first) == string(key) {
		return first, record
	}
	first, record = cursor.Prev()
	if first != nil {
		return first, record
	}
	// It is the beginning, or a page from which this transaction has removed
	// everything: bbolt passes over those forwards only.
	if lowest, _ := p.bucket.Cursor().First(); lowest == nil || string(lowest) > string(key) {
		return nil, nil
	}
	for first == nil {
		first, record = cursor.Prev()
	}
	return first, record
}
