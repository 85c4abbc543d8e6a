package storage

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"heavytail/storage/csr"
)

// sealed is the record with a right checksum: what a hostile writer would make.
func sealed(seed bucketSeed, key, payload []byte) []byte {
	return seed.seal(key, append(make([]byte, sumSize), payload...))
}

// FuzzRecord decodes any bytes as catalogue records under a right checksum:
// they decode or give errRecord, in little memory.
func FuzzRecord(f *testing.F) {
	good, err := msgpack.Marshal(&embeddingRecord{Graph: "g", GraphID: 1, Options: []settingRecord{{"a", "b"}}, Eigenvalues: []float64{1, 2}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, hostile := range hostileMsgpack() {
		f.Add(hostile)
	}
	seed := seedOf(embeddingsName)
	f.Fuzz(func(t *testing.T, payload []byte) {
		record := sealed(seed, []byte("k"), payload)
		for _, into := range []any{new(graphRecord), new(embeddingRecord), new(journalRecord)} {
			if err := decodeStruct(seed, []byte("k"), record, into); err != nil && !errors.Is(err, errRecord) {
				t.Errorf("%v", err)
			}
		}
		if _, err := decodeHeader(sealed(headerSeed, headerKey, payload)); err != nil && !errors.Is(err, errRecord) && !errors.Is(err, ErrVersion) {
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

// The inputs above must be refused, and without the memory that they ask for.
func TestRecord_Hostile(t *testing.T) {
	seed := seedOf(embeddingsName)
	for i, payload := range hostileMsgpack() {
		record := sealed(seed, []byte("k"), payload)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := decodeStruct(seed, []byte("k"), record, new(embeddingRecord))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, errRecord) {
			t.Errorf("input %d: %v", i, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("input %d took %d bytes", i, used)
		}
	}
}

// The checksum covers the bucket, the key and the value.
func TestRecord_Checksum(t *testing.T) {
	seed, key := partSeed(7, arcsName), []byte("key")
	record := sealed(seed, key, []byte("payload"))
	if payload, err := seed.open(key, record); err != nil || string(payload) != "payload" {
		t.Fatalf("%q, %v", payload, err)
	}
	for name, err := range map[string]error{
		"another object": openError(partSeed(8, arcsName), key, record),
		"another part":   openError(partSeed(7, idsName), key, record),
		"another key":    openError(seed, []byte("kez"), record),
		"key cut":        openError(seed, []byte("ke"), record),
		"value cut":      openError(seed, key, record[:len(record)-1]),
		"no checksum":    openError(seed, key, record[:2]),
	} {
		if !errors.Is(err, errRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func openError(seed bucketSeed, key, record []byte) error {
	_, err := seed.open(key, record)
	return err
}

// FuzzArcBlock: what decodes ascends, is in range, has no loops and only valid
// values, and is encoded back to the same bytes.
func FuzzArcBlock(f *testing.F) {
	plain := randomGraph(200, 900, 5)
	for _, g := range []*csr.Graph{plain, withValues(plain, 5, 0), withValues(plain, 0, 5), withValues(plain, 1, 1)} {
		for e := newArcEncoder(g, 0); ; {
			key, record := e.next()
			if key == nil {
				break
			}
			f.Add(key, record[sumSize:])
		}
	}
	f.Add(make([]byte, 8), []byte{0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		var block arcBlock
		if err := block.decode(key, payload); err != nil {
			if !errors.Is(err, errRecord) {
				t.Error(err)
			}
			return
		}
		var arcs []arcValue
		for i, a := range block.arcs {
			v := block.at(i)
			if i > 0 && block.arcs[i-1] >= a {
				t.Fatalf("arcs do not ascend: %v", block.arcs)
			}
			if a.source() == a.target() || a.source() >= maxVertices || a.target() >= maxVertices || !validWeight(v.weight) {
				t.Fatalf("arc (%d, %d) with weight %v", a.source(), a.target(), v.weight)
			}
			arcs = append(arcs, v)
		}
		record, count := encodeArcs(arcs, math.MaxInt)
		if count != len(arcs) || !bytes.Equal(record[sumSize:], payload) || !bytes.Equal(key, be64(uint64(arcs[0].arc))) {
			t.Fatalf("%d arcs are encoded back as %d in %x, were %x", len(arcs), count, record[sumSize:], payload)
		}
	})
}

// FuzzKeyBlock: what decodes is encoded back to the same bytes.
func FuzzKeyBlock(f *testing.F) {
	keys := randomKeys(300)
	key, record, _ := nextKeyBlock(&keys, 0)
	f.Add(key, record[sumSize:])
	order, err := keys.byKey(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	key, record, _ = nextIDBlock(&keys, order, 0)
	f.Add(key, record[sumSize:])
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		keys := newKeySet(0)
		err := decodeKeys(&keys, key, payload)
		if err != nil && !errors.Is(err, errRecord) {
			t.Error(err)
		}
		if err == nil && len(payload)+sumSize <= maxBlock-4 {
			again, record, count := nextKeyBlock(&keys, 0)
			if count != keys.len() || !bytes.Equal(again, key) || !bytes.Equal(record[sumSize:], payload) {
				t.Fatalf("%d keys are encoded back as %d in %x, were %x", keys.len(), count, record[sumSize:], payload)
			}
		}
		last := ""
		err = decodeIDs(key, payload, func(k []byte, _ uint32) error {
			if string(k) <= last {
				return fmt.Errorf("%q after %q", k, last)
			}
			last = string(k)
			return nil
		})
		if err != nil && !errors.Is(err, errRecord) {
			t.Error(err)
		}
	})
}

// FuzzChange: the slots of each kind ascend, and what decodes is written again
// as the same records.
func FuzzChange(f *testing.F) {
	f.Add([]byte{0, 3, 0, 5, 0, 200, 1}, []byte{1, 0, 0})
	f.Add([]byte{2, 1, 0, 7}, []byte{4, 2, 0, 5, 1})
	f.Add([]byte{1, 0, 0}, []byte{3, 0, 0})
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var c change
		err := c.decode(one)
		if err == nil {
			err = c.decode(two)
		}
		if err != nil {
			if !errors.Is(err, errRecord) {
				t.Error(err)
			}
			return
		}
		for _, list := range [][]uint32{c.edges, c.values, c.deleted} {
			if !slices.IsSorted(list) {
				t.Errorf("%v", list)
			}
		}
		var again change
		for _, record := range c.records() {
			if err := again.decode(record[sumSize:]); err != nil {
				t.Fatal(err)
			}
		}
		if again.all != c.all || again.columns != c.columns || !slices.Equal(again.edges, c.edges) || !slices.Equal(again.values, c.values) || !slices.Equal(again.deleted, c.deleted) {
			t.Fatalf("%+v is read back as %+v", c, again)
		}
	})
}

// FuzzMeta: any first bytes of a file give an answer.
func FuzzMeta(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0xed, 0xda, 0x0c, 0xed}, 4096))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, _, err := readMeta(bytes.NewReader(file), int64(len(file)))
		if err == nil && m.highWater*uint64(m.pageSize) > uint64(len(file)) {
			t.Errorf("%+v in %d bytes", m, len(file))
		}
	})
}
