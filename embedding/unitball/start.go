package unitball

import (
	"fmt"
	"math"
	"math/rand/v2"

	"heavytail/storage/vec"
)

const (
	startLength = 1.2
	// noise is the length, relative to the rows, of the random vectors that are added
	// to given start rows, so that equal rows become different.
	noise = 0.05
)

// begin returns rows of length 1.2: random rows, or given start rows with a little
// noise. In one dimension the root mean square of the rows is 1.2: rows of equal length
// would be at two points, from which vertices at the same point could not move apart. Row v of
// the start is of vertex order[v] of the graph, or of v if order is nil.
func begin(n int, o Options, order []uint32) (*vec.Matrix, error) {
	if o.Start != nil && (o.Start.Rows != n || o.Start.Dim != o.Dim) {
		return nil, fmt.Errorf("%w: they are %d × %d, not %d × %d", ErrStart, o.Start.Rows, o.Start.Dim, n, o.Dim)
	}
	x := vec.NewMatrix(n, o.Dim)
	random := rand.New(rand.NewPCG(o.Seed, 0))
	startOf := func(v int) []float32 {
		if order != nil {
			v = int(order[v])
		}
		return o.Start.Row(v)
	}
	if o.Dim == 1 {
		return x, beginLine(x.Data, o.Start, startOf, random)
	}
	direction := make([]float64, o.Dim)
	for v := range n {
		row := x.Row(v)
		for i := range row {
			row[i] = float32(random.NormFloat64())
		}
		if o.Start == nil {
			setLength(row, row, direction, 0)
		} else if err := setLength(row, startOf(v), direction, noise); err != nil {
			return nil, fmt.Errorf("row %d: %w", v, err)
		}
	}
	return x, nil
}

// beginLine sets x to random numbers, or to the start rows, which have one coordinate, with
// a little noise; rows that are 0 get random numbers.
func beginLine(x []float32, start *vec.Matrix, startOf func(v int) []float32, random *rand.Rand) error {
	scale := 0.0
	if start != nil {
		size := length(start.Data)
		if math.IsNaN(size) || math.IsInf(size, 0) {
			return fmt.Errorf("%w: they are not all finite", ErrStart)
		}
		scale = math.Sqrt(float64(len(x))) / max(size, math.SmallestNonzeroFloat32)
	}
	for v := range x {
		y := random.NormFloat64()
		if start != nil && startOf(v)[0] != 0 {
			y = noise*y + scale*float64(startOf(v)[0])
		}
		x[v] = float32(y)
	}
	by := startLength * math.Sqrt(float64(len(x))) / max(length(x), math.SmallestNonzeroFloat32)
	for v := range x {
		x[v] = float32(by * float64(x[v]))
	}
	return nil
}

// setLength sets row to the direction of from and, by a part, that of row itself,
// and to the length of a start. If from is zero, the direction is that of row.
func setLength(row, from []float32, sum []float64, part float64) error {
	scale := 1 / max(length(from), math.SmallestNonzeroFloat32)
	if math.IsNaN(scale) || math.IsInf(length(from), 0) {
		return fmt.Errorf("%w: it is not finite", ErrStart)
	}
	own := part / max(length(row), math.SmallestNonzeroFloat32)
	if length(from) == 0 {
		own = 1
	}
	square := 0.0
	for i := range sum {
		sum[i] = scale*float64(from[i]) + own*float64(row[i])
		square += sum[i] * sum[i]
	}
	by := startLength / math.Sqrt(square)
	for i := range sum {
		row[i] = float32(by * sum[i])
	}
	return nil
}

func length(x []float32) float64 {
	square := 0.0
	for _, y := range x {
		square += float64(y) * float64(y)
	}
	return math.Sqrt(square)
}
