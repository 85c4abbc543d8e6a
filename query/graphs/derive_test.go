package graphs_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heavytail/index"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// storedEdges are the edges of a graph by their ends, in the order of their keys.
func storedEdges(t *testing.T, db *query.DB, graph string) map[[2]string]graphs.EdgeRow {
	t.Helper()
	found := map[[2]string]graphs.EdgeRow{}
	for e, err := range db.Graphs().EachEdge(t.Context(), graphs.EdgesRequest{Graph: graph}) {
		if err != nil {
			t.Fatal(err)
		}
		found[pairKeys(e.Source, e.Target)] = e
	}
	return found
}

func pairKeys(u, v string) [2]string { return [2]string{min(u, v), max(u, v)} }

// randomEdges are edges with weights and times between n keys at most.
func randomEdges(seed uint64, n, count int) []storage.Edge {
	random := rand.New(rand.NewPCG(seed, 1))
	var list []storage.Edge
	for range count {
		u, v := random.IntN(n), random.IntN(n)
		if u != v {
			list = append(list, storage.Edge{Source: fmt.Sprint("v", u), Target: fmt.Sprint("v", v), Weight: float64(1 + random.IntN(9)), Time: random.Int64N(99), Timed: random.IntN(3) > 0})
		}
	}
	return list
}

// TestDerive_Union compares the union of three graphs with a map that all edges were
// entered into.
func TestDerive_Union(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	names := []string{"a", "b", "c"}
	for i, name := range names {
		querytest.StoreEdges(t, db, name, randomEdges(uint64(i), 25, 120))
	}
	fold := map[storage.Repeated]func(old, next float64) float64{
		storage.RepeatedLast:  func(_, next float64) float64 { return next },
		storage.RepeatedFirst: func(old, _ float64) float64 { return old },
		storage.RepeatedSum:   func(old, next float64) float64 { return old + next },
		storage.RepeatedMin:   func(old, next float64) float64 { return min(old, next) },
		storage.RepeatedMax:   func(old, next float64) float64 { return max(old, next) },
	}
	for _, how := range slices.Sorted(maps.Keys(fold)) {
		want := map[[2]string]graphs.EdgeRow{}
		for _, name := range names {
			for pair, e := range storedEdges(t, db, name) {
				e.Source, e.Target = pair[0], pair[1]
				if old, there := want[pair]; there {
					e.Weight = fold[how](old.Weight, e.Weight)
					if !e.Timed || how == storage.RepeatedFirst && old.Timed {
						e.Time, e.Timed = old.Time, old.Timed
					}
				}
				want[pair] = e
			}
		}
		to := "union" + string(how)
		made, err := db.Graphs().Derive(t.Context(), graphs.DeriveRequest{Graph: to, How: graphs.DeriveUnion, Of: "a", Others: names[1:], Repeated: how})
		if err != nil {
			t.Fatal(err)
		}
		got := storedEdges(t, db, to)
		for pair, e := range got {
			e.Source, e.Target = pair[0], pair[1]
			got[pair] = e
		}
		if !maps.EqualFunc(got, want, func(a, b graphs.EdgeRow) bool { return reflect.DeepEqual(a, b) }) || made.Graph.Edges != int64(len(want)) {
			t.Errorf("%s: %d edges of the union, want %d", how, len(got), len(want))
		}
	}
}

// TestDerive_Edges compares subgraphs by edges, and samples of them, with the list of all
// edges.
func TestDerive_Edges(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.StoreEdges(t, db, "g", randomEdges(4, 40, 300))
	all := storedEdges(t, db, "g")
	heavy := func(e where.EdgeCandidate) bool { return e.Weight > 4 }
	for _, tt := range []struct {
		req  graphs.DeriveRequest
		want func(graphs.EdgeRow) bool // nil for a sample
		n    int
	}{
		{graphs.DeriveRequest{Graph: "heavy", How: graphs.DeriveSubgraph, EdgesWhere: heavy}, func(e graphs.EdgeRow) bool { return e.Weight > 4 }, 0},
		{graphs.DeriveRequest{Graph: "some", How: graphs.DeriveSample, Sampling: graphs.SampleEdges, Edges: 50, Seed: 2}, nil, 50},
		{graphs.DeriveRequest{Graph: "whole", How: graphs.DeriveSample, Sampling: graphs.SampleEdges}, func(graphs.EdgeRow) bool { return true }, 0},
	} {
		tt.req.Of = "g"
		made, err := db.Graphs().Derive(t.Context(), tt.req)
		if err != nil {
			t.Fatal(err)
		}
		got := storedEdges(t, db, tt.req.Graph)
		n := tt.n
		for pair, e := range all {
			if tt.want != nil && tt.want(e) {
				n++
				if got[pair].Source == "" {
					t.Errorf("%s: edge %v is missing", tt.req.Graph, pair)
				}
			}
		}
		ends := map[string]bool{}
		for pair, e := range got {
			ends[pair[0]], ends[pair[1]] = true, true
			if e.Weight != all[pair].Weight || e.Time != all[pair].Time || e.Timed != all[pair].Timed {
				t.Errorf("%s: edge %+v, in the graph %+v", tt.req.Graph, e, all[pair])
			}
		}
		if len(got) != n || tt.req.How == graphs.DeriveSample && made.Graph.Vertices != len(ends) || tt.req.How == graphs.DeriveSubgraph && made.Graph.Vertices != 40 {
			t.Errorf("%s: %d edges and %d vertices, want %d edges of %d ends", tt.req.Graph, len(got), made.Graph.Vertices, n, len(ends))
		}
	}
}

