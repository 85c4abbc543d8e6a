package netmf

import (
	"context"
	"math"
	"sync"
	"time"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// NetMF computes vectors from the best approximation of rank k of the matrix
//
//	N = log max(M, 1),      M = vol(G)/(b·T) · (P + P² + … + Pᵀ) · D⁻¹
//
// elementwise, for walks of T steps and b negative samples (algorithm 3 of the paper, for
// a small window). M is symmetric and so is N, so that the singular vectors are
// eigenvectors and the singular values the magnitudes of eigenvalues. Row v of the result
// is row v of U·|Λ|^½ with the k eigenpairs of largest magnitude, by descending magnitude
// as computed: eigenvalues that are equal but for sign, as of a bipartite graph with one
// step, come in the order of their rounding errors. In each column the entry of largest
// magnitude is positive; if several are equal, that of the lowest place in the order of
// components by descending size. N ≈ U·Λ·Uᵀ: inner products of the rows, with the signs of
// Stats.Eigenvalues, are the entries of N.
//
// The paper computes a randomised singular value decomposition. Here the eigenvectors have
// residuals of at most 10⁻⁴ of the largest eigenvalue. The sum of squares that the
// approximation leaves is within 10⁻⁷ of the least possible one on cora with k 64 and 200,
// and within 10⁻³ in the tests.
//
// A vertex whose row of N is zero, such as one without edges, is at the origin. Columns
// beyond the rank of N are zero. Cost: 16 multiply-adds for each arc in each of T·n/16
// products, where vertices with the same neighbours count once, and some hundred products with N in O(k·entries + n·k²). Memory: 8 bytes for
// each entry of N, some 200 for each vertex and worker in the first phase, and some 12·k
// for each vertex in the second. Errors are ErrOptions, *EntriesError and that of ctx.
func NetMF(ctx context.Context, g *csr.Graph, o Options) (*vec.Matrix, Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, Stats{}, err
	}
	o = o.WithDefaults()
	began := time.Now()
	s := newSteps(g, o)
	estimate, err := s.estimate(ctx)
	if err != nil {
		return nil, Stats{}, err
	}
	// Refuse at once if the sample leaves no doubt.
	tooMany := &EntriesError{Vertices: len(s.order), Entries: max(estimate.entries, int64(o.Entries)+1), Limit: int64(o.Entries)}
	if estimate.least > tooMany.Limit {
		return nil, Stats{}, tooMany
	}
	m, fits, err := s.matrix(ctx, tooMany.Limit, rowProgress(o, len(s.order)))
	if err != nil {
		return nil, Stats{}, err
	}
	if !fits {
		return nil, Stats{}, tooMany
	}
	e, err := m.ends(ctx, o)
	if err != nil {
		return nil, Stats{}, err
	}
	rows := vec.NewMatrix(g.Vertices(), o.Dim)
	vec.Parallel(m.n, width, o.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if targets, _ := m.of(i); len(targets) == 0 {
				continue // its entries in the eigenvectors are rounding errors
			}
			row := rows.Row(int(s.order[i]))
			for j, p := range e.pairs {
				row[j] = float32(math.Sqrt(math.Abs(p.value))) * p.vectors.Row(i)[p.column]
			}
		}
	})
	if *o.RowNorm != 0 || *o.RowScale != 0 {
		if _, err := base.ScaleRows(ctx, s.g, rows, *o.RowNorm, *o.RowScale, o.Workers); err != nil {
			return nil, Stats{}, err
		}
	}
	stats := e.stats()
	stats.Weighted, stats.Entries = s.g.Weighted(), m.entries
	if len(e.pairs) == 0 {
		stats.Notes = append(stats.Notes, "all vectors are 0: no entry of the matrix is above 1")
	}
	stats.Seconds = time.Since(began).Seconds()
	return rows, stats, nil
}

// rowProgress reports finished rows, at most 20 times a second; nil without a Progress function.
func rowProgress(o Options, total int) func(done int) {
	if o.Progress == nil {
		return nil
	}
	var mu sync.Mutex
	var last time.Time
	rows := 0
	return func(done int) {
		mu.Lock()
		defer mu.Unlock()
		if rows += done; rows == total || time.Since(last) >= 50*time.Millisecond {
			last = time.Now()
			o.Progress("multiplying", int64(rows), int64(total))
		}
	}
}
