package generate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// models are one of each kind and variant, of some hundred vertices.
func models(seed uint64) map[string]Model {
	return map[string]Model{
		"preferential attachment": PreferentialAttachment{N: 300, M: 3, Seed: seed},
		"random walk":             Vazquez{N: 300, P: 0.6, Seed: seed},
		"connect neighbors":       Vazquez{N: 300, P: 0.6, Rule: ConnectNeighbors, Seed: seed},
		"p":                       ErdosRenyi{N: 300, P: 0.02, Seed: seed},
		"m":                       ErdosRenyi{N: 300, M: 1000, Seed: seed},
		"m dense":                 ErdosRenyi{N: 60, M: 1500, Seed: seed},
		"two probabilities":       StochasticBlock{Sizes: []int{100, 150, 50}, In: 0.1, Out: 0.01, Seed: seed},
		"matrix":                  StochasticBlock{Sizes: []int{100, 50}, Matrix: [][]float64{{0.01, 0.2}, {0.2, 0.03}}, Seed: seed},
		"small world":             WattsStrogatz{N: 300, K: 6, Beta: 0.2, Seed: seed},
	}
}

// hash is of all bytes of a graph.
func hash(t testing.TB, g *csr.Graph) string {
	h := sha256.New()
	for _, part := range []any{g.Offsets, g.Targets} {
		if err := binary.Write(h, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func generated(t testing.TB, m Model) *csr.Graph {
	t.Helper()
	g, err := m.Generate(context.Background(), nil)
	if err != nil {
		t.Fatalf("%+v: %v", m, err)
	}
	return g
}

// TestModel_Seed expects valid graphs, the same for the same seed, and holds
// those of seed 7: the same on every machine and in every release.
func TestModel_Seed(t *testing.T) {
	golden := map[string]string{
		"preferential attachment": "10b5ca9d43ff369e",
		"random walk":             "9ea6f34e83863ca7",
		"connect neighbors":       "1275cd0f90adb0e6",
		"p":                       "0a4fe2aea121743f",
		"m":                       "5cdbbb496b322ad1",
		"m dense":                 "8938c958b98e2d85",
		"two probabilities":       "b86f723c5745e32a",
		"matrix":                  "9d128e2b3fd05c3b",
		"small world":             "2ce17c8019a12368",
	}
	for name, m := range models(7) {
		g := generated(t, m)
		if err := g.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again := generated(t, models(7)[name]); hash(t, g) != hash(t, again) {
			t.Errorf("%s: two graphs of one seed", name)
		}
		if other := generated(t, models(8)[name]); hash(t, g) == hash(t, other) {
			t.Errorf("%s: seeds 7 and 8 give the same graph", name)
		}
		if got := hash(t, g); got != golden[name] {
			t.Errorf("%s: seed 7 gives %q", name, got)
		}
	}
}

// TestModel_Cancelled expects every model to end with the context's error, with
// enough work to look at it.
func TestModel_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, m := range []Model{
		PreferentialAttachment{N: 100_000, M: 5},
		Vazquez{N: 100_000, P: 0.5},
		Vazquez{N: 100_000, P: 0.5, Rule: ConnectNeighbors},
		ErdosRenyi{N: 100_000},
		ErdosRenyi{N: 100_000, M: 100_000},
		ErdosRenyi{N: 600, M: 600*599/2 - 1},
		StochasticBlock{Sizes: []int{100_000}},
		StochasticBlock{Sizes: []int{500, 500}, Out: 1},
		WattsStrogatz{N: 100_000, K: 2},
	} {
		if _, err := m.Generate(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// TestModel_Progress expects reports to rise to the total.
func TestModel_Progress(t *testing.T) {
	for name, m := range models(1) {
		last, end := int64(0), int64(-1)
		_, err := m.Generate(t.Context(), func(stage string, done, total int64) {
			if stage != "generating" || done < last || done > total {
				t.Errorf("%s: %s %d of %d after %d", name, stage, done, total, last)
			}
			last, end = done, total
		})
		if err != nil || last != end {
			t.Errorf("%s: ended at %d of %d: %v", name, last, end, err)
		}
	}
}

func TestModel_Validate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		m      Model
		faults int
	}{
		{Vazquez{}, 1},
		{Vazquez{N: 1, P: 1, Rule: 9}, 3},
		{Vazquez{N: 2, P: nan}, 1},
		{Vazquez{N: 2}, 0},
		{Vazquez{N: 1 << 30, P: 1 - 0x1p-50}, 1},
		{ErdosRenyi{}, 1},
		{ErdosRenyi{N: 1}, 0},
		{ErdosRenyi{N: 3, P: 0.5, M: 1}, 1},
		{ErdosRenyi{N: 3, P: 2, M: 4}, 3},
		{ErdosRenyi{N: 3, P: nan, M: -1}, 3},
		{ErdosRenyi{N: 10_000_000, P: 1}, 1},
		{ErdosRenyi{N: math.MaxInt, P: 1}, 1},
		{ErdosRenyi{N: 10_000_000, M: math.MaxInt64}, 1},
		{StochasticBlock{}, 1},
		{StochasticBlock{Sizes: []int{0}, In: -1, Out: 7}, 3},
		{StochasticBlock{Sizes: []int{math.MaxInt, math.MaxInt}}, 1},
		{StochasticBlock{Sizes: []int{5_000_000, 5_000_000}, Out: 1}, 1},
		{StochasticBlock{Sizes: []int{1, 1}, Matrix: [][]float64{{0, 1}}}, 1},
		{StochasticBlock{Sizes: []int{1, 1}, Matrix: [][]float64{{0, 1}, {1}}}, 1},
		{StochasticBlock{Sizes: []int{1, 1}, Matrix: [][]float64{{0, 1}, {0.5, 0}}}, 1},
		{StochasticBlock{Sizes: []int{1, 1}, Matrix: [][]float64{{0, nan}, {nan, 0}}, In: 1}, 2},
		{StochasticBlock{Sizes: []int{1, 1}, Matrix: [][]float64{{0, 1}, {1, 0}}}, 0},
		{WattsStrogatz{}, 2},
		{WattsStrogatz{N: 10, K: 3, Beta: -1}, 2},
		{WattsStrogatz{N: 10, K: 10}, 1},
		{WattsStrogatz{N: 10, K: 6, Beta: 0.1}, 1},
		{WattsStrogatz{N: 10, K: 6}, 0},
		{WattsStrogatz{N: 1 << 27, K: 1 << 26}, 1},
	} {
		err := c.m.Validate()
		faults := 0
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			faults = len(joined.Unwrap())
		}
		if faults != c.faults || c.faults > 0 && !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", c.m, err)
		}
		if _, generateErr := c.m.Generate(t.Context(), nil); (generateErr == nil) != (err == nil) {
			t.Errorf("%+v: Generate gives %v", c.m, generateErr)
		}
	}
}

// TestModel_Bytes expects at least what the graph itself takes.
func TestModel_Bytes(t *testing.T) {
	for name, m := range models(3) {
		g := generated(t, m)
		own := 8*int64(len(g.Offsets)) + 4*int64(len(g.Targets))
		if bytes := m.Bytes(); bytes < own || bytes > 20*own {
			t.Errorf("%s: %d bytes, the graph takes %d", name, bytes, own)
		}
	}
}

// pairKey is a set of edges of a small graph, a bit for each pair.
func pairKey(n int, g *csr.Graph) uint64 {
	key := uint64(0)
	for u := range uint32(n) {
		for _, v := range g.Neighbors(u) {
			key |= pairBit(int(u), int(v))
		}
	}
	return key
}

func pairBit(u, v int) uint64 {
	u, v = min(u, v), max(u, v)
	return 1 << (v*(v-1)/2 + u)
}

// expectGraphs compares how often each small graph comes, over many seeds, with
// its exact probability, by a chi-square test that one in a million right models
// fails.
func expectGraphs(t *testing.T, n int, exact map[uint64]float64, model func(seed uint64) Model) {
	t.Helper()
	const trials = 40_000
	observed := map[uint64]int{}
	for seed := range uint64(trials) {
		observed[pairKey(n, generated(t, model(seed)))]++
	}
	sum, chi, cells := 0.0, 0.0, 0
	rareSeen, rareExpected := 0, 0.0
	for key, p := range exact {
		sum += p
		seen, expected := observed[key], p*trials
		delete(observed, key)
		if expected < 5 { // too few for the approximation: all together are one cell
			rareSeen, rareExpected = rareSeen+seen, rareExpected+expected
			continue
		}
		chi += (float64(seen) - expected) * (float64(seen) - expected) / expected
		cells++
	}
	if rareExpected >= 5 {
		chi += (float64(rareSeen) - rareExpected) * (float64(rareSeen) - rareExpected) / rareExpected
		cells++
	}
	if len(observed) > 0 {
		t.Errorf("%d graphs that the model cannot make", len(observed))
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Fatalf("the exact probabilities sum to %v", sum)
	}
	freedom := float64(cells - 1)
	// Wilson and Hilferty: the cube root of chi²/f is nearly normal.
	if z := (math.Cbrt(chi/freedom) - 1 + 2/(9*freedom)) / math.Sqrt(2/(9*freedom)); z > 4.75 {
		t.Errorf("chi-square %.1f for %d cells", chi, cells)
	}
}

// BenchmarkModel makes graphs of a million vertices and some five million edges.
func BenchmarkModel(b *testing.B) {
	const n = 1_000_000
	for _, c := range []struct {
		name string
		m    Model
	}{
		{"connect_neighbors", Vazquez{N: n, P: 0.8, Rule: ConnectNeighbors, Seed: 7}},
		{"random_walk", Vazquez{N: n, P: 0.95, Seed: 7}},
		{"erdos_renyi_p", ErdosRenyi{N: n, P: 1e-5, Seed: 7}},
		{"erdos_renyi_m", ErdosRenyi{N: n, M: 5 * n, Seed: 7}},
		{"stochastic_block", StochasticBlock{Sizes: slices.Repeat([]int{10}, n/10), In: 0.5, Out: 5e-6, Seed: 7}},
		{"watts_strogatz", WattsStrogatz{N: n, K: 10, Beta: 0.1, Seed: 7}},
	} {
		b.Run("model="+c.name, func(b *testing.B) {
			var g *csr.Graph
			for b.Loop() {
				g = generated(b, c.m)
			}
			if g.Vertices() != n || g.Edges() < 3*n || g.Edges() > 6*n {
				b.Fatalf("%d vertices, %d edges", g.Vertices(), g.Edges())
			}
			b.ReportMetric(float64(b.N)*float64(g.Edges())/b.Elapsed().Seconds()/1e6, "Medges/s")
		})
	}
}
