package graphs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/internal/textfile"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/format"
)

// ImportRequest asks to add the edges, or the vertices, of a text file to a
// graph.
type ImportRequest struct {
	// Graph is the graph to add to. It is created if it does not exist.
	Graph string
	// Path is the file, plain or compressed; "-" is
	// Options.Input. ImportReader uses it only as the name of its input.
	Path string
	// Layout is the form of the text. Empty detects it as format.LayoutAuto
	// does: by the first bytes, else by the ending of Path. An unknown ending is
	// an error, and no ending means a list of edges. The zero values of all
	// other fields read every common form.
	Layout format.Layout
	// Header, Separator, SkipBad and the limits are those of
	// format.EdgeListOptions.
	Header    format.HeaderMode
	Separator string
	SkipBad   bool
	MaxLine   int
	MaxKey    int
	MaxBytes  int64
	MaxLines  int64
	// Source, Target, Weight and Time are the columns of a list of edges, by
	// their names in the header or by their numbers from 1; with
	// format.NoColumn as Weight or Time no column is read. See
	// format.EdgeListOptions.
	Source, Target, Weight, Time string
	// TimeUnit is that of format.EdgeListOptions.
	TimeUnit string
	// Repeated decides the weight of an edge that occurs again in the file or
	// that the graph already has; empty means storage.RepeatedLast.
	Repeated storage.Repeated
	// Key is the column with the keys in a table of vertices, by name or number;
	// empty means the column named key, id, vertex or node, else the first. Columns
	// are the names of the columns to read as attributes; empty means all other
	// columns. Of GML, Key is the attribute of nodes that holds the keys. If the table has no header, Columns gives the names of all other
	// columns. Only ImportVertices uses Columns.
	Key     string
	Columns []string
	// Join is storage.ImportOptions.Join, for ImportVertices.
	Join string

	// Keys is the file with the keys of the vertices of METIS, in their order, in the form that
	// EXPORT GRAPH writes it. Empty means Path with ".keys" appended, if there is such a
	// file; with "none", and without a file, the keys are the numbers of the vertices, from
	// 1. ImportReader has no file unless Keys names one. Only Import uses Keys.
	Keys string

	// Ends is what the ends of links in node-link JSON are: ids of nodes, or their places. Empty
	// decides by the content, or refuses a file with two meanings. See format.EndsAuto.
	Ends format.Ends

	// Directed is whether the edges of a new graph have a source and a target; empty goes by what the
	// text says. A graph that exists stays what it is: see storage.DB.Import.
	Directed format.Direction

	reader io.Reader // read instead of Path, if not nil
}

func (r ImportRequest) options(size int64) format.Options {
	return format.Options{
		EdgeListOptions: format.EdgeListOptions{
			Name: session.InputName(r.Path), Size: size,
			Header: r.Header, Separator: r.Separator, SkipBad: r.SkipBad,
			Source: r.Source, Target: r.Target, Weight: r.Weight, Time: r.Time, TimeUnit: r.TimeUnit,
			MaxLine: r.MaxLine, MaxKey: r.MaxKey, MaxBytes: r.MaxBytes, MaxLines: r.MaxLines,
		},
		Layout: r.Layout, Key: r.Key, Columns: r.Columns, KeysName: r.Keys, Ends: r.Ends, Directed: r.Directed,
	}
}

// ImportResult is the answer of Import.
type ImportResult struct {
	storage.ImportStats
	Notices []rows.Notice `json:"notices,omitempty"`
}

var importEdges = &engine.Statement[*parser.Import, ImportRequest, engine.Nothing, ImportResult]{
	Help: help.Statement{
		Statement: "IMPORT",
		Summary:   "adds the edges of a file: text, CSV, GraphML, GEXF, GML, JSON, Pajek, Matrix Market, METIS, Parquet or Arrow",
		Detail:    "Text may be compressed. '-' is standard input",
		Words:     "load read open file csv tsv edge list edgelist networkx igraph gephi gexf graphml gml json pajek snap konect pandas matrix market mtx metis parquet arrow feather excel adjacency stdin timestamps weights directed ingest missing values header separator",
		Columns:   "graph, vertices, edges, duplicates, self_loops, skipped, seconds",
	},
	Schema: importSchema,
	Bind: func(b *engine.Binder, s *parser.Import) ImportRequest {
		return imported(b, s, s.Graph, s.File, importSchema(), s.Options)
	},
	Resolve: resolveImport,
	Plan:    planImport,
	Run:     runImport,
	Table: func(req ImportRequest, r ImportResult) [][]rows.Value {
		return [][]rows.Value{{req.Graph, int64(r.Vertices), r.Edges, r.Duplicates, r.SelfLoops, r.Skipped, r.Seconds}}
	},
}

