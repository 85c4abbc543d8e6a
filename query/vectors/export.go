package vectors

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/export"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
	"heavytail/storage/format"
)

func embeddingFormats() []export.Format {
	return []export.Format{
		{Name: "word2vec", Endings: []string{".txt", ".vec", ".w2v", ".emb", ".word2vec"}, Title: "word2vec text", Holds: "npy"},
		{Name: "word2vec_binary", Endings: []string{".bin"}, Title: "word2vec binary", Holds: "npy"},
		{Name: "npy", Endings: []string{".npy"}, Title: "numpy matrix"},
		export.ParquetFormat(),
	}
}

// exportedEmbedding is a file that can be written, and the embedding to write.
type exportedEmbedding struct {
	form export.Format
	info storage.EmbeddingInfo
}

var exportEmbedding = &engine.Statement[*parser.ExportEmbedding, files.ExportRequest, exportedEmbedding, files.ExportResult]{
	Help: help.Statement{
		Statement: "EXPORT EMBEDDING",
		Summary:   "writes an embedding as word2vec text or binary, as Parquet, or as a numpy matrix",
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
		keys := func(w io.Writer) error { return format.WriteKeys(c.Ctx, w, s.Matrix.Rows, s.Graph.AppendKey) }
		return export.Run(c, req, found.form, int64(s.Matrix.Rows), keys, func(w io.Writer) error { return writeVectors(c, w, found.form.Name, s) })
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

func writeVectors(c *engine.Call, w io.Writer, form string, s *session.Space) error {
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
