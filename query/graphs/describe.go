package graphs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/jsonnull"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/query/algorithms"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// DescribeGraphRequest asks what a graph looks like.
type DescribeGraphRequest struct {
	Graph string
	// All also computes the diameter, by at most 127 searches. Without it the statement shows one
	// screen of properties.
	All bool
	// Bootstrap is the number of synthetic data sets from which the p-value of
	// the power law is estimated, at most 1,000,000; 0 leaves it out. Each takes
	// as long as a fit, some milliseconds for 100,000 vertices.
	Bootstrap int
	Seed      uint64 // of the synthetic data
}

// GraphDescription is the answer of DescribeGraph.
type GraphDescription struct {
	storage.GraphInfo
	GraphStatistics
	// Directions has the figures of a directed graph that need the direction of its edges, nil for an
	// undirected one. Except for Density, all others are those of the undirected view.
	Directions *DirectionStatistics `json:"directions,omitempty"`
	// PowerLaw is fitted to the degrees; nil where fewer than two different
	// degrees are positive. Its P is NaN without a bootstrap.
	PowerLaw *evaluate.PowerLaw `json:"power_law"`
	Bytes    int64              `json:"bytes"` // in memory, with keys; an estimate
	File     storage.GraphStats `json:"file"`  // bytes in the file
	// Diameter has bounds of the diameter of the largest component, which are equal if it is exact: see
	// algorithms.Diameter. Both are 0 unless DescribeGraphRequest.All asks for them.
	Diameter [2]int64 `json:"diameter"`

	Embeddings []string      `json:"embeddings"`
	Notices    []rows.Notice `json:"notices,omitempty"`
}

// GraphStatistics are the figures of a graph that take time to compute. They
// are cached with the graph, within Options.MemoryLimit.
type GraphStatistics struct {
	Density          float64 `json:"density"` // fraction of all pairs of vertices that are edges; of all ordered pairs in a directed graph
	Components       int     `json:"components"`
	LargestComponent int     `json:"largest_component"` // vertices
	Isolated         int     `json:"isolated"`          // vertices without neighbours
	// Bipartite reports whether all edges join two sides, and Sides has the numbers of their
	// vertices: see [link.TwoSides]. It is false for a graph without edges.
	Bipartite  bool                  `json:"bipartite"`
	Sides      [2]int                `json:"sides"`
	Degrees    DegreeSummary         `json:"degrees"`
	Clustering algorithms.Clustering `json:"clustering"`
	// Assortativity is the correlation of the degrees at the ends of an edge;
	// NaN if all degrees are the same.
	Assortativity float64 `json:"assortativity"`
	// Packing is the number of dimensions that the largest hub suggests, and Hub the
	// key of that hub; empty for a graph without edges.
	Packing evaluate.Packing `json:"packing"`
	Hub     string           `json:"hub"`
}

// DegreeSummary summarises the degrees of a graph. Each quantile is the
// smallest degree that occurs such that at least 50, 90 or 99 % of the
// vertices have this degree or a lower one.
type DegreeSummary struct {
	Min    int     `json:"min"`
	Median int     `json:"median"`
	P90    int     `json:"p90"`
	P99    int     `json:"p99"`
	Max    int     `json:"max"`
	Mean   float64 `json:"mean"`
}

