package catalogue

import (
	"fmt"

	"heavytail/query/fault"
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

// Row is the row of SHOW EMBEDDINGS.
func (e EmbeddingSummary) Row() []rows.Value {
	return []rows.Value{
		e.Name, e.Graph, e.Method, int64(e.Dim), int64(e.Vertices), int64(e.Generation), int64(e.Behind),
		cells.When(!e.Unknown, int64(e.Changed)), AutoText(e.Auto), cells.Timestamp(e.Created),
	}
}

// AutoText writes when an embedding is refreshed.
func AutoText(auto storage.AutoRefresh) string {
	switch {
	case auto.Changes > 0:
		return "after " + fault.Count(int64(auto.Changes), "change")
	case auto.Every > 0:
		return fmt.Sprintf("every %v", auto.Every)
	}
	return "off"
}

// EmbeddingState identifies the vectors from which an answer was computed, and
// reports how much the graph has changed since.
type EmbeddingState struct {
	Name         string `json:"name"`
	Generation   uint64 `json:"generation"`    // of the embedding
	GraphVersion uint64 `json:"graph_version"` // version of the graph that was embedded
	Behind       uint64 `json:"behind"`        // number of newer versions of the graph, except versions that changed only attributes
	Changed      int    `json:"changed"`       // vertices of the answer whose edges changed since
}

// MethodImported is the method of embeddings whose vectors were imported.
const MethodImported = "imported"

// RefreshKind says how an embedding was brought up to date.
type RefreshKind string

// The kinds.
const (
	RefreshNone        RefreshKind = "none"        // no edge had changed; nothing was stored
	RefreshIncremental RefreshKind = "incremental" // computed from the previous vectors and the changes
	RefreshFull        RefreshKind = "full"        // more than half of the vertices were computed in full, as by EMBED
)
