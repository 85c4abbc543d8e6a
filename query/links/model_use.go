package links

import (
	"bufio"
	"errors"

	"heavytail/embedding/link"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/session"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// boundModel is a model on a graph as a call sees it.
type boundModel struct {
	*link.Bound
	info  storage.ModelInfo
	graph *session.Graph
	space *session.Space // nil if the model reads no embedding
}

func readModel(c *engine.Call, model string, at fault.Part) (storage.ModelInfo, *link.Model, error) {
	const most = 3 // attempts; each fails only if another call has replaced the model meanwhile
	for attempt := 1; ; attempt++ {
		if _, err := entries.ModelInfo(c, model, at); err != nil {
			return storage.ModelInfo{}, nil, err
		}
		info, r, err := c.DB.Store.Model(c.Ctx, model)
		if err != nil {
			return storage.ModelInfo{}, nil, err
		}
		m, err := link.ReadModel(bufio.NewReader(r))
		if err == nil || !errors.Is(err, storage.ErrConflict) || attempt == most {
			return info, m, err
		}
	}
}

// bindModel loads a model and the embedding that it reads. Both may have been replaced
// since they were resolved.
func bindModel(c *engine.Call, model string, graph *session.Graph, at fault.Part) (*boundModel, error) {
	info, m, err := readModel(c, model, at)
	if err != nil {
		return nil, err
	}
	b := &boundModel{info: info, graph: graph}
	var vectors *vec.Matrix
	if m.NeedsEmbedding() {
		if b.space, err = c.Space(info.Embedding, at); err != nil {
			return nil, err
		}
		if err := checkCoordinates(info, b.space.Info, at); err != nil {
			return nil, err
		}
		vectors = b.space.Matrix
	}
	b.Bound, err = m.Bind(graph.Graph, vectors)
	return b, err
}

// checkCoordinates returns an Error if the embedding has a different coordinate
// system than at the training of the model. A refresh preserves the coordinates,
// unless it is a full run; computing the embedding again changes them.
func checkCoordinates(model storage.ModelInfo, embedding storage.EmbeddingInfo, at fault.Part) error {
	if embedding.Coordinates.Equal(model.Coordinates) {
		return nil
	}
	return fault.New(at, "model %s was trained on an earlier run of embedding %s with a different coordinate system", fault.Name(model.Name), fault.Name(model.Embedding)).
		WithRemedy("TRAIN MODEL " + fault.Name(model.Name) + " again").WithErr(fault.ErrCoordinates)
}

// rows is the number of vertices that the model can score: the vertices with a smaller
// number.
func (b *boundModel) rows() uint32 {
	n := b.graph.Graph.Vertices()
	if b.space != nil {
		n = min(n, b.space.Matrix.Rows)
	}
	return uint32(n)
}
