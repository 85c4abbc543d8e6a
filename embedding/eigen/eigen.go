package eigen

import (
	"context"

	"heavytail/storage/vec"
)

// Solve finds the K algebraically largest eigenpairs of the operator in the complement of
// its known eigenvectors. The sign of a vector is such that its entry of largest magnitude
// (the first one, if several are equal) is positive.
//
// Solve may stop before it reaches the tolerance: at the limit of restarts, when it would
// clearly not converge within that limit, or when float32 is not precise enough. It then
// returns the best vectors found, with Converged false. An error is ctx.Err(),
// ErrNotFinite, ErrState or one of Checkpoints.Save.
func Solve(ctx context.Context, op Operator, opts Options) (*Result, error) {
	opts = opts.withDefaults()
	known := 0
	if p, ok := op.(Projector); ok {
		known = p.Known()
	}
	opts.K = min(opts.K, op.Size()-known)
	if opts.K <= 0 {
		return &Result{Vectors: vec.NewMatrix(op.Size(), opts.Lead), Converged: true, Reason: ReasonConverged}, nil
	}
	if op.Size()-known <= basisColumns(opts.K)+2*Width {
		return solveDense(ctx, op, known, opts)
	}
	s := newSolver(op, opts)
	return s.run(ctx)
}
