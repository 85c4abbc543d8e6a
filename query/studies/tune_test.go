package studies_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/tune"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// The stored embedding has the figures of the best trial, and EMBED with its recorded options
// gives the same bytes and the same record.
func TestDB_Tune_StoresTheBest(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	r, err := db.Studies().Tune(t.Context(), querytest.Tuned())
	if err != nil {
		t.Fatal(err)
	}
	best := r.Trials[0]
	if len(r.Trials) != 30 || best.Stage == tune.Survey || r.Reason != tune.Trials {
		t.Fatalf("%d trials, the best in the stage %v, ended by %s", len(r.Trials), best.Stage, r.Reason)
	}
	info, m, err := querytest.Engine(db).Store.Embedding(t.Context(), "best")
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]any{}
	for _, o := range info.Options {
		settings[o.Name] = rows.Untyped(o.Value)
	}
	if info.Seed != 5 || settings["dim"] != rows.Untyped("8") || settings["scale"] != rows.Untyped("0.5") {
		t.Errorf("recorded options: %v", info.Options)
	}
	if _, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "pa", Name: "again", Method: info.Method, Settings: settings}); err != nil {
		t.Fatal(err)
	}
	again, m2, err := querytest.Engine(db).Store.Embedding(t.Context(), "again")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Data, m2.Data) || !slices.Equal(info.Options, again.Options) {
		t.Error("EMBED with the recorded options gives a different embedding")
	}
	e, err := db.Vectors().EvaluateReconstruction(t.Context(), vectors.EvaluateReconstructionRequest{Embedding: "best", Criterion: evaluate.ByH3})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"pearson": e.Points[e.Best].Pearson, "h3": e.Points[e.Best].H3, "null_pearson": e.Null.Pearson, "null_h3": e.Null.H3}
	for _, m := range best.Measures {
		if x, known := want[m.Name]; known && x != m.Value {
			t.Errorf("%s of the stored embedding is %v; the best trial is %+v", m.Name, x, best.Measures)
		}
		delete(want, m.Name)
	}
	if len(want) > 0 || best.Score != e.Points[e.Best].H3 {
		t.Errorf("the best trial has no %v, and the score %v", want, best.Score)
	}
}

// Without methods a search tries the defaults of all that are cheap, so that its best is not
// worse than any of them, and says what it left out.
func TestDB_Tune_AllCheap(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"hubs":   "GENERATE preferential_attachment(n := 150, m := 3, seed := 1) INTO g",
		"blocks": "GENERATE stochastic_block(sizes := '50,50,50', p_in := 0.15, p_out := 0.01, seed := 2) INTO g",
	} {
		db := querytest.Open(t, nil)
		if _, err := db.Query(t.Context(), statement, nil); err != nil {
			t.Fatal(err)
		}
		found, err := db.Studies().Tune(t.Context(), studies.TuneRequest{Graph: "g", Name: "best", Goal: studies.ForReconstruction, Trials: 9})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(found.Notices, func(n rows.Notice) bool { return strings.Contains(n.Text, "not searched: node2vec") }) {
			t.Errorf("%s: notices %v", name, found.Notices)
		}
		for _, method := range []string{"dp_spectral", "laplacian_eigenmaps", "fastrp", "prone", "netmf", "dp_walker", "deepwalk"} {
			if _, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "g", Name: method, Method: method}); err != nil {
				t.Fatal(err)
			}
			e, err := db.Vectors().EvaluateReconstruction(t.Context(), vectors.EvaluateReconstructionRequest{Embedding: method, Criterion: evaluate.ByH3})
			if err != nil {
				t.Fatal(err)
			}
			if h3 := e.Points[e.Best].H3; h3 > found.Trials[0].Score {
				t.Errorf("%s: the best of the search has %v, and the defaults of %s have %v", name, found.Trials[0].Score, method, h3)
			}
		}
	}
}

// The same request gives the same trials and bytes at any number of workers, and where the
// memory suffices for only one trial at a time.
func TestDB_Tune_Same(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: searches options several times")
	}
	t.Parallel()
	var rows []float32
	var trials []tune.Trial
	for _, opts := range []query.Options{{Workers: 1}, {Workers: 3}, {Workers: 3, MemoryLimit: 1_800_000}} {
		db := querytest.Open(t, &opts)
		querytest.Attached(t, db)
		r, err := db.Studies().Tune(t.Context(), querytest.Tuned())
		if err != nil {
			t.Fatal(err)
		}
		_, m, err := querytest.Engine(db).Store.Embedding(t.Context(), "best")
		if err != nil {
			t.Fatal(err)
		}
		if rows == nil {
			rows, trials = m.Data, r.Trials
		}
		same := func(a, b tune.Trial) bool {
			return a.Number == b.Number && a.Score == b.Score && slices.Equal(a.Options, b.Options)
		}
		if !slices.Equal(rows, m.Data) || !slices.EqualFunc(trials, r.Trials, same) {
			t.Errorf("%d workers give a different result", opts.Workers)
		}
	}
}

