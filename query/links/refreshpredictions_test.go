package links_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/embedding/link"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/internal/scoring"
	"heavytail/query/links"
	"heavytail/storage"
)

// storedLinks reads the stored links of every vertex of the graph g.
func storedLinks(t *testing.T, db *query.DB, w catalogue.Scorer, vertices int) map[string][]storage.PredictedKey {
	t.Helper()
	ctx := context.Background()
	keys, err := db.Graphs().Keys(ctx, "g", "", vertices)
	if err != nil || len(keys) != vertices {
		t.Fatal(len(keys), err)
	}
	links := map[string][]storage.PredictedKey{}
	for _, key := range keys {
		p, err := querytest.Engine(db).Store.Predicted(ctx, "g", w.String(), key, 10)
		if err != nil || p.New {
			t.Fatal(p, err)
		}
		links[key] = p.Links
	}
	return links
}

// After any change, REFRESH PREDICTIONS of any heuristic, and of a model of heuristics, stores
// the same as MATERIALIZE PREDICTIONS without earlier predictions, to the last bit of each
// score.
func TestRefreshPredictions_EveryHeuristic(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, nil)
	const n = 90
	querytest.MustRun(t, db, fmt.Sprintf("GENERATE watts_strogatz(n := %d, k := 6, beta := 0.05, seed := 5) INTO g", n))
	querytest.MustRun(t, db, "INSERT EDGES ('0', '9', TIME := 5), ('4', '16', TIME := 9) INTO g")
	querytest.MustRun(t, db, "TRAIN MODEL m IN g USING heuristics(lhn, local_path, l3) WITH (seed := 1, latest := FALSE)")
	scorers := []catalogue.Scorer{{Name: catalogue.ModelScorer, Model: "m"}}
	for _, s := range link.Scorers() {
		if !s.NeedsEmbedding {
			scorers = append(scorers, catalogue.Scorer{Name: s.Name})
		}
	}
	for _, w := range scorers {
		if _, err := db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "g", With: w, K: 10}); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(13, 3))
	incremental := map[string]bool{}
	for round := range repeat.Times(2) {
		at := random.IntN(n)
		near := func() string { return fmt.Sprint((at + random.IntN(12)) % n) }
		if err := querytest.Engine(db).Store.Update(ctx, func(x *storage.Tx) error {
			if _, err := x.InsertEdges("g", []storage.Edge{{Source: near(), Target: fmt.Sprint("new", round), Time: 10 + int64(round), Timed: true}, {Source: near(), Target: fmt.Sprint("new", round)}}); err != nil {
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
			querytest.MustRun(t, db, "COMPACT")
		}
		for _, w := range scorers {
			r, err := db.Links().RefreshPredictions(ctx, links.RefreshPredictionsRequest{Graph: "g", With: w})
			if err != nil || r.Kind == catalogue.RefreshNone {
				t.Fatalf("%s: %+v, %v", w, r, err)
			}
			incremental[w.String()] = incremental[w.String()] || r.Kind == catalogue.RefreshIncremental
			got := storedLinks(t, db, w, r.Vertices)
			if err := querytest.Engine(db).Store.DropPredictions(ctx, "g", w.String()); err != nil {
				t.Fatal(err)
			}
			if m, err := db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "g", With: w, K: 10}); err != nil || m.Computed != m.Vertices || m.Links != r.Links {
				t.Fatalf("%s: %+v, %v; refreshed %+v", w, m, err, r)
			}
			for key, links := range storedLinks(t, db, w, r.Vertices) {
				if !reflect.DeepEqual(got[key], links) {
					t.Errorf("round %d, %s of %s: %v, computed in full %v", round, w, key, got[key], links)
				}
			}
		}
	}
	for _, w := range scorers {
		if all := w.Name == "preferential_attachment" || w.Name == "recent_neighbors"; incremental[w.String()] == all {
			t.Errorf("%s: computed incrementally: %v", w, !all)
		}
	}
}

// REFRESH PREDICTIONS uses the stored options of the predictions, and its result equals that
// of MATERIALIZE PREDICTIONS with these options, also in the background.
func TestRefreshPredictions_Options(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, nil)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 40, m := 1, seed := 5) INTO g")
	querytest.MustRun(t, db, "EMBED g USING dp_spectral(dim := 4) AS e")
	for i, c := range []struct {
		req    links.MaterializeRequest
		kind   catalogue.RefreshKind
		reason string
	}{
		{links.MaterializeRequest{With: catalogue.Scorer{Name: "l3"}, Sides: scoring.AutoSides, K: 4}, catalogue.RefreshFull, "the links are between two sides"},
		{links.MaterializeRequest{With: catalogue.Scorer{Name: "cosine", Embedding: "e"}, Near: -1, K: 5}, catalogue.RefreshFull, "edges changed, and by cosine(e) every vertex can be affected"},
		{links.MaterializeRequest{With: catalogue.Scorer{Name: "l2", Embedding: "e"}, Near: 3}, catalogue.RefreshFull, "edges changed, and by l2(e) every vertex can be affected"},
		{links.MaterializeRequest{With: catalogue.Scorer{Name: "preferential_attachment"}}, catalogue.RefreshFull, "edges changed, and by preferential_attachment every vertex can be affected"},
		{links.MaterializeRequest{With: catalogue.Scorer{Name: "jaccard"}, K: 60}, catalogue.RefreshIncremental, "within 2 edges of 2 changed vertices"},
	} {
		req := c.req
		req.Graph = "g"
		first, err := db.Links().Materialize(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		querytest.MustRun(t, db, fmt.Sprintf("INSERT EDGE ('3', 'new%d') INTO g", i))
		r, err := db.Links().RefreshPredictions(ctx, links.RefreshPredictionsRequest{Graph: "g", With: req.With})
		if err != nil || r.K != first.K || !slices.Equal(r.Options, first.Options) || r.Versions != 1 || r.GraphVersion != first.GraphVersion+1 || r.Kind != c.kind || r.Reason != c.reason {
			t.Errorf("%+v: %+v, %v, stored as %+v", req, r, err, first)
		}
		if again, err := db.Links().Materialize(ctx, req); err != nil || again.Links != r.Links || !slices.Equal(again.Options, r.Options) {
			t.Errorf("%+v: %+v, %v, refreshed %+v", req, again, err, r)
		}

		querytest.MustRun(t, db, fmt.Sprintf("INSERT EDGE ('4', 'late%d') INTO g", i))
		job, err := db.Links().StartRefreshPredictions(ctx, links.RefreshPredictionsRequest{Graph: "g", With: req.With})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Jobs().Wait(ctx, job.ID); err != nil {
			t.Fatalf("%s: %v", job.Statement, err)
		}
		list, err := querytest.Engine(db).Store.Predictions(ctx)
		at := slices.IndexFunc(list, func(p storage.PredictionInfo) bool { return p.Scorer == r.Scorer })
		if err != nil || list[at].K != r.K || !slices.Equal(list[at].Options, r.Options) || list[at].GraphVersion != r.GraphVersion+1 {
			t.Errorf("%s: %+v, %v, before %+v", job.Statement, list[at], err, r)
		}
	}
}
