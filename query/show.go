package query

import (
	"slices"
	"strings"

	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/measures"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/storage"
)

var show = &engine.Statement[*parser.Show, parser.Listing, engine.Nothing, [][]rows.Value]{
	Help: help.Statement{
		Statement: "SHOW",
		Summary:   "lists the objects in the file, or the methods, measures, scorers and generators",
		Words:     "list graphs embeddings models jobs indexes predictions stats space tables names",
		Columns:   strings.Join(lists.Map(showTables, func(l showTable) string { return string(l.what) + ": " + l.columns }), "; "),
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
	{parser.Graphs, "graph, version, vertices, edges, directed, source, modified"},
	{parser.Embeddings, "embedding, graph, method, dim, vertices, generation, behind, changed, auto, created"},
	{parser.Indexes, "embedding, metric, vectors, m, ef_construction, ef, recall, lowest, poor, bytes, seconds, created"},
	{parser.Models, "model, graph, embeddings, heuristics, auc, average_precision, calibration_error, best_single, best_single_auc, behind, state, created"},
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
			return []rows.Value{g.Name, int64(g.Version), int64(g.Vertices), g.Count(), g.Directed, g.Source, cells.Timestamp(g.Modified)}
		}), err
	case parser.Embeddings:
		list, err := entries.ListEmbeddings(c)
		return lists.Map(list, catalogue.EmbeddingSummary.Row), err
	case parser.Indexes:
		list, err := entries.Indexes(c)
		return lists.Map(list, entries.IndexRow), err
	case parser.Models:
		list, err := entries.ListModels(c)
		return lists.Map(list, catalogue.ModelSummary.Row), err
	case parser.Predictions:
		list, err := entries.ListPredictions(c)
		return lists.Map(list, catalogue.PredictionSummary.Row), err
	case parser.Methods:
		return lists.Map(vectors.Methods(), func(m run.Method) []rows.Value { return []rows.Value{m.Name, optionsText(m.Options), m.Summary} }), nil
	case parser.Measures:
		return lists.Map(measures.List(), func(m measures.Measure) []rows.Value {
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
		return append(table, []rows.Value{catalogue.ModelScorer, "model", "higher", entries.ModelSummary}), nil
	case parser.Generators:
		return lists.Map(graphs.Generators(), func(g graphs.Generator) []rows.Value { return []rows.Value{g.Name, optionsText(g.Options), g.Summary} }), nil
	case parser.Jobs:
		list, err := c.DB.Runner.List(c.Call)
		return lists.Map(list, engine.JobRow), err
	case parser.Stats:
		stats, err := entries.Stats(c)
		return entries.StatsRows(stats), err
	}
	return nil, fault.New(fault.Statement, "SHOW %s is not known here", what)
}

func optionsText(options []option.Info) string {
	return strings.Join(lists.Map(options, option.Info.String), ", ")
}
