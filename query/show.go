package query

import (
	"context"
	"errors"
	"heavytail/embedding/link"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"slices"
	"strings"
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

// List lists the graphs of the file by name.
func (s *graphsService) List(ctx context.Context) ([]storage.GraphInfo, error) {
	return engine.InCall(ctx, s.db, "SHOW GRAPHS", func(c *engine.Call) ([]storage.GraphInfo, error) { return c.DB.Store.Graphs(ctx) })
}

// List lists the embeddings of the file by name.
func (s *vectorsService) List(ctx context.Context) ([]EmbeddingSummary, error) {
	return engine.InCall(ctx, s.db, "SHOW EMBEDDINGS", listEmbeddings)
}

func listEmbeddings(c *engine.Call) ([]EmbeddingSummary, error) {
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
	list := make([]EmbeddingSummary, len(infos))
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

// Scorers lists the link scorers.
func (s *linksService) Scorers() []link.Scorer { return link.Scorers() }

var show = &engine.Statement[*parser.Show, parser.Listing, engine.Nothing, [][]rows.Value]{
	Help: help.Statement{
		Statement: "SHOW", Syntax: "SHOW GRAPHS | EMBEDDINGS | INDEXES | MODELS | PREDICTIONS | METHODS | MEASURES | SCORERS | GENERATORS | STATS | JOBS",
		Summary: "lists the objects in the file, or the methods, measures, scorers and generators",
		Columns: strings.Join(lists.Map(showTables, func(l showTable) string { return string(l.what) + ": " + l.columns }), "; "),
		Example: "SHOW EMBEDDINGS",
	},
	Bind:    func(_ *engine.Binder, s *parser.Show) parser.Listing { return s.What },
	Resolve: engine.ResolveNothing[parser.Listing],
	Plan: func(what parser.Listing, _ engine.Nothing) *plan.Plan {
		return plan.Result("list", strings.ToLower(string(what)))
	},
	Run: func(c *engine.Call, what parser.Listing, _ engine.Nothing) ([][]rows.Value, error) {
		return listed(c, what)
	},
	Rows: func(what parser.Listing, table [][]rows.Value) *rows.Rows {
		at := slices.IndexFunc(showTables, func(l showTable) bool { return l.what == what })
		return cells.RowsOf(cells.ColumnsIn(showTables[at].columns), table)
	},
	Reads: true,
}

// showTable is a list of SHOW, with the columns of its table.
type showTable struct {
	what    parser.Listing
	columns string
}

var showTables = []showTable{
	{parser.Graphs, "graph, version, vertices, edges, source, modified"},
	{parser.Embeddings, "embedding, graph, method, dim, vertices, generation, behind, changed, auto, created"},
	{parser.Indexes, "embedding, metric, vectors, m, ef_construction, ef, recall, lowest, poor, bytes, seconds, created"},
	{parser.Models, "model, graph, embedding, terms, auc, average_precision, calibration_error, best_single, best_single_auc, behind, state, created"},
	{parser.Predictions, "graph, scorer, top, vertices, links, version, behind, state, created"},
	{parser.Methods, "method, options, summary"},
	{parser.Measures, "measure, values, weights, options, summary"},
	{parser.Scorers, "scorer, reads, likelier, summary"},
	{parser.Generators, "generator, options, summary"},
	{parser.Stats, "object, part, bytes, items, bytes_each"},
	{parser.Jobs, engine.JobColumns},
}

func listed(c *engine.Call, what parser.Listing) ([][]rows.Value, error) {
	switch what {
	case parser.Graphs:
		list, err := c.DB.Store.Graphs(c.Ctx)
		return lists.Map(list, func(g storage.GraphInfo) []rows.Value {
			return []rows.Value{g.Name, int64(g.Version), int64(g.Vertices), g.Edges, g.Source, cells.Timestamp(g.Modified)}
		}), err
	case parser.Embeddings:
		list, err := listEmbeddings(c)
		return lists.Map(list, EmbeddingSummary.row), err
	case parser.Indexes:
		list, err := indexes(c)
		return lists.Map(list, indexRow), err
	case parser.Models:
		list, err := listModels(c)
		return lists.Map(list, ModelSummary.row), err
	case parser.Predictions:
		list, err := listPredictions(c)
		return lists.Map(list, PredictionSummary.row), err
	case parser.Methods:
		return lists.Map(Methods(), func(m Method) []rows.Value { return []rows.Value{m.Name, optionsText(m.Options), m.Summary} }), nil
	case parser.Measures:
		return lists.Map(Measures(), func(m Measure) []rows.Value {
			return []rows.Value{m.Name, m.Type.String(), cells.TextOrNil(m.Weights), optionsText(m.Options), m.Summary}
		}), nil
	case parser.Scorers:
		table := lists.Map(link.Scorers(), func(s link.Scorer) []rows.Value {
			reads, likelier := "graph", "higher"
			if s.NeedsEmbedding {
				reads = "embedding"
			}
			if !s.HigherIsLikelier {
				likelier = "lower"
			}
			return []rows.Value{s.Name, reads, likelier, s.Summary}
		})
		return append(table, []rows.Value{modelScorer, "model", "higher", modelSummary}), nil
	case parser.Generators:
		return lists.Map(generators(), func(g Generator) []rows.Value { return []rows.Value{g.Name, optionsText(g.Options), g.Summary} }), nil
	case parser.Jobs:
		list, err := c.DB.Runner.List(c.Call)
		return lists.Map(list, engine.JobRow), err
	case parser.Stats:
		stats, err := stats(c)
		return statsRows(stats), err
	}
	return nil, fault.New(fault.Statement, "SHOW %s is not known here", what)
}

func (e EmbeddingSummary) row() []rows.Value {
	return []rows.Value{
		e.Name, e.Graph, e.Method, int64(e.Dim), int64(e.Vertices), int64(e.Generation), int64(e.Behind),
		cells.When(!e.Unknown, int64(e.Changed)), autoText(e.Auto), cells.Timestamp(e.Created),
	}
}

func optionsText(options []help.Option) string {
	return strings.Join(lists.Map(options, help.Option.String), ", ")
}
