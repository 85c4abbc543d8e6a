package tree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// Verified is what is known of the shape of the tree of a file that nobody writes.
// Opening verifies the buckets that every transaction needs. The others, objects and
// the change log, are verified at their first use, an object part by part: so a file of any
// size opens at once, a lookup of a key does not wait for the edges, and bbolt follows no
// page that was not verified.
type Verified struct {
	File   page.File
	Faults []page.Fault   // of all buckets that were verified at opening, or by Check
	tops   *block.Tallies // of the buckets that opening walked over
	Whole  bool           // everything was verified

	buffers sync.Pool // of *page.Buffers, for one walk after another

	mu      sync.Mutex
	Parts   map[string]*finding     // by the path of the bucket
	Seekers map[string]*page.Seeker // of parts whose records never change, by path
}

// finding is the outcome of the walk over one bucket and all below it; over an object, without
// the parts that have pages of their own.
type finding struct {
	turn   chan struct{} // holds one token while nobody walks
	done   bool
	faults []page.Fault
}

// NewVerified verifies the buckets that every transaction needs: the root
// buckets, the catalogues, the journal, the trash, and the list of objects. A
// fault above them is an error of the file.
func NewVerified(path string, of page.File) (*Verified, error) {
	s := &Verified{File: of, Parts: make(map[string]*finding), tops: block.NewTallies()}
	w := page.NewWalker(context.Background(), of)
	w.Counted = s.tops.Counted
	below, err := w.Bucket(page.Bucket{Root: of.Meta.Root})
	var root *page.Bucket
	for i, b := range below {
		if bytes.Equal(b.Path[0], block.RootName) {
			root = &below[i]
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("open %q: %w", path, err)
	case len(w.Faults) > 0:
		return nil, &fault.FileError{Path: path, Err: fault.ErrCorrupt, Reason: w.Faults[0].What, Remedy: fault.RemedyRestore}
	case root == nil:
		return nil, fault.NotStore(path, "a bbolt file of another program")
	}
	tops, err := w.Bucket(*root)
	for _, b := range tops { // requested at once, in case they must be read from the disk
		if f, ok := of.R.(*os.File); ok && b.Root < of.Meta.HighWater {
			file.WillNeed(f, int64(b.Root)*int64(of.Meta.PageSize), int64(of.Meta.PageSize))
		}
	}
	for _, b := range tops {
		if bytes.Equal(b.Path[1], block.ChangesName) {
			continue
		}
		if _, err = w.Bucket(b); err != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	for _, bad := range w.Faults {
		if len(bad.Path) < 2 {
			return nil, &fault.FileError{Path: path, Err: fault.ErrCorrupt, Reason: bad.What, Remedy: fault.RemedyRestore}
		}
	}
	s.Faults = BelowRoot(w.Faults)
	return s, nil
}

// CompareSums compares the tallies that opening computed with the sums in the
// file. If the sums are not those of the last commit, nothing below them can be
// trusted, and the file is refused.
func (s *Verified) CompareSums(path string, l *Ledger) error {
	err := l.CheckRoot(s.File.Meta, s.tops.Sums)
	if err != nil {
		return &fault.FileError{Path: path, Err: fault.ErrCorrupt, Reason: err.Error(), Remedy: fault.RemedyRestore}
	}
	faults, err := l.Broken(s.tops, string(block.PlaceTop), func(path [][]byte) bool {
		if _, counted := s.tops.Of[block.TopPlace(path[0])]; !counted && bytes.Equal(path[0], block.ChangesName) {
			return true // verified at its first use
		}
		return s.Fault(path) != nil
	})
	s.Faults = append(s.Faults, faults...)
	return fault.Corrupt(path, "sums", err)
}

// BelowRoot gives faults the paths that transactions use: those below the root bucket.
func BelowRoot(faults []page.Fault) []page.Fault {
	var list []page.Fault
	for _, fault := range faults {
		if len(fault.Path) > 1 {
			list = append(list, page.Fault{Path: fault.Path[1:], What: fault.What})
		}
	}
	return list
}

// Fault reports the damage that is known in the bucket at path or above it.
func (s *Verified) Fault(path [][]byte) error {
	return faultIn(s.Faults, path)
}

// visit verifies the bucket b at path, unless that was done before, and reports damage in the
// bucket itself. For an object it verifies only the parts in the object's own pages.
func (s *Verified) visit(ctx context.Context, l *Ledger, b *bolt.Bucket, path ...[]byte) error {
	if s.Whole || (b.Root() == 0 && len(path) != objectDepth) {
		return nil // a bucket without a page of its own was verified with the page that it lies in
	}
	v, err := s.finding(ctx, l, path, uint64(b.Root()))
	if err != nil {
		return err
	}
	return faultIn(v.faults, path)
}

// objectDepth is the length of the path of an object; those of its parts are one longer.
const objectDepth = 2

// finding verifies a bucket, or waits until another goroutine has.
func (s *Verified) finding(ctx context.Context, l *Ledger, path [][]byte, root uint64) (*finding, error) {
	name := string(bytes.Join(path, []byte{'/'}))
	s.mu.Lock()
	v := s.Parts[name]
	if v == nil {
		v = &finding{turn: make(chan struct{}, 1)}
		v.turn <- struct{}{}
		s.Parts[name] = v
	}
	s.mu.Unlock()
	select {
	case <-v.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { v.turn <- struct{}{} }()
	if v.done {
		return v, nil
	}
	of := s.File
	if of.Buffers, _ = s.buffers.Get().(*page.Buffers); of.Buffers == nil {
		of.Buffers = new(page.Buffers)
	}
	defer s.buffers.Put(of.Buffers)
	w, found := page.NewWalker(ctx, of), block.NewTallies()
	w.Counted = found.Counted
	top := page.Bucket{Path: append([][]byte{block.RootName}, path...), Root: root}
	var err error
	var later []page.Bucket // parts that are verified at their own first use
	switch {
	case root == 0:
	case len(path) == objectDepth:
		later, err = w.Bucket(top)
	default:
		err = w.All(top)
	}
	if err != nil {
		return nil, err
	}
	faults := BelowRoot(w.Faults)
	prefix := block.TopPlace(path[0])
	switch len(path) {
	case objectDepth:
		prefix = block.PartPlace(block.IDOf(path[1]), nil)
	case objectDepth + 1:
		prefix = block.PartPlace(block.IDOf(path[1]), path[2])
	}
	broken, err := l.Broken(found, prefix, func(at [][]byte) bool {
		isLater := slices.ContainsFunc(later, func(b page.Bucket) bool { return samePath(b.Path[1:], at) })
		return isLater || len(at) < len(path) || !samePath(at[:len(path)], path) || faultIn(faults, at) != nil
	})
	if err != nil {
		return nil, err
	}
	v.faults, v.done = append(faults, broken...), true
	return v, nil
}

// seekerOf returns the seeker in a part, which keeps what it has verified for the next search.
func (s *Verified) seekerOf(path [][]byte, root uint64) *page.Seeker {
	name := string(bytes.Join(path, []byte{'/'}))
	s.mu.Lock()
	defer s.mu.Unlock()
	seeker := s.Seekers[name]
	if seeker == nil {
		if s.Seekers == nil {
			s.Seekers = make(map[string]*page.Seeker)
		}
		seeker = page.NewSeeker(s.File, root)
		s.Seekers[name] = seeker
	}
	return seeker
}

// below reports the damage found in a bucket below one that was visited.
func (s *Verified) below(visited [][]byte, path [][]byte) error {
	if err := s.Fault(path); err != nil || s.Whole {
		return err
	}
	s.mu.Lock()
	v := s.Parts[string(bytes.Join(visited, []byte{'/'}))]
	s.mu.Unlock()
	if v == nil {
		return nil
	}
	return faultIn(v.faults, path)
}

// faultIn returns the first fault of the bucket at path or of one above it.
func faultIn(faults []page.Fault, path [][]byte) error {
	for _, bad := range faults {
		if len(bad.Path) > len(path) {
			continue
		}
		if samePath(bad.Path, path[:len(bad.Path)]) {
			return fault.Record("%s", bad.What)
		}
	}
	return nil
}

func samePath(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

// VerifiedRows are the objects whose rows were verified since the file was opened.
// Objects never change, and their numbers are not used again.
type VerifiedRows struct {
	mu      sync.Mutex
	Objects map[uint64]struct{}
}

// Has reports whether the rows of an object were verified before; it is false for nil.
func (s *VerifiedRows) Has(object uint64) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, sound := s.Objects[object]
	return sound
}

// Add remembers that the rows of an object are sound.
func (s *VerifiedRows) Add(object uint64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Objects == nil {
		s.Objects = map[uint64]struct{}{}
	}
	s.Objects[object] = struct{}{}
}
