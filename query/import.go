package query

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/storage"
	"heavytail/storage/format"
)

// ImportRequest asks to add the edges, or the vertices, of a text file to a
// graph.
type ImportRequest struct {
	// Graph receives what is read. It is made where it does not exist.
	Graph string
	// Path is the file, plain or compressed by gzip or zstd; "-" is
	// Options.Input. ImportReader takes it only as the name of its input.
	Path string
	// Layout is the form of the text. Empty finds it out: Matrix Market and
	// GraphML by their first bytes or the ending of Path, adjacency lists by the
	// ending .adjlist or .adj, and anything else is a list of edges. The zero
	// values of all other fields read every common form.
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
	// their names in the header or by their numbers from 1; format.NoColumn as
	// Weight or Time takes none. See format.EdgeListOptions.
	Source, Target, Weight, Time string
	// Repeated says what becomes of the weight of an edge that comes again, or
	// that the graph has; empty means storage.RepeatedLast.
	Repeated storage.Repeated
	// Key is the column of a table of vertices that has their keys, by name or
	// number, and Columns are the names of those to take as attributes; empty
	// means the column that is called key, id, vertex or node, else the first,
	// and all others. Where the table has no header, Columns names all others. Only
	// ImportVertices takes them.
	Key     string
	Columns []string
	// Join is storage.ImportOptions.Join, for ImportVertices.
	Join string
}

// options lays the request out for package format.
func (r ImportRequest) options(size int64) format.Options {
	return format.Options{
		EdgeListOptions: format.EdgeListOptions{
			Name: inputName(r.Path), Size: size,
			Header: r.Header, Separator: r.Separator, SkipBad: r.SkipBad,
			Source: r.Source, Target: r.Target, Weight: r.Weight, Time: r.Time,
			MaxLine: r.MaxLine, MaxKey: r.MaxKey, MaxBytes: r.MaxBytes, MaxLines: r.MaxLines,
		},
		Layout: r.Layout, Key: r.Key, Columns: r.Columns,
	}
}

// vertices turns the request into one for a table of vertices.
func (r ImportRequest) vertices() ImportRequest {
	r.Layout = format.LayoutVertices
	return r
}

// ImportResult is the answer of Import.
type ImportResult struct {
	storage.ImportStats
	Notices []Notice
}

// Import adds the edges of a file to a graph, all of them or, after an error,
// none.
func (db *DB) Import(ctx context.Context, req ImportRequest) (ImportResult, error) {
	c, err := db.begin(ctx, "IMPORT")
	if err != nil {
		return ImportResult{}, err
	}
	defer c.end()
	result, err := c.importFile(req)
	return result, c.wrap(err)
}

// ImportVertices adds the vertices of a table with their attributes to a graph,
// or sets the attributes of those that it has; all of them or, after an error,
// none. An attribute that the graph does not have gets the narrowest type that
// holds all its values.
func (db *DB) ImportVertices(ctx context.Context, req ImportRequest) (ImportResult, error) {
	c, err := db.begin(ctx, "IMPORT VERTICES")
	if err != nil {
		return ImportResult{}, err
	}
	defer c.end()
	result, err := c.importFile(req.vertices())
	return result, c.wrap(err)
}

// ImportReader is Import from a reader; with the layout of format.LayoutVertices
// it is ImportVertices.
func (db *DB) ImportReader(ctx context.Context, r io.Reader, req ImportRequest) (ImportResult, error) {
	c, err := db.begin(ctx, "IMPORT")
	if err != nil {
		return ImportResult{}, err
	}
	defer c.end()
	if err := c.checkImportTarget(req); err != nil {
		return ImportResult{}, c.wrap(err)
	}
	result, err := c.importFrom(r, 0, req)
	return result, c.wrap(err)
}

func (c *call) importFile(req ImportRequest) (ImportResult, error) {
	if err := c.checkImport(req); err != nil {
		return ImportResult{}, err
	}
	in, size, err := c.openInput(req.Path, partFile)
	if err != nil {
		return ImportResult{}, err
	}
	defer in.Close()
	return c.importFrom(in, size, req)
}

// checkImport refuses what cannot be read or written.
func (c *call) checkImport(req ImportRequest) error {
	if err := c.checkImportTarget(req); err != nil {
		return err
	}
	return c.checkInput(req.Path, partFile)
}

func (c *call) checkImportTarget(req ImportRequest) error {
	if err := c.writable(); err != nil {
		return err
	}
	if err := req.checkColumns(); err != nil {
		return err
	}
	_, err := c.db.store.Graph(c.ctx, req.Graph)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return nameMistake(err, partGraph)
	}
	return nil
}

