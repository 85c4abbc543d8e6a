package links_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/storage"
)

// samePredictions compares the stored predictions of every vertex with those that PREDICT
// computes, read one by one and all at once.
func samePredictions(t *testing.T, db *query.DB, w catalogue.Scorer, k int) {
	t.Helper()
	ctx := context.Background()
	keys, err := db.Graphs().Keys(ctx, "g", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	bulk, computed := map[string][]links.PredictedLink{}, map[string][]links.PredictedLink{}
	for row, err := range db.Links().EachPredict(ctx, links.PredictRequest{Stored: true, K: k, Graph: "g", With: w}) {
		if bulk[row.Source] = append(bulk[row.Source], row); err != nil || row.Rank != len(bulk[row.Source]) {
			t.Fatalf("%s: %+v, %v", w, row, err)
		}
	}
	for row, err := range db.Links().EachPredict(ctx, links.PredictRequest{K: k, Graph: "g", With: w}) {
		if computed[row.Source] = append(computed[row.Source], row); err != nil || row.Rank != len(computed[row.Source]) {
			t.Fatalf("%s: %+v, %v", w, row, err)
		}
	}
	for _, key := range keys {
		stored, err := db.Links().Predict(ctx, links.PredictRequest{Stored: true, Vertex: key, K: k, Graph: "g", With: w})
		if err != nil {
			t.Fatal(err)
		}
		live, err := db.Links().Predict(ctx, links.PredictRequest{Vertex: key, K: k, Graph: "g", With: w, Near: links.DefaultNear})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(stored.Links, live.Links) || stored.Stored.Behind != 0 || stored.Stored.New || stored.Stored.Changed {
			t.Fatalf("%s of %s: stored %v, computed %v", w, key, stored, live.Links)
		}
		if !slices.Equal(bulk[key], live.Links) || !slices.Equal(computed[key], live.Links) {
			t.Fatalf("%s of %s, all at once: stored %v, computed %v, expected %v", w, key, bulk[key], computed[key], live.Links)
		}
	}
}

// After any change, a second MATERIALIZE stores the same as a full computation, but
// recomputes fewer vertices.
func TestMaterialize_AfterChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, nil)
	mustRun := func(text string) {
		t.Helper()
		if _, err := db.Query(ctx, text, nil); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	mustRun("GENERATE watts_strogatz(n := 150, k := 4, beta := 0.1, seed := 5) INTO g")
	mustRun("EMBED g USING dp_spectral(dim := 4) AS e")
	mustRun("TRAIN MODEL m IN g USING heuristics(jaccard, katz, resource_allocation) WITH (seed := 1)")
	scorers := []catalogue.Scorer{
		{Name: "common_neighbors"}, {Name: "jaccard"}, {Name: "adamic_adar"}, {Name: "resource_allocation"},
		{Name: "preferential_attachment"}, {Name: "katz"}, {Name: catalogue.ModelScorer, Model: "m"}, {Name: "cosine", Embedding: "e"},
	}
	const top = 7
	for _, w := range scorers {
		r, err := db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "g", With: w, K: top})
		if err != nil || r.Computed != 150 {
			t.Fatalf("%s: %+v, %v", w, r, err)
		}
		samePredictions(t, db, w, top)
		if again, err := db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "g", With: w, K: top}); err != nil || again.Computed != 0 || !again.Created.Equal(r.Created) {
			t.Errorf("%s, unchanged: %+v, %v", w, again, err)
		}
	}
	random := rand.New(rand.NewPCG(8, 8))
	any := func() string { return fmt.Sprint(random.IntN(150)) }
	less, rounds := 0, repeat.Times(4)
	for round := range rounds {
		var edges []storage.Edge
		for range 3 {
			if e := (storage.Edge{Source: any(), Target: any()}); e.Source != e.Target {
				edges = append(edges, e)
			}
		}
		if err := querytest.Engine(db).Store.Update(ctx, func(x *storage.Tx) error {
			if _, err := x.InsertEdges("g", edges[:len(edges)-1]); err != nil {
				return err
			}
			if _, err := x.DeleteEdges("g", edges[len(edges)-1:]); err != nil {
				return err
			}
			v := random.IntN(150)
			if _, err := x.DeleteEdges("g", []storage.Edge{{Source: fmt.Sprint(v), Target: fmt.Sprint((v + 1) % 150)}}); err != nil {
				return err
			}
			_, err := x.DeleteVertices("g", []string{fmt.Sprint(random.IntN(150))})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		info, err := querytest.Engine(db).Store.Graph(ctx, "g")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range scorers[:7] {
			r, kind := links.MaterializeResult{}, catalogue.RefreshKind("")
			if round%2 == 0 {
				r, err = db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "g", With: w, K: top})
			} else {
				var refreshed links.RefreshPredictionsResult
				refreshed, err = db.Links().RefreshPredictions(ctx, links.RefreshPredictionsRequest{Graph: "g", With: w})
				r, kind = refreshed.MaterializeResult, refreshed.Kind
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Computed < info.Vertices {
				less++
			}
			if kind != "" && (kind == catalogue.RefreshFull) != (r.Computed == info.Vertices) || r.GraphVersion != info.Version {
				t.Errorf("%s: %s, %d of %d vertices computed, version %d, expected %d", w, kind, r.Computed, info.Vertices, r.GraphVersion, info.Version)
			}
			samePredictions(t, db, w, top)
		}
	}
	if times := 7 * rounds; less < times*5/7 {
		t.Errorf("only %d of %d runs computed fewer than all vertices", less, times)
	}
}

func BenchmarkPredicted(b *testing.B) {
	ctx := context.Background()
	db := querytest.Open(b, nil)
	for _, text := range []string{
		"GENERATE preferential_attachment(n := 4000, m := 20, seed := 1) INTO g",
		"MATERIALIZE PREDICTIONS FROM resource_allocation IN g",
	} {
		if _, err := db.Query(ctx, text, nil); err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		r, err := db.Links().Predict(ctx, links.PredictRequest{Stored: true, Vertex: fmt.Sprint(i % 4000), K: 10, Graph: "g"})
		if err != nil || len(r.Links) != 10 {
			b.Fatal(r, err)
		}
	}
}
