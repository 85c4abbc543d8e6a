package generate

import (
	"math"
	"slices"
	"testing"

	"heavytail/embedding/evaluate"
)

// TestVazquez_RandomWalkExact compares all graphs of five vertices with their
// probabilities, found by following every walk.
func TestVazquez_RandomWalkExact(t *testing.T) {
	const n, p = 5, 0.6
	exact := map[uint64]float64{}
	var arrive func(v int, out [][]int, key uint64, weight float64)
	var walk func(v, at int, out [][]int, path []int, key uint64, weight float64)
	arrive = func(v int, out [][]int, key uint64, weight float64) {
		if v == n {
			exact[key] += weight
			return
		}
		for u := range v {
			walk(v, u, out, nil, key, weight/float64(v))
		}
	}
	walk = func(v, at int, out [][]int, path []int, key uint64, weight float64) {
		path, key = append(slices.Clone(path), at), key|pairBit(v, at)
		stay := 1.0
		if len(out[at]) > 0 {
			stay = 1 - p
			for _, next := range out[at] {
				walk(v, next, out, path, key, weight*p/float64(len(out[at])))
			}
		}
		arrive(v+1, append(slices.Clone(out), path), key, weight*stay)
	}
	arrive(1, [][]int{nil}, 0, 1)
	expectGraphs(t, n, exact, func(seed uint64) Model { return Vazquez{N: n, P: p, Seed: seed} })
}

// TestVazquez_ConnectNeighborsExact compares all graphs of four vertices with
// their probabilities, found by following every step.
func TestVazquez_ConnectNeighborsExact(t *testing.T) {
	const n, p = 4, 0.5
	exact := map[uint64]float64{}
	var step func(v int, key uint64, potential []uint64, weight float64)
	step = func(v int, key uint64, potential []uint64, weight float64) {
		grow := 1.0 // without potential edges the other kind of step changes nothing
		if len(potential) > 0 {
			grow = 1 - p
		}
		for i, e := range potential {
			step(v, key|e, slices.Delete(slices.Clone(potential), i, i+1), weight*p/float64(len(potential)))
		}
		if v == n {
			exact[key] += weight * grow
			return
		}
		for at := range v {
			list := slices.Clone(potential)
			for u := range v {
				if u != at && key&pairBit(u, at) != 0 {
					list = append(list, pairBit(u, v))
				}
			}
			step(v+1, key|pairBit(at, v), list, weight*grow/float64(v))
		}
	}
	step(2, pairBit(0, 1), nil, 1)
	expectGraphs(t, n, exact, func(seed uint64) Model {
		return Vazquez{N: n, P: p, Rule: ConnectNeighbors, Seed: seed}
	})
}

// tailExponent is the maximum likelihood of Clauset, Shalizi and Newman (2009),
// equation 3.7, from a degree on, with its standard error.
func tailExponent(t *testing.T, m Model, from int) (alpha, deviation float64) {
	g := generated(t, m)
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	if c := g.Components(); c.Count() != 1 {
		t.Errorf("%+v: %d components", m, c.Count())
	}
	sum, tail := 0.0, 0
	for v := range uint32(g.Vertices()) {
		if d := g.Degree(v); d >= from {
			sum += math.Log(float64(d) / (float64(from) - 0.5))
			tail++
		}
	}
	return 1 + float64(tail)/sum, float64(tail) / sum / math.Sqrt(float64(tail))
}

