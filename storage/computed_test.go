package storage

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"
)

// TestTx_PutColumn follows a column by hand: written for an older version, replaced with
// another type, and changed in other ways.
func TestTx_PutColumn(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	importText(t, db, "g", "a b\nb c\nc a\nc d\n")
	s, err := db.Snapshot(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(x *Tx) error {
		_, err := x.DeleteVertices("g", []string{"b"})
		return err
	})
	update(t, db, func(x *Tx) error {
		_, err := x.InsertVertices("g", []Vertex{{"e", []NamedValue{{Name: "age", Value: IntegerValue(3)}}}})
		return err
	})
	ranks := NewColumn(Attribute{Name: "rank", Type: Float}, 4)
	for v := range uint32(4) {
		if err := ranks.Set(v, FloatValue(float64(v)/2)); err != nil {
			t.Fatal(err)
		}
	}
	made := &Computed{Method: "pagerank", Options: []Setting{{Name: "damping", Value: "0.85"}}, GraphVersion: s.Info.Version, Created: time.Unix(5, 7)}
	update(t, db, func(x *Tx) error {
		version, err := x.PutColumn(s, ranks, made, false)
		if version != 4 {
			t.Errorf("version %d", version)
		}
		return err
	})
	info, err := db.Graph(ctx, "g")
	if err != nil || len(info.Attributes) != 2 || info.Values[1] != 3 || info.Computed[0] != nil || !reflect.DeepEqual(info.Computed[1], made) {
		t.Fatalf("%+v, %v", info, err)
	}
	columns, err := db.Columns(ctx, "g", info.Version, "rank")
	if err != nil || columns[0].At(0) != FloatValue(0) || columns[0].At(1) != FloatValue(1) || columns[0].At(2) != FloatValue(1.5) || !columns[0].IsMissing(3) {
		t.Fatalf("%v, %v", columns, err)
	}

	whole := NewColumn(Attribute{Name: "rank", Type: Integer}, 4)
	if err := whole.Set(3, IntegerValue(9)); err != nil {
		t.Fatal(err)
	}
	refused := func(want error, f func(x *Tx) error) {
		t.Helper()
		if err := db.Update(ctx, f); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	refused(ErrExists, func(x *Tx) error { _, err := x.PutColumn(s, whole, nil, false); return err })
	refused(ErrInvalid, func(x *Tx) error {
		_, err := x.PutColumn(s, NewColumn(Attribute{Name: "r", Type: Float}, 3), nil, false)
		return err
	})
	refused(ErrName, func(x *Tx) error {
		_, err := x.PutColumn(s, NewColumn(Attribute{Name: "degree", Type: Float}, 4), nil, false)
		return err
	})
	update(t, db, func(x *Tx) error { _, err := x.PutColumn(s, whole, made, true); return err })
	info, err = db.Graph(ctx, "g")
	if err != nil || info.Attributes[1].Type != Integer || info.Values[1] != 1 || info.Computed[1] == nil {
		t.Fatalf("%+v, %v", info, err)
	}
	update(t, db, func(x *Tx) error {
		_, err := x.UpdateVertices("g", []Vertex{{"a", []NamedValue{{Name: "rank", Value: IntegerValue(4)}}}})
		return err
	})
	if info, err = db.Graph(ctx, "g"); err != nil || info.Values[1] != 2 || info.Computed[1] != nil {
		t.Errorf("after an update: %+v, %v", info, err)
	}
	if err := db.DropGraph(ctx, "g", false); err != nil {
		t.Fatal(err)
	}
	importText(t, db, "g", "a b\nc d\n")
	refused(ErrConflict, func(x *Tx) error { _, err := x.PutColumn(s, whole, nil, true); return err })
}
