package evaluate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Overlap counts shared neighbours as brute force does.
func TestOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := vec.NewMatrix(40, 3), vec.NewMatrix(40, 3)
	for i := range a.Data {
		a.Data[i] = float32(r.NormFloat64())
		b.Data[i] = a.Data[i] + 0.4*float32(r.NormFloat64())
	}
	nearest := func(m *vec.Matrix, v int) []int {
		var list []int
		for u := range m.Rows {
			if u != v {
				list = append(list, u)
			}
		}
		slices.SortFunc(list, func(x, y int) int {
			if vec.L2Squared(m.Row(v), m.Row(x)) < vec.L2Squared(m.Row(v), m.Row(y)) {
				return -1
			}
			return 1
		})
		return list[:5]
	}
	same := 0
	for v := range 40 {
		other := nearest(b, v)
		for _, u := range nearest(a, v) {
			if slices.Contains(other, u) {
				same++
			}
		}
	}
	got, err := Overlap(context.Background(), a, b, 5, 100, 0, 1)
	if want := float64(same) / 200; err != nil || math.Abs(got-want) > 1e-12 || want == 1 {
		t.Errorf("%v instead of %v, %v", got, want, err)
	}
	if got, err := Overlap(context.Background(), a, a, 5, 10, 3, 1); err != nil || got != 1 {
		t.Errorf("with itself: %v, %v", got, err)
	}
}

// EdgeAUC is 1 where all edges are shorter than all other pairs, 0 where they are
// longer, and ½ where both lists are the same.
func TestEdgeAUC(t *testing.T) {
	ctx := context.Background()
	var edges []csr.Edge
	for v := range uint32(20) {
		if v%5 != 4 {
			edges = append(edges, csr.Edge{U: v, V: v + 1})
		}
	}
	g, err := csr.FromEdges(30, edges)
	if err != nil {
		t.Fatal(err)
	}
	m := vec.NewMatrix(30, 2)
	for v := range 30 {
		m.Row(v)[0] = float32(v) + float32(v/5)
	}
	for v := 20; v < 30; v++ {
		m.Row(v)[1] = float32(100 * v)
	}
	if got, err := EdgeAUC(ctx, g, m, 500, 1); err != nil || got != 1 {
		t.Errorf("%v, %v", got, err)
	}
	path, err := csr.FromEdges(2, []csr.Edge{{U: 0, V: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := EdgeAUC(ctx, path, vec.NewMatrix(2, 1), 50, 1); err != nil || got != 0.5 {
		t.Errorf("all pairs are edges: %v, %v", got, err)
	}
}
