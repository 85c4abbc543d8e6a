package tree

import (
	"context"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"
)

// Acquire returns the present handle. Until release it stays open and has the lock of
// the file.
func (db *Store) Acquire(ctx context.Context) (*Handle, error) {
	db.Mu.Lock()
	defer db.Mu.Unlock()
	if err := db.usable(); err != nil {
		return nil, err
	}
	db.Users++ // from here on Close waits, and the file is not let go
	for db.Lease.Away {
		db.Mu.Unlock()
		err := db.regain(ctx)
		db.Mu.Lock()
		if err != nil {
			db.Users--
			db.idle.Broadcast()
			return nil, err
		}
	}
	db.Current.Users++
	return db.Current, nil
}

// Release ends the use of a handle, and closes it if it was replaced and this was its
// last user.
func (db *Store) Release(h *Handle) {
	db.leave(h)
	db.Mu.Lock()
	db.Users--
	db.idle.Broadcast()
	db.releaseIfIdle()
	db.Mu.Unlock()
}

// leave takes one user from a handle.
func (db *Store) leave(h *Handle) {
	db.Mu.Lock()
	h.Users--
	last := h.Users == 0 && h.close != nil
	db.Mu.Unlock()
	if last && !db.broken.Load() { // bbolt would wait for locks that a panic left locked
		h.close()
	}
}

// Replace makes next the present handle. closeOld runs when the last
// transaction on the one before has ended, which may be at once.
func (db *Store) Replace(next *Handle, closeOld func()) {
	db.Mu.Lock()
	old := db.Current
	db.Current = next
	last := old.Users == 0
	if !last {
		old.close = closeOld
	}
	db.Mu.Unlock()
	if last {
		closeOld()
	}
}

// shut refuses new transactions, waits for those that run, and closes the file.
func (db *Store) shut() error {
	db.Mu.Lock()
	db.Closed.Store(true)
	for db.Users > 0 && !db.broken.Load() {
		db.idle.Wait()
	}
	if db.Lease.timer != nil {
		db.Lease.timer.Stop()
	}
	h := db.Current
	db.Mu.Unlock()
	if h == nil || db.Attached {
		if h != nil && h.File != nil {
			return h.File.Close()
		}
		return nil
	}
	return db.closeFile(h, db.Lock)
}

// Close waits for running operations and closes the file; an attached store
// leaves the file open. Further calls return nil.
func (db *Store) Close() error {
	var err error
	db.close.Do(func() { err = db.shut() })
	if err != nil {
		return fmt.Errorf("close %q: %w", db.Path, err)
	}
	return nil
}

// OrBackground returns the context, or context.Background for nil: the package takes a nil
// context as one that never ends.
func OrBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// View runs f in a read transaction.
func (db *Store) View(ctx context.Context, f func(t *Tx) error) error {
	ctx = OrBackground(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	h, err := db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer db.Release(h)
	return db.viewOn(ctx, h, f)
}

// Walk walks over the tree: of the whole file, or of the bucket alone where the file belongs to an
// application. It returns the pages in use, and of the whole file the free ones.
func (s *Store) Walk(t *Tx, w *page.Walker, m page.Meta) (pages, free int64, err error) {
	if s.Attached {
		err = w.All(page.Bucket{Path: [][]byte{block.RootName}, Root: uint64(t.Root.Root())})
		return w.Pages, 0, err
	}
	err = w.Walk()
	pages = w.Pages + 2 // meta pages
	return pages, int64(m.HighWater) - pages, err
}

// Writing reports whether this process has the file open for writing now. Before it
// has, it writes no page.
func (s *Store) Writing() bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Current.Writable
}
