package vectors

import (
	"context"
	"fmt"
	"slices"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

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

var describeEmbedding = &engine.Statement[*parser.DescribeEmbedding, string, session.Entry, EmbeddingDescription]{
	Help: help.Statement{
		Statement: "DESCRIBE EMBEDDING",
		Summary:   "reports the method, options and results of an embedding, and changes of its graph since",
		Words:     "info parameters provenance",
		Columns:   "property, value",
	},
	Bind: func(b *engine.Binder, s *parser.DescribeEmbedding) string {
		return b.Name(fault.Embedding, s.Embedding)
	},
	Resolve: func(c *engine.Call, embedding string) (session.Entry, error) {
		return c.Entry(embedding, fault.Embedding)
	},
	Plan: func(embedding string, _ session.Entry) *plan.Plan {
		return plan.Result("description", "of embedding "+fault.Name(embedding)+", from the catalogue")
	},
	Run:   runDescribeEmbedding,
	Table: func(_ string, d EmbeddingDescription) [][]rows.Value { return d.rows() },
	Reads: true,
}

// Describe returns the provenance of an embedding.
func (s *Service) Describe(ctx context.Context, embedding string) (EmbeddingDescription, error) {
	return describeEmbedding.Answer(ctx, s.db, embedding)
}

func runDescribeEmbedding(c *engine.Call, _ string, found session.Entry) (EmbeddingDescription, error) {
	info := found.Info
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
