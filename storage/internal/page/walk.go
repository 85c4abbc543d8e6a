package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// bbolt relies on the shape of its tree: a page that points back to one of its
// parents causes endless recursion, which recover cannot stop, and a page that
// is used twice is overwritten. So the shape is verified before bbolt follows
// it, with plain reads, in bounded time and memory: every page is visited at
// most once. The check reads one page of 4 KiB per page in use, and not the
// bodies of large values: about a tenth of a second per gigabyte of edges, and
// much less per gigabyte of vectors.

const (
	// MaxDepth bounds the branch levels of one bucket; a page holds many children.
	MaxDepth       = 32
	maxBucketDepth = 8 // nested buckets; those of a store reach 4
)

// Fault is a fault in the shape of one bucket.
type Fault struct {
	Path [][]byte // names of the buckets from the root bucket of the file down
	What string
}

// Bucket is a bucket found inside another one.
type Bucket struct {
	Path [][]byte
	Root uint64
}

// Extent is a run of consecutive pages.
type Extent struct{ First, Pages uint64 }

// Walker verifies the tree of a file.
type Walker struct {
	Pages  int64 // pages reached
	Faults []Fault

	// Measure, where set, is called with the size of every bucket.
	Measure func(path [][]byte, bytes int64)
	// Counted, where set, is called with the tally of every bucket in which no fault
	// was found.
	Counted func(path [][]byte, tally Tally)

	Collect bool     // remember the pages that were reached
	Extents []Extent // in the order of the tree

	ctx   context.Context
	file  File
	seen  Set
	steps int
}

// NewWalker returns a walker over the pages of one meta page, which uses the buffers of f.
func NewWalker(ctx context.Context, f File) *Walker {
	return &Walker{ctx: ctx, file: File{R: f.R, Meta: f.Meta, Buffers: f.Buffers}, seen: NewSet(f.Meta.HighWater)}
}

// Set is a set of pages of a file. It takes memory for the regions of the
// file in which it has any, so that a walk over a small part of a large file
// stays small.
type Set [][]uint64

const region = 1 << 15 // pages: 4 KiB of bits

// NewSet is an empty set of pages below the high-water mark.
func NewSet(highWater uint64) Set { return make(Set, highWater/region+1) }

