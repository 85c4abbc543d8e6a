package query

import (
	"context"
	"slices"
	"testing"
)

// A star with 99 leaves and an isolated vertex: every quantile by hand.
func TestDescribeGraph_Quantiles(t *testing.T) {
	db := openTest(t, nil)
	importText(t, db, "star", edgesOf(map[string]string{"star": "", "n": "100"})+"loner loner\n")
	d, err := db.DescribeGraph(context.Background(), "star")
	if err != nil {
		t.Fatal(err)
	}
	// Sorted, the degrees are one 0, ninety-nine 1s and one 99: of 101, the
	// 51st, 91st and 100th are 1.
	if want := (DegreeSummary{Min: 0, Median: 1, P90: 1, P99: 1, Max: 99, Mean: 198.0 / 101}); d.Degrees != want {
		t.Errorf("%+v, expected %+v", d.Degrees, want)
	}
	if d.Isolated != 1 || d.Components != 2 || d.LargestComponent != 100 || d.Density != 2*99.0/(101*100) {
		t.Errorf("%+v", d)
	}
	counts, err := db.Degrees(context.Background(), "star")
	if err != nil {
		t.Fatal(err)
	}
	if want := []DegreeCount{{0, 1}, {1, 99}, {99, 1}}; !slices.Equal(counts, want) {
		t.Errorf("degrees %v, expected %v", counts, want)
	}
}
