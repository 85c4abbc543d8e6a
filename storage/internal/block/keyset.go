package block

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"sort"
	"sync/atomic"
	"unsafe"

	"heavytail/storage/internal/fault"
	"heavytail/storage/vec"
)

// KeySet is a list of vertex keys, numbered from 0, in one slice of bytes. It uses 8 bytes per
// vertex plus the keys.
type KeySet struct {
	Blob    []byte  // all keys, one after the other
	Offsets []int64 // len n+1; key i is Blob[Offsets[i]:Offsets[i+1]]
}

// NewKeySet returns an empty list with room for the offsets of n keys.
func NewKeySet(n int) KeySet {
	return KeySet{Offsets: append(make([]int64, 0, n+1), 0)}
}

// Len returns the number of keys; the zero value has none.
func (s *KeySet) Len() int { return max(len(s.Offsets)-1, 0) }

// At returns key i, which aliases the set.
func (s *KeySet) At(i uint32) []byte { return s.Blob[s.Offsets[i]:s.Offsets[i+1]] }

// Add appends a copy of key.
func (s *KeySet) Add(key []byte) {
	s.Blob = append(s.Blob, key...)
	s.Offsets = append(s.Offsets, int64(len(s.Blob)))
}

// Drop removes the keys with the given numbers, which ascend; they must be exactly the
// empty keys.
func (s *KeySet) Drop(empty []uint32) error {
	if len(empty) == 0 {
		return nil
	}
	kept := s.Offsets[:1]
	for i := range s.Len() {
		isEmpty := s.Offsets[i] == s.Offsets[i+1]
		if listed := len(empty) > 0 && int(empty[0]) == i; listed != isEmpty {
			return fault.Record("slot %d is empty in one list only", i)
		}
		if isEmpty {
			empty = empty[1:]
		} else {
			kept = append(kept, s.Offsets[i+1])
		}
	}
	s.Offsets = kept
	return nil
}

// ByKey returns the numbers of all keys that are not empty, in ascending order of the keys. It
// takes O(n log n) time and 16 bytes per key of working memory.
func (s *KeySet) ByKey(ctx context.Context) ([]uint32, error) {
	// The first eight bytes, which decide most comparisons, are stored with the number.
	type entry struct {
		prefix uint64
		id     uint32
	}
	entries := make([]entry, 0, s.Len())
	for i := range uint32(s.Len()) {
		if key := s.At(i); len(key) > 0 {
			var first [8]byte
			copy(first[:], key)
			entries = append(entries, entry{binary.BigEndian.Uint64(first[:]), i})
		}
	}
	compare := func(a, b entry) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(s.At(a.id), s.At(b.id))
	}
	sorted, err := MergeSort(ctx, entries, compare)
	if err != nil {
		return nil, err
	}
	order := make([]uint32, len(sorted))
	for i, e := range sorted {
		order[i] = e.id
	}
	return order, nil
}

// MergeSort sorts runs of a fixed length and merges them pairwise, checking ctx between short
// pieces of work. It uses list and one more slice of the same size. Elements that compare as equal
// keep no order, but the result is the same at any number of processors, which all sort.
func MergeSort[T any](ctx context.Context, list []T, compare func(a, b T) int) ([]T, error) {
	const run = 1 << 15 // about 5 ms
	each := func(f func(lo, hi int)) error {
		vec.Parallel(len(list), run, 0, func(_, lo, hi int) {
			if ctx.Err() == nil {
				f(lo, hi)
			}
		})
		return ctx.Err()
	}
	if err := each(func(lo, hi int) { slices.SortFunc(list[lo:hi], compare) }); err != nil {
		return nil, err
	}
	if len(list) <= run {
		return list, nil
	}
	from, to := list, make([]T, len(list))
	for width := run; width < len(list); width *= 2 {
		err := each(func(lo, hi int) {
			first := lo / (2 * width) * (2 * width)
			mid, end := min(first+width, len(list)), min(first+2*width, len(list))
			a, b := from[first:mid], from[mid:end]
			i := mergedOf(a, b, lo-first, compare)
			mergeInto(to[lo:hi], a[i:], b[lo-first-i:], compare)
		})
		if err != nil {
			return nil, err
		}
		from, to = to, from
	}
	return from, nil
}

// mergedOf returns how many of the first n elements of the merged list come from a. Of equal
// elements those of a come first.
func mergedOf[T any](a, b []T, n int, compare func(a, b T) int) int {
	lo, hi := max(0, n-len(b)), min(n, len(a))
	return lo + sort.Search(hi-lo, func(i int) bool { return compare(a[lo+i], b[n-1-lo-i]) > 0 })
}

