package links_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/parser"
)

// TestDB_Explain_ScoresLoadNothing explains every statement that scores pairs: EXPLAIN
// resolves names in the catalogue and loads nothing.
func TestDB_Explain_ScoresLoadNothing(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	for _, text := range []string{
		"EMBED g USING dp_spectral(dim := 4) AS e",
		"TRAIN MODEL m IN g WITH (seed := 1)",
		"TRAIN MODEL both IN g USING e, heuristics(jaccard, cosine) WITH (seed := 1)",
		"MATERIALIZE PREDICTIONS FROM katz IN g",
	} {
		querytest.MustExec(t, db, text)
	}
	for _, text := range []string{
		"SCORE ('v1', 'v2'), ('v3', 'v4') WITH katz, l2(e), model(m), model(both)",
		"EXPLAIN SCORE ('v1', 'v2') WITH model(both)",
		"PREDICT 3 LINKS FOR 'v1' WITH cosine(e) WHERE degree > 2",
		"PREDICT 3 LINKS WITH model(both) WHERE degree > 2",
		"PREDICT 3 LINKS FOR 'v1' IN g",
		"TRAIN MODEL both IN g USING e",
		"MATERIALIZE PREDICTIONS FROM model(both) IN g",
		"DESCRIBE MODEL both",
		"DROP MODEL both",
		"DROP PREDICTIONS FROM katz IN g",
	} {
		clear(querytest.Engine(db).Cache.Entries)
		if _, err := db.Explain(context.Background(), text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if n := len(querytest.Engine(db).Cache.Entries); n > 0 {
			t.Errorf("%s: %d objects were loaded", text, n)
		}
	}
}

// TestDB_Explain_MaterializeAgain explains an incremental update of predictions, which
// recomputes only those that a change affects.
func TestDB_Explain_MaterializeAgain(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.RandomSpace(t, db, querytest.Ascending(200))
	querytest.MustExec(t, db, "MATERIALIZE PREDICTIONS FROM katz IN g WITH (top := 5)")
	querytest.MustExec(t, db, "INSERT EDGE ('v1', 'new') INTO g")
	for text, want := range map[string]string{
		"MATERIALIZE PREDICTIONS FROM katz IN g WITH (top := 5)": "of the vertices within 2 edges of the 2 that have changed, of 201: ",
		"MATERIALIZE PREDICTIONS FROM katz IN g WITH (top := 6)": "of all vertices: ",
	} {
		p, err := db.Explain(context.Background(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.String(), want) {
			t.Errorf("%s: %s", text, p)
		}
	}
}

// TestDB_Score_EmbeddingReplacedMeanwhile recomputes the embedding of a model after names were
// resolved and before the vectors are loaded.
func TestDB_Score_EmbeddingReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	querytest.MustExec(t, db, "EMBED g USING dp_spectral(dim := 4) AS e")
	querytest.MustExec(t, db, "TRAIN MODEL m IN g USING e, heuristics(cosine) WITH (seed := 1)")
	c, err := querytest.Engine(db).Begin(context.Background(), "SCORE")
	if err != nil {
		t.Fatal(err)
	}
	defer c.End()
	req := links.ScoreRequest{Pairs: []links.Pair{{Source: "v1", Target: "v2"}}, With: []catalogue.Scorer{{Model: "m"}}}
	statement, err := parser.Parse("SCORE ('v1', 'v2') IN g WITH model(m)")
	if err != nil {
		t.Fatal(err)
	}
	op, err := c.Binder(nil).Prepare(statement)
	if err != nil {
		t.Fatal(err)
	}
	querytest.MustExec(t, db, "EMBED g USING dp_spectral(dim := 4, beta := 0.5) AS e")
	if _, err := op.Exec(c); !errors.Is(err, fault.ErrOtherMethod) {
		t.Errorf("running: %v", err)
	}
	if _, err := db.Links().Score(context.Background(), req); !errors.Is(err, fault.ErrOtherMethod) {
		t.Errorf("resolving: %v", err)
	}
}

// TestParseScorers reads back what String writes, and refuses more than scorers.
func TestParseScorers(t *testing.T) {
	t.Parallel()
	want := []catalogue.Scorer{{Name: "adamic_adar"}, {Name: "cosine", Embedding: "a b"}, {Model: "friends"}}
	text := want[0].String() + ", " + want[1].String() + ", " + want[2].String()
	got, err := links.ParseScorers(text)
	want[2].Name = "model"
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v, %v", text, got, err)
	}
	var syntax *parser.Error
	for _, text := range []string{"", "katz WITH (x := 1)", "cosine(", "a; DROP GRAPH g"} {
		if _, err := links.ParseScorers(text); !errors.As(err, &syntax) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if len(link.Scorers()) == 0 {
		t.Error("no scorers")
	}
}
