package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heavytail/storage"
	"heavytail/storage/csr"
)

// GraphDescription tells what a graph looks like.
type GraphDescription struct {
	storage.GraphInfo
	Density          float64 // share of all pairs of vertices that are edges
	Components       int
	LargestComponent int // vertices
	Isolated         int // vertices without neighbours
	Degrees          DegreeSummary
	Bytes            int64 // in memory, with keys; an estimate
	Embeddings       []string
}

// DegreeSummary summarises the degrees of a graph. The quantiles are degrees
// that occur: the share of vertices at or below is at least 50, 90 or 99 %.
type DegreeSummary struct {
	Min, Median, P90, P99, Max int
	Mean                       float64
}

// DegreeCount is one point of a degree distribution.
type DegreeCount struct {
	Degree   int
	Vertices int64 // that have it; at least 1
}

// EmbeddingDescription tells everything that shaped an embedding, and how old
// it is.
type EmbeddingDescription struct {
	storage.EmbeddingInfo
	Behind uint64 // versions that the graph has moved on since
	// Changed counts the vertices whose neighbours changed since, -1 if it may
	// be all.
	Changed       int
	WorstResidual float64 // the largest of Residuals; 0 if there are none
	Bytes         int64   // of the vectors
}

// DescribeGraph counts what is to be known about a graph. It takes O(n + m).
func (db *DB) DescribeGraph(ctx context.Context, graph string) (GraphDescription, error) {
	c, err := db.begin(ctx, "DESCRIBE GRAPH")
	if err != nil {
		return GraphDescription{}, err
	}
	defer c.end()
	d, err := c.describeGraph(graph)
	return d, c.wrap(err)
}

func (c *call) describeGraph(graph string) (GraphDescription, error) {
	view, err := c.graph(graph, partGraph)
	if err != nil {
		return GraphDescription{}, err
	}
	g := view.Graph
	d := GraphDescription{GraphInfo: view.Info, Bytes: graphBytes(view.Info)}
	stop := c.watch.start("statistics")
	n := g.Vertices()
	if n > 1 {
		d.Density = 2 * float64(g.Edges()) / (float64(n) * float64(n-1))
	}
	var components *csr.Components
	if err := c.await(func() { components = g.Components() }); err != nil {
		return GraphDescription{}, err
	}
	if d.Components = components.Count(); d.Components > 0 {
		d.LargestComponent = components.Sizes[0]
	}
	d.Degrees, d.Isolated = summarise(g)
	all, err := c.db.store.Embeddings(c.ctx)
	if err != nil {
		return GraphDescription{}, err
	}
	for _, e := range all {
		if e.Graph == graph {
			d.Embeddings = append(d.Embeddings, e.Name)
		}
	}
	stop(int64(n), "")
	return d, nil
}

// Degrees returns how many vertices of a graph have each degree, by ascending
// degree. It takes O(n) beside the loading of the graph.
func (db *DB) Degrees(ctx context.Context, graph string) ([]DegreeCount, error) {
	c, err := db.begin(ctx, "DESCRIBE GRAPH")
	if err != nil {
		return nil, err
	}
	defer c.end()
	view, err := c.graph(graph, partGraph)
	if err != nil {
		return nil, c.wrap(err)
	}
	return degreeCounts(view.Graph), nil
}

// degreeCounts counts the vertices of each degree that occurs.
func degreeCounts(g *csr.Graph) []DegreeCount {
	var vertices []int64 // of each degree
	for v := range uint32(g.Vertices()) {
		d := g.Degree(v)
		if d >= len(vertices) {
			vertices = append(vertices, make([]int64, d+1-len(vertices))...)
		}
		vertices[d]++
	}
	var counts []DegreeCount
	for d, n := range vertices {
		if n > 0 {
			counts = append(counts, DegreeCount{d, n})
		}
	}
	return counts
}

// summarise reads off the quantiles of the degrees, and the number of vertices
// of degree 0.
func summarise(g *csr.Graph) (s DegreeSummary, isolated int) {
	n := int64(g.Vertices())
	if n == 0 {
		return DegreeSummary{}, 0
	}
	counts := degreeCounts(g)
	// The smallest degree with at least the share of the vertices at or below.
	quantile := func(percent int64) int {
		below := int64(0)
		for _, c := range counts {
			if below += c.Vertices; below*100 >= percent*n {
				return c.Degree
			}
		}
		return s.Max
	}
	s.Min, s.Max = counts[0].Degree, counts[len(counts)-1].Degree
	s.Median, s.P90, s.P99 = quantile(50), quantile(90), quantile(99)
	s.Mean = 2 * float64(g.Edges()) / float64(n)
	if s.Min == 0 {
		isolated = int(counts[0].Vertices)
	}
	return s, isolated
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
	d.Behind = graph.Version - info.GraphVersion
	changes, err := c.db.store.Changes(c.ctx, info.Graph, info.GraphVersion)
	if err != nil {
		return EmbeddingDescription{}, err
	}
	d.Changed = len(changes.Touched)
	if changes.All {
		d.Changed = -1
	}
	return d, nil
}

// property is a row of a DESCRIBE statement.
func property(name string, value Value) []Value { return []Value{name, value} }

// rows is the table of DESCRIBE GRAPH.
func (d GraphDescription) rows() [][]Value {
	return [][]Value{
		property("graph", d.Name),
		property("version", int64(d.Version)),
		property("vertices", int64(d.Vertices)),
		property("edges", d.Edges),
		property("density", d.Density),
		property("components", int64(d.Components)),
		property("largest component", int64(d.LargestComponent)),
		property("isolated vertices", int64(d.Isolated)),
		property("degree min", int64(d.Degrees.Min)),
		property("degree mean", d.Degrees.Mean),
		property("degree median", int64(d.Degrees.Median)),
		property("degree p90", int64(d.Degrees.P90)),
		property("degree p99", int64(d.Degrees.P99)),
		property("degree max", int64(d.Degrees.Max)),
		property("embeddings", joined(d.Embeddings)),
		property("source", d.Source),
		property("created", timestamp(d.Created)),
		property("modified", timestamp(d.Modified)),
		property("bytes in memory", d.Bytes),
	}
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

// timestamp writes a time as every statement shows it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
