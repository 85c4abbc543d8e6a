package embedding

import (
	"context"
	"fmt"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// operator is the matrix of a spectral method: with s a diagonal matrix,
//
//	s A s              (Laplacian Eigenmaps)
//	s (A² − D + A) s   (DP-Spectral)
//
// It keeps 8 bytes per vertex and a block of scratch for one product, 64 bytes
// per vertex, or 128 for DP-Spectral. It is not safe for concurrent use.
type operator struct {
	g       *csr.Graph
	twoHops bool
	s       []float32 // 0 at isolated vertices
	workers int

	// rows[i]:rows[i+1] is a part of the vertices of about partArcs neighbours,
	// so that hubs do not make parts unequal.
	rows []int

	// factor is what eigenvalues have to be multiplied by: s is scaled so that
	// it is at most 1 for the vertices of smallest degree.
	factor float64

	top          []float64 // eigenvector of the known eigenvalue 1, not normalised
	scaled, once []float32 // s·x and A·s·x
}

// partArcs is the work of one task of a product: some 0.1 ms, so that a
// cancelled context is seen at once and two cores end together.
const partArcs = 1 << 15

func newOperator(g *csr.Graph, method method, workers int) (*operator, error) {
	n := g.Vertices()
	op := &operator{g: g, twoHops: method.twoHops, workers: workers}
	op.rows = partition(g, partArcs)
	op.scaled = make([]float32, n*eigen.Width)
	if op.twoHops {
		op.once = make([]float32, n*eigen.Width)
	}
	s, top, factor := method.scaling(g)
	op.top = top
	op.factor = factor
	if err := checkRange(g, method, s); err != nil {
		return nil, err
	}
	op.s = make([]float32, n)
	for v, x := range s {
		if x > 1e-25 { // its products stay normal numbers
			op.s[v] = float32(x)
		}
	}
	return op, nil
}

// checkRange refuses a penalty with which float32 cannot hold the matrix. The
// diagonal of A² is added and taken away again in a product, so rounding errors
// are 2⁻²⁴·s²·d; where all neighbours of a vertex have much larger degrees than
// its own they exceed all that is left.
func checkRange(g *csr.Graph, m method, s []float64) error {
	if !m.twoHops {
		return nil
	}
	// The largest eigenvalue is 1, or at least the Rayleigh quotient of s.
	largest, diagonal := 1.0, 0.0
	squares := make([]float64, len(s))
	for v, x := range s {
		squares[v] = x * x
		diagonal = max(diagonal, squares[v]*float64(g.Degree(uint32(v))))
	}
	if !m.strength {
		once := neighborSums(g, squares)
		twice := neighborSums(g, once)
		above, below := 0.0, 0.0
		for v, x := range squares {
			above += x * (twice[v] - float64(g.Degree(uint32(v)))*x + once[v])
			below += x
		}
		if below == 0 {
			return nil
		}
		largest = above / below
	}
	const precision = 0x1p-24
	if !(precision*diagonal <= 1e-4*largest) {
		return fmt.Errorf("%w: beta (%g) is too large for the degrees of this graph: its matrix exceeds single precision", ErrOptions, m.beta)
	}
	return nil
}

// partition cuts the vertices into parts of about the given number of arcs.
func partition(g *csr.Graph, arcs int64) []int {
	n := g.Vertices()
	rows := []int{0}
	work := int64(0)
	for v := range n {
		work += int64(g.Degree(uint32(v))) + 4 // the row itself costs something too
		if work >= arcs {
			rows, work = append(rows, v+1), 0
		}
	}
	if rows[len(rows)-1] < n {
		rows = append(rows, n)
	}
	return rows
}

// Size returns the number of vertices.
func (op *operator) Size() int { return op.g.Vertices() }

// gathers is the number of rows of a block that a product reads.
func (op *operator) gathers() int64 {
	if op.twoHops {
		return 2 * int64(len(op.g.Targets))
	}
	return int64(len(op.g.Targets))
}

// Apply sets y to alpha·N·x + beta·x + gamma·y.
func (op *operator) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	const b = eigen.Width
	if err := op.each(ctx, func(v int) {
		s := op.s[v]
		to, from := (*[b]float32)(op.scaled[v*b:]), (*[b]float32)(x[v*b:])
		for j := range to {
			to[j] = s * from[j]
		}
	}); err != nil {
		return err
	}
	source := op.scaled
	if op.twoHops {
		if err := op.each(ctx, func(v int) { op.gather(op.once[v*b:(v+1)*b], op.scaled, v) }); err != nil {
			return err
		}
		source = op.once
	}
	return op.each(ctx, func(v int) {
		var sum [b]float32
		op.gather(sum[:], source, v)
		if op.twoHops { // A²: less the diagonal, plus A
			d := float32(op.g.Degree(uint32(v)))
			scaled, once := (*[b]float32)(op.scaled[v*b:]), (*[b]float32)(op.once[v*b:])
			for j := range sum {
				sum[j] += once[j] - d*scaled[j]
			}
		}
		s := alpha * op.s[v]
		to, from := (*[b]float32)(y[v*b:]), (*[b]float32)(x[v*b:])
		if gamma == 0 {
			for j := range sum {
				to[j] = s*sum[j] + beta*from[j]
			}
			return
		}
		for j := range sum {
			to[j] = s*sum[j] + beta*from[j] + gamma*to[j]
		}
	})
}

func (op *operator) gather(dst, x []float32, v int) {
	lo, hi := op.g.Offsets[v], op.g.Offsets[v+1]
	vec.GatherSum(dst, x, eigen.Width, op.g.Targets[lo:hi])
}

// each calls f for every vertex, part by part.
func (op *operator) each(ctx context.Context, f func(v int)) error {
	vec.Parallel(len(op.rows)-1, 1, op.workers, func(part, _, _ int) {
		if ctx.Err() != nil {
			return
		}
		for v := op.rows[part]; v < op.rows[part+1]; v++ {
			f(v)
		}
	})
	return ctx.Err()
}
