package graphs

import (
	"context"
	"errors"
	"slices"
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
		Summary:   "creates a random graph; SHOW GENERATORS lists the models",
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
