package query

import (
	"context"
	"errors"
	"slices"
	"strconv"

	embeddings "heavytail/embedding"
	"heavytail/embedding/job"
	"heavytail/storage"
)

// EmbedRequest asks for an embedding of a graph.
type EmbedRequest struct {
	Graph string
	Name  string // of the embedding; one of that name on the same graph is replaced
	// Method is the algorithm, such as "dp_spectral"; DB.Methods lists them.
	Method string
	// Settings are the options of the method by name, such as "dim": 200. What
	// is left out takes its default.
	Settings map[string]any
	// Stateless stores the vectors alone, and not what a refresh needs beside them:
	// each refresh then runs in full.
	Stateless bool
}

// EmbedResult is the answer of Embed.
type EmbedResult struct {
	storage.EmbeddingInfo
	WorstResidual float64 // the largest of Residuals; 0 if there are none
	Notices       []Notice
}

// Method describes an embedding method.
type Method struct {
	Name    string
	Summary string // one line
	Walks   bool   // learns from walks, which ExportWalks writes
	Options []OptionInfo
}

// Embed computes an embedding and stores it with everything that shaped it. An
// embedding of that name is replaced when the new one is complete; who reads
// the old one finishes on it.
func (db *DB) Embed(ctx context.Context, req EmbedRequest) (EmbedResult, error) {
	c, err := db.begin(ctx, "EMBED")
	if err != nil {
		return EmbedResult{}, err
	}
	defer c.end()
	result, err := c.embed(req, sortedSettings(req.Settings))
	return result, c.wrap(err)
}

// Methods lists the embedding methods.
func (db *DB) Methods() []Method { return Methods() }

// Methods lists the embedding methods, which all databases have.
func Methods() []Method {
	var methods []Method
	for _, m := range job.Methods() {
		own := Method{Name: m.Name, Summary: m.Summary, Walks: m.Walks}
		for _, o := range m.Options {
			own.Options = append(own.Options, OptionInfo{Name: o.Name, Type: o.Type, Default: o.Default, Choices: o.Choices, Doc: o.Doc})
		}
		methods = append(methods, own)
	}
	return methods
}

// embedding is a request whose names are resolved.
type embedding struct {
	graph      *graphView
	method     Method
	settings   settings
	options    []job.Option // the settings that were given, by name
	generation uint64       // that the result will have
}

// resolveEmbed checks a request and finds what it names.
func (c *call) resolveEmbed(req EmbedRequest, given []setting) (*embedding, error) {
	if err := c.writable(); err != nil {
		return nil, err
	}
	e := &embedding{}
	var err error
	if e.method, err = findMethod(req.Method); err != nil {
		return nil, err
	}
	if e.settings, e.options, err = methodOptions(e.method, given); err != nil {
		return nil, err
	}
	if e.generation, err = c.nextGeneration(req.Name, req.Graph); err != nil {
		return nil, err
	}
	e.graph, err = c.embeddable(req.Graph)
	return e, err
}

// nextGeneration returns the generation that an embedding of a graph will have
// under a name, which must be free or that of an embedding of the same graph.
func (c *call) nextGeneration(embedding, graph string) (uint64, error) {
	if embedding == "" {
		return 0, mistake(partEmbedding, "the embedding has no name")
	}
	old, err := c.db.store.EmbeddingInfo(c.ctx, embedding)
	switch {
	case err == nil && old.Graph != graph:
		m := mistake(partEmbedding, "embedding %s exists and belongs to graph %s", quote(embedding), name(old.Graph))
		m.Hint = "drop it first, or choose another name"
		m.Err = storage.ErrExists
		return 0, m
	case err == nil:
		return old.Generation + 1, nil
	case !errors.Is(err, storage.ErrNotFound):
		return 0, nameMistake(err, partEmbedding)
	}
	return 1, nil
}

// embeddable returns a graph that has vertices.
func (c *call) embeddable(graph string) (*graphView, error) {
	info, err := c.graphInfo(graph, partGraph)
	if err != nil {
		return nil, err
	}
	if info.Vertices == 0 {
		return nil, mistake(partGraph, "graph %s has no vertices to embed", quote(graph))
	}
	return c.graph(graph, partGraph)
}

// noteMethod passes on what a method says of its result.
func (c *call) noteMethod(info storage.EmbeddingInfo) {
	for _, s := range info.Stats {
		if s.Name == "note" {
			c.notice("%s", s.Value)
		}
	}
}

// methodOptions checks settings, and returns them by name and in the order of the
// method.
func methodOptions(method Method, given []setting) (settings, []job.Option, error) {
	settings, err := checkSettings("method "+method.Name, method.Options, given)
	if err != nil {
		return nil, nil, err
	}
	var options []job.Option
	for _, o := range method.Options {
		if value, ok := settings[o.Name]; ok {
			options = append(options, job.Option{Name: o.Name, Value: value})
		}
	}
	return settings, options, optionMistake(job.Check(method.Name, options))
}

// bytes estimates the memory of the computation, with its result.
func (e *embedding) bytes() int64 {
	bytes, _ := job.Bytes(e.graph.Graph, e.method.Name, e.options) // both have been checked
	return bytes
}

// dim returns the number of coordinates.
func (e *embedding) dim() int64 {
	n, dim := int64(e.graph.Graph.Vertices()), e.settings.integer("dim")
	for _, o := range e.method.Options {
		if o.Name == "dim" && dim == 0 {
			dim, _ = strconv.ParseInt(o.Default, 10, 64)
		}
	}
	return min(n, max(dim, 0))
}

// optionMistake says which option of the method has a value out of its range.
func optionMistake(err error) error {
	var option *job.OptionError
	if !errors.As(err, &option) {
		return err
	}
	e := mistake(partOption(option.Option), "option %s is %v, and must be %s", option.Option, option.Value, option.Allowed)
	e.Err = err
	return e
}

// findMethod finds a method by name.
func findMethod(method string) (Method, error) {
	all := Methods()
	names := make([]string, len(all))
	for i, m := range all {
		if names[i] = m.Name; m.Name == method {
			return m, nil
		}
	}
	e := mistake(partMethod, "unknown method %s", quote(method))
	return Method{}, e.withHint(method, names, func(s string) string { return s })
}

func (c *call) embed(req EmbedRequest, given []setting) (EmbedResult, error) {
	e, err := c.resolveEmbed(req, given)
	if err != nil {
		return EmbedResult{}, err
	}
	var result EmbedResult
	err = c.asJob(e.spec(req), func(checkpoints embeddings.Checkpoints) (err error) {
		result, err = c.storeEmbedding(e.graph, job.Request{Name: req.Name, Method: req.Method, Options: e.options, Stateless: req.Stateless, Checkpoints: checkpoints})
		return err
	})
	result.Notices = c.notices
	return result, err
}

// storeEmbedding computes an embedding and stores it.
func (c *call) storeEmbedding(g *graphView, req job.Request) (EmbedResult, error) {
	stop := c.watch.start(stepSolve)
	req.Workers, req.Progress = c.workers(), c.meter.update
	info, err := job.Embed(c.ctx, c.db.store, g.Snapshot, req)
	if err != nil {
		return EmbedResult{}, nameMistake(err, partEmbedding)
	}
	c.noteMethod(info)
	stop(int64(info.Vertices), count(int64(info.Iterations), "iteration"))
	result := EmbedResult{EmbeddingInfo: info}
	if len(info.Residuals) > 0 {
		result.WorstResidual = slices.Max(info.Residuals)
	}
	return result, nil
}
