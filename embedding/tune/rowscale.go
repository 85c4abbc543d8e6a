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
func RowScales() []float64 { return []float64{0, 0.125, 0.25, 0.5} }

// rowScaleRows is the number of vertices by which a row scale is chosen, so that the choice
// takes a small part of the time of a solve.
const rowScaleRows = 512

// RowScale chooses the row scale δ with which eigenpairs reconstruct the graph best: of
// [RowScales] the one with the highest H3 of [evaluate.ReconstructSample], of equal ones the
// smallest; ½ where none has an H3. It also returns the H3 of each, NaN where it is
// undefined. The result does not depend on the number of workers. It takes the time of as
// many estimates, about 10⁻¹⁰ s for each of 512 sampled vertices, each vertex and each
// coordinate, and the memory of one embedding. Errors are those of ReconstructSample and of
// [embedding.Eigenpairs.Rows].
func RowScale(ctx context.Context, g *csr.Graph, e *embedding.Eigenpairs, scale float64, workers int) (float64, []float64, error) {
	rows := vec.NewMatrix(e.Vectors.Rows, e.Vectors.Dim)
	best, most := 0.5, math.Inf(-1)
	var list []float64
	for _, delta := range RowScales() {
		if err := e.RowsTo(rows, scale, delta); err != nil {
			return 0, nil, err
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
