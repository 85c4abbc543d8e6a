package catalogue

import (
	"heavytail/query/internal/cells"
	"heavytail/query/rows"
	"heavytail/storage"
)

// PredictionSummary is a row of SHOW PREDICTIONS.
type PredictionSummary struct {
	storage.PredictionInfo
	Behind uint64 `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	// Stale describes how the embedding or model that they were computed with has
	// changed; "" if it is unchanged, or the scorer reads neither.
	Stale string `json:"stale,omitempty"`
}

// state is the column state of SHOW PREDICTIONS.
func (p PredictionSummary) state() string {
	if p.Stale != "" {
		return "behind: " + p.Stale
	}
	return "ready"
}

// Row is the row of SHOW PREDICTIONS.
func (p PredictionSummary) Row() []rows.Value {
	return []rows.Value{p.Graph, p.Scorer, int64(p.K), int64(p.Vertices), p.Links, int64(p.GraphVersion), int64(p.Behind), p.state(), cells.Timestamp(p.Created)}
}
