package storage

import (
	"bytes"
	"fmt"
	"sort"
)

// blockList is an ascending list of entries that a part of an object holds, cut
// into blocks, each under the key that its first entry gives it. A change
// rewrites the blocks that hold the entries concerned, or would, and no others.
type blockList[E any] struct {
	prefix  []byte           // of the keys of all blocks of the list
	key     func(e E) []byte // key of a block that starts with e
	compare func(a, b E) int // order of the entries, which is that of their keys

	// encode makes the unsealed record of a block of the first entries: as many
	// as fit, with the key of the block, into room bytes, but at least one.
	encode func(entries []E, room int) (record []byte, count int)

	// decode appends the entries of a block to dst; they do not alias payload.
	decode func(dst []E, key, payload []byte) ([]E, error)
}

// edit is one change of a block list: an entry that takes the place of the equal
// one or is new, or one that goes.
type edit[E any] struct {
	entry  E
	remove bool
}

// block is one record of a block list as it lies in the file.
type block struct{ key, record []byte }

// editBlocks applies edits, ascending and distinct, to the list in p. Entries
// that are to go and are not there are ignored. Blocks that would be too large
// are cut into equal parts, or filled one after the other at the end of the
// list; one from which entries went joins the next where both fit well into one.
func editBlocks[E any](t *tx, p part, l *blockList[E], edits []edit[E]) error {
	for len(edits) > 0 {
		if err := t.ctx.Err(); err != nil {
			return fmt.Errorf("storage: %w", err)
		}
		done, err := editBlock(p, l, edits)
		if err != nil {
			return err
		}
		edits = edits[done:]
	}
	return nil
}

// editBlock applies the edits that concern the same block as the first one, and
// returns how many these are.
func editBlock[E any](p part, l *blockList[E], edits []edit[E]) (done int, err error) {
	b := p.blockOf(l.prefix, l.key(edits[0].entry))
	var entries []E
	old := [][]byte{}
	next := block{}
	if b.key != nil {
		if entries, err = openBlock(p, l, entries, b); err != nil {
			return 0, err
		}
		old, next = append(old, b.key), p.after(l.prefix, b.key)
	}
	done = l.before(edits, next.key)
	entries, shrunk := mergeEdits(l, entries, edits[:done])
	if shrunk && next.key != nil && len(entries) > 0 {
		record, count := l.encode(entries, maxBlock)
		if count == len(entries) && len(record)+len(next.record) <= maxBlock/4*3 {
			if entries, err = openBlock(p, l, entries, next); err != nil {
				return 0, err
			}
			// Further edits of the next block follow in the next round.
			old, next = append(old, next.key), p.after(l.prefix, next.key)
		}
	}
	for _, key := range old {
		if err := p.bucket.Delete(key); err != nil {
			return 0, err
		}
	}
	return done, writeBlocks(p, l, entries, next.key == nil)
}

// maxEdits is how many edits are applied between two looks at the context: some
// ten milliseconds.
const maxEdits = 1 << 15

// before returns how many of the edits, at least one and at most maxEdits, lie
// before a block.
func (l *blockList[E]) before(edits []edit[E], key []byte) int {
	edits = edits[:min(len(edits), maxEdits)]
	if key == nil {
		return len(edits)
	}
	return 1 + sort.Search(len(edits)-1, func(i int) bool { return bytes.Compare(l.key(edits[i+1].entry), key) >= 0 })
}

// openBlock appends the entries of a block to dst.
func openBlock[E any](p part, l *blockList[E], dst []E, b block) ([]E, error) {
	payload, err := p.seed.open(b.key, b.record)
	if err != nil {
		return dst, err
	}
	before := len(dst)
	dst, err = l.decode(dst, b.key, payload)
	if err == nil && before > 0 && l.compare(dst[before-1], dst[before]) >= 0 {
		err = badRecord("blocks do not ascend")
	}
	return dst, err
}

// mergeEdits applies edits to entries and reports whether any went.
func mergeEdits[E any](l *blockList[E], entries []E, edits []edit[E]) (merged []E, shrunk bool) {
	merged = make([]E, 0, len(entries)+len(edits))
	for _, e := range edits {
		for len(entries) > 0 && l.compare(entries[0], e.entry) < 0 {
			merged, entries = append(merged, entries[0]), entries[1:]
		}
		if len(entries) > 0 && l.compare(entries[0], e.entry) == 0 {
			entries = entries[1:]
			shrunk = shrunk || e.remove
		}
		if !e.remove {
			merged = append(merged, e.entry)
		}
	}
	return append(merged, entries...), shrunk
}

// writeBlocks writes entries as blocks: full ones where they are the end of the
// list, so that what only grows stays dense, and otherwise equal ones, so that
// the next changes find room.
func writeBlocks[E any](p part, l *blockList[E], entries []E, end bool) error {
	room := maxBlock
	if !end {
		total, blocks := 0, 0
		for rest := entries; len(rest) > 0; blocks++ {
			record, count := l.encode(rest, maxBlock)
			total, rest = total+len(record)+len(l.key(rest[0])), rest[count:]
		}
		if blocks > 1 {
			room = min(maxBlock, total/blocks+maxBlock/16)
		}
	}
	for len(entries) > 0 {
		record, count := l.encode(entries, room)
		key := l.key(entries[0])
		if err := p.bucket.Put(key, p.seed.seal(key, record)); err != nil {
			return err
		}
		entries = entries[count:]
	}
	return nil
}

// blockOf returns the block of the list with the given prefix that holds, or
// would hold, what key stands for: the last one whose key is at most key, or
// else the first one. The zero block says that there is none.
func (p part) blockOf(prefix, key []byte) block {
	first, record := p.floor(key)
	if first == nil || !bytes.HasPrefix(first, prefix) {
		first, record = p.bucket.Cursor().Seek(prefix)
	}
	if first == nil || !bytes.HasPrefix(first, prefix) {
		return block{}
	}
	return block{key: first, record: record}
}

// after returns the block of the list behind that with the given key, or the
// zero block.
func (p part) after(prefix, key []byte) block {
	cursor := p.bucket.Cursor()
	cursor.Seek(key)
	next, record := cursor.Next()
	if next == nil || !bytes.HasPrefix(next, prefix) {
		return block{}
	}
	return block{key: next, record: record}
}
