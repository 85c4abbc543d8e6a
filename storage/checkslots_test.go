package storage

import (
	"context"
	"math"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// put writes a sealed record into a bucket.
func put(t *testing.T, b *bolt.Bucket, seed bucketSeed, key, record []byte) {
	t.Helper()
	if err := b.Put(key, seed.seal(key, record)); err != nil {
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
	ages := valueList(attributeRecord{ID: 0, Type: Integer})
	tryPlants(t, []plant{
		{"value of an empty slot", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", attrsName)
			record, _ := ages.encode([]slotValue{{0, IntegerValue(1)}, {1, IntegerValue(2)}, {2, IntegerValue(3)}}, maxBlock)
			put(t, b, seed, attrKey(0, 0), record)
		}, "value of slot 1, which is empty", columns},
		{"value of another type", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", attrsName)
			reseal(t, b, seed, func(p []byte) []byte { p[0] = byte(Text); return p })
		}, "block of text values", columns},
		{"values missing", func(t *testing.T, root *bolt.Bucket) {
			b, _ := objectBucket(t, root, "graphs", "g", attrsName)
			if err := b.Delete(attrKey(0, 0)); err != nil {
				t.Fatal(err)
			}
		}, "values where the catalogue says", columns},
		{"all values missing", func(t *testing.T, root *bolt.Bucket) {
			id := bytesToID(be64(0))
			changeStruct(t, root, graphsName, "g", func(r *graphRecord) { id = r.Object })
			if err := root.Bucket(objectsName).Bucket(be64(id)).DeleteBucket(attrsName); err != nil {
				t.Fatal(err)
			}
		}, "0 values where the catalogue says", columns},
		{"blocks that overlap", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", attrsName)
			record, _ := ages.encode([]slotValue{{2, IntegerValue(1)}}, maxBlock)
			put(t, b, seed, attrKey(0, 2), record)
		}, "do not ascend", columns},
		{"block of no attribute", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", attrsName)
			record, _ := ages.encode([]slotValue{{2, IntegerValue(1)}}, maxBlock)
			put(t, b, seed, attrKey(9, 2), record)
		}, "belongs to no attribute", nil},
		{"reserved name", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, graphsName, "g", func(r *graphRecord) { r.Attributes[0].Name = "degree" })
		}, "degree", snapshot},
		{"two attributes of one number", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, graphsName, "g", func(r *graphRecord) { r.Attributes[1].ID = 0 })
		}, "has the number 0", snapshot},
		{"list of empty slots missing", func(t *testing.T, root *bolt.Bucket) {
			b, _ := objectBucket(t, root, "graphs", "g", emptyName)
			if err := b.Delete(be32(1)); err != nil {
				t.Fatal(err)
			}
		}, "empty slots where the catalogue says", snapshot},
		{"another slot listed as empty", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", emptyName)
			if err := b.Delete(be32(1)); err != nil {
				t.Fatal(err)
			}
			record, _ := encodeSlots([]uint32{3}, maxBlock)
			put(t, b, seed, be32(3), record)
		}, "listed as empty", snapshot},
		{"key in an empty slot", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", keysName)
			record, _ := keyList.encode([]keyEntry{{0, []byte("a")}, {1, []byte("b")}, {2, []byte("c")}, {3, []byte("d")}}, maxBlock)
			put(t, b, seed, be32(0), record)
		}, `slot 1 has the key "b"`, snapshot},
		{"id of an empty slot", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", idsName)
			record, _ := idList.encode([]idEntry{{[]byte("a"), 0}, {[]byte("c"), 1}, {[]byte("d"), 3}}, maxBlock)
			put(t, b, seed, []byte("a"), record)
		}, `key "c" has slot 1, whose key is ""`, func(db *DB) error { _, err := db.VertexID(ctx, "g", "c"); return err }},
		{"edge of an empty slot", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", arcsName)
			key, value := b.Cursor().First()
			arcs, err := decodeArcValues(nil, key, value[sumSize:])
			if err != nil {
				t.Fatal(err)
			}
			more := append([]arcValue{}, arcs...)
			for i, a := range more { // a – c becomes a – b
				if a.arc == newArc(0, 2) {
					more[i].arc = newArc(0, 1)
				}
				if a.arc == newArc(2, 0) {
					more[i].arc = newArc(1, 0)
				}
			}
			record, count := encodeArcs(more, maxBlock)
			if count != len(more) {
				t.Fatal("more than one block")
			}
			put(t, b, seed, arcKey(0, 1), record)
			if err := b.Delete(arcKey(0, 2)); err != nil {
				t.Fatal(err)
			}
		}, "empty slot 1 has 1 edges", snapshot},
		{"deletion of a live slot", func(t *testing.T, root *bolt.Bucket) {
			var id uint64
			changeStruct(t, root, graphsName, "g", func(r *graphRecord) { id = r.ID })
			c := change{deleted: []uint32{2}}
			put(t, root.Bucket(changesName), seedOf(changesName), changesKey(id, 2, 0), c.records()[0])
		}, "deletes slot 2, which is not empty", nil},
		{"empty slots of an embedding missing", func(t *testing.T, root *bolt.Bucket) {
			b, _ := objectBucket(t, root, "embeddings", "e", emptyName)
			if err := b.Delete(be32(1)); err != nil {
				t.Fatal(err)
			}
		}, "empty slots where the catalogue says", embedding},
		{"empty slots of an embedding of another graph", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "embeddings", "e", emptyName)
			if err := b.Delete(be32(1)); err != nil {
				t.Fatal(err)
			}
			record, _ := encodeSlots([]uint32{2}, maxBlock)
			put(t, b, seed, be32(2), record)
		}, "slot 2 is empty, but not in its graph", nil},
	}, func(db *DB) {
		importText(t, db, "g", "a b\na c\nb c\nc d\n")
		update(t, db, func(x *Tx) error {
			var vertices []Vertex
			for i, key := range []string{"a", "b", "c", "d"} {
				vertices = append(vertices, Vertex{key, []NamedValue{{"age", IntegerValue(int64(i))}, {"name", TextValue(key)}}})
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
	inObject(t, func(x *tx, _ uint64) error {
		const graph = 77
		many := make([]uint32, 5000) // several records
		for i := range many {
			many[i] = uint32(3 * i)
		}
		versions := func() (list []uint64) {
			err := x.changesOf(graph, 0, func(version uint64, _ *change) error {
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
				if err := x.logChange(id, version, change{edges: many, values: []uint32{1}, deleted: []uint32{2}}); err != nil {
					return err
				}
			}
		}
		if err := x.logChange(graph, maxLog, change{all: true}); err != nil {
			return err
		}
		if got := versions(); len(got) != 7 {
			t.Errorf("the log has versions %d", got)
		}
		if err := x.logChange(graph, maxLog+4, change{all: true, columns: true}); err != nil {
			return err
		}
		if got := versions(); !slices.Equal(got, []uint64{5, 6, maxLog, maxLog + 4}) {
			t.Errorf("the log has versions %d", got)
		}
		l, err := x.changesSince(&graphRecord{ID: graph + 1, Version: 6, Slots: 20_000, Vertices: 19_999}, 0)
		if err != nil || l.gap || l.versions != 6 || l.deletions != 6 {
			t.Errorf("the log of another graph: %+v, %v", l, err)
		}
		return x.dropChanges(graph-1, math.MaxUint64)
	})
}
