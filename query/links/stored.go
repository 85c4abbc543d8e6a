package links

import (
	"errors"
	"slices"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/parser"
	"heavytail/storage"
)

// resolveStored finds the graph of stored predictions, and their scorer, which need not be named if
// the graph has predictions by only one.
func resolveStored(c *engine.Call, graph string, with catalogue.Scorer) (info storage.GraphInfo, _ catalogue.Scorer, err error) {
	if info, err = c.GraphOrOnly(graph); err != nil {
		return info, with, err
	}
	if with = inCatalogue(c, with); with == (catalogue.Scorer{}) {
		with, err = onlyScorer(c, info)
	}
	return info, with, err
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

// StoredLinks describes stored predictions, and those of the vertex that was asked for.
type StoredLinks struct {
	storage.PredictionInfo
	Behind  uint64 `json:"behind"`  // number of newer versions of the graph, except versions that changed only attributes
	New     bool   `json:"new"`     // the vertex is newer than the predictions and has no links yet
	Changed bool   `json:"changed"` // the edges of the vertex have changed since
}

// storedOf returns the k likeliest stored links of a vertex.
func storedOf(c *engine.Call, graph, vertex string, with catalogue.Scorer, k int) (storage.Predicted, error) {
	found, err := c.DB.Store.Predicted(c.Ctx, graph, with.String(), vertex, k)
	if err != nil {
		return found, storedMistake(c, graph, vertex, with, err)
	}
	switch {
	case found.New:
		c.Notice("vertex %s is newer than the predictions", fault.QuoteKey(vertex))
	case found.Changed:
		c.Notice("the edges of vertex %s have changed since", fault.QuoteKey(vertex))
	case len(found.Links) == 0:
		c.Notice("vertex %s has no stored links, or none of them is still to be predicted", fault.QuoteKey(vertex))
	}
	return found, noteStored(c, k, with, found.PredictionInfo, found.Behind)
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

// storedPredictions is the entry of the predictions of a graph by a scorer.
func storedPredictions(c *engine.Call, graph storage.GraphInfo, with catalogue.Scorer) (storage.PredictionInfo, error) {
	list, err := c.DB.Store.Predictions(c.Ctx)
	if err := c.Rest(err, "an entry of predictions", entries.RemedyPredictions); err != nil {
		return storage.PredictionInfo{}, err
	}
	for _, p := range list {
		if p.GraphID == graph.ID && p.Scorer == with.String() {
			return p, nil
		}
	}
	return storage.PredictionInfo{}, storedMistake(c, graph.Name, "", with, &storage.NotFoundError{Kind: "predictions by", Name: with.String()})
}

// storedMistake returns the Error for predictions or a vertex that the file does not
// have.
func storedMistake(c *engine.Call, graph, vertex string, with catalogue.Scorer, err error) error {
	var missing *storage.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	switch missing.Kind {
	case "vertex":
		return c.VertexMistake(graph, vertex, err)
	case "graph":
		_, err := c.GraphInfo(graph, fault.Graph)
		return err
	}
	if _, err := findScorers(c, graph, []catalogue.Scorer{with}); err != nil {
		return err // the name of the scorer, or of what it reads, is unknown
	}
	return fault.New(fault.Scorer(0), "graph %s has no predictions by %s", fault.Name(graph), with).
		WithRemedy("MATERIALIZE PREDICTIONS FROM " + with.String() + " IN " + parser.Ident{Name: graph}.String() + " stores them").WithErr(err)
}

// cappedSetting is the option of stored predictions with the number of vertices from which only a few
// paths were followed.
const cappedSetting = "capped"
