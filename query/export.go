package query

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// ExportRequest asks to write a graph, its vertices or an embedding to a file.
type ExportRequest struct {
	Name      string // of the graph or embedding
	Path      string // a name that ends in .gz or .zst is compressed
	Overwrite bool   // replace a file that exists, which is otherwise refused
	// Format is the form of the file. Empty means the one that the ending of
	// Path names, before .gz or .zst: of a graph "csv" for .csv, "graphml" for
	// .graphml and "edges" for any other; of vertices always "csv"; of an
	// embedding "npy" for .npy, "word2vec_binary" for .bin and "word2vec" for any
	// other.
	Format string
	// Spreadsheet makes CSV safe to open in a spreadsheet: a key or text that it
	// could take for a formula gets an apostrophe before it, which stays there if
	// the file is imported again.
	Spreadsheet bool
}

// ExportResult is the answer of ExportGraph, ExportVertices, ExportWalks and ExportEmbedding.
type ExportResult struct {
	Path    string
	Keys    string // of the matrix at Path, the file with the keys of its rows; otherwise empty
	Rows    int64  // edges, vertices, walks or vectors written
	Notices []Notice
}

// exportFormat is a form of files.
type exportFormat struct {
	name   string
	ending string // of file names that mean it; empty for the form of all others
	title  string // in a plan
}

// The forms in which graphs, vertices and embeddings are written.
var (
	graphFormats = []exportFormat{
		{"edges", "", "edge list"}, {"csv", ".csv", "CSV"}, {"graphml", ".graphml", "GraphML"},
	}
	vertexFormats    = []exportFormat{{"csv", "", "CSV"}}
	embeddingFormats = []exportFormat{
		{"word2vec", "", "word2vec text"}, {"word2vec_binary", ".bin", "word2vec binary"}, {"npy", ".npy", "numpy matrix"},
	}
)

// keysEnding follows the name of a matrix in that of its keys.
const keysEnding = ".keys"

// form returns the form of a request, which is one of those.
func (r ExportRequest) form(formats []exportFormat) (exportFormat, error) {
	plain := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(r.Path, ".gz"), ".zst"))
	var names []string
	for _, f := range formats {
		if r.Format == f.name || r.Format == "" && f.ending != "" && strings.HasSuffix(plain, f.ending) {
			return f, nil
		}
		names = append(names, f.name)
	}
	if r.Format == "" {
		return formats[0], nil
	}
	e := mistake(partOption("format"), "option format is %s", quoteKey(r.Format))
	e.Expected = names
	return exportFormat{}, e
}

// exportOptions are the options of the statements that export; a form has to be
// chosen only where there are several.
func exportOptions(formats []exportFormat) []OptionInfo {
	options := []OptionInfo{overwriteOption()}
	if len(formats) > 1 {
		choices := make([]string, len(formats))
		for i, f := range formats {
			choices[i] = f.name
		}
		options = append(options, OptionInfo{
			Name: "format", Type: "text", Default: "'auto'", Choices: append([]string{"auto"}, choices...),
			Doc: "form of the file; auto goes by the ending of its name",
		})
	}
	if slices.ContainsFunc(formats, func(f exportFormat) bool { return f.name == "csv" }) {
		options = append(options, OptionInfo{
			Name: "spreadsheet", Type: "bool", Default: "FALSE",
			Doc: "in CSV, put an apostrophe before what a spreadsheet could take for a formula",
		})
	}
	return options
}

// overwriteOption is the option of every statement that writes a file.
func overwriteOption() OptionInfo {
	return OptionInfo{Name: "overwrite", Type: "bool", Default: "FALSE", Doc: "replace a file that exists"}
}

// exportSettings puts checked options into a request.
func exportSettings(req *ExportRequest, s settings) {
	req.Overwrite, req.Spreadsheet = s.boolean("overwrite"), s.boolean("spreadsheet")
	if text := s.text("format"); text != "auto" {
		req.Format = text
	}
}

