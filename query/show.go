package query

import (
	"context"
	"errors"
	"strings"

	"heavytail/embedding/link"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/parser"
	"heavytail/storage"
)

// EmbeddingSummary is an embedding as SHOW EMBEDDINGS lists it.
type EmbeddingSummary struct {
	storage.EmbeddingInfo
	Behind uint64 `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	// Changed counts the vertices that were added or deleted since, or whose edges changed.
	Changed int `json:"changed"`
	// Unknown reports that the change log does not record which vertices changed: any may
	// have.
	Unknown bool `json:"unknown"`
}

// Graphs lists the graphs of the file by name.
func (db *DB) Graphs(ctx context.Context) ([]storage.GraphInfo, error) {
	return inCall(ctx, db, "SHOW GRAPHS", func(c *call) ([]storage.GraphInfo, error) { return c.db.store.Graphs(ctx) })
}

// Embeddings lists the embeddings of the file by name.
func (db *DB) Embeddings(ctx context.Context) ([]EmbeddingSummary, error) {
	return inCall(ctx, db, "SHOW EMBEDDINGS", (*call).embeddings)
}

func (c *call) embeddings() ([]EmbeddingSummary, error) {
	graphs, err := c.db.store.Graphs(c.Ctx)
	if err != nil {
		return nil, err
	}
	versions := map[string]uint64{}
	for _, g := range graphs {
		versions[g.Name] = g.Version
	}
	infos, err := c.db.store.Embeddings(c.Ctx)
	if err != nil {
		return nil, err
	}
	list := make([]EmbeddingSummary, len(infos))
	for i, e := range infos {
		list[i].EmbeddingInfo = e
		if versions[e.Graph] <= e.GraphVersion {
			continue
		}
		changes, err := c.db.store.Changes(c.Ctx, e.Graph, e.GraphVersion)
		if err != nil && !errors.Is(err, storage.ErrNotFound) { // it may have been dropped since
			return nil, err
		}
		list[i].Behind = changes.Versions
		list[i].Changed, list[i].Unknown = len(changes.Touched)+changes.Deleted, changes.All
	}
	return list, nil
}

// Scorers lists the link scorers.
func (db *DB) Scorers() []link.Scorer { return link.Scorers() }

var show = &statement[*parser.Show, parser.Listing, nothing, *Rows]{
	help: Help{
		Statement: "SHOW", Syntax: "SHOW GRAPHS | EMBEDDINGS | INDEXES | MODELS | PREDICTIONS | METHODS | MEASURES | SCORERS | GENERATORS | STATS | JOBS",
		Summary: "lists the objects in the file, or the methods, measures, scorers and generators",
		Columns: "GRAPHS: graph, version, vertices, edges, source, modified; " +
			"EMBEDDINGS: embedding, graph, method, dim, vertices, generation, behind, changed, auto, created; " +
			"INDEXES: embedding, metric, vectors, m, ef_construction, ef, recall, lowest, poor, bytes, seconds, created; " +
			"MODELS: model, graph, embedding, terms, auc, average_precision, calibration_error, best_single, best_single_auc, behind, state, created; " +
			"PREDICTIONS: graph, scorer, top, vertices, links, version, behind, state, created; " +
			"METHODS: method, options, summary; MEASURES: measure, values, weights, options, summary; SCORERS: scorer, reads, likelier, summary; " +
			"GENERATORS: generator, options, summary; STATS: object, part, bytes, items, bytes_each; " +
			"JOBS: job, state, statement, stage, progress, seconds, remaining, memory, peak, checkpoint, error, result",
		Example: "SHOW EMBEDDINGS",
	},
	bind:    func(_ *binder, s *parser.Show) parser.Listing { return s.What },
	resolve: resolveNothing[parser.Listing],
	plan: func(what parser.Listing, _ nothing) *plan.Plan {
		return plan.Result("list", strings.ToLower(string(what)))
	},
	run:   func(c *call, what parser.Listing, _ nothing) (*Rows, error) { return c.show(what) },
	rows:  func(_ parser.Listing, rows *Rows) *Rows { return rows },
	reads: true,
}

func (c *call) show(what parser.Listing) (*Rows, error) {
	var table [][]Value
	switch what {
	case parser.Graphs:
		list, err := c.db.store.Graphs(c.Ctx)
		for _, g := range list {
			table = append(table, []Value{g.Name, int64(g.Version), int64(g.Vertices), g.Edges, g.Source, timestamp(g.Modified)})
		}
		return rowsOf([]string{"graph", "version", "vertices", "edges", "source", "modified"}, table), err
	case parser.Embeddings:
		list, err := c.embeddings()
		for _, e := range list {
			changed := Value(int64(e.Changed))
			if e.Unknown {
				changed = nil
			}
			table = append(table, []Value{
				e.Name, e.Graph, e.Method, int64(e.Dim), int64(e.Vertices), int64(e.Generation), int64(e.Behind), changed, autoText(e.Auto), timestamp(e.Created),
			})
		}
		return rowsOf([]string{"embedding", "graph", "method", "dim", "vertices", "generation", "behind", "changed", "auto", "created"}, table), err
	case parser.Indexes:
		list, err := c.indexes()
		return indexRows(list), err
	case parser.Models:
		list, err := c.listModels()
		return modelRows(list), err
	case parser.Predictions:
		list, err := c.listPredictions()
		return predictionRows(list), err
	case parser.Methods:
		for _, m := range Methods() {
			table = append(table, []Value{m.Name, optionsText(m.Options), m.Summary})
		}
		return rowsOf([]string{"method", "options", "summary"}, table), nil
	case parser.Measures:
		for _, m := range Measures() {
			table = append(table, []Value{m.Name, m.Type.String(), textOrNil(m.Weights), optionsText(m.Options), m.Summary})
		}
		return rowsOf([]string{"measure", "values", "weights", "options", "summary"}, table), nil
	case parser.Scorers:
		for _, s := range link.Scorers() {
			reads, likelier := "graph", "higher"
			if s.NeedsEmbedding {
				reads = "embedding"
			}
			if !s.HigherIsLikelier {
				likelier = "lower"
			}
			table = append(table, []Value{s.Name, reads, likelier, s.Summary})
		}
		table = append(table, []Value{modelScorer, "model", "higher", modelSummary})
		return rowsOf([]string{"scorer", "reads", "likelier", "summary"}, table), nil
	case parser.Generators:
		for _, g := range generators() {
			table = append(table, []Value{g.Name, optionsText(g.Options), g.Summary})
		}
		return rowsOf([]string{"generator", "options", "summary"}, table), nil
	case parser.Jobs:
		list, err := c.db.runner.List(c.Call)
		return jobRows(list), err
	case parser.Stats:
		stats, err := c.stats()
		return rowsOf(statsColumns, statsRows(stats)), err
	}
	return nil, fault.New(fault.Statement, "SHOW %s is not known here", what)
}

// optionsText lists options with their defaults.
func optionsText(options []OptionInfo) string {
	return strings.Join(ofEach(options, OptionInfo.String), ", ")
}
