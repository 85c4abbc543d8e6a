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
//	magic 8 │ metric 1 │ m 1 │ ef_construction 4 │ ef 4 │ seed 8 │
//	vertices 4 │ dim 4 │ vectors 8 │ entry 4 │
//	by vertex: level 1, and for each of its levels: count 1, links 4 each │
//	twins 4, from 4 to 4 each │ bridges 4, from 4 to 4 each │ CRC-32C 4
//
// The field vectors is a checksum of a sample of the vectors, so that links
// are not used with other vectors; a caller that stores an index should bind
// it to its vectors by a stronger check. A stored index takes about 90 bytes
// per vertex at M = 16.
var hnswMagic = [8]byte{'h', 't', 'h', 'n', 's', 'w', '1', '\n'}

// An index of n vertices has n/(M−1) lists above level 0 on average, so n at M
// = 2. 2n and maxUpperBeyond more never occur by chance, and limit what a
// stream of empty lists can make a reader allocate.
const maxUpperBeyond = 1000

// maxListed is the largest number of links that a one-byte count can express.
const maxListed = 255

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteTo writes the index, without the vectors, and returns the number of
// bytes written. Errors are those of w.
func (h *HNSW) WriteTo(w io.Writer) (int64, error) {
	e := &encoder{w: bufio.NewWriterSize(w, 1<<16), sum: crc32.New(castagnoli)}
	e.bytes(hnswMagic[:])
	e.bytes([]byte{byte(h.Metric()), byte(h.opts.M)})
	e.uint32s(uint32(h.opts.EfConstruction), uint32(h.opts.Ef))
	e.uint64(h.opts.Seed)
	e.uint32s(uint32(h.Len()), uint32(h.Dim()))
	e.uint64(fingerprint(h.exact.m))
	e.uint32s(h.entry)
	for v, level := range h.levels {
		e.bytes([]byte{level})
		if level > maxLevel {
			continue
		}
		for l := range int(level) + 1 {
			links := h.links(l, uint32(v))
			count := 0
			for count < len(links) && links[count] != none {
				count++
			}
			e.bytes([]byte{byte(count)})
			e.uint32s(links[:count]...)
		}
	}
	for _, list := range [][]edge{h.twins, h.bridges} {
		e.uint32s(uint32(len(list)))
		for _, d := range list {
			e.uint32s(d.from, d.to)
		}
	}
	e.bytes(binary.LittleEndian.AppendUint32(nil, e.sum.Sum32()))
	if err := e.w.Flush(); e.err == nil {
		e.err = err
	}
	return e.written, e.err
}

// fingerprint is a checksum of the shape and of at most 1024 rows, evenly spread.
func fingerprint(m *vec.Matrix) uint64 {
	h := mix(uint64(m.Rows)<<32 | uint64(m.Dim))
	count := min(m.Rows, 1024)
	for i := range count {
		h = mix(h ^ hashRow(m.Row(int(int64(i)*int64(m.Rows)/int64(count)))))
	}
	return h
}

type encoder struct {
	w       *bufio.Writer
	sum     hash.Hash32
	written int64
	err     error
	buffer  []byte
}

func (e *encoder) bytes(b []byte) {
	if e.err != nil {
		return
	}
	e.sum.Write(b)
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

func (e *encoder) uint64(x uint64) { e.bytes(binary.LittleEndian.AppendUint64(nil, x)) }

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
	buffer [8 * maxListed]byte
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrFormat)
}

// bytes reads n bytes, which the next call overwrites.
func (d *decoder) bytes(n int) ([]byte, error) {
	b := d.buffer[:n]
	if _, err := io.ReadFull(d.r, b); err != nil {
		return nil, err
	}
	d.sum.Write(b)
	return b, nil
}

