package vectors

import (
	"cmp"
	"context"
	"math"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage/vec"
)

// DiffRequest asks which vertices moved between two generations of an embedding.
type DiffRequest struct {
	Before, After string // such as "spec@3" and "spec"
	Limit         int    // number of vertices to return, those that moved most; 0 is 10
}

// Moved is a vertex that both generations have.
type Moved struct {
	Vertex   string  `json:"vertex"`
	Distance float64 `json:"distance"` // Euclidean distance between the two vectors of the vertex
	Relative float64 `json:"relative"` // Distance divided by the root mean square of all norms before
}

// DiffResult is the answer of Diff.
type DiffResult struct {
	Moved    []Moved       `json:"moved"`    // the farthest first; ties by vertex
	Vertices int           `json:"vertices"` // number of vertices in both embeddings
	Mean     float64       `json:"mean"`     // mean of Relative over all these vertices
	Notices  []rows.Notice `json:"notices,omitempty"`
}

// diffed are the two embeddings of a DiffRequest.
type diffed struct{ before, after session.Entry }

var diff = &engine.Statement[*parser.Diff, DiffRequest, diffed, DiffResult]{
	Help: help.Statement{
		Statement: "DIFF",
		Summary:   "lists the vertices that moved most between two generations of an embedding; ten without LIMIT, WHERE and ORDER BY",
		Words:     "compare change drift versions moved",
		Columns:   "vertex, distance, relative",
	},
	Bind: func(b *engine.Binder, s *parser.Diff) DiffRequest {
		req := DiffRequest{Before: b.Name(fault.Before, s.Before), After: b.Name(fault.Embedding, s.After), Limit: b.TakeLimit()}
		if b.Tail.Where != nil || b.Tail.Order != nil {
			req.Limit = math.MaxInt // they choose among all
		}
		return req
	},
	Resolve: resolveDiff,
	Plan: func(_ DiffRequest, found diffed) *plan.Plan {
		return plan.Result("vertices", "those that moved most first", found.before.Plan(), found.after.Plan())
	},
	Run: runDiff,
	Table: func(_ DiffRequest, r DiffResult) [][]rows.Value {
		return lists.Map(r.Moved, func(m Moved) []rows.Value { return []rows.Value{m.Vertex, m.Distance, m.Relative} })
	},
	Reads: true,
}

// Diff reports which vertices moved most between two embeddings of the same graph
// and dimension, most often two generations of one. It compares the vectors
// without aligning them. A refresh preserves the vectors of unchanged parts of
// the graph, but two full runs of a spectral method may differ by a rotation, and
// two full runs on random walks differ by chance. Vertices that only one of the
// embeddings has are left out.
func (s *Service) Diff(ctx context.Context, req DiffRequest) (DiffResult, error) {
	return diff.Answer(ctx, s.db, req)
}

func resolveDiff(c *engine.Call, req DiffRequest) (found diffed, err error) {
	if err := engine.CheckLimit(req.Limit); err != nil {
		return found, err
	}
	if found.before, err = c.Entry(req.Before, fault.Before); err != nil {
		return found, err
	}
	if found.after, err = c.Entry(req.After, fault.Embedding); err != nil {
		return found, err
	}
	before, after := found.before.Info, found.after.Info
	switch {
	case before.GraphID != after.GraphID:
		err = fault.New(fault.Embedding, "%s is an embedding of graph %s, and %s of graph %s", fault.Quote(req.After), fault.Name(after.Graph), fault.Quote(req.Before), fault.Name(before.Graph))
	case before.Dim != after.Dim:
		err = fault.New(fault.Embedding, "%s has %s, and %s has %d", fault.Quote(req.After), fault.Count(int64(after.Dim), "coordinate"), fault.Quote(req.Before), before.Dim)
	}
	return found, err
}

func runDiff(c *engine.Call, req DiffRequest, _ diffed) (DiffResult, error) {
	var before, after *session.Space
	err := c.Consistent(func() (err error) {
		if before, err = c.Space(req.Before, fault.Before); err != nil {
			return err
		}
		after, err = c.Space(req.After, fault.Embedding)
		return err
	})
	if err != nil {
		return DiffResult{}, err
	}
	req.Limit = cmp.Or(req.Limit, 10)
	type moved struct {
		vertex   uint32
		distance float64
	}
	both := min(before.Matrix.Rows, after.Matrix.Rows)
	all := make([]moved, both)
	norms, sum := 0.0, 0.0
	for v := range all {
		if v%4096 == 0 && c.Ctx.Err() != nil {
			return DiffResult{}, c.Ctx.Err()
		}
		x, y := before.Matrix.Row(v), after.Matrix.Row(v)
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
		result.Moved = append(result.Moved, Moved{after.Graph.Key(m.vertex), m.distance, m.distance / scale})
	}
	result.Notices = c.Notices
	return result, nil
}
