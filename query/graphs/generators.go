package graphs

import (
	"slices"
	"strconv"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/storage/generate"
)

// Generator describes a model of random graphs.
type Generator struct {
	Name    string        `json:"name"`
	Summary string        `json:"summary"` // one line
	Options []help.Option `json:"options"`

	model func(bind.Settings) (generate.Model, error)
}

// Generators lists the models that Generate knows.
func Generators() []Generator {
	vertices := help.Option{Name: "n", Type: "int", Doc: "number of vertices"}
	seed := help.Option{Name: "seed", Type: "int", Default: "0", Doc: "the same seed gives the same graph"}
	return []Generator{{
		Name:    "preferential_attachment",
		Summary: "Barabási and Albert: each new vertex attaches to m others, drawn by their degree",
		Options: []help.Option{
			vertices,
			{Name: "m", Type: "int", Doc: "edges that each new vertex brings"},
			seed,
		},
		model: preferentialAttachment,
	}, {
		Name:    "vazquez",
		Summary: "Vázquez: vertices are joined by local rules, which makes hubs and triangles",
		Options: []help.Option{
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
		Options: []help.Option{
			vertices,
			{Name: "p", Type: "float", Default: "0", Doc: "probability of every edge; leave it out to give m"},
			{Name: "m", Type: "int", Default: "0", Doc: "number of edges; leave it out to give p"},
			seed,
		},
		model: erdosRenyi,
	}, {
		Name:    "stochastic_block",
		Summary: "blocks of vertices with random edges within and between them; the attribute block has the number of the block",
		Options: []help.Option{
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
		Options: []help.Option{
			vertices,
			{Name: "k", Type: "int", Doc: "neighbours of each vertex on the ring; even"},
			{Name: "beta", Type: "float", Doc: "probability that an edge is rewired"},
			seed,
		},
		model: wattsStrogatz,
	}}
}

func findGenerator(name string) (Generator, error) {
	return engine.FindNamed("generator", Generators(), func(g Generator) string { return g.Name }, name)
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

// GeneratorOptions is a model of random graphs with its options as a struct: a
// [PreferentialAttachment], [Vazquez], [ErdosRenyi], [StochasticBlock] or [WattsStrogatz].
// It is equivalent to a name and a map of settings: both are checked by the same table of
// options, and the graph gets the same GraphInfo.Source.
//
// A zero field is the number 0, except where its comment names a default.
type GeneratorOptions interface{ generatorName() string }

// PreferentialAttachment has the options of preferential_attachment (Barabási and
// Albert): each new vertex attaches to M others, drawn in proportion to their degrees.
type PreferentialAttachment struct {
	N    int    `option:"n"`    // vertices
	M    int    `option:"m"`    // edges that each new vertex brings, from 1 to N-1
	Seed uint64 `option:"seed"` // the same seed gives the same graph
}

// Vazquez has the options of vazquez: vertices find each other by local rules, which
// makes hubs and triangles.
type Vazquez struct {
	N    int         `option:"n"`    // vertices
	P    float64     `option:"p"`    // probability of the next step of a walk, or of closing a triangle; from 0 to below 1
	Rule VazquezRule `option:"rule"` // empty is RuleRandomWalk
	Seed uint64      `option:"seed"` // as in PreferentialAttachment
}

// VazquezRule is how the vertices of [Vazquez] find each other.
type VazquezRule string

// The rules.
const (
	RuleRandomWalk       VazquezRule = "random_walk"       // a new vertex walks along edges and attaches to the vertices that it meets
	RuleConnectNeighbors VazquezRule = "connect_neighbors" // neighbours of neighbours are joined
)

// ErdosRenyi has the options of erdos_renyi: every pair of vertices is an edge with the
// probability P, or M different pairs are drawn. One of P and M must be set.
type ErdosRenyi struct {
	N    int     `option:"n"`    // vertices
	P    float64 `option:"p"`    // probability of every edge, at most 1
	M    int64   `option:"m"`    // number of edges
	Seed uint64  `option:"seed"` // as in PreferentialAttachment
}

// StochasticBlock has the options of stochastic_block: vertices belong to blocks, and the
// probability of an edge depends on the blocks of its ends. The attribute block of the
// graph has the number of each vertex's block.
type StochasticBlock struct {
	Sizes []int   `option:"sizes"` // vertices of each block, at least 1
	In    float64 `option:"p_in"`  // probability of an edge within a block
	Out   float64 `option:"p_out"` // probability of an edge between two blocks
	// Matrix, if not nil, has the probability of an edge between each two blocks instead
	// of In and Out: symmetric, one row and one column for each block.
	Matrix [][]float64 `option:"matrix"`
	Seed   uint64      `option:"seed"` // as in PreferentialAttachment
}

// WattsStrogatz has the options of watts_strogatz: a ring on which each vertex has K
// neighbours, and of which a fraction of the edges is rewired.
type WattsStrogatz struct {
	N    int     `option:"n"`    // vertices
	K    int     `option:"k"`    // neighbours of each vertex on the ring; even
	Beta float64 `option:"beta"` // probability that an edge is rewired
	Seed uint64  `option:"seed"` // as in PreferentialAttachment
}

func (PreferentialAttachment) generatorName() string { return "preferential_attachment" }

func (Vazquez) generatorName() string { return "vazquez" }

func (ErdosRenyi) generatorName() string { return "erdos_renyi" }

func (StochasticBlock) generatorName() string { return "stochastic_block" }

func (WattsStrogatz) generatorName() string { return "watts_strogatz" }
