package spectral

import (
	"math"

	"heavytail/storage/vec"
)

// Eigenpairs are the result of the solve of a spectral method. A scale γ and a row scale δ
// turn them into an embedding. One solve serves all values of γ and δ.
type Eigenpairs struct {
	// Vectors has one row per vertex: its entries in the eigenvectors of its part,
	// in descending order of their eigenvalues. Columns are orthonormal in each
	// part. Rows of a part with fewer eigenvectors than columns end with zeros.
	Vectors *vec.Matrix
	// Degrees are the row sums of the adjacency matrix that the solve used, in which
	// weights are divided by the mean weight of their part. They are 0 for isolated
	// vertices.
	Degrees []float64
	// Each part was solved as one matrix. With Apart the parts are the components, isolated
	// vertices included, the largest first. With Joint there is one part, with all vertices
	// that have an edge.
	Parts      []EigenPart
	Components ComponentMode
	Stats      Stats // of the solve
}

// EigenPart is a set of vertices that was solved as one matrix.
type EigenPart struct {
	Vertices []uint32
	Values   []float64 // eigenvalues, descending; none for an isolated vertex
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

// RowsTo is Rows with an earlier result to write over.
func (e *Eigenpairs) RowsTo(m *vec.Matrix, scale, rowScale float64) error {
	if err := (Options{Scale: &scale, RowScale: &rowScale}).Validate(); err != nil {
		return err
	}
	clear(m.Data)
	e.scale(m, scale, rowScale)
	return nil
}

// Leading returns the first k eigenpairs, as a solve for k coordinates finds them within
// its tolerance. If e has no more than k, it returns e itself. It takes O(n·k).
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
