package report

import (
	"context"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/graphs"
	"heavytail/query/measures"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// Limits above which Options.Full is needed.
const (
	mostReconstructed = 20_000  // vertices: their pairs are compared
	mostPredicted     = 200_000 // edges: each is scored by a dozen scorers
)

// graph is a graph with what its section of the page is made from.
type graph struct {
	ctx  context.Context
	db   *query.DB
	opts Options
	info storage.GraphInfo
	id   string // prefix of the identifiers of its HTML elements

	degrees     []graphs.DegreeCount
	law         *evaluate.PowerLaw // fitted to the degrees; nil if no law can be fitted
	embeddings  []catalogue.EmbeddingSummary
	methods     []studies.LinkMethod // of Options.Using
	communities measures.ComputeResult
	community   map[string]storage.Value // of each key
}

// prepare queries the data that several parts of the section use.
func (g *graph) prepare() (err error) {
	for _, text := range g.opts.Using {
		var m studies.LinkMethod
		if m.Method, m.Settings, err = vectors.ParseMethod(text); err != nil {
			return fmt.Errorf("method %q: %w", text, err)
		}
		g.methods = append(g.methods, m)
	}
	if g.degrees, err = g.db.Graphs().Degrees(g.ctx, g.info.Name); err != nil {
		return err
	}
	all, err := g.db.Vectors().List(g.ctx)
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Graph == g.info.Name {
			g.embeddings = append(g.embeddings, e)
		}
	}
	if g.communities, err = g.db.Measures().Compute(g.ctx, measures.ComputeRequest{Graph: g.info.Name, Measure: "community"}); err != nil {
		return err
	}
	g.community = make(map[string]storage.Value, len(g.communities.Vertices))
	for _, v := range g.communities.Vertices {
		g.community[v.Key] = v.Value
	}
	return nil
}
