package report

import (
	"context"
	"fmt"
	"slices"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/parser"
)

// fileWork shows the results that were computed from some graphs with their age, and the
// jobs of the file.
func fileWork(ctx context.Context, db *query.DB, graphs []string) ([]block, error) {
	computed, err := computedFrom(ctx, db, graphs)
	if err != nil {
		return nil, err
	}
	var blocks []block
	if computed.Rows != nil {
		blocks = append(blocks, block{ID: "computed", Title: "What was computed, and how old it is", Tables: []table{computed},
			Lead: "A graph has a new version with every change. What was computed from an earlier version is still used, until it is computed again."})
	}
	rows, err := db.Answer(ctx, "SHOW", parser.Jobs)
	if err != nil {
		return nil, err
	}
	jobs, err := newTable("Jobs of the file", rows)
	if err != nil {
		return nil, err
	}
	if jobs.Rows != nil {
		b := block{ID: "jobs", Title: "Jobs", Lead: "Long statements that ran in the background, or were interrupted.", Tables: []table{jobs.without("remaining", "memory", "peak", "checkpoint").withoutEmpty()}, Statement: "SHOW JOBS"}
		b.note(rows.Notices())
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// computedFrom lists the embeddings, models and other results of the file that were
// computed from some graphs.
func computedFrom(ctx context.Context, db *query.DB, graphs []string) (table, error) {
	t := head("Computed from the graphs", "object", "name", "graph", "made by", "state", "created")
	embeddings, err := db.Vectors().List(ctx)
	if err != nil {
		return t, err
	}
	of := map[string]string{} // graph of each embedding
	for _, e := range embeddings {
		if of[e.Name] = e.Graph; slices.Contains(graphs, e.Graph) {
			t.add("embedding", e.Name, e.Graph, e.Method, state(e.Behind, e.Changed, e.Unknown), e.Created)
		}
	}
	indexes, err := db.Vectors().Indexes(ctx)
	if err != nil {
		return t, err
	}
	for _, x := range indexes {
		if graph := of[x.Embedding]; slices.Contains(graphs, graph) {
			t.add("index", x.Embedding, graph, fmt.Sprintf("%s, recall %s", x.Metric, short(x.Recall)), "of generation "+grouped(int64(x.Generation)), x.Created)
		}
	}
	for _, graph := range graphs {
		attributes, err := db.Graphs().Attributes(ctx, graph)
		if err != nil {
			return t, err
		}
		for _, a := range attributes {
			if a.Computed != nil {
				t.add("attribute", a.Name, graph, a.Computed.Method, state(a.Behind, a.Changed, a.Unknown), a.Computed.Created)
			}
		}
	}
	models, err := db.Links().Models(ctx)
	if err != nil {
		return t, err
	}
	for _, m := range models {
		if slices.Contains(graphs, m.Graph) {
			t.add("model", m.Name, m.Graph, m.EmbeddingNames(), modelState(m), m.Created)
		}
	}
	predictions, err := db.Links().Predictions(ctx)
	if err != nil {
		return t, err
	}
	for _, p := range predictions {
		if slices.Contains(graphs, p.Graph) {
			age := versions(p.Behind)
			if p.Stale != "" {
				age += "; " + p.Stale
			}
			t.add("predictions", p.Scorer, p.Graph, plural(p.Links, "link", "links"), age, p.Created)
		}
	}
	return t, nil
}

// modelState says how old a model is, and whether it can be used.
func modelState(m catalogue.ModelSummary) string {
	text := versions(m.Behind)
	switch m.Reads {
	case catalogue.EmbeddingOther, catalogue.EmbeddingGone:
		text += "; must be trained again: its embedding is " + string(m.Reads)
	}
	return text
}
