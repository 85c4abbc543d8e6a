package graphs_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/storage/generate"
)

// generatorStructs are option structs of all generators, each with the equivalent
// statement.
var generatorStructs = map[string]generate.Model{
	"preferential_attachment(n := 30, m := 2, seed := -1)":                            generate.PreferentialAttachment{N: 30, M: 2, Seed: 1<<64 - 1},
	"vazquez(n := 30, p := 0, seed := 3)":                                             generate.Vazquez{N: 30, Seed: 3},
	"vazquez(n := 30, p := 0.5, rule := 'connect_neighbors', seed := 3)":              &generate.Vazquez{N: 30, P: 0.5, Rule: generate.ConnectNeighbors, Seed: 3},
	"erdos_renyi(n := 30, p := 0.1)":                                                  generate.ErdosRenyi{N: 30, P: 0.1},
	"erdos_renyi(n := 30, m := 40, seed := 3)":                                        generate.ErdosRenyi{N: 30, M: 40, Seed: 3},
	"stochastic_block(sizes := '10,20', p_in := 0.5, p_out := 0.125, seed := 3)":      generate.StochasticBlock{Sizes: []int{10, 20}, In: 0.5, Out: 0.125, Seed: 3},
	"stochastic_block(sizes := '10,20', matrix := '0.5,1e-09;1e-09,0.25', seed := 3)": generate.StochasticBlock{Sizes: []int{10, 20}, Matrix: [][]float64{{0.5, 1e-9}, {1e-9, 0.25}}, Seed: 3},
	"watts_strogatz(n := 30, k := 4, beta := 0, seed := 3)":                           generate.WattsStrogatz{N: 30, K: 4, Seed: 3},
}

// TestGeneratorOptions compares every struct with the equivalent statement: the graphs and
// their sources are equal.
func TestGeneratorOptions(t *testing.T) {
	t.Parallel()
	db, seen := querytest.Open(t, nil), map[string]bool{}
	for text, using := range generatorStructs {
		name, _, _ := strings.Cut(text, "(")
		at := slices.IndexFunc(graphs.Generators(), func(g graphs.Generator) bool { return g.Name == name })
		if at < 0 {
			t.Fatal(text)
		}
		generator := graphs.Generators()[at]
		seen[generator.Name] = true
		if _, err := db.Graphs().Generate(t.Context(), graphs.GenerateRequest{Graph: "typed", Using: using}); err != nil {
			t.Fatal(text, err)
		}
		querytest.MustExec(t, db, "GENERATE "+text+" INTO text")
		a, errA := db.Graphs().Snapshot(t.Context(), "typed")
		b, errB := db.Graphs().Snapshot(t.Context(), "text")
		if errA != nil || errB != nil || !reflect.DeepEqual(a.Graph, b.Graph) {
			t.Errorf("%s: the struct gives another graph: %v, %v", text, errA, errB)
		}
		if graphs, err := db.Graphs().List(t.Context()); err != nil || len(graphs) != 2 || graphs[0].Source != graphs[1].Source {
			t.Errorf("%s: graphs %+v, %v", text, graphs, err)
		}
		querytest.MustExec(t, db, "DROP GRAPH typed")
		querytest.MustExec(t, db, "DROP GRAPH text")
	}
	if len(seen) != len(graphs.Generators()) {
		t.Errorf("structs of %d generators, and there are %d", len(seen), len(graphs.Generators()))
	}
}

// TestGeneratorOptions_Mistakes expects errors with the same fields as those of statements.
func TestGeneratorOptions_Mistakes(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	for want, req := range map[string]graphs.GenerateRequest{
		"the generator is given twice, by Using and by Generator or Settings": {Using: generate.ErdosRenyi{N: 3, P: 1}, Generator: "erdos_renyi"},
		"Using is a nil pointer, or a model that is none of Generators":       {Using: (*generate.ErdosRenyi)(nil)},
		"generator erdos_renyi needs the option p or m":                       {Using: generate.ErdosRenyi{N: 3}},
	} {
		req.Graph = "g"
		_, err := db.Graphs().Generate(t.Context(), req)
		var mistake *fault.Error
		if !errors.As(err, &mistake) || !errors.Is(err, fault.ErrInvalid) || err.Error() != want {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}

// Among several mistakes, the same one is reported every time.
func TestDB_Generate_ReportsTheFirstMistakeByName(t *testing.T) {
	db := querytest.Open(t, nil)
	for range 20 {
		_, err := db.Graphs().Generate(context.Background(), graphs.GenerateRequest{
			Graph: "g", Generator: "preferential_attachment", Settings: map[string]any{"zeta": 1, "alpha": 2, "n": 5, "m": 1},
		})
		if err == nil || !strings.Contains(err.Error(), `"alpha"`) {
			t.Fatal(err)
		}
	}
}
