package run

import (
	"context"
	"slices"
	"strings"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
)

// kinds are graphs of different kinds: with hubs, without any structure, of blocks, a ring with
// shortcuts, one hub, and several components.
func kinds(t *testing.T) map[string]*csr.Graph {
	t.Helper()
	of := func(m generate.Model) *csr.Graph {
		g, err := m.Generate(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	random := of(generate.ErdosRenyi{N: 300, M: 1500, Seed: 1})
	var hub, parts []csr.Edge
	for v := range uint32(300) {
		for _, u := range random.Neighbors(v) {
			hub = append(hub, csr.Edge{U: u, V: v})
			parts = append(parts, csr.Edge{U: u, V: v}, csr.Edge{U: 300 + u%100, V: 300 + v%100}, csr.Edge{U: 400 + u%50, V: 400 + v%50})
		}
		hub = append(hub, csr.Edge{U: 0, V: v})
	}
	list := map[string]*csr.Graph{
		"random":   random,
		"attached": of(generate.PreferentialAttachment{N: 400, M: 4, Seed: 2}),
		"blocks":   of(generate.StochasticBlock{Sizes: slices.Repeat([]int{30}, 10), In: 0.3, Out: 0.01, Seed: 3}),
		"ring":     of(generate.WattsStrogatz{N: 300, K: 6, Beta: 0.1, Seed: 4}),
	}
	for name, edges := range map[string][]csr.Edge{"hub": hub, "parts": parts} {
		edges = slices.DeleteFunc(edges, func(e csr.Edge) bool { return e.U == e.V })
		g, err := csr.FromEdges(450, edges)
		if err != nil {
			t.Fatal(err)
		}
		list[name] = g
	}
	return list
}

// dp_spectral reconstructs no worse than laplacian_eigenmaps, whose matrix is among those that it
// tries: here all pairs decide, and no sample. Its choice is recorded, and gives the same bytes.
func TestSpectral_ChoosesPenalty(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dim := option.Given{Name: "dim", Value: 40}
	for name, g := range kinds(t) {
		h3 := map[string]float64{}
		for _, method := range []string{"laplacian_eigenmaps", "dp_spectral"} {
			m, info, err := Compute(ctx, g, Request{Method: method, Options: []option.Given{dim}, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			at, points, err := evaluate.ReconstructSweep(ctx, g, m, evaluate.ReconstructOptions{Criterion: evaluate.ByH3})
			if err != nil {
				t.Fatal(err)
			}
			h3[method] = points[at].H3
			again, _, err := Compute(ctx, g, Request{Method: method, Options: StoredOptions(info), Workers: 3})
			if err != nil || !slices.Equal(again.Data, m.Data) {
				t.Errorf("%s, %s: the recorded options %v give other vectors, %v", name, method, info.Options, err)
			}
		}
		if h3["dp_spectral"] < h3["laplacian_eigenmaps"] {
			t.Errorf("%s: %v", name, h3)
		}
	}
}

// What was given of beta and common holds, whatever is chosen of the other.
func TestSpectral_PenaltyGiven(t *testing.T) {
	t.Parallel()
	g := kinds(t)["attached"]
	for _, c := range []struct {
		given         []option.Given
		commons, beta string
	}{
		{[]option.Given{{Name: "beta", Value: 0.75}}, "0 1", "0.75"},
		{[]option.Given{{Name: "common", Value: 0.25}}, "0.25", "1.5"},
		{[]option.Given{{Name: "common", Value: 0.0}}, "0", "0 0.5"},
		{[]option.Given{{Name: "common", Value: 1.0}, {Name: "normalization", Value: "degree"}}, "1", "0.5"},
		{[]option.Given{{Name: "common", Value: 2.0}, {Name: "beta", Value: 0.0}}, "2", "0"},
	} {
		_, info, err := Compute(t.Context(), g, Request{Method: "dp_spectral", Options: append(c.given, option.Given{Name: "dim", Value: 8})})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, s := range info.Options {
			got[s.Name] = s.Value
		}
		if !slices.Contains(strings.Fields(c.commons), got["common"]) || !slices.Contains(strings.Fields(c.beta), got["beta"]) {
			t.Errorf("%v: common %s, beta %s", c.given, got["common"], got["beta"])
		}
	}
	for _, wrong := range []option.Given{{Name: "common", Value: -1.0}, {Name: "common", Value: 2e6}, {Name: "common", Value: "most"}, {Name: "beta", Value: "most"}} {
		if _, err := Check("dp_spectral", []option.Given{wrong}); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
}
