package links_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/storage"
)

// timedEdges returns timed edges of a graph of n vertices, in which triangles close over time.
func timedEdges(n, edges int, first int64) []storage.Edge {
	random := rand.New(rand.NewPCG(uint64(n), uint64(edges)))
	var list []storage.Edge
	for i := range edges {
		e := storage.Edge{Source: fmt.Sprint(random.IntN(n)), Target: fmt.Sprint(random.IntN(n)), Time: first + int64(i), Timed: true}
		if i > n && i%2 == 0 { // an edge that continues an earlier one
			e.Source, e.Target = list[len(list)-1-random.IntN(n/2)].Target, list[len(list)-1].Source
		}
		if e.Source != e.Target {
			list = append(list, e)
		}
	}
	return list
}

// Without times every statement that names the scorer fails with the same sentinel error.
func TestRecentNeighbors_NeedsTimes(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 100, m := 3, seed := 1) INTO g")
	pairs := filepath.Join(t.TempDir(), "pairs.csv")
	if err := os.WriteFile(pairs, []byte("0,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"SCORE ('0', '1') IN g WITH recent_neighbors",
		"SCORE FILE '" + pairs + "' IN g WITH recent_neighbors",
		"EXPLAIN SCORE ('0', '1') IN g WITH recent_neighbors",
		"PREDICT 3 LINKS IN g WITH recent_neighbors",
		"PREDICT 3 LINKS FOR '7' IN g WITH recent_neighbors",
		"MATERIALIZE PREDICTIONS FROM recent_neighbors IN g",
		"EVALUATE LINKS IN g WITH (scorers := 'jaccard, recent_neighbors')",
		"EVALUATE LINKS IN g WITH (scorers := 'recent_neighbors', ranking := 5)",
		"EXPORT PAIRS OF g INTO FILE '" + pairs + ".out' WITH (scorers := 'recent_neighbors')",
		"TRAIN MODEL m IN g USING heuristics(recent_neighbors)",
	} {
		_, err := db.Query(t.Context(), text, nil)
		if !errors.Is(err, link.ErrNeedsTimes) || !strings.Contains(err.Error(), "graph g have none: IMPORT them with the option time") {
			t.Errorf("%s: %v", text, err)
		}
	}
	// Statements that name no scorer leave it out.
	all, err := db.Studies().EvaluateLinks(t.Context(), studies.EvaluateLinksRequest{Graph: "g"})
	if err != nil || slices.ContainsFunc(all.Scores, func(s studies.MethodScore) bool { return link.NeedsTimes(s.Scorer) }) {
		t.Errorf("%+v, %v", all.Scores, err)
	}
}

