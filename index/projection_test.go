package index

import (
	"context"
	"math"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// boundOf returns what the projections say of the scaled distance of two rows, as
// the kernels compute it.
func (l *projection) boundOf(u, v int) float32 {
	product := float32(0)
	a, b := l.panel(u/vec.TileCols), l.panel(v/vec.TileCols)
	for i := range l.cols {
		x, y := a[i*vec.TileCols+u%vec.TileCols], b[i*vec.TileCols+v%vec.TileCols]
		product = float32(math.FMA(float64(x), float64(y), float64(product)))
	}
	return (l.low[u] + l.low[v]) - 2*product
}

// TestProjection_Bound compares the bound of every pair with the distance in float64.
func TestProjection_Bound(t *testing.T) {
	for name, m := range matrices() {
		s, err := newScreen(context.Background(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, directions := range []int{1, 20} {
			l := newProjection(context.Background(), s, s.threshold(1), directions, 0)
			if l == nil {
				if name == "clusters" {
					t.Errorf("%s has no directions", name)
				}
				continue
			}
			for u := 0; u < m.Rows; u += 3 {
				for v := range u {
					d := 0.0
					for i, x := range m.Row(u) {
						d += (float64(x) - float64(m.Row(v)[i])) * (float64(x) - float64(m.Row(v)[i]))
					}
					if bound := float64(l.boundOf(u, v)); bound > d*s.scale2+underflow {
						t.Fatalf("%s, %d directions: rows %d and %d have a distance of %v and a bound of %v", name, directions, u, v, d*s.scale2, bound)
					}
				}
			}
		}
	}
}

// rays returns rows as spectral embeddings have them: groups in orthogonal
// directions, at lengths of several magnitudes.
func rays(rows, dim, groups int) *vec.Matrix {
	m := uniform(rows, dim, 5)
	for v := range rows {
		long := math.Exp(-float64(v*7%13) / 4)
		for i, x := range m.Row(v) {
			m.Row(v)[i] = float32(long) * (x - 0.5) / 50
		}
		m.Row(v)[v%groups] += float32(long)
	}
	return m
}

// TestProjection_Chosen expects a projection where it decides nearly all pairs, none
// where they do not, and none for few rows; and the same choice every time.
func TestProjection_Chosen(t *testing.T) {
	choose := func(m *vec.Matrix, radius float64, workers int) *projection {
		s, err := newScreen(context.Background(), m, workers)
		if err != nil {
			t.Fatal(err)
		}
		return newProjection(context.Background(), s, s.threshold(radius), 0, workers)
	}
	m := rays(4500, 64, 12)
	l := choose(m, 0.02, 1)
	if l == nil {
		t.Fatal("no directions for rows of few directions")
	}
	other := choose(m, 0.02, 3)
	if other == nil || !slices.Equal(l.panels, other.panels) || !slices.Equal(l.low, other.low) {
		t.Error("projections depend on the number of workers")
	}
	if choose(m, 10, 1) != nil {
		t.Error("directions though all pairs are within")
	}
	if choose(uniform(4500, 64, 1), 3, 1) != nil {
		t.Error("directions though there are none")
	}
	if choose(rays(projectionRows-1, 64, 12), 0.02, 1) != nil {
		t.Error("directions for few rows")
	}
}

// TestProjection_Join joins and counts rows whose tiles are empty, sparse and full under
// their projections.
func TestProjection_Join(t *testing.T) {
	rows := 2500
	if testing.Short() {
		rows = 1200
	}
	m := rays(rows, 40, 6)
	d := sample(t, m, 50_000, 1)
	radii := []float64{d[len(d)/500], d[len(d)/20], d[len(d)/4]}
	for _, radius := range radii {
		want := bruteJoin(m, radius)
		for _, workers := range []int{1, 3} {
			for _, directions := range []int{0, 3, 15, 39} {
				if !sameLists(collect(t, m, radius, JoinOptions{Workers: workers, directions: directions}), want) {
					t.Fatalf("radius %v, %d workers, %d directions: differs from brute force", radius, workers, directions)
				}
			}
		}
	}
	checkSweep(t, m, radii)
}
