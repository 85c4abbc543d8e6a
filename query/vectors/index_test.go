package vectors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/index"
	"heavytail/query"
	"heavytail/query/internal/indexes"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// indexedDB has a ring of n vertices with random vectors, as the embedding e.
func indexedDB(t *testing.T, n int, opts query.Options) *query.DB {
	t.Helper()
	db := querytest.Open(t, &opts)
	putRandom(t, db, n, 1)
	return db
}

// putRandom stores random vectors as e; the graph is made where it is missing.
func putRandom(t *testing.T, db *query.DB, n int, seed uint64) {
	t.Helper()
	ctx := context.Background()
	if _, err := querytest.Engine(db).Store.Graph(ctx, "g"); errors.Is(err, storage.ErrNotFound) {
		querytest.MustRun(t, db, fmt.Sprintf("GENERATE erdos_renyi(n := %d, p := 0.003, seed := 1) INTO g", n))
	}
	random := rand.New(rand.NewPCG(seed, 1))
	m := vec.NewMatrix(n, 8)
	for i := range m.Data {
		m.Data[i] = float32(random.NormFloat64())
	}
	if _, err := querytest.Engine(db).Store.PutEmbedding(ctx, storage.EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1, Method: "random"}, m); err != nil {
		t.Fatal(err)
	}
}

