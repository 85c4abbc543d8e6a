package query

import (
	"cmp"
	"context"
	"math"
	"slices"

	methods "heavytail/embedding" // embedding is a type of this package
	"heavytail/embedding/evaluate"
	"heavytail/storage/vec"
)

// DiffRequest asks which vertices moved between two generations of an embedding.
type DiffRequest struct {
	Before, After string // such as "spec@3" and "spec"
	Limit         int    // how many vertices, those that moved most; 0 is 10
}

// Moved is a vertex that both generations have.
type Moved struct {
	Vertex   string
	Distance float64 // between its two vectors
	Relative float64 // that over the root of the mean square of all norms before
}

// DiffResult is the answer of Diff.
type DiffResult struct {
	Moved    []Moved // the farthest first; of equals the lower vertex
	Vertices int     // that both have
	Mean     float64 // of Relative over all of them
	Notices  []Notice
}

// Diff tells which vertices moved most between two embeddings of the same graph
// and dimension, most often two generations of one. It compares vectors as they
// are: after a refresh they stand where they were unless something changed, but
// two full runs of a spectral method may differ by a rotation, and the walks of
// others by chance. Vertices that only one of them has are left out.
func (db *DB) Diff(ctx context.Context, req DiffRequest) (DiffResult, error) {
	c, err := db.begin(ctx, "DIFF")
	if err != nil {
		return DiffResult{}, err
	}
	defer c.end()
	var result DiffResult
	err = c.settled(func() error {
		result, err = c.diff(req)
		return err
	})
	return result, c.wrap(err)
}

// resolveDiff finds what a request names.
func (c *call) resolveDiff(req DiffRequest) (before, after *space, err error) {
	if req.Limit < 0 {
		return nil, nil, mistake(partLimit, "the limit is %d, and must not be negative", req.Limit)
	}
	if before, err = c.space(req.Before, partBefore); err != nil {
		return nil, nil, err
	}
	if after, err = c.space(req.After, partEmbedding); err != nil {
		return nil, nil, err
	}
	switch {
	case before.info.GraphID != after.info.GraphID:
		err = mistake(partEmbedding, "%s is an embedding of graph %s, and %s of graph %s", quote(req.After), name(after.info.Graph), quote(req.Before), name(before.info.Graph))
	case before.matrix.Dim != after.matrix.Dim:
		err = mistake(partEmbedding, "%s has %s, and %s has %d", quote(req.After), count(int64(after.matrix.Dim), "coordinate"), quote(req.Before), before.matrix.Dim)
	}
	return before, after, err
}

func (c *call) diff(req DiffRequest) (DiffResult, error) {
	before, after, err := c.resolveDiff(req)
	if err != nil {
		return DiffResult{}, err
	}
	if req.Limit == 0 {
		req.Limit = 10
	}
	type moved struct {
		vertex   uint32
		distance float64
	}
	both := min(before.matrix.Rows, after.matrix.Rows)
	all := make([]moved, both)
	norms, sum := 0.0, 0.0
	for v := range all {
		if v%4096 == 0 && c.ctx.Err() != nil {
			return DiffResult{}, c.ctx.Err()
		}
		x, y := before.matrix.Row(v), after.matrix.Row(v)
		all[v] = moved{uint32(v), math.Sqrt(float64(vec.L2Squared(x, y)))}
		norms += float64(vec.Dot(x, x))
		sum += all[v].distance
	}
	slices.SortStableFunc(all, func(a, b moved) int { return cmp.Compare(b.distance, a.distance) })
	scale := math.Sqrt(norms / float64(max(both, 1)))
	if scale == 0 {
		scale = 1
	}
	result := DiffResult{Vertices: both, Mean: sum / float64(max(both, 1)) / scale}
	for _, m := range all[:min(req.Limit, both)] {
		result.Moved = append(result.Moved, Moved{after.graph.Key(m.vertex), m.distance, m.distance / scale})
	}
	result.Notices = c.notices
	return result, nil
}

// compare measures an embedding and a full run.
func (c *call) compare(req VerifyRequest, s *space, full *vec.Matrix) ([]VerifyMeasure, error) {
	overlap, err := evaluate.Overlap(c.ctx, s.matrix, full, 10, req.Sample, req.Seed, c.workers())
	if err != nil {
		return nil, err
	}
	list := []VerifyMeasure{{"overlap at 10", overlap, 1}}
	if len(s.info.Eigenvalues) > 0 {
		angles, err := methods.Angles(c.ctx, s.matrix, full, c.workers())
		if err != nil {
			return nil, err
		}
		if n := len(angles); n > 0 {
			list = append(list, VerifyMeasure{"median angle", angles[n/2] * 180 / math.Pi, 0}, VerifyMeasure{"largest angle", angles[n-1] * 180 / math.Pi, 0})
		}
	}
	var best [2]evaluate.ReconstructionPoint
	var auc [2]float64
	for i, m := range []*vec.Matrix{s.matrix, full} {
		at, points, err := evaluate.ReconstructSweep(c.ctx, s.graph.Graph, m, evaluate.ReconstructOptions{Workers: c.workers(), Seed: req.Seed, Progress: c.meter.update})
		if err != nil {
			return nil, err
		}
		best[i] = points[at]
		if auc[i], err = evaluate.EdgeAUC(c.ctx, s.graph.Graph, m, 10*req.Sample, req.Seed); err != nil {
			return nil, err
		}
	}
	return append(list, VerifyMeasure{"pearson", best[0].Pearson, best[1].Pearson},
		VerifyMeasure{"spearman", best[0].Spearman, best[1].Spearman}, VerifyMeasure{"edge auc", auc[0], auc[1]}), nil
}
