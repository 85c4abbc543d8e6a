package screen

import (
	"context"
	"math"
	"slices"
	"testing"

	"heavytail/index/internal/indextest"
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
	for name, m := range indextest.Matrices() {
		s, err := New(context.Background(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, directions := range []int{1, 20} {
			sieve := NewSieve(context.Background(), s, s.Threshold(1), Forced{Directions: directions}, 0)
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
					if bound := float64(l.boundOf(u, v)); bound > d*s.Scale2+Underflow {
						t.Fatalf("%s, %d directions: rows %d and %d have a distance of %v and a bound of %v", name, directions, u, v, d*s.Scale2, bound)
					}
				}
			}
		}
	}
}

// TestSieve_Chosen expects projections if they decide nearly all pairs at the lowest cost,
// bytes if all columns are needed, and neither if most pairs remain undecided or there are few
// rows; and the same choice every time.
func TestSieve_Chosen(t *testing.T) {
	choose := func(m *vec.Matrix, radius float64, workers int) Sieve {
		s, err := New(context.Background(), m, workers)
		if err != nil {
			t.Fatal(err)
		}
		return NewSieve(context.Background(), s, s.Threshold(radius), Forced{}, workers)
	}
	m := indextest.Rays(4500, 64, 12)
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
	if _, is := choose(indextest.Rays(ProjectionRows-1, 64, 12), 0.02, 1).(*projection); is {
		t.Error("projections for few rows")
	}
	even := indextest.Uniform(4500, 64, 1)
	if b, is := choose(even, 2, 1).(*ByteForm); is != vec.FastBytes() {
		t.Errorf("rows in many directions, bytes chosen: %v", is)
	} else if is && !slices.Equal(b.panels, choose(even, 2, 3).(*ByteForm).panels) {
		t.Error("bytes depend on the number of workers")
	}
	if choose(indextest.Uniform(SieveRows-1, 64, 1), 2, 1) != nil {
		t.Error("a sieve for few rows")
	}
}

// TestByteForm_Bound compares the decisions by bytes with the distance of every pair in float64,
// at radii that are distances of pairs.
func TestByteForm_Bound(t *testing.T) {
	for name, m := range indextest.Matrices() {
		s, err := New(context.Background(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		decided := 0
		for _, radius := range indextest.RadiiOf(m) {
			b, ok := NewSieve(context.Background(), s, s.Threshold(radius), Forced{Bytes: true}, 0).(*ByteForm)
			if !ok {
				if m.Rows > 0 && m.Dim > 0 {
					t.Fatalf("%s has no bytes", name)
				}
				continue
			}
			var group Group
			var near [vec.TileRows]uint32
			var products [vec.TileRows * vec.TileCols]float32
			for r := 0; r < m.Rows; r += vec.TileRows {
				b.Pack(&group, r)
				for first := 0; first < m.Rows; first += vec.TileCols {
					b.Near(&near, &products, &group, first/vec.TileCols)
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
