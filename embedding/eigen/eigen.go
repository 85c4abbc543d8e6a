package eigen

import (
	"context"

	"heavytail/storage/vec"
)

// Solve finds the K algebraically largest eigenpairs of the operator in the
// complement of its known eigenvectors. The sign of a vector is such that its
// entry of largest magnitude, the first of equals, is positive.
//
// If the tolerance is not reached, because of the limit of restarts, because it would not
// be reached within that limit, or because float32 is not precise enough, the best vectors
// found are returned with Converged false.
// An error is ctx.Err(), ErrNotFinite, ErrState or one of Checkpoints.Save.
func Solve(ctx context.Context, op Operator, opts Options) (*Result, error) {
	opts = opts.withDefaults()
	known := 0
	if p, ok := op.(Projector); ok {
		known = p.Known()
	}
	opts.K = min(opts.K, op.Size()-known)
	if opts.K <= 0 {
		return &Result{Vectors: vec.NewMatrix(op.Size(), 0), Converged: true, Reason: ReasonConverged}, nil
	}
	if op.Size()-known <= basisColumns(opts.K)+2*Width {
		return solveDense(ctx, op, known, opts)
	}
	s := newSolver(op, opts)
	return s.run(ctx)
}