func nearestTo(t *testing.T, db *query.DB, req vectors.NearestRequest) vectors.SearchResult {
	t.Helper()
	req.Embedding, req.K = "e", 10
	r, err := db.Vectors().Nearest(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A search uses the index of its metric and generation, if an index pays and is allowed,
// and reports it.
func TestNearest_Index(t *testing.T) {
	ctx := context.Background()
	db := indexedDB(t, 2000, query.Options{IndexBytes: 1})
	info, err := db.Vectors().CreateIndex(ctx, vectors.CreateIndexRequest{Embedding: "e"})
	if err != nil || info.Recall < 0.95 || info.Vectors != 2000 || info.Bytes == 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	exact := nearestTo(t, db, vectors.NearestRequest{Vertex: "7", Exact: true})
	found := nearestTo(t, db, vectors.NearestRequest{Vertex: "7"})
	if exact.Index != nil || found.Index == nil || found.Index.Metric != "l2" || !slices.Equal(exact.Neighbors, found.Neighbors) {
		t.Errorf("with EXACT %v, with the index %v", exact, found)
	}
	within, err := db.Vectors().Within(ctx, vectors.WithinRequest{Embedding: "e", Vertex: "7", Radius: exact.Neighbors[9].Value})
	if err != nil || within.Index == nil || !slices.Equal(within.Neighbors, exact.Neighbors) {
		t.Errorf("within: %v, %v", within, err)
	}
	if r := nearestTo(t, db, vectors.NearestRequest{Vertex: "7", Metric: index.Cosine}); r.Index != nil {
		t.Error("another metric used the index")
	}
	few := nearestTo(t, db, vectors.NearestRequest{Vertex: "7", Where: func(c where.Candidate) bool { return c.Key() == "9" }})
	if few.Index != nil || len(few.Neighbors) != 1 || few.Neighbors[0].Vertex != "9" {
		t.Errorf("one vertex passes: %+v", few)
	}
	for statement, want := range map[string]string{
		"PROFILE NEAREST 10 TO '7' USING e":                     "compared at ef",
		"PROFILE NEAREST 10 TO '7' USING e WHERE degree > 1000": "2000 vectors scanned, as too few vertices pass the filter",
		"PROFILE NEAREST 10 TO '7' USING e EXACT":               "2000 vectors scanned",
	} {
		if text := querytest.MustRun(t, db, statement); !strings.Contains(text, want) {
			t.Errorf("%s:\n%s\nexpected %q", statement, text, want)
		}
	}

	// A new generation has no index, and the indexes of the old one are not used.
	putRandom(t, db, 2000, 2)
	again := nearestTo(t, db, vectors.NearestRequest{Vertex: "7"})
	if again.Index != nil || !slices.Equal(again.Neighbors, nearestTo(t, db, vectors.NearestRequest{Vertex: "7", Exact: true}).Neighbors) {
		t.Error("the index of another generation was used")
	}
	querytest.MustBeSound(t, db)
}

// Small sets are scanned, which is as fast.
func TestNearest_IndexBytes(t *testing.T) {
	db := indexedDB(t, 500, query.Options{})
	querytest.MustRun(t, db, "CREATE INDEX ON e")
	if r := nearestTo(t, db, vectors.NearestRequest{Vertex: "7"}); r.Index != nil {
		t.Error("the index of 16 KB was used")
	}
}

// An index whose searches compare so many vectors that a scan takes less is not used, which its
// builder and EXPLAIN say, and a refresh removes it: here by the dot product of vectors whose lengths differ very much.
func TestNearest_IndexSlow(t *testing.T) {
	db := querytest.Open(t, &query.Options{IndexBytes: 1})
	querytest.MustRun(t, db, "GENERATE erdos_renyi(n := 2000, p := 0.001, seed := 1) INTO g")
	random := rand.New(rand.NewPCG(1, 1))
	m := vec.NewMatrix(2000, 8)
	for v := range m.Rows {
		length := math.Exp(3 * random.NormFloat64())
		for j := range m.Row(v) {
			m.Row(v)[j] = float32(length * random.NormFloat64())
		}
	}
	ctx := context.Background()
	if _, err := querytest.Engine(db).Store.PutEmbedding(ctx, storage.EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1, Method: "random"}, m); err != nil {
		t.Fatal(err)
	}
	for metric, slow := range map[string]bool{"dot": true, "cosine": false} {
		answer, err := db.Query(ctx, "CREATE INDEX ON e WITH (metric := '"+metric+"')", nil)
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(answer.Notices(), func(n rows.Notice) bool {
			return strings.Contains(n.Text, "of 2000 vectors, which takes longer than a scan")
		})
		search := "NEAREST 10 TO '7' USING " + metric + "(e)"
		explained := strings.Contains(querytest.MustRun(t, db, "EXPLAIN "+search), "this takes less than searching the index, which compares very many vectors")
		if said != slow || explained != slow {
			t.Errorf("%s: notices %v, explained %v", metric, answer.Notices(), explained)
		}
		if got, want := querytest.MustRun(t, db, search), querytest.MustRun(t, db, search+" EXACT"); slow && got != want {
			t.Errorf("%s\nand exact:\n%s", got, want)
		}
	}
	removesSlow(t, db, m)
}

// removesSlow checks that a refresh of e removes its slow index by dot, and keeps that by cosine.
func removesSlow(t *testing.T, db *query.DB, m *vec.Matrix) {
	c, err := querytest.Engine(db).Begin(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer c.End()
	kept, before, err := indexes.Keep(c, "e")
	if err != nil {
		t.Fatal(err)
	}
	next, err := indexes.Follow(c, "e", kept, before.Matrix, m)
	notices := fmt.Sprint(c.Notices)
	if err != nil || len(next) != 1 || next[0].Info.Metric != "cosine" || !strings.Contains(notices, "by dot was removed, as NEAREST and WITHIN did not use it") {
		t.Errorf("%d indexes, %v, notices %s", len(next), err, notices)
	}
}

// Vertices that were deleted later are not returned.
func TestNearest_IndexDeleted(t *testing.T) {
	db := indexedDB(t, 500, *querytest.GraphOnly(1))
	querytest.MustRun(t, db, "CREATE INDEX ON e WITH (ef := 500)")
	near := nearestTo(t, db, vectors.NearestRequest{Vertex: "7"}).Neighbors[0].Vertex
	querytest.MustRun(t, db, "DELETE VERTEX '"+near+"' FROM g")
	r := nearestTo(t, db, vectors.NearestRequest{Vertex: "7"})
	if slices.ContainsFunc(r.Neighbors, func(n vectors.Neighbor) bool { return n.Vertex == near }) || r.Index == nil {
		t.Errorf("after %s was deleted: %+v", near, r)
	}
	if want := nearestTo(t, db, vectors.NearestRequest{Vertex: "7", Exact: true}); !slices.Equal(r.Neighbors, want.Neighbors) {
		t.Errorf("%v, expected %v", r.Neighbors, want.Neighbors)
	}
	if text, want := querytest.MustRun(t, db, "PROFILE NEAREST 10 TO '7' USING e"), "1 of deleted vertices left out"; !strings.Contains(text, want) {
		t.Errorf("%s\nexpected %q", text, want)
	}
	// If too few vertices are left, all are scanned.
	querytest.Engine(db).Opts.GraphOnly = false
	querytest.MustRun(t, db, "DELETE VERTICES FROM g WHERE degree >= 4")
	r = nearestTo(t, db, vectors.NearestRequest{Vector: make([]float32, 8)})
	if want := nearestTo(t, db, vectors.NearestRequest{Vector: make([]float32, 8), Exact: true}); !slices.Equal(r.Neighbors, want.Neighbors) {
		t.Errorf("%v, expected %v", r.Neighbors, want.Neighbors)
	}
	if text, want := querytest.MustRun(t, db, "PROFILE NEAREST 10 TO [0, 0, 0, 0, 0, 0, 0, 0] USING e"), "500 vectors scanned, as"; !strings.Contains(text, want) {
		t.Errorf("%s\nexpected %q", text, want)
	}
}

// An index that is damaged, truncated or of other vectors gives an exact answer with a
// notice, never a wrong one.
func TestNearest_IndexDamaged(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages an index in many places")
	}
	ctx := context.Background()
	db := indexedDB(t, 1000, *querytest.GraphOnly(1))
	of, m, err := querytest.Engine(db).Store.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	build := func(m *vec.Matrix) []byte {
		h, err := index.NewHNSW(ctx, m, index.L2, index.HNSWOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := h.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	sound := build(m)
	flipped := slices.Clone(sound) // on every page: a search in the file verifies those that it reads
	for at := 500; at < len(flipped); at += 1000 {
		flipped[at] ^= 4
	}
	other := &vec.Matrix{Rows: m.Rows, Dim: m.Dim, Data: slices.Clone(m.Data)}
	slices.Reverse(other.Data)
	want := nearestTo(t, db, vectors.NearestRequest{Vertex: "7", Exact: true})
	for what, stored := range map[string][]byte{
		"cut": sound[:len(sound)/2], "flipped": flipped, "of other vectors": build(other), "text": []byte("no index"),
	} {
		_, err := querytest.Engine(db).Store.PutIndex(ctx, of, storage.IndexInfo{Metric: "l2", Vectors: 1000, Recall: 1}, func(w io.Writer) error {
			_, err := w.Write(stored)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		r := nearestTo(t, db, vectors.NearestRequest{Vertex: "7"})
		if r.Index != nil || !slices.Equal(r.Neighbors, want.Neighbors) || len(r.Notices) != 1 || !strings.Contains(r.Notices[0].Text, "cannot be used") {
			t.Errorf("%s: %+v", what, r)
		}
	}
	querytest.MustRun(t, db, "CREATE INDEX ON e")
	if r := nearestTo(t, db, vectors.NearestRequest{Vertex: "7"}); r.Index == nil {
		t.Error("the index was created again and is not used")
	}
	// Nor does an index that was damaged before a vertex was deleted.
	if _, err := querytest.Engine(db).Store.PutIndex(ctx, of, storage.IndexInfo{Metric: "l2", Vectors: 1000, Recall: 1}, func(w io.Writer) error {
		_, err := w.Write(flipped)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	querytest.MustRun(t, db, "DELETE VERTEX '"+want.Neighbors[0].Vertex+"' FROM g")
	r, want := nearestTo(t, db, vectors.NearestRequest{Vertex: "7"}), nearestTo(t, db, vectors.NearestRequest{Vertex: "7", Exact: true})
	if r.Index != nil || !slices.Equal(r.Neighbors, want.Neighbors) ||
		!slices.ContainsFunc(r.Notices, func(n rows.Notice) bool { return strings.Contains(n.Text, "cannot be used") }) {
		t.Errorf("damaged, and a vertex was deleted: %+v", r)
	}
}

// An index reports the worst measured recall.
func TestDB_Index_Worst(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := indexedDB(t, 1000, query.Options{IndexBytes: 1})
	info, err := db.Vectors().CreateIndex(ctx, vectors.CreateIndexRequest{Embedding: "e", M: 2, EfConstruction: 4, Ef: 10})
	if err != nil || !(info.Lowest < info.Recall) || info.Poor == 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	columns := func(statement string, want ...rows.Value) {
		t.Helper()
		answer, err := db.Query(ctx, statement, nil)
		if err != nil || !answer.Next() {
			t.Fatal(err)
		}
		defer answer.Close()
		at := slices.Index(answer.Columns(), "recall")
		if !slices.Equal(answer.Columns()[at:at+3], []string{"recall", "lowest", "poor"}) || !slices.Equal(answer.Row()[at:at+3], want) {
			t.Errorf("%s: %v %v, want %v", statement, answer.Columns(), answer.Row(), want)
		}
	}
	columns("SHOW INDEXES", info.Recall, info.Lowest, info.Poor)
	text := fmt.Sprintf("recall %.4g, lowest %.2g, %.3g %% of queries below 0.5, index", info.Recall, info.Lowest, 100*info.Poor)
	if plan := querytest.MustRun(t, db, "PROFILE NEAREST 10 TO '7' USING e"); !strings.Contains(plan, text) {
		t.Errorf("%q is not in\n%s", text, plan)
	}
}

func TestDB_CreateIndex_Refused(t *testing.T) {
	ctx := context.Background()
	db := indexedDB(t, 100, query.Options{})
	for _, req := range []vectors.CreateIndexRequest{{Embedding: "e", M: 1}, {Embedding: "e", Metric: 7}, {Embedding: "none"}, {}} {
		if _, err := db.Vectors().CreateIndex(ctx, req); err == nil {
			t.Errorf("%+v: no error", req)
		}
	}
	if err := db.Vectors().DropIndex(ctx, "e"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no index to drop: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Vectors().CreateIndex(ended, vectors.CreateIndexRequest{Embedding: "e"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The indexes of an embedding follow its refreshes: they are updated from the changes, and
// rebuilt after a vertex was deleted. Searches with them find what a scan finds.
func TestDB_Refresh_IndexFollows(t *testing.T) {
	ctx := context.Background()
	db := querytest.Open(t, &query.Options{IndexBytes: 1})
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 300, m := 3, seed := 2) INTO g")
	querytest.MustRun(t, db, "EMBED g USING deepwalk(dim := 8, walks := 2, length := 10, window := 3, seed := 1) AS e")
	querytest.MustRun(t, db, "CREATE INDEX ON e WITH (ef := 60, seed := 4)")
	querytest.MustRun(t, db, "CREATE INDEX ON e WITH (metric := 'cosine', m := 12, ef := 50)")
	for round, change := range []string{
		"INSERT EDGE ('299', 'new'), ('new', '298') INTO g", "DELETE VERTEX '17' FROM g", "INSERT EDGE ('299', 'newer'), ('new', 'newer') INTO g",
	} {
		querytest.MustRun(t, db, change)
		querytest.MustRun(t, db, "REFRESH e")
		list, err := db.Vectors().Indexes(ctx)
		if err != nil || len(list) != 2 {
			t.Fatalf("%s: %+v, %v", change, list, err)
		}
		for i, want := range []string{"[{m 12} {ef_construction 100} {ef 50} {seed 0}]", "[{m 16} {ef_construction 100} {ef 60} {seed 4}]"} {
			if got := list[i]; got.Generation != uint64(round+2) || fmt.Sprint(got.Parameters) != want || got.Recall < 0.9 {
				t.Errorf("%s: %+v", change, got)
			}
		}
		_, m, err := querytest.Engine(db).Store.Embedding(ctx, "e")
		if err != nil || list[0].Vectors != m.Rows {
			t.Fatal(list[0].Vectors, m.Rows, err)
		}
		found := 0
		for v := 100; v < 140; v++ {
			near := nearestTo(t, db, vectors.NearestRequest{Vertex: fmt.Sprint(v)})
			exact := nearestTo(t, db, vectors.NearestRequest{Vertex: fmt.Sprint(v), Exact: true})
			for _, n := range near.Neighbors {
				if slices.Contains(exact.Neighbors, n) {
					found++
				}
			}
		}
		if found < 380 {
			t.Errorf("%s: the index finds %d of 400", change, found)
		}
	}
	querytest.Engine(db).Opts.Notice = func(n rows.Notice) {
		if strings.Contains(n.Text, "index") {
			t.Error(n.Text)
		}
	}
	querytest.MustRun(t, db, "REFRESH e")
	if list, err := db.Vectors().Indexes(ctx); err != nil || len(list) != 2 {
		t.Errorf("a refresh that had nothing to do: %+v, %v", list, err)
	}
}
