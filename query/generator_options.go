package query

// GeneratorOptions is a model of random graphs with its options as a struct: a
// [PreferentialAttachment], [Vazquez], [ErdosRenyi], [StochasticBlock] or [WattsStrogatz].
// It is equivalent to a name and a map of settings: both are checked by the same table of
// options, and the graph gets the same GraphInfo.Source.
//
// A zero field is the number 0, except where its comment names a default.
type GeneratorOptions interface{ generatorName() string }

// PreferentialAttachment has the options of preferential_attachment (Barabási and
// Albert): each new vertex attaches to M others, drawn in proportion to their degrees.
type PreferentialAttachment struct {
	N    int    `option:"n"`    // vertices
	M    int    `option:"m"`    // edges that each new vertex brings, from 1 to N-1
	Seed uint64 `option:"seed"` // the same seed gives the same graph
}

// Vazquez has the options of vazquez: vertices find each other by local rules, which
// makes hubs and triangles.
type Vazquez struct {
	N    int         `option:"n"`    // vertices
	P    float64     `option:"p"`    // probability of the next step of a walk, or of closing a triangle; from 0 to below 1
	Rule VazquezRule `option:"rule"` // empty is RuleRandomWalk
	Seed uint64      `option:"seed"` // as in PreferentialAttachment
}

// VazquezRule is how the vertices of [Vazquez] find each other.
type VazquezRule string

// The rules.
const (
	RuleRandomWalk       VazquezRule = "random_walk"       // a new vertex walks along edges and attaches to the vertices that it meets
	RuleConnectNeighbors VazquezRule = "connect_neighbors" // neighbours of neighbours are joined
)

// ErdosRenyi has the options of erdos_renyi: every pair of vertices is an edge with the
// probability P, or M different pairs are drawn. One of P and M must be set.
type ErdosRenyi struct {
	N    int     `option:"n"`    // vertices
	P    float64 `option:"p"`    // probability of every edge, at most 1
	M    int64   `option:"m"`    // number of edges
	Seed uint64  `option:"seed"` // as in PreferentialAttachment
}

// StochasticBlock has the options of stochastic_block: vertices belong to blocks, and the
// probability of an edge depends on the blocks of its ends. The attribute block of the
// graph has the number of each vertex's block.
type StochasticBlock struct {
	Sizes []int   `option:"sizes"` // vertices of each block, at least 1
	In    float64 `option:"p_in"`  // probability of an edge within a block
	Out   float64 `option:"p_out"` // probability of an edge between two blocks
	// Matrix, if not nil, has the probability of an edge between each two blocks instead
	// of In and Out: symmetric, one row and one column for each block.
	Matrix [][]float64 `option:"matrix"`
	Seed   uint64      `option:"seed"` // as in PreferentialAttachment
}

// WattsStrogatz has the options of watts_strogatz: a ring on which each vertex has K
// neighbours, and of which a fraction of the edges is rewired.
type WattsStrogatz struct {
	N    int     `option:"n"`    // vertices
	K    int     `option:"k"`    // neighbours of each vertex on the ring; even
	Beta float64 `option:"beta"` // probability that an edge is rewired
	Seed uint64  `option:"seed"` // as in PreferentialAttachment
}

func (PreferentialAttachment) generatorName() string { return "preferential_attachment" }
func (Vazquez) generatorName() string                { return "vazquez" }
func (ErdosRenyi) generatorName() string             { return "erdos_renyi" }
func (StochasticBlock) generatorName() string        { return "stochastic_block" }
func (WattsStrogatz) generatorName() string          { return "watts_strogatz" }
