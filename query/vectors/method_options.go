package vectors

// MethodOptions is an embedding method with its options as a struct: a [DPSpectral], [LaplacianEigenmaps],
// [FastRP], [ProNE], [NetMF], [DPWalker], [DeepWalk], [Node2Vec] or [UnitBall]. It is equivalent to a name and a map of
// settings: both are checked by the same table of options, and the embedding gets the same record.
//
// A field that is zero or nil takes the default of the method, as an option that a
// statement leaves out; [Methods] and HELP list the defaults. Options whose default is
// not 0, but for which 0 is a valid value, are pointers: DPWalker{Beta: new(0.0)} walks
// without a penalty, and DPWalker{} with the default penalty. Tune keeps the fields that
// are set and searches the others.
type MethodOptions interface {
	// MethodName returns the name of the method in the language.
	MethodName() string
}

// Normalization is the normalisation of the penalised matrix of [DPSpectral].
type Normalization string

// The normalizations.
const (
	NormalizationAuto     Normalization = "auto"     // strength, or degree if the eigenvalues of strength are too close together to be computed
	NormalizationStrength Normalization = "strength" // the row sums of the penalised matrix
	NormalizationDegree   Normalization = "degree"   // the degrees, as in the paper
)

// Components says how a spectral method treats the connected components of a graph.
type Components string

// The treatments of components.
const (
	ComponentsApart Components = "apart" // each component is solved separately, and components are placed apart
	ComponentsJoint Components = "joint" // all components are solved as one matrix
)

// DPSpectral has the options of dp_spectral: the largest eigenvectors of the
// degree-penalised common-neighbour matrix.
type DPSpectral struct {
	Dim           int           `option:"dim"`           // coordinates of a vector, from 1 to 4096
	Beta          *float64      `option:"beta"`          // degree penalty, from 0 to 8
	Normalization Normalization `option:"normalization"` // empty is NormalizationAuto
	Scale         *float64      `option:"scale"`         // power of the eigenvalue that a coordinate is multiplied by, from 0 to 4
	RowScale      *float64      `option:"row_scale"`     // power of the degree that a vector is divided by, from 0 to 4
	Tolerance     float64       `option:"tolerance"`     // largest residual relative to the largest eigenvalue, at most 0.1
	Seed          uint64        `option:"seed"`          // of the random start
	Components    Components    `option:"components"`    // empty is ComponentsApart
	IgnoreWeights bool          `option:"weights"`       // takes every edge as 1
}

// LaplacianEigenmaps has the options of laplacian_eigenmaps: the largest eigenvectors of
// the normalised adjacency matrix. Its fields are those of [DPSpectral].
type LaplacianEigenmaps struct {
	Dim           int        `option:"dim"`
	Scale         *float64   `option:"scale"`     // from 0 to 4
	RowScale      *float64   `option:"row_scale"` // from 0 to 4
	Tolerance     float64    `option:"tolerance"`
	Seed          uint64     `option:"seed"`
	Components    Components `option:"components"`
	IgnoreWeights bool       `option:"weights"`
}

// FastRP has the options of fastrp: a sparse random projection of powers of the transition
// matrix.
type FastRP struct {
	Dim           int      `option:"dim"`       // coordinates of a vector, from 1 to 4096
	Beta          *float64 `option:"beta"`      // power of the degree in the random vectors, from -4 to 4; nil is the default
	Alpha1        float64  `option:"alpha1"`    // factor of the vectors after one step; 0 is the default
	Alpha2        *float64 `option:"alpha2"`    // after two steps; nil is the default
	Alpha3        *float64 `option:"alpha3"`    // after three steps; nil is the default
	Alpha4        float64  `option:"alpha4"`    // after four steps; 0 is the default
	RowNorm       float64  `option:"row_norm"`  // power of its length that a vector is divided by, from 0 to 1; 0 is the default
	RowScale      *float64 `option:"row_scale"` // power of the degree that a vector is divided by, from 0 to 4; nil is the default
	IgnoreWeights bool     `option:"weights"`   // takes every edge as 1
	Seed          uint64   `option:"seed"`      // of the random vectors
}

