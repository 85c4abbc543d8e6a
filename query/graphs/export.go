package graphs

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/export"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/graphtext"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/format/vectorfile"
)

func vertexFormats() []export.Format {
	return append([]export.Format{{Name: "csv", Endings: []string{".csv", ".txt"}, Title: "CSV"}, {Name: "neo4j", Title: "CSV for Neo4j"}}, export.ColumnarFormats()...)
}

// exportTarget is a file that can be written, and the graph to write.
type exportTarget struct {
	form  export.Format
	graph storage.GraphInfo
}

var exportGraph = &engine.Statement[*parser.ExportGraph, files.ExportRequest, exportTarget, files.ExportResult]{
	Help: help.Statement{
		Statement: "EXPORT GRAPH",
		Summary:   "writes the edges of a graph as text, CSV, Neo4j's CSV, METIS, Pajek, Parquet or Arrow, or all as GraphML, GEXF, GML or JSON",
		Detail:    "Weights, times and attributes of edges are written with the edges (METIS and Pajek leave out what they do not have), attributes of vertices in the last four. Text is compressed if the name ends in .gz or .zst",
		Words:     "save write dump gephi graphml gexf gml json csv neo4j networkx igraph cytoscape pajek download output",
		Columns:   "file, edges",
	},
	Schema: func() option.Schema[files.ExportRequest] { return export.Schema(export.GraphFormats()) },
	Bind: func(b *engine.Binder, s *parser.ExportGraph) files.ExportRequest {
		b.Mark(fault.Graph, s.Graph)
		return export.Bind(b, s, s.Graph.Name, s.File, s.Options, export.GraphFormats())
	},
	Resolve: func(c *engine.Call, req files.ExportRequest) (exportTarget, error) {
		return exportedGraph(c, req, export.GraphFormats())
	},
	Plan:  planExport,
	Run:   runExportGraph,
	Table: export.Table[files.ExportRequest],
	Reads: true,
}

// Export writes the edges of a graph, each once, with their weights and
// times; as GraphML, GEXF, GML and JSON also its vertices with their attributes.
func (s *Service) Export(ctx context.Context, req files.ExportRequest) (files.ExportResult, error) {
	return exportGraph.Answer(ctx, s.db, req)
}

var exportVertices = &engine.Statement[*parser.ExportVertices, files.ExportRequest, exportTarget, files.ExportResult]{
	Help: help.Statement{
		Statement: "EXPORT VERTICES",
		Summary:   "writes vertices with their attributes as CSV, Parquet or Arrow",
		Detail:    "CSV is compressed if the name ends in .gz or .zst",
		Words:     "save write nodes attributes table csv pandas dataframe gephi",
		Columns:   "file, vertices",
	},
	Schema: func() option.Schema[files.ExportRequest] { return export.Schema(vertexFormats()) },
	Bind: func(b *engine.Binder, s *parser.ExportVertices) files.ExportRequest {
		b.Mark(fault.Graph, s.Graph)
		return export.Bind(b, s, s.Graph.Name, s.File, s.Options, vertexFormats())
	},
	Resolve: func(c *engine.Call, req files.ExportRequest) (exportTarget, error) {
		return exportedGraph(c, req, vertexFormats())
	},
	Plan:  planExport,
	Run:   runExportVertices,
	Table: export.Table[files.ExportRequest],
	Reads: true,
}

// ExportVertices writes the vertices of a graph with their attributes as CSV, Parquet or Arrow.
func (s *Service) ExportVertices(ctx context.Context, req files.ExportRequest) (files.ExportResult, error) {
	return exportVertices.Answer(ctx, s.db, req)
}

func exportedGraph(c *engine.Call, req files.ExportRequest, formats []export.Format) (found exportTarget, err error) {
	if found.form, err = export.Check(c, req, formats); err != nil {
		return found, err
	}
	found.graph, err = c.GraphInfo(req.Name, fault.Graph)
	return found, err
}

func planExport(req files.ExportRequest, found exportTarget) *plan.Plan {
	return engine.WrittenFile(found.form.Title, req.Path, session.GraphPlan(found.graph))
}

func runExportGraph(c *engine.Call, req files.ExportRequest, found exportTarget) (files.ExportResult, error) {
	list, err := edgesOf(c, found.graph)
	if err != nil {
		return files.ExportResult{}, err
	}
	view, columns, err := exportedColumns(c, found.graph, found.form.Attributes)
	if err != nil {
		return files.ExportResult{}, err
	}
	list = list.orOf(view.Graph)
	g := formatGraph(c, view, list, columns)
	g.Times = export.TimesOf(req, view.Info)
	noticeLeftOut(c, found.form, view)
	if !found.form.PlainEdges {
		if err := giveEdgeColumns(c, &g, view); err != nil {
			return files.ExportResult{}, err
		}
	}
	keys := func(w io.Writer) error { return vectorfile.WriteKeys(c.Ctx, w, g.Vertices, g.Key) }
	return export.Run(c, req, found.form, list.count(), keys, func(w io.Writer) error {
		return writeGraph(c, w, req, found.form, g, view.Info)
	})
}

