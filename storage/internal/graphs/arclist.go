package graphs

import (
	"slices"
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

// ArcReader reads the arcs of slots of a graph in one transaction. It keeps the block that it read last, which often
// has those of the next slot too. It is not safe for concurrent use.
type ArcReader struct {
	t       *tree.Tx
	r       *Record
	p       tree.Part
	content block.ArcBlock // empty at first
	list    []block.ArcValue
}

// NewArcReader returns a reader of a graph.
func NewArcReader(t *tree.Tx, r *Record) (a *ArcReader, err error) {
	a = &ArcReader{t: t, r: r}
	if r.Object != 0 {
		a.p, err = t.Part(r.Object, block.ArcsName)
	}
	return a, err
}

// Of returns the arcs that leave a slot, in ascending order, until the next call. It reads the
// blocks that hold them and nothing else.
func (a *ArcReader) Of(slot uint32) ([]block.ArcValue, error) {
	a.list = a.list[:0]
	if a.r.Object == 0 {
		return nil, nil
	}
	if arcs := a.content.Arcs; len(arcs) > 0 && arcs[0].Source() < slot && slot < arcs[len(arcs)-1].Source() {
		a.add(slot)
		return a.list, nil
	}
	last := block.Arc(0)
	for b := a.p.BlockOf(nil, block.ArcKey(slot, 0)); b.Key != nil; b = a.p.After(nil, b.Key) {
		if err := a.t.Ctx.Err(); err != nil {
			return nil, err
		}
		if err := OpenArcs(a.p, a.r, &a.content, b); err != nil {
			a.content.Arcs = nil
			return nil, err
		}
		if a.content.Arcs[0] <= last {
			return nil, fault.Record("arc blocks do not ascend")
		}
		last = a.content.Arcs[len(a.content.Arcs)-1]
		if a.add(slot); last.Source() > slot {
			break
		}
	}
	return a.list, nil
}

// add adds the arcs of a slot that the block has.
func (a *ArcReader) add(slot uint32) {
	first, _ := slices.BinarySearch(a.content.Arcs, block.NewArc(slot, 0))
	for i := first; i < len(a.content.Arcs) && a.content.Arcs[i].Source() == slot; i++ {
		a.list = append(a.list, a.content.At(i))
	}
}

// OpenArcs replaces content with that of a block of a graph.
func OpenArcs(p tree.Part, r *Record, content *block.ArcBlock, b block.Sealed) error {
	if err := content.Open(p.Seed, b); err != nil {
		return err
	}
	return content.Is(r.Directed)
}
