package storage

import (
	"context"
	"encoding/binary"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/vec"
)

// RowView is an embedding and its graph in one read transaction, for a search that
// reads the rows where they lie in the file. It is valid during the call that it
// is given to.
type RowView struct {
	GraphView // whose version may be later than that of the rows
	Info      EmbeddingInfo

	record  *embeddingRecord
	lasting lasting    // the rows, once one of them was read
	places  []rowChunk // that were found, by row
	room    []byte     // of a row
}

// rowChunk is a record of rows that was found.
type rowChunk struct {
	located
	first uint32 // row
	rows  int
}

// ViewRows calls f with an embedding, and returns the error of f. f runs inside of a
// read transaction, which keeps pages from being used again: it should take
// milliseconds and must not write to the store.
func (db *DB) ViewRows(ctx context.Context, name string, f func(*RowView) error) error {
	return db.view(ctx, func(t *tx) error {
		v := &RowView{GraphView: GraphView{t: t}}
		var err error
		if v.record, err = t.findEmbedding(name); err != nil {
			return err
		}
		if v.Info, err = t.embeddingInfo(name); err != nil {
			return err
		}
		if v.graph, err = t.findGraph(v.record.Graph); err != nil {
			return err
		}
		v.Graph = v.graph.info(v.record.Graph)
		return f(v)
	})
}

// openRows prepares for reading single rows.
func (v *RowView) openRows() error {
	if v.lasting.t != nil {
		return nil
	}
	var err error
	v.lasting, err = v.t.lastingPart(v.record.Object, block.RowsName)
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
	return fault.Corrupt(v.t.path, describeEmbedding(v.Info.Name), v.copyRows(rows, m))
}

func (v *RowView) copyRows(rows []uint32, m *vec.Matrix) error {
	if err := v.openRows(); err != nil {
		return err
	}
	var room []float32
	for at := 0; at < len(rows); {
		if err := v.t.ctx.Err(); err != nil {
			return fmt.Errorf("%w", err)
		}
		key, record, err := v.lasting.floor(block.Key32(rows[at]))
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
		values, err := c.Values(v.lasting.part.seed, m.Dim, v.t.rows.has(v.record.Object), &room)
		if err != nil {
			return err
		}
		for ; at < len(rows) && int(rows[at]-c.First) < c.Rows; at++ {
			copy(m.Row(at), values[int(rows[at]-c.First)*m.Dim:])
		}
	}
	return nil
}

// Scan calls f with all rows, in runs of up to a mebibyte that lie in the file's map:
// they may be read during the call and no longer. f runs in up to workers goroutines,
// numbered from 0, and gets each row once, in any order. The checksums of an embedding
// are verified by the first Scan after the file was opened; the result is remembered.
func (v *RowView) Scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	if v.record.Object == 0 {
		return nil
	}
	return fault.Corrupt(v.t.path, describeEmbedding(v.Info.Name), v.scan(workers, f))
}

func (v *RowView) scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	p, err := v.t.part(v.record.Object, block.RowsName)
	if err != nil {
		return err
	}
	sound := v.t.rows.has(v.record.Object)
	if !sound {
		v.t.readAhead(p.bucket)
	}
	chunks, err := v.chunks(p)
	if err != nil {
		return err
	}
	room := make([][]float32, max(1, workers))
	err = v.t.parallel(len(chunks), len(room), func(worker, i int) error {
		values, err := chunks[i].Values(p.seed, v.Info.Dim, sound, &room[worker])
		if err == nil {
			f(worker, chunks[i].First, values)
		}
		return err
	})
	if err != nil {
		return err
	}
	v.t.rows.add(v.record.Object)
	return nil
}

// chunks lists the records of all rows without reading them.
func (v *RowView) chunks(p part) ([]block.Chunk, error) {
	var list []block.Chunk
	row, all := uint64(0), v.record.Vertices
	cursor := p.bucket.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != row || row >= all {
			return nil, fault.Record("chunk %x where row %d should start", key, row)
		}
		rows, err := block.RowsIn(len(record), v.Info.Dim)
		if err != nil {
			return nil, err
		}
		list = append(list, block.Chunk{Key: key, Record: record, First: uint32(row), Rows: rows})
		row += uint64(rows)
	}
	if row != all {
		return nil, fault.Record("%d rows where the catalogue says %d", row, all)
	}
	return list, nil
}