// checkColumns refuses columns that no file can have, and two uses of one.
func (r ImportRequest) checkColumns() error {
	single := map[string]ImportRequest{
		"source": {Source: r.Source}, "target": {Target: r.Target}, "weight": {Weight: r.Weight}, "time": {Time: r.Time},
		"key": {Key: r.Key},
	}
	for _, option := range []string{"source", "target", "weight", "time", "key"} {
		// Asked alone, only a fault of the column itself shows.
		one := single[option]
		if n, err := strconv.Atoi(one.Source + one.Target); err == nil && n > 0 {
			continue // the other end would be taken from the same column
		}
		if err := one.options(0).Validate(); err != nil {
			return columnMistake(partOption(option), err)
		}
	}
	if err := r.options(0).Validate(); err != nil {
		return columnMistake(partFile, err)
	}
	return nil
}

// columnMistake is the Error for columns that package format refuses.
func columnMistake(at part, err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	e := mistake(at, "%s", strings.TrimPrefix(first, format.ErrOptions.Error()+": "))
	e.Err = errors.Join(ErrInvalid, err)
	return e
}

func (c *call) importFrom(r io.Reader, size int64, req ImportRequest) (ImportResult, error) {
	stop := c.watch.start(stepRead)
	stats, err := c.db.store.Import(c.ctx, req.Graph, r, storage.ImportOptions{
		Format: req.options(size), Repeated: req.Repeated, Join: req.Join,
		Source: inputName(req.Path), Progress: c.meter.update,
	})
	if err != nil {
		return ImportResult{}, nameMistake(err, partGraph)
	}
	stop(stats.Lines, count(stats.Bytes, "byte")+" of text")
	c.noticeImport(req, stats)
	return ImportResult{ImportStats: stats, Notices: c.notices}, nil
}

// noticeImport tells what the import has decided by itself, and how to have it
// otherwise.
func (c *call) noticeImport(req ImportRequest, stats storage.ImportStats) {
	if auto := req.Layout == "" || req.Layout == format.LayoutAuto; auto && stats.Layout != format.LayoutEdges {
		c.notice("read as %s; format := 'edges' reads it as a list of edges", layoutTitles[stats.Layout])
	}
	if stats.Skipped > 0 && stats.FirstSkipped != nil {
		c.notice("%s skipped, the first: %v", count(stats.Skipped, "bad line"), stats.FirstSkipped)
	}
	if stats.CountsHeader {
		c.notice("the first line was taken as the counts of vertices and edges, not as an edge; header := 'none' takes it as an edge")
	}
	if stats.Weighted > 0 && req.Weight == "" {
		c.notice("%s with a weight; weight := 'none' leaves them out", count(stats.Weighted, "edge"))
	}
	if stats.Layout == format.LayoutVertices && stats.Header == "" && req.Header == format.HeaderAuto {
		c.notice("the first line has nothing but integers and was taken as a vertex; header := 'names' takes it as the names of the columns")
	}
	if stats.RepeatedValues > 0 && req.Join == "" {
		c.notice("%s followed by another one of the same vertex, of which the last counts; join := ',' keeps all of them as a text", count(stats.RepeatedValues, "value"))
	}
	if stats.Timed > 0 && req.Time == "" {
		c.notice("%s with a time; time := 'none' leaves them out", count(stats.Timed, "edge"))
	}
	if stats.IgnoredColumns > 0 {
		hint := ""
		if stats.Layout == format.LayoutEdges {
			hint = "; the options weight and time take columns by name or number"
		}
		c.notice("%s not taken%s", count(int64(stats.IgnoredColumns), "further column"), hint)
	}
	if stats.Resumed {
		c.notice("an import of the same input that was interrupted has been resumed")
	}
}

// layoutTitles name the layouts in a sentence.
var layoutTitles = map[format.Layout]string{
	format.LayoutAuto:         "what it looks like",
	format.LayoutEdges:        "a list of edges",
	format.LayoutAdjacency:    "an adjacency list",
	format.LayoutVertices:     "a table of vertices",
	format.LayoutMatrixMarket: "Matrix Market",
	format.LayoutGraphML:      "GraphML",
}

// importLayouts are the layouts of IMPORT; tables of vertices have a statement
// of their own.
func importLayouts() []string {
	var names []string
	for _, l := range format.Layouts() {
		if l != format.LayoutVertices {
			names = append(names, string(l))
		}
	}
	return names
}

// repeats are the names of what can become of repeated edges.
func repeats() []string {
	var names []string
	for _, r := range storage.Repeats() {
		names = append(names, string(r))
	}
	return names
}

