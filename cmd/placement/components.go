package placement

import (
	"cmp"
	"context"
	"math"
	"slices"

	"heavytail/storage/csr"
)

// placeComponents places each component of a graph alone, and packs the components into
// rows, the largest first. Vertices that are not connected have no meaningful distance,
// and a force model would be slowest for them.
func placeComponents(ctx context.Context, g *csr.Graph, opts Options, lists [][]uint32) ([]Point, error) {
	local := make([]uint32, g.Vertices()) // number in its component
	for _, list := range lists {
		for i, v := range list {
			local[v] = uint32(i)
		}
	}
	boxes := make([]box, len(lists))
	for i, list := range lists {
		if i > 0 {
			opts.Progress = nil // the largest is most of the work
		}
		at, err := placeConnected(ctx, alone(g, list, local), opts)
		if err != nil {
			return nil, err
		}
		boxes[i] = newBox(list, at)
	}
	return pack(boxes, g.Vertices()), nil
}

// alone returns a component as a graph, without weights.
func alone(g *csr.Graph, list, local []uint32) *csr.Graph {
	sub := &csr.Graph{Offsets: make([]int64, 1, len(list)+1)}
	for _, v := range list {
		for _, u := range g.Neighbors(v) {
			sub.Targets = append(sub.Targets, local[u])
		}
		sub.Offsets = append(sub.Offsets, int64(len(sub.Targets)))
	}
	return sub
}

// box is a component with the places of its vertices relative to its lower left corner.
type box struct {
	vertices   []uint32
	at         []Point
	wide, high float64
}

// apart is the space around a component, in units of the force model.
const apart = 6

func newBox(vertices []uint32, at []Point) box {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range at {
		low, high = Point{min(low.X, p.X), min(low.Y, p.Y)}, Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	for i, p := range at {
		at[i] = Point{p.X - low.X + apart/2, p.Y - low.Y + apart/2}
	}
	return box{vertices, at, high.X - low.X + apart, high.Y - low.Y + apart}
}

// pack places boxes in rows from the top, the highest first, in about the shape of a page,
// around the origin.
func pack(boxes []box, n int) []Point {
	const shape = 1.3 // width by height
	area, widest := 0.0, 0.0
	for _, b := range boxes {
		area, widest = area+b.wide*b.high, max(widest, b.wide)
	}
	width := max(widest, math.Sqrt(shape*area))
	slices.SortStableFunc(boxes, func(a, b box) int { return cmp.Compare(b.high, a.high) })
	at := make([]Point, n)
	x, top, row := 0.0, 0.0, 0.0
	for _, b := range boxes {
		if x > 0 && x+b.wide > width {
			x, top, row = 0, top-row, 0
		}
		row = max(row, b.high)
		for i, v := range b.vertices {
			at[v] = Point{x + b.at[i].X - width/2, top - b.high + b.at[i].Y}
		}
		x += b.wide
	}
	for v := range at {
		at[v].Y -= (top - row) / 2
	}
	return at
}