var describeGraph = &engine.Statement[*parser.DescribeGraph, DescribeGraphRequest, storage.GraphInfo, GraphDescription]{
	Help: help.Statement{
		Statement: "DESCRIBE GRAPH",
		Summary:   "reports size, components, degrees, clustering, the power law, the least dimension of the largest hub, and of a directed graph reciprocity and strong components",
		Detail:    "It shows one screen of properties, and with ALL all of them: also the diameter of the largest component, exact or as the bounds that searches from 127 vertices leave (COMPUTE eccentricity is exact), and what takes the space of the file",
		Words:     "diameter summary info statistics density power law exponent degree distribution scale free hubs clustering assortativity connected size overview describe",
		Columns:   "property, value",
	},
	Schema: describeSchema,
	Bind: func(b *engine.Binder, s *parser.DescribeGraph) DescribeGraphRequest {
		req := DescribeGraphRequest{Graph: b.Name(fault.Graph, s.Graph), All: s.All}
		engine.Bind(b, parser.Heading(s), describeSchema(), s.Options, &req)
		return req
	},
	Resolve: func(c *engine.Call, req DescribeGraphRequest) (storage.GraphInfo, error) {
		return c.GraphInfo(req.Graph, fault.Graph)
	},
	Plan: func(req DescribeGraphRequest, info storage.GraphInfo) *plan.Plan {
		fit := "discrete, by maximum likelihood"
		if req.Bootstrap > 0 {
			fit += fmt.Sprintf("; p from %s", fault.Count(int64(req.Bootstrap), "synthetic data set"))
		}
		inputs := []*plan.Plan{
			plan.Measured("statistics", "statistics", "degrees, components, triangles, assortativity, packing; kept with the graph", session.GraphPlan(info)),
			plan.Measured("power law", "power law", fit),
		}
		if req.All {
			inputs = append(inputs, plan.Measured("diameter", "diameter", "of the largest component, from at most 127 vertices"))
		}
		return plan.Result("description", "of graph "+fault.Name(info.Name), inputs...)
	},
	Run:   runDescribeGraph,
	Table: func(req DescribeGraphRequest, d GraphDescription) [][]rows.Value { return d.rows(req.All) },
	Reads: true,
}

func describeSchema() option.Schema[DescribeGraphRequest] {
	return option.Schema[DescribeGraphRequest]{
		option.Int("bootstrap", "synthetic data sets for the p-value of the power law; 2500 give an accuracy of 0.01, 0 leaves it out",
			func(r *DescribeGraphRequest) *int { return &r.Bootstrap }).Between(0, maxBootstrap),
		option.Seed("the same seed gives the same p-value", func(r *DescribeGraphRequest) *uint64 { return &r.Seed }),
	}
}

// Describe computes the size, the statistics and the power law of a
// graph. It takes O(m^1.5) for the triangles, some seconds for millions of
// edges.
func (s *Service) Describe(ctx context.Context, req DescribeGraphRequest) (GraphDescription, error) {
	return describeGraph.Answer(ctx, s.db, req)
}

func runDescribeGraph(c *engine.Call, req DescribeGraphRequest, graph storage.GraphInfo) (GraphDescription, error) {
	list, err := edgesOf(c, graph)
	if err != nil {
		return GraphDescription{}, err
	}
	view, err := c.Graph(req.Graph, fault.Graph)
	if err != nil {
		return GraphDescription{}, err
	}
	d := GraphDescription{GraphInfo: view.Info.Clone(), Bytes: session.GraphBytes(view.Info)}
	if list.directed != nil {
		d.Bytes += session.DirectedBytes(view.Info)
		if d.Directions, err = directionStatistics(c, list.directed, req); err != nil {
			return GraphDescription{}, err
		}
	}
	if d.GraphStatistics, err = graphStatistics(c, view); err != nil {
		return GraphDescription{}, err
	}
	if d.PowerLaw, err = powerLaw(c, view.Graph, req); err != nil {
		return GraphDescription{}, err
	}
	if req.All {
		if d.Diameter, err = diameterOf(c, view.Graph); err != nil {
			return GraphDescription{}, err
		}
	} else {
		c.Notice("DESCRIBE GRAPH %s ALL shows all properties, and the diameter", fault.Name(req.Graph))
	}
	if d.File, err = entries.GraphStats(c, req.Graph); err != nil {
		return GraphDescription{}, err
	}
	all, err := c.DB.Store.Embeddings(c.Ctx)
	if err != nil {
		return GraphDescription{}, err
	}
	for _, e := range all {
		if e.Graph == req.Graph {
			d.Embeddings = append(d.Embeddings, e.Name)
		}
	}
	d.Notices = c.Notices
	return d, nil
}

func diameterOf(c *engine.Call, g *csr.Graph) (bounds [2]int64, err error) {
	stop := c.Watch.Start("diameter")
	release, err := c.DB.Cache.Reserve(algorithms.DiameterBytes*int64(g.Vertices()), "the diameter")
	if err != nil {
		return bounds, err
	}
	defer release()
	bounds[0], bounds[1], err = algorithms.Diameter(c.Ctx, g)
	stop(int64(g.Vertices()), "")
	return bounds, err
}

// maxBootstrap prevents a typing error from starting a computation of years.
const maxBootstrap = 1_000_000

