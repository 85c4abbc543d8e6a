package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// DescribeGraphRequest asks what a graph looks like.
type DescribeGraphRequest struct {
	Graph string
	// Bootstrap is the number of synthetic data sets from which the p-value of
	// the power law is estimated, at most 1,000,000; 0 leaves it out. Each takes
	// as long as a fit, some milliseconds for 100,000 vertices.
	Bootstrap int
	Seed      uint64 // of the synthetic data
}

// GraphDescription tells what a graph looks like.
type GraphDescription struct {
	storage.GraphInfo
	GraphStatistics
	// PowerLaw is fitted to the degrees; nil where fewer than two different
	// degrees are positive. Its P is NaN without a bootstrap.
	PowerLaw   *evaluate.PowerLaw
	Bytes      int64              // in memory, with keys; an estimate
	File       storage.GraphStats // bytes in the file
	Embeddings []string
	Notices    []Notice
}

// GraphStatistics are the figures of a graph that take time to compute. They
// are kept with the graph, as Options.MemoryLimit allows.
type GraphStatistics struct {
	Density          float64 // share of all pairs of vertices that are edges
	Components       int
	LargestComponent int // vertices
	Isolated         int // vertices without neighbours
	Degrees          DegreeSummary
	Clustering       evaluate.Clustering
	// Assortativity is the correlation of the degrees at the ends of an edge;
	// NaN where all are the same.
	Assortativity float64
	// Packing says how many dimensions the largest hub asks for, and Hub is its
	// key; empty for a graph without edges.
	Packing evaluate.Packing
	Hub     string
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

// DescribeGraph computes what is to be known about a graph. It takes O(m^1.5)
// for the triangles, some seconds for millions of edges.
func (db *DB) DescribeGraph(ctx context.Context, req DescribeGraphRequest) (GraphDescription, error) {
	c, err := db.begin(ctx, "DESCRIBE GRAPH")
	if err != nil {
		return GraphDescription{}, err
	}
	defer c.end()
	d, err := c.describeGraph(req)
	return d, c.wrap(err)
}

func (c *call) describeGraph(req DescribeGraphRequest) (GraphDescription, error) {
	if err := checkBootstrap(req.Bootstrap); err != nil {
		return GraphDescription{}, err
	}
	view, err := c.graph(req.Graph, partGraph)
	if err != nil {
		return GraphDescription{}, err
	}
	d := GraphDescription{GraphInfo: view.Info, Bytes: graphBytes(view.Info)}
	if d.GraphStatistics, err = c.graphStatistics(view); err != nil {
		return GraphDescription{}, err
	}
	if d.PowerLaw, err = c.powerLaw(view.Graph, req); err != nil {
		return GraphDescription{}, err
	}
	if d.File, err = c.graphStats(req.Graph); err != nil {
		return GraphDescription{}, err
	}
	all, err := c.db.store.Embeddings(c.ctx)
	if err != nil {
		return GraphDescription{}, err
	}
	for _, e := range all {
		if e.Graph == req.Graph {
			d.Embeddings = append(d.Embeddings, e.Name)
		}
	}
	d.Notices = c.notices
	return d, nil
}

// maxBootstrap keeps a slip of the finger from asking for years.
const maxBootstrap = 1_000_000

func checkBootstrap(n int) error {
	if n < 0 || n > maxBootstrap {
		return mistake(partOption("bootstrap"), "option bootstrap is %d, and must be from 0 to %d", n, maxBootstrap)
	}
	return nil
}

// graphStatistics returns the statistics of a graph, which are computed once for
// each of its versions.
func (c *call) graphStatistics(view *graphView) (GraphStatistics, error) {
	stop := c.watch.start("statistics")
	const bytes = 1 << 10 // more than they take
	key := cacheKey{kind: "statistics", name: view.Info.Name, id: view.Info.ID, version: view.Info.Version}
	value, release, hit, err := c.db.cache.get(c.ctx, key, bytes, "the statistics of graph "+name(view.Info.Name), func(ctx context.Context) (any, error) {
		return c.computeStatistics(ctx, view)
	})
	if err != nil {
		return GraphStatistics{}, err
	}
	c.releases = append(c.releases, release)
	note := ""
	if hit {
		note = "cache hit"
	}
	stop(int64(view.Graph.Vertices()), note)
	return value.(GraphStatistics), nil
}

func (c *call) computeStatistics(ctx context.Context, view *graphView) (GraphStatistics, error) {
	var s GraphStatistics
	g := view.Graph
	if n := float64(g.Vertices()); n > 1 {
		s.Density = 2 * float64(g.Edges()) / (n * (n - 1))
	}
	var components *csr.Components
	if err := c.await(func() { components = g.Components() }); err != nil {
		return s, err
	}
	if s.Components = components.Count(); s.Components > 0 {
		s.LargestComponent = components.Sizes[0]
	}
	s.Degrees, s.Isolated = summarise(g)
	var err error
	if s.Assortativity, err = evaluate.Assortativity(ctx, g); err != nil {
		return s, err
	}
	// 4 bytes an edge and 32 a vertex: see evaluate.ClusteringCoefficients.
	release, err := c.db.cache.reserve(4*g.Edges()+32*int64(g.Vertices()), "counting the triangles")
	if err != nil {
		return s, err
	}
	defer release()
	s.Clustering, err = evaluate.ClusteringCoefficients(ctx, g, evaluate.ClusteringOptions{Workers: c.db.opts.Workers, Progress: c.meter.update})
	if err != nil {
		return s, err
	}
	if s.Packing, err = evaluate.PackingDimension(ctx, g); err == nil && s.Packing.Degree > 0 {
		s.Hub = view.Key(s.Packing.Vertex)
	}
	return s, err
}

// powerLaw fits a power law to the degrees; nil where there are too few.
func (c *call) powerLaw(g *csr.Graph, req DescribeGraphRequest) (*evaluate.PowerLaw, error) {
	degrees := make([]int, g.Vertices())
	for v := range degrees {
		degrees[v] = g.Degree(uint32(v))
	}
	stop := c.watch.start("power law")
	law, err := evaluate.FitPowerLaw(c.ctx, degrees, evaluate.PowerLawOptions{
		Bootstrap: req.Bootstrap, Seed: req.Seed, Workers: c.db.opts.Workers, Progress: c.meter.update,
	})
	if errors.Is(err, evaluate.ErrDegrees) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stop(int64(law.Tail), "")
	return &law, nil
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
	degrees := make([]uint32, g.Vertices())
	for v := range degrees {
		degrees[v] = uint32(g.Degree(uint32(v)))
	}
	return countDegrees(degrees)
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

// rows is the table of DESCRIBE GRAPH.
func (d GraphDescription) rows() [][]Value {
	table := [][]Value{
		property("graph", d.Name),
		property("version", int64(d.Version)),
		property("vertices", int64(d.Vertices)),
		property("edges", d.Edges),
		property("weights", d.Weighted),
		property("times", d.Timed),
		property("attributes", attributesText(d.GraphInfo.Attributes)),
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
		property("triangles", d.Clustering.Triangles),
		property("clustering average", d.Clustering.Average),
		property("clustering transitivity", d.Clustering.Transitivity),
		property("assortativity", number(d.Assortativity)),
	}
	table = append(table, powerLawRows(d.PowerLaw)...)
	table = append(table, packingRows(d.Hub, d.Packing)...)
	return append(table,
		property("embeddings", joined(d.Embeddings)),
		property("source", d.Source),
		property("created", timestamp(d.Created)),
		property("modified", timestamp(d.Modified)),
		property("deleted vertices", int64(d.Deleted)),
		property("bytes in memory", d.Bytes),
		property("bytes in the file", d.File.Bytes()),
		property("bytes of a vertex", each(d.File.Keys+d.File.IDs+d.File.Attributes, int64(d.Vertices))),
		property("bytes of an edge", each(d.File.Arcs, d.Edges)),
		property("bytes of the change log", d.File.Changes))
}

// each is what one of n things takes, or nil where there are none.
func each(bytes, n int64) Value {
	if n == 0 {
		return nil
	}
	return float64(bytes) / float64(n)
}

// powerLawRows has the fit of a power law; its p only after a bootstrap.
func powerLawRows(law *evaluate.PowerLaw) [][]Value {
	if law == nil {
		return [][]Value{property("power law alpha", nil)}
	}
	table := [][]Value{
		property("power law alpha", law.Alpha),
		property("power law from degree", int64(law.Xmin)),
		property("power law KS distance", law.KS),
		property("power law vertices", int64(law.Tail)),
	}
	if p := number(law.P); p != nil {
		table = append(table, property("power law p", p))
	}
	return table
}

// packingRows tells how many dimensions the largest hub asks for.
func packingRows(hub string, p evaluate.Packing) [][]Value {
	if p.Degree == 0 {
		return nil
	}
	return [][]Value{
		property("largest hub", hub),
		property("hub neighbours not adjacent", span(p.SetAtLeast, p.SetAtMost)),
		property("hub dimensions by the paper", span(p.PaperAtLeast, p.PaperAtMost)),
		property("hub dimensions proven", span(p.ProvenAtLeast, p.ProvenAtMost)),
	}
}

// span writes a range that is known by its bounds.
func span(least, most int) Value {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// attributesText lists attributes with their types, or is nil where there are
// none.
func attributesText(attributes []storage.Attribute) Value {
	names := make([]string, len(attributes))
	for i, a := range attributes {
		names[i] = name(a.Name) + " " + a.Type.String()
	}
	if len(names) == 0 {
		return nil
	}
	return strings.Join(names, ", ")
}

// property is a row of a DESCRIBE statement.
func property(name string, value Value) []Value { return []Value{name, value} }

// timestamp writes a time as every statement shows it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
