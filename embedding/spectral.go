package embedding

import (
	"context"
	"io"

	"heavytail/embedding/eigen"
	"heavytail/embedding/spectral"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Names of the spectral methods, as the language and stored embeddings spell them.
const (
	MethodLaplacianEigenmaps = spectral.MethodLaplacianEigenmaps
	MethodDPSpectral         = spectral.MethodDPSpectral
)

// SpectralOptions are the parameters of LaplacianEigenmaps and DPSpectral. The zero value
// takes every default. Parameters for which zero means something are pointers, nil for
// the default: SpectralOptions{Beta: new(0.0)}.
type SpectralOptions = spectral.Options

// SpectralStats describe a finished solve.
type SpectralStats = spectral.Stats

// Normalization says which diagonal matrix normalises the penalised common-neighbour
// matrix W of DPSpectral.
type Normalization = spectral.Normalization

const (
	// Auto is Strength, or Degree where hardly any eigenpair of Strength converges.
	Auto = spectral.Auto
	// Strength divides by the row sums of W, as the authors' published code does.
	Strength = spectral.Strength
	// Degree divides by the degrees of the graph, the constraint UᵀDU = I of the paper.
	Degree = spectral.Degree
)

// ComponentMode says how the connected components of a graph share the coordinates of
// its embedding.
type ComponentMode = spectral.ComponentMode

const (
	// Apart solves every component alone and moves the components so far apart that no
	// ε-neighbourhood joins two of them.
	Apart = spectral.Apart
	// Joint solves the whole graph as one matrix, as the paper does.
	Joint = spectral.Joint
)

// LaplacianEigenmaps embeds the vertices by the leading eigenvectors of D^-½ A D^-½
// (Belkin and Niyogi, Neural Computation 15, 2003). Row v of the result is the vector of
// vertex v. See [spectral.LaplacianEigenmaps] for weights, components, cost and errors.
func LaplacianEigenmaps(ctx context.Context, g *csr.Graph, opts SpectralOptions) (*vec.Matrix, SpectralStats, error) {
	return spectral.LaplacianEigenmaps(ctx, g, opts)
}

// DPSpectral embeds the vertices by the degree-penalty spectral method of Feng et al.
// (AAAI 2018). Row v of the result is the vector of vertex v. See [spectral.DPSpectral]
// for the matrix, weights, cost and errors.
func DPSpectral(ctx context.Context, g *csr.Graph, opts SpectralOptions) (*vec.Matrix, SpectralStats, error) {
	return spectral.DPSpectral(ctx, g, opts)
}

// Spectral is [LaplacianEigenmaps] or [DPSpectral], by its name. The state is what
// [RefreshSpectral] needs later.
func Spectral(ctx context.Context, g *csr.Graph, method string, opts SpectralOptions) (*vec.Matrix, *SpectralState, SpectralStats, error) {
	return spectral.Embed(ctx, g, method, opts)
}

// Eigenpairs are what a spectral method solves for, before a scale γ and a row scale δ
// make an embedding of it. One solve serves all scales.
type Eigenpairs = spectral.Eigenpairs

// EigenPart is a set of vertices that was solved as one matrix.
type EigenPart = spectral.EigenPart

// SolveSpectral finds the eigenpairs of a spectral method. Scale and RowScale of the
// options change nothing.
func SolveSpectral(ctx context.Context, g *csr.Graph, method string, opts SpectralOptions) (*Eigenpairs, error) {
	return spectral.Solve(ctx, g, method, opts)
}

// EdgeLists are adjacency lists that are read again for each product, so that the edges need
// not be in memory. storage.Lists are those of a graph in a file.
type EdgeLists = spectral.Lists

// EdgeListStats describe how SpectralLists read its edges.
type EdgeListStats = spectral.ListStats

// SpectralLists is [Spectral] for a graph whose edges are not in memory, with the same bits.
// At most bytes bytes of edges are in memory at a time. See [spectral.SolveLists].
func SpectralLists(ctx context.Context, lists EdgeLists, bytes int64, method string, opts SpectralOptions) (*vec.Matrix, *SpectralState, SpectralStats, EdgeListStats, error) {
	return spectral.EmbedLists(ctx, lists, bytes, method, opts)
}

// SpectralBytes estimates the memory of a spectral method without the graph: its basis, 1.6
// times dim and some columns of 4 bytes per vertex, and the result.
func SpectralBytes(g *csr.Graph, method string, o SpectralOptions) int64 {
	return spectral.Bytes(g, method, o)
}

// SpectralGivesBack reports whether a spectral method of a graph of n vertices leaves no garbage,
// because it returns large memory to the system as soon as it does not need it any more.
func SpectralGivesBack(n int, o SpectralOptions) bool { return eigen.GivesBack(n, min(o.Dim, n)) }

// SpectralSeconds estimates how long a spectral method takes on this machine, from the
// speed of its two kernels on this graph. As a rule the estimate is within a factor of
// three. It takes about a tenth of a second.
func SpectralSeconds(ctx context.Context, g *csr.Graph, method string, o SpectralOptions) (float64, error) {
	return spectral.Seconds(ctx, g, method, o)
}

// SpectralState is what RefreshSpectral needs next to the vectors of an embedding.
type SpectralState = spectral.State

// ErrState is wrapped by the errors of a SpectralState that cannot be read.
var ErrState = spectral.ErrState

// NoPlace is the place, in SpectralState, of a vertex without a vector.
const NoPlace = spectral.NoPlace

// RefreshTolerance is the default of the largest residual of refreshed eigenvectors,
// relative to the largest eigenvalue.
const RefreshTolerance = spectral.RefreshTolerance

// ReadSpectralState reads what SpectralState.Write wrote for an embedding with this many
// vertices and coordinates. Other bytes are ErrState.
func ReadSpectralState(r io.Reader, vertices, dim int) (*SpectralState, error) {
	return spectral.ReadState(r, vertices, dim)
}

// RefreshSpectral updates the vectors of a spectral embedding for a graph that has
// changed, in a fraction of the time of a full run. See [spectral.Refresh].
func RefreshSpectral(ctx context.Context, g *csr.Graph, method string, opts SpectralOptions, old *vec.Matrix, state *SpectralState, touched []uint32, tolerance float64) (*vec.Matrix, *SpectralState, SpectralStats, RefreshStats, error) {
	return spectral.Refresh(ctx, g, method, opts, old, state, touched, tolerance)
}

// Angles returns the principal angles between the spaces that the columns of two matrices
// with the same number of rows span, in radians, ascending. See [spectral.Angles].
func Angles(ctx context.Context, a, b *vec.Matrix, workers int) ([]float64, error) {
	return spectral.Angles(ctx, a, b, workers)
}
