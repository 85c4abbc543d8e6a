package graphs_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/measures"
	"heavytail/query/vectors"
)

// A star with 99 leaves and an isolated vertex: every quantile by hand.
func TestDescribeGraph_Quantiles(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.ImportText(t, db, "star", querytest.EdgesOf(map[string]string{"star": "", "n": "100"})+"loner loner\n")
	d, err := db.Graphs().Describe(context.Background(), graphs.DescribeGraphRequest{Graph: "star"})
	if err != nil {
		t.Fatal(err)
	}
	// Sorted, the degrees are one 0, ninety-nine 1s and one 99: of 101, the
	// 51st, 91st and 100th are 1.
	if want := (graphs.DegreeSummary{Min: 0, Median: 1, P90: 1, P99: 1, Max: 99, Mean: 198.0 / 101}); d.Degrees != want {
		t.Errorf("%+v, expected %+v", d.Degrees, want)
	}
	if d.Isolated != 1 || d.Components != 2 || d.LargestComponent != 100 || d.Density != 2*99.0/(101*100) {
		t.Errorf("%+v", d)
	}
	counts, err := db.Graphs().Degrees(context.Background(), "star")
	if err != nil {
		t.Fatal(err)
	}
	if want := []graphs.DegreeCount{{Degree: 0, Vertices: 1}, {Degree: 1, Vertices: 99}, {Degree: 99, Vertices: 1}}; !slices.Equal(counts, want) {
		t.Errorf("degrees %v, expected %v", counts, want)
	}
}

// Callers may change the descriptions that they get: the graphs in memory and the methods do not
// change with them.
func TestDescriptions_AreCopies(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.ImportText(t, db, "g", "a b\nb c\n")
	if _, err := db.Measures().Compute(t.Context(), measures.ComputeRequest{Graph: "g", Measure: "pagerank", As: "rank"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d, err := db.Graphs().Describe(t.Context(), graphs.DescribeGraphRequest{Graph: "g"})
		if err != nil || d.Attributes[0].Name != "rank" || d.Values[0] != 3 || d.Computed[0].Method != "pagerank" || d.Computed[0].Options[0].Name != "damping" {
			t.Fatalf("%+v, %v", d, err)
		}
		d.Attributes[0].Name, d.Values[0], d.Computed[0].Options[0].Name, d.Computed[0].Method = "other", 9, "other", "other"
		stats, err := db.Maintenance().Stats(t.Context())
		if err != nil || stats.Graphs[0].Name != "g" {
			t.Fatalf("%+v, %v", stats, err)
		}
		clear(stats.Graphs)
		for _, m := range vectors.Methods() {
			for _, o := range m.Options {
				if slices.Contains(o.Choices, "") {
					t.Fatalf("%s: %q", m.Name, o.Choices)
				}
				clear(o.Choices)
			}
		}
	}
}

// Published figures of ego-Facebook: those of SNAP, and the power law that the
// package powerlaw of Python fits.
func TestDescribeGraph_Facebook(t *testing.T) {
	source := realgraph.Path(t, "ego-facebook.txt.gz")
	db := querytest.Open(t, nil)
	if _, err := db.Graphs().Import(t.Context(), graphs.ImportRequest{Graph: "facebook", Path: source}); err != nil {
		t.Fatal(err)
	}
	d, err := db.Graphs().Describe(t.Context(), graphs.DescribeGraphRequest{Graph: "facebook", Bootstrap: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name      string
		got, want float64
		tolerance float64
	}{
		{"triangles", float64(d.Clustering.Triangles), 1_612_010, 0},
		{"clustering", d.Clustering.Average, 0.6055, 5e-5},
		{"transitivity", d.Clustering.Transitivity, 0.5192, 5e-5}, // SNAP counts closed triangles, which are a third of it
		{"assortativity", d.Assortativity, 0.0636, 5e-5},
		{"alpha", d.PowerLaw.Alpha, 2.510439861920337, 1e-3},
		{"xmin", float64(d.PowerLaw.Xmin), 47, 0},
		{"ks", d.PowerLaw.KS, 0.10114144921905, 1e-3},
		{"p", d.PowerLaw.P, 0, 0},
		{"hub", float64(d.Packing.Degree), 1045, 0},
	} {
		if !(math.Abs(f.got-f.want) <= f.tolerance) {
			t.Errorf("%s is %v, expected %v", f.name, f.got, f.want)
		}
	}
	if d.Hub != "107" {
		t.Errorf("the hub is %s", d.Hub)
	}
}

// The cached statistics of a version are not shown for the next version, nor for another
// graph with the same name.
func TestDescribeGraph_KeptByVersion(t *testing.T) {
	db := querytest.Open(t, nil)
	describe := func() graphs.GraphDescription {
		t.Helper()
		d, err := db.Graphs().Describe(t.Context(), graphs.DescribeGraphRequest{Graph: "g"})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	querytest.ImportText(t, db, "g", "a b\nb c\n")
	first := describe()
	if again := describe(); !reflect.DeepEqual(first.GraphStatistics, again.GraphStatistics) {
		t.Errorf("%+v, then %+v", first, again)
	}
	querytest.ImportText(t, db, "g", "a c\n")
	if d := describe(); first.Clustering.Triangles != 0 || d.Clustering.Triangles != 1 || d.Clustering.Transitivity != 1 {
		t.Errorf("%+v, then %+v", first.Clustering, d.Clustering)
	}
	if err := db.Graphs().Drop(t.Context(), "g", false); err != nil {
		t.Fatal(err)
	}
	querytest.ImportText(t, db, "g", "a b\nb c\n")
	if d := describe(); d.Clustering.Triangles != 0 {
		t.Errorf("the graph that was dropped shows: %+v", d.Clustering)
	}
}

// Graphs without edges, or with all degrees the same, have no power law.
func TestDescribeGraph_Undefined(t *testing.T) {
	db := querytest.Open(t, nil)
	if _, err := db.Graphs().Create(t.Context(), "empty"); err != nil {
		t.Fatal(err)
	}
	querytest.ImportText(t, db, "ring", querytest.EdgesOf(map[string]string{"ring": "", "n": "9"}))
	for _, graph := range []string{"empty", "ring"} {
		d, err := db.Graphs().Describe(t.Context(), graphs.DescribeGraphRequest{Graph: graph, Bootstrap: 3})
		if err != nil || d.PowerLaw != nil || !math.IsNaN(d.Assortativity) {
			t.Errorf("%s: %+v, %v", graph, d, err)
		}
	}
	for _, n := range []int{-1, 1_000_001} {
		if _, err := db.Graphs().Describe(t.Context(), graphs.DescribeGraphRequest{Graph: "ring", Bootstrap: n}); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("bootstrap of %d: %v", n, err)
		}
	}
}

// Weights and times are included in the memory.
func TestDescribeGraph_Bytes(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.ImportText(t, db, "plain", "a b\nb c\n")
	querytest.ImportText(t, db, "rich", "source,target,weight,time\na,b,2,17\nb,c,3,18\n")
	bytes := func(graph string) int64 {
		t.Helper()
		d, err := db.Graphs().Describe(t.Context(), graphs.DescribeGraphRequest{Graph: graph})
		if err != nil {
			t.Fatal(err)
		}
		return d.Bytes
	}
	// 4 and 8 bytes for each of two directions of two edges.
	if plain, rich := bytes("plain"), bytes("rich"); rich-plain != 2*2*(4+8) {
		t.Errorf("%d bytes, and %d with weights and times", plain, rich)
	}
}