// A search that is cancelled in any stage stores nothing.
func TestDB_Tune_CancelledInEveryStage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: searches once for each stage")
	}
	t.Parallel()
	for _, stage := range []string{"survey", "refine", "select", "solving"} {
		var end func()
		db := querytest.Open(t, &query.Options{Progress: func(p rows.Progress) {
			if p.Statement == "TUNE" && p.Stage == stage {
				end()
			}
		}})
		querytest.Attached(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		end = cancel
		if _, err := db.Studies().Tune(ctx, querytest.Tuned()); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in the stage %s: %v", stage, err)
		}
		if list, err := querytest.Engine(db).Store.Embeddings(t.Context()); err != nil || len(list) > 0 {
			t.Errorf("embeddings after the search: %v, %v", list, err)
		}
		cancel()
	}
}

// The result says so if the goal is undefined for every embedding of the graph.
func TestDB_Tune_NoScore(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	for _, statement := range []string{"CREATE GRAPH bare", "INSERT VERTEX 'a', 'b' INTO bare"} {
		rows, err := db.Query(t.Context(), statement, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	r, err := db.Studies().Tune(t.Context(), studies.TuneRequest{Graph: "bare", Name: "best", Goal: studies.ForReconstruction, Trials: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(r.Trials[0].Score) || !slices.ContainsFunc(r.Notices, func(n rows.Notice) bool { return strings.Contains(n.String(), "h3 is not defined") }) {
		t.Errorf("score %v, notices %v", r.Trials[0].Score, r.Notices)
	}
	_, err = db.Studies().Tune(t.Context(), studies.TuneRequest{Graph: "bare", Name: "best", Goal: studies.ForLinks, Trials: 2})
	var m *fault.Error
	if !errors.Is(err, evaluate.ErrLinks) || !errors.As(err, &m) {
		t.Errorf("links of a graph without edges: %v", err)
	}
}

// A full trial has the figures of EVALUATE LINKS, also if the latest edges are held out.
func TestDB_Tune_LatestLinks(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	statements := []string{"CREATE GRAPH timed"}
	for v := range 120 {
		statements = append(statements, fmt.Sprintf("INSERT EDGE ('%d', '%d', time := %d), ('%d', '%d', time := %d) INTO timed", v, v*v%17, v, v, (v+1)%120, 200-v))
	}
	for _, statement := range statements {
		rows, err := db.Query(t.Context(), statement, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	const method = "dp_spectral(dim := 8, normalization := 'degree', beta := 0.5, scale := 0.5, row_scale := 0)"
	figures := func(statement, column string) (list []string) {
		rows, err := db.Query(t.Context(), statement, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			list = append(list, fmt.Sprint(rows.Row()[slices.Index(rows.Columns(), column)]))
		}
		return list
	}
	for _, column := range []string{"auc", "average_precision", "f1"} {
		tuned := figures("TUNE timed USING "+method+" FOR LINKS AS best WITH (trials := 2, seed := 3)", column)
		evaluated := figures("EVALUATE LINKS IN timed USING "+method+" WITH (scorers := 'cosine', seed := 3)", column)
		if len(tuned) != 2 || len(evaluated) != 2 || tuned[0] != evaluated[1] {
			t.Errorf("%s: TUNE has %v, EVALUATE LINKS %v", column, tuned, evaluated)
		}
	}
}

func TestDB_Tune_Errors(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	for name, c := range map[string]struct {
		change func(*studies.TuneRequest)
		want   error
	}{
		"graph":     {func(r *studies.TuneRequest) { r.Graph = "ap" }, storage.ErrNotFound},
		"name":      {func(r *studies.TuneRequest) { r.Name = "" }, fault.ErrInvalid},
		"method":    {func(r *studies.TuneRequest) { r.Methods[0].Method = "deepwork" }, fault.ErrInvalid},
		"twice":     {func(r *studies.TuneRequest) { r.Methods = append(r.Methods, r.Methods[0]) }, fault.ErrInvalid},
		"setting":   {func(r *studies.TuneRequest) { r.Methods[0].Settings["p"] = 1 }, fault.ErrInvalid},
		"goal":      {func(r *studies.TuneRequest) { r.Goal = "fame" }, fault.ErrInvalid},
		"criterion": {func(r *studies.TuneRequest) { r.Criterion = "auc" }, fault.ErrInvalid},
		"budget":    {func(r *studies.TuneRequest) { r.Budget = -time.Second }, fault.ErrInvalid},
		"trials":    {func(r *studies.TuneRequest) { r.Trials = -1 }, fault.ErrInvalid},
		"share":     {func(r *studies.TuneRequest) { r.Share = 1 }, fault.ErrInvalid},
		"latest":    {func(r *studies.TuneRequest) { r.Goal, r.Latest = studies.ForLinks, true }, evaluate.ErrTimes},
	} {
		req := querytest.Tuned()
		c.change(&req)
		if _, err := db.Studies().Tune(t.Context(), req); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	small := querytest.Open(t, &query.Options{MemoryLimit: 100_000})
	querytest.Attached(t, small)
	var limit *fault.LimitError
	if _, err := small.Studies().Tune(t.Context(), querytest.Tuned()); !errors.As(err, &limit) {
		t.Errorf("little memory: %v", err)
	}
}
