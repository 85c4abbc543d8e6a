package spectral

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// LaplacianEigenmaps embeds the vertices by the k largest eigenpairs N t = λ t of
//
//	N = D^-½ A D^-½
//
// where A is the adjacency matrix and D the diagonal matrix of degrees (Belkin
// and Niyogi, Neural Computation 15, 2003: the largest of N are the smallest of
// the normalised Laplacian I − N).
//
// In a graph with weights A_ij is the weight of the edge, as in their algorithm, and every
// degree, also that of δ, is the sum of the weights of a vertex. Weights are divided by
// their mean within each part that is solved as one matrix. So their unit does not matter,
// and equal weights give the same bytes as no weights. With IgnoreWeights every edge has
// weight 1.
//
// Row v of the result is the vector of vertex v: row v of
//
//	U = D^-δ T Λ^γ,   T = [t_1 … t_k],  Λ = diag(λ_1 … λ_k)
//
// with coordinates in descending order of λ, TᵀT = I in each component, and in each column
// of T the entry of largest magnitude is positive (if several are equal, that of the lowest
// vertex). With γ > 0 the coordinates of eigenvalues that are not positive are 0. The
// trivial eigenvector D^½1 is the first coordinate, as in the paper. The parameters γ and δ
// and the treatment of components are additions to the paper: γ = δ = 0 gives the paper's
// rows of T, and γ = 0 with δ = ½ the textbook's generalised eigenvectors.
//
// With Apart every connected component is solved separately, and has as many coordinates as
// vertices, at most k; then components are moved apart, the largest staying at the origin,
// so that distances between vertices of different components are more than twice as long as
// any within one. Isolated vertices are components. Distances within components, and so
// ε-neighbourhoods, are those of the eigenvectors. Scalar products and cosines are too in
// the largest component; in the others the shift dominates them, so that the cosine of two
// vertices shows little more than whether they share a component. With Joint the whole
// graph is one matrix: eigenvalue 1 has one eigenvector for each component that has an
// edge, reported in the order of their sizes, so that in a graph of more than k components
// the coordinates show only which component a vertex is in. Isolated vertices are then at
// the origin.
//
// The solver (package eigen) does not search for known eigenvectors. It takes time
// in O((n·k + m)·k) for usual spectra, about 10 s on one core for 81,306 vertices
// and 1.34 M edges. Memory beyond the graph is at most
// 4·(1.6·k + 64) bytes for a basis, and 4·k for the result or 256 for blocks, per
// vertex: 2.4 kB with k = 200. Weights take up to 128 bytes more per vertex, and
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
//	W = D^-β C' D^-β,   C' = c·(A² − D) + A,   S = diag(row sums of W)
//
// the degree-penalty spectral method of Feng et al., Representation Learning for Scale-free
// Networks, AAAI 2018, section 3. C' counts common neighbours, and one more for an edge: c, Common,
// is 1 there. With c 0 the matrix has the entries of edges alone, a product with it takes half
// of the time, and with β 0 too it is that of [LaplacianEigenmaps].
// The paper prints the normalised form as D^-½ W D^½, which is not symmetric, and is
// assumed to be a misprint. The code of its authors uses Strength.
//
// The paper has no weights. In a graph with weights, A_ij is the weight w_ij divided by the
// mean weight, and D has the row sums of A. The penalty D^-β uses the same D, so that a
// vertex with many or heavy edges is penalised. C' = c·(A² − diag(A²)) + A: an entry is the
// sum of w_im·w_mj over the common neighbours m of i and j, times c, plus w_ij if they are
// adjacent.
// Dividing weights by their mean makes the balance of the two terms, and so the embedding,
// independent of their unit.
//
// C' is never formed: a product with N is two products with A, one with c 0. The rest is as for
// LaplacianEigenmaps, except that the largest eigenvalue of Degree is not known in advance:
// its tolerance is relative to the λ₁ that the solver finds, and with Joint the solver
// finds the leading eigenvalues of all components.
//
// The error is ErrOptions if β is so large that powers of the degrees do not fit float32.
func DPSpectral(ctx context.Context, g *csr.Graph, opts Options) (*vec.Matrix, Stats, error) {
	return spectral(ctx, g, MethodDPSpectral, opts)
}

// spectral computes the embedding with a method. It scales the eigenvectors in place, so it
// needs no further memory.
func spectral(ctx context.Context, g *csr.Graph, method string, opts Options) (*vec.Matrix, Stats, error) {
	m, _, stats, err := Embed(ctx, g, method, opts)
	return m, stats, err
}

// Embed runs [LaplacianEigenmaps] or [DPSpectral], given by its name. It also returns the
// state that [Refresh] needs later to update the vectors.
func Embed(ctx context.Context, g *csr.Graph, method string, opts Options) (*vec.Matrix, *State, Stats, error) {
	e, err := Solve(ctx, g, method, opts)
	if err != nil {
		return nil, nil, Stats{}, err
	}
	opts = opts.WithDefaults(method)
	m, state := e.Embed(*opts.Scale, *opts.RowScale)
	return m, state, e.Stats, nil
}

