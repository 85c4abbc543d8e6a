package entries

import (
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// EmbeddingEntry is the catalogue entry of the embedding that a request names.
func EmbeddingEntry(c *engine.Call, embedding string) (storage.EmbeddingInfo, error) {
	return c.EmbeddingInfo(embedding, fault.Embedding)
}
