package shard

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heavytail/query"
	"heavytail/storage"
)

// sources lists the objects in the file of db on which the rows of a statement
// depend: models, embeddings, indexes and the graph.
func sources(ctx context.Context, db *query.DB, names named) (list []Source, err error) {
	add := func(kind, name, format string, args ...any) {
		list = append(list, Source{kind, name, fmt.Sprintf(format, args...)})
	}
	models, err := db.Models(ctx)
	if err != nil && len(names.models) > 0 {
		return nil, err
	}
	read := slices.Clone(names.embeddings)
	for _, m := range models {
		if slices.Contains(names.models, m.Name) {
			add("model", m.Name, "%s", stamp(m.Created))
			names.graph = m.Graph
			if m.Embedding != "" {
				read = append(read, m.Embedding)
			}
		}
	}
	known, listed := db.Embeddings(ctx)
	for _, name := range read {
		e, err := embedding(known, listed, name)
		if err != nil {
			return nil, err
		}
		add("embedding", name, "generation %d of %s", e.Generation, stamp(e.Created))
		names.graph = e.Graph
	}
	if names.indexes {
		indexes, err := db.Indexes(ctx)
		if err != nil {
			return nil, err
		}
		for _, i := range indexes {
			if slices.Contains(read, i.Embedding) {
				add("index", i.Embedding, "by %s of %s", i.Metric, stamp(i.Created))
			}
		}
	}
	graphs, err := db.Graphs(ctx)
	for _, g := range graphs {
		if g.Name == names.graph || names.graph == "" {
			add("graph", g.Name, "version %d of %s", g.Version, stamp(g.Modified))
		}
	}
	return list, err
}

// embedding returns one of the listed embeddings, or the error of the list if it is
// not among them.
func embedding(known []query.EmbeddingSummary, err error, name string) (storage.EmbeddingInfo, error) {
	for _, e := range known {
		if e.Name == name {
			return e.EmbeddingInfo, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("embedding %s: %w", name, storage.ErrNotFound)
	}
	return storage.EmbeddingInfo{}, err
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
