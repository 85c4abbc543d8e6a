package measures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/query/algorithms"
	"heavytail/query/internal/bind"
	"heavytail/storage/csr"
)

// measureUnit is the power of the unit of the weights in which the values of a measure are: a
// measure that is not listed has none.
var measureUnit = map[string]float64{"strength": 1, "in_strength": 1, "out_strength": 1, "closeness": -1, "harmonic": -1}

// TestMeasures_Scale multiplies all weights by a number. The values of every measure, with every
// choice of its options, are the same, or multiplied if they have a unit: to the last bit for
// powers of two, and otherwise up to rounding.
func TestMeasures_Scale(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		shape := testgraph.Hubs(t, 80, 0.06, seed)
		few := func(unit float32) *csr.Graph {
			return testgraph.Weighted(shape, func(u, v uint32) float32 { return float32(1+(u*7+v*5)%3) * unit })
		}
		for name, g := range map[string]*csr.Graph{
			"random": testgraph.RandomWeights(shape, 3, seed), "eighths": few(0.125), "tenths": few(0.1),
		} {
			for _, m := range List() {
				for _, given := range measureVariants(m) {
					what := strings.ReplaceAll(fmt.Sprintf("%s of %s weights, seed %d, %v", m.Name, name, seed, given), "map[]", "")
					want := scaledMeasure(t, m, g, given, 1)
					factor := func(by float64) float64 { return math.Pow(by, measureUnit[m.Name]) }
					if m.Weights == lengthWeights && given["weighted"] != true {
						factor = func(float64) float64 { return 1 }
					}
					for _, k := range []int{-119, -80, -33, -7, -1, 1, 10, 60, 120} {
						by := math.Ldexp(1, k)
						exactly := name != "tenths" && measureUnit[m.Name] != 1 // whose decimals are other ones
						sameMeasured(t, fmt.Sprintf("%s, times 2^%d", what, k), scaledMeasure(t, m, g, given, by), want, factor(by), exactly)
					}
					for _, by := range []float64{0.1, 0.3, 7} {
						sameMeasured(t, fmt.Sprintf("%s, times %v", what, by), scaledMeasure(t, m, g, given, by), want, factor(by), false)
					}
				}
			}
		}
	}
}

// measureVariants are options for a measure: none, and each choice of each, with weights.
func measureVariants(m Measure) []map[string]any {
	list := []map[string]any{{}}
	for _, o := range m.Options {
		if o.Type == "bool" {
			list = append(list, map[string]any{o.Name: o.Default != "TRUE"})
		}
		for _, choice := range o.Choices {
			if "'"+choice+"'" != o.Default {
				list = append(list, map[string]any{o.Name: choice})
			}
		}
	}
	if m.Weights == lengthWeights {
		for _, given := range list[1:] {
			given["weighted"] = true
		}
	}
	return list
}

// scaledMeasure computes a measure of g with multiplied weights. The resolution of the constant
// Potts model is a weight per pair, and multiplied as well.
func scaledMeasure(t *testing.T, m Measure, g *csr.Graph, given map[string]any, by float64) measured {
	t.Helper()
	o, err := m.bind(bind.SortedSettings(given))
	if err != nil {
		t.Fatal(err)
	}
	if o.cpm {
		o.resolution = 0.3 * by
	}
	s := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Weights: make([]float32, len(g.Weights))}
	for i, w := range g.Weights {
		s.Weights[i] = float32(csr.Decimal(w) * by)
		if fraction, _ := math.Frexp(by); fraction == 0.5 {
			s.Weights[i] = float32(float64(w) * by)
		}
	}
	values, err := m.run(measuring{Context: t.Context(), Work: algorithms.Work{Workers: 1}, options: o, g: s})
	if err != nil {
		t.Fatal(m.Name, err)
	}
	return values
}

func sameMeasured(t *testing.T, what string, got, want measured, factor float64, exactly bool) {
	t.Helper()
	if !slices.Equal(got.integers, want.integers) || !slices.Equal(got.notices, want.notices) {
		t.Errorf("%s: %v %q, want %v %q", what, got.integers, got.notices, want.integers, want.notices)
		return
	}
	off, size := 0.0, 0.0
	for v, x := range want.scores.Values {
		off, size = max(off, math.Abs(got.scores.Values[v]/factor-x)), max(size, math.Abs(x))
	}
	if exactly && off != 0 || !(off <= 1e-6*size) {
		t.Errorf("%s: values off by %v of %v", what, off, size)
	}
}