// graphStatistics returns the statistics of a graph, which are computed once for
// each version.
func graphStatistics(c *engine.Call, view *session.Graph) (GraphStatistics, error) {
	stop := c.Watch.Start("statistics")
	const bytes = 1 << 10 // an upper bound of their size
	key := session.CacheKey{Kind: "statistics", Name: view.Info.Name, ID: view.Info.ID, Version: view.Info.Version, Made: view.Info.Modified.UnixNano()}
	value, hit, err := c.Pin(key, bytes, "the statistics of graph "+fault.Name(view.Info.Name), func(ctx context.Context) (any, error) {
		return computeStatistics(c, ctx, view)
	})
	if err != nil {
		return GraphStatistics{}, err
	}
	note := ""
	if hit {
		note = "cache hit"
	}
	stop(int64(view.Graph.Vertices()), note)
	return value.(GraphStatistics), nil
}

func computeStatistics(c *engine.Call, ctx context.Context, view *session.Graph) (GraphStatistics, error) {
	var s GraphStatistics
	g := view.Graph
	if n := float64(g.Vertices()); n > 1 {
		if s.Density = 2 * float64(g.Edges()) / (n * (n - 1)); view.Info.Directed {
			s.Density = float64(view.Info.Arcs) / (n * (n - 1))
		}
	}
	var components *csr.Components
	if err := c.Await(func() { components = g.Components() }); err != nil {
		return s, err
	}
	if s.Components = components.Count(); s.Components > 0 {
		s.LargestComponent = components.Sizes[0]
	}
	s.Degrees, s.Isolated = summarise(g, 2*g.Edges())
	if sides, _, _, ok := link.TwoSides(g); ok && g.Edges() > 0 {
		s.Bipartite = true
		s.Sides[0], s.Sides[1] = sides.Count()
	}
	var err error
	if s.Assortativity, err = evaluate.Assortativity(ctx, g); err != nil {
		return s, err
	}
	// 4 bytes an edge and 32 a vertex: see algorithms.Triangles.
	release, err := c.DB.Cache.Reserve(4*g.Edges()+32*int64(g.Vertices()), "counting the triangles")
	if err != nil {
		return s, err
	}
	defer release()
	s.Clustering, err = algorithms.ClusteringCoefficients(ctx, g, algorithms.Work{Workers: c.DB.Opts.Workers, Progress: c.Meter.Update})
	if err != nil {
		return s, err
	}
	if s.Packing, err = evaluate.PackingDimension(ctx, g); err == nil && s.Packing.Degree > 0 {
		s.Hub = view.Key(s.Packing.Vertex)
	}
	return s, err
}

