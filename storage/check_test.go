package storage

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"heavytail/storage/internal/graphs"

	"github.com/vmihailenco/msgpack/v5"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// plant changes the record under a key of a top bucket, or of a part of an object, and
// computes its checksum again: only the meaning of the record shows the damage.
type plant struct {
	name string
	do   func(t *testing.T, root *bolt.Bucket)
	says string // expected in the report of Check
	// if set, reading must also fail
	read func(db *DB) error
}

// objectBucket returns a part of the object of graph "g" or embedding "e".
func objectBucket(t *testing.T, root *bolt.Bucket, catalog, name string, part []byte) (*bolt.Bucket, block.Seed) {
	t.Helper()
	var object uint64
	record := root.Bucket([]byte(catalog)).Get([]byte(name))
	var g struct {
		Object uint64 `msgpack:"object"`
	}
	if err := msgpack.Unmarshal(record[block.ChecksumSize:], &g); err != nil {
		t.Fatal(err)
	}
	object = g.Object
	return root.Bucket(block.ObjectsName).Bucket(block.Key64(object)).Bucket(part), block.PartSeed(object, part)
}

// reseal puts a changed payload under the first key of a bucket.
func reseal(t *testing.T, b *bolt.Bucket, seed block.Seed, change func(payload []byte) []byte) {
	t.Helper()
	key, value := b.Cursor().First()
	payload := change(append([]byte(nil), value[block.ChecksumSize:]...))
	key = append([]byte(nil), key...)
	if err := b.Put(key, sealed(seed, key, payload)); err != nil {
		t.Fatal(err)
	}
}

// changeStruct changes a catalogue record.
func changeStruct[T any](t *testing.T, root *bolt.Bucket, bucket []byte, key string, change func(r *T)) {
	t.Helper()
	b := root.Bucket(bucket)
	var r T
	if err := block.DecodeStruct(bucket, []byte(key), b.Get([]byte(key)), &r); err != nil {
		t.Fatal(err)
	}
	change(&r)
	record, err := block.EncodeStruct(block.SeedOf(bucket), []byte(key), &r)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put([]byte(key), record); err != nil {
		t.Fatal(err)
	}
}

