package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// ExportRequest asks to write a graph, its vertices or an embedding to a file.
type ExportRequest struct {
	Name      string // of the graph or embedding
	Path      string // a name that ends in .gz or .zst is compressed
	Overwrite bool   // replace an existing file; otherwise an existing file is an error
	// Format is the form of the file. Empty means the one that the ending of Path names, before .gz or .zst: of a graph
	// "csv" for .csv, "graphml" for .graphml, "gexf" for .gexf, "json" (node-link) for .json, "gml" for .gml, "pajek" for .net and
	// "edges" for .txt, .edges, .edgelist and .el; of vertices "csv" for .csv and .txt; of an embedding "npy" for .npy,
	// "word2vec_binary" for .bin and "word2vec" for .txt, .vec, .w2v, .emb and .word2vec; of all of them "parquet" for
	// .parquet. "metis" is for .graph and .metis, and "neo4j", CSV with the headers of Neo4j, for no ending. A name
	// without an ending means "edges", "csv" or "word2vec"; any other ending is an error.
	Format string
	// Spreadsheet makes CSV safe to open in a spreadsheet: an apostrophe is
	// written before each key or text that the spreadsheet could take for a
	// formula. The apostrophe stays if the file is imported again.
	Spreadsheet bool
	// Times is the form of the times of edges: "iso" writes dates, for which times are
	// taken as Unix seconds, "unix" writes numbers, and empty means the form in which
	// they came into the graph. See storage.GraphInfo.
	Times string
}

// ExportResult is the answer of ExportGraph, ExportVertices, ExportWalks and ExportEmbedding.
type ExportResult struct {
	Path    string   `json:"file"`
	Keys    string   `json:"keys,omitempty"` // of the matrix or METIS file at Path, the file with the keys of its rows; otherwise empty
	Rows    int64    `json:"rows"`           // edges, vertices, walks or vectors written
	Notices []Notice `json:"notices,omitempty"`
}

type exportFormat struct {
	name    string
	endings []string // endings of file names that select it; a name without an ending selects the first format
	title   string   // its name in a plan
	holds   string   // a format that can hold the keys that this one cannot, if there is one
	// attributes is set for a form of graphs that has all vertices, with their attributes.
	attributes bool
}

func graphFormats() []exportFormat {
	return []exportFormat{
		{name: "edges", endings: session.ListEndings, title: "edge list"}, {name: "csv", endings: []string{".csv"}, title: "CSV"},
		{name: "graphml", endings: []string{".graphml"}, title: "GraphML", holds: "json", attributes: true},
		{name: "gexf", endings: []string{".gexf"}, title: "GEXF", holds: "json", attributes: true},
		{name: "json", endings: []string{".json"}, title: "node-link JSON", attributes: true},
		{name: "gml", endings: []string{".gml"}, title: "GML", attributes: true},
		{name: "pajek", endings: []string{".net"}, title: "Pajek", holds: "json"},
		{name: "metis", endings: []string{".graph", ".metis"}, title: "METIS"},
		{name: "neo4j", title: "CSV for Neo4j"},
		parquetFormat(),
	}
}

func vertexFormats() []exportFormat {
	return []exportFormat{{name: "csv", endings: []string{".csv", ".txt"}, title: "CSV"}, {name: "neo4j", title: "CSV for Neo4j"}, parquetFormat()}
}

// parquetFormat is the format that every table has.
func parquetFormat() exportFormat {
	return exportFormat{name: "parquet", endings: []string{".parquet"}, title: "Parquet"}
}

func embeddingFormats() []exportFormat {
	return []exportFormat{
		{name: "word2vec", endings: []string{".txt", ".vec", ".w2v", ".emb", ".word2vec"}, title: "word2vec text", holds: "npy"},
		{name: "word2vec_binary", endings: []string{".bin"}, title: "word2vec binary", holds: "npy"},
		{name: "npy", endings: []string{".npy"}, title: "numpy matrix"},
		parquetFormat(),
	}
}

// The forms of times that a request may name.
const (
	timesISO  = "iso"
	timesUnix = "unix"
)

func (r ExportRequest) times(graph storage.GraphInfo) (format.TimeForm, error) {
	switch {
	case r.Times == timesUnix:
		return format.TimeNumbers, nil
	case r.Times == timesISO && graph.Times == format.TimeNumbers:
		return format.TimeClocks, nil
	case r.Times == timesISO || r.Times == "":
		return graph.Times, nil
	}
	return 0, fault.OfOption("times", "is %s", fault.QuoteKey(r.Times)).WithExpected(timesISO, timesUnix)
}

