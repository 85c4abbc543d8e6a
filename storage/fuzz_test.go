package storage

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"

	"github.com/vmihailenco/msgpack/v5"
)

// sealed returns the record with a valid checksum, as a hostile writer would make it.
func sealed(seed block.Seed, key, payload []byte) []byte {
	return seed.Seal(key, append(make([]byte, block.ChecksumSize), payload...))
}

// FuzzRecord decodes any bytes as catalogue records under a right checksum:
// they decode or give fault.ErrRecord, in little memory.
func FuzzRecord(f *testing.F) {
	good, err := msgpack.Marshal(&embeddingRecord{Graph: "g", GraphID: 1, Options: []Setting{{"a", "b"}}, Eigenvalues: []float64{1, 2}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, hostile := range hostileMsgpack() {
		f.Add(hostile)
	}
	seed := block.SeedOf(block.EmbeddingsName)
	f.Fuzz(func(t *testing.T, payload []byte) {
		record := sealed(seed, []byte("k"), payload)
		for _, into := range []any{new(graphs.Record), new(embeddingRecord), new(tree.JournalRecord)} {
			if err := block.DecodeStruct(block.EmbeddingsName, []byte("k"), record, into); err != nil && !errors.Is(err, fault.ErrRecord) {
				t.Errorf("%v", err)
			}
		}
		if _, err := block.DecodeHeader(sealed(block.HeaderSeed, block.HeaderKey, payload)); err != nil && !errors.Is(err, fault.ErrRecord) && !errors.Is(err, ErrVersion) {
			t.Errorf("%v", err)
		}
	})
}

// hostileMsgpack are the inputs that make the decoder allocate gigabytes or
// overflow the stack.
func hostileMsgpack() [][]byte {
	object := append([]byte{0x81, 0xab}, "eigenvalues"...) // a map with one field of ours
	list := [][]byte{
		{0xdd, 0x10, 0, 0, 0},
		{0xdd, 0xff, 0xff, 0xff, 0xff},
		{0xdf, 0xff, 0xff, 0xff, 0xff},
		{0xc6, 0xff, 0xff, 0xff, 0xff},
		append(slices.Clone(object), 0xdd, 0x10, 0, 0, 0),
		append(slices.Clone(object), 0xdd, 0xff, 0xff, 0xff, 0xff),
		bytes.Repeat([]byte{0x91}, 3<<20),
		append([]byte{0x81, 0xa1, 'x'}, bytes.Repeat([]byte{0x91}, 1<<20)...), // an unknown field
		{0xc7, 0, 1}, {0xd4, 1, 1}, {0xc1}, {}, {0x81}, {0xa5, 'a'}, {0xc0, 0xc0},
	}
	return list
}

// The inputs above must be refused without allocating the memory that they declare.
func TestRecord_Hostile(t *testing.T) {
	seed := block.SeedOf(block.EmbeddingsName)
	for i, payload := range hostileMsgpack() {
		record := sealed(seed, []byte("k"), payload)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := block.DecodeStruct(block.EmbeddingsName, []byte("k"), record, new(embeddingRecord))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, fault.ErrRecord) {
			t.Errorf("input %d: %v", i, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("input %d took %d bytes", i, used)
		}
	}
}