// If all edges with times are held out, and on a random graph with the same degrees, there is
// no score, and JSON has null.
func TestRecentNeighbors_TimesHeldOut(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustRun(t, db, "GENERATE watts_strogatz(n := 100, k := 6, beta := 0.1, seed := 1) INTO g")
	querytest.MustRun(t, db, "INSERT EDGES ('0', '50', TIME := 5), ('1', '52', TIME := 9) INTO g")
	for _, rank := range []int{0, 5} {
		got, err := db.Studies().EvaluateLinks(t.Context(), studies.EvaluateLinksRequest{Graph: "g", Latest: true, RankAt: rank, Scorers: []string{"jaccard", "recent_neighbors"}})
		if err != nil || len(got.Scores)+len(got.Rankings) != 1 || !slices.ContainsFunc(got.Notices, func(n rows.Notice) bool {
			return strings.Contains(n.Text, "recent_neighbors needs the times of edges, and the edges that were not held out have none")
		}) {
			t.Errorf("ranking %d: %+v, %v", rank, got, err)
		}
	}
	_, err := db.Query(t.Context(), "TRAIN MODEL m IN g USING heuristics(recent_neighbors)", nil)
	if !errors.Is(err, link.ErrNeedsTimes) || !strings.Contains(err.Error(), "hold out fewer, or set latest := FALSE") {
		t.Error(err)
	}
	querytest.StoreEdges(t, db, "h", timedEdges(60, 400, 1e9))
	for _, rank := range []int{0, 5} {
		req := studies.EvaluateLinksRequest{Graph: "h", Latest: true, RankAt: rank, Null: true, Scorers: []string{"resource_allocation", "recent_neighbors", "katz"}}
		got, err := db.Studies().EvaluateLinks(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(got)
		if err != nil || !strings.Contains(string(text), ":null") {
			t.Errorf("%s, %v", text, err)
		}
		var names []string
		for _, s := range got.Scores {
			names = append(names, s.Scorer)
			if math.IsNaN(s.NullAUC) != (s.Scorer == "recent_neighbors") || math.IsNaN(s.AUC) {
				t.Errorf("%+v", s)
			}
		}
		for _, s := range got.Rankings {
			names = append(names, s.Scorer)
			if math.IsNaN(s.NullMAP) != (s.Scorer == "recent_neighbors") || math.IsNaN(s.MAP.Mean) {
				t.Errorf("%+v", s)
			}
		}
		if !slices.Equal(names, req.Scorers) {
			t.Errorf("%v", names)
		}
		// The figures of the other scorers do not depend on the scorer that is left out.
		req.Scorers = []string{"resource_allocation", "katz"}
		alone, err := db.Studies().EvaluateLinks(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range alone.Scores {
			if s.NullAUC != got.Scores[2*i].NullAUC {
				t.Errorf("%s: %v, alone %v", s.Scorer, got.Scores[2*i].NullAUC, s.NullAUC)
			}
		}
		for i, s := range alone.Rankings {
			if s.NullMAP != got.Rankings[2*i].NullMAP {
				t.Errorf("%s: %v, alone %v", s.Scorer, got.Rankings[2*i].NullMAP, s.NullMAP)
			}
		}
	}
}

// A model with the scorer as a term scores and explains pairs. Its stored predictions are
// recomputed in full after any change, because all ages change.
func TestRecentNeighbors_Model(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.StoreEdges(t, db, "g", timedEdges(80, 600, 0))
	trained, err := db.Links().TrainModel(t.Context(), links.TrainModelRequest{Name: "m", Graph: "g", Heuristics: []string{"recent_neighbors"}, Latest: new(true)})
	if err != nil || !slices.Equal(trained.Terms, []string{"recent_neighbors"}) {
		t.Fatalf("%+v, %v", trained.Terms, err)
	}
	scored, err := db.Links().Score(t.Context(), links.ScoreRequest{Graph: "g", Pairs: []links.Pair{{Source: "0", Target: "1"}}, With: []catalogue.Scorer{{Name: "recent_neighbors"}, {Model: "m"}}})
	if err != nil {
		t.Fatal(err)
	}
	explained, err := db.Links().Explain(t.Context(), links.ScoreRequest{Graph: "g", Pairs: []links.Pair{{Source: "0", Target: "1"}}, With: []catalogue.Scorer{{Model: "m"}}})
	if err != nil || explained.Scores[0].Score != scored.Pairs[0].Scores[1] || explained.Scores[0].Model.Parts[1].Value != scored.Pairs[0].Scores[0] {
		t.Errorf("%+v, %v; by SCORE %v", explained.Scores, err, scored.Pairs[0].Scores)
	}
	for _, w := range []catalogue.Scorer{{Name: "recent_neighbors"}, {Name: "model", Model: "m"}} {
		req := links.MaterializeRequest{Graph: "g", With: w, K: 5}
		if _, err := db.Links().Materialize(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		querytest.MustRun(t, db, "INSERT EDGE ('x', 'y', TIME := 5000) INTO g")
		r, err := db.Links().Materialize(t.Context(), req)
		if err != nil || r.Computed != r.Vertices {
			t.Errorf("%s: %+v, %v", w, r, err)
		}
		samePredictions(t, db, w, 5)
		querytest.MustRun(t, db, "DELETE EDGE ('x', 'y') FROM g")
	}
}
