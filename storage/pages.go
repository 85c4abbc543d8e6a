package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// This file reads the pages of a bbolt file with plain reads, never through the
// map: a read beyond the end is an error here and a fault there. The layout is
// that of bbolt's format version 2, in the byte order of the machine.

const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	pageHeadSize  = 16 // id 8, flags 2, count 2, overflow 4
	leafElemSize  = 16 // flags 4, position 4, key size 4, value size 4
	branchElem    = 16 // position 4, key size 4, page 8
	bucketHead    = 16 // root page 8, sequence 8
	metaSize      = 64
	minPageSize   = 1 << 10
	maxPageSize   = 16 << 20
	noFreelist    = ^uint64(0)
	branchFlag    = 0x01
	leafFlag      = 0x02
	freelistFlag  = 0x10
	bucketElement = 0x01
)

var native = binary.NativeEndian

// meta is one of the two meta pages.
type meta struct {
	pageSize  int
	root      uint64 // root page of the root bucket
	freelist  uint64 // page of the free list, noFreelist where it is not kept
	highWater uint64 // pages that were ever in use
	txid      uint64
}

// parseMeta decodes the meta page in the first bytes of b.
func parseMeta(b []byte) (meta, error) {
	b = b[pageHeadSize : pageHeadSize+metaSize]
	if native.Uint32(b) != boltMagic {
		return meta{}, errors.New("no bbolt file")
	}
	if v := native.Uint32(b[4:]); v != boltVersion {
		return meta{}, fmt.Errorf("bbolt file of version %d", v)
	}
	sum := fnv.New64a()
	sum.Write(b[:56])
	if sum.Sum64() != native.Uint64(b[56:]) {
		return meta{}, errors.New("meta page has a wrong checksum")
	}
	m := meta{
		pageSize:  int(native.Uint32(b[8:])),
		root:      native.Uint64(b[16:]),
		freelist:  native.Uint64(b[32:]),
		highWater: native.Uint64(b[40:]),
		txid:      native.Uint64(b[48:]),
	}
	if m.pageSize < minPageSize || m.pageSize > maxPageSize || m.pageSize&(m.pageSize-1) != 0 {
		return meta{}, fmt.Errorf("pages of %d bytes", m.pageSize)
	}
	return m, nil
}

// readMeta returns the meta page that bbolt would take: the valid one of the
// later transaction. A file that is shorter than its pages reach is an error.
// The two errors tell apart what is no bbolt file at all.
func readMeta(r io.ReaderAt, size int64) (m meta, isBolt bool, err error) {
	first := make([]byte, pageHeadSize+metaSize)
	if _, err := r.ReadAt(first, 0); err != nil {
		return meta{}, false, errors.New("shorter than a page")
	}
	m0, err0 := parseMeta(first)
	if native.Uint32(first[pageHeadSize:]) == boltMagic {
		isBolt = true
	}
	// Without the first page, the page size is found by trying, as bbolt does.
	sizes := []int64{int64(m0.pageSize)}
	if err0 != nil {
		sizes = sizes[:0]
		for s := int64(minPageSize); s <= maxPageSize; s *= 2 {
			sizes = append(sizes, s)
		}
	}
	var m1 meta
	err1 := errors.New("no second meta page")
	for _, at := range sizes {
		second := make([]byte, pageHeadSize+metaSize)
		if _, err := r.ReadAt(second, at); err != nil {
			break
		}
		if m1, err1 = parseMeta(second); err1 == nil {
			isBolt = true
			break
		}
	}
	switch {
	case err0 != nil && err1 != nil:
		return meta{}, isBolt, fmt.Errorf("neither meta page is valid: %w", err0)
	case err0 != nil || (err1 == nil && m1.txid > m0.txid):
		m = m1
	default:
		m = m0
	}
	if m.highWater > uint64(size)/uint64(m.pageSize) {
		return m, true, fmt.Errorf("%d bytes long, but its pages need %d: it was cut off", size, m.highWater*uint64(m.pageSize))
	}
	if m.highWater < 3 || m.root < 2 || m.root >= m.highWater {
		return m, true, errors.New("meta page points outside of the file")
	}
	return m, true, nil
}

// pageFile reads pages below the high-water mark of one meta page.
type pageFile struct {
	r    io.ReaderAt
	meta meta
	pool [][]byte // page buffers that are not in use

	// Pages of a part lie mostly in the order of its tree, so that a page next
	// to the last one is read together with those behind it.
	window   []byte
	windowAt uint64 // its first page
	last     uint64 // page that was read last
}

// windowSize is how much is read at once: it divides the calls by 16 to 32, and
// more gains nothing.
const windowSize = 128 << 10

// load reads the first bytes of a page into data.
func (f *pageFile) load(id uint64, data []byte) error {
	size := uint64(len(data))
	follows := id > f.last && id-f.last <= 2
	f.last = id
	if id >= f.windowAt && (id-f.windowAt+1)*size <= uint64(len(f.window)) {
		copy(data, f.window[(id-f.windowAt)*size:])
		return nil
	}
	if follows && windowSize > len(data) {
		window := f.window[:cap(f.window)]
		if window == nil {
			window = make([]byte, windowSize)
		}
		n, _ := f.r.ReadAt(window, int64(id*size))
		f.window, f.windowAt = window[:n], id
		if n >= len(data) {
			copy(data, window)
			return nil
		}
	}
	_, err := f.r.ReadAt(data, int64(id*size))
	return err
}

// page is one page in memory: the first meta.pageSize bytes of it. Overflow
// pages are read as they are needed.
type page struct {
	id       uint64
	flags    uint16
	count    int
	overflow uint64
	data     []byte
}

func (f *pageFile) read(id uint64) (*page, error) {
	if id < 2 || id >= f.meta.highWater {
		return nil, fmt.Errorf("page %d is outside of the file", id)
	}
	var data []byte
	if n := len(f.pool); n > 0 {
		data, f.pool = f.pool[n-1], f.pool[:n-1]
	} else {
		data = make([]byte, f.meta.pageSize)
	}
	if err := f.load(id, data); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	p := &page{
		id:       native.Uint64(data),
		flags:    native.Uint16(data[8:]),
		count:    int(native.Uint16(data[10:])),
		overflow: uint64(native.Uint32(data[12:])),
		data:     data,
	}
	if p.id != id {
		return nil, fmt.Errorf("page %d says that it is page %d", id, p.id)
	}
	if id+p.overflow >= f.meta.highWater {
		return nil, fmt.Errorf("page %d reaches outside of the file", id)
	}
	return p, nil
}

func (f *pageFile) release(p *page) { f.pool = append(f.pool, p.data) }

// bytes returns n bytes of the page from off on, or an error where they lie
// outside of the page and its overflow.
func (f *pageFile) bytes(p *page, off, n uint64) ([]byte, error) {
	size := uint64(f.meta.pageSize)
	if off+n > (p.overflow+1)*size || off+n < off {
		return nil, fmt.Errorf("page %d: element outside of the page", p.id)
	}
	if off+n <= size {
		return p.data[off : off+n], nil
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, int64(p.id*size+off)); err != nil {
		return nil, fmt.Errorf("page %d: %w", p.id, err)
	}
	return b, nil
}
