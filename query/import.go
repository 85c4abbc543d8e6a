package query

import (
	"context"
	"errors"
	"io"
	"math"

	"heavytail/storage"
	"heavytail/storage/format"
)

// ImportRequest asks to add the edges of a text file to a graph.
type ImportRequest struct {
	// Graph receives the edges. It is made where it does not exist.
	Graph string
	// Path is an edge list, plain or compressed by gzip or zstd; "-" is
	// Options.Input. ImportReader takes it only as the name of its input.
	Path string
	// Header, Separator, SkipBad and the limits are those of
	// format.EdgeListOptions, whose zero values read every common form.
	Header    format.HeaderMode
	Separator string
	SkipBad   bool
	MaxLine   int
	MaxKey    int
	MaxBytes  int64
	MaxLines  int64
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

// ImportReader is Import from a reader.
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
	_, err := c.db.store.Graph(c.ctx, req.Graph)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return nameMistake(err, partGraph)
	}
	return nil
}

func (c *call) importFrom(r io.Reader, size int64, req ImportRequest) (ImportResult, error) {
	stop := c.watch.start(stepRead)
	stats, err := c.db.store.Import(c.ctx, req.Graph, r, storage.ImportOptions{
		Format: format.Options{EdgeListOptions: format.EdgeListOptions{
			Name: inputName(req.Path), Size: size,
			Header: req.Header, Separator: req.Separator, SkipBad: req.SkipBad,
			MaxLine: req.MaxLine, MaxKey: req.MaxKey, MaxBytes: req.MaxBytes, MaxLines: req.MaxLines,
		}},
		Source:   inputName(req.Path),
		Progress: c.meter.update,
	})
	if err != nil {
		return ImportResult{}, nameMistake(err, partGraph)
	}
	stop(stats.Lines, count(stats.Bytes, "byte")+" of text")
	if stats.Skipped > 0 && stats.FirstSkipped != nil {
		c.notice("%s skipped, the first: %v", count(stats.Skipped, "bad line"), stats.FirstSkipped)
	}
	if stats.CountsHeader {
		c.notice("the first line was taken as the counts of vertices and edges, not as an edge; header := 'none' takes it as an edge")
	}
	if stats.IgnoredColumns > 0 {
		c.notice("%s beyond the second ignored", count(int64(stats.IgnoredColumns), "column"))
	}
	if stats.Resumed {
		c.notice("an import of the same input that was interrupted has been resumed")
	}
	return ImportResult{ImportStats: stats, Notices: c.notices}, nil
}

// importOptions are the options of IMPORT.
func importOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "header", Type: "text", Default: "'auto'", Choices: format.HeaderModes(), Doc: "what the first line is: column names, the counts n and m, or an edge"},
		{Name: "separator", Type: "text", Default: "'auto'", Doc: "what stands between columns: auto, whitespace, tab, comma, semicolon or bar"},
		{Name: "on_error", Type: "text", Default: "'fail'", Choices: []string{"fail", "skip"}, Doc: "whether a bad line ends the import or is counted and left out"},
		{Name: "max_line", Type: "int", Default: "1048576", Doc: "most bytes of a line"},
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
