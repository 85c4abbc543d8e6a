package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heavytail/embedding/run"
	"heavytail/embedding/unitball"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// openStart returns a database with a graph "g", its embedding "walks" of 12 dimensions, and
// another graph "h" with the embedding "other".
func openStart(t *testing.T) *query.DB {
	t.Helper()
	db := querytest.Open(t, nil)
	for _, text := range []string{
		"GENERATE preferential_attachment(n := 120, m := 3, seed := 2) INTO g",
		"GENERATE preferential_attachment(n := 20, m := 2, seed := 2) INTO h",
		"EMBED g USING laplacian_eigenmaps(dim := 12) AS walks",
		"EMBED h USING laplacian_eigenmaps(dim := 4) AS other",
	} {
		querytest.MustRun(t, db, text)
	}
	return db
}

func statOf(info storage.EmbeddingInfo, name string) string {
	for _, s := range info.Stats {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// TestDB_Embed_Start starts from stored embeddings with the same number of dimensions, with
// more and with fewer.
func TestDB_Embed_Start(t *testing.T) {
	t.Parallel()
	db := openStart(t)
	for dim, want := range map[int]string{
		12: "walks@1, of version 1 of the graph, in 12 dimensions",
		8:  "walks@1, of version 1 of the graph, in 12 dimensions projected onto 8",
		16: "walks@1, of version 1 of the graph, in 12 dimensions with 4 random ones added",
	} {
		made, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "g", Name: "ball", Using: vectors.UnitBall{Options: unitball.Options{Dim: dim, Passes: 20}, From: "walks"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := statOf(made.EmbeddingInfo, "began with"); got != want || made.Dim != int(dim) {
			t.Errorf("dim %d: began with %q, want %q", made.Dim, got, want)
		}
		if o := made.Options; !slices.Contains(o, storage.Setting{Name: "start", Value: "embedding"}) || !slices.Contains(o, storage.Setting{Name: "start_embedding", Value: "walks"}) {
			t.Errorf("options %v", o)
		}
	}

	// The start has an effect: a strong anchor keeps the vectors near to it.
	querytest.MustRun(t, db, "EMBED g USING unit_ball(dim := 12, start_embedding := 'walks', anchor := 100, passes := 20) AS near")
	querytest.MustRun(t, db, "EMBED g USING unit_ball(dim := 12, anchor := 100, passes := 20) AS far")
	cosines := map[string]float64{}
	_, walks, err := querytest.Engine(db).Store.Embedding(t.Context(), "walks")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"near", "far"} {
		_, m, err := querytest.Engine(db).Store.Embedding(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for v := range m.Rows {
			var dot, a, b float64
			for i, x := range m.Row(v) {
				y := walks.Row(v)[i]
				dot, a, b = dot+float64(x*y), a+float64(x*x), b+float64(y*y)
			}
			cosines[name] += dot * dot / (a * b) / float64(m.Rows)
		}
	}
	if cosines["near"] < 0.9 || cosines["far"] > 0.5 {
		t.Errorf("mean squared cosines with the start: %v", cosines)
	}
}

// TestDB_Embed_StartOlder starts from an embedding of an older version of the graph, and
// refreshes and verifies the result after the start embedding was replaced and dropped.
func TestDB_Embed_StartOlder(t *testing.T) {
	t.Parallel()
	db := openStart(t)
	querytest.MustRun(t, db, "INSERT EDGE ('new', '0'), ('new', '1') INTO g")
	querytest.MustRun(t, db, "INSERT VERTEX 'alone' INTO g")
	querytest.MustRun(t, db, "DELETE VERTEX '5' FROM g")
	const embed = "EMBED g USING unit_ball(dim := 12, start_embedding := 'walks', passes := 200) AS ball"
	querytest.MustRun(t, db, embed)
	info, first, err := querytest.Engine(db).Store.Embedding(t.Context(), "ball")
	if err != nil {
		t.Fatal(err)
	}
	if got := statOf(info, "began with"); got != "walks@1, of version 1 of the graph, in 12 dimensions; 2 of 121 vertices have no vector there" {
		t.Errorf("began with %q", got)
	}
	querytest.MustRun(t, db, embed)
	if _, again, err := querytest.Engine(db).Store.Embedding(t.Context(), "ball"); err != nil || !slices.Equal(first.Data, again.Data) {
		t.Errorf("other bytes the second time, %v", err)
	}
	querytest.MustRun(t, db, "INSERT EDGE ('new', '2') INTO g")
	refreshed, err := db.Vectors().Refresh(t.Context(), vectors.RefreshRequest{Embedding: "ball"})
	if err != nil {
		t.Fatal(err)
	}
	if got := statOf(refreshed.To, "began with"); refreshed.Full == (got != "") {
		t.Errorf("a refresh (in full %t) began with %q", refreshed.Full, got)
	}
	querytest.MustRun(t, db, "VERIFY ball")
	querytest.MustRun(t, db, "DROP EMBEDDING walks")
	var start *run.StartError
	if _, err := db.Query(t.Context(), "VERIFY ball", nil); !errors.As(err, &start) || start.Embedding != "walks" || !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a full run without its start: %v", err)
	}
}

// TestDB_Refresh_Start changes the edges of most vertices, so that the refresh is a full
// run, which starts like EMBED.
func TestDB_Refresh_Start(t *testing.T) {
	t.Parallel()
	db := openStart(t)
	const embed = "EMBED g USING unit_ball(dim := 6, start_embedding := 'walks', anchor := 0.1, passes := 12) AS "
	querytest.MustRun(t, db, embed+"ball")
	var edges []string
	for v := range 60 {
		edges = append(edges, fmt.Sprintf("('%d', 'new%d')", v, v%3))
	}
	querytest.MustRun(t, db, "INSERT EDGE "+strings.Join(edges, ", ")+" INTO g")
	refreshed, err := db.Vectors().Refresh(t.Context(), vectors.RefreshRequest{Embedding: "ball"})
	if err != nil || !refreshed.Full {
		t.Fatalf("%+v, %v", refreshed, err)
	}
	querytest.MustRun(t, db, embed+"later")
	_, got, err := querytest.Engine(db).Store.Embedding(t.Context(), "ball")
	if err != nil {
		t.Fatal(err)
	}
	info, want, err := querytest.Engine(db).Store.Embedding(t.Context(), "later")
	if err != nil || !slices.Equal(got.Data, want.Data) {
		t.Errorf("a refresh in full does not begin like EMBED: %v", err)
	}
	if a, b := statOf(refreshed.To, storage.SettingBegan), statOf(info, storage.SettingBegan); a != b || a == "" {
		t.Errorf("it began with %q, and EMBED with %q", a, b)
	}
}

// TestDB_Rename_Start renames an embedding that others started from, and expects their
// records to have the new name, also for a past generation.
func TestDB_Rename_Start(t *testing.T) {
	t.Parallel()
	db := openStart(t)
	for _, text := range []string{
		"EMBED g USING laplacian_eigenmaps(dim := 3) AS walks2",
		"EMBED g USING laplacian_eigenmaps(dim := 11) AS walks",
		"EMBED g USING unit_ball(dim := 6, start_embedding := 'walks', passes := 3) AS now",
		"EMBED g USING unit_ball(dim := 6, start_embedding := 'walks', seed := 2, passes := 3) AS now", // now@1 is a past generation
		"EMBED g USING unit_ball(dim := 6, start_embedding := 'walks@1', passes := 3) AS past",
		"EMBED g USING unit_ball(dim := 6, start_embedding := 'walks2', passes := 3) AS another",
		"ALTER EMBEDDING walks RENAME TO \"w x\"",
	} {
		querytest.MustRun(t, db, text)
	}
	for name, want := range map[string][2]string{
		"now":     {"w x", "w x@2, of version 1"},
		"now@1":   {"w x", "w x@2, of version 1"},
		"past":    {"w x@1", "w x@1, of version 1"},
		"another": {"walks2", "walks2@1, of version 1"},
	} {
		info, _, err := querytest.Engine(db).Store.Embedding(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		option := ""
		for _, o := range info.Options {
			if o.Name == storage.SettingStart {
				option = o.Value
			}
		}
		if began := statOf(info, storage.SettingBegan); option != want[0] || !strings.HasPrefix(began, want[1]) {
			t.Errorf("%s: start_embedding %q, began with %q, want %q", name, option, began, want)
		}
	}
	querytest.MustRun(t, db, "VERIFY now")
	querytest.MustRun(t, db, "VERIFY past")
	querytest.MustRun(t, db, "CHECK")
}

// TestDB_Embed_StartRefused uses invalid starts.
func TestDB_Embed_StartRefused(t *testing.T) {
	t.Parallel()
	db := openStart(t)
	querytest.MustRun(t, db, "EMBED g USING unit_ball(dim := 4, start_embedding := 'walks', passes := 2) AS ball")
	for text, want := range map[string]string{
		"EMBED g USING unit_ball(start_embedding := 'wakls') AS e":                             "did you mean",
		"EXPLAIN EMBED g USING unit_ball(start_embedding := 'wakls') AS e":                     "did you mean",
		"ESTIMATE EMBED g USING unit_ball(start_embedding := 'wakls')":                         "did you mean",
		"EMBED g USING unit_ball(start_embedding := 'other') AS e":                             "belongs to graph h",
		"EMBED g USING unit_ball(start := 'embedding') AS e":                                   "needs start_embedding",
		"EMBED g USING unit_ball(start := 'deepwalk', start_embedding := 'walks') AS e":        "without another start",
		"EMBED g USING unit_ball(dim := 'least', start_embedding := 'walks') AS e":             "without dim := 'least'",
		"EMBED g USING unit_ball(start_embedding := 3) AS e":                                   "start_embedding",
		"EVALUATE LINKS IN g USING unit_ball(dim := 4, start_embedding := 'walks')":            "only EMBED",
		"TUNE g USING unit_ball(dim := 4, start_embedding := 'walks') FOR RECONSTRUCTION AS e": "only EMBED",
		"TRAIN MODEL m IN g USING ball":                                                        "know the edges that the training hides",
	} {
		if _, err := db.Query(t.Context(), text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestJobs_Start stops a computation that started from a stored embedding, replaces or
// drops that embedding, and expects the bytes and the provenance of an undisturbed
// computation.
func TestJobs_Start(t *testing.T) {
	t.Parallel()
	const embed = "EMBED g USING unit_ball(dim := 8, start_embedding := 'walks', anchor := 0.1, passes := 12) AS e"
	for _, between := range []string{"EMBED g USING laplacian_eigenmaps(dim := 20) AS walks", "DROP EMBEDDING walks"} {
		for _, background := range []bool{false, true} {
			db := openStart(t)
			querytest.MustRun(t, db, embed)
			info, want, err := querytest.Engine(db).Store.Embedding(t.Context(), "e")
			if err != nil {
				t.Fatal(err)
			}
			querytest.MustRun(t, db, "DROP EMBEDDING e")
			querytest.Eager(db)
			ctx, cancel := context.WithCancel(t.Context())
			querytest.Engine(db).Runner.AtCheckpoint = func(string) { cancel() }
			_, err = db.Query(ctx, embed, nil)
			var stopped *fault.JobError
			if !errors.As(err, &stopped) {
				t.Fatal(err)
			}
			querytest.Engine(db).Runner.AtCheckpoint = func(string) {}
			querytest.MustRun(t, db, between)
			resumed, err := db.Jobs().Resume(t.Context(), stopped.Job, background)
			if err == nil {
				resumed, err = db.Jobs().Wait(t.Context(), resumed.ID)
			}
			if err != nil || resumed.State != storage.JobDone {
				t.Fatalf("%s: %+v, %v", between, resumed, err)
			}
			again, got, err := querytest.Engine(db).Store.Embedding(t.Context(), "e")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Data, want.Data) || statOf(again, "began with") != statOf(info, "began with") {
				t.Errorf("%s: other bytes, or began with %q", between, statOf(again, "began with"))
			}
		}
	}
}
