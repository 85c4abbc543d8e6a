package storage

import (
	"encoding/binary"
	"errors"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
	"io"
	"math"
	"slices"
	"sort"
)

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
		if err := v.lasting.Read(c.Located, block.RowOffset(first, v.Info.Dim), run); err != nil {
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
	found, ok, err := v.lasting.Locate(block.Key32(row))
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
	part   tree.Lasting
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
	if x.part, err = v.t.LastingPart(r.Stream.Object, block.BlobName); err != nil {
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
