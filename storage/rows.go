package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
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

	record    *embeddingRecord
	immutable tree.Immutable // the rows, once one of them was read
	places    []rowChunk     // that were found, by row
	runs      rowRuns        // that ReadRow has read
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
	if v.immutable.T != nil {
		return nil
	}
	var err error
	v.immutable, err = v.t.ImmutablePart(v.record.Object, block.RowsName)
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
		key, record, err := v.immutable.Floor(block.Key32(rows[at]))
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
		values, err := c.Values(v.immutable.Part.Seed, m.Dim, v.t.Rows.Has(v.record.Object), &room)
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
// and no longer. f runs in up to workers goroutines (at least one), numbered from 0, and gets each row
// once, in ascending order with one worker and otherwise in any; if Scan returns an error, perhaps rows that are damaged. The checksums of an
// embedding are verified by the first Scan after the file was opened; the result is
// remembered. That Scan reads the file, which takes a third of the time in which the system
// maps its pages, and no memory; the later ones read the file's map.
func (v *RowView) Scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	if v.record.Object == 0 {
		return nil
	}
	scan := v.scan
	if v.t.File != nil && !v.t.Rows.Has(v.record.Object) {
		scan = v.scanFile
	}
	err := scan(max(1, workers), f)
	if err == nil {
		v.t.Rows.Add(v.record.Object)
	}
	return fault.Corrupt(v.t.Path, describeEmbedding(v.Info.Name), err)
}

// scan is Scan in the map.
func (v *RowView) scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	p, err := v.t.Part(v.record.Object, block.RowsName)
	if err != nil {
		return err
	}
	chunks, err := v.chunks(p)
	if err != nil {
		return err
	}
	sound, room := v.t.Rows.Has(v.record.Object), make([][]float32, workers)
	return graphs.Parallel(v.t, len(chunks), workers, func(worker, i int) error {
		values, err := chunks[i].Values(p.Seed, v.Info.Dim, sound, &room[worker])
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
		if c.At >= 0 {
			file.WillNeed(v.t.File, c.At, int64(c.Size))
		}
		chunks = append(chunks, c)
		row += uint64(c.rows)
	}
	readers := make([]block.RowReader, workers)
	return graphs.Parallel(v.t, len(chunks), workers, func(worker, i int) error {
		c := chunks[i]
		return readers[worker].Read(v.immutable.Part.Seed, c.Key, c.Size, v.Info.Dim,
			func(b []byte, at int) error { return v.immutable.Read(c.Located, at, b) },
			func(row int, rows []float32) { f(worker, c.first+uint32(row), rows) })
	})
}

// chunks lists the records of all rows without reading them.
func (v *RowView) chunks(p tree.Part) ([]block.Chunk, error) {
	var list []block.Chunk
	row, all := uint64(0), v.record.Vertices
	cursor := p.Bucket.Cursor()
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

// This file reads single rows and parts of an index in the transaction of a RowView, for a
// search that visits few of them.

// ReadRow fills values, which has one element per dimension, with a row. Unlike Row it
// does not verify the checksum, which covers a mebibyte: the caller verifies the row. It
// reads the file and not its map, because each row that is read in the map makes up to
// 64 KiB of the file count towards the memory of the process.
func (v *RowView) ReadRow(row uint32, values []float32) error {
	if err := v.readRow(row, values); err != nil {
		return fault.Corrupt(v.t.Path, describeEmbedding(v.Info.Name), err)
	}
	return nil
}

func (v *RowView) readRow(row uint32, values []float32) error {
	c, err := v.chunkOf(row)
	if err != nil {
		return err
	}
	if row < c.first || int(row-c.first) >= c.rows || len(values) != v.Info.Dim {
		return fault.Record("no chunk of row %d with %d values", row, len(values))
	}
	stored, err := v.runs.row(v, c, int(row-c.first))
	if err != nil {
		return err
	}
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(stored[4*i:]))
	}
	return nil
}

// row returns the bytes of a row of a chunk, until the next call.
func (r *rowRuns) row(v *RowView, c rowChunk, row int) ([]byte, error) {
	const page, trial = 4096, 512
	size := 4 * v.Info.Dim
	step := max(1, page/size)
	if r.reads++; r.reads > trial && 8*r.found < r.reads {
		step = 1 // the rows are far apart
	}
	first := row - row%step
	key := uint64(c.first) + uint64(first) + 1
	at := 0 // single rows share the first place
	if step > 1 {
		at = int(key/uint64(step)) % len(r.held)
	}
	if need := (at + 1) * max(page, size); len(r.bytes) < need {
		r.bytes = append(r.bytes, make([]byte, need-len(r.bytes))...)
	}
	run := r.bytes[at*max(page, size):][:size*min(step, c.rows-first)]
	if step > 1 && r.held[at] == key {
		r.found++
	} else {
		r.held[at] = 0
		if err := v.immutable.Read(c.Located, block.RowOffset(first, v.Info.Dim), run); err != nil {
			return nil, err
		}
		if step > 1 {
			r.held[at] = key
		}
	}
	return run[(row-first)*size:][:size], nil
}