func (r ExportRequest) form(formats []exportFormat) (exportFormat, error) {
	var names, known []string
	for _, f := range formats {
		if r.Format == f.name || r.Format == "" && slices.Contains(f.endings, format.Ending(r.Path)) {
			return f, nil
		}
		names, known = append(names, f.name), append(known, f.endings...)
	}
	if r.Format == "" {
		err := session.CheckEnding(r.Path, known)
		var e *Error
		if errors.As(err, &e) {
			e.Options = []fault.OptionRemedy{{Purpose: "to choose the form", Option: "format"}}
		}
		return formats[0], err
	}
	return exportFormat{}, fault.OfOption("format", "is %s", fault.QuoteKey(r.Format)).WithExpected(names...)
}

// refused adds to the error of a key that this format cannot hold the name of a format that can.
func (f exportFormat) refused(err error) error {
	var key *format.KeyError
	if f.holds == "" || !errors.As(err, &key) {
		return err
	}
	return fmt.Errorf("%w; format := '%s' can hold it", err, f.holds)
}

func exportOptions(formats []exportFormat) []OptionInfo {
	options := []OptionInfo{overwriteOption(), formatOption(ofEach(formats, func(f exportFormat) string { return f.name }))}
	if formats[0].name == graphFormats()[0].name {
		options = append(options, OptionInfo{
			Name: "times", Type: "text", Default: "'auto'", Choices: []string{"auto", timesISO, timesUnix},
			Doc: "form of the times of edges, as dates or as seconds since 1970; auto is the form in which they came into the graph",
		})
	}
	if slices.ContainsFunc(formats, func(f exportFormat) bool { return f.name == "csv" }) {
		options = append(options, OptionInfo{
			Name: "spreadsheet", Type: "bool", Default: "FALSE",
			Doc: "in CSV, put an apostrophe before text that a spreadsheet could take for a formula",
		})
	}
	return options
}

// formatOption is the option for the form of a file.
func formatOption(names []string) OptionInfo {
	return OptionInfo{
		Name: "format", Type: "text", Default: "'auto'", Choices: append([]string{"auto"}, names...),
		Doc: "form of the file; auto goes by the ending of its name",
	}
}

// overwriteOption is the option of every statement that writes a file.
func overwriteOption() OptionInfo {
	return OptionInfo{Name: "overwrite", Type: "bool", Default: "FALSE", Doc: "replace a file that exists"}
}

// exportTarget is a file that can be written, and the graph to write.
type exportTarget struct {
	form  exportFormat
	graph storage.GraphInfo
}

var exportGraph = &statement[*parser.ExportGraph, ExportRequest, exportTarget, ExportResult]{
	help: Help{
		Statement: "EXPORT GRAPH", Syntax: "EXPORT GRAPH graph INTO FILE 'file' [WITH (option := value, …)]",
		Summary: "writes the edges of a graph with weights and times as an edge list, CSV, CSV for Neo4j, METIS, Pajek or Parquet, or the whole graph with vertices and attributes as GraphML, GEXF, GML or node-link JSON; text is compressed if the name ends in .gz or .zst",
		Columns: "file, edges",
		Example: "EXPORT GRAPH social INTO FILE 'social.graphml.gz'",
	},
	options: func() []OptionInfo { return exportOptions(graphFormats()) },
	bind: func(b *binder, s *parser.ExportGraph) ExportRequest {
		b.Mark(fault.Graph, s.Graph)
		return b.exported(s, s.Graph.Name, s.File, s.Options, graphFormats())
	},
	resolve: func(c *call, req ExportRequest) (exportTarget, error) {
		found, err := c.exportedGraph(req, graphFormats())
		if err == nil {
			_, err = req.times(found.graph)
		}
		return found, err
	},
	plan:  planExport,
	run:   runExportGraph,
	table: exportTable[ExportRequest],
	reads: true,
}

// ExportGraph writes the edges of a graph, each once, with their weights and
// times; as GraphML, GEXF, GML and JSON also its vertices with their attributes.
func (db *DB) ExportGraph(ctx context.Context, req ExportRequest) (ExportResult, error) {
	return exportGraph.answer(ctx, db, req)
}

