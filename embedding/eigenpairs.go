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
	e, err := SolveSpectral(ctx, g, method, opts)
	if err != nil {
		return nil, SpectralStats{}, err
	}
	opts = opts.WithDefaults(method)
	e.scale(e.Vectors, *opts.Scale, *opts.RowScale)
	return e.Vectors, e.Stats, nil
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

// scale writes the embedding to a matrix of zeros, or over the eigenvectors.
func (e *Eigenpairs) scale(to *vec.Matrix, gamma, delta float64) {
	for _, part := range e.Parts {
		e.place(to, part, gamma, delta)
	}
	if e.Components == Apart {
		e.separate(to)
	}
}

// place writes the eigenvectors of a part, scaled, as rows of the embedding:
// D^-δ T Λ^γ.
func (e *Eigenpairs) place(to *vec.Matrix, part EigenPart, gamma, delta float64) {
	factor := make([]float64, len(part.Values))
	for j := range factor {
		switch value := part.Values[j]; {
		case gamma == 0:
			factor[j] = 1
		case value > 0:
			factor[j] = math.Pow(value, gamma)
		}
	}
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

// separate moves component c by Δ times the digits of c in the smallest base
// that the coordinates suffice for, so that two components differ by at least Δ
// in some coordinate. With R the largest norm of a row, Δ = 6R + 5, and rows of
// different components are more than 4R + 5 apart: twice the widest distance
// within a component, and beyond the radius of ε = 0.01. The largest component
// stays at the origin.
func (e *Eigenpairs) separate(m *vec.Matrix) {
	dim := m.Dim
	if len(e.Parts) < 2 {
		return
	}
	norm := 0.0
	for v := range m.Rows {
		row := m.Row(v)
		sum := 0.0
		for _, x := range row {
			sum += float64(x) * float64(x)
		}
		norm = max(norm, sum)
	}
	step := 6*math.Sqrt(norm) + 5
	base := 2
	for math.Pow(float64(base), float64(dim)) < float64(len(e.Parts)) {
		base++
	}
	for c, part := range e.Parts {
		for j, rest := 0, c; rest > 0; j, rest = j+1, rest/base {
			shift := float32(step * float64(rest%base))
			for _, v := range part.Vertices {
				m.Row(int(v))[j] += shift
			}
		}
	}
}
