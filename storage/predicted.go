package storage

import (
	"context"
	"fmt"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// This file answers from stored predictions, without the graph or vectors in memory.

// Predicted returns the k likeliest links of a vertex, or fewer if there are no more,
// by the predictions of a graph and a scorer; a negative k is ErrInvalid. Links that the graph has by now, and
// links to deleted vertices, are left out. It reads the record of the vertex, the blocks of
// keys of the answers, and the change log since the predictions; and if its edges may have
// changed since then, the blocks of arcs that can hold an edge between it and an answer.
func (db *DB) Predicted(ctx context.Context, graph, scorer, key string, k int) (Predicted, error) {
	var out Predicted
	if k < 0 {
		return out, fmt.Errorf("%w: %d links", ErrInvalid, k)
	}
	err := db.file.View(ctx, func(t *tree.Tx) error {
		out = Predicted{}
		g, err := graphs.Find(t, graph)
		if err != nil {
			return err
		}
		r, err := findPredictions(t, g.ID, scorer)
		if err != nil {
			return err
		}
		out.PredictionInfo = r.info(graph, g.ID, scorer)
		slot, err := graphs.SlotOfVertex(t, g, graph, key)
		if err != nil {
			return err
		}
		if out.Behind, out.Changed, err = slotSince(t, g, r.GraphVersion, slot); err != nil {
			return fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", "+graphs.ChangeLogPart, err)
		}
		list, found, err := linksOf(t, g, r, slot)
		if err != nil {
			return fault.Corrupt(t.Path, describePredictions(scorer), err)
		}
		out.New = !found
		out.Links, err = keysOfLinks(t, g, slot, list, k, out.Changed, r.Directed)
		return fault.Corrupt(t.Path, graphs.DescribeGraph(graph), err)
	})
	return out, err
}

// keysOfLinks returns the first k links whose vertices exist and are not neighbours of
// the vertex in a slot, or if directed not targets of its edges. If its edges have not changed since the links were stored, none is a
// neighbour. It takes as many links at a time as are still missing, so that it rarely reads
// a block for a link that is not in the answer.
func keysOfLinks(t *tree.Tx, g *graphs.Record, slot uint32, list []block.SlotScore, k int, changed, directed bool) ([]PredictedKey, error) {
	var links []PredictedKey
	for len(list) > 0 && len(links) < k {
		some := list[:min(len(list), k-len(links))]
		list = list[len(some):]
		slots := make([]uint32, len(some))
		for i, l := range some {
			slots[i] = l.Slot
		}
		slices.Sort(slots)
		if changed {
			var err error
			if slots, err = notLinked(t, g, slot, slots, directed); err != nil {
				return nil, err
			}
		}
		slots = slices.Compact(slots)
		keys, err := graphs.KeysIfThere(t, g, slots)
		if err != nil {
			return nil, err
		}
		for _, l := range some {
			if at, free := slices.BinarySearch(slots, l.Slot); free && keys[at] != "" {
				links = append(links, PredictedKey{keys[at], l.Score})
			}
		}
	}
	return links, nil
}

// notLinked returns those of some slots, ascending, that no edge joins with a slot, or if directed no edge from it.
func notLinked(t *tree.Tx, g *graphs.Record, slot uint32, others []uint32, directed bool) ([]uint32, error) {
	arcs := make([]block.Arc, len(others))
	for i, other := range others {
		arcs[i] = block.NewArc(slot, other)
	}
	states, err := graphs.FindEdges(t, g, arcs)
	if err != nil {
		return nil, err
	}
	free := others[:0]
	for _, s := range states {
		if !s.There || directed && s.Weight == 0 {
			free = append(free, s.Arc.Target())
		}
	}
	return free, nil
}

// slotSince returns how many versions after one have changed more than attributes,
// and whether the edges of the vertex in a slot may have changed by them.
func slotSince(t *tree.Tx, g *graphs.Record, since uint64, slot uint32) (versions uint64, changed bool, err error) {
	if since >= g.Version {
		return 0, false, nil
	}
	gap, expect := false, since+1
	err = graphs.ChangesOf(t, g.ID, since, func(version uint64, c *block.Change) error {
		gap, expect = gap || version != expect, version+1
		if c.All || len(c.Edges) > 0 || len(c.Deleted) > 0 {
			versions++
		}
		changed = changed || c.All || slices.Contains(c.Edges, slot)
		return nil
	})
	if gap || expect != g.Version+1 {
		return g.Version - since, true, err
	}
	return versions, changed, err
}

// PredictedLists returns the stored links of each of some vertices of a snapshot, the
// likeliest first, by predictions of its graph, without those that linked reports as edges of the
// snapshot (from v, if info.Directed) and those to vertices that it does not have. A vertex that is newer than the
// predictions has none. If the predictions were replaced or dropped since info was read, it is
// ErrConflict. It reads one record for each vertex.
func (db *DB) PredictedLists(ctx context.Context, snap *Snapshot, info PredictionInfo, linked func(v, w uint32) bool, vertices []uint32) ([][]PredictedLink, error) {
	var lists [][]PredictedLink
	where := describePredictions(info.Scorer)
	err := db.file.View(ctx, func(t *tree.Tx) error {
		lists = make([][]PredictedLink, len(vertices))
		g, err := graphs.Find(t, snap.Info.Name)
		if err != nil {
			return err
		}
		r, err := findPredictions(t, snap.Info.ID, info.Scorer)
		if err != nil {
			return err
		}
		if g.ID != snap.Info.ID || r.Created != info.Created.UnixNano() || r.GraphVersion != info.GraphVersion {
			return fmt.Errorf("%s were replaced or dropped meanwhile: %w", where, ErrConflict)
		}
		for i, v := range vertices {
			list, _, err := linksOf(t, g, r, snap.Slot(v))
			if err != nil {
				return fault.Corrupt(t.Path, where, err)
			}
			for _, l := range list {
				if w, there := snap.slots.Vertex(l.Slot); there && !linked(v, w) {
					lists[i] = append(lists[i], PredictedLink{w, l.Score})
				}
			}
		}
		return nil
	})
	return lists, err
}
