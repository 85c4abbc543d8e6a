package embedding

import (
	"context"

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
	// Degree divides by the degrees of the graph: D^-½ W D^-½, the paper's
	// constraint UᵀDU = I.
	Degree Normalization = iota
	// Strength divides by the row sums of W: S^-½ W S^-½, what the authors'
	// published code does. The largest eigenvalue of a component is then 1.
	Strength
)

// String returns the name of the normalisation in the language.
func (n Normalization) String() string {
	switch n {
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
	// Apart solves every component by itself and places the results so far
	// from each other that no ε-neighbourhood joins two components.
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

// SpectralOptions are the parameters of LaplacianEigenmaps and DPSpectral. The
// zero value takes every default. Parameters for which zero means something are
// pointers, nil for the default: SpectralOptions{Beta: new(0.0)}.
type SpectralOptions struct {
	Dim           int           // coordinates per vertex; 0 is 200; capped at the number of vertices
	Beta          *float64      // β, the degree penalty; DPSpectral only
	Normalization Normalization // DPSpectral only
	Scale         *float64      // γ: every coordinate is scaled by its eigenvalue to this power
	RowScale      *float64      // δ: every row is divided by its degree to this power
	Tolerance     float64       // largest accepted residual ‖Nt − λt‖ / λ₁; 0 is 1e-4
	MaxIterations int           // restarts of the eigensolver; 0 is 60
	Seed          uint64        // of the random start
	Components    ComponentMode // Apart or Joint
	Workers       int           // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Progress, if not nil, hears of the stage "solving": coordinates that
	// have converged, of all.
	Progress func(stage string, done, total int64)
}

// SpectralStats describe a finished solve.
type SpectralStats struct {
	Dim         int       // coordinates of the result
	Eigenvalues []float64 // of the largest component (of the graph if Joint), descending
	Residuals   []float64 // ‖Nt − λt‖ / λ₁ of each, measured with the final vectors
	Components  int       // connected components of the graph
	Iterations  int       // restarts of the eigensolver, summed over components
	Products    int       // products of N with one vector, summed over components
	Converged   bool      // every residual is within the tolerance
	Seconds     float64   // wall time
	Reason      string    // why the solve ended, in words
}

// LaplacianEigenmaps embeds the vertices by the largest eigenpairs of D^-½ A D^-½.
func LaplacianEigenmaps(ctx context.Context, g *csr.Graph, opts SpectralOptions) (*vec.Matrix, SpectralStats, error) {
	return spectral(ctx, g, MethodLaplacianEigenmaps, opts)
}

// DPSpectral embeds the vertices by the largest eigenpairs of D^-½ W D^-½ or
// S^-½ W S^-½, W = D^-β (A² − D + A) D^-β.
func DPSpectral(ctx context.Context, g *csr.Graph, opts SpectralOptions) (*vec.Matrix, SpectralStats, error) {
	return spectral(ctx, g, MethodDPSpectral, opts)
}
