package storage

import (
	"context"
	"encoding/binary"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
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
	runs    rowRuns    // that ReadRow has read
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

// Scan calls f with all rows, in runs of up to a mebibyte: they may be read during the call
// and no longer. f runs in up to workers goroutines, numbered from 0, and gets each row once,
// in any order; if Scan returns an error, perhaps rows that are damaged. The checksums of an
// embedding are verified by the first Scan after the file was opened; the result is
// remembered. That Scan reads the file, which takes a third of the time in which the system
// maps its pages, and no memory; the later ones read the file's map.
func (v *RowView) Scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	if v.record.Object == 0 {
		return nil
	}
	scan := v.scan
	if v.t.file != nil && !v.t.rows.has(v.record.Object) {
		scan = v.scanFile
	}
	err := scan(max(1, workers), f)
	if err == nil {
		v.t.rows.add(v.record.Object)
	}
	return fault.Corrupt(v.t.path, describeEmbedding(v.Info.Name), err)
}

// scan is Scan in the map.
func (v *RowView) scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	p, err := v.t.part(v.record.Object, block.RowsName)
	if err != nil {
		return err
	}
	chunks, err := v.chunks(p)
	if err != nil {
		return err
	}
	sound, room := v.t.rows.has(v.record.Object), make([][]float32, workers)
	return v.t.parallel(len(chunks), workers, func(worker, i int) error {
		values, err := chunks[i].Values(p.seed, v.Info.Dim, sound, &room[worker])
		if err == nil {
			f(worker, chunks[i].First, values)
		}
		return err
	})
}

// scanFile is the first Scan, which verifies the rows.
func (v *RowView) scanFile(workers int, f func(worker int, first uint32, rows []float32)) error {
	if err := v.openRows(); err != nil {
		return err
	}
	var chunks []rowChunk
	for row := uint64(0); row < v.record.Vertices; {
		c, err := v.chunkOf(uint32(row))
		if err != nil {
			return err
		}
		if uint64(c.first) != row || row+uint64(c.rows) > v.record.Vertices {
			return fault.Record("chunk of %d rows from %d where row %d of %d should start", c.rows, c.first, row, v.record.Vertices)
		}
		if c.at >= 0 {
			file.WillNeed(v.t.file, c.at, int64(c.size))
		}
		chunks = append(chunks, c)
		row += uint64(c.rows)
	}
	readers := make([]block.RowReader, workers)
	return v.t.parallel(len(chunks), workers, func(worker, i int) error {
		c := chunks[i]
		return readers[worker].Read(v.lasting.part.seed, c.key, c.size, v.Info.Dim,
			func(b []byte, at int) error { return v.lasting.read(c.located, at, b) },
			func(row int, rows []float32) { f(worker, c.first+uint32(row), rows) })
	})
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
