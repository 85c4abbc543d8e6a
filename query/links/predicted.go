package links

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// PredictedRequest asks for the stored predictions of a vertex.
type PredictedRequest struct {
	Vertex string           // by its key
	K      int              // number of links; at least 1
	Graph  string           // may be empty if the file has one graph
	With   catalogue.Scorer // may be empty if the graph has predictions by only one scorer
}

// PredictedResult is the answer of Predicted: the likeliest vertex first.
type PredictedResult struct {
	Vertices []PredictedVertex `json:"predicted"`
	storage.PredictionInfo
	Behind  uint64        `json:"behind"`  // number of newer versions of the graph, except versions that changed only attributes
	New     bool          `json:"new"`     // the vertex is newer than the predictions and has no links yet
	Changed bool          `json:"changed"` // the edges of the vertex have changed since
	Notices []rows.Notice `json:"notices,omitempty"`
}

// storedEntry has the catalogue entries for a PredictedRequest.
type storedEntry struct {
	graph storage.GraphInfo
	with  catalogue.Scorer
}

var predicted = &engine.Statement[*parser.Predicted, PredictedRequest, storedEntry, PredictedResult]{
	Help: predictHelp(), Options: predictOptions,
	When: func(s *parser.Predicted) bool { return s.For != nil },
	Bind: func(b *engine.Binder, s *parser.Predicted) PredictedRequest {
		vertex, req := b.VertexKey(fault.Vertex, s.For), bindStored(b, s)
		req.Vertex = vertex
		return req
	},
	Resolve: resolvePredicted,
	Plan: func(req PredictedRequest, found storedEntry) *plan.Plan {
		return plan.Result("links", fmt.Sprintf("%d of vertex %s, the likeliest first", req.K, fault.QuoteKey(req.Vertex)),
			plan.Step("predictions", fmt.Sprintf("of graph %s by %s, from the file", fault.Name(found.graph.Name), found.with)))
	},
	Run: runPredicted,
	Rows: func(_ PredictedRequest, r PredictedResult) *rows.Rows {
		return cells.RowsOf([]string{"vertex", "score"}, lists.Map(r.Vertices, func(v PredictedVertex) []rows.Value { return []rows.Value{v.Vertex, v.Score} }))
	},
	Reads: true,
}

// Predicted answers from the links that Materialize has stored, in tens of
// microseconds. It reads the links of the vertex, and the blocks of the graph that can
// have an edge to an answer or the key of an answer; it loads neither the graph nor an
// embedding. Vertices to which the vertex has an edge by now, and deleted vertices, are
// left out. It works on a file that is open for reading only.
func (s *Service) Predicted(ctx context.Context, req PredictedRequest) (PredictedResult, error) {
	return predicted.Answer(ctx, s.db, req)
}

// bindStored binds everything but the vertices.
func bindStored(b *engine.Binder, s *parser.Predicted) (req PredictedRequest) {
	req.K, req.Graph = b.Size(fault.Number, s.Count), b.MarkGraph(s.Graph, s)
	b.Mark(fault.Scorer(0), s)
	if s.Scorer != nil {
		req.With = scorers(b, *s.Scorer)[0]
	}
	return req
}

func resolvePredicted(c *engine.Call, req PredictedRequest) (found storedEntry, err error) {
	if req.K < 1 {
		return found, fault.New(fault.Number, "the number of links is %d, and must be at least 1", req.K)
	}
	if found.graph, err = c.GraphOrOnly(req.Graph); err != nil {
		return found, err
	}
	if found.with = inCatalogue(c, req.With); found.with == (catalogue.Scorer{}) {
		if found.with, err = onlyScorer(c, found.graph); err != nil {
			return found, err
		}
	}
	return found, c.CheckRows(req.K)
}

// onlyScorer is the scorer of the graph's predictions, if there is only one.
func onlyScorer(c *engine.Call, graph storage.GraphInfo) (catalogue.Scorer, error) {
	list, err := c.DB.Store.Predictions(c.Ctx)
	if err := c.Rest(err, "an entry of predictions", entries.RemedyPredictions); err != nil {
		return catalogue.Scorer{}, err
	}
	list = slices.DeleteFunc(list, func(p storage.PredictionInfo) bool { return p.GraphID != graph.ID })
	if len(list) == 1 {
		return entries.ScorerOf(list[0]), nil
	}
	e := fault.New(fault.Scorer(0), "graph %s has no stored predictions", fault.Name(graph.Name))
	e.Remedy = "name a scorer (WITH), or MATERIALIZE PREDICTIONS first"
	if len(list) > 1 {
		e = fault.New(fault.Scorer(0), "graph %s has predictions by several scorers", fault.Name(graph.Name))
		for _, p := range list {
			e.Expected = append(e.Expected, "FROM "+p.Scorer)
		}
	}
	return catalogue.Scorer{}, e
}