var exportVertices = &statement[*parser.ExportVertices, ExportRequest, exportTarget, ExportResult]{
	help: Help{
		Statement: "EXPORT VERTICES", Syntax: "EXPORT VERTICES OF graph INTO FILE 'file' [WITH (option := value, …)]",
		Summary: "writes the vertices of a graph with their attributes as CSV, compressed if the name ends in .gz or .zst, or as Parquet",
		Columns: "file, vertices",
		Example: "EXPORT VERTICES OF social INTO FILE 'people.csv'",
	},
	options: func() []OptionInfo { return exportOptions(vertexFormats()) },
	bind: func(b *binder, s *parser.ExportVertices) ExportRequest {
		b.Mark(fault.Graph, s.Graph)
		return b.exported(s, s.Graph.Name, s.File, s.Options, vertexFormats())
	},
	resolve: func(c *call, req ExportRequest) (exportTarget, error) { return c.exportedGraph(req, vertexFormats()) },
	plan:    planExport,
	run:     runExportVertices,
	table:   exportTable[ExportRequest],
	reads:   true,
}

// ExportVertices writes the vertices of a graph with their attributes as CSV or Parquet.
func (db *DB) ExportVertices(ctx context.Context, req ExportRequest) (ExportResult, error) {
	return exportVertices.answer(ctx, db, req)
}

func (b *binder) exported(statement parser.Statement, object string, file parser.Value, options []parser.Option, formats []exportFormat) ExportRequest {
	req := ExportRequest{Name: object, Path: b.Text(fault.Into, file)}
	set := b.Settings(parser.Heading(statement), exportOptions(formats), options)
	req.Overwrite, req.Spreadsheet = set.Bool("overwrite"), set.Bool("spreadsheet")
	req.Format, req.Times = unlessAuto(set.Text("format")), unlessAuto(set.Text("times"))
	return req
}

func (c *call) exportedGraph(req ExportRequest, formats []exportFormat) (found exportTarget, err error) {
	if found.form, err = c.checkExport(req, formats); err != nil {
		return found, err
	}
	found.graph, err = c.GraphInfo(req.Name, fault.Graph)
	return found, err
}

func planExport(req ExportRequest, found exportTarget) *plan.Plan {
	return writtenFile(found.form.title, req.Path, session.GraphPlan(found.graph))
}

// writtenFile is the last step of a statement that writes a file.
func writtenFile(title, path string, input *Plan) *Plan {
	return plan.Result(title, "to "+fault.Quote(path), input)
}

func exportTable[Q any](_ Q, r ExportResult) [][]Value { return [][]Value{{r.Path, r.Rows}} }

// checkExport returns the format of the file, or an error if the file cannot be written.
func (c *call) checkExport(req ExportRequest, formats []exportFormat) (exportFormat, error) {
	if err := c.CheckPath(req.Path, fault.Into); err != nil {
		return exportFormat{}, err
	}
	form, err := req.form(formats)
	if err != nil {
		return form, err
	}
	if req.Spreadsheet && form.name != "csv" {
		return form, fault.OfOption("spreadsheet", "does not apply to the format %s", form.name)
	}
	err = c.checkFile(form.name, req.Path, req.Overwrite)
	if err == nil && form.keyed() {
		err = c.CheckOutput(req.Path+keysEnding, req.Overwrite, fault.Into)
	}
	return form, err
}

// checkFile returns an Error for a file that cannot be written in a format.
func (c *call) checkFile(format, path string, overwrite bool) error {
	if format == "parquet" {
		if err := session.CheckParquet(path, fault.Into); err != nil {
			return err
		}
	}
	return c.CheckOutput(path, overwrite, fault.Into)
}

func runExportGraph(c *call, req ExportRequest, found exportTarget) (ExportResult, error) {
	view, columns, err := c.exportedColumns(found.graph, found.form.attributes)
	if err != nil {
		return ExportResult{}, err
	}
	g := c.formatGraph(view, columns)
	if g.Times, err = req.times(view.Info); err != nil {
		return ExportResult{}, err
	}
	c.noticeLeftOut(found.form, view)
	keys := func(w io.Writer) error { return format.WriteKeys(c.Ctx, w, g.Vertices, g.Key) }
	return c.export(req, found.form, view.Graph.Edges(), keys, func(w io.Writer) error {
		return c.writeGraph(w, req, found.form.name, g, view.Info)
	})
}

