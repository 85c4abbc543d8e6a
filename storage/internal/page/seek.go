package page

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"sync"
)

// Seeker finds records of one bucket without nested buckets by plain reads. It verifies the shape of each page
// that it comes upon, once, and of no others: so a search for a few records of a large bucket need not wait for
// a walk over all of it.
//
// Unlike a [Walker] it does not count the records, and does not detect a page whose write the disk lost. It is
// for buckets whose records are written once, with checksums that also cover their keys: there a lost write
// shows as a missing record, or as one with a wrong checksum. It keeps the keys and places of every page that
// it has read, about a tenth of the bytes of pages with small records and a thousandth of those with large
// ones. Any number of goroutines may use it.
type Seeker struct {
	root uint64

	mu    sync.Mutex
	file  File
	pages map[uint64]*seekPage
}

// NewSeeker returns a seeker in the bucket whose tree has the given root page.
func NewSeeker(f File, root uint64) *Seeker {
	return &Seeker{file: File{R: f.R, Meta: f.Meta}, root: root, pages: make(map[uint64]*seekPage)}
}

// Place is where the value of a record lies in the file.
type Place struct {
	Key  []byte
	At   int64 // offset of the value in the file
	Size int64 // bytes of the value
}

type seekPage struct {
	keys   [][]byte
	child  []uint64 // of a branch; nil for a leaf
	places []Place  // of a leaf
}

// Floor returns the place of the last record whose key is at most key, or false if all
// keys are larger. Errors describe a fault of the shape, or are those of the file.
func (s *Seeker) Floor(key []byte) (Place, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lo, hi []byte
	id := s.root
	for range MaxDepth + 1 {
		p, err := s.page(id, lo, hi)
		if err != nil {
			return Place{}, false, err
		}
		i := sort.Search(len(p.keys), func(i int) bool { return bytes.Compare(p.keys[i], key) > 0 }) - 1
		switch {
		case i < 0:
			return Place{}, false, nil
		case p.child == nil:
			return p.places[i], true, nil
		}
		id, lo = p.child[i], p.keys[i]
		if i+1 < len(p.keys) {
			hi = p.keys[i+1]
		}
	}
	return Place{}, false, errors.New("tree is too deep")
}

// page reads and verifies a page whose keys must be in [lo, hi); nil is no bound.
func (s *Seeker) page(id uint64, lo, hi []byte) (*seekPage, error) {
	if p := s.pages[id]; p != nil {
		return p, nil
	}
	p, err := s.file.Read(id)
	if err != nil {
		return nil, err
	}
	defer s.file.Release(p)
	if p.Flags != BranchFlag && p.Flags != LeafFlag {
		return nil, fmt.Errorf("page %d has type %#x", id, p.Flags)
	}
	if p.Count == 0 && (p.Flags == BranchFlag || id != s.root) {
		return nil, fmt.Errorf("page %d is empty", id)
	}
	elements, err := s.file.Elements(p, p.Count, make([]Element, 0, p.Count))
	if err != nil {
		return nil, err
	}
	q := &seekPage{keys: make([][]byte, len(elements))}
	for i, e := range elements {
		key, err := s.file.Bytes(p, e.At, e.KeySize)
		if err != nil {
			return nil, err
		}
		q.keys[i] = bytes.Clone(key)
		if err := inOrder(p, i, key, lo, hi, i > 0 && bytes.Compare(q.keys[i-1], key) >= 0); err != nil {
			return nil, err
		}
		switch {
		case p.Flags == BranchFlag:
			q.child = append(q.child, e.Child)
		case e.Flags != 0:
			return nil, fmt.Errorf("page %d: element of type %#x", id, e.Flags)
		default:
			q.places = append(q.places, Place{Key: q.keys[i], At: int64(id)*int64(s.file.Meta.PageSize) + int64(e.At+e.KeySize), Size: int64(e.ValueSize)})
		}
	}
	s.pages[id] = q
	return q, nil
}
