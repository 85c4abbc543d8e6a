package entries

import (
	"context"
	"errors"
	"slices"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/storage"
)

// ListModels is models with a notice of damaged entries.
func ListModels(c *engine.Call) ([]catalogue.ModelSummary, error) {
	list, err := models(c)
	return list, c.Rest(err, "a model", "DROP MODEL or TRAIN MODEL replaces it")
}

// models lists the undamaged models; if some are damaged, the error is a
// storage.PartialError.
func models(c *engine.Call) ([]catalogue.ModelSummary, error) {
	infos, damaged := c.DB.Store.Models(c.Ctx)
	list := make([]catalogue.ModelSummary, len(infos))
	for i, m := range infos {
		var err error
		if list[i], err = SummaryOf(c, m); err != nil {
			return nil, err
		}
	}
	return list, damaged
}

// SummaryOf adds to the entry of a model what has changed since it was trained.
func SummaryOf(c *engine.Call, info storage.ModelInfo) (m catalogue.ModelSummary, err error) {
	m.ModelInfo = info
	if m.Behind, err = Behind(c, info.Graph, info.GraphVersion); err != nil {
		return m, err
	}
	m.Reads, m.Changed, err = readsOf(c, info)
	return m, err
}

// Behind counts the versions of a graph after the given one, except versions
// that changed only attributes. It is 0 for a graph that was dropped
// meanwhile.
func Behind(c *engine.Call, graph string, version uint64) (uint64, error) {
	changes, err := c.DB.Store.Changes(c.Ctx, graph, version)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return changes.Versions, err
}

// readsOf returns the present state of the embeddings that a model reads: that of the one that has
// changed most, and its name, empty if none has changed.
func readsOf(c *engine.Call, info storage.ModelInfo) (state catalogue.ModelReads, changed string, err error) {
	states := []catalogue.ModelReads{catalogue.NoEmbedding, catalogue.EmbeddingSame, catalogue.EmbeddingRefreshed, catalogue.EmbeddingOther, catalogue.EmbeddingGone}
	worst := 0
	for _, e := range info.Embeddings {
		now, err := c.DB.Store.EmbeddingInfo(c.Ctx, e.Name)
		of := 1
		switch {
		case errors.Is(err, storage.ErrNotFound):
			of = 4
		case err != nil:
			return "", "", err
		case !SameMethod(e, now):
			of = 3
		case now.Generation != e.Generation:
			of = 2
		}
		if of > max(worst, 1) {
			changed = e.Name
		}
		worst = max(worst, of)
	}
	return states[worst], changed, nil
}

// SameMethod reports whether an embedding has the method and options that a model learned from. A
// model does not depend on the coordinate system: it reads distances, angles and products.
func SameMethod(e storage.ModelEmbedding, now storage.EmbeddingInfo) bool {
	return now.Method == e.Method && slices.Equal(now.Options, e.Settings)
}

// PartModel is the piece of a request that names a model.
const PartModel fault.Part = "model"

// ModelInfo returns the catalogue entry of a model, or an Error that names the
// nearest known model.
func ModelInfo(c *engine.Call, model string, at fault.Part) (storage.ModelInfo, error) {
	known := func(ctx context.Context) ([]storage.ModelInfo, error) {
		list, err := c.DB.Store.Models(ctx)
		return list, engine.NotDamage(err) // the list has the others
	}
	return session.Lookup(c.Ctx, "model", model, at, c.DB.Store.ModelInfo, known, func(m storage.ModelInfo) string { return m.Name })
}

// ModelSummary describes it in a line.
const ModelSummary = "calibrated probability of a model that TRAIN MODEL has learned"
