package measures_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/measures"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// putDirected stores a graph of which arc reports the arcs.
func putDirected(t *testing.T, db *query.DB, name string, n uint32, weighted bool, arc func(u, v uint32) bool) *csr.Directed {
	t.Helper()
	out := csr.Rows{Offsets: []int64{0}}
	for u := range n {
		for v := range n {
			if u != v && arc(u, v) {
				out.Targets = append(out.Targets, v)
				if weighted {
					out.Weights = append(out.Weights, float32(1+(u+v)%3))
				}
			}
		}
		out.Offsets = append(out.Offsets, int64(len(out.Targets)))
	}
	d := csr.NewDirected(out)
	store(t, db, name, storage.PutGraphRequest{Directed: d})
	return d
}

func store(t *testing.T, db *query.DB, name string, req storage.PutGraphRequest) {
	t.Helper()
	req.Keys = func(v uint32) string { return strconv.Itoa(int(v)) }
	if _, err := querytest.Engine(db).Store.PutGraph(t.Context(), name, req); err != nil {
		t.Fatal(err)
	}
}

// computed are the values of a measure, without a notice that speaks of the undirected view.
func computed(t *testing.T, db *query.DB, graph, measure string, settings map[string]any) (values []float64, view bool) {
	t.Helper()
	r, err := db.Measures().Compute(t.Context(), measures.ComputeRequest{Graph: graph, Measure: measure, Settings: settings})
	if err != nil {
		t.Fatalf("%s of %s: %v", measure, graph, err)
	}
	for _, v := range r.Vertices {
		values = append(values, v.Value.Float())
	}
	for _, n := range r.Notices {
		view = view || strings.Contains(n.Text, "undirected view")
	}
	return values, view
}

func sameValues(a, b []float64, tolerance float64) bool {
	largest := slices.Max(append(slices.Clone(a), 1e-300))
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= tolerance*largest })
}

// TestCompute_Directed computes every measure of a directed graph. Those that do not read the direction
// say so, and have the values of the undirected view. The others have in one direction the values of the
// reversed graph in the other.
func TestCompute_Directed(t *testing.T) {
	db := querytest.Open(t, nil)
	r := rand.New(rand.NewPCG(4, 4))
	arcs := map[[2]uint32]bool{}
	for range 300 {
		arcs[[2]uint32{uint32(r.IntN(80)), uint32(r.IntN(r.IntN(80) + 1))}] = true
	}
	d := putDirected(t, db, "g", 82, true, func(u, v uint32) bool { return arcs[[2]uint32{u, v}] })
	putDirected(t, db, "back", 82, true, func(u, v uint32) bool { return arcs[[2]uint32{v, u}] })
	store(t, db, "view", storage.PutGraphRequest{Graph: d.Undirected()})
	opposite := map[string]string{"in_degree": "out_degree", "in_strength": "out_strength", "hub": "authority"}
	for from, to := range opposite {
		opposite[to] = from
	}
	for _, m := range measures.List() {
		values, view := computed(t, db, "g", m.Name, nil)
		if view != (m.Directed == "") {
			t.Errorf("%s: a notice of the undirected view: %v, and Directed is %q", m.Name, view, m.Directed)
		}
		plain, notice := computed(t, db, "view", m.Name, nil)
		if same := sameValues(values, plain, 1e-9); same != (view || m.Name == "component") {
			t.Errorf("%s: the values of the undirected view: %v", m.Name, same)
		}
		if notice {
			t.Errorf("%s of an undirected graph has a notice of its view", m.Name)
		}
		settings := map[string]any{}
		for _, o := range m.Options {
			if o.Name == "direction" {
				settings["direction"] = o.Choices[1]
			}
		}
		other := m.Name
		if name := opposite[m.Name]; name != "" {
			other = name
		} else if len(settings) == 0 && m.Name != "betweenness" && m.Name != "strong_component" && !view {
			continue
		}
		back, _ := computed(t, db, "back", other, settings)
		if len(settings) > 0 && sameValues(values, back, 0.01) == sameValues(values, plain, 0.01) {
			t.Errorf("%s: the direction changes nothing", m.Name)
		}
		if !sameValues(values, back, 1e-6) {
			t.Errorf("%s is not %s of the reversed graph:\n%v\n%v", m.Name, other, values, back)
		}
	}
}

// TestCompute_BothArcs has both arcs of each edge: every measure but community, which draws at random, is
// that of the undirected graph, or twice that where it adds up arcs or ordered pairs.
func TestCompute_BothArcs(t *testing.T) {
	db := querytest.Open(t, nil)
	r := rand.New(rand.NewPCG(5, 5))
	edges := map[[2]uint32]bool{}
	for range 150 {
		edges[[2]uint32{uint32(r.IntN(60)), uint32(r.IntN(60))}] = true
	}
	d := putDirected(t, db, "g", 62, false, func(u, v uint32) bool { return edges[[2]uint32{u, v}] || edges[[2]uint32{v, u}] })
	plain := d.Undirected()
	store(t, db, "plain", storage.PutGraphRequest{Graph: plain})
	for _, m := range measures.List() {
		got, _ := computed(t, db, "g", m.Name, nil)
		want, _ := computed(t, db, "plain", m.Name, nil)
		if m.Name == "betweenness" {
			for v := range want {
				want[v] *= 2
			}
		}
		if m.Name != "community" && !sameValues(got, want, 1e-5) {
			t.Errorf("%s:\n%v, want\n%v", m.Name, got, want)
		}
	}
}

// TestRefreshMeasure_Directed keeps the direction with which a measure was computed.
func TestRefreshMeasure_Directed(t *testing.T) {
	db := querytest.Open(t, nil)
	putDirected(t, db, "g", 5, false, func(u, v uint32) bool { return v == u+1 })
	querytest.ExecAll(t, db, "COMPUTE harmonic(direction := 'out') IN g AS out")
	err := querytest.Engine(db).Store.Update(t.Context(), func(tx *storage.Tx) error {
		_, err := tx.InsertEdges("g", []storage.Edge{{Source: "4", Target: "0"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := db.Measures().Refresh(t.Context(), measures.RefreshMeasureRequest{Graph: "g", Attribute: "out"})
	if err != nil || r.Kind != "full" || math.Abs(r.Min-25./12) > 1e-12 || math.Abs(r.Max-25./12) > 1e-12 {
		t.Error(r, err)
	}
}