// Import adds the edges of a file to a graph: all of them, or none if there
// is an error.
func (s *Service) Import(ctx context.Context, req ImportRequest) (ImportResult, error) {
	return importEdges.Answer(ctx, s.db, req)
}

// ImportReader is Import from a reader; with the layout of format.LayoutVertices
// it is ImportVertices.
func (s *Service) ImportReader(ctx context.Context, r io.Reader, req ImportRequest) (ImportResult, error) {
	req.reader = r
	if req.Layout == format.LayoutVertices {
		return importVertices.Answer(ctx, s.db, req)
	}
	return importEdges.Answer(ctx, s.db, req)
}

var importVertices = &engine.Statement[*parser.ImportVertices, ImportRequest, engine.Nothing, ImportResult]{
	Help: help.Statement{
		Statement: "IMPORT VERTICES",
		Summary:   "adds the vertices of a table, one per line, and sets their attributes from its columns",
		Words:     "node attributes properties metadata labels table csv join features load pandas dataframe",
		Columns:   "graph, vertices, inserted, updated, skipped, seconds",
	},
	Schema: importVerticesSchema,
	Bind: func(b *engine.Binder, s *parser.ImportVertices) ImportRequest {
		req := imported(b, s, s.Graph, s.File, importVerticesSchema(), s.Options)
		req.Layout = format.LayoutVertices
		return req
	},
	Resolve: resolveImport,
	Plan:    planImport,
	Run:     runImport,
	Table: func(req ImportRequest, r ImportResult) [][]rows.Value {
		return [][]rows.Value{{req.Graph, int64(r.Vertices), r.NewVertices, r.UpdatedVertices, r.Skipped, r.Seconds}}
	},
}

// ImportVertices adds the vertices of a table with their attributes to a graph,
// or sets the attributes of vertices that exist: all of them, or none if there
// is an error. A new attribute gets the narrowest type that holds all its
// values.
func (s *Service) ImportVertices(ctx context.Context, req ImportRequest) (ImportResult, error) {
	req.Layout = format.LayoutVertices
	return importVertices.Answer(ctx, s.db, req)
}

func imported(b *engine.Binder, statement parser.Statement, graph parser.Ident, file parser.Value, schema option.Schema[ImportRequest], options []parser.Option) ImportRequest {
	req := ImportRequest{Graph: b.Name(fault.Graph, graph), Path: b.Text(fault.File, file)}
	engine.Bind(b, parser.Heading(statement), schema, options, &req)
	return req
}

// resolveImport returns an error if the file cannot be read or the store cannot
// be written.
func resolveImport(c *engine.Call, req ImportRequest) (engine.Nothing, error) {
	if err := req.check(); err != nil {
		return engine.Nothing{}, err
	}
	info, err := c.DB.Store.Graph(c.Ctx, req.Graph)
	switch {
	case err == nil && !info.Directed && req.Directed == format.Directed:
		return engine.Nothing{}, fault.New(fault.Option(directedOption), "graph %s exists and is undirected", fault.Quote(req.Graph)).
			WithRemedy("import into a new graph").WithErr(errors.Join(fault.ErrInvalid, storage.ErrInvalid))
	case err != nil && !errors.Is(err, storage.ErrNotFound):
		return engine.Nothing{}, engine.NameMistake(err, fault.Graph)
	}
	if req.reader != nil {
		return engine.Nothing{}, nil
	}
	if err := c.CheckInput(req.Path, fault.File); err != nil || req.Keys == "" || req.Keys == engine.NoKeys {
		return engine.Nothing{}, err
	}
	return engine.Nothing{}, c.CheckInput(req.Keys, fault.Option(engine.KeysOption))
}

