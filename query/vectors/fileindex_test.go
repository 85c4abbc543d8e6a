package vectors_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"heavytail/index"
	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/internal/search"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// A search with the index in the file gives the answer of the loaded index, to the last
// bit, and loads nothing.
func TestFileIndex_Agrees(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, graphOnly := range []bool{false, true} {
		db := querytest.FileScanDB(t, &query.Options{IndexBytes: 1})
		querytest.Engine(db).Opts.GraphOnly = graphOnly
		for _, metric := range index.Metrics() {
			querytest.MustRun(t, db, fmt.Sprintf("CREATE INDEX ON e WITH (metric := '%v', m := 4, ef_construction := 20, ef := 20)", metric))
			for _, vertex := range []string{"v3", "v10", "v599", ""} {
				near := vectors.NearestRequest{K: 10, Embedding: "e", Vertex: vertex, Metric: metric}
				within := vectors.WithinRequest{Embedding: "e", Vertex: vertex, Metric: metric, Radius: 0.5, Limit: 7}
				if vertex == "" {
					near.Vector = []float32{1, 0, -1, 0.5, 0}
					within.Vector = near.Vector
				}
				var have, want [2]vectors.SearchResult
				for i, answers := range []*[2]vectors.SearchResult{&have, &want} {
					if querytest.ForgetLoaded(db); i == 1 { // a condition in Go makes it load the graph, the vectors and the index
						near.Where = func(where.Candidate) bool { return true }
						within.Where = near.Where
					}
					var err error
					if answers[0], err = db.Vectors().Nearest(ctx, near); err != nil {
						t.Fatal(err)
					}
					if answers[1], err = db.Vectors().Within(ctx, within); err != nil {
						t.Fatal(err)
					}
					if querytest.Loaded(db) != (i == 1) {
						t.Fatalf("%v of %q: loaded is %v", metric, vertex, querytest.Loaded(db))
					}
				}
				for i, what := range []string{"nearest", "within"} {
					a, b := have[i], want[i]
					if !slices.Equal(a.Neighbors, b.Neighbors) || a.Embedding != b.Embedding || (a.Index == nil) != (b.Index == nil) || a.Index == nil && graphOnly {
						t.Errorf("%v, %s %q: %+v in the file, %+v loaded", metric, what, vertex, a, b)
					}
				}
			}
		}
		querytest.ForgetLoaded(db)
		text := "NEAREST 9 TO 'v7' USING e WHERE NOT linked"
		if explained := querytest.MustRun(t, db, "EXPLAIN "+text); !strings.Contains(explained, "searched in the file, and loaded after 128 searches") {
			t.Error(explained)
		}
		have, profile := querytest.MustRun(t, db, text), querytest.MustRun(t, db, "PROFILE "+text)
		if !strings.Contains(profile, "index in the file") || querytest.Loaded(db) {
			t.Error(profile)
		}
		querytest.MustRun(t, db, "NEAREST 1 TO 'v7' USING e WHERE key <> 'v1'")
		if want := querytest.MustRun(t, db, text); !querytest.Loaded(db) || have != want {
			t.Errorf("%s in the file, %s loaded", have, want)
		}
	}
}

// A condition on degrees reads those of the vertices that a search of the index visits; a scan
// loads the graph.
func TestFileIndex_Degrees(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, &query.Options{IndexBytes: 1})
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 600, m := 2, seed := 3) INTO g")
	querytest.PutRows(t, db, 600, 5)
	querytest.MustRun(t, db, "CREATE INDEX ON e WITH (m := 4, ef_construction := 20, ef := 20)")
	for text, loads := range map[string]bool{
		"NEAREST 9 TO '7' USING e WHERE degree > 3":                 false,
		"NEAREST 9 TO '7' USING e WHERE degree > 2 AND NOT linked":  false,
		"NEAREST 9 TO '7' USING e WHERE degree = 2 OR linked":       false,
		"NEAREST 9 TO [1, 0, -1, 0.5, 0] USING e WHERE degree <= 3": false,
		"WITHIN RADIUS 0.5 OF '7' USING e WHERE degree > 2":         false,
		"NEAREST 9 TO '7' USING e EXACT WHERE degree > 3":           true,
	} {
		querytest.ForgetLoaded(db)
		have := querytest.MustRun(t, db, text)
		if querytest.Loaded(db) != loads {
			t.Errorf("%s: loaded is %v", text, querytest.Loaded(db))
		}
		querytest.MustRun(t, db, "NEAREST 1 TO '7' USING e WHERE key <> '1'")
		if want := querytest.MustRun(t, db, text); !querytest.Loaded(db) || have != want {
			t.Errorf("%s: %s in the file, %s loaded", text, have, want)
		}
	}
}

// After many searches in the file the index is loaded; scans count more than searches by
// the index.
func TestFileIndex_Loads(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.FileScanDB(t, querytest.GraphOnly(1))
	querytest.MustRun(t, db, "CREATE INDEX ON e WITH (m := 4, ef := 8)")
	querytest.ForgetLoaded(db)
	req := vectors.NearestRequest{K: 3, Embedding: "e", Vertex: "v7"}
	exact := req
	exact.Exact = true
	if _, err := db.Vectors().Nearest(ctx, exact); err != nil {
		t.Fatal(err)
	}
	for i := search.ScanCost; i <= search.FileScans*search.ScanCost; i++ {
		r, err := db.Vectors().Nearest(ctx, req)
		if err != nil || r.Index == nil || querytest.Loaded(db) != (i == search.FileScans*search.ScanCost) {
			t.Fatalf("search %d: loaded %v, %+v, %v", i, querytest.Loaded(db), r.Index, err)
		}
	}
}

// If the index cannot be searched, all vectors are scanned, and a notice reports it.
func TestFileIndex_Damaged(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.FileScanDB(t, querytest.GraphOnly(1))
	of, m, err := querytest.Engine(db).Store.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	build := func(change float32) []byte {
		other := &vec.Matrix{Rows: m.Rows, Dim: m.Dim, Data: slices.Clone(m.Data)}
		for i := range other.Data {
			other.Data[i] += change
		}
		h, err := index.NewHNSW(ctx, other, index.L2, index.HNSWOptions{M: 3, EfConstruction: 10, Ef: 8})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if _, err := h.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return []byte(b.String())
	}
	sound := build(0)
	req := vectors.NearestRequest{K: 3, Embedding: "e", Vertex: "v7", Exact: true}
	want, err := db.Vectors().Nearest(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	req.Exact = false
	for what, stream := range map[string][]byte{"": sound, "cut": sound[:len(sound)/2], "text": []byte("no index"), "of other vectors": build(1)} {
		if _, err := querytest.Engine(db).Store.PutIndex(ctx, of, storage.IndexInfo{Metric: "l2", Vectors: m.Rows}, func(w io.Writer) error {
			_, err := w.Write(stream)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		r, err := db.Vectors().Nearest(ctx, req)
		if err != nil || querytest.Loaded(db) {
			t.Fatalf("%s: %v", what, err)
		}
		if what == "" {
			if r.Index == nil || len(r.Notices) != 0 {
				t.Errorf("a sound index: %+v", r)
			}
		} else if r.Index != nil || !slices.Equal(r.Neighbors, want.Neighbors) || len(r.Notices) != 1 || !strings.Contains(r.Notices[0].Text, "cannot be used") {
			t.Errorf("%s: %+v", what, r)
		}
	}
}
