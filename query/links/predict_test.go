package links_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"heavytail/embedding/link"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
)

// Predicted links have the same scores as SCORE, to the last digit; the links of a vertex are
// those links of the whole graph that it is an end of; and the answer does not depend on the
// number of workers.
func TestDB_Predict_EqualsScore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var first []links.PredictResult
	for _, workers := range []int{1, 3} {
		db := querytest.Open(t, &query.Options{Workers: workers})
		querytest.RandomSpace(t, db, querytest.Ascending(60))
		querytest.MustRun(t, db, "INSERT EDGES ('v0', 'v1', TIME := 5), ('v1', 'v2', TIME := 9), ('v2', 'v7', TIME := 7) INTO g")
		for i, known := range link.Scorers() {
			with := catalogue.Scorer{Name: known.Name}
			if known.NeedsEmbedding {
				with.Embedding = "e"
			}
			all, err := db.Links().Predict(ctx, links.PredictRequest{K: 10_000, With: with, Near: 60})
			if err != nil || len(all.Links) == 0 {
				t.Fatal(known.Name, len(all.Links), err)
			}
			var pairs []links.Pair
			for _, l := range all.Links {
				pairs = append(pairs, l.Pair)
			}
			scores, err := db.Links().Score(ctx, links.ScoreRequest{Pairs: pairs, With: []catalogue.Scorer{with}})
			if err != nil {
				t.Fatal(err)
			}
			for j, p := range scores.Pairs {
				if p.Scores[0] != all.Links[j].Score {
					t.Fatalf("%s of %v: %v, by SCORE %v", known.Name, p.Pair, all.Links[j].Score, p.Scores[0])
				}
			}
			var of []links.PredictedLink
			for _, l := range all.Links {
				if l.Source == "v7" {
					of = append(of, links.PredictedLink{Pair: l.Pair, Rank: len(of) + 1, Score: l.Score})
				} else if l.Target == "v7" {
					of = append(of, links.PredictedLink{Pair: links.Pair{Source: l.Target, Target: l.Source}, Rank: len(of) + 1, Score: l.Score})
				}
			}
			one, err := db.Links().Predict(ctx, links.PredictRequest{Vertex: "v7", K: 1000, With: with, Near: 60})
			if err != nil || !slices.Equal(one.Links, of) {
				t.Errorf("%s of v7: %v, %v, expected %v", known.Name, one.Links, err, of)
			}
			if workers == 1 {
				first = append(first, all)
			} else if !slices.Equal(all.Links, first[i].Links) || all.Candidates != first[i].Candidates {
				t.Errorf("%s differs with %d workers", known.Name, workers)
			}
		}
	}
}

func TestDB_Predict_Limits(t *testing.T) {
	db := querytest.Open(t, &query.Options{MaxRows: 5})
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	katz := catalogue.Scorer{Name: "katz"}
	var limit *fault.LimitError
	if _, err := db.Links().Predict(context.Background(), links.PredictRequest{K: 6, With: katz}); !errors.As(err, &limit) || limit.Field != "MaxRows" {
		t.Errorf("too many rows: %v", err)
	}
	if r, err := db.Links().Predict(context.Background(), links.PredictRequest{K: 5, With: katz}); err != nil || len(r.Links) != 5 {
		t.Errorf("the largest number of rows allowed: %v, %v", r.Links, err)
	}
	l2 := catalogue.Scorer{Name: "l2", Embedding: "e"}
	if r, err := db.Links().Predict(context.Background(), links.PredictRequest{K: 5, With: l2, Near: 1 << 20}); err != nil || len(r.Links) != 5 {
		t.Errorf("more nearest vertices than exist: %v, %v", r.Links, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.Links().Predict(ctx, links.PredictRequest{K: 5, With: katz}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
