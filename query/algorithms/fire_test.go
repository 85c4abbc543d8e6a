package algorithms

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// TestForestFire checks what holds of every sample, and on a star the law of the number of
// vertices that the first fire reaches.
func TestForestFire(t *testing.T) {
	t.Parallel()
	const leaves = 50
	var edges []csr.Edge
	for v := range uint32(leaves) {
		edges = append(edges, csr.Edge{U: 0, V: v + 1})
	}
	g, err := csr.FromEdges(leaves+101, edges) // and 100 vertices without edges
	if err != nil {
		t.Fatal(err)
	}
	// The whole fire from the centre: x leaves, with the chance (1-p)·p^x below 50.
	const p, trials = 0.6, 4000
	sum, lit := 0.0, 0
	for seed := range uint64(trials) {
		list, err := ForestFire(t.Context(), g, FireOptions{Vertices: 30, Forward: p, Seed: seed})
		if err != nil || len(list) != 30 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != 30 {
			t.Fatalf("seed %d: %v, %v", seed, list, err)
		}
		again, err := ForestFire(t.Context(), g, FireOptions{Vertices: 30, Forward: p, Seed: seed})
		if err != nil || !slices.Equal(list, again) {
			t.Fatalf("seed %d gives %v and %v", seed, list, again)
		}
		f := fire{g: g, rng: rand.New(rand.NewPCG(seed, 1)), forward: p, most: 1000, burned: make([]bool, g.Vertices())}
		f.light(0)
		f.spread(0)
		sum, lit = sum+float64(len(f.list)-1), lit+1
	}
	// The variance of the geometric distribution is p/(1-p)².
	mean, bound := p/(1-p), 4*math.Sqrt(p)/(1-p)/math.Sqrt(trials)
	if got := sum / float64(lit); math.Abs(got-mean) > bound {
		t.Errorf("a fire spreads to %v vertices, want %v ± %v", got, mean, bound)
	}

	for _, opts := range []FireOptions{{Vertices: -1}, {Forward: 1}, {Forward: -0.1}, {Forward: math.NaN()}} {
		var refused *OptionError
		if _, err := ForestFire(t.Context(), g, opts); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	if all, err := ForestFire(t.Context(), g, FireOptions{}); err != nil || len(all) != g.Vertices() {
		t.Errorf("%d of %d vertices, %v", len(all), g.Vertices(), err)
	}
	if none, err := ForestFire(t.Context(), &csr.Graph{}, FireOptions{}); err != nil || len(none) != 0 {
		t.Errorf("of no graph: %v, %v", none, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ForestFire(cancelled, g, FireOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
