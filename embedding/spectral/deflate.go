package spectral

import (
	"math"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

// deflated is an operator without its known eigenvectors, one of eigenvalue 1 for each
// component, so that the solver does not search for them. On its component C the vector
// is D^½1 for Laplacian Eigenmaps and S^½1 for Strength, scaled to length 1, and 0
// elsewhere.
type deflated struct {
	*operator
	labels []uint32 // component of each vertex; nil if there is one
	known  int
	top    []float32 // t, all vectors in one since their supports are disjoint
}

// newDeflated deflates the components with labels below count. If labels is nil, the graph
// is one component.
func newDeflated(op *operator, labels []uint32, count int) *deflated {
	d := &deflated{operator: op, labels: labels, known: count, top: make([]float32, op.Size())}
	norms := make([]float64, d.known)
	for v, t := range op.top {
		norms[d.label(v)] += t * t
	}
	for v, t := range op.top {
		if t > 0 {
			d.top[v] = float32(t / math.Sqrt(norms[d.label(v)]))
		}
	}
	return d
}

func (d *deflated) label(v int) int {
	if d.labels == nil {
		return 0
	}
	return int(d.labels[v])
}

// Known returns the number of known eigenvectors.
func (d *deflated) Known() int { return d.known }

// projectRows is the number of rows that a worker takes at a time.
const projectRows = 4096

// Project removes the known eigenvectors from every column of the block. It takes scalar
// products in float64 over fixed runs of rows and adds the runs in order. With many
// components the sums of every run would take much memory; then it sums over all rows at
// once.
func (d *deflated) Project(x []float32) {
	const b = eigen.Width
	n := d.Size()
	run := projectRows
	if d.known > 16 {
		run = max(n, 1)
	}
	size := d.known * b
	parts := make([]float64, (n+run-1)/run*size)
	vec.Parallel(n, run, d.workers, func(block, lo, hi int) {
		sums := parts[block*size:][:size]
		for v := lo; v < hi; v++ {
			t := float64(d.top[v])
			sum, row := (*[b]float64)(sums[d.label(v)*b:]), (*[b]float32)(x[v*b:])
			for j, value := range row {
				sum[j] += t * float64(value)
			}
		}
	})
	for at := size; at < len(parts); at += size {
		vec.Axpy64(1, parts[at:at+size], parts[:size])
	}
	total := make([]float32, size)
	for i := range total {
		total[i] = float32(parts[i])
	}
	vec.Parallel(n, projectRows, d.workers, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			t := d.top[v]
			sum, row := (*[b]float32)(total[d.label(v)*b:]), (*[b]float32)(x[v*b:])
			for j := range row {
				row[j] -= t * sum[j]
			}
		}
	})
}

// vectors returns the vectors of the first count components as columns.
func (d *deflated) vectors(count int) *vec.Matrix {
	m := vec.NewMatrix(d.Size(), count)
	for v, t := range d.top {
		if label := d.label(v); label < count {
			m.Row(v)[label] = t
		}
	}
	return m
}

// takeOut removes the known eigenvectors from every column of a matrix, and returns their
// inner products with the columns, known × m.Dim. It takes O(n·m.Dim), and sums in the same
// order as Project.
func (d *deflated) takeOut(m *vec.Matrix) []float64 {
	n, k := m.Rows, m.Dim
	run := projectRows
	if d.known > 16 {
		run = max(n, 1)
	}
	size := d.known * k
	parts := make([]float64, max((n+run-1)/run, 1)*size)
	vec.Parallel(n, run, d.workers, func(block, lo, hi int) {
		sums := parts[block*size:][:size]
		for v := lo; v < hi; v++ {
			t, sum := float64(d.top[v]), sums[d.label(v)*k:][:k]
			for j, x := range m.Row(v) {
				sum[j] += t * float64(x)
			}
		}
	})
	total := parts[:size]
	for at := size; at < len(parts); at += size {
		vec.Axpy64(1, parts[at:at+size], total)
	}
	d.put(m.Panel(0, k), total, -1)
	return total
}

// put adds to each row of a panel the row of c for the vertex's component, multiplied by
// sign and by the vertex's entry in the eigenvector of that component. Components beyond
// the rows of c are skipped.
func (d *deflated) put(p vec.Panel, c []float64, sign float32) {
	rows := vec.Float32s(c)
	vec.Parallel(p.Rows, projectRows, d.workers, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			if at := d.label(v) * p.Cols; at < len(rows) {
				vec.Axpy(sign*d.top[v], rows[at:at+p.Cols], p.Data[v*p.Stride:][:p.Cols])
			}
		}
	})
}
