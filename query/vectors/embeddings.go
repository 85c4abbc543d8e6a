package vectors

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

var dropEmbedding = &engine.Statement[*parser.DropEmbedding, string, storage.EmbeddingInfo, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP EMBEDDING",
		Summary:   "removes an embedding, or with name@generation its past generation",
		Words:     "delete remove vectors",
	},
	Bind: func(b *engine.Binder, s *parser.DropEmbedding) string {
		return b.Name(fault.Embedding, s.Embedding)
	},
	Resolve: droppedEmbedding,
	Plan: func(embedding string, _ storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("drop embedding", fault.Name(embedding))
	},
	Run: func(c *engine.Call, embedding string, _ storage.EmbeddingInfo) (engine.Nothing, error) {
		return engine.Nothing{}, c.DB.Store.DropEmbedding(c.Ctx, embedding)
	},
}

// Drop removes an embedding with its generations, or one past generation of it.
func (s *Service) Drop(ctx context.Context, embedding string) error {
	return engine.ErrorOf(dropEmbedding.Answer(ctx, s.db, embedding))
}

// List lists the embeddings of the file by name.
func (s *Service) List(ctx context.Context) ([]catalogue.EmbeddingSummary, error) {
	return engine.InCall(ctx, s.db, "SHOW EMBEDDINGS", entries.ListEmbeddings)
}

// droppedEmbedding is entries.EmbeddingEntry for DROP EMBEDDING, which refuses the number of the present
// generation: dropping the embedding drops the past ones too.
func droppedEmbedding(c *engine.Call, embedding string) (storage.EmbeddingInfo, error) {
	info, err := entries.EmbeddingEntry(c, embedding)
	if err == nil && info.Name != embedding {
		err = fault.New(fault.Embedding, "%s is the present generation of embedding %s, which is dropped with its past generations", fault.Quote(embedding), fault.Name(info.Name)).
			WithRemedy("DROP EMBEDDING " + parser.Ident{Name: info.Name}.String()).WithErr(storage.ErrInvalid)
	}
	if err != nil {
		return info, err
	}
	models, err := c.DB.Store.Models(c.Ctx)
	if err := engine.NotDamage(err); err != nil {
		return info, err
	}
	for _, m := range models {
		if slices.Contains(m.Own(), embedding) {
			return info, fault.New(fault.Embedding, "embedding %s belongs to model %s and is dropped with it", fault.Quote(embedding), fault.Name(m.Name)).
				WithRemedy("DROP MODEL " + parser.Ident{Name: m.Name}.String()).WithErr(storage.ErrInUse)
		}
	}
	return info, nil
}

