package vectors_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// A refresh after a change keeps the previous generation, with which DIFF compares the new
// one, and VERIFY finds the new one close to a full run.
func TestDB_Refresh(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, nil)
	if _, err := db.Graphs().Generate(ctx, graphs.GenerateRequest{Graph: "g", Generator: "preferential_attachment", Settings: map[string]any{"n": 250, "m": 4, "seed": 2}}); err != nil {
		t.Fatal(err)
	}
	for name, method := range map[string]string{"spec": "dp_spectral", "walk": "dp_walker"} {
		settings := map[string]any{"dim": 16}
		if method == "dp_walker" {
			settings["alpha"] = 0.05
		}
		if _, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "g", Name: name, Method: method, Settings: settings}); err != nil {
			t.Fatal(err)
		}
		for round := range 3 {
			err := db.Update(ctx, func(tx *storage.Tx) error {
				_, err := tx.InsertEdges("g", []storage.Edge{{Source: name + strconv.Itoa(round), Target: "5"}, {Source: name + strconv.Itoa(round), Target: "7"}, {Source: "100", Target: strconv.Itoa(200 + round)}})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			r, err := db.Vectors().Refresh(ctx, vectors.RefreshRequest{Embedding: name})
			if err != nil || r.Kind != catalogue.RefreshIncremental || r.To.Generation != uint64(round+2) || r.Versions == 0 || r.Touched < 3 {
				t.Fatalf("%s: %+v, %v", name, r, err)
			}
		}
		if r, err := db.Vectors().Refresh(ctx, vectors.RefreshRequest{Embedding: name}); err != nil || r.Kind != catalogue.RefreshNone {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		list, err := db.Vectors().Generations(ctx, name)
		if err != nil || len(list) != 2 || list[0].Name != name+"@3" || list[0].Behind == 0 || list[1].Behind != 0 || list[1].Refresh != catalogue.RefreshIncremental {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		d, err := db.Vectors().Diff(ctx, vectors.DiffRequest{Before: name + "@3", After: name, Limit: 3})
		if err != nil || len(d.Moved) != 3 || d.Moved[0].Distance < d.Moved[2].Distance || d.Mean > 0.3 || d.Vertices != list[0].Vertices {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		v, err := db.Vectors().Verify(ctx, vectors.VerifyRequest{Embedding: name, Sample: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range v.Measures {
			if m.Name == "edge auc" && m.Stored < m.Full-0.05 || m.Name == "overlap at 10" && (m.Stored < 0.1 || m.Stored > 1) {
				t.Errorf("%s: %+v", name, m)
			}
		}
	}
}

// An answer reports how many of its vertices have changed since the embedding.
func TestDB_Nearest_Changed(t *testing.T) {
	ctx := context.Background()
	db := querytest.Open(t, nil)
	if _, err := db.Graphs().Generate(ctx, graphs.GenerateRequest{Graph: "g", Generator: "preferential_attachment", Settings: map[string]any{"n": 50, "m": 2, "seed": 2}}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "g", Name: "e", Method: "dp_spectral", Settings: map[string]any{"dim": 4}}); err != nil {
		t.Fatal(err)
	}
	err := db.Update(ctx, func(tx *storage.Tx) error {
		_, err := tx.InsertEdges("g", []storage.Edge{{Source: "new", Target: "5"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 49, Vertex: "3", Embedding: "e"})
	if err != nil || all.Embedding.Changed != 1 || len(all.Notices) != 2 {
		t.Errorf("%+v, %v", all.Embedding, err)
	}
	if _, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 1, Vertex: "new", Embedding: "e"}); err == nil {
		t.Error("a vertex without a vector has nearest vertices")
	}
	fresh, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 1, Vertex: "new", Embedding: "e", Fresh: true})
	if err != nil || fresh.Embedding.Generation != 2 || fresh.Embedding.Behind != 0 || len(fresh.Neighbors) != 1 {
		t.Errorf("%+v, %v", fresh, err)
	}
	if _, err := db.Vectors().Refresh(ctx, vectors.RefreshRequest{Embedding: "e@1"}); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("a past generation: %v", err)
	}
}

// Indexed graphs that shrink to nothing, by vertices or by edges, and grow again.
func TestDB_Refresh_Shrinks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	t.Parallel()
	for name, method := range map[string]string{
		"spectral": "dp_spectral(dim := 6)", "laplacian": "laplacian_eigenmaps(dim := 3)", "softmax": "dp_walker(dim := 4, walks := 2, length := 5)",
		"ball":   "unit_ball(dim := 6, passes := 40)",
		"random": "fastrp(dim := 6)", "factors": "prone(dim := 6)", "matrix": "netmf(dim := 6)",
		"negative": "deepwalk(dim := 4, walks := 2, length := 5, negative := 2)", "second order": "node2vec(dim := 4, walks := 2, length := 5)",
	} {
		t.Run(name, func(t *testing.T) {
			db := querytest.Open(t, &query.Options{IndexBytes: 1})
			querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 60, m := 2, seed := 2) INTO g")
			querytest.MustRun(t, db, "EMBED g USING "+method+" AS e")
			querytest.MustRun(t, db, "CREATE INDEX ON e WITH (metric := 'cosine')")
			for _, change := range []string{
				"DELETE VERTICES FROM g WHERE degree > 8", "DELETE VERTICES FROM g WHERE degree > 2", "DELETE VERTICES FROM g WHERE degree >= 1",
				"INSERT EDGE ('a', 'b') INTO g", "INSERT EDGE ('b', 'c') INTO g", "DELETE EDGE ('a', 'b'), ('b', 'c') FROM g",
				"DELETE VERTEX 'b', 'c' FROM g", "DELETE VERTICES FROM g WHERE degree >= 0", "INSERT VERTEX 'x' INTO g", "INSERT EDGE ('x', 'y') INTO g",
				"DELETE VERTICES FROM g WHERE degree >= 0", "GENERATE erdos_renyi(n := 20, p := 0.2, seed := 1) INTO h",
				"INSERT EDGE ('p', 'q'), ('q', 'r'), ('r', 'p'), ('r', 's') INTO g",
			} {
				querytest.MustRun(t, db, change)
				r, err := db.Vectors().Refresh(context.Background(), vectors.RefreshRequest{Embedding: "e"})
				if err != nil {
					t.Fatalf("%s: %v", change, err)
				}
				info, err := querytest.Engine(db).Store.Graph(context.Background(), "g")
				if err != nil || r.To.Vertices != info.Vertices {
					t.Fatalf("%s: %d vectors of %d vertices, %v", change, r.To.Vertices, info.Vertices, err)
				}
				list, err := db.Vectors().Indexes(context.Background())
				switch {
				case err != nil || len(list) > 0 && list[0].Vectors != info.Vertices || len(list) == 0 && r.From.Vertices > 0 && info.Vertices > 0:
					t.Errorf("%s: indexes %+v, %v; notices %v", change, list, err, r.Notices)
				case len(list) == 0 && info.Vertices > 0: // the index was deleted with the last vertex
					querytest.MustRun(t, db, "CREATE INDEX ON e WITH (metric := 'cosine')")
				}
				querytest.MustRun(t, db, "SHOW GENERATIONS OF e")
				querytest.MustRun(t, db, "VERIFY e")
			}
			querytest.MustBeSound(t, db)
		})
	}
}