// mergeInto fills out with the first elements of the merged list.
func mergeInto[T any](out, a, b []T, compare func(a, b T) int) {
	i, j := 0, 0
	for at := range out {
		if j == len(b) || (i < len(a) && compare(a[i], b[j]) <= 0) {
			out[at] = a[i]
			i++
		} else {
			out[at] = b[j]
			j++
		}
	}
}

// KeyTable finds the number of a key. It uses open addressing and is at most three quarters
// full. Keys of up to eight bytes, which are most keys in files of edges, are stored in the
// table itself, so that a search causes one cache miss; longer keys are compared with the
// KeySet. A slot takes 16 bytes for short keys and 8 for long ones. The seed differs from run
// to run; no result depends on it. Slots are read and written atomically: see [Lookup].
type KeyTable struct {
	short  []shortSlot
	long   []uint64 // upper half: hash; lower half: number + 1, 0 where free
	shorts int      // slots in use
	longs  int
	seed   maphash.Seed
	salt   uint64 // random like seed; the hash of a short key has two multiplications
}

type shortSlot struct {
	key uint64 // the bytes of the key; keys contain no NUL, so their length is known
	id  uint32 // number + 1, 0 where free
}

const shortKey = 8

func newKeyTable(n int) KeyTable {
	seed := maphash.MakeSeed()
	return KeyTable{short: vec.Zeros[shortSlot](tableSize(n)), seed: seed, salt: maphash.Bytes(seed, nil) | 1}
}

// tableSize returns the number of slots for n keys.
func tableSize(n int) int {
	size := 16
	for size/4*3 < n {
		size *= 2
	}
	return size
}

// TableOf indexes all keys of a set that are not empty, which must be distinct.
func TableOf(ctx context.Context, keys *KeySet) (KeyTable, error) {
	shorts := 0
	for i := range keys.Len() {
		if keys.Offsets[i+1]-keys.Offsets[i] <= shortKey {
			shorts++
		}
	}
	t := newKeyTable(shorts)
	t.long = vec.Zeros[uint64](tableSize(keys.Len() - shorts))
	for i := range uint32(keys.Len()) {
		if i%(CheckEvery/8) == 0 && ctx.Err() != nil {
			return KeyTable{}, ctx.Err()
		}
		if keys.Offsets[i] < keys.Offsets[i+1] {
			t.Add(keys, i)
		}
	}
	return t, nil
}

// Add adds key id of the set, which must not be in the table yet.
func (t *KeyTable) Add(keys *KeySet, id uint32) {
	key := keys.At(id)
	if len(key) > shortKey {
		if t.longs++; t.longs > len(t.long)/4*3 {
			t.growLong(keys)
		}
		t.insertLong(maphash.Bytes(t.seed, key), id)
		return
	}
	if t.shorts++; t.shorts > len(t.short)/4*3 {
		old := t.short
		t.short = vec.Zeros[shortSlot](max(2*len(old), 16))
		for _, slot := range old {
			if slot.id != 0 {
				t.insertShort(slot)
			}
		}
	}
	t.insertShort(shortSlot{key: packKey(key), id: id + 1})
}

// growLong rebuilds the table of long keys; a slot stores half of the hash.
func (t *KeyTable) growLong(keys *KeySet) {
	old := t.long
	t.long = vec.Zeros[uint64](max(2*len(old), 16))
	for _, slot := range old {
		if slot != 0 {
			id := uint32(slot) - 1
			t.insertLong(maphash.Bytes(t.seed, keys.At(id)), id)
		}
	}
}

func (t *KeyTable) insertLong(hash uint64, id uint32) {
	mask := uint64(len(t.long) - 1)
	at := hash & mask
	for t.long[at] != 0 {
		at = (at + 1) & mask
	}
	atomic.StoreUint64(&t.long[at], hash>>32<<32|uint64(id+1))
}

func (t *KeyTable) insertShort(slot shortSlot) {
	mask := uint64(len(t.short) - 1)
	at := t.spread(slot.key) & mask
	for t.short[at].id != 0 {
		at = (at + 1) & mask
	}
	t.short[at].key = slot.key
	atomic.StoreUint32(&t.short[at].id, slot.id)
}

// spread hashes a short key.
func (t *KeyTable) spread(key uint64) uint64 {
	high, low := bits.Mul64(key^t.salt, 0x9e3779b97f4a7c15)
	high, low = bits.Mul64(high^low, t.salt)
	return high ^ low
}

