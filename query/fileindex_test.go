package query

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"heavytail/index"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// forgetLoaded makes the next search the first one after the file was opened.
func forgetLoaded(db *DB) {
	clear(db.e.Cache.Scans)
	db.e.Cache.Entries = map[session.CacheKey]*session.CacheEntry{}
}

// A search with the index in the file gives the answer of the loaded index, to the last
// bit, and loads nothing.
func TestFileIndex_Agrees(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, graphOnly := range []bool{false, true} {
		db := fileScanDB(t, &Options{IndexBytes: 1, graphOnly: graphOnly})
		for _, metric := range index.Metrics() {
			mustRun(t, db, fmt.Sprintf("CREATE INDEX ON e WITH (metric := '%v', m := 4, ef_construction := 20, ef := 20)", metric))
			for _, vertex := range []string{"v3", "v10", "v599", ""} {
				near := vectors.NearestRequest{K: 10, Embedding: "e", Vertex: vertex, Metric: metric}
				within := vectors.WithinRequest{Embedding: "e", Vertex: vertex, Metric: metric, Radius: 0.5, Limit: 7}
				if vertex == "" {
					near.Vector = []float32{1, 0, -1, 0.5, 0}
					within.Vector = near.Vector
				}
				var have, want [2]vectors.SearchResult
				for i, answers := range []*[2]vectors.SearchResult{&have, &want} {
					if forgetLoaded(db); i == 1 { // a condition in Go makes it load the graph, the vectors and the index
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
					if loaded(db) != (i == 1) {
						t.Fatalf("%v of %q: loaded is %v", metric, vertex, loaded(db))
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
		forgetLoaded(db)
		text := "NEAREST 9 TO 'v7' USING e WHERE NOT linked"
		if explained := mustRun(t, db, "EXPLAIN "+text); !strings.Contains(explained, "searched in the file, and loaded after 128 searches") {
			t.Error(explained)
		}
		have, profile := mustRun(t, db, text), mustRun(t, db, "PROFILE "+text)
		if !strings.Contains(profile, "index in the file") || loaded(db) {
			t.Error(profile)
		}
		mustRun(t, db, "NEAREST 1 TO 'v7' USING e WHERE key <> 'v1'")
		if want := mustRun(t, db, text); !loaded(db) || have != want {
			t.Errorf("%s in the file, %s loaded", have, want)
		}
	}
}

// A condition on degrees reads those of the vertices that a search of the index visits; a scan
// loads the graph.
func TestFileIndex_Degrees(t *testing.T) {
	t.Parallel()
	db := openTest(t, &Options{IndexBytes: 1})
	mustRun(t, db, "GENERATE preferential_attachment(n := 600, m := 2, seed := 3) INTO g")
	putRows(t, db, 600, 5)
	mustRun(t, db, "CREATE INDEX ON e WITH (m := 4, ef_construction := 20, ef := 20)")
	for text, loads := range map[string]bool{
		"NEAREST 9 TO '7' USING e WHERE degree > 3":                 false,
		"NEAREST 9 TO '7' USING e WHERE degree > 2 AND NOT linked":  false,
		"NEAREST 9 TO '7' USING e WHERE degree = 2 OR linked":       false,
		"NEAREST 9 TO [1, 0, -1, 0.5, 0] USING e WHERE degree <= 3": false,
		"WITHIN RADIUS 0.5 OF '7' USING e WHERE degree > 2":         false,
		"NEAREST 9 TO '7' USING e EXACT WHERE degree > 3":           true,
	} {
		forgetLoaded(db)
		have := mustRun(t, db, text)
		if loaded(db) != loads {
			t.Errorf("%s: loaded is %v", text, loaded(db))
		}
		mustRun(t, db, "NEAREST 1 TO '7' USING e WHERE key <> '1'")
		if want := mustRun(t, db, text); !loaded(db) || have != want {
			t.Errorf("%s: %s in the file, %s loaded", text, have, want)
		}
	}
}

// After many searches in the file the index is loaded; scans count more than searches by
// the index.
func TestFileIndex_Loads(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := fileScanDB(t, &Options{IndexBytes: 1, graphOnly: true})
	mustRun(t, db, "CREATE INDEX ON e WITH (m := 4, ef := 8)")
	forgetLoaded(db)
	req := vectors.NearestRequest{K: 3, Embedding: "e", Vertex: "v7"}
	exact := req
	exact.Exact = true
	if _, err := db.Vectors().Nearest(ctx, exact); err != nil {
		t.Fatal(err)
	}
	for i := search.ScanCost; i <= search.FileScans*search.ScanCost; i++ {
		r, err := db.Vectors().Nearest(ctx, req)
		if err != nil || r.Index == nil || loaded(db) != (i == search.FileScans*search.ScanCost) {
			t.Fatalf("search %d: loaded %v, %+v, %v", i, loaded(db), r.Index, err)
		}
	}
}

// If the index cannot be searched, all vectors are scanned, and a notice reports it.
func TestFileIndex_Damaged(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := fileScanDB(t, &Options{IndexBytes: 1, graphOnly: true})
	of, m, err := db.e.Store.Embedding(ctx, "e")
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
		if _, err := db.e.Store.PutIndex(ctx, of, storage.IndexInfo{Metric: "l2", Vectors: m.Rows}, func(w io.Writer) error {
			_, err := w.Write(stream)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		r, err := db.Vectors().Nearest(ctx, req)
		if err != nil || loaded(db) {
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
