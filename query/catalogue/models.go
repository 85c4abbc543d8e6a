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
	// Reads is the present state of the embedding, which decides whether the model can
	// be used.
	Reads ModelReads `json:"reads"`
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
	EmbeddingRefreshed ModelReads = "refreshed since, in the same coordinates"
	EmbeddingOther     ModelReads = "recomputed, so that the model must be trained again"
	EmbeddingGone      ModelReads = "dropped, so that the model must be trained again"
)

// BestOf is the scorer with the best AUC alone.
func BestOf(list []storage.HeuristicMeasure) storage.HeuristicMeasure {
	var best storage.HeuristicMeasure
	for _, h := range list {
		if best.Name == "" || h.AUC > best.AUC {
			best = h
		}
	}
	return best
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

// Row is the row of SHOW MODELS.
func (m ModelSummary) Row() []rows.Value {
	best := m.Best()
	return []rows.Value{
		m.Name, m.Graph, cells.TextOrNil(m.Embedding), strings.Join(m.Terms, ", "), m.AUC, m.AveragePrecision, m.CalibrationError,
		cells.TextOrNil(best.Name), cells.When(best.Name != "", best.AUC), int64(m.Behind), m.state(), cells.Timestamp(m.Created),
	}
}
