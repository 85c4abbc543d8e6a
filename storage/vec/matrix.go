package vec

import "unsafe"

// Matrix is a dense row-major matrix of float32: one embedding per row. It
// takes 4·Rows·Dim bytes. The zero value is an empty matrix. A Matrix is not
// safe for concurrent writes; concurrent reads are safe.
type Matrix struct {
	Rows int       // number of rows, one per vertex
	Dim  int       // number of columns, the dimension of the embedding
	Data []float32 // len Rows·Dim; row i is Data[i·Dim : (i+1)·Dim]
}

// NewMatrix returns a matrix of zeros, which are those of [Zeros].
func NewMatrix(rows, dim int) *Matrix {
	return &Matrix{Rows: rows, Dim: dim, Data: Zeros[float32](rows * dim)}
}

// hugePage is the size of a huge page in bytes.
const hugePage = 2 << 20

// Zeros returns a slice of n zero values, of a type without pointers. Where the system has huge pages on
// request, a slice of 2 MiB or more begins on one and asks for them, the last one if half of it is used.
// Reading it in random order is up to twice as fast, since the processor finds the place of a huge page
// more quickly than those of 512 small ones; filling it takes fewer faults, of which one can take as long
// as copying a page ten times; and scans are up to a fifth faster.
func Zeros[T any](n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if n*size < hugePage {
		return make([]T, n)
	}
	pages := (n*size + hugePage/2) / hugePage
	numbers := make([]T, (max(n*size, pages*hugePage)+hugePage)/size+1)
	first := unsafe.Pointer(unsafe.SliceData(numbers))
	before := -int(uintptr(first)) & (hugePage - 1) // bytes before the first huge page
	skip := (before + size - 1) / size
	adviseHuge(unsafe.Slice((*byte)(unsafe.Add(first, before)), pages*hugePage))
	return numbers[skip : skip+n : skip+n]
}

// Row returns row i. The slice aliases the matrix and its capacity ends with
// the row.
func (m *Matrix) Row(i int) []float32 {
	lo, hi := i*m.Dim, (i+1)*m.Dim
	return m.Data[lo:hi:hi]
}

// Panel is a strided view of columns of a row-major matrix: element (i, j) is
// Data[i·Stride+j]. Products of tall and narrow matrices work on panels, so
// that a basis can grow by columns without being copied.
type Panel struct {
	Data   []float32
	Rows   int
	Cols   int
	Stride int // elements from one row to the next, at least Cols
}

// Panel returns the columns [lo, hi) of the matrix as a view of its data.
func (m *Matrix) Panel(lo, hi int) Panel {
	if m.Rows == 0 {
		return Panel{Cols: hi - lo, Stride: m.Dim}
	}
	return Panel{Data: m.Data[lo:], Rows: m.Rows, Cols: hi - lo, Stride: m.Dim}
}
