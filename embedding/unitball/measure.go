package unitball

import (
	"context"
	"math"

	"heavytail/storage/vec"
)

func (r *run) measure(ctx context.Context, margin float64) error {
	r.rule = rule{margin, r.violationPower()}
	r.f.wrong = Wrong{Edges: r.g.Edges()}
	vec.Parallel(r.n, block, r.o.Workers, func(b, lo, hi int) {
		found := r.f.found[b][:0]
		var squares []float32
		for u := lo; u < hi && ctx.Err() == nil; u++ {
			found, squares = r.measureEdges(found, squares, uint32(u))
			found, squares = r.measureNear(found, squares, uint32(u))
		}
		r.f.found[b] = found
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	r.f.sort(float64(uint64(1) << r.near.Thin))
	return nil
}

// measureEdges appends the edges from u to larger vertices that are too long.
func (r *run) measureEdges(found []violation, squares []float32, u uint32) ([]violation, []float32) {
	edges := above(r.g, u)
	squares = r.squares(squares, u, edges)
	for i, v := range edges {
		if by, violated := r.rule.edge(squares[i]); violated {
			by *= math.Sqrt(r.weights[u] * r.weights[v])
			found = append(found, violation{u, v, float32(max(by, math.SmallestNonzeroFloat32)), squares[i] > 1})
		}
	}
	return found, squares
}

// measureNear appends the near pairs of u with larger vertices that are too short.
// Their factor is negative.
func (r *run) measureNear(found []violation, squares []float32, u uint32) ([]violation, []float32) {
	near := r.near.rows[u]
	squares = r.squares(squares, u, near)
	many := float64(uint64(1) << r.near.Thin)
	for i, v := range near {
		if by, violated := r.rule.other(squares[i]); violated {
			by *= many
			found = append(found, violation{u, v, float32(min(by, -math.SmallestNonzeroFloat32)), squares[i] <= 1})
		}
	}
	return found, squares
}

func (r *run) squares(dst []float32, u uint32, vertices []uint32) []float32 {
	if cap(dst) < len(vertices) {
		dst = make([]float32, 2*len(vertices))
	}
	dst = dst[:len(vertices)]
	vec.ListL2Squared(dst, r.x.Row(int(u)), r.x.Data, r.k, vertices)
	return dst
}
