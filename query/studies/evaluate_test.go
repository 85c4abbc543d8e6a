package studies_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// A call ends when its context ends, in every stage, and leaves nothing behind.
func TestDB_EvaluateLinks_CancelledInEveryStage(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"solving", "scoring"} {
		var end func()
		db := querytest.Open(t, &query.Options{Progress: func(p rows.Progress) {
			if p.Statement == "EVALUATE LINKS" && p.Stage == stage {
				end()
			}
		}})
		querytest.Attached(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		end = cancel
		_, err := db.Studies().EvaluateLinks(ctx, studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "dp_spectral", Settings: map[string]any{"dim": 16}}}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled while %s: %v", stage, err)
		}
		if list, err := querytest.Engine(db).Store.Embeddings(t.Context()); err != nil || len(list) > 0 {
			t.Errorf("embeddings after it: %v, %v", list, err)
		}
		cancel()
	}
}

// The result is the same at any number of workers, depends on the seed, and reports the
// number of pairs.
func TestDB_EvaluateLinks_Same(t *testing.T) {
	t.Parallel()
	req := studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "deepwalk", Settings: map[string]any{"dim": 8, "walks": 2}}}, Training: 100}
	var first studies.EvaluateLinksResult
	for _, workers := range []int{1, 3} {
		db := querytest.Open(t, &query.Options{Workers: workers})
		querytest.Attached(t, db)
		got, err := db.Studies().EvaluateLinks(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			first = got
		}
		if fmt.Sprintf("%+v", got.Scores) != fmt.Sprintf("%+v", first.Scores) { // some figures are NaN
			t.Errorf("%d workers: %+v, expected %+v", workers, got.Scores, first.Scores)
		}
		if n := got.NegativePairs[0]; n.Held != n.Pairs || n.Held < 200 || n.Trained != 200 {
			t.Errorf("%+v", n)
		}
		req := req
		req.Seed = 1
		if other, err := db.Studies().EvaluateLinks(t.Context(), req); err != nil || slices.Equal(other.Scores, first.Scores) {
			t.Errorf("another seed gives the same scores, %v", err)
		}
	}
}

// The figures of EVALUATE LINKS for a model equal those that TRAIN MODEL reports for it.
func TestDB_EvaluateLinks_Model(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	using := vectors.DPSpectral{Dim: 8}
	if _, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "pa", Name: "e", Using: using}); err != nil {
		t.Fatal(err)
	}
	got, err := db.Studies().EvaluateLinks(t.Context(), studies.EvaluateLinksRequest{
		Graph: "pa", Methods: []studies.LinkMethod{{Using: using}}, Scorers: []string{"jaccard", "dot"}, Seed: 5, Model: true, Null: true,
		Negatives: []evaluate.Negatives{evaluate.RandomNegatives, evaluate.TwoHopNegatives},
	})
	if err != nil {
		t.Fatal(err)
	}
	for method, embeddings := range map[int][]string{-1: nil, 0: {"e"}} {
		trained, err := db.Links().TrainModel(t.Context(), links.TrainModelRequest{Name: "m", Graph: "pa", Embeddings: embeddings, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(got.Scores, func(s studies.MethodScore) bool {
			return s.Scorer == "model" && s.Method == method && s.Negatives == evaluate.RandomNegatives
		})
		if at < 0 {
			t.Fatalf("no model of method %d in %+v", method, got.Scores)
		}
		// Of two thirds of the edges, which are as hard to predict: the same but for chance.
		if s := got.Scores[at]; math.Abs(s.AUC-trained.AUC) > 0.1 || s.NullAUC == 0 {
			t.Errorf("of method %d: %+v, but TRAIN MODEL has %v", method, s, trained.AUC)
		}
	}
}

func TestDB_EvaluateLinks_Errors(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	for _, c := range []struct {
		name string
		req  studies.EvaluateLinksRequest
		want error
	}{
		{"graph", studies.EvaluateLinksRequest{Graph: "ap", Methods: []studies.LinkMethod{{Method: "deepwalk"}}}, storage.ErrNotFound},
		{"method", studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "deepwork"}}}, fault.ErrInvalid},
		{"share", studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "deepwalk"}}, Share: 1}, fault.ErrInvalid},
		{"training", studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "deepwalk"}}, Training: -1}, fault.ErrInvalid},
		{"hits", studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "deepwalk"}}, HitsAt: -1}, fault.ErrInvalid},
		{"curves", studies.EvaluateLinksRequest{Graph: "pa", CurveSteps: -1}, fault.ErrInvalid},
		{"many curves", studies.EvaluateLinksRequest{Graph: "pa", CurveSteps: 10_001}, fault.ErrInvalid},
		{"curves of rankings", studies.EvaluateLinksRequest{Graph: "pa", RankAt: 5, CurveSteps: 5}, fault.ErrInvalid},
		{"latest", studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "deepwalk"}}, Latest: true}, evaluate.ErrTimes},
		{"setting", studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "deepwalk", Settings: map[string]any{"beta": 1}}}}, fault.ErrInvalid},
	} {
		if _, err := db.Studies().EvaluateLinks(t.Context(), c.req); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	small := querytest.Open(t, &query.Options{MemoryLimit: 100_000})
	querytest.Attached(t, small)
	var limit *fault.LimitError
	if _, err := small.Studies().EvaluateLinks(t.Context(), studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Method: "deepwalk"}}}); !errors.As(err, &limit) {
		t.Errorf("little memory: %v", err)
	}
}
