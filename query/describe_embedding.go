package query

import (
	"context"
	"fmt"
	"slices"

	"heavytail/storage"
)

// EmbeddingDescription tells everything that shaped an embedding, and how old
// it is.
type EmbeddingDescription struct {
	storage.EmbeddingInfo
	Behind uint64 // versions of the graph since, without those that changed attributes only
	// Changed counts the vertices whose neighbours changed since, -1 if it may
	// be all.
	Changed       int
	WorstResidual float64 // the largest of Residuals; 0 if there are none
	Bytes         int64   // of the vectors
}

// DescribeEmbedding tells the provenance of an embedding.
func (db *DB) DescribeEmbedding(ctx context.Context, embedding string) (EmbeddingDescription, error) {
	c, err := db.begin(ctx, "DESCRIBE EMBEDDING")
	if err != nil {
		return EmbeddingDescription{}, err
	}
	defer c.end()
	d, err := c.describeEmbedding(embedding)
	return d, c.wrap(err)
}

func (c *call) describeEmbedding(embedding string) (EmbeddingDescription, error) {
	info, err := c.embeddingInfo(embedding, partEmbedding)
	if err != nil {
		return EmbeddingDescription{}, err
	}
	d := EmbeddingDescription{EmbeddingInfo: info, Bytes: 4 * int64(info.Vertices) * int64(info.Dim)}
	if len(info.Residuals) > 0 {
		d.WorstResidual = slices.Max(info.Residuals)
	}
	graph, err := c.graphInfo(info.Graph, partEmbedding)
	if err != nil {
		return EmbeddingDescription{}, err
	}
	if graph.Version <= info.GraphVersion {
		return d, nil
	}
	changes, err := c.db.store.Changes(c.ctx, info.Graph, info.GraphVersion)
	if err != nil {
		return EmbeddingDescription{}, err
	}
	d.Behind, d.Changed = changes.Versions, len(changes.Touched)
	if changes.All {
		d.Changed = -1
	}
	return d, nil
}

// rows is the table of DESCRIBE EMBEDDING.
func (d EmbeddingDescription) rows() [][]Value {
	table := [][]Value{
		property("embedding", d.Name),
		property("graph", d.Graph),
		property("method", d.Method),
	}
	for _, o := range d.Options {
		table = append(table, property("option "+o.Name, o.Value))
	}
	changed := Value(int64(d.Changed))
	if d.Changed < 0 {
		changed = "maybe all"
	}
	table = append(table,
		property("seed", fmt.Sprint(d.Seed)),
		property("generation", int64(d.Generation)),
		property("auto refresh", autoText(d.Auto)),
		property("graph version", int64(d.GraphVersion)),
		property("versions behind", int64(d.Behind)),
		property("vertices changed since", changed),
		property("vertices", int64(d.Vertices)),
		property("dim", int64(d.Dim)),
		property("components", int64(d.Components)),
		property("iterations", int64(d.Iterations)),
	)
	if n := len(d.Eigenvalues); n > 0 {
		table = append(table,
			property("eigenvalues", int64(n)),
			property("eigenvalue largest", d.Eigenvalues[0]),
			property("eigenvalue smallest", d.Eigenvalues[n-1]))
	}
	if len(d.Residuals) > 0 {
		table = append(table, property("residual worst", d.WorstResidual))
	}
	for _, s := range d.Stats {
		table = append(table, property("statistic "+s.Name, s.Value))
	}
	return append(table,
		property("seconds", d.Seconds),
		property("kernel", d.Kernel),
		property("created", timestamp(d.Created)),
		property("bytes", d.Bytes))
}
