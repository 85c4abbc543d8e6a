package entries

import (
	"errors"
	"time"

	"heavytail/query/catalogue"
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
	if err := storage.CheckEmbeddingName(embedding); err != nil {
		return 0, engine.NameMistake(err, fault.Embedding)
	}
	old, err := c.DB.Store.EmbeddingInfo(c.Ctx, embedding)
	switch {
	case err == nil && old.Graph != graph:
		return 0, fault.New(fault.Embedding, "embedding %s exists and belongs to graph %s", fault.Quote(embedding), fault.Name(old.Graph)).
			WithRemedy("drop it first, or choose another name").WithErr(storage.ErrExists)
	case err == nil:
		return old.Generation + 1, nil
	case !errors.Is(err, storage.ErrNotFound):
		return 0, err
	}
	return 1, nil
}

// EmbeddingEntry is the catalogue entry of the embedding that a request names.
func EmbeddingEntry(c *engine.Call, embedding string) (storage.EmbeddingInfo, error) {
	return c.EmbeddingInfo(embedding, fault.Embedding)
}

// Embeddable returns the entry of a graph that has vertices.
func Embeddable(c *engine.Call, graph string) (storage.GraphInfo, error) {
	info, err := c.GraphInfo(graph, fault.Graph)
	if err == nil && info.Vertices == 0 {
		err = fault.New(fault.Graph, "graph %s has no vertices to embed", fault.Quote(graph))
	}
	return info, err
}

// CheckOwnStart returns an Error for an embedding that began with the vectors of another one:
// computed again without the edges that a training hides, it would still know them.
func CheckOwnStart(info storage.EmbeddingInfo) error {
	start := engine.ValueOf(info.Options, storage.SettingStart)
	if start == "" {
		return nil
	}
	return fault.New(fault.Embedding, "embedding %s began with the vectors of %s, which know the edges that the training hides", fault.Quote(info.Name), fault.Quote(start)).
		WithRemedy("embed with start := 'deepwalk', which is computed again without them").WithErr(fault.ErrInvalid)
}

// CheckComputed returns an Error for an imported embedding, where the embedding has to be
// computed again.
func CheckComputed(info storage.EmbeddingInfo) error {
	if info.Method != catalogue.MethodImported {
		return nil
	}
	return fault.New(fault.Embedding, "embedding %s was imported, so it cannot be computed again", fault.Quote(info.Name)).
		WithRemedy("IMPORT EMBEDDING replaces it by newer vectors").WithErr(fault.ErrInvalid)
}

// CheckCurrent returns an Error for an embedding of an older version of the graph, with the reason.
func CheckCurrent(embedding string, behind uint64, reason string) error {
	if behind == 0 {
		return nil
	}
	return fault.New(fault.Embedding, "embedding %s is %s behind its graph%s", fault.Quote(embedding), fault.Count(int64(behind), "version"), reason).
		WithRemedy("REFRESH it first")
}

// Duration reads a positive time such as '90s', '10m' or '1h30m'.
func Duration(at fault.Part, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fault.New(at, "%s is not a time", fault.QuoteKey(text)).WithExpected("a time such as '90s', '10m' or '2h'")
	}
	return d, nil
}

// ListEmbeddings lists the embeddings of the file by name.
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
