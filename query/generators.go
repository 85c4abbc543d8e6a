package query

import (
	"slices"
	"strconv"
	"strings"

	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
	"heavytail/storage/generate"
)

// Generator describes a model of random graphs.
type Generator struct {
	Name    string       `json:"name"`
	Summary string       `json:"summary"` // one line
	Options []OptionInfo `json:"options"`

	model func(bind.Settings) (generate.Model, error)
}

// Generators lists the models that Generate knows.
func (db *DB) Generators() []Generator { return generators() }

func generators() []Generator {
	vertices := OptionInfo{Name: "n", Type: "int", Doc: "number of vertices"}
	seed := OptionInfo{Name: "seed", Type: "int", Default: "0", Doc: "the same seed gives the same graph"}
	return []Generator{{
		Name:    "preferential_attachment",
		Summary: "Barabási and Albert: each new vertex attaches to m others, drawn by their degree",
		Options: []OptionInfo{
			vertices,
			{Name: "m", Type: "int", Doc: "edges that each new vertex brings"},
			seed,
		},
		model: preferentialAttachment,
	}, {
		Name:    "vazquez",
		Summary: "Vázquez: vertices are joined by local rules, which makes hubs and triangles",
		Options: []OptionInfo{
			vertices,
			{Name: "p", Type: "float", Doc: "probability of the next step of a walk, or of closing a triangle; from 0 to below 1"},
			{
				Name: "rule", Type: "text", Default: "'random_walk'", Choices: localRules(),
				Doc: "whether a new vertex walks along edges and attaches to the vertices on its way, or neighbours of neighbours are joined",
			},
			seed,
		},
		model: vazquez,
	}, {
		Name:    "erdos_renyi",
		Summary: "Erdős and Rényi: every pair is an edge with probability p, or m edges are drawn; no hubs",
		Options: []OptionInfo{
			vertices,
			{Name: "p", Type: "float", Default: "0", Doc: "probability of every edge; leave it out to give m"},
			{Name: "m", Type: "int", Default: "0", Doc: "number of edges; leave it out to give p"},
			seed,
		},
		model: erdosRenyi,
	}, {
		Name:    "stochastic_block",
		Summary: "blocks of vertices with random edges within and between them; the attribute block has the number of the block",
		Options: []OptionInfo{
			{Name: "sizes", Type: "text", Doc: "vertices of each block, as in '100,200'"},
			{Name: "p_in", Type: "float", Default: "0", Doc: "probability of every edge within a block"},
			{Name: "p_out", Type: "float", Default: "0", Doc: "probability of every edge between two blocks"},
			{Name: "matrix", Type: "text", Default: "''", Doc: "instead of p_in and p_out: the probability for every two blocks, row by row, as in '0.1,0.01;0.01,0.2'"},
			seed,
		},
		model: stochasticBlock,
	}, {
		Name:    "watts_strogatz",
		Summary: "Watts and Strogatz: a ring of k neighbours each, of which a fraction beta is rewired; short paths, many triangles, no hubs",
		Options: []OptionInfo{
			vertices,
			{Name: "k", Type: "int", Doc: "neighbours of each vertex on the ring; even"},
			{Name: "beta", Type: "float", Doc: "probability that an edge is rewired"},
			seed,
		},
		model: wattsStrogatz,
	}}
}

func findGenerator(name string) (Generator, error) {
	return findNamed("generator", generators(), func(g Generator) string { return g.Name }, name)
}

func preferentialAttachment(s bind.Settings) (generate.Model, error) {
	return generate.PreferentialAttachment{N: s.Size("n"), M: s.Size("m"), Seed: s.Seed()}, nil
}

// localRules are the names of generate.LocalRule, by its numbers.
func localRules() []string {
	return []string{generate.RandomWalk.String(), generate.ConnectNeighbors.String()}
}

func vazquez(s bind.Settings) (generate.Model, error) {
	rule := max(0, slices.Index(localRules(), s.Text("rule")))
	return generate.Vazquez{N: s.Size("n"), P: s.Number("p"), Rule: generate.LocalRule(rule), Seed: s.Seed()}, nil
}

func erdosRenyi(s bind.Settings) (generate.Model, error) {
	_, p := s["p"]
	_, m := s["m"]
	if !p && !m {
		return nil, fault.New(fault.Method, "generator erdos_renyi needs the option p or m")
	}
	return generate.ErdosRenyi{N: s.Size("n"), P: s.Number("p"), M: s.Integer("m"), Seed: s.Seed()}, nil
}

func stochasticBlock(s bind.Settings) (generate.Model, error) {
	model := generate.StochasticBlock{In: s.Number("p_in"), Out: s.Number("p_out"), Seed: s.Seed()}
	for text := range strings.SplitSeq(s.Text("sizes"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return nil, fault.OfOption("sizes", "has %s, and must be integers with commas between them", fault.QuoteKey(text))
		}
		model.Sizes = append(model.Sizes, n)
	}
	if s.Text("matrix") == "" {
		return model, nil
	}
	for line := range strings.SplitSeq(s.Text("matrix"), ";") {
		var row []float64
		for text := range strings.SplitSeq(line, ",") {
			p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				return nil, fault.OfOption("matrix", "has %s, and must be numbers with commas between them, and semicolons between rows", fault.QuoteKey(text))
			}
			row = append(row, p)
		}
		model.Matrix = append(model.Matrix, row)
	}
	return model, nil
}

func wattsStrogatz(s bind.Settings) (generate.Model, error) {
	return generate.WattsStrogatz{N: s.Size("n"), K: s.Size("k"), Beta: s.Number("beta"), Seed: s.Seed()}, nil
}