// export writes the file of a request, with so many rows, and before it the file of their keys,
// where the form has one.
func (c *call) export(req ExportRequest, form exportFormat, rows int64, keys, write func(io.Writer) error) (result ExportResult, err error) {
	stop := c.Watch.Start(plan.Write)
	if form.keyed() {
		result.Keys = req.Path + keysEnding
		err = c.WriteFile(result.Keys, req.Overwrite, keys)
	}
	if err == nil {
		err = c.WriteFile(req.Path, req.Overwrite, write)
	}
	if err != nil {
		return ExportResult{}, form.refused(err)
	}
	stop(rows, "")
	result.Path, result.Rows, result.Notices = req.Path, rows, c.Notices
	return result, nil
}

func (c *call) writeGraph(w io.Writer, req ExportRequest, form string, g format.Graph, info storage.GraphInfo) error {
	switch form {
	case "csv", "neo4j":
		return format.WriteCSV(c.Ctx, w, g, format.CSVOptions{Spreadsheet: req.Spreadsheet, Neo4j: form == "neo4j"})
	case "graphml":
		return format.WriteGraphML(c.Ctx, w, g)
	case "gexf":
		return format.WriteGEXF(c.Ctx, w, g)
	case "json":
		return format.WriteNodeLink(c.Ctx, w, g)
	case "gml":
		return format.WriteGML(c.Ctx, w, g)
	case "pajek":
		return format.WritePajek(c.Ctx, w, g)
	case "metis":
		return format.WriteMETIS(c.Ctx, w, g)
	case "parquet":
		return format.WriteEdgesParquet(c.Ctx, w, g, graphNotes(info))
	}
	return format.WriteEdges(c.Ctx, w, g)
}

// graphNotes are the metadata of a Parquet file that was made from a graph.
func graphNotes(g storage.GraphInfo) []format.Note {
	return []format.Note{{Key: "heavytail.graph", Text: g.Name}, {Key: "heavytail.version", Text: strconv.FormatUint(g.Version, 10)}}
}

// keyed reports whether a form has rows without keys, which a second file has.
func (f exportFormat) keyed() bool { return f.name == "npy" || f.name == "metis" }