// packKey returns up to eight bytes as a number; different keys without NUL give different
// numbers.
func packKey(key []byte) uint64 {
	n := len(key)
	switch {
	case n == 8:
		return binary.LittleEndian.Uint64(key)
	case n >= 4:
		// Two reads that overlap.
		return uint64(binary.LittleEndian.Uint32(key)) | uint64(binary.LittleEndian.Uint32(key[n-4:]))<<(8*(n-4))
	case n > 0:
		return uint64(key[0]) | uint64(key[n/2])<<(8*(n/2)) | uint64(key[n-1])<<(8*(n-1))
	}
	return 0
}

// Find returns the number of key.
func (t *KeyTable) Find(keys *KeySet, key []byte) (uint32, bool) {
	if len(key) > shortKey {
		return t.findLong(keys, key)
	}
	if len(key) == 0 || key[len(key)-1] == 0 {
		return 0, false // a key with NUL would match the key without it
	}
	packed := packKey(key)
	mask := uint64(len(t.short) - 1)
	for at := t.spread(packed) & mask; ; at = (at + 1) & mask {
		slot := &t.short[at]
		id := atomic.LoadUint32(&slot.id)
		if id == 0 {
			return 0, false
		}
		if slot.key == packed {
			return id - 1, true
		}
	}
}

func (t *KeyTable) findLong(keys *KeySet, key []byte) (uint32, bool) {
	if len(t.long) == 0 {
		return 0, false
	}
	hash := maphash.Bytes(t.seed, key)
	mask := uint64(len(t.long) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := atomic.LoadUint64(&t.long[at])
		if slot == 0 {
			return 0, false
		}
		if slot>>32 == hash>>32 {
			if id := uint32(slot) - 1; int(id) < keys.Len() && bytes.Equal(keys.At(id), key) {
				return id, true
			}
		}
	}
}

// Interner numbers keys in the order of their first appearance.
type Interner struct {
	Keys  KeySet // by number
	table KeyTable

	// decimals has, for keys that are small decimal numbers, the key's number + 1, indexed by
	// the decimal value. Most files have such keys. A lookup costs an access to a small array
	// instead of a cache miss in the table, which has the other keys.
	decimals []uint32
}

// NewInterner returns an Interner without keys.
func NewInterner() *Interner {
	return &Interner{Keys: NewKeySet(0), table: newKeyTable(0)}
}

// Intern returns the number of key; a new key gets the next number. A new key is checked
// against the rules for keys.
func (n *Interner) Intern(key []byte) (uint32, error) {
	value, isDecimal := decimalValue(key)
	if isDecimal && value < len(n.decimals) && n.decimals[value] != 0 {
		return n.decimals[value] - 1, nil
	}
	// The table has a small decimal key if it came when the array was too short for it.
	id, found := n.table.Find(&n.Keys, key)
	if !found {
		if err := checkKey(key); err != nil {
			return 0, err
		}
		if uint64(n.Keys.Len()) >= MaxVertices {
			return 0, fmt.Errorf("more than %d vertices: %w", uint64(MaxVertices), fault.ErrLimit)
		}
		id = uint32(n.Keys.Len())
		n.Keys.Add(key)
	}
	// Values much larger than the number of keys would waste memory: the array takes at most 32
	// bytes per vertex.
	if limit := 8*n.Keys.Len() + 1<<12; isDecimal && value < limit {
		if value >= len(n.decimals) {
			n.decimals = append(n.decimals, make([]uint32, limit-len(n.decimals))...)
		}
		atomic.StoreUint32(&n.decimals[value], id+1)
	} else if !found {
		n.table.Add(&n.Keys, id)
	}
	return id, nil
}

// Lookup finds the numbers that an Interner had given when it was made, and some of those that it gives
// later. Several goroutines may use it while another one interns further keys.
type Lookup struct{ names Interner }

// Lookup returns the numbers so far.
func (n *Interner) Lookup() *Lookup { return &Lookup{*n} }

// Find returns the number of key, or NoVertex if it is not known.
func (l *Lookup) Find(key []byte) uint32 {
	n := &l.names
	if value, isDecimal := decimalValue(key); isDecimal && value < len(n.decimals) {
		if id := atomic.LoadUint32(&n.decimals[value]); id != 0 {
			return id - 1
		}
	}
	if id, found := n.table.Find(&n.Keys, key); found {
		return id
	}
	return NoVertex
}

