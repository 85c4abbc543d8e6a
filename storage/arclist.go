package storage

import (
	"cmp"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"slices"
)

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
	return graphs.EditPart(t, r.Object, block.ArcsName, block.ArcList, edits)
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
	before, err := graphs.FindEdges(t, &g.record, forward)
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
