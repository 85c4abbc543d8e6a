package embedding

import (
	"context"
	"fmt"
	"math"

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
	Stats      SpectralStats // of the solve
}

// EigenPart is a set of vertices that was solved as one matrix.
type EigenPart struct {
	Vertices []uint32
	Values   []float64 // eigenvalues, descending; none for an isolated vertex
}

// SolveSpectral finds the eigenpairs of a spectral method, one of the names of
// this package. Options are checked and take the defaults of the method; Scale
// and RowScale change nothing. See [LaplacianEigenmaps] and [DPSpectral] for the
// matrices, cost and errors.
func SolveSpectral(ctx context.Context, g *csr.Graph, method string, opts SpectralOptions) (*Eigenpairs, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	m, err := spectralMethod(method, opts.WithDefaults(method))
	if err != nil {
		return nil, err
	}
	return solveSpectral(ctx, g, m, opts.WithDefaults(method))
}

// spectralMethod returns the matrix that a method with options after defaults
// is about.
func spectralMethod(name string, opts SpectralOptions) (method, error) {
	switch name {
	case MethodLaplacianEigenmaps:
		return method{}, nil
	case MethodDPSpectral:
		return method{twoHops: true, strength: opts.Normalization == Strength, beta: *opts.Beta}, nil
	}
	return method{}, fmt.Errorf("%w: %q is no method that solves for eigenvectors", ErrOptions, name)
}

// spectral is the embedding by a method. It needs no more memory than the
// eigenvectors, which become its rows.
func spectral(ctx context.Context, g *csr.Graph, method string, opts SpectralOptions) (*vec.Matrix, SpectralStats, error) {
	m, _, stats, err := Spectral(ctx, g, method, opts)
	return m, stats, err
}

// Spectral is [LaplacianEigenmaps] or [DPSpectral], by its name, with what
// [RefreshSpectral] needs later to bring the rows up to date.
func Spectral(ctx context.Context, g *csr.Graph, method string, opts SpectralOptions) (*vec.Matrix, *SpectralState, SpectralStats, error) {
	e, err := SolveSpectral(ctx, g, method, opts)
	if err != nil {
		return nil, nil, SpectralStats{}, err
	}
	opts = opts.WithDefaults(method)
	state := &SpectralState{Places: make([]uint32, g.Vertices())}
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

// Rows returns the embedding with a scale γ and a row scale δ, each from 0 to 4:
// the rows of D^-δ T Λ^γ, with parts moved apart if they were solved Apart. The
// eigenpairs stay as they are. The bytes are those that the method returns with
// the same options. It takes O(n·k). An error is ErrOptions.
func (e *Eigenpairs) Rows(scale, rowScale float64) (*vec.Matrix, error) {
	if err := (SpectralOptions{Scale: &scale, RowScale: &rowScale}).Validate(); err != nil {
		return nil, err
	}
	m := vec.NewMatrix(e.Vectors.Rows, e.Vectors.Dim)
	e.scale(m, scale, rowScale)
	return m, nil
}

// Leading returns the first eigenpairs, as a solve for so many coordinates finds
// them within its tolerance. All that there are come back as they are. It takes
// O(n·k).
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

// place writes the eigenvectors of a part, scaled, as rows of the embedding:
// D^-δ T Λ^γ.
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

// spacing says how the parts of a graph are moved apart. The part in place c is
// moved by Step times the digits of c in the smallest base that the coordinates
// suffice for, so that two parts differ by at least Step in some coordinate. With
// R the largest norm of a row, Step = 6R + 5, and rows of different parts are more
// than 4R + 5 apart: twice the widest distance within a part, and beyond the
// radius of ε = 0.01. The part in place 0, the largest, stays at the origin.
type spacing struct {
	Step float64 // 0 where nothing is moved
	Base int
}

// newSpacing finds the spacing of rows that are not moved yet for places below
// count, which is at least 2.
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

// spacingFor finds the spacing of rows with a largest squared norm.
func spacingFor(norm float64, dim, count int) spacing {
	s := spacing{Step: 6*math.Sqrt(norm) + 5, Base: 2}
	// The root is a little less than the base, whatever its rounding.
	s.Base = max(s.Base, int(math.Pow(float64(count), 1/float64(dim)))-1)
	for math.Pow(float64(s.Base), float64(dim)) < float64(count) {
		s.Base++
	}
	return s
}

// shift moves a row to a place, or back from it with sign −1.
func (s spacing) shift(row []float32, place uint32, sign float64) {
	if s.Step == 0 {
		return
	}
	for j, rest := 0, int(place); rest > 0; j, rest = j+1, rest/s.Base {
		row[j] += float32(sign * s.Step * float64(rest%s.Base))
	}
}
