package storage

import (
	"context"
	"fmt"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// PredictedLists returns the stored links of each of some vertices of a snapshot, the
// likeliest first, by predictions of its graph, without the links that the snapshot has as
// edges and those to vertices that it does not have. A vertex that is newer than the
// predictions has none. If the predictions were replaced or dropped since info was read, it is
// ErrConflict. It reads one record for each vertex.
func (db *DB) PredictedLists(ctx context.Context, snap *Snapshot, info PredictionInfo, vertices []uint32) ([][]PredictedLink, error) {
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
				if w, there := snap.slots.Vertex(l.Slot); there && !snap.Graph.HasEdge(v, w) {
					lists[i] = append(lists[i], PredictedLink{w, l.Score})
				}
			}
		}
		return nil
	})
	return lists, err
}
