package vectors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"heavytail/embedding/option"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/export"
	"heavytail/query/internal/indexes"
	"heavytail/query/internal/job"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/vectorfile"
	"heavytail/storage/vec"
)

// ImportEmbeddingRequest asks to store the vectors of a file as an embedding.
type ImportEmbeddingRequest struct {
	Graph string
	Name  string // of the embedding; one of that name on the same graph is replaced
	Path  string // path of the file with the vectors
	// Format is the format of the file: "word2vec", "word2vec_binary", "npy",
	// "parquet", "arrow" or "arrow_stream". Empty chooses by the ending of Path, as in ExportRequest.
	Format string
	// Keys is the file of the keys of an npy matrix, in the form that EXPORT EMBEDDING
	// writes it. Empty means Path with ".keys" appended; with "none" the key of a row is
	// its number, counted from 0.
	Keys string
	// Key and Vector are the columns of a columnar file, by name or number. See
	// columnar.ReadVectors.
	Key, Vector string
	// ZeroMissing gives vertices that the file does not have a vector of zeros, which is
	// similar to nothing. Otherwise they are an error.
	ZeroMissing bool
	// SkipUnknown leaves out vectors of keys that the graph does not have. Otherwise they
	// are an error.
	SkipUnknown bool
}

// ImportEmbeddingResult is the answer of ImportEmbedding.
type ImportEmbeddingResult struct {
	storage.EmbeddingInfo
	Missing int           `json:"missing"` // vertices that got a vector of zeros
	Unknown int           `json:"unknown"` // vectors that were left out
	Notices []rows.Notice `json:"notices,omitempty"`
}

// importedVectors is what the names in an ImportEmbeddingRequest refer to.
type importedVectors struct {
	form       export.Format
	graph      storage.GraphInfo
	generation uint64
}

var importEmbedding = &engine.Statement[*parser.ImportEmbedding, ImportEmbeddingRequest, importedVectors, ImportEmbeddingResult]{
	Help: help.Statement{
		Statement: "IMPORT EMBEDDING",
		Summary:   "reads vectors from a file (word2vec, Parquet, Arrow or numpy) and stores them as an embedding",
		Detail:    "Word2vec files are text or binary, and a matrix of numpy has a file of keys. The method is imported, which REFRESH cannot update",
		Words:     "load vectors word2vec gensim numpy npy pytorch",
		Columns:   "embedding, dim, vertices, missing, unknown, seconds",
	},
	Schema: importEmbeddingSchema,
	Bind: func(b *engine.Binder, s *parser.ImportEmbedding) ImportEmbeddingRequest {
		req := ImportEmbeddingRequest{Graph: b.Name(fault.Graph, s.Graph), Name: b.Name(fault.Embedding, s.Embedding)}
		req.Path = b.Text(fault.File, s.File)
		engine.Bind(b, parser.Heading(s), importEmbeddingSchema(), s.Options, &req)
		return req
	},
	Resolve: resolveImportEmbedding,
	Plan: func(req ImportEmbeddingRequest, found importedVectors) *plan.Plan {
		return plan.Result("embedding", fmt.Sprintf("%s, generation %d", fault.Name(req.Name), found.generation),
			plan.Measured(plan.Read, "vectors", fault.Quote(req.Path)+", "+found.form.Title, session.GraphPlan(found.graph)))
	},
	Run: runImportEmbedding,
	Table: func(_ ImportEmbeddingRequest, r ImportEmbeddingResult) [][]rows.Value {
		return [][]rows.Value{{r.Name, int64(r.Dim), int64(r.Vertices), int64(r.Missing), int64(r.Unknown), r.Seconds}}
	},
}

// The options by which keys without a vector, and vectors without a vertex, do not end an import.
const noVectorOption, noVertexOption = "no_vector", "no_vertex"

func importEmbeddingSchema() option.Schema[ImportEmbeddingRequest] {
	type request = ImportEmbeddingRequest
	// only makes an option one of some formats.
	only := func(fits func(export.Format) bool, reason string, field option.Field[request]) option.Field[request] {
		return field.Rule(func(r request) error {
			form, err := r.form()
			if _, given := field.Value(r); given && err == nil && !fits(form) {
				return fault.Rule("does not apply to the format %s, which %s", form.Name, reason)
			}
			return nil
		})
	}
	columnar := func(f export.Format) bool { return f.Columnar != "" }
	return option.Schema[request]{
		engine.FormField(lists.Map(embeddingFormats(), func(f export.Format) string { return f.Name }), func(r *request) *string { return &r.Format }),
		only(func(f export.Format) bool { return f.Name == "npy" }, "stores the keys with the vectors", option.String(engine.KeysOption, "file with the keys of the rows of a numpy matrix, one a line; by default the name of the matrix with .keys appended, and 'none' uses the row numbers from 0 as keys", func(r *request) *string { return &r.Keys })),
		only(columnar, "has no columns", option.Column("key", "column of the keys in Parquet or Arrow; by default vertex, key, id or node, else the first that can have keys", func(r *request) *string { return &r.Key })),
		only(columnar, "has no columns", option.Column("vector", "column of the vectors in Parquet or Arrow; by default vector or embedding, else the first of lists", func(r *request) *string { return &r.Vector })),
		option.Either(noVectorOption, "whether a vertex without a vector ends the statement or gets zeros, which are similar to nothing", "fail", "zero", func(r *request) *bool { return &r.ZeroMissing }),
		option.Either(noVertexOption, "whether a vector of a key that the graph does not have ends the statement or is left out", "fail", "skip", func(r *request) *bool { return &r.SkipUnknown }),
	}
}

