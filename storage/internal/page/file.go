package page

import (
	"errors"
	"fmt"
	"io"
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
