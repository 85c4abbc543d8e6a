package graphs

import (
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/storage/generate"
)

// Generator describes a model of random graphs.
type Generator struct {
	Name    string        `json:"name"`
	Summary string        `json:"summary"` // one line
	Options []option.Info `json:"options"`

	bind func(given []option.Given) (generate.Model, error)
	// given are the options that a model sets; false for another model, and for a nil pointer.
	given func(model generate.Model) ([]option.Given, bool)
}

// generatorOf is the generator of models of a type.
func generatorOf[M generate.Model](name, summary string, schema option.Schema[M]) Generator {
	return Generator{
		Name: name, Summary: summary, Options: schema.Infos(),
		bind: func(given []option.Given) (generate.Model, error) {
			var m M
			err := schema.Bind("generator "+name, given, &m)
			if err == nil {
				err = schema.Check(m)
			}
			return m, bind.Mistake(err)
		},
		given: func(model generate.Model) ([]option.Given, bool) {
			switch m := any(model).(type) {
			case M:
				return schema.Given(m), true
			case *M:
				if m != nil {
					return schema.Given(*m), true
				}
			}
			return nil, false
		},
	}
}

// Generators lists the models that Generate knows. Each is a type of package generate.
func Generators() []Generator {
	return []Generator{
		generatorOf("preferential_attachment", "Barabási and Albert: each new vertex attaches to m others, drawn by their degree",
			option.Schema[generate.PreferentialAttachment]{
				vertexCount(func(m *generate.PreferentialAttachment) *int { return &m.N }),
				option.Int("m", "edges that each new vertex brings", func(m *generate.PreferentialAttachment) *int { return &m.M }).Needed(),
				graphSeed(func(m *generate.PreferentialAttachment) *uint64 { return &m.Seed }),
			}),
		generatorOf("vazquez", "Vázquez: vertices are joined by local rules, which makes hubs and triangles",
			option.Schema[generate.Vazquez]{
				vertexCount(func(m *generate.Vazquez) *int { return &m.N }),
				option.Float("p", "probability of the next step of a walk, or of closing a triangle; from 0 to below 1", func(m *generate.Vazquez) *float64 { return &m.P }).Needed(),
				option.Enum("rule", "whether a new vertex walks along edges and attaches to the vertices on its way, or neighbours of neighbours are joined",
					[]string{generate.RandomWalk.String(), generate.ConnectNeighbors.String()}, func(m *generate.Vazquez) *generate.LocalRule { return &m.Rule }),
				graphSeed(func(m *generate.Vazquez) *uint64 { return &m.Seed }),
			}),
		erdosRenyi(),
		generatorOf("stochastic_block", "blocks of vertices with random edges within and between them; the attribute block has the number of the block",
			option.Schema[generate.StochasticBlock]{
				option.Parsed("sizes", "vertices of each block, as in '100,200'", func(m *generate.StochasticBlock) *[]int { return &m.Sizes }, parseSizes, sizesText).Needed(),
				option.Float("p_in", "probability of every edge within a block", func(m *generate.StochasticBlock) *float64 { return &m.In }),
				option.Float("p_out", "probability of every edge between two blocks", func(m *generate.StochasticBlock) *float64 { return &m.Out }),
				option.Parsed("matrix", "instead of p_in and p_out: the probability for every two blocks, row by row, as in '0.1,0.01;0.01,0.2'",
					func(m *generate.StochasticBlock) *[][]float64 { return &m.Matrix }, parseMatrix, matrixText),
				graphSeed(func(m *generate.StochasticBlock) *uint64 { return &m.Seed }),
			}),
		generatorOf("watts_strogatz", "Watts and Strogatz, small world: a ring of k neighbours each, of which a fraction beta is rewired; short paths, many triangles, no hubs",
			option.Schema[generate.WattsStrogatz]{
				vertexCount(func(m *generate.WattsStrogatz) *int { return &m.N }),
				option.Int("k", "neighbours of each vertex on the ring; even", func(m *generate.WattsStrogatz) *int { return &m.K }).Needed(),
				option.Float("beta", "probability that an edge is rewired", func(m *generate.WattsStrogatz) *float64 { return &m.Beta }).Needed(),
				graphSeed(func(m *generate.WattsStrogatz) *uint64 { return &m.Seed }),
			}),
	}
}

func vertexCount[M any](at func(*M) *int) option.Field[M] {
	return option.Int("n", "number of vertices", at).Needed()
}

// graphSeed is always in the record of a graph.
func graphSeed[M any](at func(*M) *uint64) option.Field[M] {
	return option.Seed("the same seed gives the same graph", at).Always()
}

// erdosRenyi needs one of two options.
func erdosRenyi() Generator {
	p := option.Float("p", "probability of every edge; leave it out to give m", func(m *generate.ErdosRenyi) *float64 { return &m.P })
	edges := option.Int("m", "number of edges; leave it out to give p", func(m *generate.ErdosRenyi) *int64 { return &m.M })
	g := generatorOf("erdos_renyi", "Erdős and Rényi: every pair is an edge with probability p, or m edges are drawn; no hubs",
		option.Schema[generate.ErdosRenyi]{
			vertexCount(func(m *generate.ErdosRenyi) *int { return &m.N }), p, edges, graphSeed(func(m *generate.ErdosRenyi) *uint64 { return &m.Seed }),
		})
	bound := g.bind
	g.bind = func(given []option.Given) (generate.Model, error) {
		m, err := bound(given)
		if err == nil && !slices.ContainsFunc(given, func(o option.Given) bool { return o.Name == p.Name || o.Name == edges.Name }) {
			err = fault.New(fault.Method, "generator %s needs the option %s or %s", g.Name, p.Name, edges.Name)
		}
		return m, err
	}
	return g
}

func findGenerator(name string) (Generator, error) {
	return engine.FindNamed("generator", Generators(), func(g Generator) string { return g.Name }, name)
}

func parseSizes(text string) (sizes []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, fault.Rule("has %s, and must be integers with commas between them", fault.QuoteKey(part))
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

func sizesText(sizes []int) string { return strings.Join(lists.Map(sizes, strconv.Itoa), ",") }

func parseMatrix(text string) (matrix [][]float64, err error) {
	for line := range strings.SplitSeq(text, ";") {
		row, err := option.ParseNumbers(line)
		if err != nil {
			return nil, fault.Rule("has %s, and must be numbers with commas between them, and semicolons between rows", fault.QuoteKey(line))
		}
		matrix = append(matrix, row)
	}
	return matrix, nil
}

func matrixText(matrix [][]float64) string {
	return strings.Join(lists.Map(matrix, option.FormatNumbers), ";")
}