// form is the format of the file.
func (r ImportEmbeddingRequest) form() (export.Format, error) {
	return export.FormatOf(files.ExportRequest{Path: r.Path, Format: r.Format}, embeddingFormats())
}

// Import stores vectors that another program has made as an embedding of a graph,
// for NEAREST, SCORE, EVALUATE, indexes and all else that reads embeddings. Its method is
// MethodImported. Refresh, Verify, AutoRefresh and links.Service.TrainModel return an error for it,
// because they would have to compute it again. A duplicate key in the file is an error. It
// takes 4 bytes of memory for each value of the vectors of all vertices of the graph.
func (s *Service) Import(ctx context.Context, req ImportEmbeddingRequest) (ImportEmbeddingResult, error) {
	return importEmbedding.Answer(ctx, s.db, req)
}

func resolveImportEmbedding(c *engine.Call, req ImportEmbeddingRequest) (found importedVectors, err error) {
	found.form, err = req.form()
	if err != nil {
		var e *fault.Error
		if errors.As(err, &e) && e.At == fault.Into {
			e.At, e.Options = fault.File, []fault.OptionRemedy{{Purpose: "to say what it holds", Option: engine.FormOption}}
		}
		return found, err
	}
	if err := c.CheckInput(req.Path, fault.File); err != nil {
		return found, err
	}
	if found.form.Name == "npy" && req.Keys != engine.NoKeys {
		if err := c.CheckInput(req.keysPath(), fault.File); err != nil {
			var e *fault.Error
			if errors.As(err, &e) && req.Keys == "" {
				e.Options = []fault.OptionRemedy{{Purpose: "to name the file of keys", Option: engine.KeysOption}, {Purpose: "to take the numbers of the rows for keys", Option: engine.KeysOption, Value: "'none'"}}
			}
			return found, err
		}
	}
	if found.generation, err = entries.NextGeneration(c, req.Name, req.Graph); err != nil {
		return found, err
	}
	found.graph, err = entries.Embeddable(c, req.Graph)
	return found, err
}

// keysPath is the path of the file with the keys of a matrix.
func (r ImportEmbeddingRequest) keysPath() string {
	if r.Keys == "" {
		return r.Path + engine.KeysEnding
	}
	return r.Keys
}

func runImportEmbedding(c *engine.Call, req ImportEmbeddingRequest, found importedVectors) (result ImportEmbeddingResult, err error) {
	began := time.Now()
	if err := entries.NoteReplaced(c, req.Name); err != nil {
		return result, err
	}
	graph, err := c.Graph(req.Graph, fault.Graph)
	if err != nil {
		return result, err
	}
	r := &vectorImport{Call: c, req: req, graph: graph, release: func() {}}
	defer func() { r.release() }()
	stop := c.Watch.Start(plan.Read)
	if err := r.read(found.form); err != nil {
		return result, err
	}
	if err := r.complete(); err != nil {
		return result, err
	}
	stop(int64(r.rows), "")
	kept, err := entries.IndexesOf(c, req.Name)
	if err != nil {
		return result, err
	}
	newIndexes, err := indexes.Follow(c, req.Name, kept, nil, r.matrix)
	if err != nil {
		return result, err
	}
	info, err := c.DB.Store.ReplaceEmbedding(c.Ctx, storage.EmbeddingInfo{}, storage.EmbeddingInfo{
		Name: req.Name, Graph: req.Graph, GraphID: graph.Info.ID, GraphVersion: graph.Info.Version, Method: catalogue.MethodImported,
		Options: []storage.Setting{{Name: "file", Value: req.Path}, {Name: "format", Value: found.form.Name}},
		Kernel:  "none", Seconds: time.Since(began).Seconds(), Stateless: true,
	}, r.matrix, nil, newIndexes...)
	if err != nil {
		return result, engine.NameMistake(err, fault.Embedding)
	}
	if found.generation > 1 {
		if err := entries.NoteRetrain(c, info); err != nil {
			return result, err
		}
	}
	result = ImportEmbeddingResult{EmbeddingInfo: info, Missing: r.missing.count, Unknown: r.unknown.count, Notices: c.Notices}
	return result, nil
}

