package storage

import (
	"fmt"
	"math"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// slotsAt returns the slots that the graph g had at the version of an embedding that is
// written, and checks the shape of the embedding. The slots that were empty then are
// those that are empty now, except those that became empty since.
func slotsAt(t *tree.Tx, g *graphs.Record, r *embeddingRecord) (block.SlotMap, error) {
	if r.GraphVersion == 0 || r.GraphVersion > g.Version {
		return block.SlotMap{}, fmt.Errorf("graph %q has version %d, not %d: %w", r.Graph, g.Version, r.GraphVersion, ErrInvalid)
	}
	m, err := graphs.SlotsOf(t, g)
	if err != nil {
		return m, err
	}
	if len(m.Empty) > 0 && r.GraphVersion < g.Version {
		l, err := graphs.ChangesSince(t, g, r.GraphVersion)
		if err != nil {
			return m, err
		}
		if l.Gap {
			return m, fmt.Errorf("the change log does not reach back to version %d of graph %q: %w", r.GraphVersion, r.Graph, ErrConflict)
		}
		kept := m.Empty[:0]
		for _, slot := range m.Empty {
			if !block.BitAt(l.Deleted, slot) {
				kept = append(kept, slot)
			}
		}
		m.Empty = kept
	}
	m.Slots = r.Vertices + uint64(len(m.Empty))
	if m.Slots > g.Slots || (r.GraphVersion == g.Version && m.Slots != g.Slots) || (len(m.Empty) > 0 && uint64(m.Empty[len(m.Empty)-1]) >= m.Slots) {
		return m, fmt.Errorf("%d rows for the vertices of version %d of graph %q, which has %d in version %d: %w",
			r.Vertices, r.GraphVersion, r.Graph, g.Vertices, g.Version, ErrInvalid)
	}
	return m, nil
}

func writeSlots(t *tree.Tx, r *embeddingRecord, m *block.SlotMap) error {
	r.Slots = 0
	if len(m.Empty) == 0 {
		return nil
	}
	r.Slots = m.Slots
	p, err := t.OpenPart(r.Object, block.EmptyName)
	if err != nil {
		return err
	}
	return block.SlotList.Cut(p.Seed, m.Empty, true, p.Put)
}

func embeddingSlots(t *tree.Tx, r *embeddingRecord) (block.SlotMap, error) {
	if r.Slots == 0 {
		return block.SlotMap{Slots: r.Vertices}, nil
	}
	return t.ReadSlots(r.Object, r.Slots, r.Slots-r.Vertices)
}

func embeddingInfo(t *tree.Tx, name string) (EmbeddingInfo, error) {
	r, err := findEmbedding(t, name)
	if err != nil {
		return EmbeddingInfo{}, err
	}
	slots, err := embeddingSlots(t, r)
	if err != nil {
		return EmbeddingInfo{}, fault.Corrupt(t.Path, describeEmbedding(name)+", empty slots", err)
	}
	return r.info(slots), nil
}

// NoRow marks a vertex without a row in an embedding.
const NoRow = math.MaxUint32

// RowsOf returns, for each vertex of the snapshot, its row in an embedding of the
// same graph, or NoRow if the vertex is newer. Errors are those of Align. It
// takes O(n).
func (s *Snapshot) RowsOf(info EmbeddingInfo) ([]uint32, error) {
	kept, err := s.keptRows(info)
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, s.Info.Vertices)
	for v := range rows {
		if rows[v] = NoRow; v < len(kept) { // later vertices have higher slots
			rows[v] = kept[v]
		}
	}
	return rows, nil
}

// Align returns the rows of m, which were read with info from an embedding of
// the same graph, that belong to vertices of the snapshot: row v of the result
// belongs to vertex v. Rows of vertices that were deleted since are left out,
// and vertices that came since have no row, so that the result may have fewer
// rows than the snapshot has vertices. Without deletions the result is m
// itself, otherwise a copy of the remaining rows. The error is ErrConflict if
// the embedding belongs to another graph, or is of a later version than the
// snapshot and has different vertices. It takes O(n) and the copy.
func (s *Snapshot) Align(info EmbeddingInfo, m *vec.Matrix) (*vec.Matrix, error) {
	if info.slots.Vertices() != m.Rows {
		return nil, fmt.Errorf("%d rows of embedding %q, which has %d: %w", m.Rows, info.Name, info.slots.Vertices(), ErrInvalid)
	}
	kept, err := s.keptRows(info)
	if err != nil {
		return nil, err
	}
	if len(kept) == m.Rows {
		return m, nil
	}
	aligned := vec.NewMatrix(len(kept), m.Dim)
	for v, row := range kept {
		copy(aligned.Data[v*m.Dim:(v+1)*m.Dim], m.Data[int(row)*m.Dim:])
	}
	return aligned, nil
}

// keptRows lists the rows of an embedding whose vertices the snapshot has, in the
// order of both.
func (s *Snapshot) keptRows(info EmbeddingInfo) ([]uint32, error) {
	conflict := func(reason string) error {
		return fmt.Errorf("embedding %q and version %d of graph %q: %s: %w", info.Name, s.Info.Version, s.Info.Name, reason, ErrConflict)
	}
	switch {
	case info.GraphID != s.Info.ID:
		return nil, conflict("another graph")
	case info.slots.Slots > s.slots.Slots:
		return nil, conflict("it has more vertices")
	}
	kept := make([]uint32, 0, info.slots.Vertices())
	were, are := info.slots.Empty, s.slots.Empty
	row := uint32(0)
	for slot := range uint32(info.slots.Slots) {
		wasEmpty, isEmpty := len(were) > 0 && were[0] == slot, len(are) > 0 && are[0] == slot
		if wasEmpty {
			were = were[1:]
		}
		if isEmpty {
			are = are[1:]
		}
		switch {
		case wasEmpty && !isEmpty:
			return nil, conflict("it lacks vertices")
		case !wasEmpty && !isEmpty:
			kept = append(kept, row)
		}
		if !wasEmpty {
			row++
		}
	}
	return kept, nil
}
