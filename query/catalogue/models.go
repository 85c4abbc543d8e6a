package catalogue

import (
	"strings"

	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/rows"
	"heavytail/storage"
)

// ModelSummary is a model as SHOW MODELS lists it.
type ModelSummary struct {
	storage.ModelInfo
	Behind uint64 `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	// Reads is the present state of the embeddings, which decides whether the model can
	// be used, and Changed the embedding that has changed most; empty for none.
	Reads   ModelReads `json:"reads"`
	Changed string     `json:"changed,omitempty"`
}

// Best returns the heuristic that alone separates the held-out edges best from other
// pairs; the zero value if none was measured. It is chosen on the same pairs on which
// it is measured, so its figure is slightly too good compared with that of the model.
func (m ModelSummary) Best() storage.HeuristicMeasure { return BestOf(m.Heuristics) }

// ModelReads is the present state of the embedding that a model reads.
type ModelReads string

// The states.
const (
	NoEmbedding        ModelReads = "none is read"
	EmbeddingSame      ModelReads = "as it was"
	EmbeddingRefreshed ModelReads = "refreshed since"
	EmbeddingOther     ModelReads = "of another method or options now, so that the model must be trained again"
	EmbeddingGone      ModelReads = "dropped, so that the model must be trained again"
)

// BestOf is the scorer with the best AUC alone.
func BestOf(list []storage.HeuristicMeasure) storage.HeuristicMeasure {
	return BestBy(list, func(h storage.HeuristicMeasure) float64 { return h.AUC })
}

// BestBy is the scorer with the best figure alone.
func BestBy(list []storage.HeuristicMeasure, figure func(storage.HeuristicMeasure) float64) storage.HeuristicMeasure {
	var best storage.HeuristicMeasure
	for _, h := range list {
		if best.Name == "" || figure(h) > figure(best) {
			best = h
		}
	}
	return best
}

// state is the column state of SHOW MODELS, which shows whether the model can be used.
func (m ModelSummary) state() string {
	switch m.Reads {
	case EmbeddingOther:
		return "retrain: embedding " + fault.Name(m.Changed) + " has another method or options"
	case EmbeddingGone:
		return "retrain: embedding " + fault.Name(m.Changed) + " was dropped"
	}
	return "ready"
}

// EmbeddingNames are the names of the embeddings that the model reads, with commas.
func (m ModelSummary) EmbeddingNames() string {
	var names []string
	for _, e := range m.Embeddings {
		names = append(names, fault.Name(e.Name))
	}
	return strings.Join(names, ", ")
}

// HeuristicNames are those that the model was trained with: all, or names.
func (m ModelSummary) HeuristicNames() string {
	for _, o := range m.Options {
		if o.Name == "heuristics" {
			return o.Value
		}
	}
	return ""
}

// Row is the row of SHOW MODELS.
func (m ModelSummary) Row() []rows.Value {
	best := m.Best()
	return []rows.Value{
		m.Name, m.Graph, cells.TextOrNil(m.EmbeddingNames()), m.HeuristicNames(), m.AUC, m.AveragePrecision, m.CalibrationError,
		cells.TextOrNil(best.Name), cells.When(best.Name != "", best.AUC), int64(m.Behind), m.state(), cells.Timestamp(m.Created),
	}
}
