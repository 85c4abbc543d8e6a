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

// edgeOf is an edge of the input as the new graph has it.
func edgeOf(u, v uint32) uint64 { return joinEdge(u, v) }

// placingBytes is the memory that placing takes for each row, and for each edge of the base.
const (
	placingBytes = 2*valuedBytes + 8
	movedBytes   = 4
)

// place finds the edges of the rows of values, whose ends are given. number gives the slots of the
// vertices of the list; nil if all have their own number. now is the new graph, and base, if not nil, one
// whose edges it has.
func (p *edgeValues) place(ctx context.Context, ends []uint64, number []uint32, base, now *csr.Graph) error {
	if now.Edges() > math.MaxUint32 {
		return fmt.Errorf("attributes of %d edges: %w", now.Edges(), fault.ErrLimit)
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
		list = append(list, occurrence{edge: edgeOf(u, v), time: int64(row)})
	}
	list, _, err := sortOccurrences(ctx, list, nil)
	if err != nil {
		return err
	}
	order := now.Order()
	p.rows, p.edges = make([]uint32, len(list)), make([]uint32, len(list))
	for i, o := range list {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at, _ := order.Number(uint32(o.edge>>32), uint32(o.edge)) // the graph has all edges of the input
		p.rows[i], p.edges[i] = uint32(o.time), uint32(at)
	}
	if base == nil || base.Edges() == now.Edges() {
		return nil
	}
	was, order := base.Order(), now.Order()
	p.moved = make([]uint32, base.Edges())
	for i := range p.moved {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at, _ := order.Number(was.Ends(int64(i)))
		p.moved[i] = uint32(at)
	}
	return nil
}