// importOptions are the options of IMPORT.
func importOptions() []OptionInfo {
	return slices.Concat([]OptionInfo{
		{Name: "format", Type: "text", Default: "'auto'", Choices: importLayouts(), Doc: "form of the text; auto goes by its first bytes and the ending of the file's name"},
		sourceOption(), targetOption(),
		{Name: "weight", Type: "column", Default: "''", Doc: "column of weights; by default weight, w or value in the header, 'none' takes none"},
		{Name: "time", Type: "column", Default: "''", Doc: "column of timestamps, integers or dates; by default time, timestamp, ts or date in the header, 'none' takes none"},
		{Name: "repeated", Type: "text", Default: "'last'", Choices: repeats(), Doc: "weight of an edge that comes again or is there: the last, first, sum, min or max, or how often it comes"},
	}, textOptions())
}

func sourceOption() OptionInfo {
	return OptionInfo{Name: "source", Type: "column", Default: "''", Doc: "column of one end; by default one of a known name, else the first"}
}

func targetOption() OptionInfo {
	return OptionInfo{Name: "target", Type: "column", Default: "''", Doc: "column of the other end; by default one of a known name, else the second"}
}

func skipOption() OptionInfo {
	return OptionInfo{Name: "on_error", Type: "text", Default: "'fail'", Choices: []string{"fail", "skip"}, Doc: "whether a bad line ends the statement or is counted and left out"}
}

// edgePairsOptions are the options of DELETE EDGES FILE.
func edgePairsOptions() []OptionInfo {
	return slices.Concat([]OptionInfo{sourceOption(), targetOption()}, pairsOptions(), []OptionInfo{skipOption()})
}

// importVerticesOptions are the options of IMPORT VERTICES.
func importVerticesOptions() []OptionInfo {
	return slices.Concat([]OptionInfo{
		{Name: "key", Type: "column", Default: "''", Doc: "column of the keys; by default key, id, vertex or node in the header, else the first"},
		{Name: "columns", Type: "text", Default: "''", Doc: "attributes to take, with commas between them; by default all columns. They name the columns of a table without a header"},
		{Name: "join", Type: "text", Default: "''", Doc: "what stands between the values of a vertex that comes again, such as ','; by default the last value counts"},
	}, textOptions())
}

// textOptions are the options of every statement that reads a graph from text.
func textOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "header", Type: "text", Default: "'auto'", Choices: format.HeaderModes(), Doc: "what the first line is: column names, the counts n and m, or an edge"},
		{Name: "separator", Type: "text", Default: "'auto'", Doc: "what stands between columns: auto, whitespace, tab, comma, semicolon or bar"},
		skipOption(),
		{Name: "max_line", Type: "int", Default: "1048576", Doc: "most bytes of a line; 64 times as many in an adjacency list"},
		{Name: "max_key", Type: "int", Default: "1024", Doc: "most bytes of a vertex key"},
		{Name: "max_bytes", Type: "int", Default: "68719476736", Doc: "most bytes of text, after decompression"},
		{Name: "max_lines", Type: "int", Default: "9223372036854775807", Doc: "most lines"},
	}
}

// importSettings puts checked options into a request.
func importSettings(req *ImportRequest, s settings) error {
	if text := s.text("header"); text != "" {
		mode, err := format.ParseHeader(text)
		if err != nil {
			return err
		}
		req.Header = mode
	}
	if err := separatorSetting(&req.Separator, s); err != nil {
		return err
	}
	req.Layout, req.Repeated = format.Layout(s.text("format")), storage.Repeated(s.text("repeated"))
	req.Source, req.Target, req.Weight, req.Time = s.text("source"), s.text("target"), s.text("weight"), s.text("time")
	req.Key, req.Join = s.text("key"), s.text("join")
	for column := range strings.SplitSeq(s.text("columns"), ",") {
		if column = strings.TrimSpace(column); column != "" {
			req.Columns = append(req.Columns, column)
		}
	}
	req.SkipBad = s.text("on_error") == "skip"
	var faults [4]error
	var maxLine, maxKey int64
	maxLine, faults[0] = s.within("max_line", 1, math.MaxInt32)
	maxKey, faults[1] = s.within("max_key", 1, math.MaxInt32)
	req.MaxBytes, faults[2] = s.within("max_bytes", 1, math.MaxInt64)
	req.MaxLines, faults[3] = s.within("max_lines", 1, math.MaxInt64)
	req.MaxLine, req.MaxKey = int(maxLine), int(maxKey)
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return nil
}

// separatorSetting checks the separator of a text file.
func separatorSetting(separator *string, s settings) error {
	*separator = s.text("separator")
	if err := (format.EdgeListOptions{Separator: *separator}).Validate(); err != nil {
		e := mistake(partOption("separator"), "option separator is %s", quoteKey(*separator))
		e.Expected = []string{"auto", "whitespace", "tab", "comma", "semicolon", "bar"}
		return e
	}
	return nil
}
