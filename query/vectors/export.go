package vectors

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"

	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/export"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/vectorfile"
)

func embeddingFormats() []export.Format {
	return append([]export.Format{
		{Name: "word2vec", Endings: []string{".txt", ".vec", ".w2v", ".emb", ".word2vec"}, Title: "word2vec text", Holds: "npy"},
		{Name: "word2vec_binary", Endings: []string{".bin"}, Title: "word2vec binary", Holds: "npy"},
		{Name: "npy", Endings: []string{".npy"}, Title: "numpy matrix"},
	}, export.ColumnarFormats()...)
}

// exportedEmbedding is a file that can be written, and the embedding to write.
type exportedEmbedding struct {
	form export.Format
	info storage.EmbeddingInfo
}

var exportEmbedding = &engine.Statement[*parser.ExportEmbedding, files.ExportRequest, exportedEmbedding, files.ExportResult]{
	Help: help.Statement{
		Statement: "EXPORT EMBEDDING",
		Summary:   "writes an embedding as word2vec text or binary, as Parquet or Arrow, or as a numpy matrix",
		Detail:    "A matrix has the keys of its rows in 'file.keys'",
		Words:     "save vectors word2vec gensim numpy npy pandas pytorch tensorboard faiss",
		Columns:   "file, vectors",
	},
	Schema: func() option.Schema[files.ExportRequest] { return export.Schema(embeddingFormats()) },
	Bind: func(b *engine.Binder, s *parser.ExportEmbedding) files.ExportRequest {
		b.Mark(fault.Embedding, s.Embedding)
		return export.Bind(b, s, s.Embedding.Name, s.File, s.Options, embeddingFormats())
	},
	Resolve: func(c *engine.Call, req files.ExportRequest) (found exportedEmbedding, err error) {
		if found.form, err = export.Check(c, req, embeddingFormats()); err != nil {
			return found, err
		}
		found.info, err = c.EmbeddingInfo(req.Name, fault.Embedding)
		return found, err
	},
	Plan: func(req files.ExportRequest, found exportedEmbedding) *plan.Plan {
		e := found.info
		return engine.WrittenFile(found.form.Title, req.Path, plan.Measured("embedding "+e.Name, "embedding",
			fmt.Sprintf("%s, generation %d, %d × %d", fault.Name(e.Name), e.Generation, e.Vertices, e.Dim)))
	},
	Run: func(c *engine.Call, req files.ExportRequest, found exportedEmbedding) (files.ExportResult, error) {
		s, err := search.SettledSpace(c, req.Name)
		if err != nil {
			return files.ExportResult{}, err
		}
		keys := func(w io.Writer) error { return vectorfile.WriteKeys(c.Ctx, w, s.Matrix.Rows, s.Graph.AppendKey) }
		return export.Run(c, req, found.form, int64(s.Matrix.Rows), keys, func(w io.Writer) error { return writeVectors(c, w, found.form, s) })
	},
	Table: export.Table[files.ExportRequest],
	Reads: true,
}

// Export writes the vectors of an embedding with the keys of their
// vertices. A numpy matrix cannot hold keys, so they are written to a second
// file, whose name is that of the first with ".keys" appended.
func (s *Service) Export(ctx context.Context, req files.ExportRequest) (files.ExportResult, error) {
	return exportEmbedding.Answer(ctx, s.db, req)
}

func writeVectors(c *engine.Call, w io.Writer, form export.Format, s *session.Space) error {
	rows, dim := s.Matrix.Rows, s.Matrix.Dim
	row := func(i int) []float32 {
		const step = 1 << 8 // rows between two reports, about a millisecond
		if i%step == 0 {
			c.Meter.Update("writing", int64(i), int64(rows))
		}
		return s.Matrix.Row(i)
	}
	switch {
	case form.Name == "npy":
		return vectorfile.WriteNPY(c.Ctx, w, rows, dim, row)
	case form.Name == "word2vec_binary":
		return vectorfile.WriteWord2VecBinary(c.Ctx, w, rows, dim, s.Graph.AppendKey, row)
	case form.Columnar != "":
		return columnar.WriteVectors(c.Ctx, w, form.Columnar, rows, dim, s.Graph.AppendKey, row, embeddingNotes(s.Info))
	}
	return vectorfile.WriteWord2Vec(c.Ctx, w, rows, dim, s.Graph.AppendKey, row)
}

// embeddingNotes are the metadata of a columnar file that was made from an embedding.
func embeddingNotes(e storage.EmbeddingInfo) []columnar.Note {
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	return []columnar.Note{
		{Key: "heavytail.graph", Text: e.Graph}, {Key: "heavytail.version", Text: number(e.GraphVersion)},
		{Key: "heavytail.embedding", Text: e.Name}, {Key: "heavytail.generation", Text: number(e.Generation)},
		{Key: "heavytail.method", Text: e.Method}, {Key: "heavytail.seed", Text: number(e.Seed)},
	}
}

// ExportWalksRequest asks to write the walks that a method learns from.
type ExportWalksRequest struct {
	Graph string
	// Using, or Method and Settings, is a method that learns from walks, such as
	// DPWalker{Beta: new(1.5)}, as in EmbedRequest.
	Using     MethodOptions
	Method    string
	Settings  map[string]any
	Path      string // a name that ends in .gz or .zst is compressed
	Overwrite bool   // replace a file that exists, which is otherwise refused
	// First is the number of the first walk, from 0. Count is the largest number of walks, nil
	// for all that follow. Files of consecutive walks, one after the other, are the file of all
	// walks.
	First int64
	Count *int64
}