// ProNE has the options of prone: a factorisation of a sparse matrix, propagated through a
// band of the spectrum.
type ProNE struct {
	Dim           int      `option:"dim"`       // coordinates of a vector, from 1 to 4096
	Order         int      `option:"order"`     // terms of the Chebyshev series, from 2 to 64
	Mu            float64  `option:"mu"`        // eigenvalue of the Laplacian that is kept most, from -2 to 4
	Theta         float64  `option:"theta"`     // how much less others are kept, at most 16
	RowNorm       *float64 `option:"row_norm"`  // power of its length that a vector is divided by, from 0 to 1; nil is the default
	RowScale      *float64 `option:"row_scale"` // power of the degree that a vector is divided by, from 0 to 4; nil is the default
	IgnoreWeights bool     `option:"weights"`   // takes every edge as 1
	Seed          uint64   `option:"seed"`      // of the factorisation
}

// NetMF has the options of netmf: the exact factorisation of the matrix that deepwalk
// samples, for small graphs.
type NetMF struct {
	Dim           int     `option:"dim"`       // coordinates of a vector, from 1 to 4096
	Window        int     `option:"window"`    // steps of the random walk, from 1 to 100
	Negative      int     `option:"negative"`  // negative samples of each pair that the matrix corresponds to, from 1 to 1000
	Entries       int     `option:"entries"`   // most entries of the matrix, 8 bytes each, up to 2³⁰
	RowNorm       float64 `option:"row_norm"`  // power of its length that a vector is divided by, from 0 to 1; 0 is the default
	RowScale      float64 `option:"row_scale"` // power of the degree that a vector is divided by, from 0 to 4; 0 is the default
	IgnoreWeights bool    `option:"weights"`   // takes every edge as 1
	Seed          uint64  `option:"seed"`      // of the random start of the solver
}

// DPWalker has the options of dp_walker: skip-gram on walks that avoid vertices of high
// degree.
type DPWalker struct {
	Dim           int      `option:"dim"`        // coordinates of a vector, from 1 to 4096
	Walks         int      `option:"walks"`      // walks from each vertex
	Length        int      `option:"length"`     // vertices of a walk
	Window        int      `option:"window"`     // largest distance on a walk of two vertices that are trained together
	Epochs        int      `option:"epochs"`     // passes over the walks
	Alpha         float64  `option:"alpha"`      // learning rate at the beginning, above 0 and at most 1
	Negative      int      `option:"negative"`   // negative samples of each pair; 0, the default, is hierarchical softmax
	Beta          *float64 `option:"beta"`       // degree penalty of the walks, from -8 to 8
	Common        *float64 `option:"common"`     // weight of each common neighbour beside that of an edge, from 0 to 10⁶; nil is 1
	RowNorm       float64  `option:"row_norm"`   // power of its length that a vector is divided by, from 0 to 1; 0 is the default
	RowScale      float64  `option:"row_scale"`  // power of the degree that a vector is divided by, from 0 to 4; 0 is the default
	IgnoreWeights bool     `option:"weights"`    // takes every edge as 1
	Partitions    int      `option:"partitions"` // parts trained at a time; the result depends on it
	Seed          uint64   `option:"seed"`       // of the walks and of the training
}

// DeepWalk has the options of deepwalk: skip-gram on uniform walks. Its fields are those
// of [DPWalker].
type DeepWalk struct {
	Dim           int     `option:"dim"`
	Walks         int     `option:"walks"`
	Length        int     `option:"length"`
	Window        int     `option:"window"`
	Epochs        int     `option:"epochs"`
	Alpha         float64 `option:"alpha"`
	Negative      int     `option:"negative"`
	RowNorm       float64 `option:"row_norm"`
	RowScale      float64 `option:"row_scale"`
	IgnoreWeights bool    `option:"weights"`
	Partitions    int     `option:"partitions"`
	Seed          uint64  `option:"seed"`
}