// Add adds a page below the high-water mark and reports whether it was new.
func (s Set) Add(id uint64) bool {
	r := &s[id/region]
	if *r == nil {
		*r = make([]uint64, region/64)
	}
	word, bit := &(*r)[id%region/64], uint64(1)<<(id%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// Reached reports whether the walk came upon a page.
func (w *Walker) Reached(id uint64) bool {
	r := w.seen[id/region]
	return r != nil && r[id%region/64]&(1<<(id%64)) != 0
}

// Walk verifies the whole file. It returns an error only where the context ended.
func (w *Walker) Walk() error {
	w.freelist()
	return w.All(Bucket{Root: w.file.Meta.Root})
}

// All verifies a bucket and everything below it.
func (w *Walker) All(top Bucket) error {
	queue := []Bucket{top}
	for len(queue) > 0 {
		next := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		below, err := w.Bucket(next)
		if err != nil {
			return err
		}
		queue = append(queue, below...)
	}
	return nil
}

// Bucket verifies the tree of one bucket and returns the buckets in it.
func (w *Walker) Bucket(b Bucket) (below []Bucket, err error) {
	if len(b.Path) > maxBucketDepth {
		w.fault(b.Path, errors.New("buckets nest too deeply"))
		return nil, nil
	}
	t := tree{Walker: w, path: b.Path}
	before := w.Pages
	if w.Measure != nil {
		defer func() { w.Measure(b.Path, (w.Pages-before)*int64(w.file.Meta.PageSize)) }()
	}
	switch err := t.page(b.Root, nil, nil, 0); {
	case err == nil:
		if w.Counted != nil {
			w.Counted(b.Path, t.tally)
		}
	case w.ctx.Err() != nil:
		return nil, w.ctx.Err()
	default:
		w.fault(b.Path, err)
	}
	return t.below, nil
}

func (w *Walker) fault(path [][]byte, err error) {
	w.Faults = append(w.Faults, Fault{Path: path, What: err.Error()})
}

// claim marks the pages of p as reached.
func (w *Walker) claim(p *Page) error {
	for id := p.ID; id <= p.ID+p.Overflow; id++ {
		if !w.seen.Add(id) {
			return fmt.Errorf("page %d is used twice", id)
		}
		w.Pages++
	}
	if w.Collect {
		w.Extents = append(w.Extents, Extent{p.ID, p.Overflow + 1})
	}
	return nil
}

// freelist verifies a stored list of free pages. We never write one, but the
// file may have passed through other tools, and bbolt trusts it when it writes.
func (w *Walker) freelist() {
	id := w.file.Meta.Freelist
	if id == NoFreelist {
		return
	}
	p, err := w.file.Read(id)
	if err == nil && p.Flags != freelistFlag {
		err = fmt.Errorf("page %d is not the free list", id)
	}
	if err == nil {
		err = w.claim(p)
	}
	if err == nil {
		// A synced list would have to be compared with every page in use, and
		// a file that has one was last written by another program.
		count, at := uint64(p.Count), uint64(HeadSize)
		if count == 0xffff {
			var b []byte
			if b, err = w.file.Bytes(p, at, 8); err == nil {
				count, at = native.Uint64(b), at+8
			}
		}
		if err == nil && count > w.file.Meta.HighWater {
			err = errors.New("free list is longer than the file")
		}
		var ids []byte
		if err == nil {
			ids, err = w.file.Bytes(p, at, 8*count)
		}
		for ; err == nil && len(ids) > 0; ids = ids[8:] {
			free := native.Uint64(ids)
			// A free page counts as reached, so that its use is a fault.
			if free < 2 || free >= w.file.Meta.HighWater || !w.seen.Add(free) {
				err = fmt.Errorf("free list names page %d", free)
				break
			}
		}
	}
	if err != nil {
		w.fault(nil, err)
	}
}

// tree is the walk over the pages of one bucket.
type tree struct {
	*Walker
	path  [][]byte
	below []Bucket
	tally Tally
}

// page verifies a page and everything below it; keys must be in [lo, hi), where
// nil is no bound. An error ends the walk of this bucket.
func (t *tree) page(id uint64, lo, hi []byte, depth int) error {
	if t.steps++; t.steps%64 == 0 {
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	if depth > MaxDepth {
		return errors.New("tree is too deep")
	}
	p, err := t.file.Read(id)
	if err != nil {
		return err
	}
	defer t.file.Release(p)
	if err := t.claim(p); err != nil {
		return err
	}
	switch p.Flags {
	case BranchFlag:
		return t.branch(p, lo, hi, depth)
	case LeafFlag:
		return t.leaf(p, lo, hi, depth)
	}
	return fmt.Errorf("page %d has type %#x", id, p.Flags)
}

func (t *tree) branch(p *Page, lo, hi []byte, depth int) error {
	if p.Count == 0 {
		return fmt.Errorf("branch page %d is empty", p.ID)
	}
	elements, err := t.file.Elements(p, p.Count, make([]Element, 0, p.Count))
	if err != nil {
		return err
	}
	keys := make([][]byte, p.Count)
	for i, e := range elements {
		key, err := t.file.Bytes(p, e.At, e.KeySize)
		if err != nil {
			return err
		}
		keys[i] = bytes.Clone(key)
		if err := inOrder(p, i, key, lo, hi, i > 0 && bytes.Compare(keys[max(i, 1)-1], key) >= 0); err != nil {
			return err
		}
	}
	for i, e := range elements {
		next := hi
		if i+1 < len(keys) {
			next = keys[i+1]
		}
		if err := t.page(e.Child, keys[i], next, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// tallySize is what a tally takes of a value.
const tallySize = 4

func (t *tree) leaf(p *Page, lo, hi []byte, depth int) error {
	if p.Count == 0 && depth > 0 {
		return fmt.Errorf("leaf page %d is empty", p.ID)
	}
	var room [128]Element
	elements, err := t.file.Elements(p, p.Count, room[:0])
	if err != nil {
		return err
	}
	var previous []byte
	for i, e := range elements {
		b, err := t.file.Bytes(p, e.At, e.KeySize+min(e.ValueSize, tallySize))
		if err != nil {
			return err
		}
		key := b[:e.KeySize:e.KeySize]
		if err := inOrder(p, i, key, lo, hi, i > 0 && bytes.Compare(previous, key) >= 0); err != nil {
			return err
		}
		previous = append(previous[:0], key...)
		switch e.Flags {
		case 0:
			t.tally.Add(key, b[e.KeySize:])
		case BucketElement:
			t.tally.AddBucket(key)
			if err := t.nested(p, key, e.At+e.KeySize, e.ValueSize); err != nil {
				return err
			}
		default:
			return fmt.Errorf("page %d: element of type %#x", p.ID, e.Flags)
		}
	}
	return nil
}

// nested records the bucket whose head is the value at off, or verifies its
// only page where that is stored inside the value.
func (t *tree) nested(p *Page, key []byte, off, size uint64) error {
	// A bucket inside of its head is at most a quarter of a page.
	if size < BucketHead || size > uint64(t.file.Meta.PageSize) {
		return fmt.Errorf("page %d: bucket head of %d bytes", p.ID, size)
	}
	value, err := t.file.Bytes(p, off, size)
	if err != nil {
		return err
	}
	path := append(append(make([][]byte, 0, len(t.path)+1), t.path...), bytes.Clone(key))
	if root := native.Uint64(value); root != 0 {
		if size != BucketHead {
			return fmt.Errorf("page %d: bucket head of %d bytes", p.ID, size)
		}
		t.below = append(t.below, Bucket{Path: path, Root: root})
		return nil
	}
	if t.Measure != nil {
		t.Measure(path, int64(size))
	}
	inline := value[BucketHead:]
	elements, err := InlineElements(inline)
	if err == nil && t.Counted != nil {
		var tally Tally
		for _, e := range elements {
			tally.Add(inline[e.At:e.At+e.KeySize], inline[e.At+e.KeySize:e.At+e.KeySize+e.ValueSize])
		}
		t.Counted(path, tally)
	}
	return err
}

// inOrder checks one key against the bounds of its page and its predecessor.
func inOrder(p *Page, i int, key, lo, hi []byte, descends bool) error {
	if descends || (lo != nil && bytes.Compare(key, lo) < 0) || (hi != nil && bytes.Compare(key, hi) >= 0) {
		return fmt.Errorf("page %d: key %d is out of order", p.ID, i)
	}
	return nil
}