func runPredicted(c *engine.Call, req PredictedRequest, found storedEntry) (PredictedResult, error) {
	req.Graph, req.With = found.graph.Name, found.with
	stored, err := c.DB.Store.Predicted(c.Ctx, req.Graph, req.With.String(), req.Vertex, req.K)
	if err != nil {
		return PredictedResult{}, predictedMistake(c, req, err)
	}
	info := stored.PredictionInfo
	r := PredictedResult{
		PredictionInfo: info, Behind: stored.Behind, New: stored.New, Changed: stored.Changed,
		Vertices: make([]PredictedVertex, len(stored.Links)),
	}
	for i, l := range stored.Links {
		r.Vertices[i] = PredictedVertex{l.Key, l.Score}
	}
	switch {
	case r.New:
		c.Notice("vertex %s is newer than the predictions", fault.QuoteKey(req.Vertex))
	case r.Changed:
		c.Notice("the edges of vertex %s have changed since", fault.QuoteKey(req.Vertex))
	case len(r.Vertices) == 0:
		c.Notice("vertex %s has no stored links, or none of them is still to be predicted", fault.QuoteKey(req.Vertex))
	}
	if err := noteStored(c, req.K, req.With, info, r.Behind); err != nil {
		return PredictedResult{}, err
	}
	r.Notices = c.Notices
	return r, nil
}

// noteStored gives notices of predictions as a whole, of which k of each vertex are asked for.
func noteStored(c *engine.Call, k int, with catalogue.Scorer, info storage.PredictionInfo, behind uint64) error {
	if capped := engine.ValueOf(info.Options, cappedSetting); capped != "" {
		c.Notice("only a few paths were followed from each of %s vertices with very many paths; likelier links may be missing", capped)
	}
	if behind > 0 {
		c.Notice("the predictions by %s are %s behind graph %s; REFRESH PREDICTIONS FROM %s IN %s",
			info.Scorer, fault.Count(int64(behind), "version"), fault.Name(info.Graph), with, parser.Ident{Name: info.Graph})
	}
	if k > info.K {
		c.Notice("%s of each vertex are stored", fault.Count(int64(info.K), "link"))
	}
	made, err := entries.MadeAt(c, with)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		c.Notice("the embedding or model that %s uses was dropped since", info.Scorer)
	case err != nil:
		return err
	case !made.Equal(info.Made):
		c.Notice("the embedding or model that %s uses has been recomputed since", info.Scorer)
	}
	return nil
}

func storedPredictions(c *engine.Call, found storedEntry) (storage.PredictionInfo, error) {
	list, err := c.DB.Store.Predictions(c.Ctx)
	if err := c.Rest(err, "an entry of predictions", entries.RemedyPredictions); err != nil {
		return storage.PredictionInfo{}, err
	}
	for _, p := range list {
		if p.GraphID == found.graph.ID && p.Scorer == found.with.String() {
			return p, nil
		}
	}
	return storage.PredictionInfo{}, predictedMistake(c, PredictedRequest{Graph: found.graph.Name, With: found.with}, &storage.NotFoundError{Kind: "predictions by", Name: found.with.String()})
}

// predictedMistake returns the Error for predictions or a vertex that the file does not
// have.
func predictedMistake(c *engine.Call, req PredictedRequest, err error) error {
	var missing *storage.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	switch missing.Kind {
	case "vertex":
		return c.VertexMistake(req.Graph, req.Vertex, err)
	case "graph":
		_, err := c.GraphInfo(req.Graph, fault.Graph)
		return err
	}
	if _, err := findScorers(c, req.Graph, []catalogue.Scorer{req.With}); err != nil {
		return err // the name of the scorer, or of what it reads, is unknown
	}
	return fault.New(fault.Scorer(0), "graph %s has no predictions by %s", fault.Name(req.Graph), req.With).
		WithRemedy("MATERIALIZE PREDICTIONS FROM " + req.With.String() + " IN " + parser.Ident{Name: req.Graph}.String() + " stores them").WithErr(err)
}