// FindAll sets each of numbers to that of key(i), as Find returns it. It asks the memory for several long keys before
// it needs the first answer.
func (l *Lookup) FindAll(numbers []uint32, key func(i int) []byte) {
	const together = 32
	long, keys := l.names.table.long, &l.names.Keys
	var at [together]int            // in numbers, of long keys
	var hash, slot [together]uint64 // of each
	var from, to [together]int64    // the place of the known key whose hash is the same
	for next := 0; next < len(numbers); {
		n := 0
		for ; next < len(numbers) && n < together; next++ {
			k := key(next)
			if len(k) <= shortKey || len(long) == 0 {
				numbers[next] = l.Find(k)
				continue
			}
			at[n], hash[n] = next, maphash.Bytes(l.names.table.seed, k)
			slot[n] = atomic.LoadUint64(&long[hash[n]&uint64(len(long)-1)])
			n++
		}
		for i := range n {
			from[i], to[i] = 0, 0
			if id := uint32(slot[i]); id != 0 && slot[i]>>32 == hash[i]>>32 && int(id) <= keys.Len() {
				from[i], to[i] = keys.Offsets[id-1], keys.Offsets[id]
			}
		}
		for i := range n {
			if k := key(at[i]); bytes.Equal(keys.Blob[from[i]:to[i]], k) {
				numbers[at[i]] = uint32(slot[i]) - 1
			} else {
				numbers[at[i]] = l.Find(k)
			}
		}
	}
}

// decimalValue returns the value of a decimal number of up to eight digits without leading
// zeros, since "07" and "7" are different keys. It has no loop, whose end could not be predicted where numbers have different lengths.
func decimalValue(key []byte) (int, bool) {
	if len(key) == 0 || len(key) > shortKey || key[0] == '0' && len(key) > 1 {
		return 0, false
	}
	// The digits are the bytes of a word, the last one in the highest byte; zeros are below a shorter number.
	const zeros, highBits = 0x3030303030303030, 0x8080808080808080
	missing := uint(8 * (shortKey - len(key)))
	digits := packKey(key)<<missing | zeros&(1<<missing-1)
	if ((digits+0x4646464646464646)|(digits-zeros)|digits)&highBits != 0 {
		return 0, false // a byte is no digit
	}
	digits -= zeros
	digits = 10*digits + digits>>8 // every second byte has a number of two digits
	const even = 0x000000ff000000ff
	high, low := digits&even, digits>>16&even
	return int((high*(100+1000000<<32) + low*(1+10000<<32)) >> 32), true
}

// BytesOf returns bytes that share the memory of a string; they must not be modified.
func BytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Bytes returns the memory of the keys.
func (n *Interner) Bytes() int64 {
	return n.Keys.Bytes() + 4*int64(cap(n.decimals)) + n.table.Bytes()
}

// Growing is the memory of the keys, and of the larger list or table that exists beside the present
// one while it next grows, if it may do so before an eighth and step bytes of keys are added.
func (n *Interner) Growing(step int64) int64 {
	return n.Keys.Growing(step) + growing(len(n.decimals), cap(n.decimals), 4, 0) + n.table.Growing()
}

// Growing is as [Interner.Growing].
func (s *KeySet) Growing(step int64) int64 {
	return growing(len(s.Blob), cap(s.Blob), 1, step) + growing(len(s.Offsets), cap(s.Offsets), 8, 0)
}

// Growing is as [Interner.Growing].
func (t *KeyTable) Growing() int64 {
	bytes := t.Bytes()
	if t.shorts > len(t.short)/3*2 {
		bytes += 2 * 16 * int64(len(t.short))
	}
	if t.longs > len(t.long)/3*2 {
		bytes += 2 * 8 * int64(len(t.long))
	}
	return bytes
}

// GrowingList is as [Interner.Growing] for a list of elements of so many bytes to which append adds
// elements one by one.
func GrowingList[E any](list []E) int64 {
	return growing(len(list), cap(list), int64(unsafe.Sizeof(*new(E))), 0)
}

func growing(used, room int, each, step int64) int64 {
	bytes := each * int64(room)
	if each*int64(room-used) <= each*int64(used/8+1<<12)+step {
		bytes += bytes + bytes/4 // of the new list, see append
	}
	return bytes
}

// Bytes returns the memory of the table.
func (t *KeyTable) Bytes() int64 { return 16*int64(len(t.short)) + 8*int64(len(t.long)) }

// Bytes returns the memory of the set.
func (s *KeySet) Bytes() int64 { return int64(cap(s.Blob)) + 8*int64(cap(s.Offsets)) }

// CheckEvery is how many elements a loop handles between two checks of its context:
// about a millisecond.
const CheckEvery = 1 << 18
