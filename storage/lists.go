package storage

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// Lists are the adjacency lists of one version of a graph, which are read from the file
// again each time: for algorithms that read the edges in order, several times, without
// having them in memory. Lists keep 4 bytes per slot if a vertex was ever deleted, and no
// transaction. They are safe for concurrent use.
type Lists struct {
	Info GraphInfo

	db       *DB
	vertices []uint32 // the vertex of each slot; nil if slots and vertices are the same
	bytes    atomic.Int64
}

// Lists returns the adjacency lists of the latest version of a graph. It reads no edges.
func (db *DB) Lists(ctx context.Context, graph string) (*Lists, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (*Lists, error) {
		slots, err := graphs.SlotsOf(t, r)
		if err != nil {
			return nil, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", empty slots", err)
		}
		return &Lists{Info: graphInfo(r, graph), db: db, vertices: slots.Table()}, nil
	})
}

// Vertices returns the number of vertices, which have the numbers of a Snapshot.
func (l *Lists) Vertices() int { return l.Info.Vertices }

// Weighted reports whether an edge has a weight other than 1.
func (l *Lists) Weighted() bool { return l.Info.Weighted }

// BytesRead returns the bytes of records that all calls of Each have read so far.
func (l *Lists) BytesRead() int64 { return l.bytes.Load() }

// Each calls f with all arcs, in runs of up to 2,000: one from sources[i] to targets[i] for
// each direction of an edge (of a directed graph those of its undirected view), in ascending order of sources, and of targets for one source.
// weights has the weight of each, or is nil if the graph has none. The slices are valid
// during the call. An error of f ends Each, which returns it.
//
// Each runs in one read transaction, which keeps pages from being used again, so a writer
// lets the file grow meanwhile. Every block is verified by its checksum each time. The
// error is ErrConflict if the graph has another version by now, ErrNotFound if it was
// dropped, ErrCorrupt if the file is damaged, and ctx.Err().
func (l *Lists) Each(ctx context.Context, f func(sources, targets []uint32, weights []float32) error) error {
	return l.db.file.View(ctx, func(t *tree.Tx) error {
		r, err := graphs.Find(t, l.Info.Name)
		if err != nil {
			return err
		}
		if r.ID != l.Info.ID || r.Version != l.Info.Version {
			return fmt.Errorf("graph %q was changed since its edges were read first, from version %d to %d: %w", fault.Clip(l.Info.Name), l.Info.Version, r.Version, ErrConflict)
		}
		if r.Object == 0 {
			return nil
		}
		return fault.Corrupt(t.Path, graphs.DescribeGraph(l.Info.Name)+", arcs", l.each(t, r, f))
	})
}

func (l *Lists) each(t *tree.Tx, r *graphs.Record, f func(sources, targets []uint32, weights []float32) error) error {
	p, err := t.Part(r.Object, block.ArcsName)
	if err != nil {
		return err
	}
	var (
		content          block.ArcBlock
		sources, targets []uint32
		last             block.Arc
		count            uint64
	)
	next := t.Following()
	err = t.Scan(p, func(key, payload []byte) error {
		next.Read(payload)
		l.bytes.Add(int64(len(key) + len(payload) + block.ChecksumSize))
		if err := content.Decode(key, payload); err != nil {
			return err
		}
		if err := content.Is(r.Directed); err != nil {
			return err
		}
		arcs := content.Arcs
		if count > 0 && arcs[0] <= last {
			return fault.Record("arc blocks do not ascend")
		}
		last = arcs[len(arcs)-1]
		if count += uint64(len(arcs)); count > 2*r.Edges {
			return fault.Record("more arcs than the catalogue says")
		}
		if l.vertices != nil {
			if err := block.ToVertices(arcs, l.vertices); err != nil {
				return err
			}
		}
		sources, targets = slices.Grow(sources[:0], len(arcs))[:len(arcs)], slices.Grow(targets[:0], len(arcs))[:len(arcs)]
		for i, a := range arcs {
			u, v := a.Source(), a.Target()
			if uint64(max(u, v)) >= r.Vertices {
				return fault.Record("arc (%d, %d) of %d vertices", u, v, r.Vertices)
			}
			sources[i], targets[i] = u, v
		}
		weights, err := content.EdgeWeights(r.Weighted > 0)
		if err != nil {
			return err
		}
		return f(sources, targets, weights)
	})
	if err == nil && count != 2*r.Edges {
		err = fault.Record("%d arcs where the catalogue says %d", count, 2*r.Edges)
	}
	return err
}