func writeGraph(c *engine.Call, w io.Writer, req files.ExportRequest, form export.Format, g format.Graph, info storage.GraphInfo) error {
	if form.Columnar != "" {
		return columnar.WriteEdges(c.Ctx, w, form.Columnar, g, export.GraphNotes(info))
	}
	switch form.Name {
	case "csv", "neo4j":
		return rowtext.WriteCSV(c.Ctx, w, g, rowtext.CSVOptions{Spreadsheet: req.Spreadsheet, Neo4j: form.Name == "neo4j"})
	case "graphml":
		return graphtext.WriteGraphML(c.Ctx, w, g)
	case "gexf":
		return graphtext.WriteGEXF(c.Ctx, w, g)
	case "json":
		return graphtext.WriteNodeLink(c.Ctx, w, g)
	case "gml":
		return graphtext.WriteGML(c.Ctx, w, g)
	case "pajek":
		return graphtext.WritePajek(c.Ctx, w, g)
	case "metis":
		return graphtext.WriteMETIS(c.Ctx, w, g)
	}
	return rowtext.WriteEdges(c.Ctx, w, g)
}

// giveEdgeColumns gives a graph the attributes of its edges.
func giveEdgeColumns(c *engine.Call, g *format.Graph, view *session.Graph) error {
	set, err := c.EdgeColumns(view, session.NamesOf(view.Info.EdgeAttributes))
	if err != nil {
		return err
	}
	for _, column := range set.Columns {
		g.EdgeColumns = append(g.EdgeColumns, format.Column{Name: column.Name, Type: format.Type(column.Type.String())})
	}
	g.EdgeValue = func(dst []byte, column, edge int) ([]byte, bool) {
		value := set.At(column, uint32(edge))
		return append(dst, value.String()...), !value.IsMissing()
	}
	return nil
}

func noticeLeftOut(c *engine.Call, form export.Format, view *session.Graph) {
	booleans := slices.ContainsFunc(slices.Concat(view.Info.Attributes, view.Info.EdgeAttributes), func(a storage.Attribute) bool { return a.Type == storage.Boolean })
	if names := session.NamesOf(view.Info.EdgeAttributes); len(names) > 0 && form.PlainEdges {
		c.Notice("the attributes of edges are left out (%s); format := 'graphml' includes them", strings.Join(names, ", "))
	}
	if booleans && form.Name == "gml" {
		c.Notice("booleans are written as 1 and 0, as GML has none; format := 'graphml' keeps them")
	}
	if form.Attributes {
		return
	}
	numbered := form.Name == "pajek" || form.Name == "metis"
	if alone := withoutEdges(view.Graph); alone > 0 && !numbered {
		c.Notice("%s without edges left out; format := 'graphml' includes them", fault.Count(alone, "vertex"))
	}
	if numbered && view.Graph.Times != nil {
		c.Notice("the times of edges are left out, which %s does not have; format := 'graphml' includes them", form.Title)
	}
	if form.Name == "metis" {
		c.Notice("vertices are numbered from 1 on; the file that ends in %s has their keys in this order", engine.KeysEnding)
	}
	if names := session.AttributeNames(view.Info); len(names) > 0 {
		c.Notice("the attributes of vertices are left out (%s); EXPORT VERTICES writes them", strings.Join(names, ", "))
	}
}

func withoutEdges(g *csr.Graph) (alone int64) {
	for v := range uint32(g.Vertices()) {
		if g.Degree(v) == 0 {
			alone++
		}
	}
	return alone
}

func runExportVertices(c *engine.Call, req files.ExportRequest, found exportTarget) (files.ExportResult, error) {
	view, columns, err := exportedColumns(c, found.graph, true)
	if err != nil {
		return files.ExportResult{}, err
	}
	g := formatGraph(c, view, edgeList{rows: view.Graph}, columns)
	return export.Run(c, req, found.form, int64(g.Vertices), nil, func(w io.Writer) error {
		if form := found.form.Columnar; form != "" {
			return columnar.WriteVertices(c.Ctx, w, form, g, export.GraphNotes(view.Info))
		}
		return rowtext.WriteVertices(c.Ctx, w, g, rowtext.CSVOptions{Spreadsheet: req.Spreadsheet, Neo4j: found.form.Name == "neo4j"})
	})
}

// exportedColumns returns a graph, and all its attributes where they are wanted.
func exportedColumns(c *engine.Call, graph storage.GraphInfo, attributes bool) (*session.Graph, *session.ColumnSet, error) {
	var names []string
	if attributes {
		names = session.AttributeNames(graph)
	}
	return c.Columns(graph.Name, names, fault.Graph)
}

// formatGraph converts a graph to the type of package format.
func formatGraph(c *engine.Call, view *session.Graph, list edgeList, columns *session.ColumnSet) format.Graph {
	g := view.Graph
	laid := format.Graph{
		Vertices: g.Vertices(), Key: view.AppendKey, Directed: list.directed != nil, Edges: edges(c, list),
		Weighted: g.Weighted(), Timed: g.Times != nil,
		Neighbors: func(v uint32) ([]uint32, []float32) { return g.Neighbors(v), g.WeightsOf(v) },
		Value: func(dst []byte, column int, v uint32) ([]byte, bool) {
			value := columns.At(column, v)
			return append(dst, value.String()...), !value.IsMissing()
		},
	}
	for _, column := range columns.Columns {
		laid.Columns = append(laid.Columns, format.Column{Name: column.Name, Type: format.Type(column.Type.String())})
	}
	return laid
}

// edges lists every edge of a graph once, and reports progress.
func edges(c *engine.Call, list edgeList) iter.Seq[format.NumberedEdge] {
	const step = 1 << 14 // edges between two reports, about a millisecond
	return func(yield func(format.NumberedEdge) bool) {
		var done int64
		for p := range list.each() {
			if !yield(list.edge(p)) {
				return
			}
			if done++; done%step == 0 {
				c.Meter.UpdateUnit("writing", "edges", done, list.count())
			}
		}
	}
}
