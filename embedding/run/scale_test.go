package run

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/embedding"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// scaled returns a graph whose weights are multiplied by a number.
func scaled(g *csr.Graph, by float64) *csr.Graph {
	s := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Weights: make([]float32, len(g.Weights))}
	for i, w := range g.Weights {
		s.Weights[i] = float32(float64(w) * by)
	}
	return s
}

// variants are the options with which a method is tried: none, and each text that one of them
// may be.
func variants(m Method) [][]option.Given {
	list := [][]option.Given{nil}
	for _, o := range m.Options {
		for _, choice := range o.Choices {
			if o.Type == "text" && "'"+choice+"'" != o.Default {
				list = append(list, []option.Given{{Name: o.Name, Value: choice}})
			}
		}
	}
	return list
}

// small adds options that make a method fast.
func small(m Method, options []option.Given) []option.Given {
	for _, o := range m.Options {
		switch o.Name {
		case "dim":
			options = append(slices.Clip(options), option.Given{Name: "dim", Value: 8})
		case "passes":
			options = append(slices.Clip(options), option.Given{Name: "passes", Value: 20})
		}
	}
	return options
}

// TestMethods_Scale multiplies all weights by a number, which changes no method's vectors: not a
// bit for powers of two, and by rounding for others.
func TestMethods_Scale(t *testing.T) {
	t.Parallel()
	g := testgraph.RandomWeights(testgraph.Hubs(t, 60, 0.08, 3), 3, 1)
	for _, m := range Methods() {
		for _, options := range variants(m) {
			name := strings.TrimSuffix(fmt.Sprint(m.Name, options), "[]")
			embed := func(g *csr.Graph) (*vec.Matrix, error) {
				vectors, _, err := Compute(t.Context(), g, Request{Method: m.Name, Options: small(m, options), Directed: csr.NewDirected(csr.Rows(*g)), Workers: 1})
				return vectors, err
			}
			want, err := embed(g)
			if errors.As(err, new(*option.Error)) { // a choice that needs another option
				continue
			}
			if err != nil {
				t.Fatal(name, err)
			}
			for _, k := range []int{-119, -80, -41, -1, 7, 60, 120} {
				if got, err := embed(scaled(g, math.Ldexp(1, k))); err != nil || !slices.Equal(got.Data, want.Data) {
					t.Errorf("%s, weights times 2^%d: other vectors, %v", name, k, err)
				}
			}
			for _, by := range []float64{0.1, 0.3, 7} {
				got, err := embed(scaled(g, by))
				if err != nil {
					t.Fatal(name, err)
				}
				off, size := 0.0, 0.0
				for v := range want.Rows {
					for u := range v + 1 { // the signs of columns may differ
						product := link.Dot(want.Row(u), want.Row(v))
						off, size = max(off, math.Abs(product-link.Dot(got.Row(u), got.Row(v)))), max(size, product)
					}
				}
				if !(off <= 1e-4*size) {
					t.Errorf("%s, weights times %v: products off by %v of %v", name, by, off, size)
				}
			}
		}
	}
}

// TestMethods_AllScales has weights that differ by factors of up to 2^240: vectors are finite, or
// an option is refused by name.
func TestMethods_AllScales(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		g := testgraph.RandomWeights(testgraph.Hubs(t, 50, 0.1, seed), 120, seed)
		for _, m := range Methods() {
			for _, options := range variants(m) {
				vectors, _, err := Compute(t.Context(), g, Request{Method: m.Name, Options: small(m, options), Directed: csr.NewDirected(csr.Rows(*g)), Workers: 1})
				if errors.As(err, new(*option.Error)) || errors.Is(err, embedding.ErrOptions) {
					continue
				}
				if err != nil {
					t.Fatalf("%s %v: %v", m.Name, options, err)
				}
				for _, x := range vectors.Data {
					if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
						t.Errorf("%s %v: %v", m.Name, options, x)
						break
					}
				}
			}
		}
	}
}
