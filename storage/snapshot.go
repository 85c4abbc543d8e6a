package storage

import (
	"context"
	"fmt"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// Snapshot is one version of a graph in memory, with the keys of its vertices.
// It never changes, is safe for concurrent use and holds no transaction. It
// takes 16 bytes per vertex, 8 per edge, 8 more with weights and 16 more with
// timestamps, the keys, and 4 per vertex that was deleted; the first call of
// Vertex adds 22 to 43 bytes per vertex.
type Snapshot struct {
	Info  GraphInfo
	Graph *csr.Graph // of a directed graph the undirected view; see csr.Directed

	keys  block.KeySet
	slots block.SlotMap
	index sync.Once
	table block.KeyTable
}

// Before returns the same vertices with the edges whose time is before one, and those without
// a time. It takes O(n + m) time and the memory of these edges; keys are shared.
func (s *Snapshot) Before(time int64) *Snapshot {
	rows := (*csr.Rows)(s.Graph).Before(time)
	return &Snapshot{Info: s.Info, Graph: (*csr.Graph)(&rows), keys: s.keys, slots: s.slots}
}

// Snapshot reads the latest version of a graph. Everything is copied out in one
// read transaction, which is closed on return. It takes O(n + m).
func (db *DB) Snapshot(ctx context.Context, graph string) (*Snapshot, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (*Snapshot, error) { return snapshot(t, graph, r) })
}

// Directed reads the latest version of a directed graph, whose vertices have the numbers of a
// Snapshot of that version. An undirected graph is ErrInvalid. It takes O(n + m).
func (db *DB) Directed(ctx context.Context, graph string) (*csr.Directed, GraphInfo, error) {
	var info GraphInfo
	d, err := viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (*csr.Directed, error) {
		if info = graphInfo(r, graph); !r.Directed {
			return nil, fmt.Errorf("graph %q is undirected: %w", fault.Clip(graph), ErrInvalid)
		}
		return graphs.ReadDirected(t, graph, r)
	})
	return d, info, err
}

// Key returns the key of vertex v, which must be below Info.Vertices. It
// allocates; AppendKey does not.
func (s *Snapshot) Key(v uint32) string { return string(s.keys.At(v)) }

// AppendKey appends the key of vertex v to dst.
func (s *Snapshot) AppendKey(dst []byte, v uint32) []byte { return append(dst, s.keys.At(v)...) }

// Vertex returns the vertex with the given key, and whether there is one. The
// first call builds an index in O(n); each call takes constant time.
func (s *Snapshot) Vertex(key string) (uint32, bool) {
	return s.VertexOf(block.BytesOf(key))
}

// VertexOf is Vertex for a key in bytes, which it does not keep.
func (s *Snapshot) VertexOf(key []byte) (uint32, bool) {
	s.index.Do(func() { s.table, _ = block.TableOf(context.Background(), &s.keys) }) // only a context makes it fail
	return s.table.Find(&s.keys, key)
}

// Slot returns the slot of vertex v, which must be below Info.Vertices: the number that
// is v's in every version of the graph, while vertices are renumbered when one is
// deleted. It takes O(log d) after d deletions.
func (s *Snapshot) Slot(v uint32) uint32 { return s.slots.Slot(v) }

// snapshot reads a graph with its live vertices numbered densely.
func snapshot(t *tree.Tx, name string, r *graphs.Record) (*Snapshot, error) {
	c, err := graphs.ReadContents(t, name, r, true)
	if err != nil {
		return nil, err
	}
	return &Snapshot{Info: graphInfo(r, name), Graph: c.Graph, keys: c.Keys, slots: c.Slots}, nil
}

// VertexID returns the vertex of a graph that has the given key. It reads the
// one block that can hold it, so that a single question needs no snapshot, and
// the list of empty slots where there are some.
func (db *DB) VertexID(ctx context.Context, graph, key string) (uint32, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (uint32, error) { return vertexID(t, r, graph, key) })
}

func vertexID(t *tree.Tx, r *graphs.Record, graph, key string) (uint32, error) {
	slot, err := graphs.SlotOfVertex(t, r, graph, key)
	if err != nil {
		return 0, err
	}
	slots, err := graphs.SlotsOf(t, r)
	if err != nil {
		return 0, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", empty slots", err)
	}
	id, found := slots.Vertex(slot)
	if !found {
		return 0, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", empty slots", fault.Record("key %q has the empty slot %d", fault.Clip(key), slot))
	}
	return id, nil
}

// Changes returns which vertices of a graph changed after the version since.
// If the log does not reach back to since, the result says that everything may
// have changed; the log covers 65,536 versions. A version that the graph has
// not reached is ErrInvalid. It takes the time of reading the log since then.
func (db *DB) Changes(ctx context.Context, graph string, since uint64) (ChangeSet, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (set ChangeSet, err error) {
		if since > r.Version {
			return set, fmt.Errorf("graph %q has version %d, not yet %d: %w", graph, r.Version, since, ErrInvalid)
		}
		l, err := graphs.ChangesSince(t, r, since)
		if err != nil {
			return set, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", change log", err)
		}
		slots, err := graphs.SlotsOf(t, r)
		if err != nil {
			return set, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", empty slots", err)
		}
		set = ChangeSet{From: since, To: r.Version, All: l.All, Deleted: l.Deletions, EdgesChanged: l.Versions > 0, Versions: l.Versions}
		if !set.All {
			set.Touched, set.Attributes = l.Vertices(&slots)
		}
		return set, nil
	})
}
