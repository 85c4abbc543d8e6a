package storage

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// soundness is what is known of the shape of the tree of a file that nobody
// writes. Opening verifies the buckets that every transaction needs and leaves
// the others, the objects and the change log, to their first use: a file of any
// size opens at once, and bbolt still follows no page that was not verified.
type soundness struct {
	file   pageFile
	faults []treeFault // found so far where all was verified: at opening, or by Check
	whole  bool        // everything was verified

	mu    sync.Mutex
	parts map[string]*verdict // by the path of the bucket
}

// verdict is the outcome of the walk over one bucket and all below it.
type verdict struct {
	turn   chan struct{} // holds one token while nobody walks
	done   bool
	faults []treeFault
}

// openSoundness verifies the buckets that every transaction needs: the root
// buckets, the catalogues, the journal, the trash, and the list of objects. A
// fault above them is an error of the file.
func openSoundness(path string, file pageFile) (*soundness, error) {
	s := &soundness{file: file, parts: make(map[string]*verdict)}
	w := newWalker(context.Background(), file)
	below, err := w.bucket(nested{root: file.meta.root})
	var root *nested
	for i, b := range below {
		if bytes.Equal(b.path[0], rootName) {
			root = &below[i]
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("storage: open %q: %w", path, err)
	case len(w.faults) > 0:
		return nil, &FileError{Path: path, Err: ErrCorrupt, Reason: w.faults[0].what, Remedy: remedyRestore}
	case root == nil:
		return nil, notStore(path, "a bbolt file of another program")
	}
	tops, err := w.bucket(*root)
	for _, b := range tops { // all at once, where they must come from the disk
		if f, ok := file.r.(*os.File); ok && b.root < file.meta.highWater {
			willNeed(f, int64(b.root)*int64(file.meta.pageSize), int64(file.meta.pageSize))
		}
	}
	for _, b := range tops {
		if bytes.Equal(b.path[1], changesName) {
			continue
		}
		if _, err = w.bucket(b); err != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("storage: open %q: %w", path, err)
	}
	for _, fault := range w.faults {
		if len(fault.path) < 2 {
			return nil, &FileError{Path: path, Err: ErrCorrupt, Reason: fault.what, Remedy: remedyRestore}
		}
	}
	s.faults = belowRoot(w.faults)
	return s, nil
}

// belowRoot gives faults the paths that transactions know them by.
func belowRoot(faults []treeFault) []treeFault {
	var list []treeFault
	for _, fault := range faults {
		if len(fault.path) > 1 {
			list = append(list, treeFault{path: fault.path[1:], what: fault.what})
		}
	}
	return list
}

// fault reports the damage that is known in the bucket at path or above it.
func (s *soundness) fault(path [][]byte) error {
	return faultIn(s.faults, path)
}

// visit verifies the bucket b, which lies at path, and all below it, unless that
// was done before, and reports damage in the bucket itself.
func (s *soundness) visit(ctx context.Context, b *bolt.Bucket, path ...[]byte) error {
	if s.whole || b.Root() == 0 {
		return nil // a bucket without a page of its own was verified with the page that it lies in
	}
	v, err := s.verdict(ctx, path, uint64(b.Root()))
	if err != nil {
		return err
	}
	return faultIn(v.faults, path)
}

// verdict walks over a bucket, or waits for the one who does.
func (s *soundness) verdict(ctx context.Context, path [][]byte, root uint64) (*verdict, error) {
	name := string(bytes.Join(path, []byte{'/'}))
	s.mu.Lock()
	v := s.parts[name]
	if v == nil {
		v = &verdict{turn: make(chan struct{}, 1)}
		v.turn <- struct{}{}
		s.parts[name] = v
	}
	s.mu.Unlock()
	select {
	case <-v.turn:
	case <-ctx.Done():
		return nil, fmt.Errorf("storage: %w", ctx.Err())
	}
	defer func() { v.turn <- struct{}{} }()
	if v.done {
		return v, nil
	}
	w := newWalker(ctx, pageFile{r: s.file.r, meta: s.file.meta})
	full := append([][]byte{rootName}, path...)
	if err := w.all(nested{path: full, root: root}); err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	v.faults, v.done = belowRoot(w.faults), true
	return v, nil
}

// below reports the damage found in a bucket below one that was visited.
func (s *soundness) below(visited [][]byte, path [][]byte) error {
	if err := s.fault(path); err != nil || s.whole {
		return err
	}
	s.mu.Lock()
	v := s.parts[string(bytes.Join(visited, []byte{'/'}))]
	s.mu.Unlock()
	if v == nil {
		return nil
	}
	return faultIn(v.faults, path)
}

// faultIn returns the first fault of the bucket at path or of one above it.
func faultIn(faults []treeFault, path [][]byte) error {
	for _, fault := range faults {
		if len(fault.path) > len(path) {
			continue
		}
		within := true
		for i, part := range fault.path {
			within = within && bytes.Equal(part, path[i])
		}
		if within {
			return badRecord("%s", fault.what)
		}
	}
	return nil
}
