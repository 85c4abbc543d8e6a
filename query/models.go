package query

import (
	"context"
	"errors"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"strings"
)

// ModelInfo describes a model, with its metrics on pairs that neither the model nor the
// embedding had seen.
type ModelInfo = storage.ModelInfo

// ModelSummary is a model as SHOW MODELS lists it.
type ModelSummary struct {
	ModelInfo
	Behind uint64 `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	// Reads is the present state of the embedding, which decides whether the model can
	// be used.
	Reads ModelReads `json:"reads"`
}

// Best returns the heuristic that alone separates the held-out edges best from other
// pairs; the zero value if none was measured. It is chosen on the same pairs on which
// it is measured, so its figure is slightly too good compared with that of the model.
func (m ModelSummary) Best() storage.HeuristicMeasure { return bestOf(m.Heuristics) }

// ModelReads is the present state of the embedding that a model reads.
type ModelReads string

// The states.
const (
	NoEmbedding        ModelReads = "none is read"
	EmbeddingSame      ModelReads = "as it was"
	EmbeddingRefreshed ModelReads = "refreshed since, in the same coordinates"
	EmbeddingOther     ModelReads = "recomputed, so that the model must be trained again"
	EmbeddingGone      ModelReads = "dropped, so that the model must be trained again"
)

// bestOf is the scorer with the best AUC alone.
func bestOf(list []storage.HeuristicMeasure) storage.HeuristicMeasure {
	var best storage.HeuristicMeasure
	for _, h := range list {
		if best.Name == "" || h.AUC > best.AUC {
			best = h
		}
	}
	return best
}

// Models lists the models of the file by name. One whose entry is damaged is left out,
// with a notice.
func (s *linksService) Models(ctx context.Context) ([]ModelSummary, error) {
	return engine.InCall(ctx, s.db, "SHOW MODELS", listModels)
}

// listModels is models with a notice of damaged entries.
func listModels(c *engine.Call) ([]ModelSummary, error) {
	list, err := models(c)
	return list, c.Rest(err, "a model", "DROP MODEL or TRAIN MODEL replaces it")
}

// models lists the undamaged models; if some are damaged, the error is a
// storage.PartialError.
func models(c *engine.Call) ([]ModelSummary, error) {
	infos, damaged := c.DB.Store.Models(c.Ctx)
	list := make([]ModelSummary, len(infos))
	for i, m := range infos {
		var err error
		list[i].ModelInfo = m
		if list[i].Behind, err = behind(c, m.Graph, m.GraphVersion); err != nil {
			return nil, err
		}
		if list[i].Reads, _, err = readsOf(c, m); err != nil {
			return nil, err
		}
	}
	return list, damaged
}

// state is the column state of SHOW MODELS, which shows whether the model can be used.
func (m ModelSummary) state() string {
	switch m.Reads {
	case EmbeddingOther:
		return "retrain: embedding " + fault.Name(m.Embedding) + " was recomputed"
	case EmbeddingGone:
		return "retrain: embedding " + fault.Name(m.Embedding) + " was dropped"
	}
	return "ready"
}

// behind counts the versions of a graph after the given one, except versions
// that changed only attributes. It is 0 for a graph that was dropped
// meanwhile.
func behind(c *engine.Call, graph string, version uint64) (uint64, error) {
	changes, err := c.DB.Store.Changes(c.Ctx, graph, version)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return changes.Versions, err
}

// readsOf returns the present state of the embedding that a model reads, and its entry
// if it exists.
func readsOf(c *engine.Call, info ModelInfo) (ModelReads, storage.EmbeddingInfo, error) {
	if info.Embedding == "" {
		return NoEmbedding, storage.EmbeddingInfo{}, nil
	}
	now, err := c.DB.Store.EmbeddingInfo(c.Ctx, info.Embedding)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return EmbeddingGone, storage.EmbeddingInfo{}, nil
	case err != nil:
		return "", storage.EmbeddingInfo{}, err
	case !now.Coordinates.Equal(info.Coordinates):
		return EmbeddingOther, now, nil
	case now.Generation != info.Generation:
		return EmbeddingRefreshed, now, nil
	}
	return EmbeddingSame, now, nil
}

func (m ModelSummary) row() []rows.Value {
	best := m.Best()
	return []rows.Value{
		m.Name, m.Graph, cells.TextOrNil(m.Embedding), strings.Join(m.Terms, ", "), m.AUC, m.AveragePrecision, m.CalibrationError,
		cells.TextOrNil(best.Name), cells.When(best.Name != "", best.AUC), int64(m.Behind), m.state(), cells.Timestamp(m.Created),
	}
}

const partModel fault.Part = "model"

// modelInfo returns the catalogue entry of a model, or an Error that names the
// nearest known model.
func modelInfo(c *engine.Call, model string, at fault.Part) (ModelInfo, error) {
	known := func(ctx context.Context) ([]storage.ModelInfo, error) {
		list, err := c.DB.Store.Models(ctx)
		return list, engine.NotDamage(err) // the list has the others
	}
	return session.Lookup(c.Ctx, "model", model, at, c.DB.Store.ModelInfo, known, func(m storage.ModelInfo) string { return m.Name })
}

var dropModel = &engine.Statement[*parser.DropModel, string, engine.Nothing, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP MODEL", Syntax: "DROP MODEL model",
		Summary: "removes a model",
		Example: "DROP MODEL friends",
	},
	Bind: func(b *engine.Binder, s *parser.DropModel) string { return b.Name(partModel, s.Model) },
	Resolve: func(c *engine.Call, model string) (engine.Nothing, error) {
		_, err := modelInfo(c, model, partModel)
		return engine.Nothing{}, engine.NotDamage(err) // a damaged model can still be dropped
	},
	Plan: func(model string, _ engine.Nothing) *plan.Plan { return plan.Result("drop model", fault.Name(model)) },
	Run: func(c *engine.Call, model string, _ engine.Nothing) (engine.Nothing, error) {
		return engine.Nothing{}, c.DB.Store.DropModel(c.Ctx, model)
	},
}

// DropModel removes a model.
func (s *linksService) DropModel(ctx context.Context, model string) error {
	return engine.ErrorOf(dropModel.Answer(ctx, s.db, model))
}
