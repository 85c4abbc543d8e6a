package shard

import (
	"context"
	"fmt"
	"slices"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/storage"
)

// sources lists the objects in the file of db on which the rows of a statement
// depend, without their content: models, embeddings, indexes and the graph.
func sources(ctx context.Context, db *query.DB, names named) (list []Source, err error) {
	add := func(kind, name, format string, args ...any) {
		list = append(list, Source{Kind: kind, Name: name, State: fmt.Sprintf(format, args...)})
	}
	models, err := db.Links().Models(ctx)
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
	known, listed := db.Vectors().List(ctx)
	for _, name := range read {
		e, err := embedding(known, listed, name)
		if err != nil {
			return nil, err
		}
		add("embedding", name, "%s", embeddingState(e))
		names.graph = e.Graph
	}
	if names.indexes {
		indexes, err := db.Vectors().Indexes(ctx)
		if err != nil {
			return nil, err
		}
		for _, i := range indexes {
			if slices.Contains(read, i.Embedding) {
				add("index", i.Embedding, "by %s of %s", i.Metric, stamp(i.Created))
			}
		}
	}
	graphs, err := db.Graphs().List(ctx)
	for _, g := range graphs {
		if g.Name == names.graph || names.graph == "" {
			add("graph", g.Name, "%s", graphState(g))
		}
	}
	return list, err
}

// embedding returns one of the listed embeddings, or the error of the list if it is
// not among them.
func embedding(known []catalogue.EmbeddingSummary, err error, name string) (storage.EmbeddingInfo, error) {
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

func (m *Manifest) addContent(ctx context.Context, db *query.DB, list []Source) (err error) {
	for i := range list {
		s := &list[i]
		if s.Content, err = m.contents.of(ctx, db, s.Kind, s.Name, s.State); err != nil {
			return err
		}
	}
	return nil
}
