package base

import (
	"context"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// MaxRowScale is the largest power of the degree by which rows are divided.
const MaxRowScale = 4

// ScaleRows divides the row of each vertex by its length to the power norm and by the degree of
// the vertex to the power scale: with norm 1 rows have length degree^−scale. A degree is a
// number of edges or, if g has weights, their sum over the mean weight. Rows of length 0 stay,
// and so do those of vertices without edges. It returns the lengths that the rows had.
// The only error is that of ctx.
func ScaleRows(ctx context.Context, g *csr.Graph, m *vec.Matrix, norm, scale float64, workers int) ([]float32, error) {
	unit, sum := 1.0, 0.0
	for _, w := range g.Weights {
		sum += float64(w)
	}
	if sum > 0 {
		unit = float64(len(g.Weights)) / sum
	}
	lengths := make([]float32, m.Rows)
	err := NewRows(g).Each(ctx, workers, func(v int) {
		degree := float64(g.Degree(uint32(v)))
		if g.Weighted() {
			degree = 0
			for _, w := range g.WeightsOf(uint32(v)) {
				degree += float64(w) * unit
			}
		}
		length := Length(m.Row(v))
		lengths[v] = float32(length)
		if length > 0 && degree > 0 {
			multiply(m.Row(v), math.Pow(length, -norm)*math.Pow(degree, -scale))
		}
	})
	return lengths, err
}

// RestoreLengths gives each row a length; rows of length 0 stay.
func RestoreLengths(m *vec.Matrix, lengths []float32) {
	for v, want := range lengths {
		if length := Length(m.Row(v)); length > 0 {
			multiply(m.Row(v), float64(want)/length)
		}
	}
}

// Length is the Euclidean length of a row.
func Length(row []float32) float64 {
	sum := 0.0
	for _, x := range row {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// multiply keeps products in a range in which squares of float32 do not overflow.
func multiply(row []float32, factor float64) {
	const most = 1e15
	for j, x := range row {
		row[j] = float32(max(-most, min(most, float64(x)*factor)))
	}
}