// EmbeddingDescription is everything that determined an embedding, and how much
// its graph has changed since.
type EmbeddingDescription struct {
	storage.EmbeddingInfo
	Behind uint64 `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	// Changed counts the vertices whose neighbours changed since; -1 if the
	// change log does not show which did.
	Changed       int     `json:"changed"`
	WorstResidual float64 `json:"worst_residual"` // the largest of Residuals; 0 if there are none
	Bytes         int64   `json:"bytes"`          // of the vectors
}

type describeEmbeddingRequest struct {
	embedding string
	all       bool // all properties, instead of one screen of them
}

var describeEmbedding = &engine.Statement[*parser.DescribeEmbedding, describeEmbeddingRequest, session.Entry, EmbeddingDescription]{
	Help: help.Statement{
		Statement: "DESCRIBE EMBEDDING",
		Summary:   "reports the method, options and results of an embedding, and changes of its graph since",
		Detail:    "It shows one screen of properties, and with ALL all of them",
		Words:     "info parameters provenance",
		Columns:   "property, value",
	},
	Bind: func(b *engine.Binder, s *parser.DescribeEmbedding) describeEmbeddingRequest {
		return describeEmbeddingRequest{b.Name(fault.Embedding, s.Embedding), s.All}
	},
	From: func(request any) (describeEmbeddingRequest, bool) {
		embedding, is := request.(string)
		return describeEmbeddingRequest{embedding, true}, is
	},
	Resolve: func(c *engine.Call, req describeEmbeddingRequest) (session.Entry, error) {
		return c.Entry(req.embedding, fault.Embedding)
	},
	Plan: func(req describeEmbeddingRequest, _ session.Entry) *plan.Plan {
		return plan.Result("description", "of embedding "+fault.Name(req.embedding)+", from the catalogue")
	},
	Run: runDescribeEmbedding,
	Table: func(req describeEmbeddingRequest, d EmbeddingDescription) [][]rows.Value {
		if req.all {
			return d.rows()
		}
		return cells.Essential(d.rows(), "embedding", "graph", "method", "option dim", "option beta", "option normalization", "option row_scale", "option weights", "option direction",
			"generation", "auto refresh", "versions behind", "vertices changed since", "vertices", "components", "iterations", "residual worst", "seconds", "created", "bytes")
	},
	Reads: true,
}

// Describe returns the provenance of an embedding.
func (s *Service) Describe(ctx context.Context, embedding string) (EmbeddingDescription, error) {
	return describeEmbedding.Answer(ctx, s.db, describeEmbeddingRequest{embedding, true})
}

func runDescribeEmbedding(c *engine.Call, req describeEmbeddingRequest, found session.Entry) (EmbeddingDescription, error) {
	info := found.Info
	if !req.all {
		c.Notice("DESCRIBE EMBEDDING %s ALL shows all properties", fault.Name(req.embedding))
	}
	d := EmbeddingDescription{EmbeddingInfo: info, Bytes: 4 * int64(info.Vertices) * int64(info.Dim)}
	if len(info.Residuals) > 0 {
		d.WorstResidual = slices.Max(info.Residuals)
	}
	if found.Graph.Version <= info.GraphVersion {
		return d, nil
	}
	changes, err := c.DB.Store.Changes(c.Ctx, info.Graph, info.GraphVersion)
	if err != nil {
		return EmbeddingDescription{}, err
	}
	d.Behind, d.Changed = changes.Versions, len(changes.Touched)
	if changes.All {
		d.Changed = -1
	}
	return d, nil
}

func (d EmbeddingDescription) rows() [][]rows.Value {
	table := [][]rows.Value{
		cells.Property("embedding", d.Name),
		cells.Property("graph", d.Graph),
		cells.Property("method", d.Method),
	}
	for _, o := range d.Options {
		table = append(table, cells.Property("option "+o.Name, o.Value))
	}
	changed := rows.Value(int64(d.Changed))
	if d.Changed < 0 {
		changed = "maybe all"
	}
	table = append(table,
		cells.Property("seed", fmt.Sprint(d.Seed)),
		cells.Property("generation", int64(d.Generation)),
		cells.Property("auto refresh", catalogue.AutoText(d.Auto)),
		cells.Property("graph version", int64(d.GraphVersion)),
		cells.Property("versions behind", int64(d.Behind)),
		cells.Property("vertices changed since", changed),
		cells.Property("vertices", int64(d.Vertices)),
		cells.Property("dim", int64(d.Dim)),
		cells.Property("components", int64(d.Components)),
		cells.Property("iterations", int64(d.Iterations)),
	)
	if n := len(d.Eigenvalues); n > 0 {
		table = append(table,
			cells.Property("eigenvalues", int64(n)),
			cells.Property("eigenvalue largest", d.Eigenvalues[0]),
			cells.Property("eigenvalue smallest", d.Eigenvalues[n-1]))
	}
	if len(d.Residuals) > 0 {
		table = append(table, cells.Property("residual worst", d.WorstResidual))
	}
	for _, s := range d.Stats {
		table = append(table, cells.Property("statistic "+s.Name, s.Value))
	}
	return append(table,
		cells.Property("seconds", d.Seconds),
		cells.Property("kernel", d.Kernel),
		cells.Property("created", cells.Timestamp(d.Created)),
		cells.Property("bytes", d.Bytes))
}

// GenerationInfo is a generation of an embedding as SHOW GENERATIONS lists it.
type GenerationInfo struct {
	storage.EmbeddingInfo
	// Refresh is the kind of refresh that made it from the previous generation;
	// empty if EMBED made it.
	Refresh catalogue.RefreshKind `json:"refresh"`
	Behind  uint64                `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
}

var showGenerations = &engine.Statement[*parser.ShowGenerations, string, storage.EmbeddingInfo, []GenerationInfo]{
	Help: help.Statement{
		Statement: "SHOW GENERATIONS",
		Summary:   "lists the stored generations of an embedding: the present and the past one",
		Detail:    "Statements that read embeddings take name@generation",
		Words:     "versions history past",
		Columns:   "embedding, generation, version, behind, vertices, made, created",
	},
	Bind: func(b *engine.Binder, s *parser.ShowGenerations) string {
		return b.Name(fault.Embedding, s.Embedding)
	},
	Resolve: entries.EmbeddingEntry,
	Plan: func(embedding string, _ storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("list", "generations of "+fault.Name(embedding))
	},
	Run:   generations,
	Table: func(_ string, list []GenerationInfo) [][]rows.Value { return lists.Map(list, GenerationInfo.row) },
	Reads: true,
}

// Generations lists the generations of an embedding that are kept, the oldest
// first. Past ones are addressed as name@generation.
func (s *Service) Generations(ctx context.Context, embedding string) ([]GenerationInfo, error) {
	return showGenerations.Answer(ctx, s.db, embedding)
}

func generations(c *engine.Call, embedding string, _ storage.EmbeddingInfo) ([]GenerationInfo, error) {
	infos, err := c.DB.Store.Generations(c.Ctx, embedding)
	if err != nil {
		return nil, engine.NameMistake(err, fault.Embedding)
	}
	list := make([]GenerationInfo, len(infos))
	for i, info := range infos {
		list[i].EmbeddingInfo, list[i].Refresh = info, catalogue.RefreshKind(engine.ValueOf(info.Stats, "refresh"))
		changes, err := c.DB.Store.Changes(c.Ctx, info.Graph, info.GraphVersion)
		if err != nil {
			return nil, err
		}
		list[i].Behind = changes.Versions
	}
	return list, nil
}

