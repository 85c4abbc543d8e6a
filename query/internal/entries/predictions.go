package entries

import (
	"errors"
	"time"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// stale describes how the embedding or model that predictions were computed with has
// changed; "" if it is unchanged.
func stale(c *engine.Call, p storage.PredictionInfo) (string, error) {
	w := ScorerOf(p)
	made, err := MadeAt(c, w)
	what := "embedding " + fault.Name(w.Embedding)
	if w.Model != "" {
		what = "model " + fault.Name(w.Model) + " or its embedding"
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return what + " was dropped", nil
	case errors.Is(err, storage.ErrCorrupt):
		return what + " is damaged", nil
	case err != nil:
		return "", err
	case !made.Equal(p.Made):
		return what + " was recomputed", nil
	}
	return "", nil
}

// RemedyPredictions says what to do about a damaged entry.
const RemedyPredictions = "DROP PREDICTIONS or MATERIALIZE PREDICTIONS replaces it"

// ListPredictions is predictions with a notice of damaged entries.
func ListPredictions(c *engine.Call) ([]catalogue.PredictionSummary, error) {
	list, err := predictions(c)
	return list, c.Rest(err, "an entry of predictions", RemedyPredictions)
}

// predictions lists the undamaged entries; if some are damaged, the error is
// a storage.PartialError.
func predictions(c *engine.Call) ([]catalogue.PredictionSummary, error) {
	infos, damaged := c.DB.Store.Predictions(c.Ctx)
	list := make([]catalogue.PredictionSummary, len(infos))
	for i, p := range infos {
		var err error
		list[i].PredictionInfo = p
		if list[i].Behind, err = Behind(c, p.Graph, p.GraphVersion); err != nil {
			return nil, err
		}
		if list[i].Stale, err = stale(c, p); err != nil {
			return nil, err
		}
	}
	return list, damaged
}

// ScorerOf is the scorer by which predictions were made.
func ScorerOf(p storage.PredictionInfo) catalogue.Scorer {
	return catalogue.Scorer{Name: engine.ValueOf(p.Options, "scorer"), Embedding: engine.ValueOf(p.Options, "embedding"), Model: engine.ValueOf(p.Options, "model")}
}

// MadeAt returns the time at which the embedding or model that a scorer reads was
// made; zero if it reads only the graph. For a model that reads embeddings it
// is the latest time of all.
func MadeAt(c *engine.Call, w catalogue.Scorer) (time.Time, error) {
	embeddings, made := []string{}, time.Time{}
	if w.Embedding != "" {
		embeddings = append(embeddings, w.Embedding)
	}
	if w.Model != "" {
		info, err := ModelInfo(c, w.Model, fault.Scorer(0))
		if err != nil {
			return made, err
		}
		made = info.Created
		for _, e := range info.Embeddings {
			embeddings = append(embeddings, e.Name)
		}
	}
	for _, name := range embeddings {
		info, err := c.EmbeddingInfo(name, fault.Scorer(0))
		if err != nil {
			return made, err
		}
		if info.Created.After(made) {
			made = info.Created
		}
	}
	return made, nil
}
