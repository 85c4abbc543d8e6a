package unitball

import (
	"context"
	"math"
	"slices"

	"heavytail/storage/vec"
)

const (
	// refreshSkin is a few moves of a refresh.
	refreshSkin = 0.1
	// scanRows is the number of rows of a matrix with which all vertices of a block
	// are compared at a time, so that the rows stay in the cache.
	scanRows = 256
	// scanBlock is the number of vertices in a block of a scan.
	scanBlock = 16
)

// list updates the near pairs of the moving vertices, so that they include all pairs
// within reach. The pairs of a vertex are listed again if the vertex has moved farther
// than half a skin since they were listed. All distances in lists are between positions
// at the time of listing, so two vertices within reach are in the list of each other.
func (l *local) list(ctx context.Context, reach float64) {
	var again []uint32
	for i, v := range l.moving {
		away := math.Sqrt(float64(vec.L2Squared(l.x.Row(int(v)), l.at.Row(int(v)))))
		if l.of[i].near == nil || 2*away+slack > refreshSkin {
			copy(l.at.Row(int(v)), l.x.Row(int(v)))
			again = append(again, v)
		}
	}
	bound := reach + refreshSkin + slack
	vec.Parallel(len(again), scanBlock, l.o.Workers, func(_, lo, hi int) {
		if ctx.Err() == nil {
			l.scan(again[lo:hi], float32(bound*bound))
		}
	})
	for _, v := range again {
		for _, u := range l.of[l.slots[v]].near {
			if slot := l.slots[u]; slot >= 0 {
				near := l.of[slot].near
				if at, there := slices.BinarySearch(near, v); !there {
					l.of[slot].near = slices.Insert(near, at, v)
				}
			}
		}
	}
}

// scan lists the vertices within a squared distance of each of some.
func (l *local) scan(some []uint32, bound float32) {
	k := l.o.Dim
	squares := make([]float32, scanRows)
	for _, v := range some {
		m := &l.of[l.slots[v]]
		m.near = append(make([]uint32, 0, 8), m.near[:0]...)
	}
	for lo := 0; lo < l.at.Rows; lo += scanRows {
		hi := min(lo+scanRows, l.at.Rows)
		for _, v := range some {
			m := &l.of[l.slots[v]]
			vec.ScanL2Squared(squares[:hi-lo], l.at.Row(int(v)), l.at.Data[lo*k:hi*k])
			for i, d := range squares[:hi-lo] {
				if d <= bound && uint32(lo+i) != v {
					m.near = append(m.near, uint32(lo+i))
				}
			}
		}
	}
	for _, v := range some {
		m := &l.of[l.slots[v]]
		others := m.near[:0]
		eachOther(l.g.Neighbors(v), m.near, func(u uint32) { others = append(others, u) })
		m.near = others
	}
}

// measure computes the gradients of the moving vertices, and counts the wrong pairs with
// them.
func (l *local) measure(ctx context.Context, margin float64) {
	bounds := rule{margin, 1}
	vec.Parallel(len(l.moving), scanBlock, l.o.Workers, func(_, lo, hi int) {
		var squares []float32
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			squares = l.measureOne(l.moving[i], &l.of[i], squares, bounds)
		}
	})
}

func (l *local) measureOne(v uint32, m *mover, squares []float32, bounds rule) []float32 {
	x := l.x.Row(int(v))
	clear(m.gradient)
	m.wrong, m.others = 0, m.others[:0]
	edges := l.g.Neighbors(v)
	if most := max(len(edges), len(m.near)); cap(squares) < most {
		squares = make([]float32, 2*most)
	}
	sum := float32(0)
	pull := func(u uint32, by float64, wrong bool) {
		vec.Axpy(-float32(by), l.x.Row(int(u)), m.gradient)
		sum += float32(by)
		if !wrong {
			return
		}
		if l.slots[u] < 0 {
			m.others = append(m.others, u)
		}
		if l.slots[u] < 0 || u < v {
			m.wrong++
		}
	}
	squares = squares[:len(edges)]
	vec.ListL2Squared(squares, x, l.x.Data, l.o.Dim, edges)
	for i, square := range squares {
		if by, violated := bounds.edge(square); violated {
			pull(edges[i], by, square > 1)
		}
	}
	squares = squares[:cap(squares)][:len(m.near)]
	vec.ListL2Squared(squares, x, l.x.Data, l.o.Dim, m.near)
	for i, square := range squares {
		if by, violated := bounds.other(square); violated {
			pull(m.near[i], by, square <= 1)
		}
	}
	vec.Axpy(sum, x, m.gradient)
	return squares
}

// move moves the moving vertices against their gradients: by rate times the gradient, and
// by at most most.
func (l *local) move(rate, most float64) {
	vec.Parallel(len(l.moving), scanBlock, l.o.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			gradient := l.of[i].gradient
			by := rate
			if away := by * length(gradient); away > most {
				by *= most / away
			}
			vec.Axpy(float32(-by), gradient, l.x.Row(int(l.moving[i])))
		}
	})
}
