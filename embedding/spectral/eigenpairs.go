package spectral

import (
	"context"
	"errors"
	"fmt"
	"math"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Eigenpairs are what a spectral method solves for, before a scale γ and a row
// scale δ make an embedding of it. One solve serves all of them.
type Eigenpairs struct {
	// Vectors has one row per vertex: its entries in the eigenvectors of its part,
	// in descending order of their eigenvalues. Columns are orthonormal in each
	// part. Rows of a part with fewer eigenvectors than columns end with zeros.
	Vectors *vec.Matrix
	// Degrees are the row sums of the adjacency matrix as they were used: weights
	// over the mean of their part. They are 0 for isolated vertices.
	Degrees []float64
	// Parts were solved as one matrix each. With Apart they are the components,
	// the largest first, isolated vertices among them; with Joint there is one,
	// of all vertices that have an edge.
	Parts      []EigenPart
	Components ComponentMode
	Stats      Stats // of the solve
}

// EigenPart is a set of vertices that was solved as one matrix.
type EigenPart struct {
	Vertices []uint32
	Values   []float64 // eigenvalues, descending; none for an isolated vertex
}

// Solve finds the eigenpairs of a spectral method, one of the names of
// this package. Options are checked and take the defaults of the method; Scale
// and RowScale change nothing. See [LaplacianEigenmaps] and [DPSpectral] for the
// matrices, cost and errors.
func Solve(ctx context.Context, g *csr.Graph, method string, opts Options) (*Eigenpairs, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	opts = opts.WithDefaults(method)
	m, err := spectralMethod(method, opts)
	if err != nil {
		return nil, err
	}
	if method != MethodDPSpectral {
		return solveSpectral(ctx, g, m, opts)
	}
	return solvePenalised(ctx, g, opts)
}

// solvePenalised solves for the eigenpairs of DPSpectral with options after defaults.
func solvePenalised(ctx context.Context, g *csr.Graph, opts Options) (*Eigenpairs, error) {
	auto, switched := opts.Normalization == Auto, false
	if auto {
		opts.Normalization = Strength
		switched = hasSwitched(&opts.Checkpoints)
	}
	var e *Eigenpairs
	var err error
	if !switched {
		m := method{twoHops: true, strength: opts.Normalization == Strength, beta: *opts.Beta, auto: auto}
		e, err = solveSpectral(ctx, g, m, opts)
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
		if e, err = solveSpectral(ctx, g, method{twoHops: true, beta: *opts.Beta, auto: true}, opts); err == nil {
			e.Stats.Notes = append([]string{fmt.Sprintf("normalization is 'degree', with beta %g: with 'strength' more of the largest eigenvalues of this graph lie close to 1 than can be separated, and hardly any eigenpair converged", *opts.Beta)}, e.Stats.Notes...)
		}
	}
	if err != nil {
		return nil, err
	}
	e.Stats.Normalization, e.Stats.Beta = opts.Normalization, *opts.Beta
	return e, nil
}

// spectralMethod returns the matrix of a method, for options with defaults.
func spectralMethod(name string, opts Options) (method, error) {
	switch name {
	case MethodLaplacianEigenmaps:
		return method{}, nil
	case MethodDPSpectral:
		return method{twoHops: true, strength: opts.Normalization != Degree, beta: *opts.Beta}, nil
	}
	return method{}, fmt.Errorf("%w: %q is not a spectral method", base.ErrOptions, name)
}

// spectral is the embedding by a method. It needs no more memory than the eigenvectors,
// which it scales in place.
func spectral(ctx context.Context, g *csr.Graph, method string, opts Options) (*vec.Matrix, Stats, error) {
	m, _, stats, err := Embed(ctx, g, method, opts)
	return m, stats, err
}

// Embed is [LaplacianEigenmaps] or [DPSpectral], by its name. The state is what [Refresh]
// needs later to update the vectors.
func Embed(ctx context.Context, g *csr.Graph, method string, opts Options) (*vec.Matrix, *State, Stats, error) {
	e, err := Solve(ctx, g, method, opts)
	if err != nil {
		return nil, nil, Stats{}, err
	}
	opts = opts.WithDefaults(method)
	state := &State{Places: make([]uint32, g.Vertices())}
	state.spacing = e.scale(e.Vectors, *opts.Scale, *opts.RowScale)
	for place, part := range e.Parts {
		for _, v := range part.Vertices {
			state.Places[v] = uint32(place)
		}
	}
	if *opts.RowScale != 0 {
		state.Degrees = e.Degrees
	}
	return e.Vectors, state, e.Stats, nil
}

// Rows returns the embedding with a scale γ and a row scale δ, each from 0 to 4: row v of
// D^-δ T Λ^γ is the vector of vertex v, with parts moved apart if they were solved Apart.
// The eigenpairs do not change. The bytes equal those that the method returns with the
// same options. It takes O(n·k). An error is ErrOptions.
func (e *Eigenpairs) Rows(scale, rowScale float64) (*vec.Matrix, error) {
	if err := (Options{Scale: &scale, RowScale: &rowScale}).Validate(); err != nil {
		return nil, err
	}
	m := vec.NewMatrix(e.Vectors.Rows, e.Vectors.Dim)
	e.scale(m, scale, rowScale)
	return m, nil
}

// Leading returns the first k eigenpairs, as a solve for k coordinates finds them within
// its tolerance; e itself if it has no more. It takes O(n·k).
func (e *Eigenpairs) Leading(k int) *Eigenpairs {
	if k >= e.Vectors.Dim {
		return e
	}
	k = max(k, 0)
	first := *e
	first.Vectors = vec.NewMatrix(e.Vectors.Rows, k)
	for v := range e.Vectors.Rows {
		copy(first.Vectors.Row(v), e.Vectors.Row(v))
	}
	first.Parts = make([]EigenPart, len(e.Parts))
	for i, part := range e.Parts {
		first.Parts[i] = EigenPart{part.Vertices, part.Values[:min(k, len(part.Values))]}
	}
	return &first
}

// scale writes the embedding to a matrix of zeros, or over the eigenvectors.
func (e *Eigenpairs) scale(to *vec.Matrix, gamma, delta float64) spacing {
	for _, part := range e.Parts {
		e.place(to, part, gamma, delta)
	}
	if e.Components == Joint || len(e.Parts) < 2 {
		return spacing{}
	}
	s := newSpacing(to, len(e.Parts))
	for place, part := range e.Parts {
		for _, v := range part.Vertices {
			s.shift(to.Row(int(v)), uint32(place), 1)
		}
	}
	return s
}

// place writes the scaled eigenvectors of a part, D^-δ T Λ^γ, to the embedding.
func (e *Eigenpairs) place(to *vec.Matrix, part EigenPart, gamma, delta float64) {
	factor := powers(part.Values, gamma)
	for _, v := range part.Vertices {
		from, row := e.Vectors.Row(int(v)), to.Row(int(v))
		scale := 1.0
		if delta != 0 && len(factor) > 0 {
			scale = math.Pow(e.Degrees[v], -delta)
		}
		for j, f := range factor {
			row[j] = float32(scale * f * float64(from[j]))
		}
	}
}

// powers returns eigenvalues to the power γ, 0 for those that are not positive unless
// γ is 0.
func powers(values []float64, gamma float64) []float64 {
	to := make([]float64, len(values))
	for j, value := range values {
		switch {
		case gamma == 0:
			to[j] = 1
		case value > 0:
			to[j] = math.Pow(value, gamma)
		}
	}
	return to
}

// spacing is how the parts of a graph are moved apart. The part in place c moves by Step
// times the digits of c, one digit per coordinate, in the smallest base in which the
// coordinates suffice. Two parts therefore differ by at least Step in some coordinate.
// With R the largest norm of a vector, Step = 6R + 5, and vectors of different parts are
// more than 4R + 5 apart: twice the widest distance within a part, and beyond the radius
// of ε = 0.01. The part in place 0, the largest, stays at the origin.
type spacing struct {
	Step float64 // 0 where nothing is moved
	Base int
}

// newSpacing returns the spacing, for places below count ≥ 2, of vectors that are not
// moved yet.
func newSpacing(m *vec.Matrix, count int) spacing {
	norm := 0.0
	for v := range m.Rows {
		sum := 0.0
		for _, x := range m.Row(v) {
			sum += float64(x) * float64(x)
		}
		norm = max(norm, sum)
	}
	return spacingFor(norm, m.Dim, count)
}

// spacingFor returns the spacing of vectors with a largest squared norm.
func spacingFor(norm float64, dim, count int) spacing {
	s := spacing{Step: 6*math.Sqrt(norm) + 5, Base: 2}
	// The root is a little less than the base, whatever its rounding.
	s.Base = max(s.Base, int(math.Pow(float64(count), 1/float64(dim)))-1)
	for math.Pow(float64(s.Base), float64(dim)) < float64(count) {
		s.Base++
	}
	return s
}

// shift moves a vector to a place, or back from it with sign −1.
func (s spacing) shift(row []float32, place uint32, sign float64) {
	if s.Step == 0 {
		return
	}
	for j, rest := 0, int(place); rest > 0; j, rest = j+1, rest/s.Base {
		row[j] += float32(sign * s.Step * float64(rest%s.Base))
	}
}
