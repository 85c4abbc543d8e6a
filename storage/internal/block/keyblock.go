package block

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"heavytail/storage/internal/fault"
)

// A key block holds the keys of vertices in consecutive slots; its own key is the first
// slot, big-endian. The entry of an empty slot is an empty key. An id block holds (key,
// slot) pairs in ascending order of the keys; its own key is the first vertex key, so
// that one vertex is found by one search. Both start with
//
//	flags  1 byte   zero
//	count  2 bytes  entries, little-endian, at least 1
//
// and store a key by what it shares with the key before it in the block:
//
//	head    1 byte   upper half: shared bytes, 0–14; lower half: further bytes, 0–15
//	suffix           the further bytes
//
// or, where one of the two is larger, a head of 0xf0 and both as uvarints. In a
// key block the first key shares nothing. In an id block every entry ends with
// the slot of the vertex as uvarint, and the first entry is only the slot.
const (
	keyBlockHead = ChecksumSize + 1 + 2
	longHead     = 0xf0
)

// appendEntry appends the front coding of key after previous.
func appendEntry(dst, previous, key []byte) []byte {
	shared := commonPrefix(previous, key)
	suffix := key[shared:]
	if shared <= 14 && len(suffix) <= 15 {
		dst = append(dst, byte(shared<<4|len(suffix)))
	} else {
		dst = append(dst, longHead)
		dst = binary.AppendUvarint(dst, uint64(shared))
		dst = binary.AppendUvarint(dst, uint64(len(suffix)))
	}
	return append(dst, suffix...)
}

// commonPrefix returns how many bytes a and b begin with alike.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// readEntry decodes one entry into previous, which it may overwrite. It returns the key, which
// the caller must check, and the number of bytes of the entry. A key has only one encoding.
func readEntry(previous, b []byte) (key []byte, size int, err error) {
	shared, suffix, size, err := splitEntry(b)
	if err != nil {
		return nil, 0, err
	}
	if shared > len(previous) {
		return nil, 0, fault.Record("key entry shares %d of %d bytes", shared, len(previous))
	}
	if shared < len(previous) && len(suffix) > 0 && previous[shared] == suffix[0] {
		return nil, 0, fault.Record("key entry shares less than it could")
	}
	return append(previous[:shared], suffix...), size, nil
}

// splitEntry returns how many bytes the key of an entry shares with the one before, the
// bytes that follow these, and the number of bytes of the entry.
func splitEntry(b []byte) (shared int, suffix []byte, size int, err error) {
	if len(b) == 0 {
		return 0, nil, 0, fault.Record("key entry is cut off")
	}
	same, further := uint64(b[0]>>4), uint64(b[0]&15)
	size = 1
	if b[0] >= longHead {
		var n int
		if same, n = uvarint(b[1:]); n == 0 || b[0] != longHead {
			return 0, nil, 0, fault.Record("key entry")
		}
		size += n
		if further, n = uvarint(b[size:]); n == 0 || (same <= 14 && further <= 15) {
			return 0, nil, 0, fault.Record("key entry")
		}
		size += n
	}
	if further > uint64(len(b)-size) || same > maxKey || same+further > maxKey {
		return 0, nil, 0, fault.Record("key entry of %d shared and %d further bytes", same, further)
	}
	end := size + int(further)
	return int(same), b[size:end], end, nil
}

func checkStoredKey(key []byte) error {
	if err := checkKey(key); err != nil {
		return fault.Record("%v", err)
	}
	return nil
}

// KeyEntry is a slot with its key.
type KeyEntry struct {
	Slot uint32
	Key  []byte // empty for an empty slot
}

// KeyList is the list of keys by slot, for changing blocks in place. Its entries have
// consecutive slots.
var KeyList = &List[KeyEntry]{
	Key:     func(e KeyEntry) []byte { return Key32(e.Slot) },
	Compare: func(a, b KeyEntry) int { return cmp.Compare(a.Slot, b.Slot) },
	Encode: func(entries []KeyEntry, room int) ([]byte, int) {
		return encodeKeys(len(entries), func(i int) []byte { return entries[i].Key }, room)
	},
	Decode: func(dst []KeyEntry, key, payload []byte) ([]KeyEntry, error) {
		err := EachKey(key, payload, func(slot uint32, key []byte) error {
			dst = append(dst, KeyEntry{slot, bytes.Clone(key)})
			return nil
		})
		return dst, err
	},
}

// NextKeyBlock returns the key and the unsealed record of the block that starts with slot from,
// and the number of slots in it.
func NextKeyBlock(keys *KeySet, from uint32) (key, record []byte, count int) {
	record, count = encodeKeys(keys.Len()-int(from), func(i int) []byte { return keys.At(from + uint32(i)) }, MaxBlock)
	return Key32(from), record, count
}

