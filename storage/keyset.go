package storage

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
)

// keySet is a list of vertex keys, numbered from 0, in one block of bytes. It
// takes 8 bytes per vertex beside the keys.
type keySet struct {
	blob    []byte
	offsets []int64 // len n+1; key i is blob[offsets[i]:offsets[i+1]]
}

func newKeySet(n int) keySet {
	return keySet{offsets: append(make([]int64, 0, n+1), 0)}
}

// len returns the number of keys; the zero value has none.
func (s *keySet) len() int { return max(len(s.offsets)-1, 0) }

// at returns key i, which aliases the set.
func (s *keySet) at(i uint32) []byte { return s.blob[s.offsets[i]:s.offsets[i+1]] }

func (s *keySet) add(key []byte) {
	s.blob = append(s.blob, key...)
	s.offsets = append(s.offsets, int64(len(s.blob)))
}

// byKey returns the numbers of all keys in ascending order of the keys. It
// takes O(n log n) and 16 bytes per key of working memory.
func (s *keySet) byKey(ctx context.Context) ([]uint32, error) {
	// Most comparisons end in the first eight bytes, kept beside the number.
	type entry struct {
		prefix uint64
		id     uint32
	}
	entries := make([]entry, s.len())
	for i := range entries {
		var first [8]byte
		copy(first[:], s.at(uint32(i)))
		entries[i] = entry{binary.BigEndian.Uint64(first[:]), uint32(i)}
	}
	compare := func(a, b entry) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return slices.Compare(s.at(a.id), s.at(b.id))
	}
	sorted, err := mergeSort(ctx, entries, compare)
	if err != nil {
		return nil, err
	}
	order := make([]uint32, len(sorted))
	for i, e := range sorted {
		order[i] = e.id
	}
	return order, nil
}

// mergeSort sorts runs of a fixed length and merges them pairwise, looking at
// ctx between short pieces of work. It reuses list and one more of its size.
func mergeSort[T any](ctx context.Context, list []T, compare func(a, b T) int) ([]T, error) {
	const run = 1 << 15 // about 5 ms
	for lo := 0; lo < len(list); lo += run {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(list[lo:min(lo+run, len(list))], compare)
	}
	if len(list) <= run {
		return list, nil
	}
	from, to := list, make([]T, len(list))
	for width := run; width < len(list); width *= 2 {
		for lo := 0; lo < len(list); lo += 2 * width {
			mid, hi := min(lo+width, len(list)), min(lo+2*width, len(list))
			i, j := lo, mid
			for out := lo; out < hi; out++ {
				if out%run == 0 {
					if err := ctx.Err(); err != nil {
						return nil, err
					}
				}
				if j == hi || (i < mid && compare(from[i], from[j]) <= 0) {
					to[out] = from[i]
					i++
				} else {
					to[out] = from[j]
					j++
				}
			}
		}
		from, to = to, from
	}
	return from, nil
}

// keyTable finds the number of a key: open addressing over a keySet, at most
// three quarters full, 8 bytes per slot. The hash seed differs from run to run
// and shapes nothing that is seen outside.
type keyTable struct {
	slots []uint64 // upper half: hash; lower half: number + 1, 0 where free
	seed  maphash.Seed
}

func newKeyTable(n int) keyTable {
	size := 16
	for size/4*3 < n {
		size *= 2
	}
	return keyTable{slots: make([]uint64, size), seed: maphash.MakeSeed()}
}

// tableOf indexes all keys of a set.
func tableOf(keys *keySet) keyTable {
	t := newKeyTable(keys.len())
	for i := range keys.len() {
		hash := maphash.Bytes(t.seed, keys.at(uint32(i)))
		t.insert(hash, uint32(i))
	}
	return t
}

// insert takes the first free slot; the key must not be in the table.
func (t *keyTable) insert(hash uint64, id uint32) {
	mask := uint64(len(t.slots) - 1)
	at := hash & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = hash>>32<<32 | uint64(id+1)
}

// findKey returns the number of key, whose hash is given.
func findKey[K string | []byte](t *keyTable, keys *keySet, hash uint64, key K) (uint32, bool) {
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := t.slots[at]
		if slot == 0 {
			return 0, false
		}
		if slot>>32 == hash>>32 {
			id := uint32(slot) - 1
			if string(keys.at(id)) == string(key) {
				return id, true
			}
		}
	}
}

func (t *keyTable) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) }

// interner numbers keys in the order of their first appearance.
type interner struct {
	keys  keySet
	table keyTable
}

func newInterner() *interner {
	return &interner{keys: newKeySet(0), table: newKeyTable(0)}
}

// intern returns the number of key and gives it the next one if it is new. A
// new key is checked against the rules of keys.
func (n *interner) intern(key []byte) (uint32, error) {
	hash := n.table.hash(key)
	if id, found := findKey(&n.table, &n.keys, hash, key); found {
		return id, nil
	}
	if err := checkKey(key); err != nil {
		return 0, err
	}
	id := n.keys.len()
	if uint64(id) >= maxVertices {
		return 0, fmt.Errorf("more than %d vertices: %w", uint64(maxVertices), ErrLimit)
	}
	n.keys.add(key)
	if id+1 > len(n.table.slots)/4*3 {
		// Rehashing needs the whole hash, of which a slot keeps one half.
		bigger := newKeyTable(2 * (id + 1))
		bigger.seed = n.table.seed
		for i := range id {
			bigger.insert(bigger.hash(n.keys.at(uint32(i))), uint32(i))
		}
		n.table = bigger
	}
	n.table.insert(hash, uint32(id))
	return uint32(id), nil
}
