package graphs

import (
	"cmp"
	"fmt"
	"slices"

	"heavytail/embedding/option"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/search"
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
	DeriveSubgraph   Derivation = "subgraph"        // the vertices that meet one condition, with the edges between them that meet another
	DeriveComponent  Derivation = "component"       // a connected component
	DeriveEgo        Derivation = "ego network"     // a vertex and the vertices around it, with the edges between them
	DeriveSample     Derivation = "sample"          // random vertices, or random edges
	DeriveNull       Derivation = "null"            // random edges that preserve the degrees of all vertices
	DeriveForest     Derivation = "spanning forest" // all vertices, and edges that join each component with the smallest sum of weights
	DeriveUnion      Derivation = "union"           // the vertices and edges of several graphs; vertices with the same key are the same vertex
	DeriveUndirected Derivation = "undirected view" // the undirected view of a directed graph
	DeriveReversed   Derivation = "reverse"         // a directed graph with all edges in the other direction
	DeriveNearest    Derivation = "nearest"         // edges between the vertices whose vectors are nearest
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
	// EdgeAttributes are the attributes of edges that EdgesWhere reads.
	Attributes     []string
	EdgeAttributes []string

	From      string   // key of the vertex of DeriveEgo, or of a vertex of the component; empty for the largest component
	Within    int      // of DeriveEgo: number of edges up to which vertices are kept; 0 is 1
	Sampling  Sampling // of a sample; empty for SampleVertices
	Vertices  int      // of a sample of vertices; 0 is 1,000
	Edges     int      // of a sample of edges; 0 is 1,000
	Forward   float64  // of SampleForestFire: the probability that a fire burns on; 0 is 0.7
	Exchanges int      // attempts per edge of a null model; 0 is 10
	Seed      uint64   // of a sample or null model
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
	graph    *csr.Graph
	directed *csr.Directed // in place of graph
	key      func(v uint32) string
	columns  []*storage.Column // of the vertices

	edgeColumns []*storage.Column

	times  format.TimeForm
	source string // for GraphInfo.Source
}

// deriveSchema are the options of one way to make a graph, or with an empty one of all.
func deriveSchema(how Derivation) option.Schema[DeriveRequest] {
	type request = DeriveRequest
	sample := func(field option.Field[request], of ...Sampling) option.Field[request] {
		return field.Rule(func(r request) error {
			method := cmp.Or(r.Sampling, SampleVertices)
			if _, given := field.Value(r); given && r.How == DeriveSample && !slices.Contains(of, method) {
				return fault.Rule("cannot be combined with method := %s", fault.Quote(string(method)))
			}
			return nil
		})
	}
	count := func(name, doc string, usual int, at func(*request) *int) option.Field[request] {
		return option.Int(name, doc, at).OrElse(usual).Where("at least 1", func(v any) bool { return v.(int64) >= 1 })
	}
	var list option.Schema[request]
	for _, o := range []struct {
		of    []Derivation
		field option.Field[request]
	}{
		{[]Derivation{DeriveSample}, option.Choice("method", "SAMPLE: random vertices with the edges between them, random edges with their ends, or the vertices that random fires burn, with the edges between them",
			samplings(), func(r *request) *Sampling { return &r.Sampling })},
		{[]Derivation{DeriveSample}, sample(count("vertices", "SAMPLE: number of vertices to draw", 1000, func(r *request) *int { return &r.Vertices }), SampleVertices, SampleForestFire)},
		{[]Derivation{DeriveSample}, sample(count("edges", "SAMPLE by edges: number of edges to draw", 1000, func(r *request) *int { return &r.Edges }), SampleEdges)},
		{[]Derivation{DeriveSample}, sample(option.Float("forward", "SAMPLE by forest_fire: probability that a burning vertex lights one more neighbour, above 0 and below 1", func(r *request) *float64 { return &r.Forward }).
			OrElse(0.7).Where("above 0 and below 1", func(v any) bool { return v.(float64) > 0 && v.(float64) < 1 }), SampleForestFire)},
		{[]Derivation{DeriveNull}, count("exchanges", "NULL: attempts per edge to exchange an end with another edge", 10, func(r *request) *int { return &r.Exchanges })},
		{[]Derivation{DeriveSample, DeriveNull}, option.Seed("SAMPLE and NULL: the same seed gives the same graph", func(r *request) *uint64 { return &r.Seed })},
		{[]Derivation{DeriveUnion}, repeatedField("UNION: the weight of an edge that several graphs have: the last, first, sum, min or max of its weights, or the number of graphs that have it; times and attributes are taken from the first graph that has them with first, otherwise from the last",
			func(r *request) *storage.Repeated { return &r.Repeated })},
	} {
		if how == "" || slices.Contains(o.of, how) {
			list = append(list, o.field)
		}
	}
	return list
}
