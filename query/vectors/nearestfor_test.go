package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"heavytail/index"
	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/internal/search"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/query/where"
)

// eachNearest collects what EachNearest yields.
func eachNearest(t *testing.T, db *query.DB, req vectors.NearestRequest) (rows []vectors.NearestRow) {
	t.Helper()
	for row, err := range db.Vectors().EachNearest(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// The answers equal those of one search for each vertex: by scans and by an index, under every
// metric, with conditions on the pair and on the vertex, and with several batches.
func TestEachNearest_Agrees(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: searches options several times")
	}
	t.Parallel()
	for _, opts := range []query.Options{{Workers: 1}, {Workers: 3}, {Workers: 2, IndexBytes: 1}} {
		n := search.NearestBatch + 10
		if opts.IndexBytes > 0 {
			n = 150
		}
		db := indexedDB(t, n, opts)
		querytest.Engine(db).Opts.GraphOnly = opts.IndexBytes > 0
		querytest.MustRun(t, db, "DELETE VERTEX '5' FROM g")
		for _, metric := range index.Metrics() {
			if opts.IndexBytes > 0 {
				if _, err := db.Vectors().CreateIndex(t.Context(), vectors.CreateIndexRequest{Embedding: "e", Metric: metric}); err != nil {
					t.Fatal(err)
				}
			}
			for i, admits := range []func(where.Candidate) bool{nil, func(c where.Candidate) bool { return !c.Linked && c.Degree%2 == 0 }, func(c where.Candidate) bool { return c.Linked }} {
				got := eachNearest(t, db, vectors.NearestRequest{K: 4, Embedding: "e", Metric: metric, Where: admits})
				for v := 3; v < n; v += 71 {
					one, err := db.Vectors().Nearest(t.Context(), vectors.NearestRequest{K: 4, Embedding: "e", Metric: metric, Where: admits, Vertex: fmt.Sprint(v)})
					if err != nil {
						t.Fatal(err)
					}
					var have []vectors.Neighbor
					for _, row := range got {
						if row.Source == fmt.Sprint(v) {
							have = append(have, row.Neighbor)
							if row.Rank != len(have) {
								t.Errorf("%+v has the wrong rank", row)
							}
						}
					}
					if len(have)+len(one.Neighbors) > 0 && !reflect.DeepEqual(have, one.Neighbors) {
						t.Fatalf("%v, condition %d, vertex %d, options %+v:\n%v\nexpected\n%v", metric, i, v, opts, have, one.Neighbors)
					}
				}
			}
		}
	}
}

// The call ends when its loop breaks or its context is cancelled, and leaves no unfinished
// file.
func TestEachNearest_Ends(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	db := indexedDB(t, search.NearestBatch+1, query.Options{Progress: func(p rows.Progress) {
		if p.Stage == "nearest" && p.Done == search.NearestBatch {
			cancel()
		}
	}})
	path := filepath.Join(t.TempDir(), "knn.csv")
	rows, err := db.Query(ctx, fmt.Sprintf("NEAREST 3 FOR ALL USING e INTO FILE '%s'", path), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, the error is %v", rows, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
	for row, err := range db.Vectors().EachNearest(t.Context(), vectors.NearestRequest{K: 1, Embedding: "e"}) {
		if err != nil || row.Source != "0" || row.Rank != 1 {
			t.Errorf("%+v, %v", row, err)
		}
		break
	}
	for row, err := range db.Vectors().EachNearest(ctx, vectors.NearestRequest{K: 1, Embedding: "e"}) {
		if !errors.Is(err, context.Canceled) || row.Source != "" {
			t.Errorf("%+v, %v", row, err)
		}
	}
}