// TestDerive_Ego compares ego networks with the vertices that SHOW NEIGHBORS WITHIN lists and all
// edges between them.
func TestDerive_Ego(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.StoreEdges(t, db, "g", randomEdges(6, 60, 70))
	all := storedEdges(t, db, "g")
	for within := range 5 {
		near, err := db.Graphs().Neighbors(t.Context(), graphs.NeighborsRequest{Graph: "g", Vertex: "v1", Within: max(1, within)})
		if err != nil {
			t.Fatal(err)
		}
		in := map[string]bool{"v1": true}
		for _, row := range near.Neighbors {
			in[row.Vertex] = true
		}
		name := fmt.Sprint("ego", within)
		made, err := db.Graphs().Derive(t.Context(), graphs.DeriveRequest{Graph: name, Of: "g", How: graphs.DeriveEgo, From: "v1", Within: within})
		if err != nil {
			t.Fatal(err)
		}
		want := map[[2]string]graphs.EdgeRow{}
		for pair, e := range all {
			if in[e.Source] && in[e.Target] {
				want[pair] = e
			}
		}
		if got := storedEdges(t, db, name); !reflect.DeepEqual(got, want) || made.Graph.Vertices != len(in) {
			t.Errorf("within %d: %d vertices, %d edges, want %d and %d", within, made.Graph.Vertices, len(got), len(in), len(want))
		}
	}
	for _, req := range []graphs.DeriveRequest{{From: ""}, {From: "v1", Within: -1}, {From: "nobody"}} {
		req.Graph, req.Of, req.How = "x", "g", graphs.DeriveEgo
		if _, err := db.Graphs().Derive(t.Context(), req); err == nil {
			t.Errorf("%+v: no error", req)
		}
	}
}

// TestDerive_Nearest compares the graph of nearest neighbours with a full sort of the
// distances.
func TestDerive_Nearest(t *testing.T) {
	t.Parallel()
	const n, k, dim = 60, 4, 3
	db := querytest.Open(t, nil)
	querytest.StoreEdges(t, db, "g", randomEdges(5, n, 600))
	random := rand.New(rand.NewPCG(9, 9))
	m := vec.NewMatrix(n, dim)
	for i := range m.Data {
		m.Data[i] = float32(random.NormFloat64())
	}
	snapshot, err := querytest.Engine(db).Store.Snapshot(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := querytest.Engine(db).Store.PutEmbedding(t.Context(), storage.EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: snapshot.Info.Version}, m); err != nil {
		t.Fatal(err)
	}
	for _, metric := range index.Metrics() {
		nearest := make([][]int, n)
		for v := range n {
			for u := range n {
				if u != v {
					nearest[v] = append(nearest[v], u)
				}
			}
			slices.SortStableFunc(nearest[v], func(a, b int) int {
				return cmp.Compare(closeness(metric, m.Row(v), m.Row(b)), closeness(metric, m.Row(v), m.Row(a)))
			})
			nearest[v] = slices.DeleteFunc(nearest[v][:k], func(u int) bool { return closeness(metric, m.Row(v), m.Row(u)) <= 0 })
		}
		for _, mutual := range []bool{false, true} {
			var want []string
			for v := range n {
				for u := range v {
					there, back := slices.Contains(nearest[v], u), slices.Contains(nearest[u], v)
					if there && back || !mutual && (there || back) {
						pair := pairKeys(snapshot.Key(uint32(u)), snapshot.Key(uint32(v)))
						want = append(want, fmt.Sprintf("%s %s %.4f", pair[0], pair[1], closeness(metric, m.Row(u), m.Row(v))))
					}
				}
			}
			to := fmt.Sprint(metric, mutual)
			if _, err := db.Graphs().Derive(t.Context(), graphs.DeriveRequest{Graph: to, How: graphs.DeriveNearest, Embedding: "e", Metric: metric, K: k, Mutual: mutual}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for pair, e := range storedEdges(t, db, to) {
				got = append(got, fmt.Sprintf("%s %s %.4f", pair[0], pair[1], e.Weight))
			}
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("%s: %d edges, want %d\n%s\n%s", to, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// closeness is the weight of an edge in the graph of nearest neighbours.
func closeness(metric index.Metric, a, b []float32) float64 {
	var product, apart, ofA, ofB float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		product, apart, ofA, ofB = product+x*y, apart+(x-y)*(x-y), ofA+x*x, ofB+y*y
	}
	switch metric {
	case index.L2:
		return 1 / (1 + math.Sqrt(apart))
	case index.Cosine:
		return product / math.Sqrt(ofA*ofB)
	}
	return product
}

// TestDerive_Mistakes makes requests that no text can express.
func TestDerive_Mistakes(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.StoreEdges(t, db, "g", randomEdges(5, 9, 20))
	for _, req := range []graphs.DeriveRequest{
		{How: graphs.DeriveSubgraph}, {How: "intersection"}, {How: graphs.DeriveSample, Sampling: "walks"}, {How: graphs.DeriveNearest, Embedding: "e", K: 2},
		{How: graphs.DeriveUnion, Others: []string{"h"}}, {How: graphs.DeriveUnion, Others: []string{"g"}, Repeated: "mean"},
	} {
		req.Graph, req.Of = "x", "g"
		var mistake *fault.Error
		if _, err := db.Graphs().Derive(t.Context(), req); !errors.As(err, &mistake) {
			t.Errorf("%+v: %v", req, err)
		}
	}
}
