package storage

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"

	bolt "go.etcd.io/bbolt"
)

// TestDB_Check_PlantedEdgeValues plants damage into the attributes of edges.
func TestDB_Check_PlantedEdgeValues(t *testing.T) {
	ctx := context.Background()
	columns := func(db *DB) error { _, err := db.EdgeColumns(ctx, "g", 3); return err }
	snapshot := func(db *DB) error { _, err := db.Snapshot(ctx, "g"); return err }
	type entry = block.PlaceValue[block.Arc]
	since := block.ValueList[block.Arc](0, Integer)
	write := func(t *testing.T, root *bolt.Bucket, id uint16, entries ...entry) {
		b, seed := objectBucket(t, root, "graphs", "g", block.EdgeAttrsName)
		record, _ := since.Encode(entries, block.MaxBlock)
		put(t, b, seed, block.AttrKey(id, entries[0].Place), record)
	}
	ab, ac, bc, ad := block.NewArc(0, 1), block.NewArc(0, 2), block.NewArc(1, 2), block.NewArc(0, 3)
	tryPlants(t, []plant{
		{"value of no edge", func(t *testing.T, root *bolt.Bucket) {
			write(t, root, 0, entry{Place: ab, Value: IntegerValue(1)}, entry{Place: ac, Value: IntegerValue(2)}, entry{Place: ad, Value: IntegerValue(3)})
		}, "value of the edge of slots (0, 3), which the graph does not have", columns},
		{"value of an edge from its other end", func(t *testing.T, root *bolt.Bucket) {
			write(t, root, 0, entry{Place: ab, Value: IntegerValue(1)}, entry{Place: ac, Value: IntegerValue(2)}, entry{Place: bc.Reverse(), Value: IntegerValue(3)})
		}, "value of the edge of slots (2, 1)", columns},
		{"value of an edge beyond the graph", func(t *testing.T, root *bolt.Bucket) {
			write(t, root, 0, entry{Place: ab, Value: IntegerValue(1)}, entry{Place: ac, Value: IntegerValue(2)}, entry{Place: block.NewArc(70, 80), Value: IntegerValue(3)})
		}, "value of the edge of slots (70, 80)", columns},
		{"value of another type", func(t *testing.T, root *bolt.Bucket) {
			b, seed := objectBucket(t, root, "graphs", "g", block.EdgeAttrsName)
			reseal(t, b, seed, func(p []byte) []byte { p[0] = byte(Text); return p })
		}, "block of text values", columns},
		{"values missing", func(t *testing.T, root *bolt.Bucket) {
			write(t, root, 0, entry{Place: ab, Value: IntegerValue(1)}, entry{Place: bc, Value: IntegerValue(2)})
		}, "2 values where the catalogue says 3", columns},
		{"all values missing", func(t *testing.T, root *bolt.Bucket) {
			id := uint64(0)
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { id = r.Object })
			if err := root.Bucket(block.ObjectsName).Bucket(block.Key64(id)).DeleteBucket(block.EdgeAttrsName); err != nil {
				t.Fatal(err)
			}
		}, "0 values where the catalogue says", columns},
		{"blocks that overlap", func(t *testing.T, root *bolt.Bucket) {
			write(t, root, 0, entry{Place: ac, Value: IntegerValue(1)})
		}, "do not ascend", columns},
		{"block of no attribute", func(t *testing.T, root *bolt.Bucket) {
			write(t, root, 9, entry{Place: ac, Value: IntegerValue(1)})
		}, "belongs to no attribute", nil},
		{"reserved name", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.EdgeAttributes[0].Name = "weight" })
		}, "weight", snapshot},
		{"more values than edges", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.EdgeAttributes[0].Values = 5 })
		}, "5 values", snapshot},
		{"two attributes of one number", func(t *testing.T, root *bolt.Bucket) {
			changeStruct(t, root, block.GraphsName, "g", func(r *graphs.Record) { r.EdgeAttributes[1].ID = 0 })
		}, "has the number 0", snapshot},
	}, func(db *DB) {
		importText(t, db, "g", "a b\na c\nb c\nc d\n")
		update(t, db, func(x *Tx) error {
			_, err := x.InsertEdges("g", []Edge{
				{Source: "a", Target: "b", Values: []NamedValue{{Name: "since", Value: IntegerValue(1)}, {Name: "kind", Value: TextValue("x")}}},
				{Source: "c", Target: "a", Values: []NamedValue{{Name: "since", Value: IntegerValue(2)}}},
				{Source: "b", Target: "c", Values: []NamedValue{{Name: "since", Value: IntegerValue(3)}}},
			})
			return err
		})
		update(t, db, func(x *Tx) error {
			_, err := x.UpdateEdges("g", []Edge{{Source: "a", Target: "b", Weight: 2}})
			return err
		})
	})
}

