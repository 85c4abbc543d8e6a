package storage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// CreateGraph makes an empty graph. If the name is in use, the error is ErrExists.
func (db *DB) CreateGraph(ctx context.Context, name string) (GraphInfo, error) {
	return db.createGraph(ctx, name, false)
}

// CreateDirected is CreateGraph for a directed graph.
func (db *DB) CreateDirected(ctx context.Context, name string) (GraphInfo, error) {
	return db.createGraph(ctx, name, true)
}

func (db *DB) createGraph(ctx context.Context, name string, directed bool) (GraphInfo, error) {
	if err := block.CheckName("graph", name); err != nil {
		return GraphInfo{}, err
	}
	var info GraphInfo
	err := db.file.Change(ctx, func(t *tree.Tx) error {
		r, err := graphs.Create(t, name, directed)
		if err == nil {
			info = graphInfo(r, name)
		}
		return err
	})
	return info, err
}

// DropGraph removes a graph with its change log, its predictions and the data of an
// unfinished import. If the graph does not exist because the import that would create
// it has stopped, DropGraph removes the data of that import. While embeddings or models
// of the graph exist, it returns ErrInUse, unless cascade removes them too. The space
// is used again by later writes; the file does not shrink.
func (db *DB) DropGraph(ctx context.Context, name string, cascade bool) error {
	return db.file.Change(ctx, func(t *tree.Tx) error {
		r, err := graphs.Find(t, name)
		if errors.Is(err, ErrNotFound) {
			if found, journalErr := t.Get(block.JournalName, tree.JournalKey(tree.JournalGraph, name), new(tree.JournalRecord)); found && journalErr == nil {
				return tree.DropJournal(t, tree.JournalGraph, name)
			}
		}
		if err != nil {
			return err
		}
		names, err := embeddingsOf(t, r.ID)
		if err != nil {
			return err
		}
		if len(names) > 0 && !cascade {
			return fmt.Errorf("graph %q has the embeddings %s; drop them first: %w", name, strings.Join(names, ", "), ErrInUse)
		}
		models, err := modelsOf(t, r.ID)
		if err != nil {
			return err
		}
		if len(models) > 0 && !cascade {
			return fmt.Errorf("graph %q has the models %s; drop them first: %w", name, strings.Join(models, ", "), ErrInUse)
		}
		for _, embedding := range names {
			if err := dropEmbedding(t, embedding); err != nil {
				return err
			}
		}
		for _, model := range models {
			if err := modelKind.drop(t, []byte(model)); err != nil {
				return err
			}
		}
		if err := predictionKind.dropAll(t, block.Key64(r.ID)); err != nil {
			return err
		}
		if err := graphs.DropChanges(t, r.ID, math.MaxUint64); err != nil {
			return err
		}
		if err := tree.DropJournal(t, tree.JournalGraph, name); err != nil {
			return err
		}
		if err := t.Discard(r.Object); err != nil {
			return err
		}
		return t.Remove(block.GraphsName, []byte(name))
	})
}

// Graphs lists the graphs by name.
func (db *DB) Graphs(ctx context.Context) ([]GraphInfo, error) {
	return viewed(ctx, db, func(t *tree.Tx) (list []GraphInfo, err error) {
		err = t.Each(block.GraphsName, func(key, _ []byte) error {
			r, err := graphs.Find(t, string(key))
			if err == nil {
				list = append(list, graphInfo(r, string(key)))
			}
			return err
		})
		return list, err
	})
}

// Graph returns the catalogue entry of one graph.
func (db *DB) Graph(ctx context.Context, name string) (GraphInfo, error) {
	return viewGraph(ctx, db, name, func(_ *tree.Tx, r *graphs.Record) (GraphInfo, error) { return graphInfo(r, name), nil })
}
