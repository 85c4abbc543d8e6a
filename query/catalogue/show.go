package catalogue

import (
	"heavytail/query/internal/cells"
	"heavytail/query/rows"
	"heavytail/storage"
)

// EmbeddingSummary is an embedding as SHOW EMBEDDINGS lists it.
type EmbeddingSummary struct {
	storage.EmbeddingInfo
	Behind uint64 `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	// Changed counts the vertices that were added or deleted since, or whose edges changed.
	Changed int `json:"changed"`
	// Unknown reports that the change log does not record which vertices changed: any may
	// have.
	Unknown bool `json:"unknown"`
}

func (e EmbeddingSummary) Row() []rows.Value {
	return []rows.Value{
		e.Name, e.Graph, e.Method, int64(e.Dim), int64(e.Vertices), int64(e.Generation), int64(e.Behind),
		cells.When(!e.Unknown, int64(e.Changed)), AutoText(e.Auto), cells.Timestamp(e.Created),
	}
}
