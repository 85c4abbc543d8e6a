package graphs

import (
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"
)

// EditBlocks applies edits, ascending and distinct, to the list in p. Removing an entry
// that does not exist does nothing. Blocks that would be too large are cut into equal
// parts, or filled one after the other at the end of the list; a block that lost
// entries is merged with the next one if both fit well into one.
func EditBlocks[E any](t *tree.Tx, p tree.Part, l *block.List[E], edits []block.Edit[E]) error {
	buffers := new(block.Buffers[E])
	if l.Buffers != nil {
		buffers = l.Buffers.Get().(*block.Buffers[E])
		defer l.Buffers.Put(buffers)
	}
	for len(edits) > 0 {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		done, err := editBlock(p, l, buffers, edits)
		if err != nil {
			return err
		}
		edits = edits[done:]
	}
	return nil
}

// editBlock applies the edits of the block that the first edit belongs to, and returns
// how many it applied.
func editBlock[E any](p tree.Part, l *block.List[E], buffers *block.Buffers[E], edits []block.Edit[E]) (done int, err error) {
	b := p.BlockOf(l.Prefix, l.Key(edits[0].Entry))
	entries, old := buffers.Old[:0], [][]byte(nil)
	next := block.Sealed{}
	if b.Key != nil {
		if entries, err = l.Open(p.Seed, entries, b); err != nil {
			return 0, err
		}
		old, next = append(old, b.Key), p.After(l.Prefix, b.Key)
	}
	done = l.Before(edits, next.Key)
	buffers.Old = entries
	entries, shrunk := l.Merge(buffers.New[:0], entries, edits[:done])
	if shrunk && next.Key != nil && len(entries) > 0 && l.Joins(entries, next) {
		if entries, err = l.Open(p.Seed, entries, next); err != nil {
			return 0, err
		}
		// Further edits of the next block follow in the next round.
		old, next = append(old, next.Key), p.After(l.Prefix, next.Key)
	}
	buffers.New = entries
	for _, key := range old {
		if err := p.Delete(key); err != nil {
			return 0, err
		}
	}
	return done, l.Cut(p.Seed, entries, next.Key == nil, p.Put)
}

// EditPart applies edits to a block list that is the whole of a part.
func EditPart[E any](t *tree.Tx, object uint64, name []byte, l *block.List[E], edits []block.Edit[E]) error {
	p, err := t.Part(object, name)
	if err != nil {
		return err
	}
	return EditBlocks(t, p, l, edits)
}
