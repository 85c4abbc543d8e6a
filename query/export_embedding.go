package query

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/format"
)

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
