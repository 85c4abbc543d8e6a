package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/generate"
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

// ExportRequest asks to write a graph or an embedding to a text file.
type ExportRequest struct {
	Name      string // of the graph or embedding
	Path      string // a name that ends in .gz or .zst is compressed
	Overwrite bool   // replace a file that exists, which is otherwise refused
}

// ExportResult is the answer of ExportGraph and ExportEmbedding.
type ExportResult struct {
	Path    string
	Rows    int64 // edges or vectors written
	Notices []Notice
}

// GenerateRequest asks for a random graph.
type GenerateRequest struct {
	Graph     string // a new graph, or one without edges
	Generator string // such as "preferential_attachment"; DB.Generators lists them
	// Settings are the options of the generator by name, such as "n": 1000.
	Settings map[string]any
}

// GenerateResult is the answer of Generate.
type GenerateResult struct {
	Graph   storage.GraphInfo
	Seconds float64
	Notices []Notice
}

// CreateGraph makes an empty graph.
func (db *DB) CreateGraph(ctx context.Context, graph string) (storage.GraphInfo, error) {
	c, err := db.begin(ctx, "CREATE GRAPH")
	if err != nil {
		return storage.GraphInfo{}, err
	}
	defer c.end()
	info, err := c.createGraph(graph)
	return info, c.wrap(err)
}

func (c *call) createGraph(graph string) (storage.GraphInfo, error) {
	if err := c.checkCreate(graph); err != nil {
		return storage.GraphInfo{}, err
	}
	info, err := c.db.store.CreateGraph(c.ctx, graph)
	return info, nameMistake(err, partGraph)
}

// checkCreate refuses the name of a graph that exists.
func (c *call) checkCreate(graph string) error {
	if err := c.writable(); err != nil {
		return err
	}
	_, err := c.db.store.Graph(c.ctx, graph)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		e := mistake(partGraph, "graph %s exists", quote(graph))
		e.Err = storage.ErrExists
		return e
	}
	return nameMistake(err, partGraph)
}

// checkNewGraph refuses the name of a graph that has edges.
func (c *call) checkNewGraph(graph string, at part) error {
	if err := c.writable(); err != nil {
		return err
	}
	info, err := c.db.store.Graph(c.ctx, graph)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil
	case err != nil:
		return nameMistake(err, at)
	case info.Vertices > 0:
		e := mistake(at, "graph %s exists and has %s", quote(graph), count(int64(info.Vertices), "vertex"))
		e.Hint = "drop it first, or choose another name"
		e.Err = storage.ErrExists
		return e
	}
	return nil
}

// nameMistake gives a position to the store's refusal of a name.
func nameMistake(err error, at part) error {
	if !errors.Is(err, storage.ErrName) {
		return err
	}
	return &Error{Message: err.Error(), Err: err, part: at}
}

// DropGraph removes a graph. With cascade it removes the embeddings of the
// graph too; without, it refuses where there are some.
func (db *DB) DropGraph(ctx context.Context, graph string, cascade bool) error {
	c, err := db.begin(ctx, "DROP GRAPH")
	if err != nil {
		return err
	}
	defer c.end()
	return c.wrap(c.dropGraph(graph, cascade))
}

func (c *call) dropGraph(graph string, cascade bool) error {
	if err := c.checkDropGraph(graph, cascade); err != nil {
		return err
	}
	return c.db.store.DropGraph(c.ctx, graph, cascade)
}

// checkDropGraph refuses an unknown graph, and one that embeddings stand on.
func (c *call) checkDropGraph(graph string, cascade bool) error {
	if err := c.writable(); err != nil {
		return err
	}
	if _, err := c.graphInfo(graph, partGraph); err != nil || cascade {
		return err
	}
	all, err := c.db.store.Embeddings(c.ctx)
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Graph == graph {
			m := mistake(partGraph, "graph %s has the embedding %s", quote(graph), quote(e.Name))
			m.Hint = "say CASCADE to drop its embeddings too"
			m.Err = storage.ErrInUse
			return m
		}
	}
	return nil
}

