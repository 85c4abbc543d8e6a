package spectral

import (
	"context"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Names of the methods, as the language and stored embeddings spell them.
const (
	MethodLaplacianEigenmaps = "laplacian_eigenmaps"
	MethodDPSpectral         = "dp_spectral"
)

// Normalization says which diagonal matrix normalises the penalised
// common-neighbour matrix W of DPSpectral.
type Normalization uint8

const (
	// Auto is Strength, unless hardly any of its eigenpairs converge in some component:
	// more of its eigenvalues crowd at 1 than can be separated. Then it is Degree.
	Auto Normalization = iota
	// Strength divides by the row sums of W: S^-½ W S^-½, what the authors'
	// published code does. The largest eigenvalue of a component is then 1.
	Strength
	// Degree divides by the degrees of the graph: D^-½ W D^-½, the paper's
	// constraint UᵀDU = I.
	Degree
)

// String returns the name of the normalisation in the language.
func (n Normalization) String() string {
	switch n {
	case Auto:
		return "auto"
	case Degree:
		return "degree"
	case Strength:
		return "strength"
	}
	return "unknown"
}

// ComponentMode says how the connected components of a graph share the
// coordinates of its embedding.
type ComponentMode uint8

const (
	// Apart solves every component separately and moves the components so far apart
	// that no ε-neighbourhood joins two of them.
	Apart ComponentMode = iota
	// Joint solves the whole graph as one matrix, as the paper does.
	Joint
)

// String returns the name of the mode in the language.
func (c ComponentMode) String() string {
	switch c {
	case Apart:
		return "apart"
	case Joint:
		return "joint"
	}
	return "unknown"
}

// Options are the parameters of LaplacianEigenmaps and DPSpectral. The
// zero value takes every default; WithDefaults argues them. Parameters for which
// zero means something are pointers, nil for the default:
// Options{Beta: new(0.0)}.
type Options struct {
	Dim           int           // k, coordinates per vertex, up to 4096; 0 is 200; capped at the number of vertices
	Beta          *float64      // β, the degree penalty, 0 to 8; nil is 1.5, and 0.5 with Degree; DPSpectral only
	Normalization Normalization // Auto, Strength or Degree; DPSpectral only
	Scale         *float64      // γ, 0 to 4: coordinates are multiplied by the eigenvalue to this power; nil is ¼
	RowScale      *float64      // δ, 0 to 4: vectors are divided by the degree to this power; nil is ½
	Tolerance     float64       // largest accepted residual ‖Nt − λt‖ / λ₁, at most 0.1; 0 is 1e-4
	MaxIterations int           // restarts of the eigensolver for one component; 0 is 100
	Seed          uint64        // of the random start
	Components    ComponentMode // Apart or Joint
	IgnoreWeights bool          // take every edge as one of weight 1
	Workers       int           // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Progress, if not nil, receives the stage "solving" with the number of eigenpairs of
	// the largest component (of the graph if Joint) that have converged, and of all. It
	// is called from one goroutine, at most about 20 times a second.
	Progress func(stage string, done, total int64)

	Checkpoints base.Checkpoints

	freeBeta bool // Beta is the default of a normalisation that is Auto
}

// Stats describe a finished solve.
type Stats struct {
	Dim int // coordinates of the result
	// Normalization and Beta are those that Auto came to, or that were given;
	// DPSpectral only.
	Normalization Normalization
	Beta          float64
	Eigenvalues   []float64 // of the largest component (of the graph if Joint), descending
	Residuals     []float64 // ‖Nt − λt‖ / λ₁ of each, measured with the final vectors
	Components    int       // connected components of the graph
	Weighted      bool      // weights of edges were used: there are some, not all equal, and not ignored
	Iterations    int       // restarts of the eigensolver, summed over components
	Products      int       // products of N with one vector, summed over components
	Converged     bool      // every residual is within the tolerance
	Seconds       float64   // wall time
	Reason        string    // why the solve ended, in words
	Notes         []string  // what a user should know of the result
}

// LaplacianEigenmaps embeds the vertices by the k largest eigenpairs N t = λ t of
//
//	N = D^-½ A D^-½
//
// where A is the adjacency matrix and D the diagonal matrix of degrees (Belkin
// and Niyogi, Neural Computation 15, 2003: the largest of N are the smallest of
// the normalised Laplacian I − N).
//
// In a graph with weights A_ij is the weight of the edge, as in their algorithm,
// and the degree of a vertex the sum of its weights wherever there are degrees, δ
// included. Weights are taken over their mean, in each part that is solved as one
// matrix: so their unit does not matter, and equal ones give the same bytes as
// none. With IgnoreWeights every edge has weight 1.
//
// Row v of the result is the vector of vertex v: row v of
//
//	U = D^-δ T Λ^γ,   T = [t_1 … t_k],  Λ = diag(λ_1 … λ_k)
//
// with coordinates in descending order of λ, TᵀT = I in each component, and in
// each column of T the entry of largest magnitude (of equals that of the lowest
// vertex) positive. With γ > 0 the coordinates of eigenvalues that are not
// positive are 0. The trivial eigenvector D^½1 is the first coordinate, as in the
// paper. Beyond the paper are γ and δ, whose values 0 are its rows of T and 0
// and ½ the textbook's generalised eigenvectors, and components.
//
// With Apart every connected component is solved separately, and has as many
// coordinates as vertices, at most k; then components are moved apart, the
// largest staying at the origin, so that distances between vertices of different
// components are more than twice as long as any within one. Isolated vertices
// are components. Distances within components, and so ε-neighbourhoods, are
// those of the eigenvectors. Scalar products and cosines are too in the largest
// component; in the others the shift dominates them, so that the cosine of two
// vertices shows little more than whether they share a component. With Joint the
// whole graph is one matrix: eigenvalue 1 has one eigenvector for each component
// that has an edge, reported in the order of their sizes, so that in a graph of
// more than k components all coordinates say only which component a vertex is
// in. Isolated vertices are then at the origin.
//
// The solver (package eigen) does not search for known eigenvectors. It takes time
// in O((n·k + m)·k) for usual spectra, about 10 s on one core for 81,306 vertices
// and 1.34 M edges. Memory beyond the graph and the result is at most
// 4·(1.6·k + 64) bytes for a basis, 4·k for eigenvectors and 400 for blocks, per
// vertex: 2.8 kB with k = 200. Weights take up to 200 bytes more per vertex, and
// products with them 3 to 5 times as long.
//
// The same graph and options give the same bytes with any Workers, on one kind
// of processor. Errors are ErrOptions, ctx.Err() and those of package eigen. A
// tolerance that is not reached is not an error: the best result is returned
// with Converged false.
func LaplacianEigenmaps(ctx context.Context, g *csr.Graph, opts Options) (*vec.Matrix, Stats, error) {
	return spectral(ctx, g, MethodLaplacianEigenmaps, opts)
}

// DPSpectral embeds the vertices by the k largest (algebraic) eigenpairs of
//
//	N = D^-½ W D^-½   (Degree)    or    S^-½ W S^-½   (Strength)
//	W = D^-β C' D^-β,   C' = A² − D + A,   S = diag(row sums of W)
//
// the degree-penalty spectral method of Feng et al., Representation Learning for
// Scale-free Networks, AAAI 2018, section 3. C' counts common neighbours, and one
// more for an edge. The paper prints the normalised form as D^-½ W D^½, which is not
// symmetric and taken for a misprint; Strength is what its authors' code does.
//
// The paper has no weights. In a graph with weights A_ij is the weight w_ij over
// the mean weight and D the sums of its rows, in the penalty D^-β too, so that a
// vertex of many or of heavy edges is penalised; C' = A² − diag(A²) + A: two
// vertices are as near as the sum of w_im·w_mj over their common neighbours m,
// and w_ij more if they are adjacent. Taking weights over their mean keeps the
// balance of the two terms, and the embedding, independent of their unit.
//
// C' is never formed: a product with N is two with A. The rest is as for
// LaplacianEigenmaps, but for Degree, whose largest eigenvalue is not known: its
// tolerance is relative to the λ₁ that is found, and Joint leaves the eigenvalues
// of all components to the solver.
//
// A β so large that degrees of the graph to that power do not fit float32 is
// ErrOptions.
func DPSpectral(ctx context.Context, g *csr.Graph, opts Options) (*vec.Matrix, Stats, error) {
	return spectral(ctx, g, MethodDPSpectral, opts)
}
