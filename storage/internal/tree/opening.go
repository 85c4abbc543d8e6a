package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/memory"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// UndoneNotice says that one of the two meta pages is damaged.
func UndoneNotice(what string) string {
	return fmt.Sprintf("one of the two meta pages is damaged (%s): if it was the newer one, the last commit is undone", what)
}

// opening is the file, locked, opened for reading, with its catalogue verified.
type opening struct {
	lock    *file.Lock
	handle  *Handle
	header  block.Header
	notices []string
}

// openFile opens the file, and waits for its lock until the deadline.
func (db *Store) openFile(ctx context.Context, deadline time.Time) (*opening, error) {
	stop := func() error { return db.stopped(ctx) }
	for {
		found, err := db.openOnce(deadline, stop)
		switch {
		case err != nil:
			return nil, err
		case found == nil:
			continue // the file was replaced while this process waited for the lock
		}
		err = db.viewOn(ctx, found.handle, func(t *Tx) error {
			found.header = t.Header
			return t.Tree.CompareSums(t.Path, &t.Ledger)
		})
		if err != nil {
			return nil, errors.Join(err, db.closeFile(found.handle, found.lock))
		}
		return found, nil
	}
}

// openOnce opens the file for reading, with the lock that its later use needs, and
// verifies the catalogue. It returns nil if the file was replaced or written meanwhile;
// then it must be tried again.
func (db *Store) openOnce(deadline time.Time, stop func() error) (*opening, error) {
	lock, err := file.OpenLock(db.Real, db.Opts.ReadOnly)
	if err != nil {
		return nil, db.AccessError(err)
	}
	if err := lock.Take(db.Opts.ReadOnly, deadline, stop); err != nil {
		return nil, errors.Join(db.OpenError(err), lock.Release())
	}
	h, err := db.OpenBolt(lock, true, time.Until(deadline))
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	found := &opening{lock: lock, handle: h}
	m, err := db.settle(found, deadline)
	if err == nil && m != nil {
		h.Tree, err = NewVerified(db.Path, page.File{R: h.File, Meta: *m})
	}
	if err == nil && m != nil {
		if m.Other != "" {
			found.notices = []string{UndoneNotice(m.Other)}
		}
		return found, nil
	}
	return nil, errors.Join(err, fault.Guarded(db.Path, h.Bolt.Close), lock.Release())
}

// settle gets the lock for writing, if the store is to be written, and returns the meta
// page that bbolt took; nil if another commit or another file replaced it before the
// lock was taken. The lock is taken only now because bbolt, which opens the file for
// reading first, turns a lock for writing into one for reading.
func (db *Store) settle(found *opening, deadline time.Time) (*page.Meta, error) {
	h := found.handle
	before, err := db.meta(h.File)
	if err != nil {
		return nil, err
	}
	if !db.Opts.ReadOnly && file.CanShareLock {
		if err := found.lock.Exclusive(deadline); err != nil {
			return nil, db.OpenError(err)
		}
	}
	after, err := db.meta(h.File)
	if err != nil {
		return nil, err
	}
	if before != after || db.Replaced(h) != nil {
		return nil, nil
	}
	return &after, nil
}

// OpenBolt opens the locked file with bbolt.
func (db *Store) OpenBolt(lock *file.Lock, readOnly bool, timeout time.Duration) (*Handle, error) {
	for _, mapSize := range file.InitialMaps(memory.AddressSpace()) {
		h, err := db.openMapped(lock, readOnly, max(timeout, time.Nanosecond), mapSize)
		if err == nil {
			return h, nil
		}
		// The address space is limited. A smaller map works too, but when it grows,
		// writers wait for readers.
		if !file.IsNoMemory(err) || mapSize == 0 {
			return nil, db.OpenError(err)
		}
	}
	return nil, nil // never: the last map size is 0
}

// openMapped opens the file once, with at least mapSize bytes of address space.
func (db *Store) openMapped(lock *file.Lock, readOnly bool, timeout time.Duration, mapSize int) (*Handle, error) {
	h := &Handle{Writable: !readOnly}
	err := fault.Guarded(db.Path, func() (err error) {
		h.Bolt, err = bolt.Open(db.Real, FileMode, &bolt.Options{
			ReadOnly: readOnly,
			Timeout:  timeout,
			// A list of free pages in the file is rewritten at every commit, and damage
			// of it would overwrite data. Without it, opening for writing finds the
			// free pages by a scan.
			NoFreelistSync:  true,
			FreelistType:    bolt.FreelistMapType,
			InitialMmapSize: mapSize,
			NoStatistics:    true,
			// The file exists: bbolt must not make it, initialise an empty one, or map
			// one that is shorter than its pages.
			OpenFile: func(string, int, os.FileMode) (*os.File, error) {
				f, err := lock.Descriptor(readOnly)
				if err != nil {
					return nil, err
				}
				if _, err := db.meta(f); err != nil {
					return nil, errors.Join(err, f.Close())
				}
				h.File = f
				return f, nil
			},
		})
		return err
	})
	if err != nil {
		if errors.Is(err, fault.ErrCorrupt) && h.File != nil {
			h.File.Close() // bbolt panicked and left the file open
		}
		return nil, err
	}
	if info, err := h.File.Stat(); err == nil && h.Writable {
		file.Release(h.Bolt.Info().Data, info.Size()) // bbolt has read every page to find the free ones
	}
	return h, nil
}

// meta reads the meta page that bbolt uses, and refuses files that bbolt must not map.
func (db *Store) meta(f *os.File) (page.Meta, error) {
	m, isBolt, err := page.ReadMeta(f, page.SizeOf(f))
	switch {
	case err == nil:
		return m, nil
	case !isBolt:
		return page.Meta{}, fault.NotStore(db.Path, "the file of another program")
	}
	return page.Meta{}, &fault.FileError{Path: db.Path, Err: fault.ErrCorrupt, Reason: err.Error(), Remedy: fault.RemedyRestore}
}

// closeFile closes an opening of the file, and releases its lock.
func (db *Store) closeFile(h *Handle, lock *file.Lock) error {
	if db.broken.Load() {
		// bbolt holds locks that nobody will release, so its map stays until the
		// process ends. The lock on the file is released.
		return errors.Join(h.File.Close(), lock.Release())
	}
	return errors.Join(fault.Guarded(db.Path, h.Bolt.Close), lock.Release())
}