// DropEmbedding removes an embedding.
func (db *DB) DropEmbedding(ctx context.Context, embedding string) error {
	c, err := db.begin(ctx, "DROP EMBEDDING")
	if err != nil {
		return err
	}
	defer c.end()
	return c.wrap(c.dropEmbedding(embedding))
}

func (c *call) dropEmbedding(embedding string) error {
	if err := c.writable(); err != nil {
		return err
	}
	if _, err := c.embeddingInfo(embedding, partEmbedding); err != nil {
		return err
	}
	return c.db.store.DropEmbedding(c.ctx, embedding)
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
		Format: format.EdgeListOptions{
			Name: inputName(req.Path), Size: size,
			Header: req.Header, Separator: req.Separator, SkipBad: req.SkipBad,
			MaxLine: req.MaxLine, MaxKey: req.MaxKey, MaxBytes: req.MaxBytes, MaxLines: req.MaxLines,
		},
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

// overwriteOption is the option of every statement that writes a file.
func overwriteOption() OptionInfo {
	return OptionInfo{Name: "overwrite", Type: "bool", Default: "FALSE", Doc: "replace a file that exists"}
}

// ExportGraph writes a graph as an edge list, every edge once.
func (db *DB) ExportGraph(ctx context.Context, req ExportRequest) (ExportResult, error) {
	c, err := db.begin(ctx, "EXPORT GRAPH")
	if err != nil {
		return ExportResult{}, err
	}
	defer c.end()
	result, err := c.exportGraph(req)
	return result, c.wrap(err)
}

func (c *call) exportGraph(req ExportRequest) (ExportResult, error) {
	if err := c.checkOutput(req.Path, req.Overwrite, partInto); err != nil {
		return ExportResult{}, err
	}
	g, err := c.graph(req.Name, partGraph)
	if err != nil {
		return ExportResult{}, err
	}
	stop := c.watch.start(stepWrite)
	err = c.writeFile(req.Path, req.Overwrite, func(w io.Writer) error {
		return format.WriteEdgeList(c.ctx, w, g.Graph.Vertices(), g.AppendKey, c.edges(g.Graph))
	})
	if err != nil {
		return ExportResult{}, err
	}
	stop(g.Graph.Edges(), "")
	return ExportResult{Path: req.Path, Rows: g.Graph.Edges(), Notices: c.notices}, nil
}

// edges lists every edge of a graph once, by its smaller vertex, and reports
// progress.
func (c *call) edges(g *csr.Graph) iter.Seq2[uint32, uint32] {
	const step = 1 << 14 // edges between two reports, about a millisecond
	return func(yield func(uint32, uint32) bool) {
		var done int64
		for u := range uint32(g.Vertices()) {
			for _, v := range g.Neighbors(u) {
				if v < u {
					continue
				}
				if !yield(u, v) {
					return
				}
				if done++; done%step == 0 {
					c.meter.updateUnit("writing", "edges", done, g.Edges())
				}
			}
		}
	}
}

// ExportEmbedding writes an embedding in the text format of word2vec.
func (db *DB) ExportEmbedding(ctx context.Context, req ExportRequest) (ExportResult, error) {
	c, err := db.begin(ctx, "EXPORT EMBEDDING")
	if err != nil {
		return ExportResult{}, err
	}
	defer c.end()
	result, err := c.exportEmbedding(req)
	return result, c.wrap(err)
}

func (c *call) exportEmbedding(req ExportRequest) (ExportResult, error) {
	if err := c.checkOutput(req.Path, req.Overwrite, partInto); err != nil {
		return ExportResult{}, err
	}
	s, err := c.space(req.Name, partEmbedding)
	if err != nil {
		return ExportResult{}, err
	}
	rows := s.matrix.Rows
	stop := c.watch.start(stepWrite)
	err = c.writeFile(req.Path, req.Overwrite, func(w io.Writer) error {
		return format.WriteWord2Vec(c.ctx, w, rows, s.matrix.Dim, s.graph.AppendKey, func(i int) []float32 {
			const step = 1 << 8 // rows between two reports, about a millisecond
			if i%step == 0 {
				c.meter.update("writing", int64(i), int64(rows))
			}
			return s.matrix.Row(i)
		})
	})
	if err != nil {
		return ExportResult{}, err
	}
	stop(int64(rows), "")
	return ExportResult{Path: req.Path, Rows: int64(rows), Notices: c.notices}, nil
}

// Generator describes a model of random graphs.
type Generator struct {
	Name    string
	Summary string // one line
	Options []OptionInfo
}

// Generators lists the models that Generate knows.
func (db *DB) Generators() []Generator { return generators() }

func generators() []Generator {
	return []Generator{{
		Name:    "preferential_attachment",
		Summary: "Barabási and Albert: each new vertex attaches to m others, drawn by their degree",
		Options: []OptionInfo{
			{Name: "n", Type: "int", Doc: "number of vertices"},
			{Name: "m", Type: "int", Doc: "edges that each new vertex brings"},
			{Name: "seed", Type: "int", Default: "0", Doc: "the same seed gives the same graph"},
		},
	}}
}

// Generate makes a random graph and stores it.
func (db *DB) Generate(ctx context.Context, req GenerateRequest) (GenerateResult, error) {
	c, err := db.begin(ctx, "GENERATE")
	if err != nil {
		return GenerateResult{}, err
	}
	defer c.end()
	result, err := c.generate(req, sortedSettings(req.Settings))
	return result, c.wrap(err)
}

// resolveGenerator checks the generator and its options. Its cost is the bytes
// that making the graph takes.
func resolveGenerator(generator string, given []setting) (g generate.PreferentialAttachment, bytes int64, err error) {
	var names []string
	for _, known := range generators() {
		names = append(names, known.Name)
	}
	if generator != names[0] {
		e := mistake(partMethod, "unknown generator %s", quote(generator))
		return g, 0, e.withHint(generator, names, func(s string) string { return s })
	}
	s, err := checkSettings("generator "+generator, generators()[0].Options, given)
	if err != nil {
		return g, 0, err
	}
	n, err := s.within("n", 2, math.MaxInt32)
	if err != nil {
		return g, 0, err
	}
	m, err := s.within("m", 1, n-1)
	if err != nil {
		return g, 0, err
	}
	g = generate.PreferentialAttachment{N: int(n), M: int(m), Seed: uint64(s.integer("seed"))}
	if err := g.Validate(); err != nil {
		return g, 0, &Error{Message: err.Error(), Err: err, part: partMethod}
	}
	return g, 12*n + 12*n*m, nil
}

func (c *call) generate(req GenerateRequest, given []setting) (GenerateResult, error) {
	if err := c.checkNewGraph(req.Graph, partGraph); err != nil {
		return GenerateResult{}, err
	}
	model, bytes, err := resolveGenerator(req.Generator, given)
	if err != nil {
		return GenerateResult{}, err
	}
	release, err := c.db.cache.reserve(bytes, "the generated graph")
	if err != nil {
		return GenerateResult{}, err
	}
	defer release()
	began := c.meter.now()
	stop := c.watch.start("generator")
	c.meter.update("generating", 0, 0)
	g, err := model.Generate(c.ctx)
	if err != nil {
		return GenerateResult{}, err
	}
	stop(g.Edges(), "")
	stop = c.watch.start(stepStore)
	source := fmt.Sprintf("%s(n := %d, m := %d, seed := %d)", req.Generator, model.N, model.M, int64(model.Seed))
	info, err := c.db.store.PutGraph(c.ctx, req.Graph, g, nil, source, c.meter.update)
	if err != nil {
		return GenerateResult{}, nameMistake(err, partGraph)
	}
	stop(info.Edges, "")
	return GenerateResult{Graph: info, Seconds: c.meter.now().Sub(began).Seconds(), Notices: c.notices}, nil
}
