package page

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// File reads pages below the high-water mark of one meta page. It belongs to one
// goroutine.
type File struct {
	R       io.ReaderAt
	Meta    Meta
	Buffers *Buffers // nil allocates them at the first use

	// Pages of one part of the file are mostly in the order of its tree, so a
	// page next to the last one is read together with the pages after it.
	window   []byte
	windowAt uint64 // first page of window
	ahead    int    // bytes that were read at once last
	last     uint64 // page that was read last
}

// Buffers are memory that one File after another reads pages into.
type Buffers struct {
	pages  [][]byte // that are not in use
	window []byte
}

// A walk reads leastWindow at first and twice as much each time that it follows its pages,
// up to windowSize: the pages of a small part are few, and memory that is new to the process
// takes some twenty times as long as the copy. windowSize divides the number of calls by 16
// to 32, and a larger size saves no more time.
const leastWindow, windowSize = 16 << 10, 128 << 10

// load reads the first bytes of a page into data.
func (f *File) load(id uint64, data []byte) error {
	size := uint64(len(data))
	follows := id > f.last && id-f.last <= 2
	f.last = id
	if id >= f.windowAt && (id-f.windowAt+1)*size <= uint64(len(f.window)) {
		copy(data, f.window[(id-f.windowAt)*size:])
		return nil
	}
	if follows && windowSize > len(data) {
		if f.Buffers.window == nil {
			f.Buffers.window = make([]byte, windowSize)
		}
		f.ahead = min(max(2*f.ahead, leastWindow, len(data)), windowSize)
		window := f.Buffers.window[:f.ahead]
		n, _ := f.R.ReadAt(window, int64(id*size))
		f.window, f.windowAt = window[:n], id
		if n >= len(data) {
			copy(data, window)
			return nil
		}
	}
	_, err := f.R.ReadAt(data, int64(id*size))
	return err
}

// Page is one page in memory: the first Meta.PageSize bytes of it. Overflow
// pages are read as they are needed.
type Page struct {
	ID       uint64
	Flags    uint16
	Count    int
	Overflow uint64
	data     []byte
}

// Read reads a page, whose header must have its number and lie within the
// file. The caller must call Release for it.
func (f *File) Read(id uint64) (*Page, error) {
	if id < 2 || id >= f.Meta.HighWater {
		return nil, fmt.Errorf("page %d is outside of the file", id)
	}
	if f.Buffers == nil {
		f.Buffers = new(Buffers)
	}
	var data []byte
	if pages := f.Buffers.pages; len(pages) > 0 {
		data, f.Buffers.pages = pages[len(pages)-1], pages[:len(pages)-1]
	} else {
		data = make([]byte, f.Meta.PageSize)
	}
	if err := f.load(id, data); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	p := decodeHead(data)
	p.data = data
	if p.ID != id {
		return nil, fmt.Errorf("page %d says that it is page %d", id, p.ID)
	}
	if id+p.Overflow >= f.Meta.HighWater {
		return nil, fmt.Errorf("page %d reaches outside of the file", id)
	}
	return &p, nil
}

// Release reuses the memory of a page.
func (f *File) Release(p *Page) { f.Buffers.pages = append(f.Buffers.pages, p.data) }

// Bytes returns n bytes of the page from off on, or an error if they are
// outside the page and its overflow. They are valid until Release.
func (f *File) Bytes(p *Page, off, n uint64) ([]byte, error) {
	size := uint64(f.Meta.PageSize)
	if off+n > (p.Overflow+1)*size || off+n < off {
		return nil, fmt.Errorf("page %d: element outside of the page", p.ID)
	}
	if off+n <= size {
		return p.data[off : off+n], nil
	}
	b := make([]byte, n)
	if _, err := f.R.ReadAt(b, int64(p.ID*size+off)); err != nil {
		return nil, fmt.Errorf("page %d: %w", p.ID, err)
	}
	return b, nil
}

// maxKey is bbolt's limit for keys.
const maxKey = 32768

// Element is an entry in the table of a leaf or branch page: its key has
// KeySize bytes from At on, and its value follows directly.
type Element struct {
	At, KeySize, ValueSize uint64
	Flags                  uint32 // of a leaf
	Child                  uint64 // page of a branch
}

