package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"heavytail/index"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
)

// Searches in the file have the answers of searches in memory, to the last bit.
func TestFileScan_Agrees(t *testing.T) {
	ctx := context.Background()
	db := querytest.FileScanDB(t, nil)
	for _, metric := range index.Metrics() {
		for _, vertex := range []string{"v0", "v3", "v10", "v599", ""} {
			for _, k := range []int{1, 10, 599, 5000} {
				near := vectors.NearestRequest{K: k, Embedding: "e", Vertex: vertex, Metric: metric}
				within := vectors.WithinRequest{Embedding: "e", Vertex: vertex, Metric: metric, Radius: 0.5, Limit: k / 3}
				if vertex == "" {
					near.Vector = []float32{1, 0, -1, 0.5, 0}
					within.Vector = near.Vector
				}
				clear(querytest.Engine(db).Cache.Scans)
				if querytest.Loaded(db) {
					querytest.Engine(db).Cache.Entries = map[session.CacheKey]*session.CacheEntry{}
				}
				a, err := db.Vectors().Nearest(ctx, near)
				if err != nil {
					t.Fatal(err)
				}
				aw, err := db.Vectors().Within(ctx, within)
				if err != nil {
					t.Fatal(err)
				}
				if querytest.Loaded(db) {
					t.Fatalf("%v of %q: the vectors or the graph were loaded", metric, vertex)
				}
				// A condition that all vertices meet loads both.
				near.Where = func(where.Candidate) bool { return true }
				within.Where = near.Where
				b, err := db.Vectors().Nearest(ctx, near)
				if err != nil {
					t.Fatal(err)
				}
				bw, err := db.Vectors().Within(ctx, within)
				if err != nil {
					t.Fatal(err)
				}
				if !querytest.Loaded(db) {
					t.Fatal("nothing was loaded")
				}
				if !slices.Equal(a.Neighbors, b.Neighbors) || a.Embedding != b.Embedding {
					t.Errorf("%v, %d nearest of %q: %v in the file, %v in memory", metric, k, vertex, a.Neighbors, b.Neighbors)
				}
				if !slices.Equal(aw.Neighbors, bw.Neighbors) {
					t.Errorf("%v within of %q: %v in the file, %v in memory", metric, vertex, aw.Neighbors, bw.Neighbors)
				}
			}
		}
	}
}

// Conditions that read only linked are decided in the file, with the answers of searches
// in memory; others load the graph.
func TestFileScan_Linked(t *testing.T) {
	ctx := context.Background()
	db := querytest.FileScanDB(t, &query.Options{NoCache: true})
	if _, err := db.Graphs().InsertEdges(ctx, "g", []storage.Edge{{Source: "v7", Target: "v300"}, {Source: "v7", Target: "v11"}}); err != nil {
		t.Fatal(err)
	}
	querytest.PutRows(t, db, 600, 5)
	for condition, admits := range map[string]func(where.Candidate) bool{
		"NOT linked":            func(c where.Candidate) bool { return !c.Linked },
		"linked":                func(c where.Candidate) bool { return c.Linked },
		"linked = true":         func(c where.Candidate) bool { return c.Linked },
		"linked OR NOT linked":  func(where.Candidate) bool { return true },
		"linked AND NOT linked": func(where.Candidate) bool { return false },
	} {
		for _, metric := range index.Metrics() {
			near := vectors.NearestRequest{K: 9, Embedding: "e", Vertex: "v7", Metric: metric, Where: admits}
			within := vectors.WithinRequest{Embedding: "e", Vertex: "v7", Metric: metric, Radius: 0.5, Where: admits}
			for text, search := range map[string]func() (vectors.SearchResult, error){
				"NEAREST 9 TO":         func() (vectors.SearchResult, error) { return db.Vectors().Nearest(ctx, near) },
				"WITHIN RADIUS 0.5 OF": func() (vectors.SearchResult, error) { return db.Vectors().Within(ctx, within) },
			} {
				text = fmt.Sprintf("%s 'v7' USING %v(e) WHERE %s", text, metric, condition)
				if profile := querytest.MustRun(t, db, "PROFILE "+text); !strings.Contains(profile, "in the file") {
					t.Errorf("%s: not in the file: %s", text, profile)
				}
				r, err := search() // a function in Go may read anything, so the graph is loaded
				if err != nil {
					t.Fatal(err)
				}
				want := ""
				for _, n := range r.Neighbors {
					want += fmt.Sprintln(n.Vertex, n.Value)
				}
				if have := querytest.MustRun(t, db, text); have != want {
					t.Errorf("%s: %s in the file, %s in memory", text, have, want)
				}
			}
		}
	}
	for condition, inFile := range map[string]bool{"degree = 4": false, "NOT linked AND degree > 1": false, "key = 'v8' OR linked": false, "1 = 1": true} {
		text := "NEAREST 9 TO 'v7' USING e WHERE " + condition
		if profile := querytest.MustRun(t, db, "PROFILE "+text); strings.Contains(profile, "in the file") != inFile {
			t.Errorf("%s: %s", text, profile)
		}
	}
	for condition, found := range map[string]int{"1 = 1": 9, "1 = 2": 0} {
		text := "NEAREST 9 TO [1, 0, 0, 0, 0] USING e WHERE " + condition
		if answer := querytest.MustRun(t, db, text); strings.Count(answer, "\n") != found {
			t.Errorf("%s: %s", text, answer)
		}
	}
}