// vectorImport reads vectors into a matrix whose rows are the vertices of a graph.
type vectorImport struct {
	*engine.Call
	req     ImportEmbeddingRequest
	graph   *session.Graph
	matrix  *vec.Matrix
	release func() // releases the memory of matrix
	has     []bool // for each vertex, whether its vector has been read
	rows    int
	keys    *format.KeyList // of the rows of an npy matrix; nil if their numbers are the keys
	unknown firstKeys
	missing firstKeys
}

// firstKeys counts keys and collects the first of them for a message.
type firstKeys struct {
	count int
	first []string
}

func (k *firstKeys) add(key string) {
	const shown = 5
	if k.count++; k.count <= shown {
		k.first = append(k.first, fault.QuoteKey(key))
	}
}

// String lists the first keys.
func (k *firstKeys) String() string {
	text := strings.Join(k.first, ", ")
	if k.count > len(k.first) {
		text += ", …"
	}
	return text
}

func (r *vectorImport) read(form export.Format) error {
	if form.Name == "npy" && r.req.Keys != engine.NoKeys {
		var err error
		if r.keys, err = engine.KeyList(r.Call, r.req.keysPath()); err != nil {
			return err
		}
	}
	in, size, err := r.OpenInput(r.req.Path, fault.File)
	if err != nil {
		return err
	}
	defer in.Close()
	opts := format.VectorOptions{
		Name: session.InputName(r.req.Path), Binary: form.Name == "word2vec_binary", Key: r.req.Key, Vector: r.req.Vector,
		Size: size, Progress: r.Meter.Update,
	}
	h := format.VectorHandler{Shape: r.shape, Row: r.row}
	switch {
	case form.Name == "npy":
		h.Row = r.matrixRow
		return vectorfile.ReadNPY(r.Ctx, in, opts, h)
	case form.Columnar != "":
		return columnar.ReadVectors(r.Ctx, in, form.Columnar, opts, h)
	}
	return vectorfile.ReadWord2Vec(r.Ctx, in, opts, h)
}

// shape reserves the memory for the vectors of all vertices of the graph, however
// many vectors the file has.
func (r *vectorImport) shape(rows, dim int) error {
	if dim == 0 {
		return fault.New(fault.File, "the vectors of file %s have no values", fault.Quote(r.req.Path))
	}
	if r.keys != nil && rows != r.keys.Len() {
		return fault.New(fault.File, "file %s has %s, but file %s has %s", fault.Quote(r.req.Path), fault.Count(int64(rows), "vector"),
			fault.Quote(r.req.keysPath()), fault.Count(int64(r.keys.Len()), "key"))
	}
	n := r.graph.Graph.Vertices()
	vectors := session.VectorBytes(n, dim)
	storing := session.StoringBytes(vectors)
	reading := job.Spec{Graph: r.graph.Info, Memory: vectors + storing, Allocates: 2*vectors + storing} // once as records
	release, err := r.DB.Cache.Reserve(reading.Bytes(), "the vectors of embedding "+fault.Name(r.req.Name))
	if err != nil {
		return err
	}
	r.release = release
	r.matrix, r.has = vec.NewMatrix(n, dim), make([]bool, n)
	return nil
}

func (r *vectorImport) matrixRow(_ []byte, values []float32) error {
	if r.keys == nil {
		return r.row(strconv.AppendInt(nil, int64(r.rows), 10), values)
	}
	return r.row(r.keys.At(r.rows), values)
}

func (r *vectorImport) row(key []byte, values []float32) error {
	r.rows++
	v, known := r.graph.VertexOf(key)
	switch {
	case !known:
		r.unknown.add(string(key))
	case r.has[v]:
		return fault.New(fault.File, "file %s has two vectors of vertex %s", fault.Quote(r.req.Path), fault.QuoteKey(string(key)))
	default:
		r.has[v] = true
		copy(r.matrix.Row(int(v)), values)
	}
	return nil
}

// complete checks that file and graph have the same vertices, as far as the request
// demands it.
func (r *vectorImport) complete() error {
	if r.matrix == nil || !slices.Contains(r.has, true) {
		return fault.New(fault.File, "file %s has no vector of a vertex of graph %s", fault.Quote(r.req.Path), fault.Name(r.req.Graph))
	}
	for v, has := range r.has {
		if !has {
			r.missing.add(r.graph.Key(uint32(v)))
		}
	}
	if r.unknown.count > 0 && !r.req.SkipUnknown {
		return fault.New(fault.File, "file %s has %s without a vertex in graph %s: %s", fault.Quote(r.req.Path),
			fault.Count(int64(r.unknown.count), "vector"), fault.Name(r.req.Graph), r.unknown.String()).
			WithOption("to leave them out", noVertexOption, "'skip'")
	}
	if r.missing.count > 0 && !r.req.ZeroMissing {
		return fault.New(fault.File, "file %s has no vector for %s of graph %s: %s", fault.Quote(r.req.Path),
			fault.Count(int64(r.missing.count), "vertex"), fault.Name(r.req.Graph), r.missing.String()).
			WithOption("to give them zeros", noVectorOption, "'zero'")
	}
	return nil
}