// Elements decodes the table of a page with the given number of elements and
// verifies that keys and values are laid out as bbolt writes them, without
// gaps. It appends to dst.
func (f *File) Elements(p *Page, count int, dst []Element) ([]Element, error) {
	end := uint64(HeadSize + count*ElementSize)
	for i := range count {
		at := uint64(HeadSize + i*ElementSize)
		b, err := f.Bytes(p, at, ElementSize)
		if err != nil {
			return dst, err
		}
		e := decodeElement(b, at, p.Flags == BranchFlag)
		if e.At != end {
			return dst, fmt.Errorf("page %d: element %d of %d begins at byte %d and not at %d", p.ID, i, count, e.At, end)
		}
		if e.KeySize == 0 || e.KeySize > maxKey {
			return dst, fmt.Errorf("page %d: damaged element", p.ID)
		}
		if end += e.KeySize + e.ValueSize; end > (p.Overflow+1)*uint64(f.Meta.PageSize) {
			return dst, fmt.Errorf("page %d: element outside of the page", p.ID)
		}
		dst = append(dst, e)
	}
	// Before version 1.4, bbolt used an additional page if the data filled the
	// last page exactly.
	if size := uint64(f.Meta.PageSize); p.Overflow != (end-1)/size && p.Overflow != end/size {
		return dst, fmt.Errorf("page %d takes %d pages for %d bytes", p.ID, p.Overflow+1, end)
	}
	return dst, nil
}

func decodeElement(b []byte, at uint64, branch bool) Element {
	if branch {
		return Element{At: at + uint64(native.Uint32(b)), KeySize: uint64(native.Uint32(b[4:])), Child: native.Uint64(b[8:])}
	}
	return Element{
		Flags: native.Uint32(b), At: at + uint64(native.Uint32(b[4:])),
		KeySize: uint64(native.Uint32(b[8:])), ValueSize: uint64(native.Uint32(b[12:])),
	}
}

// Salvage returns the readable elements of a damaged page, and the fault. If
// the space before the first element fits a different number of elements than
// the header has, and with that number there are no gaps, then the header is
// damaged, and all elements are returned.
func (f *File) Salvage(p *Page) (elements []Element, fault error) {
	if elements, fault = f.Elements(p, p.Count, nil); fault == nil {
		return elements, nil
	}
	first, err := f.Bytes(p, HeadSize, ElementSize)
	if err != nil {
		return nil, fault
	}
	count := int(decodeElement(first, HeadSize, p.Flags == BranchFlag).At-HeadSize) / ElementSize
	if all, err := f.Elements(p, count, nil); err == nil && count > 0 {
		return all, fmt.Errorf("page %d: its header says %d elements, and there are %d; these were read", p.ID, p.Count, count)
	}
	// All elements together have at most the bytes of the page, so that a
	// hostile page cannot cause the whole file to be read for each of them.
	left := (p.Overflow + 1) * uint64(f.Meta.PageSize)
	elements = nil
	for i := range p.Count {
		at := uint64(HeadSize + i*ElementSize)
		b, err := f.Bytes(p, at, ElementSize)
		if err != nil {
			break
		}
		e := decodeElement(b, at, p.Flags == BranchFlag)
		if e.KeySize == 0 || e.KeySize > maxKey || e.KeySize+e.ValueSize > left {
			continue
		}
		left -= e.KeySize + e.ValueSize
		elements = append(elements, e)
	}
	return elements, fault
}

