package query

import (
	"context"
	"errors"

	"heavytail/storage"
)

// CreateGraph makes an empty graph.
func (db *DB) CreateGraph(ctx context.Context, graph string) (storage.GraphInfo, error) {
	c, err := db.begin(ctx, "CREATE GRAPH")
	if err != nil {
		return storage.GraphInfo{}, err
	}
	defer c.end()
	info, err := c.createGraph(graph)
	return info, c.wrap(err)
}

func (c *call) createGraph(graph string) (storage.GraphInfo, error) {
	if err := c.checkCreate(graph); err != nil {
		return storage.GraphInfo{}, err
	}
	info, err := c.db.store.CreateGraph(c.ctx, graph)
	return info, nameMistake(err, partGraph)
}

// checkCreate refuses the name of a graph that exists.
func (c *call) checkCreate(graph string) error {
	if err := c.writable(); err != nil {
		return err
	}
	_, err := c.db.store.Graph(c.ctx, graph)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		e := mistake(partGraph, "graph %s exists", quote(graph))
		e.Err = storage.ErrExists
		return e
	}
	return nameMistake(err, partGraph)
}

// checkNewGraph refuses the name of a graph that has edges.
func (c *call) checkNewGraph(graph string, at part) error {
	if err := c.writable(); err != nil {
		return err
	}
	info, err := c.db.store.Graph(c.ctx, graph)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil
	case err != nil:
		return nameMistake(err, at)
	case info.Vertices > 0:
		e := mistake(at, "graph %s exists and has %s", quote(graph), count(int64(info.Vertices), "vertex"))
		e.Hint = "drop it first, or choose another name"
		e.Err = storage.ErrExists
		return e
	}
	return nil
}

// nameMistake gives a position to the store's refusal of a name.
func nameMistake(err error, at part) error {
	if !errors.Is(err, storage.ErrName) {
		return err
	}
	return &Error{Message: err.Error(), Err: err, part: at}
}

// DropGraph removes a graph. With cascade it removes the embeddings and the
// models of the graph too; without, it refuses where there are some.
func (db *DB) DropGraph(ctx context.Context, graph string, cascade bool) error {
	c, err := db.begin(ctx, "DROP GRAPH")
	if err != nil {
		return err
	}
	defer c.end()
	return c.wrap(c.dropGraph(graph, cascade))
}

func (c *call) dropGraph(graph string, cascade bool) error {
	if err := c.checkDropGraph(graph, cascade); err != nil {
		return err
	}
	return c.db.store.DropGraph(c.ctx, graph, cascade)
}

// checkDropGraph refuses an unknown graph, and one that embeddings or models stand on.
func (c *call) checkDropGraph(graph string, cascade bool) error {
	if err := c.writable(); err != nil {
		return err
	}
	if _, err := c.graphInfo(graph, partGraph); err != nil || cascade {
		return err
	}
	all, err := c.db.store.Embeddings(c.ctx)
	if err != nil {
		return err
	}
	models, err := c.db.store.Models(c.ctx)
	if err != nil {
		return err
	}
	what := ""
	for _, m := range models {
		if m.Graph == graph {
			what = "model " + quote(m.Name)
			break
		}
	}
	for _, e := range all {
		if e.Graph == graph {
			what = "embedding " + quote(e.Name)
			break
		}
	}
	if what == "" {
		return nil
	}
	m := mistake(partGraph, "graph %s has the %s", quote(graph), what)
	m.Hint = "say CASCADE to drop its embeddings and models too"
	m.Err = storage.ErrInUse
	return m
}

// DropEmbedding removes an embedding.
func (db *DB) DropEmbedding(ctx context.Context, embedding string) error {
	c, err := db.begin(ctx, "DROP EMBEDDING")
	if err != nil {
		return err
	}
	defer c.end()
	return c.wrap(c.dropEmbedding(embedding))
}

func (c *call) dropEmbedding(embedding string) error {
	if err := c.writable(); err != nil {
		return err
	}
	if _, err := c.embeddingInfo(embedding, partEmbedding); err != nil {
		return err
	}
	return c.db.store.DropEmbedding(c.ctx, embedding)
}
