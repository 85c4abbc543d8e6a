package tune

import (
	"context"
	"math"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// RowScales are the powers of the degree that [RowScale] chooses from, ascending.
func RowScales() []float64 { return []float64{0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1} }

// rowScaleRows is the number of vertices by which a row scale is chosen, so that the choice
// takes a small part of the time of a solve.
const rowScaleRows = 512

// RowScale chooses the row scale δ with which eigenpairs reconstruct the graph best: of
// [RowScales] the one with the highest H3 of [evaluate.ReconstructSample], of equal ones the
// smallest; ½ where none has an H3. It also returns the H3 of each, NaN where it is
// undefined or a vector is not finite. The result does not depend on the number of workers. [RowScaleSeconds] and
// [RowScaleBytes] estimate its cost: 0.2 s of a processor for ca-GrQc with 200 coordinates.
// Errors are those of ReconstructSample and of [embedding.Eigenpairs.Rows].
func RowScale(ctx context.Context, g *csr.Graph, e *embedding.Eigenpairs, scale float64, workers int) (float64, []float64, error) {
	return bestScale(ctx, g, e, RowScales(), scale, workers)
}

// bestScale is RowScale for a list of row scales, ascending.
func bestScale(ctx context.Context, g *csr.Graph, e *embedding.Eigenpairs, scales []float64, scale float64, workers int) (float64, []float64, error) {
	rows := vec.NewMatrix(e.Vectors.Rows, e.Vectors.Dim)
	best, most := 0.5, math.Inf(-1)
	var list []float64
	for _, delta := range scales {
		if err := e.RowsTo(rows, scale, delta); err != nil {
			return 0, nil, err
		}
		if !finite(rows.Data) { // weights that differ by factors beyond those of float32
			list = append(list, math.NaN())
			continue
		}
		at, points, err := evaluate.ReconstructSample(ctx, g, rows, rowScaleRows, evaluate.ReconstructOptions{Criterion: evaluate.ByH3, Workers: workers})
		if err != nil {
			return 0, nil, err
		}
		h3 := points[at].H3
		if list = append(list, h3); h3 > most {
			best, most = delta, h3
		}
	}
	return best, list, nil
}

func finite(list []float32) bool {
	for _, x := range list {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}

// RowScaleSeconds is the approximate time of [RowScale]: that of the distances of 512 sampled
// vertices to all, once for each row scale, and of what follows from them.
func RowScaleSeconds(vertices, dim, workers int) float64 {
	return float64(len(RowScales())) * judgingSeconds(vertices, dim, workers)
}

func judgingSeconds(vertices, dim, workers int) float64 {
	rows := float64(min(rowScaleRows, vertices))
	return 0.01 + rows*float64(vertices)*float64(dim)*5e-11/float64(max(1, workers))
}

// RowScaleBytes is the memory of [RowScale] with that of the eigenpairs.
func RowScaleBytes(vertices, dim int, edges int64) int64 {
	return 8*int64(vertices)*int64(dim) + evaluate.ReconstructSampleBytes(vertices, dim, edges, rowScaleRows, evaluate.ReconstructOptions{Criterion: evaluate.ByH3})
}
