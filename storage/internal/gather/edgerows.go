package gather

import (
	"context"
	"fmt"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// edgeValues are the rows of values of edges in the order of the edges of the new graph, and of rows
// of the same edge in that of the input. They take 8 bytes per row, and 4 per edge of the base if
// that has attributes of edges, and edges were added.
type edgeValues struct {
	rows  []uint32
	edges []uint32 // the number of the edge of each of rows
	moved []uint32 // the new number of each edge of the base; nil if they have their own
}

func (v *edgeValues) bytes() int64 { return 4 * int64(len(v.rows)+len(v.edges)+len(v.moved)) }

// now is the new number of an edge of the base.
func (v *edgeValues) now(i uint32) uint32 {
	if v.moved == nil {
		return i
	}
	return v.moved[i]
}

// edgeList is the edges of a graph; those of a directed one by source.
type edgeList struct {
	rows     *csr.Graph // nil for no graph
	directed bool
}

func edgesOf(g *csr.Graph, d *csr.Directed) edgeList {
	if d != nil {
		return edgeList{asGraph(&d.Out), true}
	}
	return edgeList{g, false}
}

// asGraph is the rows in the type of a graph, which has both arcs of each edge.
func asGraph(r *csr.Rows) *csr.Graph {
	return &csr.Graph{Offsets: r.Offsets, Targets: r.Targets, Weights: r.Weights, Times: r.Times}
}

func (l edgeList) edges() int64 {
	switch {
	case l.rows == nil:
		return 0
	case l.directed:
		return int64(len(l.rows.Targets))
	}
	return l.rows.Edges()
}

func (l edgeList) order() *csr.EdgeOrder {
	if l.directed {
		return (&csr.Rows{Offsets: l.rows.Offsets, Targets: l.rows.Targets}).Order()
	}
	return l.rows.Order()
}

// edge is an edge of the input as the graph has it.
func (l edgeList) edge(u, v uint32) uint64 {
	if l.directed {
		return uint64(block.NewArc(u, v))
	}
	return uint64(block.NewArc(min(u, v), max(u, v)))
}

// placingBytes is the memory that placing takes for each row, and for each edge of the base.
const (
	placingBytes = 2*valuedBytes + 8
	movedBytes   = 4
)

// place finds the edges of the rows of values, whose ends are given. number gives the slots of the
// vertices of the list; nil if all have their own number. now is the new graph, and base, if not nil, one
// whose edges it has.
func (p *edgeValues) place(ctx context.Context, ends []uint64, number []uint32, base, now edgeList) error {
	if now.edges() > math.MaxUint32 {
		return fmt.Errorf("attributes of %d edges: %w", now.edges(), fault.ErrLimit)
	}
	list := make([]occurrence, 0, len(ends))
	for row, e := range ends {
		if row%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u, v := uint32(e>>32), uint32(e)
		if u == v { // the edge was a header
			continue
		}
		if number != nil {
			u, v = number[u], number[v]
		}
		list = append(list, occurrence{edge: now.edge(u, v), time: int64(row)})
	}
	list, _, err := sortOccurrences(ctx, list, nil)
	if err != nil {
		return err
	}
	order := now.order()
	p.rows, p.edges = make([]uint32, len(list)), make([]uint32, len(list))
	for i, o := range list {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at, _ := order.Number(uint32(o.edge>>32), uint32(o.edge)) // the graph has all edges of the input
		p.rows[i], p.edges[i] = uint32(o.time), uint32(at)
	}
	if base.rows == nil || base.edges() == now.edges() {
		return nil
	}
	was, order := base.order(), now.order()
	p.moved = make([]uint32, base.edges())
	for i := range p.moved {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at, _ := order.Number(was.Ends(int64(i)))
		p.moved[i] = uint32(at)
	}
	return nil
}
