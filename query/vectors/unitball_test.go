package vectors_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/unitball"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

// TestDB_Embed_UnitBall compares the reported statistics of a placement with a reconstruction
// at radius 1, for an exact placement and for one with wrong pairs.
func TestDB_Embed_UnitBall(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 300, m := 4, seed := 2) INTO g")
	for _, dim := range []int{3, 64} {
		made, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "g", Name: "ball", Using: vectors.UnitBall{Options: unitball.Options{Dim: dim, Passes: 150}}})
		if err != nil {
			t.Fatal(err)
		}
		stats := map[string]string{}
		for _, s := range made.Stats {
			stats[s.Name] = s.Value
		}
		answer, err := db.Vectors().Reconstruct(t.Context(), vectors.ReconstructRequest{Embedding: "ball", Radius: 1})
		if err != nil {
			t.Fatal(err)
		}
		at := answer.Points[answer.Best]
		for name, want := range map[string]float64{"precision": at.Precision, "recall": at.Recall} {
			if got, err := strconv.ParseFloat(stats[name], 64); err != nil || got != want {
				t.Errorf("dim %d: %s is %s, in the reconstruction %g", dim, name, stats[name], want)
			}
		}
		exact := stats["wrong pairs"] == "0"
		if exact != (at.Precision == 1 && at.Recall == 1) || exact != (dim == 64) {
			t.Errorf("dim %d: %s wrong pairs, %+v", dim, stats["wrong pairs"], at)
		}
		if len(made.Notices) == 0 || made.Notices[len(made.Notices)-1].Text != stats["note"] {
			t.Errorf("dim %d: notices %v", dim, made.Notices)
		}
		auto, err := db.Vectors().Reconstruct(t.Context(), vectors.ReconstructRequest{Embedding: "ball", Auto: true})
		if err != nil {
			t.Fatal(err)
		}
		if best := auto.Points[auto.Best]; exact && (best.Precision != 1 || best.Recall != 1) {
			t.Errorf("dim %d: AUTO gives %+v", dim, best)
		}
	}
}

