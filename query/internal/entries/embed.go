package entries

import (
	"errors"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// NextGeneration returns the generation that an embedding of a graph will have
// under a name, which must be free or that of an embedding of the same graph.
func NextGeneration(c *engine.Call, embedding, graph string) (uint64, error) {
	if embedding == "" {
		return 0, fault.New(fault.Embedding, "the embedding has no name")
	}
	old, err := c.DB.Store.EmbeddingInfo(c.Ctx, embedding)
	switch {
	case err == nil && old.Graph != graph:
		return 0, fault.New(fault.Embedding, "embedding %s exists and belongs to graph %s", fault.Quote(embedding), fault.Name(old.Graph)).
			WithRemedy("drop it first, or choose another name").WithErr(storage.ErrExists)
	case err == nil:
		return old.Generation + 1, nil
	case !errors.Is(err, storage.ErrNotFound):
		return 0, engine.NameMistake(err, fault.Embedding)
	}
	return 1, nil
}