func planImport(req ImportRequest, _ engine.Nothing) *plan.Plan {
	separator, layout := cmp.Or(req.Separator, "auto"), cmp.Or(req.Layout, format.LayoutAuto)
	bad := "end the import"
	if req.SkipBad {
		bad = "are skipped"
	}
	read := fmt.Sprintf("%s, as %s; header %s, separator %s, bad lines %s",
		fault.Quote(session.InputName(req.Path)), layoutTitle(layout), req.Header, fault.Quote(separator), bad)
	return plan.Result("import", "into graph "+fault.Name(req.Graph)+", published in one transaction", plan.Measured(plan.Read, "text", read))
}

func runImport(c *engine.Call, req ImportRequest, _ engine.Nothing) (ImportResult, error) {
	if req.reader != nil {
		return importFrom(c, req.reader, 0, req)
	}
	in, size, err := c.OpenInput(req.Path, fault.File)
	if err != nil {
		return ImportResult{}, err
	}
	defer in.Close()
	return importFrom(c, in, size, req)
}

// check returns an error for options that are invalid for every file.
func (r ImportRequest) check() error {
	return textfile.FormatMistake(r.options(0).Validate())
}

func importFrom(c *engine.Call, r io.Reader, size int64, req ImportRequest) (ImportResult, error) {
	if req.Layout == format.LayoutVertices {
		var ending *format.EndingError
		if errors.As(format.CheckTable(req.Path), &ending) {
			return ImportResult{}, session.EndingMistake(fault.File, ending).
				WithRemedy("rename it, or pass its text to standard input, which '-' reads")
		}
	}
	stop := c.Watch.Start(plan.Read)
	opts := req.options(size)
	keys := ""
	opts.Keys = func() (list *format.KeyList, err error) {
		list, keys, err = numberedKeys(c, req)
		return list, err
	}
	limit := max(c.DB.Cache.Room(), 1) // what other calls load meanwhile is not counted
	stats, err := c.DB.Store.Import(c.Ctx, req.Graph, r, storage.ImportOptions{
		Format: opts, Repeated: req.Repeated, Join: req.Join,
		Source: session.InputName(req.Path), Progress: c.Meter.Update,
		MemoryLimit: limit,
	})
	var short *storage.MemoryError
	if errors.As(err, &short) {
		beside := max(c.DB.Opts.MemoryLimit-limit, 0)
		return ImportResult{}, &fault.LimitError{What: "importing " + short.What, Need: short.Need + beside, Limit: max(short.Limit, c.DB.Opts.MemoryLimit), Unit: "bytes", Field: "MemoryLimit"}
	}
	var ending *format.EndingError
	if errors.As(err, &ending) {
		return ImportResult{}, session.EndingMistake(fault.File, ending).WithOption("to say what it holds", engine.FormOption, "")
	}
	if err != nil {
		return ImportResult{}, engine.NameMistake(textfile.FormatMistake(err), fault.Graph)
	}
	stop(stats.Lines, fault.Count(stats.Bytes, "byte")+" of text")
	noticeImport(c, req, stats)
	if keys != "" && req.Keys == "" {
		c.Notice("the keys were read from file %s; keys := 'none' uses the numbers of the vertices", fault.Quote(keys))
	}
	return ImportResult{ImportStats: stats, Notices: c.Notices}, nil
}

// numberedKeys returns the keys of the vertices of a file that numbers them, and the name of the
// file that has them; nil if their numbers are the keys.
func numberedKeys(c *engine.Call, req ImportRequest) (*format.KeyList, string, error) {
	path := req.Keys
	switch {
	case path == engine.NoKeys || path == "" && (req.reader != nil || req.Path == "-"):
		return nil, "", nil
	case path == "":
		path = req.Path + engine.KeysEnding
	}
	list, err := engine.KeyList(c, path)
	if req.Keys == "" && errors.Is(err, os.ErrNotExist) {
		return nil, "", nil
	}
	return list, path, err
}

