package link

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"heavytail/storage/csr"
)

// A column is one number of a pair that a model can use: a scorer of the graph or of one embedding,
// or one of the features below, which are no scorers.
type column struct {
	name  string
	of    int // number of the embedding that it reads, -1 for the graph
	shape shape
	stack bool // is in the model that nobody has chosen the terms of
}

// shape says which functions of a column have a weight.
type shape uint8

const (
	plain  shape = iota // the value
	heavy               // the value, and ln(1 + value/median)
	degree              // ln(1 + value)
)

// Features of pairs that are no scorers.
const (
	lowerDegree   = "lower_degree"
	higherDegree  = "higher_degree"
	l3PerDegrees  = "l3_per_degrees" // l3 over the root of the product of the degrees
	sameComponent = "same_component" // 1 where a path joins the two vertices, otherwise 0
)

// mostEmbeddings is the number of embeddings that a model may read.
const mostEmbeddings = 8

// columnsOf returns all columns of pairs of a graph with a number of embeddings, with those of edges
// that have times if it is timed.
func columnsOf(timed bool, embeddings int) []column {
	var list []column
	add := func(of int, sh shape, stack bool, names ...string) {
		for _, name := range names {
			list = append(list, column{name, of, sh, stack})
		}
	}
	add(-1, heavy, true, "common_neighbors", "adamic_adar", "resource_allocation", "katz", "local_path", "l3", "preferential_attachment", "lhn", l3PerDegrees)
	add(-1, plain, true, "jaccard", "hub_promoted")
	if timed {
		add(-1, heavy, true, recentNeighbors)
	}
	add(-1, degree, true, lowerDegree, higherDegree)
	add(-1, plain, true, sameComponent)
	add(-1, plain, false, "sorensen", "hub_depressed")
	for i := range embeddings {
		add(i, plain, true, "cosine", "l2", "dot")
		add(i, plain, false, "probability")
	}
	return list
}

// Terms chooses the columns that a model uses.
type Terms struct {
	// Scorers are names of [Scorers]: the model uses exactly these. nil means all that the graph has
	// data for, with the degrees of both vertices and whether a path joins them.
	Scorers []string
	// Embeddings is the number of embeddings that the model reads, each by all of its scorers of
	// vectors. If Scorers names none of these, it uses cosine, l2 and dot.
	Embeddings int
	// PairsOnly leaves out the half of the loss that is about the vertices of one source.
	PairsOnly bool
	// Likely is a factor of the weights of pairs with one of the likeliest vertices of a source in the
	// second half of the loss; 0 means 1.
	Likely float64
}

// Validate returns the error of an unknown scorer or of one that is named twice (ErrScorer), of
// scorers of vectors without an embedding (ErrNeedsEmbedding), or of an empty list (ErrNoTerms).
func (t Terms) Validate() error {
	if t.Embeddings > mostEmbeddings {
		return fmt.Errorf("%d embeddings, and a model reads at most %d: %w", t.Embeddings, mostEmbeddings, ErrOption)
	}
	all := Scorers()
	for i, name := range t.Scorers {
		at := slices.IndexFunc(all, func(s Scorer) bool { return s.Name == name })
		switch {
		case at < 0:
			return fmt.Errorf("%q: %w", name, ErrScorer)
		case slices.Contains(t.Scorers[:i], name):
			return fmt.Errorf("duplicate scorer %q: %w", name, ErrScorer)
		case all[at].NeedsEmbedding && t.Embeddings == 0:
			return fmt.Errorf("%s: %w", name, ErrNeedsEmbedding)
		}
	}
	if t.Scorers != nil && len(t.Scorers) == 0 && t.Embeddings == 0 {
		return ErrNoTerms
	}
	return nil
}

// takes reports whether a model uses a column.
func (t Terms) takes(c column) bool {
	if c.of >= t.Embeddings {
		return false
	}
	if t.Scorers == nil {
		return c.stack
	}
	if c.of >= 0 && !slices.ContainsFunc(t.Scorers, func(name string) bool {
		return name == "probability" || name == "cosine" || name == "l2" || name == "dot"
	}) {
		return c.stack
	}
	return slices.Contains(t.Scorers, c.name)
}

// higher reports whether a larger value of a column is likelier, for a measurement of the column
// alone.
func (c column) higher() bool { return c.name != "l2" }

// EvidenceOf is what a term of a model says something of, in words; that of the vectors is the same for all
// terms of an embedding.
func EvidenceOf(term string) string {
	switch term {
	case "katz", "local_path", "l3", l3PerDegrees:
		return "paths of three edges"
	case "preferential_attachment", lowerDegree, higherDegree:
		return "degrees"
	case sameComponent:
		return "a path joins them"
	case "cosine", "l2", "dot", "probability":
		return "vectors"
	case recentNeighbors:
		return "recent common neighbours"
	}
	return "common neighbours"
}

// FarReaching reports whether a term of a model depends on edges at any distance from both vertices.
func FarReaching(term string) bool { return term == sameComponent }

// single reports whether a column is a scorer.
func (c column) single() bool {
	return !slices.Contains([]string{lowerDegree, higherDegree, l3PerDegrees, sameComponent}, c.name)
}

// rootBits is the precision of 1/√d in sums over paths of three edges. The sums are whole numbers, so
// that they are the same in whichever order the paths are added: a root has 32 bits, and the sum of the roots
// of any vertices 64.
const rootBits = 31

func fixedRoot(degree int) uint32 {
	if degree == 0 {
		return 0
	}
	return uint32(math.Round((1 << rootBits) / math.Sqrt(float64(degree))))
}

// fixed is a sum of products of two roots.
type fixed struct{ high, low uint64 }

// add adds the product of a sum of roots and a root.
func (f *fixed) add(roots uint64, root uint32) {
	high, low := bits.Mul64(roots, uint64(root))
	var carry uint64
	f.low, carry = bits.Add64(f.low, low, 0)
	f.high += high + carry
}

// sub subtracts such a product.
func (f *fixed) sub(roots uint64, root uint32) {
	high, low := bits.Mul64(roots, uint64(root))
	var borrow uint64
	f.low, borrow = bits.Sub64(f.low, low, 0)
	f.high -= high + borrow
}

func (f fixed) float() float64 {
	return math.Ldexp(float64(f.high), 64-2*rootBits) + math.Ldexp(float64(f.low), -2*rootBits)
}

// share is what a vertex adds as a common neighbour.
type share struct{ adamicAdar, resource float64 }

func sharesOf(g *csr.Graph) []share {
	list := make([]share, g.Vertices())
	weight := summedBy("adamic_adar").weight
	for v := range list {
		if d := g.Degree(uint32(v)); d > 0 {
			list[v] = share{weight(d), 1 / float64(d)}
		}
	}
	return list
}

func rootsOf(g *csr.Graph) []uint32 {
	list := make([]uint32, g.Vertices())
	for v := range list {
		list[v] = fixedRoot(g.Degree(uint32(v)))
	}
	return list
}
