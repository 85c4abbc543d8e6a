package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"heavytail/embedding/link"
	"heavytail/storage"
)

// storedLinks reads the stored links of every vertex of graph g.
func storedLinks(t *testing.T, db *DB, w Scorer, vertices int) map[string][]storage.PredictedKey {
	t.Helper()
	ctx := context.Background()
	keys, err := db.Keys(ctx, "g", "", vertices)
	if err != nil || len(keys) != vertices {
		t.Fatal(len(keys), err)
	}
	links := map[string][]storage.PredictedKey{}
	for _, key := range keys {
		p, err := db.store.Predicted(ctx, "g", w.String(), key, 10)
		if err != nil || p.New {
			t.Fatal(p, err)
		}
		links[key] = p.Links
	}
	return links
}

// After any change, REFRESH PREDICTIONS by any heuristic, and by a model of heuristics,
// stores what MATERIALIZE PREDICTIONS stores where there is nothing to keep, to the last bit
// of each score.
func TestRefreshPredictions_EveryHeuristic(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := openTest(t, nil)
	const n = 90
	mustRun(t, db, fmt.Sprintf("GENERATE watts_strogatz(n := %d, k := 6, beta := 0.05, seed := 5) INTO g", n))
	mustRun(t, db, "TRAIN MODEL m IN g USING heuristics(lhn, local_path, l3) WITH (seed := 1)")
	scorers := []Scorer{{Name: modelScorer, Model: "m"}}
	for _, s := range link.Scorers() {
		if !s.NeedsEmbedding {
			scorers = append(scorers, Scorer{Name: s.Name})
		}
	}
	for _, w := range scorers {
		if _, err := db.Materialize(ctx, MaterializeRequest{Graph: "g", With: w, K: 10}); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(13, 3))
	incremental := map[string]bool{}
	for round := range often(1, 10, 60) {
		at := random.IntN(n)
		near := func() string { return fmt.Sprint((at + random.IntN(12)) % n) }
		if err := db.store.Update(ctx, func(x *storage.Tx) error {
			if _, err := x.InsertEdges("g", []storage.Edge{{Source: near(), Target: fmt.Sprint("new", round)}, {Source: near(), Target: fmt.Sprint("new", round)}}); err != nil {
				return err
			}
			if _, err := x.DeleteEdges("g", []storage.Edge{{Source: fmt.Sprint(at), Target: fmt.Sprint((at + 1) % n)}}); err != nil {
				return err
			}
			_, err := x.DeleteVertices("g", []string{near()})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if round%3 == 1 {
			mustRun(t, db, "COMPACT")
		}
		for _, w := range scorers {
			r, err := db.RefreshPredictions(ctx, RefreshPredictionsRequest{"g", w})
			if err != nil || r.Kind == RefreshNone {
				t.Fatalf("%s: %+v, %v", w, r, err)
			}
			incremental[w.String()] = incremental[w.String()] || r.Kind == RefreshIncremental
			got := storedLinks(t, db, w, r.Vertices)
			if err := db.store.DropPredictions(ctx, "g", w.String()); err != nil {
				t.Fatal(err)
			}
			if m, err := db.Materialize(ctx, MaterializeRequest{Graph: "g", With: w, K: 10}); err != nil || m.Computed != m.Vertices || m.Links != r.Links {
				t.Fatalf("%s: %+v, %v; refreshed %+v", w, m, err, r)
			}
			for key, links := range storedLinks(t, db, w, r.Vertices) {
				if !reflect.DeepEqual(got[key], links) {
					t.Errorf("round %d, %s of %s: %v, computed anew %v", round, w, key, got[key], links)
				}
			}
		}
	}
	for _, w := range scorers {
		if all := w.Name == "preferential_attachment"; incremental[w.String()] == all {
			t.Errorf("%s: some were computed incrementally: %v", w, !all)
		}
	}
}
