package block

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/sample"
)

// The checksum covers the bucket, the key and the value.
func TestRecord_Checksum(t *testing.T) {
	seed, key := SeedOf(ObjectsName, Key64(7), ArcsName), []byte("key")
	record := seed.Seal(key, append(make([]byte, ChecksumSize), "payload"...))
	if payload, err := seed.Open(key, record); err != nil || string(payload) != "payload" {
		t.Fatalf("%q, %v", payload, err)
	}
	for name, err := range map[string]error{
		"another object": openError(SeedOf(ObjectsName, Key64(8), ArcsName), key, record),
		"another part":   openError(SeedOf(ObjectsName, Key64(7), IDsName), key, record),
		"another key":    openError(seed, []byte("kez"), record),
		"key cut":        openError(seed, []byte("ke"), record),
		"value cut":      openError(seed, key, record[:len(record)-1]),
		"no checksum":    openError(seed, key, record[:2]),
	} {
		if !errors.Is(err, fault.ErrRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func openError(seed Seed, key, record []byte) error {
	_, err := seed.Open(key, record)
	return err
}

// FuzzArcBlock: what decodes ascends, is in range, has no loops and only valid
// values, and is encoded back to the same bytes.
func FuzzArcBlock(f *testing.F) {
	plain := sample.Graph(200, 900, 5)
	for _, g := range []*csr.Graph{plain, sample.WithValues(plain, 5, 0), sample.WithValues(plain, 0, 5), sample.WithValues(plain, 1, 1)} {
		for e := NewArcEncoder(g, 0); ; {
			key, record := e.Next()
			if key == nil {
				break
			}
			f.Add(key, record[ChecksumSize:])
		}
	}
	for _, d := range []*csr.Directed{sample.Directed(plain, 0, 0), sample.Directed(plain, 5, 0), sample.Directed(plain, 1, 1)} {
		key, record := NewDirectedEncoder(d, 0).Next()
		f.Add(key, record[ChecksumSize:])
	}
	f.Add(make([]byte, 8), []byte{0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		var block ArcBlock
		if err := block.Decode(key, payload); err != nil {
			if !errors.Is(err, fault.ErrRecord) {
				t.Error(err)
			}
			return
		}
		valid := func(v ArcValue) bool { return ValidWeight(v.Weight) && v.Back == 0 && v.BackTime == 0 }
		if block.directed {
			valid = func(v ArcValue) bool {
				one := func(weight float32, time int64) bool { return weight == 0 && time == 0 || ValidWeight(weight) }
				return one(v.Weight, v.Time) && one(v.Back, v.BackTime) && (v.Weight != 0 || v.Back != 0)
			}
		}
		var arcs []ArcValue
		for i, a := range block.Arcs {
			v := block.At(i)
			if i > 0 && block.Arcs[i-1] >= a {
				t.Fatalf("arcs do not ascend: %v", block.Arcs)
			}
			if a.Source() == a.Target() || a.Source() >= MaxVertices || a.Target() >= MaxVertices || !valid(v) {
				t.Fatalf("arc (%d, %d) with weight %v", a.Source(), a.Target(), v.Weight)
			}
			arcs = append(arcs, v)
		}
		encode := EncodeArcs
		if block.directed {
			encode = EncodeDirected
		}
		record, count := encode(arcs, math.MaxInt)
		if count != len(arcs) || !bytes.Equal(record[ChecksumSize:], payload) || !bytes.Equal(key, Key64(uint64(arcs[0].Arc))) {
			t.Fatalf("%d arcs are encoded back as %d in %x, were %x", len(arcs), count, record[ChecksumSize:], payload)
		}
	})
}

// FuzzKeyBlock: what decodes is encoded back to the same bytes.
func FuzzKeyBlock(f *testing.F) {
	keys := keySetOf(sample.Keys(300))
	key, record, _ := NextKeyBlock(&keys, 0)
	f.Add(key, record[ChecksumSize:])
	order, err := keys.ByKey(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	key, record, _ = NextIDBlock(&keys, order, 0)
	f.Add(key, record[ChecksumSize:])
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		keys := NewKeySet(0)
		err := DecodeKeys(&keys, key, payload)
		if err != nil && !errors.Is(err, fault.ErrRecord) {
			t.Error(err)
		}
		if err == nil && len(payload)+ChecksumSize <= MaxBlock-4 {
			again, record, count := NextKeyBlock(&keys, 0)
			if count != keys.Len() || !bytes.Equal(again, key) || !bytes.Equal(record[ChecksumSize:], payload) {
				t.Fatalf("%d keys are encoded back as %d in %x, were %x", keys.Len(), count, record[ChecksumSize:], payload)
			}
		}
		last := ""
		err = DecodeIDs(key, payload, func(k []byte, _ uint32) error {
			if string(k) <= last {
				return fmt.Errorf("%q after %q", k, last)
			}
			last = string(k)
			return nil
		})
		if err != nil && !errors.Is(err, fault.ErrRecord) {
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
		var c Change
		err := c.Decode(one)
		if err == nil {
			err = c.Decode(two)
		}
		if err != nil {
			if !errors.Is(err, fault.ErrRecord) {
				t.Error(err)
			}
			return
		}
		for _, list := range [][]uint32{c.Edges, c.Values, c.Deleted} {
			if !slices.IsSorted(list) {
				t.Errorf("%v", list)
			}
		}
		var again Change
		for _, record := range c.Records() {
			if err := again.Decode(record[ChecksumSize:]); err != nil {
				t.Fatal(err)
			}
		}
		if again.All != c.All || again.Columns != c.Columns || !slices.Equal(again.Edges, c.Edges) || !slices.Equal(again.Values, c.Values) || !slices.Equal(again.Deleted, c.Deleted) {
			t.Fatalf("%+v is read back as %+v", c, again)
		}
	})
}
