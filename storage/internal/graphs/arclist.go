package graphs

import (
	"sort"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
)

// FindEdges returns the states of edges, given by ascending arcs. It reads each
// block that can hold one of them once.
func FindEdges(t *tree.Tx, r *Record, arcs []block.Arc) ([]block.EdgeState, error) {
	states := make([]block.EdgeState, len(arcs))
	for i, a := range arcs {
		if states[i].ArcValue = (block.ArcValue{Arc: a}); !r.Directed {
			states[i].Weight, states[i].Time = 1, csr.NoTime
		}
	}
	if r.Object == 0 {
		return states, nil
	}
	p, err := t.Part(r.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	var content block.ArcBlock
	for rest := states; len(rest) > 0; {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		b := p.BlockOf(nil, block.Key64(uint64(rest[0].Arc)))
		if b.Key == nil {
			return states, nil
		}
		here := len(rest) // those before the next block
		if next := p.After(nil, b.Key); next.Key != nil {
			end := block.ArcOfKey(next.Key)
			here = 1 + sort.Search(len(rest)-1, func(i int) bool { return rest[i+1].Arc >= end })
		}
		if err := OpenArcs(p, r, &content, b); err != nil {
			return nil, err
		}
		content.Find(rest[:here])
		rest = rest[here:]
	}
	return states, nil
}

// ArcsOf returns the arcs that leave a slot, in ascending order. It reads the
// blocks that hold them and nothing else.
func ArcsOf(t *tree.Tx, r *Record, slot uint32) ([]block.ArcValue, error) {
	if r.Object == 0 {
		return nil, nil
	}
	p, err := t.Part(r.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	var (
		list    []block.ArcValue
		content block.ArcBlock
		last    block.Arc
	)
	for b := p.BlockOf(nil, block.ArcKey(slot, 0)); b.Key != nil; b = p.After(nil, b.Key) {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		if err := OpenArcs(p, r, &content, b); err != nil {
			return nil, err
		}
		if content.Arcs[0] <= last {
			return nil, fault.Record("arc blocks do not ascend")
		}
		last = content.Arcs[len(content.Arcs)-1]
		for i, a := range content.Arcs {
			if a.Source() == slot {
				list = append(list, content.At(i))
			}
		}
		if last.Source() > slot {
			break
		}
	}
	return list, nil
}

// OpenArcs replaces content with that of a block of a graph.
func OpenArcs(p tree.Part, r *Record, content *block.ArcBlock, b block.Sealed) error {
	if err := content.Open(p.Seed, b); err != nil {
		return err
	}
	return content.Is(r.Directed)
}
