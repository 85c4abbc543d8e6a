package vec

// Matrix is a dense row-major matrix of float32: one embedding per row. It
// takes 4·Rows·Dim bytes. The zero value is an empty matrix. A Matrix is not
// safe for concurrent writes; concurrent reads are safe.
type Matrix struct {
	Rows int       // number of rows, one per vertex
	Dim  int       // number of columns, the dimension of the embedding
	Data []float32 // len Rows·Dim; row i is Data[i·Dim : (i+1)·Dim]
}

// hugeFrom is the number of values from which a matrix asks for huge pages: 8
// MiB. Below that they save no more time than the system call takes.
const hugeFrom = 1 << 21

// NewMatrix returns a matrix of zeros. Where the system has huge pages on request,
// a large matrix asks for them: filling it takes fewer faults, and scans of it are
// up to a fifth faster.
func NewMatrix(rows, dim int) *Matrix {
	m := &Matrix{Rows: rows, Dim: dim, Data: make([]float32, rows*dim)}
	if len(m.Data) >= hugeFrom {
		adviseHuge(m.Data)
	}
	return m
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