// powerLaw fits a power law to the degrees; nil where there are too few.
func powerLaw(c *engine.Call, g *csr.Graph, req DescribeGraphRequest) (*evaluate.PowerLaw, error) {
	degrees := make([]int, g.Vertices())
	for v := range degrees {
		degrees[v] = g.Degree(uint32(v))
	}
	stop := c.Watch.Start("power law")
	law, err := evaluate.FitPowerLaw(c.Ctx, degrees, evaluate.PowerLawOptions{
		Bootstrap: req.Bootstrap, Seed: req.Seed, Workers: c.DB.Opts.Workers, Progress: c.Meter.Update,
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

// summarise computes the quantiles of the degrees, which have a sum, and the number of vertices
// of degree 0.
func summarise(g *csr.Graph, sum int64) (s DegreeSummary, isolated int) {
	n := int64(g.Vertices())
	if n == 0 {
		return DegreeSummary{}, 0
	}
	counts := degreeCounts(g)
	// The smallest degree such that at least this fraction of the vertices have it
	// or a lower one.
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
	s.Mean = float64(sum) / float64(n)
	if s.Min == 0 {
		isolated = int(counts[0].Vertices)
	}
	return s, isolated
}

// timesText describes the times of a graph: the form of dates, or otherwise
// whether it has times.
func timesText(g storage.GraphInfo) rows.Value {
	if g.Times == format.TimeNumbers {
		return g.Timed
	}
	return g.Times.String()
}

// rows is the table of DESCRIBE GRAPH, with all properties or one screen of them.
func (d GraphDescription) rows(all bool) [][]rows.Value {
	table := [][]rows.Value{
		cells.Property("graph", d.Name),
		cells.Property("version", int64(d.Version)),
		cells.Property("vertices", int64(d.Vertices)),
		cells.Property("edges", d.Count()),
		cells.Property("directed", d.Directed),
		cells.Property("weights", d.Weighted),
		cells.Property("times", timesText(d.GraphInfo)),
		cells.Property("attributes", attributesText(d.GraphInfo.Attributes)),
		cells.Property("edge attributes", attributesText(d.EdgeAttributes)),
		cells.Property("density", d.Density),
		cells.Property("components", int64(d.Components)),
		cells.Property("largest component", int64(d.LargestComponent)),
		cells.Property("isolated vertices", int64(d.Isolated)),
		cells.Property("bipartite", d.bipartite()),
		cells.Property("degree min", int64(d.Degrees.Min)),
		cells.Property("degree mean", d.Degrees.Mean),
		cells.Property("degree median", int64(d.Degrees.Median)),
		cells.Property("degree p90", int64(d.Degrees.P90)),
		cells.Property("degree p99", int64(d.Degrees.P99)),
		cells.Property("degree max", int64(d.Degrees.Max)),
		cells.Property("triangles", d.Clustering.Triangles),
		cells.Property("clustering average", d.Clustering.Average),
		cells.Property("clustering transitivity", d.Clustering.Transitivity),
		cells.Property("assortativity", cells.Number(d.Assortativity)),
	}
	table = append(table, d.Directions.rows()...)
	if all {
		table = append(table, cells.Property("diameter", cells.Span(int(d.Diameter[0]), int(d.Diameter[1]))))
	}
	table = append(table, powerLawRows(d.PowerLaw)...)
	table = append(table, packingRows(d.Hub, d.Packing)...)
	table = append(table,
		cells.Property("embeddings", cells.Joined(d.Embeddings)),
		cells.Property("source", d.Source),
		cells.Property("created", cells.Timestamp(d.Created)),
		cells.Property("modified", cells.Timestamp(d.Modified)),
		cells.Property("deleted vertices", int64(d.Deleted)),
		cells.Property("bytes in memory", d.Bytes),
		cells.Property("bytes in the file", d.File.Bytes()),
		cells.Property("bytes of a vertex", cells.Each(d.File.Keys+d.File.IDs+d.File.Attributes, int64(d.Vertices))),
		cells.Property("bytes of an edge", cells.Each(d.File.Arcs+d.File.EdgeAttributes, d.Count())),
		cells.Property("bytes of the change log", d.File.Changes))
	if all {
		return table
	}
	own := "attributes"
	if len(d.EdgeAttributes) > 0 {
		own = "edge attributes"
	}
	return cells.Essential(table, "graph", "vertices", "edges", "directed", "weights", "times", "attributes", own, "density", "components", "largest component",
		"degree mean", "degree median", "degree max", "clustering average", "clustering transitivity", "assortativity", "power law alpha",
		"power law p", "reciprocity", "strong components", "largest strong component", "in-degree mean", "in-degree max", "out-degree max", "in-degree power law alpha", "out-degree power law alpha", "largest hub", "hub dimensions by the paper", "embeddings")
}

// bipartite has the sizes of the sides.
func (d GraphDescription) bipartite() string {
	if !d.Bipartite {
		return "no"
	}
	return fmt.Sprintf("yes, sides of %d and %d vertices", d.Sides[0], d.Sides[1])
}

// powerLawRows has the fit of a power law; its p only after a bootstrap.
func powerLawRows(law *evaluate.PowerLaw) [][]rows.Value {
	if law == nil {
		return [][]rows.Value{cells.Property("power law alpha", nil)}
	}
	table := [][]rows.Value{
		cells.Property("power law alpha", law.Alpha),
		cells.Property("power law from degree", int64(law.Xmin)),
		cells.Property("power law KS distance", law.KS),
		cells.Property("power law vertices", int64(law.Tail)),
	}
	if p := cells.Number(law.P); p != nil {
		table = append(table, cells.Property("power law p", p))
	}
	return table
}

// packingRows has the dimensions that the largest hub suggests.
func packingRows(hub string, p evaluate.Packing) [][]rows.Value {
	if p.Degree == 0 {
		return nil
	}
	return [][]rows.Value{
		cells.Property("largest hub", hub),
		cells.Property("hub neighbours not adjacent", cells.Span(p.SetAtLeast, p.SetAtMost)),
		cells.Property("hub dimensions by the paper", cells.Span(p.PaperAtLeast, p.PaperAtMost)),
		cells.Property("hub dimensions proven", cells.Span(p.ProvenAtLeast, p.ProvenAtMost)),
	}
}

// attributesText lists attributes with their types, or is nil where there are
// none.
func attributesText(attributes []storage.Attribute) rows.Value {
	return cells.Joined(lists.Map(attributes, func(a storage.Attribute) string { return fault.Name(a.Name) + " " + a.Type.String() }))
}

// MarshalJSON writes null for a figure that is not defined.
func (s GraphStatistics) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(s) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (s *GraphStatistics) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, s) }

// MarshalJSON writes null for a figure that is not defined.
func (d GraphDescription) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(d) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (d *GraphDescription) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, d) }

