package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// RowView is an embedding and its graph in one read transaction, for a search that
// reads the rows where they lie in the file. It is valid during the call that it
// is given to.
type RowView struct {
	GraphView // whose version may be later than that of the rows
	Info      EmbeddingInfo

	record  *embeddingRecord
	lasting tree.Lasting // the rows, once one of them was read
	places  []rowChunk   // that were found, by row
	runs    rowRuns      // that ReadRow has read
}

// rowChunk is a record of rows that was found.
type rowChunk struct {
	tree.Located
	first uint32 // row
	rows  int
}

// rowRuns keeps runs of rows of about a page of the file each. A page takes a call of the system
// hardly longer than a row, and vectors that are compared together are often numbered together.
type rowRuns struct {
	held         [64]uint64 // of each place, 1 + the first row of its run
	bytes        []byte
	reads, found int
}

// ViewRows calls f with an embedding, and returns the error of f. f runs inside of a
// read transaction, which keeps pages from being used again: it should take
// milliseconds and must not write to the store.
func (db *DB) ViewRows(ctx context.Context, name string, f func(*RowView) error) error {
	return db.file.View(ctx, func(t *tree.Tx) error {
		v := &RowView{GraphView: GraphView{t: t}}
		var err error
		if v.record, err = findEmbedding(t, name); err != nil {
			return err
		}
		if v.Info, err = embeddingInfo(t, name); err != nil {
			return err
		}
		if v.graph, err = graphs.Find(t, v.record.Graph); err != nil {
			return err
		}
		v.Graph = graphInfo(v.graph, v.record.Graph)
		return f(v)
	})
}

// openRows prepares for reading single rows.
func (v *RowView) openRows() error {
	if v.lasting.T != nil {
		return nil
	}
	var err error
	v.lasting, err = v.t.LastingPart(v.record.Object, block.RowsName)
	return err
}

// Row returns a copy of one row.
func (v *RowView) Row(row uint32) ([]float32, error) {
	if uint64(row) >= v.record.Vertices {
		return nil, fmt.Errorf("row %d of embedding %q, which has %d: %w", row, v.Info.Name, v.record.Vertices, ErrInvalid)
	}
	if v.record.Object == 0 {
		return []float32{}, nil
	}
	m := vec.NewMatrix(1, v.Info.Dim)
	return m.Data, v.Rows([]uint32{row}, m)
}

// Rows copies rows, given in ascending order, into a matrix that has as many. It reads and
// verifies only the mebibytes of the file that have some of them, each once.
func (v *RowView) Rows(rows []uint32, m *vec.Matrix) error {
	if v.record.Object == 0 {
		return nil
	}
	return fault.Corrupt(v.t.Path, describeEmbedding(v.Info.Name), v.copyRows(rows, m))
}

func (v *RowView) copyRows(rows []uint32, m *vec.Matrix) error {
	if err := v.openRows(); err != nil {
		return err
	}
	var room []float32
	for at := 0; at < len(rows); {
		if err := v.t.Ctx.Err(); err != nil {
			return err
		}
		key, record, err := v.lasting.Floor(block.Key32(rows[at]))
		if err != nil {
			return err
		}
		if len(key) != 4 || record == nil {
			return fault.Record("no chunk of row %d", rows[at])
		}
		c := block.Chunk{Key: key, Record: record, First: binary.BigEndian.Uint32(key)}
		if c.Rows, err = block.RowsIn(len(record), m.Dim); err != nil {
			return err
		}
		if rows[at] < c.First || int(rows[at]-c.First) >= c.Rows {
			return fault.Record("no chunk of row %d", rows[at])
		}
		values, err := c.Values(v.lasting.Part.Seed, m.Dim, v.t.Rows.Has(v.record.Object), &room)
		if err != nil {
			return err
		}
		for ; at < len(rows) && int(rows[at]-c.First) < c.Rows; at++ {
			copy(m.Row(at), values[int(rows[at]-c.First)*m.Dim:])
		}
	}
	return nil
}
