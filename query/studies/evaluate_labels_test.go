package studies_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/storage"
)

// labelled makes a graph whose vertices are labelled by their degree, and an
// embedding of it.
func labelled(t *testing.T, db *query.DB) {
	t.Helper()
	querytest.Attached(t, db)
	querytest.MustExec(t, db, "UPDATE VERTICES IN pa SET kind := 'few' WHERE degree < 6")
	querytest.MustExec(t, db, "UPDATE VERTICES IN pa SET kind := 'many' WHERE degree >= 6")
	querytest.MustExec(t, db, "UPDATE VERTICES IN pa SET one := 1 WHERE degree >= 6")
	querytest.MustExec(t, db, "EMBED pa USING dp_spectral(dim := 8) AS e")
}

func TestDB_EvaluateLabels_Cancelled(t *testing.T) {
	t.Parallel()
	var end func()
	db := querytest.Open(t, &query.Options{Progress: func(p rows.Progress) {
		if p.Statement == "EVALUATE LABELS" && p.Stage == "classifying" {
			end()
		}
	}})
	labelled(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	end = cancel
	if _, err := db.Studies().EvaluateLabels(ctx, studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "kind"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDB_EvaluateLabels_SameAtAnyWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	t.Parallel()
	var first string
	for _, workers := range []int{1, 3} {
		db := querytest.Open(t, &query.Options{Workers: workers})
		labelled(t, db)
		r, err := db.Studies().EvaluateLabels(t.Context(), studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "kind", Seeds: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.Scores, r.Classes); first == "" {
			first = got
		} else if got != first {
			t.Errorf("%d workers: %s, expected %s", workers, got, first)
		}
		if r.Labelled != 300 || len(r.Scores) != 3 || r.Scores[2].MicroF1.Mean < 0.7 {
			t.Errorf("%d vertices: %+v", r.Labelled, r.Scores[2])
		}
	}
}

func TestDB_EvaluateLabels_Errors(t *testing.T) {
	db, err := query.Open(filepath.Join(t.TempDir(), "test.ht"), nil)
	if err != nil {
		t.Fatal(err)
	}
	labelled(t, db)
	for _, c := range []struct {
		name string
		req  studies.EvaluateLabelsRequest
		want error
	}{
		{"embedding", studies.EvaluateLabelsRequest{Embedding: "f", Attribute: "kind"}, storage.ErrNotFound},
		{"attribute", studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "kin"}, storage.ErrNotFound},
		{"fraction", studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "kind", Fractions: []float64{0}}, fault.ErrInvalid},
		{"no fraction", studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "kind", Fractions: []float64{}}, evaluate.ErrOption},
		{"seeds", studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "kind", Seeds: -1}, fault.ErrInvalid},
		{"penalty", studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "kind", Penalty: -1}, fault.ErrInvalid},
		{"one class", studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "one"}, evaluate.ErrLabels},
	} {
		if r, err := db.Studies().EvaluateLabels(t.Context(), c.req); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", c.name, r, err)
		}
	}
	path := db.Path()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	small, err := query.Open(path, &query.Options{MemoryLimit: 70_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { small.Close() })
	var limit *fault.LimitError
	if _, err := small.Studies().EvaluateLabels(t.Context(), studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "kind"}); !errors.As(err, &limit) {
		t.Errorf("little memory: %v", err)
	}
}
