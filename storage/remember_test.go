package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"heavytail/storage/internal/tree"
)

// scribble overwrites the elements of all slices in a value.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[time.Time]() {
				scribble(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
			if v.Index(i).Kind() != reflect.Interface { // the top of the test's own list
				v.Index(i).SetZero()
			}
		}
	}
}

// Records are decoded once while their bytes stay the same. Callers may change all that
// they are given, and a write is seen by the next read.
func TestRemembered(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "ring", 10)
	of, err := db.PutEmbedding(ctx, EmbeddingInfo{
		Name: "e", Graph: "ring", GraphVersion: 1, Method: "constant", Options: []Setting{{"dim", "3"}},
		Eigenvalues: []float64{3, 2, 1}, Residuals: []float64{1e-5, 1e-6, 1e-7}, Stats: []Setting{{"wrong pairs", "7"}},
	}, constantRows(10, 3))
	if err != nil {
		t.Fatal(err)
	}
	putModel(t, db, of, "m", 10)
	putIndex(t, db, of, "l2", 10)
	update(t, db, func(x *Tx) error {
		_, err := x.InsertVertices("ring", []Vertex{{Key: "new", Values: []NamedValue{{Name: "city", Value: TextValue("Ulm")}}}})
		return err
	})
	putPredictions(t, db, "ring", "jaccard", 3)
	all := func() []any {
		graphs, err1 := db.Graphs(ctx)
		embeddings, err2 := db.Embeddings(ctx)
		models, err3 := db.Models(ctx)
		predictions, err4 := db.Predictions(ctx)
		indexes, err5 := db.Indexes(ctx, "")
		for _, err := range []error{err1, err2, err3, err4, err5} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return []any{graphs, embeddings, models, predictions, indexes}
	}
	text := func(list []any) string {
		b, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := all()
	want := text(first)
	for _, part := range first {
		scribble(reflect.ValueOf(part))
	}
	if got := text(first); got == want {
		t.Fatal("nothing was changed")
	}
	if got := text(all()); got != want {
		t.Errorf("who changes an answer changes the next\n%s\n%s", got, want)
	}
	update(t, db, func(x *Tx) error {
		_, err := x.DeleteVertices("ring", []string{"new"})
		return err
	})
	if info, err := db.Graph(ctx, "ring"); err != nil || info.Vertices != 10 || info.Version != 3 {
		t.Errorf("%+v, %v", info, err)
	}
	update(t, db, func(x *Tx) error {
		for i := range tree.MaxKeptRecords + 10 { // more than are remembered
			if _, err := x.CreateGraph(fmt.Sprint("g", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if graphs, err := db.Graphs(ctx); err != nil || len(graphs) != tree.MaxKeptRecords+11 {
		t.Errorf("%d graphs, %v", len(graphs), err)
	}
	if n := len(db.file.Current.Memory.Records); n == 0 || n > tree.MaxKeptRecords {
		t.Errorf("%d records are remembered", n)
	}
}
