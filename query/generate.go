package query

import (
	"context"
	"fmt"
	"math"

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
}

// Generators lists the models that Generate knows.
func (db *DB) Generators() []Generator { return generators() }

func generators() []Generator {
	return []Generator{{
		Name:    "preferential_attachment",
		Summary: "Barabási and Albert: each new vertex attaches to m others, drawn by their degree",
		Options: []OptionInfo{
			{Name: "n", Type: "int", Doc: "number of vertices"},
			{Name: "m", Type: "int", Doc: "edges that each new vertex brings"},
			{Name: "seed", Type: "int", Default: "0", Doc: "the same seed gives the same graph"},
		},
	}}
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

// resolveGenerator checks the generator and its options. Its cost is the bytes
// that making the graph takes.
func resolveGenerator(generator string, given []setting) (g generate.PreferentialAttachment, bytes int64, err error) {
	var names []string
	for _, known := range generators() {
		names = append(names, known.Name)
	}
	if generator != names[0] {
		e := mistake(partMethod, "unknown generator %s", quote(generator))
		return g, 0, e.withHint(generator, names, func(s string) string { return s })
	}
	s, err := checkSettings("generator "+generator, generators()[0].Options, given)
	if err != nil {
		return g, 0, err
	}
	n, err := s.within("n", 2, math.MaxInt32)
	if err != nil {
		return g, 0, err
	}
	m, err := s.within("m", 1, n-1)
	if err != nil {
		return g, 0, err
	}
	g = generate.PreferentialAttachment{N: int(n), M: int(m), Seed: uint64(s.integer("seed"))}
	if err := g.Validate(); err != nil {
		return g, 0, &Error{Message: err.Error(), Err: err, part: partMethod}
	}
	return g, g.Bytes(), nil
}

func (c *call) generate(req GenerateRequest, given []setting) (GenerateResult, error) {
	if err := c.checkNewGraph(req.Graph, partGraph); err != nil {
		return GenerateResult{}, err
	}
	model, bytes, err := resolveGenerator(req.Generator, given)
	if err != nil {
		return GenerateResult{}, err
	}
	release, err := c.db.cache.reserve(bytes, "the generated graph")
	if err != nil {
		return GenerateResult{}, err
	}
	defer release()
	began := c.meter.now()
	stop := c.watch.start("generator")
	g, err := model.Generate(c.ctx, c.meter.update)
	if err != nil {
		return GenerateResult{}, err
	}
	stop(g.Edges(), "")
	stop = c.watch.start(stepStore)
	source := fmt.Sprintf("%s(n := %d, m := %d, seed := %d)", req.Generator, model.N, model.M, int64(model.Seed))
	info, err := c.db.store.PutGraph(c.ctx, req.Graph, storage.PutGraphRequest{Graph: g, Source: source, Progress: c.meter.update})
	if err != nil {
		return GenerateResult{}, nameMistake(err, partGraph)
	}
	stop(info.Edges, "")
	return GenerateResult{Graph: info, Seconds: c.meter.now().Sub(began).Seconds(), Notices: c.notices}, nil
}