// chunkOf finds the record that holds a row, if any does.
func (v *RowView) chunkOf(row uint32) (rowChunk, error) {
	after := sort.Search(len(v.places), func(i int) bool { return v.places[i].first > row })
	if after > 0 && int(row-v.places[after-1].first) < v.places[after-1].rows {
		return v.places[after-1], nil
	}
	if err := v.openRows(); err != nil {
		return rowChunk{}, err
	}
	found, ok, err := v.immutable.Locate(block.Key32(row))
	if err != nil {
		return rowChunk{}, err
	}
	if !ok || len(found.Key) != 4 {
		return rowChunk{}, fault.Record("no chunk of row %d", row)
	}
	c := rowChunk{Located: found, first: binary.BigEndian.Uint32(found.Key)}
	if c.rows, err = block.RowsIn(found.Size, v.Info.Dim); err != nil {
		return rowChunk{}, err
	}
	if after == 0 || v.places[after-1].first != c.first {
		v.places = slices.Insert(v.places, after, c)
	}
	return c, nil
}

// IndexView is the stream of an index in the transaction of a RowView. It verifies the
// checksum of each block that is read, once. It belongs to one goroutine.
type IndexView struct {
	Info   IndexInfo
	t      *tree.Tx
	where  string
	record tree.BlobRecord
	part   tree.Immutable
	blocks [][]byte       // payloads that were verified, by block
	places []tree.Located // blocks that were found and not verified; the key is nil for the others
}

// Index returns the stream of the index of the rows by a metric. The error is ErrNotFound
// if there is none.
func (v *RowView) Index(metric string) (*IndexView, error) {
	key := indexKey(v.record.Object, metric)
	r, err := indexKind.find(v.t, key)
	if errors.Is(err, ErrNotFound) {
		err = &NotFoundError{Kind: "index", Name: v.Info.Name + " by " + metric}
	}
	if err != nil {
		return nil, err
	}
	x := &IndexView{Info: r.info(v.Info.Name, v.Info.Generation, metric), t: v.t, where: describeIndex(v.Info.Name, metric), record: r.Stream}
	if x.part, err = v.t.ImmutablePart(r.Stream.Object, block.BlobName); err != nil {
		return nil, fault.Corrupt(v.t.Path, x.where, err)
	}
	x.blocks, x.places = make([][]byte, r.Stream.Blocks()), make([]tree.Located, r.Stream.Blocks())
	return x, nil
}

// ReadAt copies bytes of the stream. Damage is ErrCorrupt.
func (x *IndexView) ReadAt(p []byte, off int64) (int, error) {
	return x.each(p, off, func(number uint64, b []byte, at int) error {
		payload, err := x.block(number)
		copy(b, payload[min(at, len(payload)):])
		return err
	})
}

// Raw reads the same bytes as ReadAt without verifying them, which takes little for a few
// bytes: the caller verifies them.
func (x *IndexView) Raw() io.ReaderAt { return rawView{x} }

type rawView struct{ x *IndexView }

func (r rawView) ReadAt(p []byte, off int64) (int, error) {
	x := r.x
	return x.each(p, off, func(number uint64, b []byte, at int) error {
		place := &x.places[number]
		if place.Key == nil {
			found, ok, err := x.part.Locate(block.Key32(uint32(number)))
			if err == nil && !ok {
				err = fault.Record("block %d of %d is missing", number, x.record.Blocks())
			}
			if err == nil {
				err = x.record.CheckPlace(number, found.Key, found.Size-block.ChecksumSize)
			}
			if err != nil {
				return err
			}
			*place = found
		}
		return x.part.Read(*place, block.ChecksumSize+at, b)
	})
}

// each divides bytes of the stream by block: f gets the number of a block, the bytes of p
// that come from it, and where they begin in it.
func (x *IndexView) each(p []byte, off int64, f func(number uint64, b []byte, at int) error) (int, error) {
	n := 0
	for n < len(p) {
		at := uint64(off) + uint64(n)
		if off < 0 || at >= x.record.Size {
			return n, io.EOF
		}
		size := min(uint64(len(p)-n), tree.BlobBlock-at%tree.BlobBlock, x.record.Size-at)
		if err := f(at/tree.BlobBlock, p[n:n+int(size)], int(at%tree.BlobBlock)); err != nil {
			return n, fault.Corrupt(x.t.Path, x.where, err)
		}
		n += int(size)
	}
	return n, nil
}

// block returns the verified bytes of a block, which alias the map.
func (x *IndexView) block(number uint64) ([]byte, error) {
	if b := x.blocks[number]; b != nil {
		return b, nil
	}
	key, record, err := x.part.Floor(block.Key32(uint32(number)))
	if err != nil {
		return nil, err
	}
	payload, err := x.record.Open(x.part.Part.Seed, number, key, record)
	if err == nil {
		x.blocks[number] = payload
	}
	return payload, err
}
