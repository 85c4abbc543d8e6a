package link

import (
	"fmt"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Scorer describes one way to score a pair of vertices.
type Scorer struct {
	Name           string `json:"name"`            // as written in the language
	Summary        string `json:"summary"`         // one line for help
	NeedsEmbedding bool   `json:"needs_embedding"` // scores vectors; otherwise neighbourhoods of a graph
	// HigherIsLikelier is false for distances: there a smaller value means a
	// likelier link.
	HigherIsLikelier bool `json:"higher_is_likelier"`
}

// Scorers returns all scorers, those of graphs first.
func Scorers() []Scorer {
	return []Scorer{
		{"common_neighbors", "number of common neighbours", false, true},
		{"jaccard", "common neighbours as a fraction of all neighbours of the two", false, true},
		{"sorensen", "twice the common neighbours over the sum of the degrees; the order is that of jaccard", false, true},
		{"lhn", "common neighbours over the product of the degrees (Leicht, Holme and Newman)", false, true},
		{"hub_promoted", "common neighbours over the lower degree", false, true},
		{"hub_depressed", "common neighbours over the higher degree", false, true},
		{"adamic_adar", "common neighbours, each weighted 1/ln(its degree)", false, true},
		{"resource_allocation", "common neighbours, each weighted 1/its degree", false, true},
		{recentNeighbors, fmt.Sprintf("common neighbours, each weighted 2^(−a/h)/its degree^¾ by the age a of its later edge; h is %g of the time of all edges", RecentHalfLife), false, true},
		{"preferential_attachment", "product of the degrees", false, true},
		{"katz", fmt.Sprintf("paths of 2 to %d edges, each weighted %g to the power of its length", KatzLength, KatzBeta), false, true},
		{"local_path", fmt.Sprintf("common neighbours, and paths of 3 edges weighted %g", LocalPathEpsilon), false, true},
		{"l3", "paths of 3 edges, each weighted 1/√ of the product of the degrees of its two inner vertices", false, true},
		{"l2", "Euclidean distance of the vectors: smaller is likelier", true, false},
		{"cosine", "cosine of the angle between the vectors", true, true},
		{"dot", "scalar product of the vectors", true, true},
		{"probability", "edge probability 1/(1+e^distance), from 0 to 1/2", true, true},
	}
}

// Words are further words by which a search finds the scorer.
func (s Scorer) Words() string {
	switch s.Name {
	case "jaccard", "sorensen", "cosine":
		return "similarity similar overlap"
	case "l2":
		return "euclidean distance similarity"
	case "dot":
		return "inner product similarity"
	case "preferential_attachment":
		return "degree product"
	case "local_path", "l3", "katz":
		return "paths"
	case "hub_promoted", "hub_depressed":
		return "hubs"
	}
	return ""
}

// Along says in one line what the score of an ordered pair is in a directed graph: see NewAlong.
func (s Scorer) Along() string {
	const inner = "common neighbours have an edge from the source and one to the target"
	switch s.Name {
	case "common_neighbors":
		return inner
	case "adamic_adar":
		return inner + ", and count by their out-degree, 1 as 2"
	case "resource_allocation", recentNeighbors:
		return inner + ", and count by their out-degree"
	case "preferential_attachment":
		return "out-degree of the source times in-degree of the target"
	case "katz", "local_path":
		return "paths lead along the edges from the source to the target"
	case "l3":
		return "paths lead along the edges; the first inner vertex counts by its out-degree, the second by its in-degree"
	}
	if s.NeedsEmbedding {
		return "the same score in both directions"
	}
	return inner + "; the degrees are the out-degree of the source and the in-degree of the target"
}

// New returns the named scorer as a function of two vertices. Scorers of
// graphs need g, whose weights they do not use, those of embeddings m; the other
// may be nil. The function is safe for concurrent use and panics if a vertex is
// out of range. Every score is symmetric in its two vertices.
func New(name string, g *csr.Graph, m *vec.Matrix) (func(u, v uint32) float64, error) {
	return newScore(name, undirected(g), m)
}

func newScore(name string, g ways, m *vec.Matrix) (func(u, v uint32) float64, error) {
	heuristic, vector := lookup(name)
	switch {
	case heuristic != nil && g.out == nil:
		return nil, fmt.Errorf("%s: %w", name, ErrNeedsGraph)
	case pathWeights(name) != nil:
		return newPaths(g, name).score, nil
	case name == recentNeighbors:
		r, err := newRecent(g)
		if err != nil {
			return nil, err
		}
		return r.score, nil
	case name == "l3":
		return newL3(g).score, nil
	case heuristic != nil && summedBy(name) != nil:
		return newCommon(g).scorer(summedBy(name)), nil
	case heuristic != nil: // preferential_attachment
		return func(u, v uint32) float64 { return degreeProduct(g, u, v) }, nil
	case vector != nil && m == nil:
		return nil, fmt.Errorf("%s: %w", name, ErrNeedsEmbedding)
	case vector != nil:
		return func(u, v uint32) float64 { return vector(m.Row(int(u)), m.Row(int(v))) }, nil
	}
	return nil, fmt.Errorf("%q: %w", name, ErrScorer)
}

// lookup returns the function of the name; at most one of the two is not nil.
func lookup(name string) (heuristic func(g *csr.Graph, u, v uint32) float64, vector func(a, b []float32) float64) {
	heuristics := map[string]func(g *csr.Graph, u, v uint32) float64{
		"common_neighbors": CommonNeighbors, "jaccard": Jaccard, "sorensen": Sorensen, "lhn": LHN,
		"hub_promoted": HubPromoted, "hub_depressed": HubDepressed, "adamic_adar": AdamicAdar,
		"resource_allocation": ResourceAllocation, recentNeighbors: RecentNeighbors,
		"preferential_attachment": PreferentialAttachment, "katz": Katz, "local_path": LocalPath, "l3": L3,
	}
	vectors := map[string]func(a, b []float32) float64{"l2": L2, "cosine": Cosine, "dot": Dot, "probability": Probability}
	return heuristics[name], vectors[name]
}

// L2 returns the Euclidean distance of two vectors. It is a distance: smaller
// is likelier.
func L2(a, b []float32) float64 {
	s := float64(vec.L2Squared(a, b))
	if !(s > tiny && s < huge) {
		s = 0
		for i, x := range a {
			d := float64(x) - float64(b[i])
			s += d * d
		}
	}
	return math.Sqrt(s)
}

// Between tiny and huge, sums of float32 squares neither lose digits to
// subnormal numbers nor come near infinity.
const (
	tiny = 0x1p-100
	huge = 0x1p120
)

// Dot returns the scalar product of two vectors.
func Dot(a, b []float32) float64 {
	s := float64(vec.Dot(a, b))
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return dot64(a, b)
	}
	return s
}

// Cosine returns the cosine of the angle between two vectors, from -1 to 1,
// and 0 if one of them is zero.
func Cosine(a, b []float32) float64 {
	aa, bb, ab := float64(vec.Dot(a, a)), float64(vec.Dot(b, b)), float64(vec.Dot(a, b))
	if !(min(aa, bb) > tiny && max(aa, bb) < huge) {
		aa, bb, ab = dot64(a, a), dot64(b, b), dot64(a, b)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return max(-1, min(1, ab/math.Sqrt(aa*bb)))
}

// Probability returns the edge probability of the paper, 1/(1+e^distance): ½
// for equal vectors, falling to 0.
func Probability(a, b []float32) float64 { return 1 / (1 + math.Exp(L2(a, b))) }

func dot64(a, b []float32) float64 {
	s := 0.0
	for i, x := range a {
		s += float64(x) * float64(b[i])
	}
	return s
}