// After some searches in the file the vectors are loaded; without a cache, or if they do
// not fit into it, they never are.
func TestFileScan_Loads(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		opts  query.Options
		loads bool
	}{{query.Options{}, true}, {query.Options{NoCache: true}, false}, {query.Options{MemoryLimit: 1 << 10}, false}} {
		db := querytest.FileScanDB(t, &c.opts)
		for i := range search.FileScans + 1 {
			if _, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 3, Embedding: "e", Vertex: "v7"}); err != nil {
				t.Fatalf("%+v: search %d: %v", c.opts, i, err)
			}
			if want := c.loads && i == search.FileScans; querytest.Loaded(db) != want {
				t.Errorf("%+v: after search %d loaded is %v", c.opts, i, querytest.Loaded(db))
			}
		}
		// A new generation starts with scans in the file again.
		querytest.PutRows(t, db, 600, 4)
		r, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 3, Embedding: "e", Vector: make([]float32, 4)})
		if err != nil || r.Embedding.Generation != 2 {
			t.Errorf("generation %d, %v", r.Embedding.Generation, err)
		}
	}
}

// The first searches do not wait for an index to be loaded, and are exact, if its searches
// compare so many vectors that a scan takes less; later ones use it.
func TestFileScan_BeforeIndex(t *testing.T) {
	const want = "; this takes less than searching the index in the file, and the index is loaded after 16 searches"
	info := storage.IndexInfo{Compared: []uint32{900, 2000, 2000, 2000}, Vectors: 12_000}
	ctx := context.Background()
	db := querytest.FileScanDB(t, &query.Options{IndexBytes: 1})
	of, m, err := querytest.Engine(db).Store.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	h, err := index.NewHNSW(ctx, m, index.L2, index.HNSWOptions{})
	if err != nil {
		t.Fatal(err)
	}
	links := func(w io.Writer) error {
		_, err := h.WriteTo(w)
		return err
	}
	info.Metric, info.Recall = "l2", 1
	if _, err := querytest.Engine(db).Store.PutIndex(ctx, of, info, links); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(querytest.MustRun(t, db, "EXPLAIN NEAREST 3 TO 'v7' USING e")), " "); !strings.Contains(text, want) {
		t.Errorf("%s\nexpected %q", text, want)
	}
	for i := range search.FileScans + 1 {
		r, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 3, Embedding: "e", Vertex: "v7"})
		if err != nil {
			t.Fatal(err)
		}
		if indexed := r.Index != nil; indexed != (i == search.FileScans) || indexed != querytest.Loaded(db) {
			t.Errorf("search %d: by the index %v, loaded %v", i, indexed, querytest.Loaded(db))
		}
	}
}

