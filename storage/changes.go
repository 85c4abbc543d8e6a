package storage

import (
	"context"
	"fmt"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

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