// TestDB_Embed_UnitBallBound expects a notice that a star has no placement in two dimensions.
func TestDB_Embed_UnitBallBound(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	var edges []string
	for leaf := range 20 {
		edges = append(edges, fmt.Sprintf("('hub', '%d')", leaf))
	}
	querytest.MustRun(t, db, "GENERATE erdos_renyi(n := 1, p := 0) INTO star")
	querytest.MustRun(t, db, "INSERT EDGE "+strings.Join(edges, ", ")+" INTO star")
	made, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "star", Name: "low", Using: vectors.UnitBall{Options: unitball.Options{Dim: 2, Passes: 50}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "no placement in fewer than 3 dimensions is exact"
	if len(made.Notices) != 1 || !strings.Contains(made.Notices[0].Text, want) {
		t.Errorf("notices %v do not contain %q", made.Notices, want)
	}
}

// TestDB_Refresh_UnitBall changes a few edges and vertices, and expects an exact placement
// after a refresh that moves only the neighbourhood of the change.
func TestDB_Refresh_UnitBall(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: package unitball refreshes")
	}
	t.Parallel()
	db := querytest.Open(t, nil)
	for _, statement := range []string{
		"GENERATE preferential_attachment(n := 800, m := 3, seed := 2) INTO g",
		"EMBED g USING unit_ball(dim := 48, seed := 1) AS ball",
		"DELETE VERTEX '70' FROM g",
		"DELETE EDGE ('0', '1') FROM g",
		"INSERT EDGE ('200', '300'), ('new', '5'), ('new', '600') INTO g",
		"INSERT VERTEX 'alone' INTO g",
	} {
		querytest.MustRun(t, db, statement)
	}
	r, err := db.Vectors().Refresh(t.Context(), vectors.RefreshRequest{Embedding: "ball"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Kind != catalogue.RefreshIncremental || r.MaxDrift == 0 {
		t.Errorf("%s, drift %g: %s", r.Kind, r.MaxDrift, r.Reason)
	}
	answer, err := db.Vectors().Reconstruct(t.Context(), vectors.ReconstructRequest{Embedding: "ball", Radius: 1})
	if err != nil {
		t.Fatal(err)
	}
	if at := answer.Points[answer.Best]; at.Precision != 1 || at.Recall != 1 {
		t.Errorf("after the refresh: %+v", at)
	}
	compared, err := db.Vectors().Verify(t.Context(), vectors.VerifyRequest{Embedding: "ball"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range compared.Measures {
		if m.Name == "pearson" && (m.Stored != 1 || m.Full != 1) {
			t.Errorf("VERIFY: %+v", m)
		}
	}
}

// TestDB_Tune_UnitBall expects a search that names unit_ball to store the vectors that EMBED
// gives with the options found.
func TestDB_Tune_UnitBall(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: searches options several times")
	}
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 120, m := 3, seed := 2) INTO g")
	tuned, err := db.Studies().Tune(t.Context(), studies.TuneRequest{
		Graph: "g", Name: "best", Goal: studies.ForReconstruction, Trials: 8,
		Methods: []studies.TuneMethod{{Using: vectors.UnitBall{Options: unitball.Options{Dim: 24, Passes: 80}, Begin: embedding.MethodDeepWalk}}, {Using: vectors.LaplacianEigenmaps{Dim: 24}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	best := tuned.Trials[0]
	if best.Method != "unit_ball" || !best.Confirmed || tuned.Embedding.Method != "unit_ball" || best.Score < 0.99 {
		t.Errorf("the best trial is %+v, stored as %s", best, tuned.Embedding.Method)
	}
	margin := 0.0
	for _, o := range best.Options {
		if o.Name == "margin" {
			margin = o.Value.(float64)
		}
	}
	querytest.MustRun(t, db, fmt.Sprintf("EMBED g USING unit_ball(dim := 24, passes := 80, start := 'deepwalk', margin := %v, seed := 0) AS again", margin))
	_, want, err := querytest.Engine(db).Store.Embedding(t.Context(), "again")
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := querytest.Engine(db).Store.Embedding(t.Context(), "best")
	if err != nil || !slices.Equal(got.Data, want.Data) {
		t.Errorf("EMBED with the options found gives different vectors, %v", err)
	}
}

// TestDB_Embed_UnitBallLeast searches the smallest dimension for a star of five leaves, which
// is 2, and expects a refresh to keep that dimension.
func TestDB_Embed_UnitBallLeast(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustRun(t, db, "CREATE GRAPH star")
	querytest.MustRun(t, db, "INSERT EDGE ('h', 'a'), ('h', 'b'), ('h', 'c'), ('h', 'd'), ('h', 'e') INTO star")
	made, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "star", Name: "low", Using: vectors.UnitBall{Options: unitball.Options{Seed: 1}, Least: true}})
	if err != nil {
		t.Fatal(err)
	}
	stats := map[string]string{}
	for _, s := range append(made.Stats, made.Options...) {
		stats[s.Name] = s.Value
	}
	if made.Dim != 2 || stats["dim"] != "least" || stats["least dim"] != "2" || stats["dim proven necessary"] != "2" || !strings.HasSuffix(stats["dims tried"], "2 (0 wrong)") {
		t.Errorf("dim %d, %v", made.Dim, stats)
	}
	querytest.MustRun(t, db, "DELETE EDGE ('h', 'e') FROM star")
	again, err := db.Vectors().Refresh(t.Context(), vectors.RefreshRequest{Embedding: "low"})
	if err != nil {
		t.Fatal(err)
	}
	if again.To.Dim != 2 {
		t.Errorf("the refresh has dim %d", again.To.Dim)
	}
	for _, using := range []vectors.MethodOptions{vectors.UnitBall{Options: unitball.Options{Dim: -2}}, vectors.UnitBall{Least: true, Begin: embedding.MethodDPWalker}} {
		if _, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "star", Name: "x", Using: using}); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%+v: %v", using, err)
		}
	}
	_, err = db.Studies().Tune(t.Context(), studies.TuneRequest{Graph: "star", Name: "x", Goal: studies.ForReconstruction, Methods: []studies.TuneMethod{{Using: vectors.UnitBall{Least: true}}}})
	if !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("TUNE with the least dim: %v", err)
	}
}
