package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// bbolt trusts the shape of its tree: a page that points back at one of its
// parents sends it into endless recursion, which no recover stops, and a page
// that is used twice is written over. So the shape is verified before bbolt
// follows it, with plain reads, in bounded time and memory: every page is
// visited at most once. It reads one page of 4 KiB per page in use, and none of
// the bodies of large values: about a tenth of a second per gigabyte of edges,
// and much less per gigabyte of vectors.

const (
	maxTreeDepth   = 32    // branch levels of one bucket; a page holds many children
	maxBucketDepth = 8     // nested buckets; ours reach 4
	maxElementKey  = 32768 // bbolt's limit
)

// treeFault is a fault in the shape of one bucket.
type treeFault struct {
	path [][]byte // names of the buckets from the root bucket of the file down
	what string
}

// walker verifies the tree of a file.
type walker struct {
	ctx    context.Context
	file   pageFile
	seen   pageSet
	pages  int64 // pages reached
	steps  int
	faults []treeFault

	measure func(path [][]byte, bytes int64) // called with the size of every bucket

	collect bool     // remember the pages that were reached
	extents []extent // in the order of the tree
}

// pageSet is a set of pages of a file. It takes memory for the regions of the
// file in which it has any, so that a walk over a small part of a large file
// stays small.
type pageSet [][]uint64

const pageRegion = 1 << 15 // pages: 4 KiB of bits

func newPageSet(highWater uint64) pageSet { return make(pageSet, highWater/pageRegion+1) }