// exportWalksSchema are the options of the statement, without those of the method.
func exportWalksSchema() option.Schema[ExportWalksRequest] {
	type request = ExportWalksRequest
	return append(engine.RangeFields("walk", "walks", func(r *request) *int64 { return &r.First }, func(r *request) **int64 { return &r.Count }),
		engine.OverwriteField(func(r *request) *bool { return &r.Overwrite }))
}

// walkTarget is a file that can be written, and the graph of the walks.
type walkTarget struct {
	methods.Configured
	graph storage.GraphInfo
}

var exportWalks = &engine.Statement[*parser.ExportWalks, ExportWalksRequest, walkTarget, files.ExportResult]{
	Help: help.Statement{
		Statement: "EXPORT WALKS",
		Summary:   "writes the random walks that a method learns from, for other programs",
		Detail:    "Text has one walk per line, keys separated by blanks, and is compressed if the name ends in .gz or .zst; Parquet and Arrow have a row for each walk with its number and the list of its vertices",
		Words:     "random walk corpus gensim sentences node2vec",
		Columns:   "file, walks",
	},
	Schema: exportWalksSchema,
	Bind: func(b *engine.Binder, s *parser.ExportWalks) ExportWalksRequest {
		req := ExportWalksRequest{Graph: b.Name(fault.Graph, s.Graph), Method: s.Method.Name.Name}
		req.Settings, req.Path = methods.Bind(b, s.Method), b.Text(fault.Into, s.File)
		engine.Bind(b, parser.Heading(s), exportWalksSchema(), s.Options, &req)
		return req
	},
	Resolve: func(c *engine.Call, req ExportWalksRequest) (found walkTarget, err error) {
		if found.Configured, err = walkMethod(c, req); err != nil {
			return found, err
		}
		if found.graph, err = c.GraphInfo(req.Graph, fault.Graph); err == nil {
			err = found.CheckDirection(found.graph)
		}
		return found, err
	},
	Plan: func(req ExportWalksRequest, found walkTarget) *plan.Plan {
		return engine.WrittenFile("walks", req.Path, plan.Measured(plan.Write, "method", found.Text().String(), session.GraphPlan(found.graph)))
	},
	Run:   runExportWalks,
	Table: export.Table[ExportWalksRequest],
	Reads: true,
}

// ExportWalks writes the walks on a graph for other trainers: a walk on each
// line, its keys separated by blanks, or as Parquet or Arrow a row with the columns walk, which is its
// number, and vertices, the list of its keys, in the order in which EMBED with the same
// options learns from them. A key with white space is an error in text. Walks are not
// kept in memory.
func (s *Service) ExportWalks(ctx context.Context, req ExportWalksRequest) (files.ExportResult, error) {
	return exportWalks.Answer(ctx, s.db, req)
}

func (req ExportWalksRequest) rows() engine.RowRange {
	return engine.RowRange{First: req.First, Count: req.Count}
}

// walkMethod checks a request, except for its graph, and returns its method.
func walkMethod(c *engine.Call, req ExportWalksRequest) (methods.Configured, error) {
	m, err := methods.Configure(req.Method, req.Settings, req.Using)
	if err != nil {
		return m, err
	}
	if !m.Method.Walks {
		e := fault.New(fault.Method, "method %s has no walks", m.Method.Name)
		for _, m := range run.Methods() {
			if m.Walks {
				e.Expected = append(e.Expected, m.Name)
			}
		}
		return m, e
	}
	return m, cmp.Or(c.CheckOutput(req.Path, req.Overwrite, fault.Into), session.CheckEnding(req.Path, session.WalkEndings))
}

func runExportWalks(c *engine.Call, req ExportWalksRequest, found walkTarget) (files.ExportResult, error) {
	g, directed, err := found.Load(c, req.Graph, fault.Graph)
	if err != nil {
		return files.ExportResult{}, err
	}
	found.NoteView(c, g.Info)
	bytes, err := run.WalkBytes(g.Graph, found.Method.Name, found.Options)
	if err != nil {
		return files.ExportResult{}, err
	}
	release, err := c.DB.Cache.Reserve(bytes, "the walks on graph "+fault.Name(req.Graph))
	if err != nil {
		return files.ExportResult{}, err
	}
	defer release()
	walks, err := run.Walks(c.Ctx, g.Graph, run.Request{Method: found.Method.Name, Options: found.Options, Directed: directed, Workers: c.DB.Opts.Workers})
	if err != nil {
		return files.ExportResult{}, err
	}
	first, end := req.rows().Of(int64(walks.Walks))
	count := end - first
	return export.Run(c, files.ExportRequest{Path: req.Path, Overwrite: req.Overwrite}, export.Format{}, count, nil, func(w io.Writer) error {
		walk := func(dst []uint32, i int) []uint32 {
			const step = 1 << 8 // walks between two reports, about a millisecond
			if i%step == 0 {
				c.Meter.UpdateUnit("writing", "walks", int64(i), count)
			}
			return walks.Append(dst, int(first)+i)
		}
		if form := format.ColumnarOf(req.Path); form != "" {
			notes := append(export.GraphNotes(g.Info), columnar.Note{Key: "heavytail.method", Text: found.Text().String()})
			return columnar.WriteWalks(c.Ctx, w, form, first, int(count), g.AppendKey, walk, notes)
		}
		return vectorfile.WriteWalks(c.Ctx, w, walks.Vertices, int(count), g.AppendKey, walk)
	})
}