func (g GenerationInfo) row() []rows.Value {
	made := "embed"
	if g.Refresh != "" {
		made = "refresh, " + string(g.Refresh)
	}
	return []rows.Value{g.Name, int64(g.Generation), int64(g.GraphVersion), int64(g.Behind), int64(g.Vertices), made, cells.Timestamp(g.Created)}
}

// VertexVector is a vertex with its vector.
type VertexVector struct {
	Key    string    `json:"vertex"`
	Vector []float32 `json:"vector"`
}

// Vector returns a copy of the vector of a vertex; its length is the dimension of the
// embedding. An earlier generation is named embedding@generation. An unknown embedding
// or vertex, or a vertex that is newer than the embedding, gives an *Error, which has
// the nearest known name. If the embedding is up to date, one record of the file is
// read, and neither graph nor vectors are loaded; otherwise both are loaded. For many
// vectors, Vectors is faster.
func (s *Service) Vector(ctx context.Context, embedding, vertex string) ([]float32, error) {
	return engine.InCall(ctx, s.db, "VECTOR", func(c *engine.Call) ([]float32, error) { return vector(c, embedding, vertex) })
}

// vector returns a copy of a vector, from the file where the embedding is up to date with its graph.
func vector(c *engine.Call, embedding, vertex string) (values []float32, err error) {
	e, err := c.Entry(embedding, fault.Embedding)
	if err != nil {
		return nil, err
	}
	s := search.Search{Question: search.Question{Embedding: embedding}, Entry: e, InFile: e.Graph.ID == e.Info.GraphID && e.Graph.Version == e.Info.GraphVersion}
	err = s.Open(c, func(v search.View) error {
		_, row, err := v.Query(0, vertex)
		values = slices.Clone(row)
		return err
	})
	var missing *storage.NotFoundError
	if errors.As(err, &missing) && missing.Kind == "vertex" {
		return nil, c.UnknownVertex(e.Info.Graph, vertex, fault.Vertex)
	}
	return values, err
}

// Each iterates over the vectors of an embedding, in the order of the vertices of
// its graph. Vertices that are newer than the embedding are left out. Each vector is
// a copy. An error is yielded last, with an empty VertexVector; an unknown embedding
// is an *Error with the nearest name. The call begins when the iteration begins, and
// keeps the embedding and the graph in memory until the iteration ends, which does
// not see later changes. The iterator may be used several times, also concurrently.
func (s *Service) Each(ctx context.Context, embedding string) iter.Seq2[VertexVector, error] {
	return engine.Iterate(func() (*engine.Stream[VertexVector], error) {
		return engine.InCall(ctx, s.db, "VECTORS", func(c *engine.Call) (*engine.Stream[VertexVector], error) {
			s, err := search.SettledSpace(c, embedding)
			if err != nil {
				return nil, err
			}
			return engine.StreamOf(c, func(f func(VertexVector) error) error {
				const often = 1 << 10 // vertices between two checks of the context, below a millisecond
				for v := range s.Matrix.Rows {
					if v%often == 0 {
						if err := c.Ctx.Err(); err != nil {
							return err
						}
					}
					if err := f(VertexVector{s.Graph.Key(uint32(v)), slices.Clone(s.Matrix.Row(v))}); err != nil {
						return err
					}
				}
				return nil
			}), nil
		})
	})
}

// vectorRequest names a vertex and an embedding. Programs have Service.Vector.
type vectorRequest struct{ embedding, vertex string }

var showVector = &engine.Statement[*parser.ShowVector, vectorRequest, storage.EmbeddingInfo, []float32]{
	Help: help.Statement{
		Statement: "SHOW VECTOR",
		Summary:   "lists the values of the vector of a vertex, one row for each dimension",
		Words:     "coordinates values get",
		Columns:   "dimension, value",
	},
	Bind: func(b *engine.Binder, s *parser.ShowVector) vectorRequest {
		return vectorRequest{embedding: b.Name(fault.Embedding, s.Embedding), vertex: b.VertexKey(fault.Vertex, s.Vertex)}
	},
	Resolve: func(c *engine.Call, req vectorRequest) (storage.EmbeddingInfo, error) {
		return c.EmbeddingInfo(req.embedding, fault.Embedding)
	},
	Plan: func(req vectorRequest, found storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("vector", "of vertex "+fault.QuoteKey(req.vertex)+", "+fault.Count(int64(found.Dim), "value")+" of embedding "+fault.Name(req.embedding))
	},
	Run: func(c *engine.Call, req vectorRequest, _ storage.EmbeddingInfo) ([]float32, error) {
		return vector(c, req.embedding, req.vertex)
	},
	Rows: func(_ vectorRequest, vector []float32) *rows.Rows {
		table := make([][]rows.Value, len(vector))
		for i, x := range vector {
			table[i] = []rows.Value{int64(i + 1), float64(x)}
		}
		return cells.RowsOf([]string{"dimension", "value"}, table).Typed("value", cells.Always(storage.Float))
	},
	Reads: true,
}