// The embedding or the index may be gone when a resolved search runs.
func TestFileScan_Moved(t *testing.T) {
	ctx := context.Background()
	db := querytest.FileScanDB(t, nil)
	c, err := querytest.Engine(db).Begin(ctx, "NEAREST")
	if err != nil {
		t.Fatal(err)
	}
	defer c.End()
	statement, err := parser.Parse("NEAREST 3 TO 'v7' USING e")
	if err != nil {
		t.Fatal(err)
	}
	op, err := c.Binder(nil).Prepare(statement)
	if err != nil || querytest.Loaded(db) {
		t.Fatalf("%v, %v", op, err)
	}
	querytest.PutRows(t, db, 600, 4)
	found, err := op.Exec(c)
	if err != nil {
		t.Fatal(err)
	}
	now, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 3, Embedding: "e", Vertex: "v7"})
	if err != nil || now.Embedding.Generation != 2 || len(now.Neighbors) != 3 {
		t.Fatalf("%+v, %v", now, err)
	}
	for _, want := range now.Neighbors {
		if !found.Next() || found.Row()[0] != want.Vertex || found.Row()[1] != want.Value {
			t.Errorf("%v, %v, expected %+v of the new generation", found.Row(), found.Err(), want)
		}
	}
}

// Invalid input gives an error, or an exact answer with a notice, in the file as in memory.
func TestFileScan_BadInput(t *testing.T) {
	ctx := context.Background()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, inMemory := range []bool{false, true} {
		db := querytest.FileScanDB(t, nil)
		var admits func(where.Candidate) bool
		if inMemory {
			admits = func(where.Candidate) bool { return true }
		}
		for _, c := range []struct {
			name string
			req  vectors.NearestRequest
			want error
		}{
			{"k of 0", vectors.NearestRequest{K: 0, Vertex: "v1"}, fault.ErrInvalid},
			{"k below 0", vectors.NearestRequest{K: -7, Vertex: "v1"}, fault.ErrInvalid},
			{"dimension", vectors.NearestRequest{K: 1, Vector: make([]float32, 4)}, fault.ErrInvalid},
			{"no dimension", vectors.NearestRequest{K: 1, Vector: []float32{}}, fault.ErrInvalid},
			{"NaN", vectors.NearestRequest{K: 1, Vector: []float32{1, 2, nan, 4, 5}}, fault.ErrInvalid},
			{"infinite", vectors.NearestRequest{K: 1, Vector: []float32{1, 2, 3, 4, -inf}}, fault.ErrInvalid},
			{"metric", vectors.NearestRequest{K: 1, Vertex: "v1", Metric: 9}, fault.ErrInvalid},
			{"vertex", vectors.NearestRequest{K: 1, Vertex: "v1000"}, storage.ErrNotFound},
			{"neither", vectors.NearestRequest{K: 1}, fault.ErrInvalid},
			{"both", vectors.NearestRequest{K: 1, Vertex: "v1", Vector: make([]float32, 5)}, fault.ErrInvalid},
		} {
			c.req.Embedding, c.req.Where = "e", admits
			if r, err := db.Vectors().Nearest(ctx, c.req); !errors.Is(err, c.want) {
				t.Errorf("%s, in memory %v: %v, %v", c.name, inMemory, r.Neighbors, err)
			}
		}
		for _, radius := range []float64{-1, math.NaN(), math.Inf(1)} {
			if _, err := db.Vectors().Within(ctx, vectors.WithinRequest{Embedding: "e", Vertex: "v1", Radius: radius, Where: admits}); !errors.Is(err, index.ErrRadius) {
				t.Errorf("radius %v: %v", radius, err)
			}
		}
		// A zero vector has the cosine 0 with every vector, so that ties decide.
		r, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 3, Embedding: "e", Vertex: "v3", Metric: index.Cosine, Where: admits})
		want := []vectors.Neighbor{{Vertex: "v0"}, {Vertex: "v1"}, {Vertex: "v2"}}
		if err != nil || !slices.Equal(r.Neighbors, want) || len(r.Notices) != 1 || !strings.Contains(r.Notices[0].Text, "zero") {
			t.Errorf("zero vector, in memory %v: %v, %v, %v", inMemory, r.Neighbors, r.Notices, err)
		}
		r, err = db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 600, Embedding: "e", Vertex: "v3", Where: admits})
		if err != nil || len(r.Neighbors) != 599 {
			t.Errorf("k = n, in memory %v: %d answers, %v", inMemory, len(r.Neighbors), err)
		}
		if wanted := admits == nil; (len(r.Notices) == 1) != wanted {
			t.Errorf("k = n, in memory %v: notices %v", inMemory, r.Notices)
		}
	}
}
