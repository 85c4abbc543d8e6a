package storage

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"sort"
	"unsafe"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// This file reads single rows and parts of an index in the transaction of a RowView, for a
// search that visits few of them.

// ReadRow fills values, which has one element per dimension, with a row. Unlike Row it
// does not verify the checksum, which covers a mebibyte: the caller verifies the row. It
// reads the file and not its map, because each row that is read in the map makes up to
// 64 KiB of the file count towards the memory of the process.
func (v *RowView) ReadRow(row uint32, values []float32) error {
	return fault.Corrupt(v.t.path, describeEmbedding(v.Info.Name), v.readRow(row, values))
}

func (v *RowView) readRow(row uint32, values []float32) error {
	if v.places == nil {
		p, err := v.t.part(v.record.Object, block.RowsName)
		if err != nil {
			return err
		}
		if v.places, err = v.chunks(p); err != nil {
			return err
		}
	}
	i := sort.Search(len(v.places), func(i int) bool { return v.places[i].First > row }) - 1
	if i < 0 || uint64(row) >= uint64(v.places[i].First)+uint64(v.places[i].Rows) || len(values) != v.Info.Dim {
		return fault.Record("no chunk of row %d with %d values", row, len(values))
	}
	c := v.places[i]
	stored := c.Row(int(row-c.First), v.Info.Dim)
	if at, ok := v.t.offset(stored); ok {
		if len(v.room) < len(stored) {
			v.room = make([]byte, len(stored))
		}
		room := v.room[:len(stored)]
		if _, err := v.t.file.ReadAt(room, at); err == nil {
			stored = room
		}
	}
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(stored[4*i:]))
	}
	return nil
}

// offset returns where bytes of the map are in the file; false if they are not in the map,
// or the file cannot be read beside bbolt.
func (t *tx) offset(b []byte) (int64, bool) {
	if t.file == nil {
		return 0, false
	}
	btx := t.root.Tx()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - btx.DB().Info().Data
	return int64(at), uint64(at)+uint64(len(b)) <= uint64(btx.Size())
}

// IndexView is the stream of an index in the transaction of a RowView. It verifies the
// checksum of each block that is read, once. It belongs to one goroutine.
type IndexView struct {
	Info   IndexInfo
	t      *tx
	where  string
	record blobRecord
	part   part
	blocks [][]byte // payloads that were verified, by block
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
	if x.part, err = v.t.part(r.Stream.Object, block.BlobName); err != nil {
		return nil, fault.Corrupt(v.t.path, x.where, err)
	}
	x.blocks = make([][]byte, r.Stream.blocks())
	return x, nil
}

// ReadAt copies bytes of the stream. Damage is ErrCorrupt.
func (x *IndexView) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		at := uint64(off) + uint64(n)
		if off < 0 || at >= x.record.Size {
			return n, io.EOF
		}
		payload, err := x.block(at / blobBlock)
		if err != nil {
			return n, fault.Corrupt(x.t.path, x.where, err)
		}
		n += copy(p[n:], payload[at%blobBlock:])
	}
	return n, nil
}

// block returns the verified bytes of a block, which alias the map.
func (x *IndexView) block(number uint64) ([]byte, error) {
	if b := x.blocks[number]; b != nil {
		return b, nil
	}
	key, record := x.part.bucket.Cursor().Seek(block.Key32(uint32(number)))
	payload, err := x.record.open(x.part.seed, number, key, record)
	if err == nil {
		x.blocks[number] = payload
	}
	return payload, err
}
