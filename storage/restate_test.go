package storage

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// Objects get the versions and times of their originals, the store stays sound, and what
// is not there or contradicts itself changes nothing.
func TestDB_Restate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "g", 300)
	then := time.Date(2024, 2, 29, 1, 2, 3, 4, time.UTC)
	graph := GraphInfo{Name: "g", Version: 70_000, Created: then, Modified: then.Add(time.Hour)}
	if err := db.Restate(ctx, Catalogue{Graphs: []GraphInfo{graph}}); err != nil {
		t.Fatal(err)
	}
	checkStore(t, db)
	g, err := db.Graph(ctx, "g")
	if err != nil || g.Version != graph.Version || !g.Created.Equal(graph.Created) || !g.Modified.Equal(graph.Modified) || g.Vertices != 300 {
		t.Errorf("%+v, %v", g, err)
	}
	if changes, err := db.Changes(ctx, "g", 5); err != nil || !changes.All {
		t.Errorf("%+v, %v", changes, err)
	}
	e, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 69_000}, constantRows(300, 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Restate(ctx, Catalogue{Embeddings: []EmbeddingInfo{{Name: "e", Generation: 9, Created: then}}}); err != nil {
		t.Fatal(err)
	}
	got, err := db.EmbeddingInfo(ctx, "e")
	if err != nil || got.Generation != 9 || !got.Created.Equal(then) || !got.Coordinates.Equal(e.Coordinates) && !got.Coordinates.Equal(then) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := db.PutIndex(ctx, got, IndexInfo{Metric: "cosine"}, func(w io.Writer) error { _, err := w.Write([]byte("links")); return err }); err != nil {
		t.Fatal(err)
	}
	if err := db.Restate(ctx, Catalogue{Indexes: []IndexInfo{{Embedding: "e", Generation: 9, Metric: "cosine", Created: then}}}); err != nil {
		t.Fatal(err)
	}
	if list, err := db.Indexes(ctx, "e"); err != nil || len(list) != 1 || !list[0].Created.Equal(then) {
		t.Errorf("%+v, %v", list, err)
	}
	for what, wrong := range map[string]struct {
		of   Catalogue
		want error
	}{
		"no graph":      {Catalogue{Graphs: []GraphInfo{{Name: "h", Version: 1}}}, ErrNotFound},
		"no version":    {Catalogue{Graphs: []GraphInfo{{Name: "g"}}}, ErrInvalid},
		"no embedding":  {Catalogue{Embeddings: []EmbeddingInfo{{Name: "f", Generation: 1}}}, ErrNotFound},
		"no generation": {Catalogue{Embeddings: []EmbeddingInfo{{Name: "e"}}}, ErrInvalid},
		"no model":      {Catalogue{Models: []ModelInfo{{Name: "m"}}}, ErrNotFound},
		"another index": {Catalogue{Graphs: []GraphInfo{{Name: "g", Version: 3}}, Indexes: []IndexInfo{{Embedding: "e", Generation: 1, Metric: "cosine"}}}, ErrInvalid},
		"no index":      {Catalogue{Graphs: []GraphInfo{{Name: "g", Version: 3}}, Indexes: []IndexInfo{{Embedding: "e", Generation: 9, Metric: "dot"}}}, ErrNotFound},
	} {
		if err := db.Restate(ctx, wrong.of); !errors.Is(err, wrong.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if g, err := db.Graph(ctx, "g"); err != nil || g.Version != graph.Version {
		t.Errorf("version %d, %v", g.Version, err)
	}
	update(t, db, func(x *Tx) error { // the log continues
		_, err := x.InsertEdges("g", []Edge{{Source: "0", Target: "7"}})
		return err
	})
	if g, err := db.Graph(ctx, "g"); err != nil || g.Version != graph.Version+1 {
		t.Errorf("version %d, %v", g.Version, err)
	}
}
