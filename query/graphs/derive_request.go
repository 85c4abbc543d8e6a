package graphs

import (
	"fmt"
	"slices"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/search"
	"heavytail/query/internal/textfile"
	"heavytail/query/parser"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// Derivation is a way to make a graph from other graphs.
type Derivation string

// The derivations.
const (
	DeriveSubgraph  Derivation = "subgraph"  // the vertices that meet one condition, with the edges between them that meet another
	DeriveComponent Derivation = "component" // a connected component
	DeriveSample    Derivation = "sample"    // random vertices, or random edges
	DeriveNull      Derivation = "null"      // random edges that preserve the degrees of all vertices
	DeriveUnion     Derivation = "union"     // the vertices and edges of several graphs; vertices with the same key are the same vertex
	DeriveNearest   Derivation = "nearest"   // edges between the vertices whose vectors are nearest
)

// Sampling is how a sample is drawn.
type Sampling string

// The ways to draw a sample.
const (
	SampleVertices   Sampling = "vertices"    // a uniformly random set of vertices, with the edges between them
	SampleEdges      Sampling = "edges"       // a uniformly random set of edges, with their ends
	SampleForestFire Sampling = "forest_fire" // algorithms.ForestFire; with the edges between the vertices
)

func samplings() []string {
	return []string{string(SampleVertices), string(SampleEdges), string(SampleForestFire)}
}

// DeriveRequest asks for a graph made from others, or from an embedding.
type DeriveRequest struct {
	Graph string // the new one
	Of    string
	How   Derivation
	// Where is the condition on the vertices of a subgraph, as in VerticesRequest, and
	// EdgesWhere the condition on its edges, as in EdgesRequest; one of them may be nil.
	// Attributes are the attributes that they read.
	Where      func(where.Candidate) bool
	EdgesWhere func(where.EdgeCandidate) bool
	Attributes []string
	From       string   // key of a vertex of the component; empty for the largest component
	Sampling   Sampling // of a sample; empty for SampleVertices
	Vertices   int      // of a sample of vertices; 0 is 1,000
	Edges      int      // of a sample of edges; 0 is 1,000
	Forward    float64  // of SampleForestFire: the probability that a fire burns on; 0 is 0.7
	Exchanges  int      // attempts per edge of a null model; 0 is 10
	Seed       uint64   // of a sample or null model
	// Others are the further graphs of a union after Of, in order. Repeated decides the
	// weight of an edge that several graphs have. Its time, and an attribute that a vertex
	// has in several graphs, are the first value with storage.RepeatedFirst, otherwise the
	// last.
	Others   []string
	Repeated storage.Repeated // empty for storage.RepeatedLast
	// DeriveNearest finds the K nearest vertices of each vertex under the metric, as in
	// vectors.NearestRequest, and joins two vertices if one of them is among the nearest of the
	// other, or with Mutual if both are.
	Embedding string
	Metric    index.Metric
	K         int
	Mutual    bool

	condition parser.Expr // of Where and EdgesWhere, for its text; may be nil
}

// partNewGraph is the new graph, and partOther one of the further graphs of a union.
const partNewGraph fault.Part = "new graph"

func partOther(i int) fault.Part { return fault.Part(fmt.Sprintf("other graph %d", i)) }

// derivation is what the names in a DeriveRequest refer to.
type derivation struct {
	graph  storage.GraphInfo // the first graph of a union
	others []storage.GraphInfo
	search search.Search // for the nearest of an embedding
}

// derived is the new graph, and the origin of its vertices.
type derived struct {
	graph   *csr.Graph
	key     func(v uint32) string
	columns []*storage.Column
	times   format.TimeForm
	source  string // for GraphInfo.Source
}

func deriveOptions(how Derivation) []help.Option {
	sample, null, union := []Derivation{DeriveSample}, []Derivation{DeriveNull}, []Derivation{DeriveUnion}
	var list []help.Option
	for _, o := range []struct {
		of []Derivation
		help.Option
	}{
		{sample, help.Option{Name: "method", Type: "text", Default: "'vertices'", Choices: samplings(), Doc: "SAMPLE: random vertices with the edges between them, random edges with their ends, or the vertices that random fires burn, with the edges between them"}},
		{sample, help.Option{Name: "vertices", Type: "int", Default: "1000", Doc: "SAMPLE: number of vertices to draw"}},
		{sample, help.Option{Name: "edges", Type: "int", Default: "1000", Doc: "SAMPLE by edges: number of edges to draw"}},
		{sample, help.Option{Name: "forward", Type: "float", Default: "0.7", Doc: "SAMPLE by forest_fire: probability that a burning vertex lights one more neighbour, above 0 and below 1"}},
		{null, help.Option{Name: "exchanges", Type: "int", Default: "10", Doc: "NULL: attempts per edge to exchange an end with another edge"}},
		{append(sample, DeriveNull), help.Option{Name: "seed", Type: "int", Default: "0", Doc: "SAMPLE and NULL: the same seed gives the same graph"}},
		{union, help.Option{Name: "repeated", Type: "text", Default: "'last'", Choices: textfile.Repeats(), Doc: "UNION: the weight of an edge that several graphs have: the last, first, sum, min or max of its weights, or the number of graphs that have it; times and attributes are taken from the first graph that has them with first, otherwise from the last"}},
	} {
		if how == "" || slices.Contains(o.of, how) {
			list = append(list, o.Option)
		}
	}
	return list
}

// checkNumbers returns an error for a negative number, also of another kind of graph.
func (req DeriveRequest) checkNumbers() error {
	for _, n := range []struct {
		option string
		value  int
	}{{"vertices", req.Vertices}, {"edges", req.Edges}, {"exchanges", req.Exchanges}} {
		if n.value < 0 {
			return fault.OfOption(n.option, "is %d, and must not be negative", n.value)
		}
	}
	if req.K < 0 {
		return fault.New(fault.Number, "%d nearest vertices: the number must not be negative", req.K)
	}
	return nil
}