// ExportGraph writes the edges of a graph, each once, with their weights and
// times; as GraphML also its vertices with their attributes.
func (db *DB) ExportGraph(ctx context.Context, req ExportRequest) (ExportResult, error) {
	return db.export(ctx, "EXPORT GRAPH", req, (*call).exportGraph)
}

// ExportVertices writes the vertices of a graph with their attributes as CSV.
func (db *DB) ExportVertices(ctx context.Context, req ExportRequest) (ExportResult, error) {
	return db.export(ctx, "EXPORT VERTICES", req, (*call).exportVertices)
}

// ExportEmbedding writes the vectors of an embedding with the keys of their
// vertices. A numpy matrix has no place for keys: they are written beside it, into
// a file of the same name with ".keys" behind it.
func (db *DB) ExportEmbedding(ctx context.Context, req ExportRequest) (ExportResult, error) {
	return db.export(ctx, "EXPORT EMBEDDING", req, (*call).exportEmbedding)
}

func (db *DB) export(ctx context.Context, statement string, req ExportRequest, f func(*call, ExportRequest) (ExportResult, error)) (ExportResult, error) {
	c, err := db.begin(ctx, statement)
	if err != nil {
		return ExportResult{}, err
	}
	defer c.end()
	result, err := f(c, req)
	return result, c.wrap(err)
}

// checkExport refuses a file that cannot be written, and returns its form.
func (c *call) checkExport(req ExportRequest, formats []exportFormat) (exportFormat, error) {
	form, err := req.form(formats)
	if err != nil {
		return form, err
	}
	if req.Spreadsheet && form.name != "csv" {
		return form, mistake(partOption("spreadsheet"), "option spreadsheet has no meaning for the format %s", form.name)
	}
	if err := c.checkOutput(req.Path, req.Overwrite, partInto); err != nil {
		return form, err
	}
	if form.name == "npy" {
		err = c.checkOutput(req.Path+keysEnding, req.Overwrite, partInto)
	}
	return form, err
}

func (c *call) exportGraph(req ExportRequest) (ExportResult, error) {
	form, err := c.checkExport(req, graphFormats)
	if err != nil {
		return ExportResult{}, err
	}
	view, columns, err := c.exported(req.Name, form.name == "graphml")
	if err != nil {
		return ExportResult{}, err
	}
	g := c.formatGraph(view, columns)
	write := format.WriteEdges
	switch form.name {
	case "csv":
		write = func(ctx context.Context, w io.Writer, g format.Graph) error {
			return format.WriteCSV(ctx, w, g, format.CSVOptions{Spreadsheet: req.Spreadsheet})
		}
	case "graphml":
		write = format.WriteGraphML
	}
	if form.name != "graphml" {
		c.noticeAlone(view)
	}
	stop := c.watch.start(stepWrite)
	err = c.writeFile(req.Path, req.Overwrite, func(w io.Writer) error { return write(c.ctx, w, g) })
	if err != nil {
		return ExportResult{}, err
	}
	stop(view.Graph.Edges(), "")
	return ExportResult{Path: req.Path, Rows: view.Graph.Edges(), Notices: c.notices}, nil
}

// noticeAlone tells of what a list of edges leaves out.
func (c *call) noticeAlone(view *graphView) {
	alone := int64(0)
	for v := range uint32(view.Graph.Vertices()) {
		if view.Graph.Degree(v) == 0 {
			alone++
		}
	}
	if alone > 0 {
		c.notice("%s without edges left out; format := 'graphml' has them", count(alone, "vertex"))
	}
}

