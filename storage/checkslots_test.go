package storage

import (
	"context"
	"math"
	"slices"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"

	bolt "go.etcd.io/bbolt"
)

// put writes a sealed record into a bucket.
func put(t *testing.T, b *bolt.Bucket, seed block.Seed, key, record []byte) {
	t.Helper()
	if err := b.Put(key, seed.Seal(key, record)); err != nil {
		t.Fatal(err)
	}
}

// TestDB_Check_PlantedSlots plants damage into a graph with attributes and an
// empty slot, and into an embedding of it.
func TestDB_Check_PlantedSlots(t *testing.T) {
	ctx := context.Background()
	snapshot := func(db *DB) error { _, err := db.Snapshot(ctx, "g"); return err }
	columns := func(db *DB) error { _, err := db.Columns(ctx, "g", 3); return err }
	embedding := func(db *DB) error { _, _, err := db.Embedding(ctx, "e"); return err }
	ages := block.ValueList[uint32](0, Integer)
	tryPlants(t, []plant{
		{"value of an empty slot", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.AttrsName)
			record, _ := ages.Encode([]block.PlaceValue[uint32]{{Place: 0, Value: IntegerValue(1)}, {Place: 1, Value: IntegerValue(2)}, {Place: 2, Value: IntegerValue(3)}}, block.MaxBlock)
			put(t, b, seed, block.AttrKey(0, uint32(0)), record)
		}, "value of slot 1, which is empty", columns},
		{"value of another type", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.AttrsName)
			reseal(t, b, seed, func(p []byte) []byte { p[0] = byte(Text); return p })
		}, "block of text values", columns},
		{"values missing", func(t *testing.T, root *bolt.Bucket) {
			b, _ := objectBucket(t, root, "graphs", "g", block.AttrsName)
			if err := b.Delete(block.AttrKey(0, uint32(0))); err != nil {
				t.Fatal(err)
			}
		}, "values where the catalogue says", columns},
		{"all values missing", func(t *testing.T, root *bolt.Bucket) {
			id := block.IDOf(block.Key64(0))
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { id = r.Object })
			if err := root.Bucket(block.ObjectsName).Bucket(block.Key64(id)).DeleteBucket(block.AttrsName); err != nil {
				t.Fatal(err)
			}
		}, "0 values where the catalogue says", columns},
		{"blocks that overlap", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.AttrsName)
			record, _ := ages.Encode([]block.PlaceValue[uint32]{{Place: 2, Value: IntegerValue(1)}}, block.MaxBlock)
			put(t, b, seed, block.AttrKey(0, uint32(2)), record)
		}, "do not ascend", columns},
		{"block of no attribute", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.AttrsName)
			record, _ := ages.Encode([]block.PlaceValue[uint32]{{Place: 2, Value: IntegerValue(1)}}, block.MaxBlock)
			put(t, b, seed, block.AttrKey(9, uint32(2)), record)
		}, "belongs to no attribute", nil},
		{"reserved name", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Attributes[0].Name = "degree" })
		}, "degree", snapshot},
		{"two attributes of one number", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.Attributes[1].ID = 0 })
		}, "has the number 0", snapshot},
		{"list of empty slots missing", func(t *testing.T, root *bolt.Bucket) {
			b, _ := objectBucket(t, root, "graphs", "g", block.EmptyName)
			if err := b.Delete(block.Key32(1)); err != nil {
				t.Fatal(err)
			}
		}, "empty slots where the catalogue says", snapshot},
		{"another slot listed as empty", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.EmptyName)
			if err := b.Delete(block.Key32(1)); err != nil {
				t.Fatal(err)
			}
			record, _ := block.EncodeSlots([]uint32{3}, block.MaxBlock)
			put(t, b, seed, block.Key32(3), record)
		}, "listed as empty", snapshot},
		{"key in an empty slot", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.KeysName)
			record, _ := block.KeyList.Encode([]block.KeyEntry{{Slot: 0, Key: []byte("a")}, {Slot: 1, Key: []byte("b")}, {Slot: 2, Key: []byte("c")}, {Slot: 3, Key: []byte("d")}}, block.MaxBlock)
			put(t, b, seed, block.Key32(0), record)
		}, `slot 1 has the key "b"`, snapshot},
		{"id of an empty slot", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.IDsName)
			record, _ := block.IDList.Encode([]block.IDEntry{{Key: []byte("a"), Slot: 0}, {Key: []byte("c"), Slot: 1}, {Key: []byte("d"), Slot: 3}}, block.MaxBlock)
			put(t, b, seed, []byte("a"), record)
		}, `key "c" has slot 1, whose key is ""`, func(db *DB) error { _, err := db.VertexID(ctx, "g", "c"); return err }},
		{"edge of an empty slot", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.ArcsName)
			key, value := b.Cursor().First()
			arcs, _, err := block.DecodeArcValues(nil, key, value[block.ChecksumSize:])
			if err != nil {
				t.Fatal(err)
			}
			more := append([]block.ArcValue{}, arcs...)
			for i, a := range more { // a – c becomes a – b
				if a.Arc == block.NewArc(0, 2) {
					more[i].Arc = block.NewArc(0, 1)
				}
				if a.Arc == block.NewArc(2, 0) {
					more[i].Arc = block.NewArc(1, 0)
				}
			}
			record, count := block.EncodeArcs(more, block.MaxBlock)
			if count != len(more) {
				t.Fatal("more than one block")
			}
			put(t, b, seed, block.ArcKey(0, 1), record)
			if err := b.Delete(block.ArcKey(0, 2)); err != nil {
				t.Fatal(err)
			}
		}, "empty slot 1 has 1 edges", snapshot},
		{"deletion of a live slot", func(t *testing.T, root *bolt.Bucket) {
			var id uint64
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { id = r.ID })
			c := block.Change{Deleted: []uint32{2}}
			put(t, root.Bucket(block.ChangesName), block.SeedOf(block.ChangesName), block.ChangesKey(id, 2, 0), c.Records()[0])
		}, "deletes slot 2, which is not empty", nil},
		{"empty slots of an embedding missing", func(t *testing.T, root *bolt.Bucket) {
			b, _ := objectBucket(t, root, "embeddings", "e", block.EmptyName)
			if err := b.Delete(block.Key32(1)); err != nil {
				t.Fatal(err)
			}
		}, "empty slots where the catalogue says", embedding},
		{"empty slots of an embedding of another graph", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "embeddings", "e", block.EmptyName)
			if err := b.Delete(block.Key32(1)); err != nil {
				t.Fatal(err)
			}
			record, _ := block.EncodeSlots([]uint32{2}, block.MaxBlock)
			put(t, b, seed, block.Key32(2), record)
		}, "slot 2 is empty, but not in its graph", nil},
	}, func(db *DB) {
		importText(t, db, "g", "a b\na c\nb c\nc d\n")
		update(t, db, func(x *Tx) error {
			var vertices []Vertex
			for i, key := range []string{"a", "b", "c", "d"} {
				vertices = append(vertices, Vertex{key, []NamedValue{{Name: "age", Value: IntegerValue(int64(i))}, {Name: "name", Value: TextValue(key)}}})
			}
			_, err := x.InsertVertices("g", vertices)
			return err
		})
		update(t, db, func(x *Tx) error {
			_, err := x.DeleteVertices("g", []string{"b"})
			return err
		})
		if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 3}, constantRows(3, 1)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTx_LogChange_Limit: the log keeps the last versions, whatever was in their
