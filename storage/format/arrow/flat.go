package arrow

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"

	"heavytail/storage/format/internal/columnfile"
)

// table is a table of a flatbuffer, whose fields have numbers from 0. Its methods panic if the bytes are
// damaged: guarded makes errors of that.
type table struct{ flatbuffers.Table }

func guarded(call func() error) error { return columnfile.Guarded("flatbuffers", call) }

func root(data []byte) table {
	return table{flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}}
}

// at is the place of a field; 0 if it is absent.
func (t table) at(field int) flatbuffers.UOffsetT {
	offset := t.Offset(flatbuffers.VOffsetT(4 + 2*field))
	if offset == 0 {
		return 0
	}
	return t.Pos + flatbuffers.UOffsetT(offset)
}

func (t table) byte(field int) byte {
	if at := t.at(field); at > 0 {
		return t.GetByte(at)
	}
	return 0
}

func (t table) int16(field int, absent int16) int16 {
	if at := t.at(field); at > 0 {
		return t.GetInt16(at)
	}
	return absent
}

func (t table) int32(field int, absent int32) int32 {
	if at := t.at(field); at > 0 {
		return t.GetInt32(at)
	}
	return absent
}

func (t table) int64(field int) int64 {
	if at := t.at(field); at > 0 {
		return t.GetInt64(at)
	}
	return 0
}

// table returns the table of a field; not ok if it is absent.
func (t table) table(field int) (inner table, ok bool) {
	at := t.at(field)
	if at == 0 {
		return table{}, false
	}
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}}, true
}

func (t table) text(field int) string {
	if at := t.at(field); at > 0 {
		return string(t.ByteVector(at))
	}
	return ""
}

// items returns the bytes of a vector of items of size bytes, and their number. The library does not
// compare a number with the bytes that are there.
func (t table) items(field, size int) (bytes []byte, n int) {
	at := t.at(field)
	if at == 0 {
		return nil, 0
	}
	at += flatbuffers.GetUOffsetT(t.Bytes[at:])
	length := flatbuffers.GetUOffsetT(t.Bytes[at:])
	bytes = t.Bytes[at+4:]
	if uint64(length)*uint64(size) > uint64(len(bytes)) {
		panic(damaged("the metadata of a message have a list of %d items, which is longer than the message", length))
	}
	return bytes, int(length)
}

// tables returns the tables of a vector.
func (t table) tables(field int) []table {
	bytes, n := t.items(field, 4)
	list := make([]table, n)
	start := flatbuffers.UOffsetT(len(t.Bytes) - len(bytes))
	for i := range list {
		list[i] = table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}}
	}
	return list
}

// numbers returns the 64-bit numbers of a vector of structures, each of size numbers.
func (t table) numbers(field, size int) []int64 {
	bytes, n := t.items(field, 8*size)
	list := make([]int64, n*size)
	for i := range list {
		list[i] = int64(binary.LittleEndian.Uint64(bytes[8*i:]))
	}
	return list
}