// InlineElements verifies the page of a bucket that is stored inside the value
// of its parent, and returns its elements.
func InlineElements(b []byte) ([]Element, error) {
	if len(b) < HeadSize {
		return nil, errors.New("inline bucket is cut off")
	}
	p := decodeHead(b)
	if p.ID != 0 || p.Flags != LeafFlag || p.Overflow != 0 || HeadSize+p.Count*ElementSize > len(b) {
		return nil, errors.New("inline bucket has a damaged head")
	}
	list := make([]Element, p.Count)
	end := uint64(HeadSize + p.Count*ElementSize)
	var previous []byte
	for i := range list {
		at := HeadSize + i*ElementSize
		e := decodeElement(b[at:], uint64(at), false)
		if e.Flags != 0 || e.KeySize == 0 || e.At != end || e.At+e.KeySize+e.ValueSize > uint64(len(b)) {
			return nil, errors.New("inline bucket has a damaged element")
		}
		end += e.KeySize + e.ValueSize
		key := b[e.At : e.At+e.KeySize]
		if i > 0 && string(previous) >= string(key) {
			return nil, errors.New("keys of an inline bucket do not ascend")
		}
		previous, list[i] = key, e
	}
	if end != uint64(len(b)) {
		return nil, fmt.Errorf("inline bucket has %d bytes, and its elements take %d", len(b), end)
	}
	return list, nil
}

// Sizes and marks of the format.
const (
	HeadSize    = 16 // of a page: id 8, flags 2, count 2, overflow 4
	ElementSize = 16 // leaf: flags 4, position 4, key 4, value 4; branch: position 4, key 4, page 8
	BucketHead  = 16 // of a bucket, as a value: root page 8, sequence 8
	metaSize    = 64

	boltMagic   = 0xED0CDAED
	boltVersion = 2
	minPageSize = 1 << 10
	maxPageSize = 16 << 20

	BranchFlag   = 0x01
	LeafFlag     = 0x02
	metaFlag     = 0x04
	freelistFlag = 0x10

	// BucketElement marks an element whose value is a bucket.
	BucketElement = 0x01
	// NoFreelist is Meta.Freelist where no list of free pages is kept.
	NoFreelist = ^uint64(0)
)

var native = binary.NativeEndian

// Meta is one of the two meta pages. They are comparable with ==.
type Meta struct {
	PageSize  int
	Root      uint64 // root page of the root bucket
	Freelist  uint64 // page of the free list, NoFreelist where it is not kept
	HighWater uint64 // number of pages that were ever in use
	TxID      uint64 // of the transaction that wrote it

	// Other is the fault of the other meta page: if that was the newer one,
	// the last commit is undone. It is empty if the other page is valid, too.
	Other string
}

// parseMeta decodes the meta page in the first bytes of b.
func parseMeta(b []byte) (Meta, error) {
	b = b[HeadSize : HeadSize+metaSize]
	if native.Uint32(b) != boltMagic {
		return Meta{}, errors.New("no bbolt file")
	}
	if v := native.Uint32(b[4:]); v != boltVersion {
		return Meta{}, fmt.Errorf("bbolt file of version %d", v)
	}
	sum := fnv.New64a()
	sum.Write(b[:56])
	if sum.Sum64() != native.Uint64(b[56:]) {
		return Meta{}, errors.New("meta page has a wrong checksum")
	}
	m := Meta{
		PageSize:  int(native.Uint32(b[8:])),
		Root:      native.Uint64(b[16:]),
		Freelist:  native.Uint64(b[32:]),
		HighWater: native.Uint64(b[40:]),
		TxID:      native.Uint64(b[48:]),
	}
	if m.PageSize < minPageSize || m.PageSize > maxPageSize || m.PageSize&(m.PageSize-1) != 0 {
		return Meta{}, fmt.Errorf("pages of %d bytes", m.PageSize)
	}
	return m, nil
}