// noticeImport gives notices of the choices that the import made
// automatically, and of the options that change them.
func noticeImport(c *engine.Call, req ImportRequest, stats storage.ImportStats) {
	if auto := req.Layout == "" || req.Layout == format.LayoutAuto; auto && !stats.Layout.HasColumns() {
		c.Notice("read as %s; format := 'edges' reads it as a list of edges", layoutTitle(stats.Layout))
	}
	if stats.Directed && !stats.DirectedGraph {
		remedy := "; directed := 'true' keeps the directions in a new graph"
		if req.Directed == format.Undirected {
			remedy = ""
		}
		c.Notice("the file declares directed edges, and graph %s is undirected, so the two directions of a pair are one edge%s", fault.Name(req.Graph), remedy)
	}
	if auto := req.Directed == "" || req.Directed == format.DirectionAuto; stats.DirectedGraph && auto && stats.Version == 1 {
		c.Notice("the file declares directed edges, and graph %s is directed; directed := 'false' makes it undirected", fault.Name(req.Graph))
	}
	if stats.Skipped > 0 && stats.FirstSkipped != nil {
		c.Notice("%s skipped, the first: %v", fault.Count(stats.Skipped, "bad line"), stats.FirstSkipped)
	}
	if lines := stats.ReadStats.Edges + stats.Skipped; stats.Layout == format.LayoutEdges && !stats.CountsHeader && stats.DeclaredEdges > 0 && stats.DeclaredEdges != lines {
		c.Notice("a comment of the file declares %s, and it has %d", fault.Count(stats.DeclaredEdges, "edge"), lines)
	}
	if stats.CountsHeader {
		remedy := "header := 'none' takes it as an edge"
		if stats.NamedCounts {
			remedy = "header := TRUE takes all lines below the names as edges"
		}
		c.Notice("the first line of numbers was taken as the counts of vertices and edges, not as an edge; %s", remedy)
	}
	if stats.Weighted > 0 && req.Weight == "" {
		c.Notice("%s with a weight; weight := 'none' leaves them out", fault.Count(stats.Weighted, "edge"))
	}
	if stats.Layout == format.LayoutVertices && stats.Header == "" && req.Header == format.HeaderAuto {
		c.Notice("the first line contains only integers and was taken as a vertex; header := 'names' takes it as the names of the columns")
	}
	if stats.RepeatedValues > 0 && req.Join == "" {
		c.Notice("%s replaced by a later value of the same vertex; join := ',' joins all values into one text", fault.Count(stats.RepeatedValues, "value"))
	}
	if stats.Timed > 0 && req.Time == "" {
		c.Notice("%s with a time; time := 'none' leaves them out", fault.Count(stats.Timed, "edge"))
	}
	noteTimes(c, stats.Times, stats.Timed, stats.Dated)
	if stats.IgnoredColumns > 0 {
		hint := ""
		if stats.Layout.HasColumns() {
			hint = "; the options weight and time take columns by name or number"
		}
		names := ""
		if stats.IgnoredNames != "" {
			names = ": " + stats.IgnoredNames
		}
		c.Notice("%s ignored%s%s", fault.Count(int64(stats.IgnoredColumns), "further column"), names, hint)
	}
	for _, remark := range stats.Remarks {
		c.Notice("%v", remark)
	}
	textfile.NoteComments(c, stats.LateComments)
	if stats.Resumed {
		c.Notice("an interrupted import of the same input was continued")
	}
}

func layoutTitle(layout format.Layout) string {
	return map[format.Layout]string{
		format.LayoutAuto:         "what it looks like",
		format.LayoutEdges:        "a list of edges",
		format.LayoutAdjacency:    "an adjacency list",
		format.LayoutMatrix:       "an adjacency matrix",
		format.LayoutVertices:     "a table of vertices",
		format.LayoutMETIS:        "a METIS file",
		format.LayoutPajek:        "a network of Pajek",
		format.LayoutMatrixMarket: "Matrix Market",
		format.LayoutGraphML:      "GraphML",
		format.LayoutGEXF:         "GEXF",
		format.LayoutJSON:         "node-link JSON",
		format.LayoutGML:          "GML",
		format.LayoutParquet:      "Parquet",
		format.LayoutArrow:        "Arrow",
	}[layout]
}

