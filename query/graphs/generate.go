package graphs

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/generate"
)

// GenerateRequest asks for a random graph.
type GenerateRequest struct {
	Graph string // name of a new graph, or of one without vertices
	// Using is the generator with its options, such as
	// generate.PreferentialAttachment{N: 1000, M: 4}. Both forms are checked by the same options, and
	// give the graph the same GraphInfo.Source.
	Using generate.Model
	// Generator and Settings are an alternative to Using, by names, such as
	// "preferential_attachment" and {"n": 1000, "m": 4}; Generators lists them.
	// They are used if Using is nil.
	Generator string
	Settings  map[string]any

	given []option.Given // Settings in their order in the statement
	text  string         // the generator in the language
}

// GenerateResult is the answer of Generate.
type GenerateResult struct {
	Graph   storage.GraphInfo `json:"graph"`
	Seconds float64           `json:"seconds"`
	Notices []rows.Notice     `json:"notices,omitempty"`
}

// generated is a GenerateRequest whose generator and options are resolved.
type generated struct {
	model  generate.Model
	source string // the generator in the language, with its seed
}

var generateGraph = &engine.Statement[*parser.Generate, GenerateRequest, generated, GenerateResult]{
	Help: help.Statement{
		Statement: "GENERATE",
		Summary:   "creates a random graph; SHOW GENERATORS lists models",
		Words:     "random synthetic graph simulate barabasi albert erdos renyi benchmark toy",
		Columns:   "graph, vertices, edges, seconds",
	},
	Bind: func(b *engine.Binder, s *parser.Generate) GenerateRequest {
		return GenerateRequest{
			Graph: b.Name(fault.Graph, s.Graph), Generator: b.Name(fault.Method, s.Generator.Name),
			text: s.Generator.String(), given: b.Given(s.Generator.Options),
		}
	},
	Resolve: resolveGenerate,
	Plan: func(req GenerateRequest, _ generated) *plan.Plan {
		return plan.Result("new graph", fault.Name(req.Graph),
			plan.Measured(plan.Store, "store", "all edges, published in one transaction",
				plan.Measured("generator", "generator", req.text)))
	},
	Run: runGenerate,
	Table: func(_ GenerateRequest, r GenerateResult) [][]rows.Value {
		return [][]rows.Value{{r.Graph.Name, int64(r.Graph.Vertices), r.Graph.Edges, r.Seconds}}
	},
}

// Generate creates a random graph and stores it.
func (s *Service) Generate(ctx context.Context, req GenerateRequest) (GenerateResult, error) {
	return generateGraph.Answer(ctx, s.db, req)
}

// resolveGenerate returns an Error for a graph that has vertices, and checks the
// generator and its options.
func resolveGenerate(c *engine.Call, req GenerateRequest) (found generated, err error) {
	if err := engine.CheckNewGraph(c, req.Graph, fault.Graph); err != nil {
		return found, err
	}
	generator, given, err := req.generator()
	if err != nil {
		return found, err
	}
	if found.model, err = generator.bind(given); err != nil {
		return found, err
	}
	set, _ := generator.given(found.model)
	found.source = generator.Name + "(" + strings.Join(lists.Map(set, option.Given.String), ", ") + ")"
	return found, modelMistake(found.model.Validate(), given)
}

// modelMistake returns the Error for invalid parameters of a model: the first
// fault, with the position of its option.
func modelMistake(err error, given []option.Given) error {
	var refused *generate.OptionError
	if !errors.As(err, &refused) {
		return err
	}
	e := fault.New(fault.Method, "%s", refused.Reason("option "+refused.Option))
	e.Err = errors.Join(fault.ErrInvalid, err)
	if slices.ContainsFunc(given, func(g option.Given) bool { return g.Name == refused.Option }) {
		e.At = fault.Option(refused.Option)
	}
	return e
}

func runGenerate(c *engine.Call, req GenerateRequest, found generated) (GenerateResult, error) {
	release, err := c.DB.Cache.ReserveWork(found.model.Bytes(), "the generated graph")
	if err != nil {
		return GenerateResult{}, err
	}
	defer release()
	began := c.Meter.Now()
	stop := c.Watch.Start("generator")
	g, err := found.model.Generate(c.Ctx, c.Meter.Update)
	if err != nil {
		return GenerateResult{}, err
	}
	stop(g.Edges(), "")
	release() // the graph alone is left, and is then stored with its keys
	stored, err := c.DB.Cache.ReserveWork(session.GraphBytes(storage.GraphInfo{Vertices: g.Vertices(), Edges: g.Edges()}), "storing the generated graph")
	if err != nil {
		return GenerateResult{}, err
	}
	defer stored()
	put := storage.PutGraphRequest{Graph: g, Source: found.source, Progress: c.Meter.Update}
	if put.Attributes, err = attributesOf(found.model); err != nil {
		return GenerateResult{}, err
	}
	stop = c.Watch.Start(plan.Store)
	info, err := c.DB.Store.PutGraph(c.Ctx, req.Graph, put)
	if err != nil {
		return GenerateResult{}, engine.NameMistake(err, fault.Graph)
	}
	stop(info.Edges, "")
	return GenerateResult{Graph: info, Seconds: c.Meter.Now().Sub(began).Seconds(), Notices: c.Notices}, nil
}

// attributesOf returns the attributes that a model gives to its vertices, such as their
// block.
func attributesOf(model generate.Model) ([]*storage.Column, error) {
	blocks, ok := model.(generate.StochasticBlock)
	if !ok {
		return nil, nil
	}
	column := storage.NewColumn(storage.Attribute{Name: "block", Type: storage.Integer}, blocks.Vertices())
	for v, block := range blocks.Blocks() {
		if err := column.Set(uint32(v), storage.IntegerValue(int64(block))); err != nil {
			return nil, err
		}
	}
	return []*storage.Column{column}, nil
}

// generator returns the generator of a request with its options, whether they are given
// by name, as a struct or in a statement.
func (r GenerateRequest) generator() (Generator, []option.Given, error) {
	if r.Using == nil {
		known, err := findGenerator(r.Generator)
		if r.given != nil {
			return known, r.given, err
		}
		return known, bind.SortedSettings(r.Settings), err
	}
	if r.Generator != "" || r.Settings != nil {
		return Generator{}, nil, fault.New(fault.Method, "the generator is given twice, by Using and by Generator or Settings")
	}
	for _, known := range Generators() {
		if given, ok := known.given(r.Using); ok {
			return known, given, nil
		}
	}
	return Generator{}, nil, fault.New(fault.Method, "Using is a nil pointer, or a model that is none of Generators")
}

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