// encodeKeys makes the unsealed record of a block of the first of n keys.
func encodeKeys(n int, at func(i int) []byte, room int) (record []byte, count int) {
	room -= 4
	record = make([]byte, keyBlockHead, room)
	var previous []byte
	for count < min(n, math.MaxUint16) {
		k := at(count)
		size := len(record)
		grown := appendEntry(record, previous, k)
		if len(grown) > room && count > 0 {
			record = grown[:size]
			break
		}
		record, previous = grown, k
		count++
	}
	binary.LittleEndian.PutUint16(record[ChecksumSize+1:], uint16(count))
	return record, count
}

// DecodeKeys appends the keys of a block to the set. The first slot of the block must be the
// number of keys in the set.
func DecodeKeys(keys *KeySet, key, payload []byte) error {
	if len(key) == 4 && uint64(binary.BigEndian.Uint32(key)) != uint64(keys.Len()) {
		return fault.Record("key block %x where %d keys were read", key, keys.Len())
	}
	return EachKey(key, payload, func(_ uint32, key []byte) error {
		keys.Add(key)
		return nil
	})
}

// EachKey calls yield with every slot of a key block and its key, which is valid only during
// the call.
func EachKey(key, payload []byte, yield func(slot uint32, key []byte) error) error {
	slot, b, count, err := slotBlockBody(key, payload)
	if err != nil {
		return err
	}
	if slot+uint64(count) > MaxVertices {
		return fault.Record("key block of slot %d", slot)
	}
	previous := make([]byte, 0, maxKey)
	for range count {
		k, size, err := readEntry(previous, b)
		if err != nil {
			return err
		}
		if len(k) > 0 {
			if err := checkStoredKey(k); err != nil {
				return err
			}
		}
		if err := yield(uint32(slot), k); err != nil {
			return err
		}
		previous, b, slot = k, b[size:], slot+1
	}
	if len(b) != 0 {
		return fault.Record("%d bytes after the keys", len(b))
	}
	return nil
}

// FindKeys appends to keys the key of each of the slots that the block contains, or "" for an
// empty slot. slots are ascending, and the first len(keys) of them are already done. Unlike
// EachKey, FindKeys reads the block only up to the last of the slots and does not validate
// other keys: the checksum has shown that the block is unchanged since it was written.
func FindKeys(keys []string, key, payload []byte, slots []uint32) ([]string, error) {
	slot, b, count, err := slotBlockBody(key, payload)
	if err != nil {
		return keys, err
	}
	previous := make([]byte, 0, maxKey)
	for ; count > 0 && len(keys) < len(slots); count-- {
		k, size, err := readEntry(previous, b)
		if err != nil {
			return keys, err
		}
		if uint64(slots[len(keys)]) == slot {
			if len(k) > 0 {
				if err := checkStoredKey(k); err != nil {
					return keys, err
				}
			}
			keys = append(keys, string(k))
		}
		previous, b, slot = k, b[size:], slot+1
	}
	return keys, nil
}

// slotBlockBody returns the first slot of a key block, its entries and their number.
func slotBlockBody(key, payload []byte) (slot uint64, body []byte, count int, err error) {
	if len(key) != 4 {
		return 0, nil, 0, fault.Record("key block under a key of %d bytes", len(key))
	}
	body, count, err = keyBlockBody(payload)
	return uint64(binary.BigEndian.Uint32(key)), body, count, err
}

func keyBlockBody(payload []byte) (body []byte, count int, err error) {
	if len(payload) < keyBlockHead-ChecksumSize {
		return nil, 0, fault.Record("key block of %d bytes", len(payload))
	}
	if payload[0] != 0 {
		return nil, 0, fault.Record("key block flags %#02x", payload[0])
	}
	count = int(binary.LittleEndian.Uint16(payload[1:]))
	body = payload[3:]
	if count == 0 || count > len(body) {
		return nil, 0, fault.Record("key block declares %d keys in %d bytes", count, len(body))
	}
	return body, count, nil
}

// IDEntry is a key with its slot.
type IDEntry struct {
	Key  []byte
	Slot uint32 // of the vertex that has the key
}

// IDList is the list of slots by key, for changing blocks in place.
var IDList = &List[IDEntry]{
	Key:     func(e IDEntry) []byte { return e.Key },
	Compare: func(a, b IDEntry) int { return bytes.Compare(a.Key, b.Key) },
	Encode: func(entries []IDEntry, room int) ([]byte, int) {
		return encodeIDs(len(entries), func(i int) ([]byte, uint32) { return entries[i].Key, entries[i].Slot }, room)
	},
	Decode: func(dst []IDEntry, key, payload []byte) ([]IDEntry, error) {
		err := DecodeIDs(key, payload, func(key []byte, slot uint32) error {
			dst = append(dst, IDEntry{bytes.Clone(key), slot})
			return nil
		})
		return dst, err
	},
}