func (c *call) noticeLeftOut(form exportFormat, view *session.Graph) {
	booleans := slices.ContainsFunc(view.Info.Attributes, func(a storage.Attribute) bool { return a.Type == storage.Boolean })
	if booleans && form.name == "gml" {
		c.Notice("booleans are written as 1 and 0, as GML has none; format := 'graphml' keeps them")
	}
	if form.attributes {
		return
	}
	numbered := form.name == "pajek" || form.name == "metis"
	if alone := withoutEdges(view.Graph); alone > 0 && !numbered {
		c.Notice("%s without edges left out; format := 'graphml' includes them", fault.Count(alone, "vertex"))
	}
	if numbered && view.Graph.Times != nil {
		c.Notice("the times of edges are left out, which %s does not have; format := 'graphml' includes them", form.title)
	}
	if form.name == "metis" {
		c.Notice("vertices are numbered from 1 on; the file that ends in %s has their keys in this order", keysEnding)
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

func runExportVertices(c *call, req ExportRequest, found exportTarget) (ExportResult, error) {
	view, columns, err := c.exportedColumns(found.graph, true)
	if err != nil {
		return ExportResult{}, err
	}
	g := c.formatGraph(view, columns)
	return c.export(req, found.form, int64(g.Vertices), nil, func(w io.Writer) error {
		if found.form.name == "parquet" {
			return format.WriteVerticesParquet(c.Ctx, w, g, graphNotes(view.Info))
		}
		return format.WriteVertices(c.Ctx, w, g, format.CSVOptions{Spreadsheet: req.Spreadsheet, Neo4j: found.form.name == "neo4j"})
	})
}

// exportedColumns returns a graph, and all its attributes where they are wanted.
func (c *call) exportedColumns(graph storage.GraphInfo, attributes bool) (*session.Graph, *session.ColumnSet, error) {
	var names []string
	if attributes {
		names = session.AttributeNames(graph)
	}
	return c.Columns(graph.Name, names, fault.Graph)
}

// formatGraph converts a graph to the type of package format.
func (c *call) formatGraph(view *session.Graph, columns *session.ColumnSet) format.Graph {
	g := view.Graph
	laid := format.Graph{
		Vertices: g.Vertices(), Key: view.AppendKey, Edges: c.edges(g),
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

// edges lists every edge of a graph once, by its smaller vertex, and reports
// progress.
func (c *call) edges(g *csr.Graph) iter.Seq[format.NumberedEdge] {
	const step = 1 << 14 // edges between two reports, about a millisecond
	return func(yield func(format.NumberedEdge) bool) {
		var done int64
		for p := range eachEdge(g) {
			if !yield(p.edge(g)) {
				return
			}
			if done++; done%step == 0 {
				c.Meter.UpdateUnit("writing", "edges", done, g.Edges())
			}
		}
	}
}

// exportedEmbedding is a file that can be written, and the embedding to write.
type exportedEmbedding struct {
	form exportFormat
	info storage.EmbeddingInfo
}

var exportEmbedding = &statement[*parser.ExportEmbedding, ExportRequest, exportedEmbedding, ExportResult]{
	help: Help{
		Statement: "EXPORT EMBEDDING", Syntax: "EXPORT EMBEDDING embedding INTO FILE 'file' [WITH (option := value, …)]",
		Summary: "writes an embedding as word2vec text or binary, as Parquet, or as a numpy matrix with the keys of its rows in 'file.keys'",
		Columns: "file, vectors",
		Example: "EXPORT EMBEDDING spec INTO FILE 'spec.npy' WITH (overwrite := TRUE)",
	},
	options: func() []OptionInfo { return exportOptions(embeddingFormats()) },
	bind: func(b *binder, s *parser.ExportEmbedding) ExportRequest {
		b.Mark(fault.Embedding, s.Embedding)
		return b.exported(s, s.Embedding.Name, s.File, s.Options, embeddingFormats())
	},
	resolve: func(c *call, req ExportRequest) (found exportedEmbedding, err error) {
		if found.form, err = c.checkExport(req, embeddingFormats()); err != nil {
			return found, err
		}
		found.info, err = c.EmbeddingInfo(req.Name, fault.Embedding)
		return found, err
	},
	plan: func(req ExportRequest, found exportedEmbedding) *plan.Plan {
		e := found.info
		return writtenFile(found.form.title, req.Path, plan.Measured("embedding "+e.Name, "embedding",
			fmt.Sprintf("%s, generation %d, %d × %d", fault.Name(e.Name), e.Generation, e.Vertices, e.Dim)))
	},
	run: func(c *call, req ExportRequest, found exportedEmbedding) (ExportResult, error) {
		s, err := c.settledSpace(req.Name)
		if err != nil {
			return ExportResult{}, err
		}
		keys := func(w io.Writer) error { return format.WriteKeys(c.Ctx, w, s.Matrix.Rows, s.Graph.AppendKey) }
		return c.export(req, found.form, int64(s.Matrix.Rows), keys, func(w io.Writer) error { return c.writeVectors(w, found.form.name, s) })
	},
	table: exportTable[ExportRequest],
	reads: true,
}

// ExportEmbedding writes the vectors of an embedding with the keys of their
// vertices. A numpy matrix cannot hold keys, so they are written to a second
// file, whose name is that of the first with ".keys" appended.
func (db *DB) ExportEmbedding(ctx context.Context, req ExportRequest) (ExportResult, error) {
	return exportEmbedding.answer(ctx, db, req)
}

func (c *call) writeVectors(w io.Writer, form string, s *session.Space) error {
	rows, dim := s.Matrix.Rows, s.Matrix.Dim
	row := func(i int) []float32 {
		const step = 1 << 8 // rows between two reports, about a millisecond
		if i%step == 0 {
			c.Meter.Update("writing", int64(i), int64(rows))
		}
		return s.Matrix.Row(i)
	}
	switch form {
	case "npy":
		return format.WriteNPY(c.Ctx, w, rows, dim, row)
	case "word2vec_binary":
		return format.WriteWord2VecBinary(c.Ctx, w, rows, dim, s.Graph.AppendKey, row)
	case "parquet":
		return format.WriteVectorsParquet(c.Ctx, w, rows, dim, s.Graph.AppendKey, row, embeddingNotes(s.Info))
	}
	return format.WriteWord2Vec(c.Ctx, w, rows, dim, s.Graph.AppendKey, row)
}

// embeddingNotes are the metadata of a Parquet file that was made from an embedding.
func embeddingNotes(e storage.EmbeddingInfo) []format.Note {
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	return []format.Note{
		{Key: "heavytail.graph", Text: e.Graph}, {Key: "heavytail.version", Text: number(e.GraphVersion)},
		{Key: "heavytail.embedding", Text: e.Name}, {Key: "heavytail.generation", Text: number(e.Generation)},
		{Key: "heavytail.method", Text: e.Method}, {Key: "heavytail.seed", Text: number(e.Seed)},
	}
}