func (c *call) exportVertices(req ExportRequest) (ExportResult, error) {
	if _, err := c.checkExport(req, vertexFormats); err != nil {
		return ExportResult{}, err
	}
	view, columns, err := c.exported(req.Name, true)
	if err != nil {
		return ExportResult{}, err
	}
	g, n := c.formatGraph(view, columns), int64(view.Graph.Vertices())
	stop := c.watch.start(stepWrite)
	err = c.writeFile(req.Path, req.Overwrite, func(w io.Writer) error {
		return format.WriteVertices(c.ctx, w, g, format.CSVOptions{Spreadsheet: req.Spreadsheet})
	})
	if err != nil {
		return ExportResult{}, err
	}
	stop(n, "")
	return ExportResult{Path: req.Path, Rows: n, Notices: c.notices}, nil
}

// exported returns a graph, and all its attributes where they are wanted.
func (c *call) exported(graph string, attributes bool) (*graphView, *columnSet, error) {
	info, err := c.graphInfo(graph, partGraph)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	if attributes {
		for _, a := range info.Attributes {
			names = append(names, a.Name)
		}
	}
	return c.columns(graph, names, partGraph)
}

// formatGraph lays a graph out for package format.
func (c *call) formatGraph(view *graphView, columns *columnSet) format.Graph {
	g := view.Graph
	laid := format.Graph{
		Vertices: g.Vertices(), Key: view.AppendKey, Edges: c.edges(g),
		Weighted: g.Weighted(), Timed: g.Times != nil,
		Value: func(dst []byte, column int, v uint32) ([]byte, bool) {
			value := columns.at(column, v)
			return append(dst, value.String()...), !value.IsMissing()
		},
	}
	for _, column := range columns.columns {
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
		for u := range uint32(g.Vertices()) {
			for i := g.Offsets[u]; i < g.Offsets[u+1]; i++ {
				e := format.NumberedEdge{Source: u, Target: g.Targets[i], Weight: 1}
				if e.Target < u {
					continue
				}
				if g.Weighted() {
					e.Weight = g.Weights[i]
				}
				if g.Times != nil {
					e.Time, e.Timed = g.Times[i], g.Times[i] != csr.NoTime
				}
				if !yield(e) {
					return
				}
				if done++; done%step == 0 {
					c.meter.updateUnit("writing", "edges", done, g.Edges())
				}
			}
		}
	}
}

func (c *call) exportEmbedding(req ExportRequest) (ExportResult, error) {
	form, err := c.checkExport(req, embeddingFormats)
	if err != nil {
		return ExportResult{}, err
	}
	var s *space
	err = c.settled(func() (err error) {
		s, err = c.space(req.Name, partEmbedding)
		return err
	})
	if err != nil {
		return ExportResult{}, err
	}
	result := ExportResult{Path: req.Path, Rows: int64(s.matrix.Rows)}
	stop := c.watch.start(stepWrite)
	if form.name == "npy" {
		result.Keys = req.Path + keysEnding
		err = c.writeFile(result.Keys, req.Overwrite, func(w io.Writer) error {
			return format.WriteKeys(c.ctx, w, s.matrix.Rows, s.graph.AppendKey)
		})
	}
	if err == nil {
		err = c.writeFile(req.Path, req.Overwrite, func(w io.Writer) error { return c.writeVectors(w, form.name, s) })
	}
	if err != nil {
		return ExportResult{}, err
	}
	stop(result.Rows, "")
	result.Notices = c.notices
	return result, nil
}

// writeVectors writes an embedding in one of its forms, and reports progress.
func (c *call) writeVectors(w io.Writer, form string, s *space) error {
	rows, dim := s.matrix.Rows, s.matrix.Dim
	row := func(i int) []float32 {
		const step = 1 << 8 // rows between two reports, about a millisecond
		if i%step == 0 {
			c.meter.update("writing", int64(i), int64(rows))
		}
		return s.matrix.Row(i)
	}
	switch form {
	case "npy":
		return format.WriteNPY(c.ctx, w, rows, dim, row)
	case "word2vec_binary":
		return format.WriteWord2VecBinary(c.ctx, w, rows, dim, s.graph.AppendKey, row)
	}
	return format.WriteWord2Vec(c.ctx, w, rows, dim, s.graph.AppendKey, row)
}
