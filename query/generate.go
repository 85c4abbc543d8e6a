package query

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/generate"
)

// GenerateRequest asks for a random graph.
type GenerateRequest struct {
	Graph     string // a new graph, or one without edges
	Generator string // such as "preferential_attachment"; DB.Generators lists them
	// Settings are the options of the generator by name, such as "n": 1000.
	Settings map[string]any
}

// GenerateResult is the answer of Generate.
type GenerateResult struct {
	Graph   storage.GraphInfo
	Seconds float64
	Notices []Notice
}

// Generator describes a model of random graphs.
type Generator struct {
	Name    string
	Summary string // one line
	Options []OptionInfo

	model func(settings) (generate.Model, error)
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
		Summary: "Vázquez: vertices find each other by local rules, which makes hubs and triangles",
		Options: []OptionInfo{
			vertices,
			{Name: "p", Type: "float", Doc: "probability of the next step of a walk, or of closing a triangle; from 0 to below 1"},
			{
				Name: "rule", Type: "text", Default: "'random_walk'", Choices: localRules(),
				Doc: "whether a new vertex walks along edges and attaches to what it meets, or neighbours of neighbours are joined",
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
		Summary: "blocks of vertices with edges by chance within and between them; the attribute block has the number of each vertex's",
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
		Summary: "Watts and Strogatz: a ring of k neighbours each, of which a share beta is rewired; short paths, many triangles, no hubs",
		Options: []OptionInfo{
			vertices,
			{Name: "k", Type: "int", Doc: "neighbours of each vertex on the ring; even"},
			{Name: "beta", Type: "float", Doc: "probability that an edge is rewired"},
			seed,
		},
		model: wattsStrogatz,
	}}
}

func preferentialAttachment(s settings) (generate.Model, error) {
	return generate.PreferentialAttachment{N: s.size("n"), M: s.size("m"), Seed: s.seed()}, nil
}

// localRules are the names of generate.LocalRule, by its numbers.
func localRules() []string {
	return []string{generate.RandomWalk.String(), generate.ConnectNeighbors.String()}
}

func vazquez(s settings) (generate.Model, error) {
	rule := max(0, slices.Index(localRules(), s.text("rule")))
	return generate.Vazquez{N: s.size("n"), P: s.number("p"), Rule: generate.LocalRule(rule), Seed: s.seed()}, nil
}

func erdosRenyi(s settings) (generate.Model, error) {
	_, p := s["p"]
	_, m := s["m"]
	if !p && !m {
		return nil, mistake(partMethod, "generator erdos_renyi needs the option p or m")
	}
	return generate.ErdosRenyi{N: s.size("n"), P: s.number("p"), M: s.integer("m"), Seed: s.seed()}, nil
}

func stochasticBlock(s settings) (generate.Model, error) {
	model := generate.StochasticBlock{In: s.number("p_in"), Out: s.number("p_out"), Seed: s.seed()}
	for text := range strings.SplitSeq(s.text("sizes"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return nil, mistake(partOption("sizes"), "option sizes has %s, and must be integers with commas between them", quoteKey(text))
		}
		model.Sizes = append(model.Sizes, n)
	}
	if s.text("matrix") == "" {
		return model, nil
	}
	for line := range strings.SplitSeq(s.text("matrix"), ";") {
		var row []float64
		for text := range strings.SplitSeq(line, ",") {
			p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				return nil, mistake(partOption("matrix"), "option matrix has %s, and must be numbers with commas between them, and semicolons between rows", quoteKey(text))
			}
			row = append(row, p)
		}
		model.Matrix = append(model.Matrix, row)
	}
	return model, nil
}

func wattsStrogatz(s settings) (generate.Model, error) {
	return generate.WattsStrogatz{N: s.size("n"), K: s.size("k"), Beta: s.number("beta"), Seed: s.seed()}, nil
}

// generated is a GenerateRequest whose generator and options are resolved.
type generated struct {
	model  generate.Model
	source string // the generator in the language, with its seed
}