// importSchema are the options of IMPORT.
func importSchema() option.Schema[ImportRequest] {
	type request = ImportRequest
	return slices.Concat(option.Schema[request]{
		option.Choice(engine.FormOption, "form of the text; auto goes by its first bytes and the ending of the file's name", importLayouts(), func(r *request) *format.Layout { return &r.Layout }),
	}, endFields(func(r *request) *string { return &r.Source }, func(r *request) *string { return &r.Target }), option.Schema[request]{
		option.Column("weight", "column of weights; by default weight, w or value in the header, 'none' takes none", func(r *request) *string { return &r.Weight }),
		option.Column("time", "column of timestamps, integers or dates; by default time, timestamp, ts or date in the header, 'none' takes none", func(r *request) *string { return &r.Time }),
		option.Choice("time_unit", "unit of times that are numbers since 1970, which makes dates of them: seconds (s), milliseconds (ms), microseconds (us) or nanoseconds (ns)",
			append([]string{format.NoColumn}, format.TimeUnits()...), func(r *request) *string { return &r.TimeUnit }),
		repeatedField("weight of an edge that occurs again or exists already: the last, first, sum, min or max, or the number of occurrences", func(r *request) *storage.Repeated { return &r.Repeated }),
		option.String(engine.KeysOption, "file with the keys of the vertices of METIS, one a line; by default the name of the graph's file with .keys appended, if there is one, and 'none' uses the numbers of the vertices from 1 on", func(r *request) *string { return &r.Keys }),
		option.String(keyOption, "attribute of nodes in GML that is the key, such as 'id' or 'label'; by default label if each node has one of its own, else id", func(r *request) *string { return &r.Key }),
		option.Choice(directedOption, "whether the edges of a new graph have a source and a target; auto goes by what the text says, and otherwise they have not", format.Directions(), func(r *request) *format.Direction { return &r.Directed }),
		option.Choice("ends", "what the ends of links in node-link JSON are: ids of nodes, or their places counted from 0; auto goes by the content", format.EndsChoices(), func(r *request) *format.Ends { return &r.Ends }),
	}, textFields())
}

// The names of options that other checks report.
const (
	keyOption      = "key"
	directedOption = "directed"
)

// importVerticesSchema are the options of IMPORT VERTICES.
func importVerticesSchema() option.Schema[ImportRequest] {
	type request = ImportRequest
	return append(option.Schema[request]{
		option.Column(keyOption, "column of the keys; by default key, id, vertex or node in the header, else the first", func(r *request) *string { return &r.Key }),
		option.Names("columns", "", "comma-separated columns to take as attributes, all by default; for a table without a header, the names of its columns", func(r *request) *[]string { return &r.Columns }),
		option.String("join", "text that joins the values of a vertex that occurs again, such as ','; by default the last value counts", func(r *request) *string { return &r.Join }),
	}, textFields()...)
}

// importLayouts are the layouts of IMPORT; tables of vertices have a statement of their own.
func importLayouts() []string {
	var names []string
	for _, l := range format.Layouts() {
		if l != format.LayoutVertices {
			names = append(names, string(l))
		}
	}
	return names
}

// textFields are the options of every statement that reads a graph from text.
func textFields() option.Schema[ImportRequest] {
	type request = ImportRequest
	return append(
		textfile.Fields("what the first line is: column names (names or TRUE), the counts n and m, or an edge (none or FALSE)", format.HeaderModes(),
			func(r *request) *format.HeaderMode { return &r.Header }, func(r *request) *string { return &r.Separator }),
		skipField(func(r *request) *bool { return &r.SkipBad }),
		option.Int("max_line", "largest length of a line in bytes; 64 times as many in an adjacency list", func(r *request) *int { return &r.MaxLine }).OrElse(1<<20).Between(1, math.MaxInt32),
		option.Int("max_key", "largest length of a vertex key in bytes", func(r *request) *int { return &r.MaxKey }).OrElse(1<<10).Between(1, math.MaxInt32),
		option.Int("max_bytes", "largest length of the text in bytes, after decompression", func(r *request) *int64 { return &r.MaxBytes }).OrElse(int64(64<<30)).Between(1, math.MaxInt64),
		option.Int("max_lines", "most lines; 0 for any number", func(r *request) *int64 { return &r.MaxLines }).Between(0, math.MaxInt64),
	)
}

// endFields are the columns of the ends of edges.
func endFields[O any](source, target func(*O) *string) option.Schema[O] {
	return option.Schema[O]{
		option.Column("source", "column of one end; by default one of a known name, else the first", source),
		option.Column("target", "column of the other end; by default one of a known name, else the second", target),
	}
}

func skipField[O any](at func(*O) *bool) option.Field[O] {
	return option.Either("on_error", "what happens at a bad line: fail ends the statement, skip counts the line and leaves it out", "fail", "skip", at)
}

func repeatedField[O any](doc string, at func(*O) *storage.Repeated) option.Field[O] {
	repeats := lists.Map(storage.Repeats(), func(r storage.Repeated) string { return string(r) })
	return option.Choice("repeated", doc, repeats, at)
}
