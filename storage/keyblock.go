package storage

import (
	"bytes"
	"encoding/binary"
)

// A key block holds keys of vertices with consecutive numbers; its own key is
// the first number, big-endian. An id block holds (key, number) pairs in
// ascending order of the keys; its own key is the first vertex key, so that one
// vertex is found by one search. Both start with
//
//	flags  1 byte   zero in format 1
//	count  2 bytes  entries, little-endian, at least 1
//
// and store a key by what it shares with the key before it in the block:
//
//	head    1 byte   upper half: shared bytes, 0–14; lower half: further bytes, 0–15
//	suffix           the further bytes
//
// or, where one of the two is larger, a head of 0xf0 and both as uvarints. In a
// key block the first key shares nothing. In an id block every entry ends with
// the number of the vertex as uvarint, and the first entry is only the number.
const (
	keyBlockHead = sumSize + 1 + 2
	longHead     = 0xf0
)

// appendEntry appends the front coding of key after previous.
func appendEntry(dst, previous, key []byte) []byte {
	shared := 0
	for shared < len(previous) && shared < len(key) && previous[shared] == key[shared] {
		shared++
	}
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

// readEntry decodes one entry into previous, which it may overwrite, and
// returns the key and the bytes that the entry took. One key has one encoding.
func readEntry(previous, b []byte) (key []byte, size int, err error) {
	if len(b) == 0 {
		return nil, 0, badRecord("key entry is cut off")
	}
	shared, further := uint64(b[0]>>4), uint64(b[0]&15)
	size = 1
	if b[0] >= longHead {
		var n int
		if shared, n = uvarint(b[1:]); n == 0 || b[0] != longHead {
			return nil, 0, badRecord("key entry")
		}
		size += n
		if further, n = uvarint(b[size:]); n == 0 || (shared <= 14 && further <= 15) {
			return nil, 0, badRecord("key entry")
		}
		size += n
	}
	if shared > uint64(len(previous)) || further > uint64(len(b)-size) || shared+further > maxKey {
		return nil, 0, badRecord("key entry of %d shared and %d further bytes", shared, further)
	}
	suffix := b[size : size+int(further)]
	if int(shared) < len(previous) && len(suffix) > 0 && previous[shared] == suffix[0] {
		return nil, 0, badRecord("key entry shares less than it could")
	}
	key = append(previous[:shared], suffix...)
	return key, size + int(further), checkStoredKey(key)
}

func checkStoredKey(key []byte) error {
	if err := checkKey(key); err != nil {
		return badRecord("%v", err)
	}
	return nil
}

// nextKeyBlock returns the key and the unsealed record of the block that starts
// with vertex from, and how many vertices it holds.
func nextKeyBlock(keys *keySet, from uint32) (key, record []byte, count int) {
	key = be32(from)
	room := maxBlock - len(key)
	record = make([]byte, keyBlockHead, room)
	var previous []byte
	for i := int(from); i < keys.len(); i++ {
		k := keys.at(uint32(i))
		size := len(record)
		grown := appendEntry(record, previous, k)
		if len(grown) > room {
			record = grown[:size]
			break
		}
		record, previous = grown, k
		count++
	}
	binary.LittleEndian.PutUint16(record[sumSize+1:], uint16(count))
	return key, record, count
}

// decodeKeys appends the keys of a block to the set, of which the block must be
// the continuation.
func decodeKeys(keys *keySet, key, payload []byte) error {
	if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != uint64(keys.len()) {
		return badRecord("key block %x where %d keys were read", key, keys.len())
	}
	b, count, err := keyBlockBody(payload)
	if err != nil {
		return err
	}
	previous := make([]byte, 0, maxKey)
	for range count {
		k, size, err := readEntry(previous, b)
		if err != nil {
			return err
		}
		keys.add(k)
		previous, b = k, b[size:]
	}
	if len(b) != 0 {
		return badRecord("%d bytes after the keys", len(b))
	}
	return nil
}

func keyBlockBody(payload []byte) (body []byte, count int, err error) {
	if len(payload) < keyBlockHead-sumSize {
		return nil, 0, badRecord("key block of %d bytes", len(payload))
	}
	if payload[0] != 0 {
		return nil, 0, badRecord("key block flags %#02x", payload[0])
	}
	count = int(binary.LittleEndian.Uint16(payload[1:]))
	body = payload[3:]
	if count == 0 || count > len(body) {
		return nil, 0, badRecord("key block declares %d keys in %d bytes", count, len(body))
	}
	return body, count, nil
}

// nextIDBlock returns the key and the unsealed record of the block that starts
// with entry from of order, the vertices in ascending order of their keys, and
// how many entries it holds.
func nextIDBlock(keys *keySet, order []uint32, from int) (key, record []byte, count int) {
	key = bytes.Clone(keys.at(order[from]))
	room := maxBlock - len(key)
	record = binary.AppendUvarint(make([]byte, keyBlockHead, room), uint64(order[from]))
	previous := key
	count = 1
	for _, id := range order[from+1:] {
		k := keys.at(id)
		size := len(record)
		grown := binary.AppendUvarint(appendEntry(record, previous, k), uint64(id))
		if len(grown) > room {
			record = grown[:size]
			break
		}
		record, previous = grown, k
		count++
	}
	binary.LittleEndian.PutUint16(record[sumSize+1:], uint16(count))
	return key, record, count
}

// decodeIDs calls yield with every pair of an id block, in ascending order of
// the keys; the key is valid during the call only.
func decodeIDs(key, payload []byte, yield func(key []byte, id uint32) error) error {
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
			if bytes.Compare(before, k) >= 0 {
				return badRecord("keys of an id block do not ascend")
			}
			previous, b = k, b[size:]
		}
		id, size := uvarint(b)
		if size == 0 || id >= maxVertices {
			return badRecord("vertex number in an id block")
		}
		b = b[size:]
		if err := yield(previous, uint32(id)); err != nil {
			return err
		}
	}
	if len(b) != 0 {
		return badRecord("%d bytes after the keys", len(b))
	}
	return nil
}
