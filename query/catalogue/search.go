package catalogue

// EmbeddingState identifies the vectors from which an answer was computed, and
// reports how much the graph has changed since.
type EmbeddingState struct {
	Name         string `json:"name"`
	Generation   uint64 `json:"generation"`    // of the embedding
	GraphVersion uint64 `json:"graph_version"` // version of the graph that was embedded
	Behind       uint64 `json:"behind"`        // number of newer versions of the graph, except versions that changed only attributes
	Changed      int    `json:"changed"`       // vertices of the answer whose edges changed since
}