// TestDB_Check_Planted plants damage under valid checksums, and expects Check to find it
// and reads never to return it as an answer.
func TestDB_Check_Planted(t *testing.T) {
	ctx := context.Background()
	snapshot := func(db *DB) error { _, err := db.Snapshot(ctx, "g"); return err }
	embedding := func(db *DB) error { _, _, err := db.Embedding(ctx, "e"); return err }
	tryPlants(t, []plant{
		{"edge in one direction", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte {
				// The first group is 0 → 1, 2: make it 0 → 1, 3.
				p[4]++
				return p
			})
		}, "one direction only", nil},
		{"arc to nowhere", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte { p[4] = 77; return p })
		}, "arc to vertex", snapshot},
		{"trailing bytes", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte { return append(p, 0) })
		}, "after the arcs", snapshot},
		{"unknown flags", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte { p[0] = 8; return p })
		}, "flags", snapshot},
		{"weights of nothing", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte {
				p[0] = block.ArcWeights
				return append(p, bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, int(p[1]))...)
			})
		}, "all 1", snapshot},
		{"weight that nobody counts", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte {
				p[0] = block.ArcWeights
				return append(p, bytes.Repeat([]byte{0, 0, 0, 0x40}, int(p[1]))...)
			})
		}, "than the catalogue says", snapshot},
		{"weights of one direction", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte {
				p[0] = block.ArcWeights
				n := int(p[1])
				// Arc a → b has a weight, and d → c.
				p = append(p, 0, 0, 0, 0x40)
				p = append(p, bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, n-2)...)
				return append(p, 0, 0, 0, 0x40)
			})
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Weighted = 1 })
		}, "two weights", nil},
		{"timestamp of one direction", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte {
				p[0] = block.ArcTimes
				n := int(p[1])
				return append(append(append(p, 1), make([]byte, n-2)...), 1)
			})
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Timed = 1 })
		}, "two timestamps", nil},
		{"missing arcs", func(t *testing.T, root *bolt.Bucket) {
			b, _ := objectBucket(t, root, "graphs", "g", block.ArcsName)
			key, _ := b.Cursor().First()
			if err := b.Delete(key); err != nil {
				t.Fatal(err)
			}
		}, "arcs where the catalogue says", snapshot},
		{"two keys swapped", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.KeysName)
			reseal(t, b, seed, func(p []byte) []byte { p[4], p[6] = p[6], p[4]; return p })
		}, "whose key is", nil},
		{"more vertices than keys", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Vertices, r.Slots = r.Vertices+1, r.Slots+1 })
		}, "keys for", snapshot},
		{"impossible counts", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Edges = 1 << 60 })
		}, "catalogue entry", snapshot},
		{"object of another", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "empty", func(r *graphs.Record) { r.Object, r.Vertices, r.Slots = 1, 4, 4 })
		}, "belongs to", nil},
		{"object missing", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Object = 99 })
		}, "object 99", snapshot},
		{"bucket for a record", func(t *testing.T, root *bolt.Bucket) {
			if _, err := root.Bucket(block.GraphsName).CreateBucket([]byte("deep")); err != nil {
				t.Fatal(err)
			}
		}, "bucket where a record", nil},
		{"not a number", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "embeddings", "e", block.RowsName)
			reseal(t, b, seed, func(p []byte) []byte { copy(p[4:], []byte{0, 0, 0xc0, 0x7f}); return p })
		}, "not finite", embedding},
		{"rows missing", func(t *testing.T, root *bolt.Bucket) {
			b, _ := objectBucket(t, root, "embeddings", "e", block.RowsName)
			if err := b.Delete(block.Key32(0)); err != nil {
				t.Fatal(err)
			}
		}, "rows where the catalogue says", embedding},
		{"embedding without graph", func(t *testing.T, root *bolt.Bucket) {
			if err := root.Bucket(block.GraphsName).Delete([]byte("g")); err != nil {
				t.Fatal(err)
			}
		}, "is missing", nil},
		{"embedding from the future", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.EmbeddingsName, "e", func(r *embeddingRecord) { r.GraphVersion = 9 })
		}, "version 9", nil},
		{"orphaned object", func(t *testing.T, root *bolt.Bucket) {
			if _, err := root.Bucket(block.ObjectsName).CreateBucket(block.Key64(500)); err != nil {
				t.Fatal(err)
			}
		}, "belongs to no entry", nil},
		{"gap in the change log", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Version += 2 })
		}, "ends with version", nil},
		{"hostile catalogue", func(t *testing.T, root *bolt.Bucket) {
			key := []byte("g")
			if err := root.Bucket(block.GraphsName).Put(key, sealed(block.SeedOf(block.GraphsName), key, []byte{0xdd, 0xff, 0xff, 0xff, 0xff})); err != nil {
				t.Fatal(err)
			}
		}, "msgpack declares", snapshot},
		{"foreign record in the trash", func(t *testing.T, root *bolt.Bucket) {
			if err := root.Bucket(block.TrashName).Put([]byte("x"), nil); err != nil {
				t.Fatal(err)
			}
		}, "key of 1 bytes", nil},
	}, func(db *DB) {
		importText(t, db, "g", "a b\na c\nb c\nc d\n")
		if _, err := db.CreateGraph(ctx, "empty"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, constantRows(4, 1)); err != nil {
			t.Fatal(err)
		}
	})
}

