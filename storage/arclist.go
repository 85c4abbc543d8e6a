package storage

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"heavytail/storage/csr"
)

// arcList is the list of the arcs of a graph.
var arcList = &blockList[arcValue]{
	key:     func(v arcValue) []byte { return be64(uint64(v.arc)) },
	compare: arcValue.compare,
	encode:  encodeArcs,
	decode:  decodeArcValues,
}

// decodeArcValues appends the arcs of a block to dst, with their values.
func decodeArcValues(dst []arcValue, key, payload []byte) ([]arcValue, error) {
	var block arcBlock
	if err := block.decode(key, payload); err != nil {
		return dst, err
	}
	for i := range block.arcs {
		dst = append(dst, block.at(i))
	}
	return dst, nil
}

// edgeState is an edge as a graph has it, under its arc from the smaller slot
// to the larger; or would have it, if it is not there.
type edgeState struct {
	arcValue
	there bool
}

// weighted and timed count the edge for the catalogue.
func (s edgeState) weighted() uint64 { return oneIf(s.there && s.weight != 1) }
func (s edgeState) timed() uint64    { return oneIf(s.there && s.time != csr.NoTime) }

func oneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// findEdges returns the states of edges, given by ascending arcs. It reads each
// block that can hold one of them once.
func (t *tx) findEdges(r *graphRecord, arcs []arc) ([]edgeState, error) {
	states := make([]edgeState, len(arcs))
	for i, a := range arcs {
		states[i].arcValue = arcValue{a, 1, csr.NoTime}
	}
	if r.Object == 0 {
		return states, nil
	}
	p, err := t.part(r.Object, arcsName)
	if err != nil {
		return nil, err
	}
	var content arcBlock
	for rest := states; len(rest) > 0; {
		if err := t.ctx.Err(); err != nil {
			return nil, fmt.Errorf("storage: %w", err)
		}
		b := p.blockOf(nil, be64(uint64(rest[0].arc)))
		if b.key == nil {
			return states, nil
		}
		here := len(rest) // those before the next block
		if next := p.after(nil, b.key); next.key != nil {
			end := arcOfKey(next.key)
			here = 1 + sort.Search(len(rest)-1, func(i int) bool { return rest[i+1].arc >= end })
		}
		payload, err := p.seed.open(b.key, b.record)
		if err != nil {
			return nil, err
		}
		if err := content.decode(b.key, payload); err != nil {
			return nil, err
		}
		content.find(rest[:here])
		rest = rest[here:]
	}
	return states, nil
}

// find enters the values of the edges that the block has; both ascend.
func (b *arcBlock) find(states []edgeState) {
	at := 0
	for i := range states {
		s := &states[i]
		at += sort.Search(len(b.arcs)-at, func(j int) bool { return b.arcs[at+j] >= s.arc })
		if at < len(b.arcs) && b.arcs[at] == s.arc {
			s.arcValue, s.there = b.at(at), true
		}
	}
}

// arcsOf returns the arcs that leave a slot, in ascending order. It reads the
// blocks that hold them and nothing else.
func (t *tx) arcsOf(r *graphRecord, slot uint32) ([]arcValue, error) {
	if r.Object == 0 {
		return nil, nil
	}
	p, err := t.part(r.Object, arcsName)
	if err != nil {
		return nil, err
	}
	var (
		list    []arcValue
		content arcBlock
		last    arc
	)
	for b := p.blockOf(nil, arcKey(slot, 0)); b.key != nil; b = p.after(nil, b.key) {
		if err := t.ctx.Err(); err != nil {
			return nil, fmt.Errorf("storage: %w", err)
		}
		payload, err := p.seed.open(b.key, b.record)
		if err != nil {
			return nil, err
		}
		if err := content.decode(b.key, payload); err != nil {
			return nil, err
		}
		if content.arcs[0] <= last {
			return nil, badRecord("arc blocks do not ascend")
		}
		last = content.arcs[len(content.arcs)-1]
		for i, a := range content.arcs {
			if a.source() == slot {
				list = append(list, content.at(i))
			}
		}
		if last.source() > slot {
			break
		}
	}
	return list, nil
}

// writeEdges brings edges from one state into another and counts them. Only
// those that differ are written, each as two arcs.
func (t *tx) writeEdges(g *graphState, before, after []edgeState) error {
	var edits []edit[arcValue]
	r := &g.record
	for i, now := range after {
		was := before[i]
		if now == was {
			continue
		}
		back := now.arcValue
		back.arc = back.arc.reverse()
		edits = append(edits, edit[arcValue]{now.arcValue, !now.there}, edit[arcValue]{back, !now.there})
		g.touch(now.arc.source(), now.arc.target())
		r.Edges += oneIf(now.there) - oneIf(was.there)
		r.Weighted += now.weighted() - was.weighted()
		r.Timed += now.timed() - was.timed()
	}
	if len(edits) == 0 {
		return nil
	}
	edits, err := mergeSort(t.ctx, edits, func(a, b edit[arcValue]) int { return a.entry.compare(b.entry) })
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return editPart(t, r.Object, arcsName, arcList, edits)
}

// dropEdges removes the edges of arcs, given in either direction, in any order
// and repeated, and returns how many there were.
func (t *tx) dropEdges(g *graphState, arcs []arc) (dropped int64, err error) {
	forward := make([]arc, len(arcs))
	for i, a := range arcs {
		forward[i] = min(a, a.reverse())
	}
	if forward, err = mergeSort(t.ctx, forward, cmp.Compare); err != nil {
		return 0, fmt.Errorf("storage: %w", err)
	}
	forward = slices.Compact(forward)
	before, err := t.findEdges(&g.record, forward)
	if err != nil {
		return 0, err
	}
	after := make([]edgeState, len(before))
	for i, s := range before {
		after[i] = s
		after[i].there = false
		dropped += int64(oneIf(s.there))
	}
	return dropped, t.writeEdges(g, before, after)
}