// SizeOf returns a function that returns the present size of a file.
func SizeOf(f *os.File) func() (int64, error) {
	return func() (int64, error) {
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
}

// ReadMeta returns the meta page that bbolt would use: the valid one of the
// later transaction. A file that is shorter than its pages require is an
// error. isBolt is false if the file is not a bbolt file at all.
//
// It calls size after it has read the meta pages. A writer extends the file before it
// writes the meta page that needs the new size, so a size that was taken before could
// make a growing file look cut off.
func ReadMeta(r io.ReaderAt, size func() (int64, error)) (m Meta, isBolt bool, err error) {
	first := make([]byte, HeadSize+metaSize)
	if _, err := r.ReadAt(first, 0); err != nil {
		return Meta{}, false, errors.New("shorter than a page")
	}
	m0, err0 := parseMeta(first)
	isBolt = native.Uint32(first[HeadSize:]) == boltMagic
	// If the first page is invalid, the page size is found by trying all sizes, as bbolt does.
	sizes := []int64{int64(m0.PageSize)}
	if err0 != nil {
		sizes = metaPlaces()[1:]
	}
	var m1 Meta
	err1 := errors.New("no second meta page")
	for _, at := range sizes {
		second := make([]byte, HeadSize+metaSize)
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
		return Meta{}, isBolt, fmt.Errorf("neither meta page is valid: %w", err0)
	case err0 != nil || (err1 == nil && m1.TxID > m0.TxID):
		m = m1
	default:
		m = m0
	}
	switch {
	case err0 != nil:
		m.Other = fmt.Sprintf("page 0: %v", err0)
	case err1 != nil:
		m.Other = fmt.Sprintf("page 1: %v", err1)
	}
	bytes, err := size()
	if err != nil {
		return m, true, err
	}
	if m.HighWater > uint64(bytes)/uint64(m.PageSize) {
		return m, true, fmt.Errorf("%d bytes long, but its pages need %d: it was cut off", bytes, m.HighWater*uint64(m.PageSize))
	}
	if m.HighWater < 3 || m.Root < 2 || m.Root >= m.HighWater {
		return m, true, errors.New("meta page points outside of the file")
	}
	return m, true, nil
}

// BothMetas returns the valid meta pages, the newer one first, and whether the
// file looks like a bbolt file. It works without knowing the page size, and
// limits HighWater to the size of the file instead of refusing it. Nobody may write
// to the file meanwhile.
func BothMetas(r io.ReaderAt, size int64) (metas []Meta, isBolt bool) {
	b := make([]byte, HeadSize+metaSize)
	for _, at := range metaPlaces() {
		if _, err := r.ReadAt(b, at); err != nil {
			break
		}
		m, err := parseMeta(b)
		isBolt = isBolt || native.Uint32(b[HeadSize:]) == boltMagic
		if err != nil || (at > 0 && int64(m.PageSize) != at) {
			continue
		}
		m.HighWater = min(m.HighWater, uint64(size)/uint64(m.PageSize)+1)
		if len(metas) > 0 && m.TxID > metas[0].TxID {
			metas = []Meta{m, metas[0]}
			break
		}
		if metas = append(metas, m); len(metas) == 2 {
			break
		}
	}
	return metas, isBolt
}

// metaPlaces are the possible offsets of a meta page: the first page, and the
// second page for every page size.
func metaPlaces() []int64 {
	places := []int64{0}
	for size := int64(minPageSize); size <= maxPageSize; size *= 2 {
		places = append(places, size)
	}
	return places
}

// CheckMetaHeads verifies the headers of the two meta pages, which have no
// checksum and which bbolt never reads. It returns the faults.
func CheckMetaHeads(r io.ReaderAt, m Meta) []string {
	var faults []string
	for id := range uint64(2) {
		b := make([]byte, HeadSize)
		if _, err := r.ReadAt(b, int64(id)*int64(m.PageSize)); err != nil {
			faults = append(faults, fmt.Sprintf("page %d: %v", id, err))
			continue
		}
		if p := decodeHead(b); p.ID != id || p.Flags != metaFlag || p.Count != 0 || p.Overflow != 0 {
			faults = append(faults, fmt.Sprintf("page %d: the header of the meta page is damaged", id))
		}
	}
	return faults
}

func decodeHead(b []byte) Page {
	return Page{
		ID:       native.Uint64(b),
		Flags:    native.Uint16(b[8:]),
		Count:    int(native.Uint16(b[10:])),
		Overflow: uint64(native.Uint32(b[12:])),
	}
}

// ReadSteadyMeta is ReadMeta beside a writer, who may be writing a meta page at the moment
// of a read. The other one is not written before that commit has ended, so a fault that
// every one of several reads finds is in the file.
func ReadSteadyMeta(r io.ReaderAt, size func() (int64, error)) (m Meta, err error) {
	for range 3 {
		if m, _, err = ReadMeta(r, size); err == nil && m.Other == "" {
			break
		}
	}
	return m, err
}
