package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"heavytail/storage/vec"
)

// A stored index is a stream of little-endian numbers:
//
//	head       64 bytes, see streamHead
//	levels     1 by vertex
//	sums       4 by vertex: a checksum of its vector
//	places     4 by vertex: the number of its first list above level 0, or none
//	base       8·M by vertex: its links of level 0, padded with none
//	upper      4·M by list above level 0
//	twins      8 by twin: from 4, to 4, ascending
//	bridges    8 by bridge, likewise
//	pages      4 by page of 1024 bytes of all before: its CRC-32C
//	checksum   4: CRC-32C of all before
//
// Every section has a fixed stride, so that [View] reads single lists where they lie, and
// verifies only their pages. A stored index takes 8M+9 bytes per vertex, 4M more for one in
// M, and 0.4 % for the pages: 142 at M = 16.
//
// The field vectors of the head is a checksum of a sample of the vectors, so that links
// are not used with other vectors; a caller that stores an index should bind it to its
// vectors by a stronger check.

// WriteTo writes the index, without the vectors, and returns the number of
// bytes written. Errors are those of w.
func (h *HNSW) WriteTo(w io.Writer) (int64, error) {
	e := &encoder{w: bufio.NewWriterSize(w, 1<<16), sum: crc32.New(castagnoli)}
	e.bytes(h.head().encode())
	e.bytes(h.levels)
	for v := range h.Len() {
		e.uint32s(rowSum(h.exact.m.Row(v)))
	}
	next := uint32(0)
	for _, level := range h.levels {
		if level == 0 || level > maxLevel {
			e.uint32s(none)
			continue
		}
		e.uint32s(next)
		next += uint32(level)
	}
	for v, level := range h.levels {
		e.list(h, 0, uint32(v), level <= maxLevel)
	}
	for v, level := range h.levels {
		for l := 1; level <= maxLevel && l <= int(level); l++ {
			e.list(h, l, uint32(v), true)
		}
	}
	for _, list := range [][]edge{h.twins, h.bridges} {
		for _, d := range list {
			e.uint32s(d.from, d.to)
		}
	}
	e.pages.end()
	e.uint32s(e.pages.sums...)
	e.bytes(binary.LittleEndian.AppendUint32(nil, e.sum.Sum32()))
	if err := e.w.Flush(); e.err == nil {
		e.err = err
	}
	return e.written, e.err
}

// list writes the links of a vertex on a level, or an empty list if it has none.
func (e *encoder) list(h *HNSW, level int, v uint32, has bool) {
	e.buffer = e.buffer[:0]
	links := h.links(level, v)
	for i, u := range links {
		if has = has && u != none; !has {
			links = links[i:]
			break
		}
		e.buffer = binary.LittleEndian.AppendUint32(e.buffer, u)
	}
	if !has {
		for range links {
			e.buffer = binary.LittleEndian.AppendUint32(e.buffer, none)
		}
	}
	e.bytes(e.buffer)
}

// rowSum is the checksum of a vector, for which 0 and −0 are equal.
func rowSum(row []float32) uint32 {
	h := hashRow(row)
	return uint32(h>>32) ^ uint32(h)
}

type encoder struct {
	w       *bufio.Writer
	sum     hash.Hash32
	pages   pageSums // of what was written
	written int64
	err     error
	buffer  []byte
}

func (e *encoder) bytes(b []byte) {
	if e.err != nil {
		return
	}
	e.sum.Write(b)
	e.pages.add(b)
	n, err := e.w.Write(b)
	e.written += int64(n)
	e.err = err
}

func (e *encoder) uint32s(list ...uint32) {
	e.buffer = e.buffer[:0]
	for _, x := range list {
		e.buffer = binary.LittleEndian.AppendUint32(e.buffer, x)
	}
	e.bytes(e.buffer)
}

// ReadHNSW reads what WriteTo wrote, for the same matrix m, which the index
// shares. A damaged or truncated stream, or one that is not an index, is
// ErrFormat, links of other vectors are ErrMismatch, and errors of r are
// returned unchanged. It allocates according to the size of m, whatever the
// stream contains.
func ReadHNSW(r io.Reader, m *vec.Matrix) (*HNSW, error) {
	d := &decoder{r: bufio.NewReaderSize(r, 1<<16), sum: crc32.New(castagnoli)}
	h, err := d.hnsw(m)
	switch {
	case err != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return nil, fmt.Errorf("read: truncated: %w", ErrFormat)
	case err != nil:
		return nil, fmt.Errorf("read: %w", err)
	}
	return h, nil
}

type decoder struct {
	r      *bufio.Reader
	sum    hash.Hash32
	pages  pageSums // of what was read
	buffer [1 << 13]byte
}