// TestVazquez_Exponents compares tails with the exponents of the mean field: as
// they are for ConnectNeighbors, as an upper bound for RandomWalk.
func TestVazquez_Exponents(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: draws many graphs")
	}
	for _, c := range []struct {
		p    float64
		from int
	}{{0.25, 20}, {0.5, 40}} {
		a := c.p / (2 - c.p)
		want := 1 + 2/(math.Sqrt(a*a+4*a)-a)
		alpha, deviation := tailExponent(t, Vazquez{N: 100_000, P: c.p, Rule: ConnectNeighbors, Seed: 4}, c.from)
		if math.Abs(alpha-want) > 4*deviation {
			t.Errorf("connect_neighbors, p %v: exponent %.3f ± %.3f, expected %.3f", c.p, alpha, deviation, want)
		}
		alpha, deviation = tailExponent(t, Vazquez{N: 100_000, P: c.p, Seed: 4}, c.from)
		if alpha-4*deviation > 1+1/c.p || alpha < 2 {
			t.Errorf("random_walk, p %v: exponent %.3f ± %.3f, expected 2 to %.3f", c.p, alpha, deviation, 1+1/c.p)
		}
	}
}

// TestVazquez_Edges expects the mean number of edges that a vertex brings. Of a
// geometric number with mean 1/(1-p) the variance is p/(1-p)².
func TestVazquez_Edges(t *testing.T) {
	const n = 50_000
	for _, p := range []float64{0, 0.3, 0.6} {
		mean := 1 / (1 - p)
		deviation := math.Sqrt(p) / (1 - p) * math.Sqrt(n)
		g := generated(t, Vazquez{N: n, P: p, Rule: ConnectNeighbors, Seed: 6})
		if got, want := float64(g.Edges()), (n-1)*mean; math.Abs(got-want) > 5*deviation {
			t.Errorf("connect_neighbors, p %v: %.0f edges, expected %.0f", p, got, want)
		}
		walk := generated(t, Vazquez{N: n, P: p, Seed: 6})
		if got, most := float64(walk.Edges()), (n-1)*mean; got > most+5*deviation || got < n-1 {
			t.Errorf("random_walk, p %v: %.0f edges, expected %d to %.0f", p, got, n-1, most)
		}
	}
}

// TestVazquez_Clustered expects triangles: either rule makes them, preferential
// attachment has next to none.
func TestVazquez_Clustered(t *testing.T) {
	for rule, least := range map[LocalRule]float64{RandomWalk: 0.3, ConnectNeighbors: 0.2} {
		if c := clustering(generated(t, Vazquez{N: 3000, P: 0.6, Rule: rule, Seed: 1})); c < least {
			t.Errorf("%v: clustering %.3f", rule, c)
		}
	}
	if c := clustering(generate(t, 3000, 3, 1)); c > 0.05 {
		t.Errorf("preferential attachment: clustering %.3f", c)
	}
}

// TestModel_PowerLawFits fits whole graphs, the tail's begin included, and
// expects what the mean field gives to within the distance that 100,000
// vertices leave from the limit.
func TestModel_PowerLawFits(t *testing.T) {
	for i, c := range []struct {
		m              Model
		least, largest float64
	}{
		{PreferentialAttachment{N: 100_000, M: 3, Seed: 4}, 2.8, 3.1},
		{Vazquez{N: 100_000, P: 0.25, Rule: ConnectNeighbors, Seed: 4}, 3.7, 4.3},
		{Vazquez{N: 100_000, P: 0.5, Rule: ConnectNeighbors, Seed: 4}, 2.9, 3.4},
		{Vazquez{N: 100_000, P: 0.5, Seed: 4}, 2.4, 3.2},
		{Vazquez{N: 100_000, P: 0.75, Seed: 4}, 2.1, 2.4},
	} {
		if testing.Short() && i%4 > 0 {
			continue
		}
		g := generated(t, c.m)
		degrees := make([]int, g.Vertices())
		for v := range degrees {
			degrees[v] = g.Degree(uint32(v))
		}
		law, err := evaluate.FitPowerLaw(t.Context(), degrees, evaluate.PowerLawOptions{})
		if err != nil || law.Alpha < c.least || law.Alpha > c.largest || law.KS > 0.03 {
			t.Errorf("%+v: %+v, expected an exponent of %v to %v, %v", c.m, law, c.least, c.largest, err)
		}
	}
}
