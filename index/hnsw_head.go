package index

import (
	"encoding/binary"
	"fmt"

	"heavytail/storage/vec"
)

// streamHead is the beginning of a stored index:
//
//	magic 8 │ metric 1 │ m 1 │ height 1 │ 0 1 │ ef_construction 4 │ ef 4 │ seed 8 │
//	vertices 4 │ dim 4 │ vectors 8 │ entry 4 │ live 4 │ lists 4 │ twins 4 │ bridges 4
type streamHead struct {
	metric        Metric
	opts          HNSWOptions
	height        uint8 // absent without vertices
	vertices, dim uint32
	vectors       uint64 // fingerprint of the matrix
	entry, live   uint32
	lists         uint32 // above level 0
	twins         uint32
	bridges       uint32
}

const headSize = 64

var streamMagic = [8]byte{'h', 't', 'h', 'n', 's', 'w', '3', '\n'}

// An index of n vertices has n/(M−1) lists above level 0 on average, so n at M
// = 2. 2n and maxUpperBeyond more never occur by chance, and limit what a
// damaged stream can make a reader allocate.
const maxUpperBeyond = 1000

// head describes an index.
func (h *HNSW) head() streamHead {
	head := streamHead{
		metric: h.Metric(), opts: h.opts, height: absent, vertices: uint32(h.Len()), dim: uint32(h.Dim()), vectors: fingerprint(h.exact.m),
		entry: h.entry, live: uint32(h.live), twins: uint32(len(h.twins)), bridges: uint32(len(h.bridges)),
	}
	if h.height >= 0 {
		head.height = uint8(h.height)
	}
	for _, level := range h.levels {
		if level <= maxLevel {
			head.lists += uint32(level)
		}
	}
	return head
}

func (s streamHead) encode() []byte {
	le := binary.LittleEndian
	b := append(make([]byte, 0, headSize), streamMagic[:]...)
	b = append(b, byte(s.metric), byte(s.opts.M), s.height, 0)
	b = le.AppendUint32(le.AppendUint32(b, uint32(s.opts.EfConstruction)), uint32(s.opts.Ef))
	b = le.AppendUint64(b, s.opts.Seed)
	b = le.AppendUint64(le.AppendUint32(le.AppendUint32(b, s.vertices), s.dim), s.vectors)
	for _, x := range []uint32{s.entry, s.live, s.lists, s.twins, s.bridges} {
		b = le.AppendUint32(b, x)
	}
	return b
}

// decodeHead is the inverse of encode. Impossible numbers are [ErrFormat].
func decodeHead(b []byte) (s streamHead, err error) {
	if [8]byte(b) != streamMagic {
		return s, damaged("unknown magic bytes %x", b[:8])
	}
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	s = streamHead{
		metric: Metric(b[8]), height: b[10], vertices: u32(b[28:]), dim: u32(b[32:]), vectors: u64(b[36:]),
		entry: u32(b[44:]), live: u32(b[48:]), lists: u32(b[52:]), twins: u32(b[56:]), bridges: u32(b[60:]),
		opts: HNSWOptions{M: int(b[9]), EfConstruction: int(u32(b[12:])), Ef: int(u32(b[16:])), Seed: u64(b[20:])},
	}
	n := uint64(s.vertices)
	switch {
	case s.height > maxLevel && s.height != absent || (s.height == absent) != (s.entry == none):
		return s, damaged("height %d with entry %d", s.height, s.entry)
	case s.entry != none && s.entry >= s.vertices || s.live > s.vertices:
		return s, damaged("entry %d and %d live of %d vertices", s.entry, s.live, s.vertices)
	case uint64(s.lists) > 2*n+maxUpperBeyond:
		return s, damaged("more than %d lists above level 0", 2*n+maxUpperBeyond)
	case uint64(s.twins) > n || uint64(s.bridges) > 2*n:
		return s, damaged("%d twins and %d bridges of %d vertices", s.twins, s.bridges, n)
	}
	return s, s.check()
}

// check verifies the parameters.
func (s streamHead) check() error {
	o := s.opts
	if _, err := o.withDefaults(); err != nil || min(o.M, o.EfConstruction, o.Ef) == 0 {
		return damaged("parameters %d, %d and %d", o.M, o.EfConstruction, o.Ef)
	}
	if s.metric > Dot {
		return damaged("metric %d", uint8(s.metric))
	}
	return nil
}

// hnsw makes an index of the matrix without links.
func (s streamHead) hnsw(m *vec.Matrix) (*HNSW, error) {
	if uint64(s.vertices) != uint64(m.Rows) || uint64(s.dim) != uint64(m.Dim) || s.vectors != fingerprint(m) {
		return nil, fmt.Errorf("the index is of %d × %d vectors, the matrix of %d × %d: %w", s.vertices, s.dim, m.Rows, m.Dim, ErrMismatch)
	}
	exact, err := NewExact(m, s.metric)
	if err != nil {
		return nil, damaged("%v", err)
	}
	h := emptyHNSW(exact, s.opts)
	h.grow(m.Rows)
	h.entry = s.entry
	return h, nil
}

// fingerprint is a checksum of the shape and of at most 1024 rows, evenly spread.
func fingerprint(m *vec.Matrix) uint64 {
	h := vec.Mix(uint64(m.Rows)<<32 | uint64(m.Dim))
	count := min(m.Rows, 1024)
	for i := range count {
		h = vec.Mix(h ^ hashRow(m.Row(int(int64(i)*int64(m.Rows)/int64(count)))))
	}
	return h
}

// Where the sections of a stream begin.

func (s streamHead) sumsAt() int64    { return headSize + int64(s.vertices) }
func (s streamHead) placesAt() int64  { return s.sumsAt() + 4*int64(s.vertices) }
func (s streamHead) baseAt() int64    { return s.placesAt() + 4*int64(s.vertices) }
func (s streamHead) upperAt() int64   { return s.baseAt() + 8*int64(s.opts.M)*int64(s.vertices) }
func (s streamHead) twinsAt() int64   { return s.upperAt() + 4*int64(s.opts.M)*int64(s.lists) }
func (s streamHead) bridgesAt() int64 { return s.twinsAt() + 8*int64(s.twins) }
func (s streamHead) pagesAt() int64   { return s.bridgesAt() + 8*int64(s.bridges) }

// pages is the number of the pages that have sums.
func (s streamHead) pages() int64 { return (s.pagesAt() + sumPage - 1) / sumPage }

func (s streamHead) size() int64 { return s.pagesAt() + 4*s.pages() + 4 }