// NextIDBlock returns the key and the unsealed record of the block that starts with entry from
// of order, and the number of its entries. order has the slots in ascending order of their
// keys.
func NextIDBlock(keys *KeySet, order []uint32, from int) (key, record []byte, count int) {
	order = order[from:]
	record, count = encodeIDs(len(order), func(i int) ([]byte, uint32) { return keys.At(order[i]), order[i] }, MaxBlock)
	return bytes.Clone(keys.At(order[0])), record, count
}

// encodeIDs makes the unsealed record of a block of the first of n entries.
func encodeIDs(n int, at func(i int) (key []byte, slot uint32), room int) (record []byte, count int) {
	previous, slot := at(0)
	room -= len(previous)
	record = binary.AppendUvarint(make([]byte, keyBlockHead, max(room, keyBlockHead+binary.MaxVarintLen32)), uint64(slot))
	for count = 1; count < min(n, math.MaxUint16); count++ {
		k, slot := at(count)
		size := len(record)
		grown := binary.AppendUvarint(appendEntry(record, previous, k), uint64(slot))
		if len(grown) > room {
			record = grown[:size]
			break
		}
		record, previous = grown, k
	}
	binary.LittleEndian.PutUint16(record[ChecksumSize+1:], uint16(count))
	return record, count
}

// DecodeIDs calls yield with every pair of an id block, in ascending order of keys. A key is
// valid only during the call.
func DecodeIDs(key, payload []byte, yield func(key []byte, id uint32) error) error {
	b, count, err := keyBlockBody(payload)
	if err != nil {
		return err
	}
	if err := checkStoredKey(key); err != nil {
		return err
	}
	previous := append(make([]byte, 0, maxKey), key...)
	before := make([]byte, 0, maxKey)
	for i := range count {
		if i > 0 {
			before = append(before[:0], previous...)
			k, size, err := readEntry(previous, b)
			if err != nil {
				return err
			}
			if err := checkStoredKey(k); err != nil {
				return err
			}
			if bytes.Compare(before, k) >= 0 {
				return fault.Record("keys of an id block do not ascend")
			}
			previous, b = k, b[size:]
		}
		id, size := uvarint(b)
		if size == 0 || id >= MaxVertices {
			return fault.Record("slot in an id block")
		}
		b = b[size:]
		if err := yield(previous, uint32(id)); err != nil {
			return err
		}
	}
	if len(b) != 0 {
		return fault.Record("%d bytes after the keys", len(b))
	}
	return nil
}

// FindID returns the slot of one key by an id block, and whether the block contains the key.
// Like FindKeys, it reads no further than it must and does not validate other entries. It
// builds no keys: while the keys are smaller than the wanted one, it is enough to know how
// many bytes they share with that.
func FindID(key, payload, wanted []byte) (slot uint32, found bool, err error) {
	b, count, err := keyBlockBody(payload)
	if err != nil {
		return 0, false, err
	}
	shared := 0 // bytes that wanted shares with the key before, which is smaller than wanted
	for same, suffix := 0, key; same >= shared; {
		equal := false
		if same == shared {
			n := commonPrefix(suffix, wanted[shared:])
			shared += n
			equal = n == len(suffix) && shared == len(wanted)
			if !equal && n < len(suffix) && (shared == len(wanted) || suffix[n] > wanted[shared]) {
				return 0, false, nil
			}
		}
		id, size := uvarint(b)
		if size == 0 || id >= MaxVertices {
			return 0, false, fault.Record("slot in an id block")
		}
		if count--; equal || count == 0 {
			return uint32(id), equal, nil
		}
		b = b[size:]
		if same, suffix, size, err = splitEntry(b); err != nil {
			return 0, false, err
		}
		b = b[size:]
	}
	return 0, false, nil // a key that shares less than the one before is larger than wanted
}

// FindIDs searches an id block for keys; order has their indices, in ascending order of the
// keys. For every key in the block it calls yield with the key's index and its slot. Like
// FindKeys, it reads no further than the last of the keys and does not validate other entries.
func FindIDs(key, payload []byte, keys [][]byte, order []int, yield func(i int, slot uint32) error) error {
	b, count, err := keyBlockBody(payload)
	if err != nil {
		return err
	}
	if err := checkStoredKey(key); err != nil {
		return err
	}
	previous := append(make([]byte, 0, maxKey), key...)
	for i := 0; i < count && len(order) > 0; i++ {
		if i > 0 {
			k, size, err := readEntry(previous, b)
			if err != nil {
				return err
			}
			previous, b = k, b[size:]
		}
		id, size := uvarint(b)
		if size == 0 || id >= MaxVertices {
			return fault.Record("slot in an id block")
		}
		b = b[size:]
		for len(order) > 0 {
			c := bytes.Compare(keys[order[0]], previous)
			if c > 0 {
				break
			}
			if c == 0 {
				if err := yield(order[0], uint32(id)); err != nil {
					return err
				}
			}
			order = order[1:]
		}
	}
	return nil
}
