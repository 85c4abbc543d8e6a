package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// PutSameRows is PutEmbeddingState for an embedding that already has exactly these rows,
// bit for bit and for the same vertices: it stores only the entry and the state, in one
// step, and reports true. Generation, Created and Coordinates are unchanged, so that
// indexes and models of the rows stay valid. Otherwise it reports false and nothing
// changes. It reads the rows once; damaged rows count as different.
func (db *DB) PutSameRows(ctx context.Context, info EmbeddingInfo, m *vec.Matrix, write func(io.Writer) error) (EmbeddingInfo, bool, error) {
	kept, err := db.putSameRows(ctx, info, m, write)
	switch {
	case errors.Is(err, errOtherRows):
		return EmbeddingInfo{}, false, nil
	case err != nil:
		return EmbeddingInfo{}, false, err
	}
	return kept, true, nil
}

// errOtherRows ends PutSameRows where an embedding has other rows.
var errOtherRows = errors.New("other rows")

func (db *DB) putSameRows(ctx context.Context, info EmbeddingInfo, m *vec.Matrix, write func(io.Writer) error) (EmbeddingInfo, error) {
	if err := CheckEmbeddingName(info.Name); err != nil {
		return EmbeddingInfo{}, err
	}
	var before *embeddingRecord
	err := db.file.View(ctx, func(t *tree.Tx) (err error) {
		if before, err = findEmbedding(t, info.Name); errors.Is(err, ErrNotFound) || errors.Is(err, ErrCorrupt) {
			return errOtherRows // replacing it says what is wrong
		}
		if err != nil {
			return err
		}
		return sameRows(t, before, m)
	})
	if err != nil {
		return EmbeddingInfo{}, err
	}
	state := tree.NewBlobWriter(ctx, db.file, describeEmbedding(info.Name)+", "+statePart)
	defer state.Abandon(ctx)
	if write != nil {
		if err := write(state); err != nil {
			return EmbeddingInfo{}, fmt.Errorf("put embedding %q: state: %w", info.Name, err)
		}
	}
	r := newEmbeddingRecord(info, m)
	var slots block.SlotMap
	err = db.file.Change(ctx, func(t *tree.Tx) error {
		old, err := findEmbedding(t, info.Name)
		if errors.Is(err, ErrNotFound) {
			return errOtherRows
		}
		if err != nil {
			return err
		}
		if old.Generation != before.Generation || old.Created != before.Created {
			return errOtherRows
		}
		g, err := graphs.Find(t, info.Graph)
		if err != nil {
			return err
		}
		if old.GraphID != g.ID || r.GraphID != 0 && r.GraphID != g.ID {
			return errOtherRows // replacing it says what is wrong
		}
		r.GraphID = g.ID
		if slots, err = slotsAt(t, g, &r); err != nil {
			return fault.Corrupt(t.Path, graphs.DescribeGraph(r.Graph), fmt.Errorf("put embedding %q: %w", info.Name, err))
		}
		was, err := embeddingSlots(t, old)
		if err != nil {
			return fault.Corrupt(t.Path, describeEmbedding(info.Name)+", empty slots", err)
		}
		if was.Slots != slots.Slots || !slices.Equal(was.Empty, slots.Empty) {
			return errOtherRows // of other vertices
		}
		r.Generation, r.Created, r.Coordinates = old.Generation, old.Created, old.Coordinates
		r.Object, r.ChunkRows, r.Slots = old.Object, old.ChunkRows, old.Slots
		r.AutoChanges, r.AutoEvery = old.AutoChanges, old.AutoEvery
		if err := t.Discard(old.State.Object); err != nil {
			return err
		}
		if r.State, err = state.Publish(t); err != nil {
			return err
		}
		return putEmbedding(t, &r)
	})
	return r.info(slots), err
}

// sameRows returns errOtherRows unless the rows of an embedding are those of a
// matrix, bit for bit.
func sameRows(t *tree.Tx, r *embeddingRecord, m *vec.Matrix) error {
	if r.Vertices != uint64(m.Rows) || r.Dim != uint64(m.Dim) || (r.Object == 0) != (len(m.Data) == 0) {
		return errOtherRows
	}
	err := eachChunk(t, r, nil, func(row int, values []float32) error {
		for i, x := range values {
			if math.Float32bits(x) != math.Float32bits(m.Data[row*m.Dim+i]) {
				return errOtherRows
			}
		}
		return nil
	})
	if errors.Is(err, fault.ErrRecord) || errors.Is(err, ErrCorrupt) {
		return errOtherRows
	}
	return err
}
