package querytest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/studies"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// ImportText makes a graph from the lines of a text.
func ImportText(t testing.TB, db *query.DB, graph, edges string) {
	t.Helper()
	if _, err := db.Graphs().ImportReader(context.Background(), strings.NewReader(edges), graphs.ImportRequest{Graph: graph}); err != nil {
		t.Fatal(err)
	}
}

// TwoTriangles makes the graph social with the embedding pos.
func TwoTriangles(t testing.TB, db *query.DB) {
	t.Helper()
	ImportText(t, db, "social", "a b\nb c\nc a\nc d\nd e\ne f\nf d\n")
	if _, err := PutVectors(db, "social", "pos", "a 0 0\nb 3 0\nc 0 4\nd 6 8\ne 6 9\nf 7 8"); err != nil {
		t.Fatal(err)
	}
}

// Tuned returns a search with short stages.
func Tuned() studies.TuneRequest {
	return studies.TuneRequest{
		Graph: "pa", Name: "best", Goal: studies.ForReconstruction, Trials: 30, Seed: 5,
		Methods: []studies.TuneMethod{{Method: "dp_spectral", Settings: map[string]any{"dim": 8, "normalization": "degree", "scale": 0.5}}},
	}
}

// StoreEdges makes a graph from edges; of repeated edges the last one counts.
func StoreEdges(t *testing.T, db *query.DB, graph string, edges []storage.Edge) {
	t.Helper()
	if _, err := db.Graphs().Create(t.Context(), graph); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Graphs().InsertEdges(t.Context(), graph, edges); err != nil {
		t.Fatal(err)
	}
}

// PutVectors stores the embedding in text, with a key and its numbers in each line.
func PutVectors(db *query.DB, graph, name, text string) (storage.EmbeddingInfo, error) {
	snapshot, err := Engine(db).Store.Snapshot(context.Background(), graph)
	if err != nil {
		return storage.EmbeddingInfo{}, err
	}
	var m *vec.Matrix
	for v, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if m == nil {
			m = vec.NewMatrix(snapshot.Graph.Vertices(), len(fields)-1)
		}
		if v >= m.Rows || snapshot.Key(uint32(v)) != fields[0] || len(fields) != m.Dim+1 {
			return storage.EmbeddingInfo{}, fmt.Errorf("line %q is not for vertex %d", line, v)
		}
		for i, field := range fields[1:] {
			x, err := strconv.ParseFloat(field, 32)
			if err != nil {
				return storage.EmbeddingInfo{}, err
			}
			m.Row(v)[i] = float32(x)
		}
	}
	return Engine(db).Store.PutEmbedding(context.Background(), storage.EmbeddingInfo{
		Name: name, Graph: graph, GraphVersion: snapshot.Info.Version, Method: "by hand", Kernel: vec.Kind(),
		Vertices: m.Rows, Dim: m.Dim,
	}, m)
}

// EdgesOf returns the edges of the graph that the arguments name.
func EdgesOf(args map[string]string) string {
	number := func(key string) int { n, _ := strconv.Atoi(args[key]); return n }
	var b strings.Builder
	edge := func(u, v int) { fmt.Fprintf(&b, "%d %d\n", u, v) }
	n := number("n")
	has := func(word string) bool { _, ok := args[word]; return ok }
	switch {
	case has("ring"):
		for v := range n {
			edge(v, (v+1)%n)
		}
	case has("star"):
		for v := 1; v < n; v++ {
			edge(0, v)
		}
	case has("clique"):
		for v := range n {
			for u := range v {
				edge(u, v)
			}
		}
	case has("sbm"):
		random := rand.New(rand.NewPCG(uint64(number("seed")), 1))
		size := number("size")
		for v := range number("blocks") * size {
			for u := range v {
				p := 0.05
				if u/size == v/size {
					p = 0.7
				}
				if random.Float64() < p {
					edge(u, v)
				}
			}
		}
	}
	return b.String()
}

// Attached makes a graph large enough for every stage to report.
func Attached(t *testing.T, db *query.DB) {
	t.Helper()
	MustExec(t, db, "GENERATE preferential_attachment(n := 300, m := 4, seed := 1) INTO pa")
}

// FileScanDB has a ring with an embedding whose rows 3 and 4 are zero and whose rows
// from 10 on are equal in pairs.
func FileScanDB(t *testing.T, opts *query.Options) *query.DB {
	t.Helper()
	db := Open(t, opts)
	const n, dim = 600, 5
	ImportText(t, db, "g", RingText(n))
	PutRows(t, db, n, dim)
	return db
}

// RingText lists the edges of a ring.
func RingText(n int) string {
	var text strings.Builder
	for v := range n {
		fmt.Fprintf(&text, "v%d v%d\n", v, (v+1)%n)
	}
	return text.String()
}

// PutRows stores the embedding e of the graph g, of waves that are equal in pairs of rows; rows
// 3 and 4 are zero.
func PutRows(t *testing.T, db *query.DB, n, dim int) {
	t.Helper()
	m := vec.NewMatrix(n, dim)
	for v := range n {
		for l := range dim {
			m.Row(v)[l] = float32(math.Sin(float64(v/2*dim + l)))
		}
	}
	clear(m.Row(3))
	clear(m.Row(4))
	info, err := Engine(db).Store.Graph(context.Background(), "g")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Engine(db).Store.PutEmbedding(context.Background(), storage.EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: info.Version}, m); err != nil {
		t.Fatal(err)
	}
}

// RandomSpace makes a graph of n vertices with keys in the given order, and random vectors on
// a coarse grid, so that ties are common. The edges and vector of a vertex depend on its
// number, not on its position in the order.
func RandomSpace(t *testing.T, db *query.DB, order []int) {
	t.Helper()
	n := len(order)
	var edges, vectors strings.Builder
	for _, v := range order {
		fmt.Fprintf(&edges, "v%d v%d\n", v, v) // fixes the order of the vertices
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3 * n {
		fmt.Fprintf(&edges, "v%d v%d\n", random.IntN(n), random.IntN(n))
	}
	ImportText(t, db, "g", edges.String())
	rows := make([]string, n)
	for v := range rows {
		rows[v] = fmt.Sprintf("v%d %d %d %d", v, random.IntN(4), random.IntN(4), 1+random.IntN(3))
	}
	for i, v := range order {
		if i > 0 {
			vectors.WriteByte('\n')
		}
		vectors.WriteString(rows[v])
	}
	if _, err := PutVectors(db, "g", "e", vectors.String()); err != nil {
		t.Fatal(err)
	}
}

// Ascending are the numbers below n.
func Ascending(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}