// add adds a page below the high-water mark and reports whether it was new.
func (s pageSet) add(id uint64) bool {
	region := &s[id/pageRegion]
	if *region == nil {
		*region = make([]uint64, pageRegion/64)
	}
	word, bit := &(*region)[id%pageRegion/64], uint64(1)<<(id%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// nested is a bucket found inside another one.
type nested struct {
	path [][]byte
	root uint64
}

func newWalker(ctx context.Context, f pageFile) *walker {
	return &walker{ctx: ctx, file: f, seen: newPageSet(f.meta.highWater)}
}

// walk verifies the whole file. It returns an error only where ctx ended.
func (w *walker) walk() error {
	if err := w.freelist(); err != nil {
		return err
	}
	return w.all(nested{root: w.file.meta.root})
}

// all verifies a bucket and everything below it.
func (w *walker) all(top nested) error {
	queue := []nested{top}
	for len(queue) > 0 {
		next := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		below, err := w.bucket(next)
		if err != nil {
			return err
		}
		queue = append(queue, below...)
	}
	return nil
}

// bucket verifies the tree of one bucket and returns the buckets in it.
func (w *walker) bucket(b nested) (below []nested, err error) {
	if len(b.path) > maxBucketDepth {
		w.fault(b.path, errors.New("buckets nest too deeply"))
		return nil, nil
	}
	t := tree{walker: w, path: b.path}
	before := w.pages
	if w.measure != nil {
		defer func() { w.measure(b.path, (w.pages-before)*int64(w.file.meta.pageSize)) }()
	}
	if err := t.page(b.root, nil, nil, 0); err != nil {
		if ctxErr := w.ctx.Err(); ctxErr != nil {
			return nil, ctxErr
		}
		w.fault(b.path, err)
	}
	return t.below, nil
}

func (w *walker) fault(path [][]byte, err error) {
	w.faults = append(w.faults, treeFault{path: path, what: err.Error()})
}

// claim marks the pages of p as reached.
func (w *walker) claim(p *page) error {
	for id := p.id; id <= p.id+p.overflow; id++ {
		if !w.seen.add(id) {
			return fmt.Errorf("page %d is used twice", id)
		}
		w.pages++
	}
	if w.collect {
		w.extents = append(w.extents, extent{p.id, p.overflow + 1})
	}
	return nil
}

// freelist verifies a stored list of free pages. We never write one, but the
// file may have passed through other tools, and bbolt trusts it when it writes.
func (w *walker) freelist() error {
	id := w.file.meta.freelist
	if id == noFreelist {
		return nil
	}
	p, err := w.file.read(id)
	if err == nil && p.flags != freelistFlag {
		err = fmt.Errorf("page %d is not the free list", id)
	}
	if err == nil {
		err = w.claim(p)
	}
	if err == nil {
		// A synced list would have to be compared with every page in use, and
		// a file that has one was last written by another program.
		count, at := uint64(p.count), uint64(pageHeadSize)
		if count == 0xffff {
			var b []byte
			if b, err = w.file.bytes(p, at, 8); err == nil {
				count, at = native.Uint64(b), at+8
			}
		}
		if err == nil && count > w.file.meta.highWater {
			err = errors.New("free list is longer than the file")
		}
		var ids []byte
		if err == nil {
			ids, err = w.file.bytes(p, at, 8*count)
		}
		for ; err == nil && len(ids) > 0; ids = ids[8:] {
			free := native.Uint64(ids)
			// A free page counts as reached, so that its use is a fault.
			if free < 2 || free >= w.file.meta.highWater || !w.seen.add(free) {
				err = fmt.Errorf("free list names page %d", free)
				break
			}
		}
	}
	if err != nil {
		w.fault(nil, err)
	}
	return nil
}

// tree is the walk over the pages of one bucket.
type tree struct {
	*walker
	path  [][]byte
	below []nested
}

// page verifies a page and everything below it; keys must be in [lo, hi), where
// nil is no bound. An error ends the walk of this bucket.
func (t *tree) page(id uint64, lo, hi []byte, depth int) error {
	if t.steps++; t.steps%64 == 0 {
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	if depth > maxTreeDepth {
		return errors.New("tree is too deep")
	}
	p, err := t.file.read(id)
	if err != nil {
		return err
	}
	defer t.file.release(p)
	if err := t.claim(p); err != nil {
		return err
	}
	switch p.flags {
	case branchFlag:
		return t.branch(p, lo, hi, depth)
	case leafFlag:
		return t.leaf(p, lo, hi)
	}
	return fmt.Errorf("page %d has type %#x", id, p.flags)
}

func (t *tree) branch(p *page, lo, hi []byte, depth int) error {
	if p.count == 0 {
		return fmt.Errorf("branch page %d is empty", p.id)
	}
	type child struct {
		key []byte
		id  uint64
	}
	children := make([]child, p.count)
	for i := range children {
		at := uint64(pageHeadSize + i*branchElem)
		e, err := t.file.bytes(p, at, branchElem)
		if err != nil {
			return err
		}
		key, err := t.key(p, at+uint64(native.Uint32(e)), uint64(native.Uint32(e[4:])))
		if err != nil {
			return err
		}
		children[i] = child{bytes.Clone(key), native.Uint64(e[8:])}
		if err := inOrder(p, i, key, lo, hi, i > 0 && bytes.Compare(children[max(i, 1)-1].key, key) >= 0); err != nil {
			return err
		}
	}
	for i, c := range children {
		next := hi
		if i+1 < len(children) {
			next = children[i+1].key
		}
		if err := t.page(c.id, c.key, next, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) leaf(p *page, lo, hi []byte) error {
	var previous []byte
	for i := range p.count {
		at := uint64(pageHeadSize + i*leafElemSize)
		e, err := t.file.bytes(p, at, leafElemSize)
		if err != nil {
			return err
		}
		flags, keySize, valueSize := native.Uint32(e), uint64(native.Uint32(e[8:])), uint64(native.Uint32(e[12:]))
		keyAt := at + uint64(native.Uint32(e[4:]))
		key, err := t.key(p, keyAt, keySize)
		if err != nil {
			return err
		}
		if err := inOrder(p, i, key, lo, hi, i > 0 && bytes.Compare(previous, key) >= 0); err != nil {
			return err
		}
		previous = append(previous[:0], key...)
		if keyAt+keySize+valueSize > (p.overflow+1)*uint64(t.file.meta.pageSize) {
			return fmt.Errorf("page %d: element outside of the page", p.id)
		}
		switch flags {
		case 0:
		case bucketElement:
			if err := t.nested(p, key, keyAt+keySize, valueSize); err != nil {
				return err
			}
		default:
			return fmt.Errorf("page %d: element of type %#x", p.id, flags)
		}
	}
	return nil
}

// nested records the bucket whose head is the value at off, or verifies its
// only page where that is stored inside the value.
func (t *tree) nested(p *page, key []byte, off, size uint64) error {
	// A bucket inside of its head is at most a quarter of a page.
	if size < bucketHead || size > uint64(t.file.meta.pageSize) {
		return fmt.Errorf("page %d: bucket head of %d bytes", p.id, size)
	}
	value, err := t.file.bytes(p, off, size)
	if err != nil {
		return err
	}
	path := append(append(make([][]byte, 0, len(t.path)+1), t.path...), bytes.Clone(key))
	if root := native.Uint64(value); root != 0 {
		t.below = append(t.below, nested{path: path, root: root})
		return nil
	}
	if t.measure != nil {
		t.measure(path, int64(size))
	}
	return checkInlinePage(value[bucketHead:])
}

// checkInlinePage verifies the page of a bucket that is stored in its head.
func checkInlinePage(b []byte) error {
	if len(b) < pageHeadSize {
		return errors.New("inline bucket is cut off")
	}
	count := int(native.Uint16(b[10:]))
	if native.Uint16(b[8:]) != leafFlag || native.Uint32(b[12:]) != 0 || pageHeadSize+count*leafElemSize > len(b) {
		return errors.New("inline bucket has a damaged head")
	}
	var previous []byte
	for i := range count {
		at := pageHeadSize + i*leafElemSize
		e := b[at : at+leafElemSize]
		off, keySize, valueSize := uint64(at)+uint64(native.Uint32(e[4:])), uint64(native.Uint32(e[8:])), uint64(native.Uint32(e[12:]))
		if native.Uint32(e) != 0 || keySize == 0 || off < uint64(pageHeadSize+count*leafElemSize) || off+keySize+valueSize > uint64(len(b)) {
			return errors.New("inline bucket has a damaged element")
		}
		key := b[off : off+keySize]
		if i > 0 && bytes.Compare(previous, key) >= 0 {
			return errors.New("keys of an inline bucket do not ascend")
		}
		previous = key
	}
	return nil
}

// key returns the key of an element, which lies behind all elements.
func (t *tree) key(p *page, off, size uint64) ([]byte, error) {
	if size == 0 || size > maxElementKey || off < uint64(pageHeadSize+p.count*leafElemSize) {
		return nil, fmt.Errorf("page %d: damaged element", p.id)
	}
	return t.file.bytes(p, off, size)
}

// inOrder checks one key against the bounds of its page and its predecessor.
func inOrder(p *page, i int, key, lo, hi []byte, descends bool) error {
	if descends || (lo != nil && bytes.Compare(key, lo) < 0) || (hi != nil && bytes.Compare(key, hi) >= 0) {
		return fmt.Errorf("page %d: key %d is out of order", p.id, i)
	}
	return nil
}
