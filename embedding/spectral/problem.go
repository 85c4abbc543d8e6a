package spectral

import (
	"slices"

	"heavytail/embedding/eigen"
)

// problem is the matrix of a part of the graph with its known eigenpairs.
type problem struct {
	op     *operator
	k      int            // eigenpairs wanted
	known  int            // number of known eigenpairs, with eigenvalue 1
	top    *eigen.Result  // known eigenpairs, nil if there are none
	target eigen.Operator // op without the known eigenvectors
	opts   eigen.Options  // of the solver
}

// pairs are the leading eigenpairs of a part of the graph.
type pairs struct {
	*eigen.Result
	relative []float64 // residuals over the largest eigenvalue
	degrees  []float64 // of the vertices, weighted if weights were used
	weighted bool      // weights were used
}

// pairs combines the known eigenpairs and a solution.
func (p *problem) pairs(result *eigen.Result) pairs {
	if p.top != nil {
		result = join(p.top, result)
	}
	return p.scaled(result)
}

// scaled returns a solution with the known eigenpairs in the units of the method.
func (p *problem) scaled(result *eigen.Result) pairs {
	found := pairs{Result: result, relative: result.Residuals, degrees: p.op.degrees, weighted: p.op.a.weighted}
	for i := range found.relative {
		found.relative[i] /= max(result.Values[0], minNorm)
	}
	for i := range result.Values {
		result.Values[i] *= p.op.factor
	}
	return found
}

// minNorm replaces the largest eigenvalue if it is zero, as for a zero matrix.
const minNorm = 1e-300

// join adds known eigenpairs before those of a solve, which has left columns for them.
func join(known, solved *eigen.Result) *eigen.Result {
	for i := range solved.Vectors.Rows {
		copy(solved.Vectors.Row(i), known.Vectors.Row(i))
	}
	joined := *solved
	joined.Values = slices.Concat(known.Values, solved.Values)
	joined.Residuals = slices.Concat(known.Residuals, solved.Residuals)
	joined.Products += known.Products
	if !known.Converged {
		joined.Converged, joined.Reason = false, known.Reason
	}
	return &joined
}
