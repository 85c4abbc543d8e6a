package index

import (
	"context"
	"math"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// boundOf returns the bound by projections on the scaled distance of two rows, as the kernels
// compute it.
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
			sieve := newSieve(context.Background(), s, s.threshold(1), forcedSieve{directions: directions}, 0)
			if sieve == nil {
				if name == "clusters" {
					t.Errorf("%s has no directions", name)
				}
				continue
			}
			l := sieve.(*projection)
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

// rays returns rows like those of a spectral embedding: groups in orthogonal directions, with
// lengths of several orders of magnitude.
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

// TestSieve_Chosen expects projections if they decide nearly all pairs at the lowest cost,
// bytes if all columns are needed, and neither if most pairs remain undecided or there are few
// rows; and the same choice every time.
func TestSieve_Chosen(t *testing.T) {
	choose := func(m *vec.Matrix, radius float64, workers int) sieve {
		s, err := newScreen(context.Background(), m, workers)
		if err != nil {
			t.Fatal(err)
		}
		return newSieve(context.Background(), s, s.threshold(radius), forcedSieve{}, workers)
	}
	m := rays(4500, 64, 12)
	l, ok := choose(m, 0.02, 1).(*projection)
	if !ok {
		t.Fatal("no projections for rows in few directions")
	}
	other, ok := choose(m, 0.02, 3).(*projection)
	if !ok || !slices.Equal(l.panels, other.panels) || !slices.Equal(l.low, other.low) {
		t.Error("projections depend on the number of workers")
	}
	if choose(m, 10, 1) != nil {
		t.Error("a sieve although all pairs are within the radius")
	}
	if _, is := choose(rays(projectionRows-1, 64, 12), 0.02, 1).(*projection); is {
		t.Error("projections for few rows")
	}
	even := uniform(4500, 64, 1)
	if b, is := choose(even, 2, 1).(*byteForm); is != vec.FastBytes() {
		t.Errorf("rows in many directions, bytes chosen: %v", is)
	} else if is && !slices.Equal(b.panels, choose(even, 2, 3).(*byteForm).panels) {
		t.Error("bytes depend on the number of workers")
	}
	if choose(uniform(sieveRows-1, 64, 1), 2, 1) != nil {
		t.Error("a sieve for few rows")
	}
}

// TestByteForm_Bound compares the decisions by bytes with the distance of every pair in float64,
// at radii that are distances of pairs.
func TestByteForm_Bound(t *testing.T) {
	for name, m := range matrices() {
		s, err := newScreen(context.Background(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		decided := 0
		for _, radius := range radiiOf(t, m) {
			b, ok := newSieve(context.Background(), s, s.threshold(radius), forcedSieve{bytes: true}, 0).(*byteForm)
			if !ok {
				if m.Rows > 0 && m.Dim > 0 {
					t.Fatalf("%s has no bytes", name)
				}
				continue
			}
			var group sieveGroup
			var near [vec.TileRows]uint32
			var products [vec.TileRows * vec.TileCols]float32
			for r := 0; r < m.Rows; r += vec.TileRows {
				b.pack(&group, r)
				for first := 0; first < m.Rows; first += vec.TileCols {
					b.near(&near, &products, &group, first/vec.TileCols)
					for u := r; u < min(r+vec.TileRows, m.Rows); u++ {
						for v := first; v < min(first+vec.TileCols, m.Rows); v++ {
							left := near[u-r]>>(v-first)&1 == 1
							if !left {
								decided++
							}
							if !left && float64(vec.L2Squared(m.Row(u), m.Row(v))) <= radius*radius {
								t.Fatalf("%s, radius %v: rows %d and %d are within, but were excluded", name, radius, u, v)
							}
						}
					}
				}
			}
		}
		if name == "clusters" && decided == 0 {
			t.Errorf("%s: no pair is decided", name)
		}
	}
}

// TestProjection_Join joins and counts rows whose tiles are empty, sparse and full after the
// projections.
func TestProjection_Join(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: joins a large matrix")
	}
	m := rays(2500, 40, 6)
	d := sample(t, m, 50_000, 1)
	radii := []float64{d[len(d)/500], d[len(d)/20], d[len(d)/4]}
	for _, radius := range radii {
		want := bruteJoin(m, radius)
		for _, workers := range []int{1, 3} {
			for _, directions := range []int{0, 3, 15, 39} {
				if !sameLists(collect(t, m, radius, JoinOptions{Workers: workers, sieve: forcedSieve{directions: directions}}), want) {
					t.Fatalf("radius %v, %d workers, %d directions: differs from brute force", radius, workers, directions)
				}
			}
			if !sameLists(collect(t, m, radius, JoinOptions{Workers: workers, sieve: forcedSieve{bytes: true}}), want) {
				t.Fatalf("radius %v, %d workers, bytes: differs from brute force", radius, workers)
			}
		}
	}
	checkSweep(t, m, radii)
}