// An attribute of edges is renamed and dropped without one of the vertices of the same name.
func TestTx_EdgeAttributes(t *testing.T) {
	ctx := context.Background()
	db := openStore(t, filepath.Join(t.TempDir(), "store"), nil)
	named := func(name string, value Value) []NamedValue { return []NamedValue{{Name: name, Value: value}} }
	update(t, db, func(x *Tx) error {
		if _, err := x.CreateGraph("g"); err != nil {
			return err
		}
		if _, err := x.InsertVertices("g", []Vertex{{Key: "a", Values: named("kind", IntegerValue(1))}}); err != nil {
			return err
		}
		_, err := x.InsertEdges("g", []Edge{{Source: "a", Target: "b", Values: named("kind", TextValue("x"))}, {Source: "c", Target: "c", Values: named("kind", TextValue("y"))}})
		return err
	})
	before, err := db.Graph(ctx, "g")
	if err != nil || !slices.Equal(before.EdgeAttributes, []Attribute{{Name: "kind", Type: Text}}) || !slices.Equal(before.EdgeValues, []int64{1}) {
		t.Fatalf("%+v, %v", before, err)
	}
	for name, c := range map[string]struct {
		kind error
		f    func(x *Tx) error
	}{
		"reserved":     {ErrName, func(x *Tx) error { return x.RenameEdgeAttribute("g", "kind", "weight") }},
		"no attribute": {ErrNotFound, func(x *Tx) error { return x.RenameEdgeAttribute("g", "sort", "art") }},
		"taken":        {ErrExists, func(x *Tx) error { return x.RenameEdgeAttribute("g", "kind", "kind") }},
		"drop none":    {ErrNotFound, func(x *Tx) error { return x.DropEdgeAttribute("g", "sort") }},
		"another type": {ErrInvalid, func(x *Tx) error {
			_, err := x.InsertEdges("g", []Edge{{Source: "a", Target: "b", Values: named("kind", IntegerValue(1))}})
			return err
		}},
		"a name of none": {ErrName, func(x *Tx) error {
			_, err := x.InsertEdges("g", []Edge{{Source: "a", Target: "b", Values: named("time", IntegerValue(1))}})
			return err
		}},
		"remove none": {ErrNotFound, func(x *Tx) error {
			_, err := x.UpdateEdges("g", []Edge{{Source: "a", Target: "b", Values: named("sort", Value{})}})
			return err
		}},
	} {
		if err := db.Update(ctx, c.f); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now, err := db.Graph(ctx, "g"); err != nil || now.Version != before.Version {
		t.Errorf("%+v, %v", now, err)
	}
	update(t, db, func(x *Tx) error { return x.RenameEdgeAttribute("g", "kind", "degree") }) // only vertices have one
	s, vertices, err := db.SnapshotColumns(ctx, "g")
	if err != nil || len(vertices) != 1 || vertices[0].Name != "kind" {
		t.Fatalf("%v, %v", vertices, err)
	}
	columns, err := db.EdgeColumns(ctx, "g", s.Info.Version, "degree")
	if err != nil || len(columns) != 1 || columns[0].Len() != 1 || columns[0].At(0) != TextValue("x") {
		t.Fatalf("%v, %v", columns, err)
	}
	set, err := db.Changes(ctx, "g", before.Version)
	if err != nil || set.EdgesChanged || len(set.Touched) > 0 || set.Versions != 0 {
		t.Errorf("a change of attributes of edges makes embeddings old: %+v, %v", set, err)
	}
	update(t, db, func(x *Tx) error { return x.DropEdgeAttribute("g", "degree") })
	if now, err := db.Graph(ctx, "g"); err != nil || len(now.EdgeAttributes) != 0 || len(now.Attributes) != 1 {
		t.Errorf("%+v, %v", now, err)
	}
	checkStore(t, db)
}

// The file gets the feature with the first value of an edge, and keeps it in copies; without, it has none.
func TestDB_EdgeAttributes_Feature(t *testing.T) {
	ctx := context.Background()
	for name, fill := range map[string]func(db *DB) error{
		"update": func(db *DB) error {
			return db.Update(ctx, func(x *Tx) error {
				_, err := x.InsertEdges("g", []Edge{{Source: "a", Target: "b", Values: []NamedValue{{Name: "kind", Value: TextValue("x")}}}})
				return err
			})
		},
		"graph": func(db *DB) error {
			c := NewColumn(Attribute{Name: "kind", Type: Text}, 1)
			if err := c.Set(0, TextValue("x")); err != nil {
				return err
			}
			_, err := db.PutGraph(ctx, "h", PutGraphRequest{Graph: &csr.Graph{Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}}, EdgeAttributes: []*Column{c}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := openStore(t, filepath.Join(dir, "store"), nil)
			importText(t, db, "g", "a b\n")
			features := func(db *DB) []string {
				s, err := db.Stats(ctx)
				if err != nil {
					t.Fatal(err)
				}
				return s.Features
			}
			if list := features(db); len(list) > 0 {
				t.Errorf("features %q", list)
			}
			if err := fill(db); err != nil {
				t.Fatal(err)
			}
			want := []string{block.FeatureEdgeAttributes}
			if list := features(db); !slices.Equal(list, want) {
				t.Errorf("features %q", list)
			}
			if _, err := db.Compact(ctx, nil); err != nil || !slices.Equal(features(db), want) {
				t.Errorf("compacted: %q, %v", features(db), err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(dir, "recovered")
			if report, err := Recover(ctx, db.Path(), to, RecoverOptions{}); err != nil || len(report.Lost) > 0 {
				t.Fatalf("%+v, %v", report, err)
			}
			again := openStore(t, to, nil)
			if !slices.Equal(features(again), want) {
				t.Errorf("recovered: %q", features(again))
			}
		})
	}
}
