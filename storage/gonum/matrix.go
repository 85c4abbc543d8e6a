package gonum

import (
	"gonum.org/v1/gonum/mat"

	"heavytail/storage/vec"
)

// Matrix is a view of a vec.Matrix, such as the vectors of an embedding, as a matrix of
// gonum: row v is the vector of vertex v. For a function that needs a *mat.Dense, copy the
// view with mat.DenseCopyOf; the copy takes 8 bytes for each value.
type Matrix struct{ m *vec.Matrix }

var _ mat.Matrix = Matrix{}

// NewMatrix returns a view of m.
func NewMatrix(m *vec.Matrix) Matrix { return Matrix{m} }

// Dims returns the number of vectors and of their coordinates.
func (m Matrix) Dims() (rows, columns int) { return m.m.Rows, m.m.Dim }

// At returns coordinate j of vector i. It panics if i or j is out of range.
func (m Matrix) At(i, j int) float64 {
	if j < 0 || j >= m.m.Dim {
		panic(mat.ErrColAccess)
	}
	if i < 0 || i >= m.m.Rows {
		panic(mat.ErrRowAccess)
	}
	return float64(m.m.Row(i)[j])
}

// T returns the transpose, without copying.
func (m Matrix) T() mat.Matrix { return mat.Transpose{Matrix: m} }