// DirectionStatistics are the figures of a directed graph that need the direction of its edges.
type DirectionStatistics struct {
	Pairs int64 `json:"pairs"` // pairs of vertices with an edge between them: the edges of the undirected view
	// Reciprocity is the part of the edges whose reverse is an edge, too; NaN without edges.
	Reciprocity   float64       `json:"reciprocity"`
	Strong        int           `json:"strong_components"`
	LargestStrong int           `json:"largest_strong_component"` // vertices
	In            DegreeSummary `json:"in_degrees"`
	Out           DegreeSummary `json:"out_degrees"`
	// InPowerLaw and OutPowerLaw are fitted to these degrees as GraphDescription.PowerLaw is to the
	// degrees of the undirected view.
	InPowerLaw  *evaluate.PowerLaw `json:"in_power_law"`
	OutPowerLaw *evaluate.PowerLaw `json:"out_power_law"`
}

// directionStatistics computes the figures in O(n + m), beside the fits.
func directionStatistics(c *engine.Call, d *csr.Directed, req DescribeGraphRequest) (*DirectionStatistics, error) {
	// 24 bytes a vertex: see csr.Directed.StrongComponents.
	release, err := c.DB.Cache.Reserve(24*int64(d.Vertices()), "the strong components of graph "+fault.Name(req.Graph))
	if err != nil {
		return nil, err
	}
	defer release()
	var components *csr.Components
	if err := c.Await(func() { components = d.StrongComponents() }); err != nil {
		return nil, err
	}
	s := &DirectionStatistics{Pairs: d.Pairs(), Reciprocity: algorithms.Reciprocity(d), Strong: components.Count()}
	if s.Strong > 0 {
		s.LargestStrong = components.Sizes[0]
	}
	s.In, _ = summarise((*csr.Graph)(&d.In), d.Arcs())
	s.Out, _ = summarise((*csr.Graph)(&d.Out), d.Arcs())
	if s.InPowerLaw, err = powerLaw(c, (*csr.Graph)(&d.In), req); err != nil {
		return nil, err
	}
	s.OutPowerLaw, err = powerLaw(c, (*csr.Graph)(&d.Out), req)
	return s, err
}

// rows are the rows of DESCRIBE GRAPH for the figures that need the direction.
func (s *DirectionStatistics) rows() [][]rows.Value {
	if s == nil {
		return nil
	}
	table := [][]rows.Value{
		cells.Property("edges of the undirected view", s.Pairs),
		cells.Property("reciprocity", cells.Number(s.Reciprocity)),
		cells.Property("strong components", int64(s.Strong)),
		cells.Property("largest strong component", int64(s.LargestStrong)),
	}
	for _, side := range []struct {
		name    string
		degrees DegreeSummary
		law     *evaluate.PowerLaw
	}{{"in-degree", s.In, s.InPowerLaw}, {"out-degree", s.Out, s.OutPowerLaw}} {
		table = append(table,
			cells.Property(side.name+" min", int64(side.degrees.Min)),
			cells.Property(side.name+" mean", side.degrees.Mean),
			cells.Property(side.name+" median", int64(side.degrees.Median)),
			cells.Property(side.name+" p90", int64(side.degrees.P90)),
			cells.Property(side.name+" p99", int64(side.degrees.P99)),
			cells.Property(side.name+" max", int64(side.degrees.Max)))
		for _, row := range powerLawRows(side.law) {
			table = append(table, slices.Concat([]rows.Value{side.name + " " + row[0].(string)}, row[1:]))
		}
	}
	return table
}

