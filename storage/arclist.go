package storage

import (
	"cmp"
	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
	"slices"
	"sort"
)

// findEdges returns the states of edges, given by ascending arcs. It reads each
// block that can hold one of them once.
func findEdges(t *tree.Tx, r *graphRecord, arcs []block.Arc) ([]block.EdgeState, error) {
	states := make([]block.EdgeState, len(arcs))
	for i, a := range arcs {
		states[i].ArcValue = block.ArcValue{Arc: a, Weight: 1, Time: csr.NoTime}
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
		if err := content.Open(p.Seed, b); err != nil {
			return nil, err
		}
		content.Find(rest[:here])
		rest = rest[here:]
	}
	return states, nil
}

// arcsOf returns the arcs that leave a slot, in ascending order. It reads the
// blocks that hold them and nothing else.
func arcsOf(t *tree.Tx, r *graphRecord, slot uint32) ([]block.ArcValue, error) {
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
		if err := content.Open(p.Seed, b); err != nil {
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

// writeEdges brings edges from one state into another and counts them. Only
// those that differ are written, each as two arcs.
func writeEdges(t *tree.Tx, g *graphState, before, after []block.EdgeState) error {
	var edits []block.Edit[block.ArcValue]
	r := &g.record
	for i, now := range after {
		was := before[i]
		if now == was {
			continue
		}
		back := now.ArcValue
		back.Arc = back.Arc.Reverse()
		edits = append(edits, block.Edit[block.ArcValue]{Entry: now.ArcValue, Remove: !now.There}, block.Edit[block.ArcValue]{Entry: back, Remove: !now.There})
		g.touch(now.Arc.Source(), now.Arc.Target())
		r.Edges += block.OneIf(now.There) - block.OneIf(was.There)
		r.Weighted += now.Weighted() - was.Weighted()
		r.Timed += now.Timed() - was.Timed()
	}
	if len(edits) == 0 {
		return nil
	}
	edits, err := block.MergeSort(t.Ctx, edits, func(a, b block.Edit[block.ArcValue]) int { return a.Entry.Compare(b.Entry) })
	if err != nil {
		return err
	}
	return editPart(t, r.Object, block.ArcsName, block.ArcList, edits)
}

// dropEdges removes the edges of arcs, given in either direction, in any order
// and repeated, and returns how many there were.
func dropEdges(t *tree.Tx, g *graphState, arcs []block.Arc) (dropped int64, err error) {
	forward := make([]block.Arc, len(arcs))
	for i, a := range arcs {
		forward[i] = min(a, a.Reverse())
	}
	if forward, err = block.MergeSort(t.Ctx, forward, cmp.Compare); err != nil {
		return 0, err
	}
	forward = slices.Compact(forward)
	before, err := findEdges(t, &g.record, forward)
	if err != nil {
		return 0, err
	}
	after := make([]block.EdgeState, len(before))
	for i, s := range before {
		after[i] = s
		after[i].There = false
		dropped += int64(block.OneIf(s.There))
	}
	return dropped, writeEdges(t, g, before, after)
}
