package entries

import (
	"errors"

	"heavytail/query/catalogue"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

func ListEmbeddings(c *engine.Call) ([]catalogue.EmbeddingSummary, error) {
	graphs, err := c.DB.Store.Graphs(c.Ctx)
	if err != nil {
		return nil, err
	}
	versions := map[string]uint64{}
	for _, g := range graphs {
		versions[g.Name] = g.Version
	}
	infos, err := c.DB.Store.Embeddings(c.Ctx)
	if err != nil {
		return nil, err
	}
	list := make([]catalogue.EmbeddingSummary, len(infos))
	for i, e := range infos {
		list[i].EmbeddingInfo = e
		if versions[e.Graph] <= e.GraphVersion {
			continue
		}
		changes, err := c.DB.Store.Changes(c.Ctx, e.Graph, e.GraphVersion)
		if err != nil && !errors.Is(err, storage.ErrNotFound) { // it may have been dropped since
			return nil, err
		}
		list[i].Behind = changes.Versions
		list[i].Changed, list[i].Unknown = len(changes.Touched)+changes.Deleted, changes.All
	}
	return list, nil
}