// Embed is [Eigenpairs.Rows] in place of the eigenvectors, without further memory. It also
// returns the state that [Refresh] needs. The scales must be in their range.
func (e *Eigenpairs) Embed(scale, rowScale float64) (*vec.Matrix, *State) {
	state := &State{Places: make([]uint32, e.Vectors.Rows)}
	state.spacing = e.scale(e.Vectors, scale, rowScale)
	for place, part := range e.Parts {
		for _, v := range part.Vertices {
			state.Places[v] = uint32(place)
		}
	}
	if rowScale != 0 {
		state.Degrees = e.Degrees
	}
	return e.Vectors, state
}

// Solve finds the eigenpairs of a spectral method, one of the names of
// this package. Options are checked and take the defaults of the method; Scale
// and RowScale change nothing. See [LaplacianEigenmaps] and [DPSpectral] for the
// matrices, cost and errors.
func Solve(ctx context.Context, g *csr.Graph, method string, opts Options) (*Eigenpairs, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	return solveInput(ctx, input{g: g}, method, opts)
}

// solveInput is Solve for options that were checked.
func solveInput(ctx context.Context, in input, method string, opts Options) (*Eigenpairs, error) {
	opts = opts.WithDefaults(method)
	m, err := spectralMethod(method, opts)
	if err != nil {
		return nil, err
	}
	if method != MethodDPSpectral {
		return solveSpectral(ctx, in, m, opts)
	}
	return solvePenalised(ctx, in, opts)
}

// solvePenalised solves for the eigenpairs of DPSpectral with options after defaults.
func solvePenalised(ctx context.Context, in input, opts Options) (*Eigenpairs, error) {
	auto, switched := opts.Normalization == Auto, false
	if auto {
		opts.Normalization = Strength
		switched = hasSwitched(&opts.Checkpoints)
	}
	var e *Eigenpairs
	var err error
	if !switched {
		m := penalised(opts)
		m.auto = auto && !m.plain() // whose normalisations are the same
		e, err = solveSpectral(ctx, in, m, opts)
		switched = errors.Is(err, errCrowded)
		if switched {
			opts.Checkpoints.From = nil // of the solve that was given up
		}
	}
	if switched {
		if opts.Normalization = Degree; opts.freeBeta {
			opts.Beta = nil
		}
		opts = opts.WithDefaults(MethodDPSpectral)
		m := penalised(opts)
		m.auto = true
		if e, err = solveSpectral(ctx, in, m, opts); err == nil {
			e.Stats.Notes = append([]string{fmt.Sprintf("normalization is 'degree', with beta %g: with 'strength' more of the largest eigenvalues of this graph lie close to 1 than can be separated, and hardly any eigenpair converged", *opts.Beta)}, e.Stats.Notes...)
		}
	}
	if err != nil {
		return nil, err
	}
	e.Stats.Normalization, e.Stats.Beta = opts.Normalization, *opts.Beta
	return e, nil
}

// solveSpectral finds the eigenpairs of a method whose options have been checked.
func solveSpectral(ctx context.Context, in input, m method, opts Options) (*Eigenpairs, error) {
	start := time.Now()
	n := in.g.Vertices()
	stats := &Stats{Dim: min(opts.Dim, n), Converged: true, Reason: eigen.ReasonConverged}
	if stats.Dim < opts.Dim {
		stats.Notes = append(stats.Notes, fmt.Sprintf("dim is %d, not %d: the graph has no more vertices", stats.Dim, opts.Dim))
	}
	s := newSolveOf(in, m, opts, stats)
	s.out = &Eigenpairs{Degrees: make([]float64, n), Components: opts.Components}
	var err error
	if opts.Components == Joint {
		err = s.joint(ctx)
	} else {
		err = s.apart(ctx)
	}
	if err != nil {
		return nil, err
	}
	if !stats.Converged {
		stats.Notes = append(stats.Notes, unconverged(m, opts, stats))
	}
	s.room()
	stats.Seconds = time.Since(start).Seconds()
	s.out.Stats = *stats
	return s.out, nil
}

// unconverged describes how far a solve is from its tolerance, and what may help.
func unconverged(m method, opts Options, stats *Stats) string {
	worst, spread := 0.0, 0.0
	for _, r := range stats.Residuals {
		worst = max(worst, r)
	}
	if n := len(stats.Eigenvalues); n > 0 && stats.Eigenvalues[0] > 0 {
		spread = 1 - stats.Eigenvalues[n-1]/stats.Eigenvalues[0]
	}
	note := stats.Reason
	if stats.Reason != eigen.ReasonStalled { // the tolerance may be reached then, by combinations of eigenvectors
		note = fmt.Sprintf("the tolerance of %g was not reached: %s", opts.Tolerance, stats.Reason)
	}
	if worst > opts.Tolerance { // not where only a smaller component missed it
		note += fmt.Sprintf("; the largest residual is %.2g", worst)
	}
	// Eigenvectors whose residual is above the mean gap between eigenvalues are
	// mixtures of each other and of further eigenvectors.
	if n := len(stats.Eigenvalues); n > 1 && (stats.Reason == eigen.ReasonStalled || worst > max(opts.Tolerance, spread/float64(n))) {
		note += fmt.Sprintf(", while all %d eigenvalues lie within %.2g of the largest: the vectors are not the eigenvectors", n, spread)
		if m.strength {
			note += "; normalization := 'degree' keeps eigenvalues apart where small dense groups crowd them at 1"
		}
	}
	return note
}
