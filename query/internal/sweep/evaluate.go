package sweep

import (
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/cells"
	"heavytail/query/rows"
)

// EvaluationRow is a point with the power law of its degrees.
func EvaluationRow(p evaluate.ReconstructionPoint) []rows.Value {
	row, fitted := PointRow(p), p.Law.Xmin > 0
	return slices.Insert(row, len(row)-2, cells.When(fitted, cells.Number(p.Law.Alpha)), cells.When(fitted, int64(p.Law.Xmin)), cells.Number(p.KS()))
}
