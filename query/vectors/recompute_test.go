package vectors_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/query/vectors"
)

// TestEmbed_Again recomputes an embedding from which an index, a model and predictions were
// made: with the same vectors all of them stay valid, with different vectors each of them
// reports its state.
func TestEmbed_Again(t *testing.T) {
	t.Parallel()
	var early []string
	db := querytest.Open(t, &query.Options{Notice: func(n rows.Notice) {
		if n.Early {
			early = append(early, n.Text)
		}
	}})
	ctx := context.Background()
	run := func(text string) [][]rows.Value {
		t.Helper()
		answer, err := db.Query(ctx, text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var table [][]rows.Value
		for answer.Next() {
			table = append(table, slices.Clone(answer.Row()))
		}
		return table
	}
	state := func(what string) rows.Value {
		t.Helper()
		answer, err := db.Query(ctx, "SHOW "+what, nil)
		if err != nil || !answer.Next() {
			t.Fatalf("SHOW %s: %v", what, err)
		}
		return answer.Row()[slices.Index(answer.Columns(), "state")]
	}
	run("GENERATE preferential_attachment(n := 120, m := 4, seed := 1) INTO g")
	run("EMBED g USING dp_spectral(dim := 8) AS q")
	run("CREATE INDEX ON q WITH (m := 5, seed := 7)")
	run("TRAIN MODEL likely IN g USING q, heuristics(cosine)")
	run("MATERIALIZE PREDICTIONS FROM model(likely) IN g WITH (top := 3)")
	run("MATERIALIZE PREDICTIONS FROM cosine(q) IN g WITH (top := 3)")
	info, err := db.Vectors().Describe(ctx, "q")
	if err != nil {
		t.Fatal(err)
	}
	scores := run("SCORE ('1', '7') IN g WITH model(likely)")
	if len(early) > 0 {
		t.Errorf("notices before the first computation: %q", early)
	}

	// The same vectors, also for a later version of the graph with the
	// same edges.
	for _, text := range []string{
		"EMBED g USING dp_spectral(dim := 8) AS q",
		"INSERT VERTEX '1' (x := 1) INTO g; EMBED g USING dp_spectral(dim := 8) AS q",
	} {
		early = nil
		for one := range strings.SplitSeq(text, ";") {
			run(one)
		}
		if len(early) != 1 || !strings.Contains(early[0], "unless the new vectors are the same: index by l2 will be built again; model likely must be trained again") ||
			!strings.Contains(early[0], "predictions by model(likely) in g, cosine(q) in g") && !strings.Contains(early[0], "predictions by cosine(q) in g, model(likely) in g") {
			t.Errorf("%s: notices before the work: %q", text, early)
		}
		now, err := db.Vectors().Describe(ctx, "q")
		if err != nil || now.Generation != info.Generation || !now.Coordinates.Equal(info.Coordinates) || !now.Created.Equal(info.Created) || now.Behind != 0 {
			t.Errorf("%s: generation %d, coordinates %v, behind %d, %v", text, now.Generation, now.Coordinates, now.Behind, err)
		}
		if indexes, err := db.Vectors().Indexes(ctx); err != nil || len(indexes) != 1 {
			t.Errorf("%s: indexes %v, %v", text, indexes, err)
		}
		if got := run("SCORE ('1', '7') IN g WITH model(likely)"); !slices.Equal(got[0], scores[0]) {
			t.Errorf("%s: the model predicts %v, before %v", text, got, scores)
		}
		if state("MODELS") != "ready" || state("PREDICTIONS") != "ready" {
			t.Errorf("%s: model %v, predictions %v", text, state("MODELS"), state("PREDICTIONS"))
		}
	}

	// Different vectors.
	answer, err := db.Query(ctx, "EMBED g USING dp_spectral(dim := 7) AS q", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(answer.Notices(), func(n rows.Notice) bool {
		return n.Text == "embedding q has another method or options; train again: likely"
	}) {
		t.Errorf("notices: %v", answer.Notices())
	}
	indexes, err := db.Vectors().Indexes(ctx)
	if err != nil || len(indexes) != 1 || indexes[0].Generation != info.Generation+1 || entries.Parameter(indexes[0].Parameters, "m") != int64(5) || entries.Parameter(indexes[0].Parameters, "seed") != int64(7) {
		t.Errorf("indexes %+v, %v", indexes, err)
	}
	if got := state("MODELS"); got != "retrain: embedding q has another method or options" {
		t.Errorf("model: %v", got)
	}
	if list, err := db.Links().Predictions(ctx); err != nil || len(list) != 2 || list[0].Stale == "" || list[1].Stale == "" {
		t.Errorf("predictions: %+v, %v", list, err)
	}
	if _, err := db.Query(ctx, "SCORE ('1', '7') IN g WITH model(likely)", nil); !errors.Is(err, fault.ErrOtherMethod) {
		t.Errorf("the model is still used: %v", err)
	}
	run("DROP EMBEDDING q")
	if got := state("MODELS"); got != "retrain: embedding q was dropped" {
		t.Errorf("model: %v", got)
	}
	if report, err := db.Maintenance().Check(ctx); err != nil || len(report.Faults) > 0 {
		t.Errorf("check: %v, %v", report, err)
	}
}

// TestRefresh_SaysFull refreshes a graph that is almost entirely one component, too small for
// an incremental step: although the component of one edge keeps its rows, the result says full.
func TestRefresh_SaysFull(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	ctx := context.Background()
	for _, text := range []string{
		"GENERATE preferential_attachment(n := 30, m := 2, seed := 1) INTO g", "INSERT EDGE ('alone', 'lone') INTO g",
		"EMBED g USING dp_spectral(dim := 12) AS q", "INSERT EDGE ('3', '29'), ('4', '28') INTO g",
	} {
		if _, err := db.Query(ctx, text, nil); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	r, err := db.Vectors().Refresh(ctx, vectors.RefreshRequest{Embedding: "q"})
	if err != nil || r.Kind != catalogue.RefreshFull || r.Full || !strings.HasPrefix(r.Reason, "30 of 32 vertices were solved in full") {
		t.Errorf("kind %s, full %t, %q, %v", r.Kind, r.Full, r.Reason, err)
	}
}
