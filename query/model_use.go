package query

import (
	"bufio"
	"errors"
	"fmt"
	"slices"

	"heavytail/embedding/link"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// This file makes a stored model a scorer of pairs.

// modelScorer is the name of the scorer that reads a model: model(friends).
const modelScorer = "model"

// modelSummary says what it is, in a line.
const modelSummary = "calibrated probability of a model that TRAIN MODEL has learned"

// boundModel is a model on a graph as a call sees it.
type boundModel struct {
	*link.Bound
	graph *graphView
	space *space // nil where the model reads no embedding
}

// readModel returns a model by name.
func (c *call) readModel(model string, at part) (ModelInfo, *link.Model, error) {
	const most = 3 // each time somebody has replaced it meanwhile
	for attempt := 1; ; attempt++ {
		if _, err := c.modelInfo(model, at); err != nil {
			return ModelInfo{}, nil, err
		}
		info, r, err := c.db.store.Model(c.ctx, model)
		if err != nil {
			return ModelInfo{}, nil, err
		}
		m, err := link.ReadModel(bufio.NewReader(r))
		if err == nil || !errors.Is(err, storage.ErrConflict) || attempt == most {
			return info, m, err
		}
	}
}

// bindModel finds a model and what it reads, and tells what has moved on since it was
// trained.
func (c *call) bindModel(model string, graph *graphView, at part) (*boundModel, error) {
	b := &boundModel{graph: graph}
	info, m, err := c.readModel(model, at)
	if err != nil {
		return nil, err
	}
	var vectors *vec.Matrix
	if m.NeedsEmbedding() {
		if b.space, err = c.modelSpace(info, at); err != nil {
			return nil, err
		}
		vectors = b.space.matrix
	}
	behind, err := c.behind(info.Graph, info.GraphVersion)
	if err != nil {
		return nil, err
	}
	if behind > 0 {
		c.noticeOnce("model %s was trained %s of graph %s ago", name(model), count(int64(behind), "version"), name(info.Graph))
	}
	if b.space != nil && b.space.info.Generation != info.Generation {
		c.noticeOnce("embedding %s was refreshed since model %s was trained, from generation %d to %d", name(info.Embedding), name(model), info.Generation, b.space.info.Generation)
	}
	b.Bound, err = m.Bind(graph.Graph, vectors)
	return b, err
}

// modelSpace returns the embedding that a model reads, if it still stands where the
// model learned it. A refresh keeps the coordinates, unless it is a full run; computing
// the embedding again makes others, in which the weights of the model mean nothing.
func (c *call) modelSpace(info ModelInfo, at part) (*space, error) {
	again := "TRAIN MODEL " + name(info.Name) + " again"
	s, err := c.space(info.Embedding, at)
	if errors.Is(err, storage.ErrNotFound) {
		e := mistake(at, "model %s reads embedding %s, which was dropped", name(info.Name), name(info.Embedding))
		e.Hint, e.Err = again+", with another embedding or without", err
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	if !s.info.Coordinates.Equal(info.Coordinates) {
		e := mistake(at, "embedding %s was computed anew since model %s was trained, and its coordinates are others", name(info.Embedding), name(info.Name))
		e.Hint, e.Err = again, ErrCoordinates
		return nil, e
	}
	return s, nil
}

// noticeOnce is notice for what a call that resolves twice must not tell twice.
func (c *call) noticeOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(c.notices, func(n Notice) bool { return n.Text == text }) {
		c.notice("%s", text)
	}
}

// rows is the number of vertices that the model knows something of: those below it.
func (b *boundModel) rows() uint32 {
	n := b.graph.Graph.Vertices()
	if b.space != nil {
		n = min(n, b.space.matrix.Rows)
	}
	return uint32(n)
}
