package evaluate

import (
	"context"
	"errors"
	"math"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
)

// TestAssortativity_Published compares real graphs with the values of networkx 3.6.1,
// computed from its edges in exact fractions.
func TestAssortativity_Published(t *testing.T) {
	for _, c := range []struct {
		graph string
		want  float64
	}{{"ca-GrQc", 0.6593246242993966}, {"ego-facebook", 0.06357722918564918}} {
		r, err := Assortativity(t.Context(), realgraph.Load(t, c.graph))
		if err != nil || math.Abs(r-c.want) > 1e-15 {
			t.Errorf("%s: assortativity %v, networkx %v, %v", c.graph, r, c.want, err)
		}
	}
}

func TestAssortativity_Pearson(t *testing.T) {
	for seed := range uint64(20) {
		g := testgraph.Hubs(t, 10+int(seed)*5, 0.1, seed)
		var x, y []float64
		for v := range uint32(g.Vertices()) {
			for _, u := range g.Neighbors(v) {
				x, y = append(x, float64(g.Degree(v))), append(y, float64(g.Degree(u)))
			}
		}
		got, err := Assortativity(t.Context(), g)
		if want := Pearson(x, y); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("seed %d: %v, Pearson %v, %v", seed, got, want, err)
		}
	}
	if r, err := Assortativity(t.Context(), testgraph.Star(t, 9)); err != nil || r != -1 {
		t.Errorf("a star: %v, %v", r, err)
	}
	for _, g := range []*csr.Graph{testgraph.Of(t, 0), testgraph.Of(t, 4), testgraph.Complete(t, 5)} {
		if r, err := Assortativity(t.Context(), g); err != nil || !math.IsNaN(r) {
			t.Errorf("equal degrees: %v, %v", r, err)
		}
	}
}

func TestPackingDimension_ClosedForms(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *csr.Graph
		want Packing
	}{
		{"no edges", testgraph.Of(t, 3), Packing{}},
		{"nothing", testgraph.Of(t, 0), Packing{}},
		{"a clique", testgraph.Complete(t, 6), Packing{0, 5, 1, 1, 1, 1, 1, 1}},
		// Four leaves: 1.98^2 < 4 ≤ 1.98^3; 1.5^3 < 4 ≤ 1.5^4; 3 < 4 ≤ 9; three
		// dimensions, where a cap of 60° is a quarter of the sphere.
		{"a star of 4", testgraph.Star(t, 4), Packing{0, 4, 4, 4, 3, 4, 2, 3}},
		// The ring of a wheel of 8: 4 apart, and 4 edges cover it.
		{"a wheel of 8", testgraph.Wheel(t, 8), Packing{0, 8, 4, 4, 3, 4, 2, 3}},
		{"a star of 1000", testgraph.Star(t, 1000), Packing{0, 1000, 1000, 1000, 11, 18, 7, 35}},
	} {
		got, err := PackingDimension(t.Context(), c.g)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, want %+v, %v", c.name, got, c.want, err)
		}
	}
}

// TestPackingDimension_Bounds compares both bounds of the set with the size of the largest
// set, found by trying all.
func TestPackingDimension_Bounds(t *testing.T) {
	tight := 0
	for seed := range uint64(60) {
		n := 4 + int(seed)%11
		g := testgraph.Hubs(t, n, 0.3, seed)
		largest := 0
		for set := range 1 << n {
			size, free := 0, true
			for v := range n {
				if set>>v&1 == 0 {
					continue
				}
				size++
				for u := range v {
					free = free && (set>>u&1 == 0 || !g.HasEdge(uint32(u), uint32(v)))
				}
			}
			if free {
				largest = max(largest, size)
			}
		}
		low, err := independentSet(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		high, err := cliqueCover(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if low > largest || high < largest {
			t.Errorf("seed %d: %d to %d, the largest set has %d", seed, low, high, largest)
		}
		if low == largest && high == largest {
			tight++
		}
	}
	if tight < 30 {
		t.Errorf("only %d of 60 bounds are tight", tight)
	}
}

// TestCapShare_ClosedForms: caps of 60° to both sides cover a third of a circle; on the
// sphere the fraction is (1−cos 60°)/2; in four dimensions it is (2θ−sin 2θ)/2π.
func TestCapShare_ClosedForms(t *testing.T) {
	angle := math.Pi / 3
	for k, want := range map[int]float64{2: 1. / 3, 3: 1. / 4, 4: (2*angle - math.Sin(2*angle)) / (2 * math.Pi)} {
		if got := capShare(k); math.Abs(got-want) > 1e-15 {
			t.Errorf("k %d: %v, want %v", k, got, want)
		}
	}
	// By Simpson's rule in more dimensions.
	for _, k := range []int{5, 20, 101, 300} {
		integral := func(to float64) float64 {
			const steps = 20_000
			sum := 0.0
			for i := range steps + 1 {
				weight := 2 + 2*float64(i%2)
				if i == 0 || i == steps {
					weight = 1
				}
				sum += weight * math.Pow(math.Sin(to*float64(i)/steps), float64(k-2))
			}
			return sum * to / (3 * steps)
		}
		if got, want := capShare(k), integral(angle)/integral(math.Pi); math.Abs(got-want) > 1e-9*want {
			t.Errorf("k %d: %v, Simpson %v", k, got, want)
		}
	}
}

func TestStatistics_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := testgraph.Wheel(t, 3000)
	if _, err := Assortativity(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("assortativity: %v", err)
	}
	if _, err := PackingDimension(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("packing: %v", err)
	}
	if _, err := cliqueCover(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("cover: %v", err)
	}
}