// bytes reads n bytes, which the next call overwrites.
func (d *decoder) bytes(n int) ([]byte, error) {
	b := d.buffer[:n]
	if _, err := io.ReadFull(d.r, b); err != nil {
		return nil, err
	}
	d.sum.Write(b)
	d.pages.add(b)
	return b, nil
}

// hnsw reads the whole stream.
func (d *decoder) hnsw(m *vec.Matrix) (*HNSW, error) {
	h, err := d.body(m)
	if err != nil {
		return nil, err
	}
	sum := d.sum.Sum32()
	b, err := d.bytes(4)
	if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(b) != sum {
		return nil, damaged("wrong checksum")
	}
	if _, err := d.r.ReadByte(); err != io.EOF {
		if err == nil {
			err = damaged("bytes after the end")
		}
		return nil, err
	}
	if err := h.validate(); err != nil {
		return nil, err
	}
	h.mark(h.Len())
	return h, nil
}

// body reads a stream up to its checksum.
func (d *decoder) body(m *vec.Matrix) (*HNSW, error) {
	b, err := d.bytes(headSize)
	if err != nil {
		return nil, err
	}
	head, err := decodeHead(b)
	if err != nil {
		return nil, err
	}
	h, err := head.hnsw(m)
	if err != nil {
		return nil, err
	}
	if err := d.all(m.Rows, 1, func(v int, b []byte) { h.levels[v] = b[0] }); err != nil {
		return nil, err
	}
	if err := d.all(m.Rows, 4, func(int, []byte) {}); err != nil { // the sums are for a View
		return nil, err
	}
	next, misplaced := uint32(0), false
	err = d.all(m.Rows, 4, func(v int, b []byte) {
		place := uint32(none)
		if level := h.levels[v]; level > 0 && level <= maxLevel {
			place = next
			next += uint32(level)
		}
		h.upperAt[v] = binary.LittleEndian.Uint32(b)
		misplaced = misplaced || h.upperAt[v] != place
	})
	if err == nil && (misplaced || next != head.lists) {
		err = damaged("the lists above level 0 are not in the order of their vertices")
	}
	if err != nil {
		return nil, err
	}
	h.upper = make([]uint32, int(head.lists)*h.opts.M)
	for _, links := range [][]uint32{h.base, h.upper} {
		if err := d.all(len(links), 4, func(i int, b []byte) { links[i] = binary.LittleEndian.Uint32(b) }); err != nil {
			return nil, err
		}
	}
	for _, level := range h.levels {
		if level != absent {
			h.live++
		}
		if level > maxLevel && level != absent && level != twin {
			return nil, damaged("level %d", level)
		}
	}
	for _, detour := range []struct {
		list  *[]edge
		count uint32
	}{{&h.twins, head.twins}, {&h.bridges, head.bridges}} {
		if *detour.list, err = d.edges(detour.count, m.Rows); err != nil {
			return nil, err
		}
	}
	if h.live != int(head.live) {
		return nil, damaged("%d vertices where the head says %d", h.live, head.live)
	}
	return h, d.pageSums(int(head.pages()))
}

// pageSums reads the sums of the pages and compares them with those of what was read.
func (d *decoder) pageSums(count int) error {
	d.pages.end()
	sums, wrong := d.pages.sums, -1
	err := d.all(count, 4, func(i int, b []byte) {
		if wrong < 0 && binary.LittleEndian.Uint32(b) != sums[i] {
			wrong = i
		}
	})
	if err == nil && wrong >= 0 {
		err = damaged("wrong checksum of page %d", wrong)
	}
	return err
}

// all reads count numbers of size bytes each.
func (d *decoder) all(count, size int, f func(i int, b []byte)) error {
	for at := 0; at < count; {
		n := min(count-at, len(d.buffer)/size)
		b, err := d.bytes(n * size)
		if err != nil {
			return err
		}
		for i := range n {
			f(at+i, b[i*size:(i+1)*size])
		}
		at += n
	}
	return nil
}

// edges reads a list of detours, which are twins or bridges.
func (d *decoder) edges(count uint32, vertices int) ([]edge, error) {
	if uint64(count) > 2*uint64(vertices) {
		return nil, damaged("%d detours of %d vertices", count, vertices)
	}
	var list []edge
	for range count {
		b, err := d.bytes(8)
		if err != nil {
			return nil, err
		}
		e := edge{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
		if uint64(max(e.from, e.to)) >= uint64(vertices) {
			return nil, damaged("detour from vertex %d to %d of %d", e.from, e.to, vertices)
		}
		list = append(list, e)
	}
	return list, nil
}
