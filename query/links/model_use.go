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
	info   storage.ModelInfo
	graph  *session.Graph
	spaces []*session.Space // the embeddings that it reads
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

// bindModel loads a model, at a base rate unless that is 0, and the embeddings that it reads. All may have been replaced
// since they were resolved.
func bindModel(c *engine.Call, model string, graph *session.Graph, baseRate float64, at fault.Part) (*boundModel, error) {
	info, m, err := readModel(c, model, at)
	if err != nil {
		return nil, err
	}
	if baseRate > 0 {
		m = m.AtBaseRate(baseRate)
	}
	b := &boundModel{info: info, graph: graph}
	var matrices []*vec.Matrix
	for _, e := range info.Embeddings {
		space, err := c.Space(e.Name, at)
		if err != nil {
			return nil, err
		}
		if err := checkMethod(info.Name, e, space.Info, at); err != nil {
			return nil, err
		}
		b.spaces, matrices = append(b.spaces, space), append(matrices, space.Matrix)
	}
	b.Bound, err = m.Bind(graph.Graph, matrices...)
	return b, err
}

// checkMethod returns an Error if an embedding has another method or other options than when the
// model was trained.
func checkMethod(model string, of storage.ModelEmbedding, now storage.EmbeddingInfo, at fault.Part) error {
	if entries.SameMethod(of, now) {
		return nil
	}
	return fault.New(at, "model %s was trained with other options or another method of embedding %s", fault.Name(model), fault.Name(of.Name)).
		WithRemedy("TRAIN MODEL " + fault.Name(model) + " again").WithErr(fault.ErrOtherMethod)
}

// rows is the number of vertices that the model can score: the vertices with a smaller
// number.
func (b *boundModel) rows() uint32 {
	n := b.graph.Graph.Vertices()
	for _, s := range b.spaces {
		n = min(n, s.Matrix.Rows)
	}
	return uint32(n)
}
