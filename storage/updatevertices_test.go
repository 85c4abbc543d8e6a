package storage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/vec"
)

// update runs f in a transaction and fails the test where that fails.
func update(t testing.TB, db *DB, f func(x *Tx) error) {
	t.Helper()
	if err := db.Update(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

// TestTx_Vertices follows a few vertices by hand.
func TestTx_Vertices(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	importText(t, db, "g", "a b\nb c\nc a\nc d\n")
	update(t, db, func(x *Tx) error {
		stats, err := x.InsertVertices("g", []Vertex{
			{"a", []NamedValue{{Name: "age", Value: IntegerValue(41)}, {Name: "city", Value: TextValue("Bern")}}},
			{"e", []NamedValue{{Name: "score", Value: FloatValue(0.5)}, {Name: "age", Value: Value{}}}},
			{"b", nil},
			{"e", []NamedValue{{Name: "score", Value: IntegerValue(2)}}},
		})
		if want := (WriteStats{Inserted: 1, Updated: 2, Unchanged: 1, Version: 2}); err != nil || stats != want {
			t.Errorf("insert: %+v, %v, want %+v", stats, err, want)
		}
		return err
	})
	update(t, db, func(x *Tx) error {
		stats, err := x.DeleteVertices("g", []string{"b", "nobody", "b"})
		if want := (WriteStats{Deleted: 1, Missing: 2, EdgesDeleted: 2, Version: 3}); err != nil || stats != want {
			t.Errorf("delete: %+v, %v, want %+v", stats, err, want)
		}
		return err
	})
	s, err := db.Snapshot(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for v := range uint32(s.Info.Vertices) {
		keys = append(keys, s.Key(v))
	}
	if !slices.Equal(keys, []string{"a", "c", "d", "e"}) || !slices.Equal(s.Graph.Targets, []uint32{1, 0, 2, 1}) || s.Slot(1) != 2 || s.Info.Deleted != 1 {
		t.Errorf("snapshot has keys %q and edges %v %v", keys, s.Graph.Offsets, s.Graph.Targets)
	}
	columns, err := db.Columns(ctx, "g", 3)
	if err != nil || len(columns) != 3 || columns[0].At(0) != IntegerValue(41) || columns[1].At(0) != TextValue("Bern") ||
		columns[2].At(3) != FloatValue(2) || columns[0].Count()+columns[1].Count()+columns[2].Count() != 3 {
		t.Errorf("columns %v, %v", columns, err)
	}
	again, both, err := db.SnapshotColumns(ctx, "g", "city", "age")
	if err != nil || again.Info.Version != 3 || len(both) != 2 || both[0].Name != "city" || both[0].Len() != 4 || both[1].At(0) != IntegerValue(41) {
		t.Errorf("snapshot with columns: %v, %v, %v", again, both, err)
	}
	if _, _, err := db.SnapshotColumns(ctx, "g", "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v for an attribute that is not there", err)
	}
	set, err := db.Changes(ctx, "g", 1)
	if err != nil || set.All || !slices.Equal(set.Touched, []uint32{0, 1, 3}) || set.Attributes != nil || set.Deleted != 1 || !set.EdgesChanged || set.Versions != 2 {
		t.Errorf("changes since the import: %+v, %v", set, err)
	}
	update(t, db, func(x *Tx) error {
		if err := x.DropAttribute("g", "age"); err != nil {
			return err
		}
		_, err := x.UpdateVertices("g", []Vertex{{"e", []NamedValue{{Name: "score", Value: Value{}}}}})
		return err
	})
	v, err := db.Vertex(ctx, "g", "a")
	if err != nil || v.Key != "a" || !slices.Equal(v.Values, []NamedValue{{Name: "city", Value: TextValue("Bern")}}) {
		t.Errorf("vertex a is %v, %v", v, err)
	}
	info, same, edges, err := db.VertexEdges(ctx, "g", "a")
	if err != nil || info.Version != 4 || !slices.Equal(same.Values, v.Values) || len(edges) != 1 || edges[0].Target != "c" {
		t.Errorf("vertex a with edges is %+v, %v, %v, %v", info, same, edges, err)
	}
	if _, _, _, err := db.VertexEdges(ctx, "g", "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v for a vertex that is not there", err)
	}
	set, err = db.Changes(ctx, "g", 3)
	if err != nil || set.All || set.Touched != nil || !slices.Equal(set.Attributes, []uint32{0, 3}) || set.Deleted != 0 || set.EdgesChanged || set.Versions != 0 {
		t.Errorf("changes of attributes: %+v, %v", set, err)
	}
}

// What is refused leaves the transaction as it was.
func TestTx_Vertices_Refused(t *testing.T) {
	db := newStore(t, nil)
	importText(t, db, "g", "a b\n")
	update(t, db, func(x *Tx) error {
		_, err := x.InsertVertices("g", []Vertex{{"a", []NamedValue{{Name: "age", Value: IntegerValue(1)}}}})
		return err
	})
	update(t, db, func(x *Tx) error {
		one := func(key, name string, v Value) []Vertex { return []Vertex{{key, []NamedValue{{Name: name, Value: v}}}} }
		for _, c := range []struct {
			call string
			err  error
			want error
		}{
			{"no graph", second(x.InsertVertices("h", nil)), ErrNotFound},
			{"empty key", second(x.InsertVertices("g", one("", "age", IntegerValue(1)))), ErrKey},
			{"NUL", second(x.InsertVertices("g", one("\x00", "age", IntegerValue(1)))), ErrKey},
			{"reserved name", second(x.InsertVertices("g", one("c", "degree", IntegerValue(1)))), ErrName},
			{"another type", second(x.InsertVertices("g", one("c", "age", TextValue("1")))), ErrInvalid},
			{"float for integer", second(x.UpdateVertices("g", one("a", "age", FloatValue(1)))), ErrInvalid},
			{"long text", second(x.UpdateVertices("g", one("a", "text", TextValue(strings.Repeat("x", block.MaxText+1))))), ErrLimit},
			{"unknown key", second(x.UpdateVertices("g", one("c", "age", IntegerValue(2)))), ErrNotFound},
			{"unknown attribute", second(x.UpdateVertices("g", one("a", "nothing", Value{}))), ErrNotFound},
			{"unknown attribute to drop", x.DropAttribute("g", "nothing"), ErrNotFound},
			{"unknown vertex", second(x.Vertex("g", "c")), ErrNotFound},
		} {
			if !errors.Is(c.err, c.want) {
				t.Errorf("%s: %v", c.call, c.err)
			}
		}
		return nil
	})
	if info, err := db.Graph(context.Background(), "g"); err != nil || info.Version != 2 || info.Vertices != 2 || len(info.Attributes) != 1 {
		t.Errorf("%+v, %v", info, err)
	}
}

func second[T any](_ T, err error) error { return err }

// Rows of an embedding follow their vertices through deletions and additions,
// whatever version they were made of and whenever they were stored.
func TestSnapshot_Align(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "g", 6)
	snapshot := func() *Snapshot {
		s, err := db.Snapshot(ctx, "g")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// rows of a snapshot say whose they are.
	rows := func(s *Snapshot) *vec.Matrix {
		m := vec.NewMatrix(s.Info.Vertices, 2)
		for v := range m.Rows {
			m.Data[2*v], m.Data[2*v+1] = float32(s.Slot(uint32(v))), 7
		}
		return m
	}
	put := func(name string, s *Snapshot) error {
		_, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: name, Graph: "g", GraphVersion: s.Info.Version}, rows(s))
		return err
	}
	change := func(add string, gone ...string) {
		update(t, db, func(x *Tx) error {
			if _, err := x.InsertVertices("g", []Vertex{{Key: add}}); err != nil {
				return err
			}
			_, err := x.DeleteVertices("g", gone)
			return err
		})
	}
	first := snapshot()
	change("new", "1", "4")
	second := snapshot()
	change("newer", "0", "new")
	third := snapshot()
	for name, s := range map[string]*Snapshot{"first": first, "second": second, "third": third} {
		if err := put(name, s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for name, want := range map[string][]float32{"first": {2, 3, 5}, "second": {2, 3, 5}, "third": {2, 3, 5, 7}} {
		info, m, err := db.Embedding(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		aligned, err := third.Align(info, m)
		if err != nil {
			t.Fatal(err)
		}
		var got []float32
		for v := range aligned.Rows {
			got = append(got, aligned.Data[2*v])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: rows of slots %v, want %v", name, got, want)
		}
		own := map[string]*Snapshot{"first": first, "second": second, "third": third}[name]
		if same, err := own.Align(info, m); err != nil || same != m {
			t.Errorf("%s: not aligned with its own version: %v", name, err)
		}
		if name == "third" {
			if _, err := first.Align(info, m); !errors.Is(err, ErrConflict) {
				t.Errorf("aligned with an older version: %v", err)
			}
		}
		if _, err := third.Align(info, vec.NewMatrix(1, 2)); !errors.Is(err, ErrInvalid) {
			t.Errorf("matrix of another shape: %v", err)
		}
	}
	putRing(t, db, "other", 6)
	other, err := db.Snapshot(ctx, "other")
	if err != nil {
		t.Fatal(err)
	}
	info, m, err := db.Embedding(ctx, "first")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Align(info, m); !errors.Is(err, ErrConflict) {
		t.Errorf("another graph: %v", err)
	}
	for version, n := range map[uint64]int{1: 9, 3: 5} {
		if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "wrong", Graph: "g", GraphVersion: version}, vec.NewMatrix(n, 2)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%d rows for version %d: %v", n, version, err)
		}
	}
}