// entries, and does not touch those of other graphs.
func TestTx_LogChange_Limit(t *testing.T) {
	inObject(t, func(x *tree.Tx, _ uint64) error {
		const graph = 77
		many := make([]uint32, 5000) // several records
		for i := range many {
			many[i] = uint32(3 * i)
		}
		versions := func() (list []uint64) {
			err := graphs.ChangesOf(x, graph, 0, func(version uint64, _ *block.Change) error {
				list = append(list, version)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			return list
		}
		for version := uint64(1); version <= 6; version++ {
			for _, id := range []uint64{graph - 1, graph, graph + 1} {
				if err := graphs.LogChange(x, id, version, block.Change{Edges: many, Values: []uint32{1}, Deleted: []uint32{2}}); err != nil {
					return err
				}
			}
		}
		if err := graphs.LogChange(x, graph, block.MaxLog, block.Change{All: true}); err != nil {
			return err
		}
		if got := versions(); len(got) != 7 {
			t.Errorf("the log has versions %d", got)
		}
		if err := graphs.LogChange(x, graph, block.MaxLog+4, block.Change{All: true, Columns: true}); err != nil {
			return err
		}
		if got := versions(); !slices.Equal(got, []uint64{5, 6, block.MaxLog, block.MaxLog + 4}) {
			t.Errorf("the log has versions %d", got)
		}
		l, err := graphs.ChangesSince(x, &graphs.Record{ID: graph + 1, Version: 6, Slots: 20_000, Vertices: 19_999}, 0)
		if err != nil || l.Gap || l.Versions != 6 || l.Deletions != 6 {
			t.Errorf("the log of another graph: %+v, %v", l, err)
		}
		return graphs.DropChanges(x, graph-1, math.MaxUint64)
	})
}
