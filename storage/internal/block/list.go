package block

import (
	"bytes"
	"slices"
	"sort"
	"sync"

	"heavytail/storage/internal/fault"
)

// List is an ascending list of entries in a part of an object, divided into blocks. The key of
// a block is that of its first entry. A change rewrites only the blocks that contain the
// changed entries, or to which new entries belong.
type List[E any] struct {
	Prefix  []byte           // of the keys of all blocks of the list
	Key     func(e E) []byte // key of a block that starts with e
	Compare func(a, b E) int // order of the entries, which is the order of their keys

	// Encode makes the unsealed record of a block of the first entries: as many as fit into
	// room bytes together with the block's key, but at least one.
	Encode func(entries []E, room int) (record []byte, count int)

	// Decode appends the entries of a block to dst; they do not alias payload.
	Decode func(dst []E, key, payload []byte) ([]E, error)

	// Buffers has a *Buffers[E] for each caller that edits blocks, or is nil.
	Buffers *sync.Pool
}

// Buffers are for the entries of a block before and after its edits.
type Buffers[E any] struct{ Old, New []E }

// Edit is one change of a list: an entry is added, replaces the equal entry, or is removed.
type Edit[E any] struct {
	Entry  E
	Remove bool // the entry is removed
}

// Sealed is one record of a list as it is in the file. If there is no record, Key is nil.
type Sealed struct {
	Key, Record []byte // alias the memory map
}

// maxEdits is the number of edits between two checks of the context: about ten milliseconds.
const maxEdits = 1 << 15

// Before returns how many of the edits come before the block with the given key, at least 1 and
// at most maxEdits.
func (l *List[E]) Before(edits []Edit[E], key []byte) int {
	edits = edits[:min(len(edits), maxEdits)]
	if key == nil {
		return len(edits)
	}
	return 1 + sort.Search(len(edits)-1, func(i int) bool { return bytes.Compare(l.Key(edits[i+1].Entry), key) >= 0 })
}

// Open appends the entries of a block to dst.
func (l *List[E]) Open(seed Seed, dst []E, b Sealed) ([]E, error) {
	payload, err := seed.Open(b.Key, b.Record)
	if err != nil {
		return dst, err
	}
	before := len(dst)
	dst, err = l.Decode(dst, b.Key, payload)
	if err == nil && before > 0 && l.Compare(dst[before-1], dst[before]) >= 0 {
		err = fault.Record("blocks do not ascend")
	}
	return dst, err
}

// Joins reports whether entries and the next block together fit into three quarters of a block,
// which leaves room for later changes.
func (l *List[E]) Joins(entries []E, next Sealed) bool {
	record, count := l.Encode(entries, MaxBlock)
	return count == len(entries) && len(record)+len(next.Record) <= MaxBlock/4*3
}

// Merge appends entries to dst after edits, and reports whether any was removed.
func (l *List[E]) Merge(dst, entries []E, edits []Edit[E]) (merged []E, shrunk bool) {
	merged = slices.Grow(dst, len(entries)+len(edits))
	for _, e := range edits {
		for len(entries) > 0 && l.Compare(entries[0], e.Entry) < 0 {
			merged, entries = append(merged, entries[0]), entries[1:]
		}
		if len(entries) > 0 && l.Compare(entries[0], e.Entry) == 0 {
			entries = entries[1:]
			shrunk = shrunk || e.Remove
		}
		if !e.Remove {
			merged = append(merged, e.Entry)
		}
	}
	return append(merged, entries...), shrunk
}

// Cut divides entries into blocks and calls put with the key and the sealed record of each. At
// the end of the list the blocks are full, so that a list that only grows stays dense;
// elsewhere they have equal sizes, which leaves room for later changes.
func (l *List[E]) Cut(seed Seed, entries []E, end bool, put func(key, record []byte) error) error {
	room := MaxBlock
	var whole []byte // the record of all entries, if they are one block
	if !end {
		total, blocks := 0, 0
		for rest := entries; len(rest) > 0; blocks++ {
			record, count := l.Encode(rest, MaxBlock)
			if count == len(entries) {
				whole = record
			}
			total, rest = total+len(record)+len(l.Key(rest[0])), rest[count:]
		}
		if blocks > 1 {
			room = min(MaxBlock, total/blocks+MaxBlock/16)
		}
	}
	for len(entries) > 0 {
		record, count := whole, len(entries)
		if record == nil {
			record, count = l.Encode(entries, room)
		}
		key := l.Key(entries[0])
		if err := put(key, seed.Seal(key, record)); err != nil {
			return err
		}
		entries = entries[count:]
	}
	return nil
}