// hnsw reads the whole stream.
func (d *decoder) hnsw(m *vec.Matrix) (*HNSW, error) {
	h, err := d.head(m)
	if err != nil {
		return nil, err
	}
	for v := range uint32(m.Rows) {
		if err := d.vertex(h, v); err != nil {
			return nil, err
		}
	}
	for _, list := range []*[]edge{&h.twins, &h.bridges} {
		if *list, err = d.edges(m.Rows); err != nil {
			return nil, err
		}
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

// head reads the fields before the vertices.
func (d *decoder) head(m *vec.Matrix) (*HNSW, error) {
	b, err := d.bytes(8 + 2 + 2*4 + 8 + 2*4 + 8 + 4)
	if err != nil {
		return nil, err
	}
	if [8]byte(b) != hnswMagic {
		return nil, damaged("unknown magic bytes %x", b[:8])
	}
	u32 := binary.LittleEndian.Uint32
	opts := HNSWOptions{
		M: int(b[9]), EfConstruction: int(u32(b[10:])), Ef: int(u32(b[14:])), Seed: binary.LittleEndian.Uint64(b[18:]),
	}
	vertices, dim, rows, entry := u32(b[26:]), u32(b[30:]), binary.LittleEndian.Uint64(b[34:]), u32(b[42:])
	if _, err := opts.withDefaults(); err != nil || min(opts.M, opts.EfConstruction, opts.Ef) == 0 {
		return nil, damaged("parameters %d, %d and %d", opts.M, opts.EfConstruction, opts.Ef)
	}
	if uint64(vertices) != uint64(m.Rows) || uint64(dim) != uint64(m.Dim) || rows != fingerprint(m) {
		return nil, fmt.Errorf("the index is of %d × %d vectors, the matrix of %d × %d: %w", vertices, dim, m.Rows, m.Dim, ErrMismatch)
	}
	exact, err := NewExact(m, Metric(b[8]))
	if err != nil {
		return nil, damaged("%v", err)
	}
	h := emptyHNSW(exact, opts)
	h.grow(m.Rows)
	h.entry = entry
	return h, nil
}

// vertex reads the lists of a vertex.
func (d *decoder) vertex(h *HNSW, v uint32) error {
	b, err := d.bytes(1)
	if err != nil {
		return err
	}
	level := b[0]
	h.levels[v] = level
	if level != absent {
		h.live++
	}
	if level == absent || level == twin {
		return nil
	}
	if level > maxLevel {
		return damaged("level %d", level)
	}
	if level > 0 {
		h.upperAt[v] = uint32(len(h.upper) / h.opts.M)
	}
	for l := range int(level) + 1 {
		if l > 0 {
			if len(h.upper) >= (2*h.Len()+maxUpperBeyond)*h.opts.M {
				return damaged("more than %d lists above level 0", 2*h.Len()+maxUpperBeyond)
			}
			for range h.opts.M {
				h.upper = append(h.upper, none)
			}
		}
		if err := d.links(h.links(l, v), h.Len()); err != nil {
			return err
		}
	}
	return nil
}

// links reads one list.
func (d *decoder) links(list []uint32, vertices int) error {
	b, err := d.bytes(1)
	if err != nil {
		return err
	}
	count := int(b[0])
	if count > len(list) {
		return damaged("%d links in a list of at most %d", count, len(list))
	}
	if b, err = d.bytes(4 * count); err != nil {
		return err
	}
	for i := range count {
		list[i] = binary.LittleEndian.Uint32(b[4*i:])
		if uint64(list[i]) >= uint64(vertices) {
			return damaged("link to vertex %d of %d", list[i], vertices)
		}
	}
	return nil
}

// edges reads a list of detours, which are twins or bridges.
func (d *decoder) edges(vertices int) ([]edge, error) {
	b, err := d.bytes(4)
	if err != nil {
		return nil, err
	}
	count := binary.LittleEndian.Uint32(b)
	if uint64(count) > 2*uint64(vertices) {
		return nil, damaged("%d detours of %d vertices", count, vertices)
	}
	var list []edge
	for range count {
		if b, err = d.bytes(8); err != nil {
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

// validate verifies that searches stay inside the lists, and find every vertex
// once.
func (h *HNSW) validate() error {
	for v, level := range h.levels {
		if level > maxLevel {
			continue
		}
		h.height = max(h.height, int(level))
		for l := range int(level) + 1 {
			for _, u := range h.links(l, uint32(v)) {
				if u == none {
					break
				}
				if h.levels[u] > maxLevel || int(h.levels[u]) < l || u == uint32(v) {
					return damaged("link of level %d from vertex %d to %d", l, v, u)
				}
			}
		}
	}
	if h.height < 0 && h.entry == none {
		return h.validateDetours()
	}
	if uint64(h.entry) >= uint64(h.Len()) || int(h.levels[h.entry]) != h.height {
		return damaged("the entry is vertex %d", h.entry)
	}
	return h.validateDetours()
}

// validateDetours verifies that the twins match the levels, and that bridges
// join vertices of the graph.
func (h *HNSW) validateDetours() error {
	twins := 0
	for _, level := range h.levels {
		if level == twin {
			twins++
		}
	}
	if twins != len(h.twins) {
		return damaged("%d of %d twins", len(h.twins), twins)
	}
	found := make([]bool, h.Len())
	for _, e := range h.twins {
		if !h.inGraph(e.from) || h.levels[e.to] != twin || found[e.to] {
			return damaged("vertex %d as the twin of %d", e.to, e.from)
		}
		found[e.to] = true
	}
	for _, e := range h.bridges {
		if !h.inGraph(e.from) || !h.inGraph(e.to) || e.from == e.to {
			return damaged("bridge from vertex %d to %d", e.from, e.to)
		}
	}
	return nil
}