// resolveGenerator checks the generator and its options.
func resolveGenerator(generator string, given []setting) (*generated, error) {
	known := generators()
	names := make([]string, len(known))
	for i, g := range known {
		names[i] = g.Name
	}
	i := slices.Index(names, generator)
	if i < 0 {
		e := mistake(partMethod, "unknown generator %s", quote(generator))
		return nil, e.withHint(generator, names, func(s string) string { return s })
	}
	s, err := checkSettings("generator "+generator, known[i].Options, given)
	if err != nil {
		return nil, err
	}
	model, err := known[i].model(s)
	if err != nil {
		return nil, err
	}
	if err := model.Validate(); err != nil {
		return nil, modelMistake(err, s)
	}
	return &generated{model, s.call(generator, known[i].Options)}, nil
}

// modelMistake is the Error for parameters that a model refuses. Of several
// faults it tells the first, at the option that the fault begins with.
func modelMistake(err error, s settings) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	for range 2 { // the sentinel and the name of the model
		if _, rest, ok := strings.Cut(first, ": "); ok {
			first = rest
		}
	}
	e := mistake(partMethod, "%s", first)
	e.Err = errors.Join(ErrInvalid, err)
	option, _, _ := strings.Cut(first, " ")
	if _, given := s[option]; given {
		e.Message, e.part = "option "+first, partOption(option)
	}
	return e
}

// call writes a call with the settings that were given, and the seed.
func (s settings) call(name string, options []OptionInfo) string {
	var list []string
	for _, o := range options {
		value, given := s[o.Name]
		switch v := value.(type) {
		case string:
			list = append(list, o.Name+" := "+parser.String{Value: v}.String())
		case float64:
			list = append(list, o.Name+" := "+strconv.FormatFloat(v, 'g', -1, 64))
		case int64:
			list = append(list, o.Name+" := "+strconv.FormatInt(v, 10))
		}
		if !given && o.Name == "seed" {
			list = append(list, "seed := 0")
		}
	}
	return name + "(" + strings.Join(list, ", ") + ")"
}

// seed returns the setting of this name.
func (s settings) seed() uint64 { return uint64(s.integer("seed")) }

// size returns an integer that a model will check, cut to what an int holds.
func (s settings) size(name string) int {
	return int(max(math.MinInt, min(math.MaxInt, s.integer(name))))
}

// Generate makes a random graph and stores it.
func (db *DB) Generate(ctx context.Context, req GenerateRequest) (GenerateResult, error) {
	c, err := db.begin(ctx, "GENERATE")
	if err != nil {
		return GenerateResult{}, err
	}
	defer c.end()
	result, err := c.generate(req, sortedSettings(req.Settings))
	return result, c.wrap(err)
}

func (c *call) generate(req GenerateRequest, given []setting) (GenerateResult, error) {
	if err := c.checkNewGraph(req.Graph, partGraph); err != nil {
		return GenerateResult{}, err
	}
	found, err := resolveGenerator(req.Generator, given)
	if err != nil {
		return GenerateResult{}, err
	}
	release, err := c.db.cache.reserve(found.model.Bytes(), "the generated graph")
	if err != nil {
		return GenerateResult{}, err
	}
	defer release()
	began := c.meter.now()
	stop := c.watch.start("generator")
	g, err := found.model.Generate(c.ctx, c.meter.update)
	if err != nil {
		return GenerateResult{}, err
	}
	stop(g.Edges(), "")
	put := storage.PutGraphRequest{Graph: g, Source: found.source, Progress: c.meter.update}
	if put.Attributes, err = attributesOf(found.model); err != nil {
		return GenerateResult{}, err
	}
	stop = c.watch.start(stepStore)
	info, err := c.db.store.PutGraph(c.ctx, req.Graph, put)
	if err != nil {
		return GenerateResult{}, nameMistake(err, partGraph)
	}
	stop(info.Edges, "")
	return GenerateResult{Graph: info, Seconds: c.meter.now().Sub(began).Seconds(), Notices: c.notices}, nil
}

// attributesOf returns what a model knows about its vertices.
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
