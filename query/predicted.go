package query

import (
	"context"
	"errors"
	"slices"

	"heavytail/query/parser"
	"heavytail/storage"
)

// This file answers from predictions that are stored.

// PredictedRequest asks for the likeliest links of a vertex that were stored.
type PredictedRequest struct {
	Vertex string // by its key
	K      int    // how many links; at least 1
	Graph  string // may be left empty where the file has one graph
	With   Scorer // may be left empty where the graph has predictions by one scorer
}

// PredictedResult is the answer of Predicted: the likeliest vertex first.
type PredictedResult struct {
	Vertices []PredictedVertex
	PredictionInfo
	Behind  uint64 // versions of the graph since, without those that changed attributes only
	New     bool   // the vertex came later, and has no links yet
	Changed bool   // the edges of the vertex have changed since
	Notices []Notice
}

// Predicted answers from what Materialize has stored, in tens of microseconds: it
// reads the links of the vertex, the blocks of the graph that can hold an edge to an
// answer or its key, and neither the graph nor an embedding. Vertices that the vertex
// has edges to by now, and those that were deleted, are left out. A file that is open for reading will do.
func (db *DB) Predicted(ctx context.Context, req PredictedRequest) (PredictedResult, error) {
	c, err := db.begin(ctx, "PREDICT")
	if err != nil {
		return PredictedResult{}, err
	}
	defer c.end()
	result, err := c.predicted(req)
	return result, c.wrap(err)
}

// Predictions lists the predictions that are stored.
func (db *DB) Predictions(ctx context.Context) ([]PredictionSummary, error) {
	c, err := db.begin(ctx, "SHOW PREDICTIONS")
	if err != nil {
		return nil, err
	}
	defer c.end()
	list, err := c.predictions()
	return list, c.wrap(err)
}

// PredictionSummary is predictions as SHOW PREDICTIONS lists them.
type PredictionSummary struct {
	PredictionInfo
	Behind uint64 // versions of the graph since, without those that changed attributes only
}

func (c *call) predictions() ([]PredictionSummary, error) {
	infos, err := c.db.store.Predictions(c.ctx)
	if err != nil {
		return nil, err
	}
	list := make([]PredictionSummary, len(infos))
	for i, p := range infos {
		list[i].PredictionInfo = p
		if list[i].Behind, err = c.behind(p.Graph, p.GraphVersion); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// DropPredictions removes the predictions of a graph by a scorer.
func (db *DB) DropPredictions(ctx context.Context, graph string, with Scorer) error {
	c, err := db.begin(ctx, "DROP PREDICTIONS")
	if err != nil {
		return err
	}
	defer c.end()
	return c.wrap(c.dropPredictions(graph, with))
}

func (c *call) dropPredictions(graph string, with Scorer) error {
	if err := c.writable(); err != nil {
		return err
	}
	if _, err := c.graphInfo(graph, partGraph); err != nil {
		return err
	}
	err := c.db.store.DropPredictions(c.ctx, graph, with.String())
	if errors.Is(err, storage.ErrNotFound) {
		e := mistake(partScorer(0), "graph %s has no predictions by %s", name(graph), with)
		e.Hint, e.Err = "SHOW PREDICTIONS lists them", err
		return e
	}
	return err
}

// resolvePredicted checks a request, and fills in what it leaves out.
func (c *call) resolvePredicted(req *PredictedRequest) error {
	if req.K < 1 {
		return mistake(partCount, "the number of links is %d, and must be at least 1", req.K)
	}
	var err error
	if req.Graph == "" {
		if req.Graph, err = c.onlyGraph(partGraph); err != nil {
			return err
		}
	}
	if req.With != (Scorer{}) {
		return c.checkRows(req.K)
	}
	graph, err := c.graphInfo(req.Graph, partGraph)
	if err != nil {
		return err
	}
	list, err := c.db.store.Predictions(c.ctx)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(p PredictionInfo) bool { return p.GraphID != graph.ID })
	if len(list) == 1 {
		req.With = scorerOf(list[0])
		return c.checkRows(req.K)
	}
	e := mistake(partScorer(0), "graph %s has no predictions that are stored", name(req.Graph))
	e.Hint = "name a scorer (WITH), or MATERIALIZE PREDICTIONS first"
	if len(list) > 1 {
		e = mistake(partScorer(0), "graph %s has predictions by several scorers", name(req.Graph))
		for _, p := range list {
			e.Expected = append(e.Expected, "FROM "+p.Scorer)
		}
	}
	return e
}

// scorerOf returns the scorer of predictions.
func scorerOf(p PredictionInfo) Scorer {
	var w Scorer
	for _, s := range p.Options {
		switch s.Name {
		case "scorer":
			w.Name = s.Value
		case "embedding":
			w.Embedding = s.Value
		case "model":
			w.Model = s.Value
		}
	}
	return w
}

func (c *call) predicted(req PredictedRequest) (PredictedResult, error) {
	if err := c.resolvePredicted(&req); err != nil {
		return PredictedResult{}, err
	}
	stored, err := c.db.store.Predicted(c.ctx, req.Graph, req.With.String(), req.Vertex, req.K)
	if err != nil {
		return PredictedResult{}, c.predictedMistake(req, err)
	}
	info := stored.PredictionInfo
	r := PredictedResult{
		PredictionInfo: info, Behind: stored.Behind, New: stored.New, Changed: stored.Changed,
		Vertices: make([]PredictedVertex, len(stored.Links)),
	}
	for i, l := range stored.Links {
		r.Vertices[i] = PredictedVertex{l.Key, l.Score}
	}
	if r.Behind > 0 {
		c.notice("the predictions by %s are %s behind graph %s", info.Scorer, count(int64(r.Behind), "version"), name(req.Graph))
	}
	switch {
	case r.New:
		c.notice("vertex %s is newer than the predictions", quoteKey(req.Vertex))
	case r.Changed:
		c.notice("the edges of vertex %s have changed since", quoteKey(req.Vertex))
	case len(r.Vertices) == 0:
		c.notice("no links of vertex %s are stored, or none is left", quoteKey(req.Vertex))
	}
	if req.K > info.Top {
		c.notice("%s of each vertex are stored", count(int64(info.Top), "link"))
	}
	made, err := c.madeOf(req.With)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		c.notice("what %s reads was dropped since", info.Scorer)
	case err != nil:
		return PredictedResult{}, err
	case !made.Equal(info.Made):
		c.notice("what %s reads was made anew since", info.Scorer)
	}
	r.Notices = c.notices
	return r, nil
}

// predictedMistake says what of a request is not there.
func (c *call) predictedMistake(req PredictedRequest, err error) error {
	var missing *storage.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	switch missing.Kind {
	case "vertex":
		return c.vertexMistake(req.Graph, req.Vertex, err)
	case "graph":
		_, err := c.graphInfo(req.Graph, partGraph)
		return err
	}
	e := mistake(partScorer(0), "graph %s has no predictions by %s", name(req.Graph), req.With)
	e.Hint, e.Err = "MATERIALIZE PREDICTIONS FROM "+req.With.String()+" IN "+parser.Ident{Name: req.Graph}.String()+" stores them", err
	return e
}