// Node2Vec has the options of node2vec: skip-gram on walks that tend back or outwards.
// Its other fields are those of [DPWalker].
type Node2Vec struct {
	Dim           int     `option:"dim"`
	Walks         int     `option:"walks"`
	Length        int     `option:"length"`
	Window        int     `option:"window"`
	Epochs        int     `option:"epochs"`
	Alpha         float64 `option:"alpha"`
	Negative      int     `option:"negative"`
	P             float64 `option:"p"` // how rarely a walk goes back, from 1e-6 to 1e6
	Q             float64 `option:"q"` // how rarely a walk leaves the neighbourhood it is in, from 1e-6 to 1e6
	RowNorm       float64 `option:"row_norm"`
	RowScale      float64 `option:"row_scale"`
	IgnoreWeights bool    `option:"weights"`
	Partitions    int     `option:"partitions"`
	Seed          uint64  `option:"seed"`
}

// UnitBall has the options of unit_ball: a placement in which exactly the neighbours of
// a vertex are within distance 1.
type UnitBall struct {
	Dim       BallDim   `option:"dim"`             // coordinates of a vector, from 1 to 4096, or BallLeast
	Start     BallStart `option:"start"`           // vectors to begin with
	From      string    `option:"start_embedding"` // embedding of StartEmbedding; of the same graph
	Anchor    *float64  `option:"anchor"`          // how strongly vectors are kept near the start, from 0 to 100; nil is 0 with StartRandom and 0.3 otherwise
	Margin    float64   `option:"margin"`          // distance from 1 that pairs must keep in the first three tenths of the passes
	Passes    int       `option:"passes"`
	Step      float64   `option:"step"`      // about the longest move of a vector in a pass of the first three tenths
	Balance   *float64  `option:"balance"`   // how fast vertices that miss edges pull harder, from 0 to 1
	Tolerance int       `option:"tolerance"` // number of wrong pairs that is small enough to end the run
	Seed      uint64    `option:"seed"`
}

// BallDim is a number of coordinates of [UnitBall], or [BallLeast].
type BallDim int

// BallLeast searches for the smallest number of coordinates in which no more pairs are
// wrong than Tolerance. It needs StartRandom.
const BallLeast BallDim = -1

// Option returns the value as the table of options takes it. A negative number other than
// BallLeast is refused there.
func (d BallDim) Option() any {
	if d == BallLeast {
		return "least"
	}
	return int64(d)
}

// BallStart is what [UnitBall] begins with.
type BallStart string

// The starts.
const (
	StartRandom    BallStart = "random"
	StartDeepWalk  BallStart = "deepwalk"  // vectors of deepwalk with its defaults
	StartDPWalker  BallStart = "dp_walker" // vectors of dp_walker with its defaults
	StartEmbedding BallStart = "embedding" // vectors of the embedding From, which implies it
)

// MethodName is the name of the method in the language.
func (UnitBall) MethodName() string { return "unit_ball" }

// MethodName is the name of the method in the language.
func (DPSpectral) MethodName() string { return "dp_spectral" }

// MethodName is the name of the method in the language.
func (LaplacianEigenmaps) MethodName() string { return "laplacian_eigenmaps" }

// MethodName is the name of the method in the language.
func (FastRP) MethodName() string { return "fastrp" }

// MethodName is the name of the method in the language.
func (ProNE) MethodName() string { return "prone" }

// MethodName is the name of the method in the language.
func (NetMF) MethodName() string { return "netmf" }

// MethodName is the name of the method in the language.
func (DPWalker) MethodName() string { return "dp_walker" }

// MethodName is the name of the method in the language.
func (DeepWalk) MethodName() string { return "deepwalk" }

// MethodName is the name of the method in the language.
func (Node2Vec) MethodName() string { return "node2vec" }