// VertexDescription is the answer of DescribeVertex.
type VertexDescription struct {
	Vertex     string               `json:"vertex"`
	Graph      storage.GraphInfo    `json:"graph"`
	Degree     int                  `json:"degree"`
	Strength   float64              `json:"strength"` // sum of the weights of the vertex's edges
	Times      int                  `json:"times"`    // number of edges with a time
	First      int64                `json:"first"`    // the earliest time, where there is one
	Last       int64                `json:"last"`     // the latest
	Attributes []storage.NamedValue `json:"attributes"`
	Notices    []rows.Notice        `json:"notices,omitempty"`
}

type describeVertexRequest struct {
	graph  string // may be empty if the file has only one graph
	vertex string
}

var describeVertex = &engine.Statement[*parser.DescribeVertex, describeVertexRequest, storage.GraphInfo, VertexDescription]{
	Help: help.Statement{
		Statement: "DESCRIBE VERTEX",
		Summary:   "reports degree, times and attributes of a vertex, without loading its graph",
		Words:     "node info get lookup properties",
		Columns:   "property, value",
	},
	Bind: func(b *engine.Binder, s *parser.DescribeVertex) describeVertexRequest {
		return describeVertexRequest{graph: b.MarkGraph(s.Graph, s), vertex: b.VertexKey(fault.Vertex, s.Vertex)}
	},
	Resolve: func(c *engine.Call, req describeVertexRequest) (storage.GraphInfo, error) {
		info, err := c.GraphOrOnly(req.graph)
		if err != nil {
			return info, err
		}
		return info, engine.CheckVertex(c, info.Name, req.vertex)
	},
	Plan: func(req describeVertexRequest, graph storage.GraphInfo) *plan.Plan {
		return plan.Result("description", "of vertex "+fault.QuoteKey(req.vertex)+", without loading graph "+fault.Name(graph.Name))
	},
	Run:   runDescribeVertex,
	Table: describeVertexTable,
	Reads: true,
}

// DescribeVertex reports the degree of a vertex, the weights and times of its
// edges, and its attributes. The graph may be empty if the file has only one.
func (s *Service) DescribeVertex(ctx context.Context, graph, vertex string) (VertexDescription, error) {
	return describeVertex.Answer(ctx, s.db, describeVertexRequest{graph, vertex})
}

// runDescribeVertex reads the vertex from the file: neither the graph nor a column is
// loaded for a single one.
func runDescribeVertex(c *engine.Call, req describeVertexRequest, graph storage.GraphInfo) (VertexDescription, error) {
	d := VertexDescription{Vertex: req.vertex}
	info, stored, edges, err := c.DB.Store.VertexEdges(c.Ctx, graph.Name, req.vertex)
	if err != nil {
		return VertexDescription{}, c.VertexMistake(graph.Name, req.vertex, err)
	}
	weights := make([]float32, len(edges))
	for i, e := range edges {
		d.add(e)
		weights[i] = float32(e.Weight)
	}
	d.Strength = csr.Sum(weights)
	d.Graph, d.Attributes, d.Notices = info, stored.Values, c.Notices
	return d, nil
}

func (d *VertexDescription) add(e storage.Edge) {
	d.Degree++
	if !e.Timed {
		return
	}
	if d.Times == 0 || e.Time < d.First {
		d.First = e.Time
	}
	if d.Times == 0 || e.Time > d.Last {
		d.Last = e.Time
	}
	d.Times++
}

func describeVertexTable(_ describeVertexRequest, d VertexDescription) [][]rows.Value {
	table := [][]rows.Value{{"vertex", d.Vertex}, {"graph", d.Graph.Name}, {"degree", int64(d.Degree)}}
	if d.Graph.Weighted {
		table = append(table, []rows.Value{"strength", d.Strength})
	}
	if d.Times > 0 {
		table = append(table, []rows.Value{"edges with a time", int64(d.Times)}, []rows.Value{"first time", cells.TimeCell(d.Graph, d.First)}, []rows.Value{"last time", cells.TimeCell(d.Graph, d.Last)})
	}
	for _, a := range d.Attributes {
		table = append(table, []rows.Value{"attribute " + a.Name, cells.CellOf(a.Value)})
	}
	return table
}