// The same for a directed graph: whatever one entry of the list of arcs says of the edges between two
// vertices, the other entry has to say too.
func TestDB_Check_PlantedDirected(t *testing.T) {
	ctx := context.Background()
	snapshot := func(db *DB) error { _, err := db.Snapshot(ctx, "g"); return err }
	directed := func(db *DB) error { _, _, err := db.Directed(ctx, "g"); return err }
	change := func(f func(arcs []block.ArcValue), record func(r *graphs.Record)) func(t *testing.T, root *bolt.Bucket) {
		return func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			key, value := b.Cursor().First()
			arcs, is, err := block.DecodeArcValues(nil, key, value[block.ChecksumSize:])
			if err != nil || !is || len(arcs) != 8 {
				t.Fatal(arcs, is, err)
			}
			f(arcs)
			record2, _ := block.EncodeDirected(arcs, block.MaxBlock)
			if err := b.Put(bytes.Clone(key), sealed(seed, key, record2[block.ChecksumSize:])); err != nil {
				t.Fatal(err)
			}
			if record != nil {
				changeStruct(t, root, block.GraphsName, "g", record)
			}
		}
	}
	// The arcs are a → b and back, a → c, b → c with weight and time, c → d.
	tryPlants(t, []plant{
		{"turned edge", change(func(arcs []block.ArcValue) {
			arcs[1] = block.ArcValue{Arc: arcs[1].Arc, Back: arcs[1].Weight, BackTime: arcs[1].Time} // a ← c
			arcs[7] = block.ArcValue{Arc: arcs[7].Arc, Weight: arcs[7].Back, Time: arcs[7].BackTime} // d → c
		}, nil), "differ in the edges between", nil},
		{"one edge more", change(func(arcs []block.ArcValue) {
			arcs[1].Back, arcs[1].BackTime = 1, csr.NoTime
			arcs[7].Weight, arcs[7].Time = 1, csr.NoTime
		}, func(r *graphs.Record) { r.Arcs++ }), "differ in the edges between", nil},
		{"edge that nobody counts", change(func(arcs []block.ArcValue) { arcs[1].Back, arcs[1].BackTime = 1, csr.NoTime }, nil), "than the catalogue says", directed},
		{"other weight", change(func(arcs []block.ArcValue) { arcs[3].Weight = 3 }, nil), "differ in the edges between", nil},
		{"other time", change(func(arcs []block.ArcValue) { arcs[3].Time++ }, nil), "differ in the edges between", nil},
		{"directions of nothing", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			reseal(t, b, seed, func(p []byte) []byte { p[0] &^= 4; return p })
		}, "after the arcs", directed},
		{"an undirected graph", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Directed, r.Arcs = false, 0 })
		}, "of a directed graph in an undirected one", snapshot},
		{"more edges than pairs allow", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Arcs = 9 })
		}, "9 directed ones", directed},
	}, func(db *DB) {
		if _, err := db.CreateDirected(ctx, "g"); err != nil {
			t.Fatal(err)
		}
		update(t, db, func(x *Tx) error {
			_, err := x.InsertEdges("g", []Edge{{Source: "a", Target: "b"}, {Source: "b", Target: "a"}, {Source: "a", Target: "c"}, {Source: "b", Target: "c", Weight: 2, Time: 7, Timed: true}, {Source: "c", Target: "d"}})
			return err
		})
	})
}

// tryPlants plants each damage into a separate store, which fill fills.
func tryPlants(t *testing.T, plants []plant, fill func(db *DB)) {
	ctx := context.Background()
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			db := newStore(t, nil)
			fill(db)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			withRoot(t, db.Path(), func(root *bolt.Bucket) error { p.do(t, root); return nil })
			db, err := Open(db.Path(), &Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			report, err := db.Check(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, fault := range report.Faults {
				found = found || strings.Contains(fault.What, p.says)
				if fault.Where == "" || fault.Remedy == "" {
					t.Errorf("fault without place or remedy: %+v", fault)
				}
			}
			if !found {
				t.Errorf("faults %+v, want one that says %q", report.Faults, p.says)
			}
			if p.read != nil {
				if err := p.read(db); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), db.Path()) {
					t.Errorf("reading gives %v", err)
				}
			}
		})
	}
}

// TestOpen_CyclicTree makes a page point to its parent: bbolt would recurse until the
// process dies.
func TestOpen_CyclicTree(t *testing.T) {
	db := newStore(t, nil)
	importText(t, db, "g", killText())
	putRing(t, db, "other", 10)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path := db.Path()
	damaged := false
	editPages(t, path, func(data []byte) bool {
		if block.Native.Uint16(data[8:]) != page.BranchFlag {
			return false
		}
		damaged = true
		block.Native.PutUint64(data[page.HeadSize+8:], block.Native.Uint64(data)) // its first child is itself
		return true
	})
	if !damaged {
		t.Fatal("the file has no branch page; make it larger")
	}
	before := fileSum(t, path)
	for _, readOnly := range []bool{false, true} {
		testCyclicTree(t, path, readOnly)
	}
	if before != fileSum(t, path) {
		t.Error("the damaged file was written to")
	}
}

func testCyclicTree(t *testing.T, path string, readOnly bool) {
	db, err := Open(path, &Options{ReadOnly: readOnly})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 2 {
		_, err := db.CreateGraph(context.Background(), "new")
		if (!readOnly && !errors.Is(err, ErrCorrupt)) || (readOnly && !errors.Is(err, ErrReadOnly)) {
			t.Errorf("write: %v", err)
		}
	}
	report, err := db.Check(context.Background(), nil)
	if err != nil || report.OK() {
		t.Errorf("%+v, %v", report, err)
	}
	if _, err := db.Snapshot(context.Background(), "g"); !errors.Is(err, ErrCorrupt) {
		t.Errorf("damaged graph: %v; faults %+v", err, report.Faults)
	}
	if _, err := db.Snapshot(context.Background(), "other"); err != nil {
		t.Errorf("sound graph: %v", err)
	}
}
