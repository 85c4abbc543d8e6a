package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/page"
)

// fileMode: a store may hold what its owner shows to nobody.
const fileMode = 0o600

// Open opens the store in the file at path, and makes one if there is none and
// the options allow it. A file that is not a store, that needs newer code, that
// is damaged or in use is refused with an error that says so and is left as it
// is.
//
// It takes a few milliseconds whatever the size of the file. Before bbolt
// follows a page, its shape is verified with plain reads: at once that of the
// catalogue, and that of a graph or embedding at its first use. The first write
// verifies the whole tree, which takes some tenths of a second per gigabyte. So
// a file with damage outside of the catalogue is opened; what is sound in it
// can be used, Check lists the rest, and nothing is written to it.
func Open(path string, opts *Options) (*DB, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	o := opts.withDefaults()
	deadline := time.Now().Add(o.LockTimeout)
	real, err := locate(path, o)
	if err != nil {
		return nil, err
	}
	if o.ReleaseIdle {
		o.ReleaseIdle = file.CanShareLock && o.fileSystemAt(real) == ""
	}
	db := newDB(path, block.RootName, o)
	if db.real, err = filepath.Abs(real); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	found, err := db.openFile(context.Background(), deadline)
	if err != nil {
		return nil, err
	}
	db.lock, db.current, db.notices = found.lock, found.handle, found.notices
	db.lease.created = found.header.Created
	db.epoch.Store(found.header.Epoch)
	if o.ReleaseIdle {
		defer db.Keep()()
		db.hold()
	}
	if o.ReadOnly {
		return db, nil
	}
	if !file.CanShareLock {
		// Here the file can only be verified and opened for writing at once.
		unlock, err := db.lockWriter(context.Background())
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		unlock()
	}
	removeLeftovers(db.real, kindCompact, kindImport, kindNew)
	if err := db.tidy(context.Background()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// opening is the file, locked, opened for reading, with its catalogue verified.
type opening struct {
	lock    *file.Lock
	handle  *handle
	header  block.Header
	notices []string
}

// openFile opens the file, and waits for its lock until the deadline.
func (db *DB) openFile(ctx context.Context, deadline time.Time) (*opening, error) {
	stop := func() error { return db.stopped(ctx) }
	for {
		found, err := db.openOnce(deadline, stop)
		switch {
		case err != nil:
			return nil, err
		case found == nil:
			continue // what was replaced while the lock was waited for is left alone
		}
		err = db.viewOn(ctx, found.handle, func(t *tx) error {
			found.header = t.header
			return t.tree.comparePromises(t)
		})
		if err != nil {
			return nil, errors.Join(err, db.closeFile(found.handle, found.lock))
		}
		return found, nil
	}
}

// openOnce opens the file for reading, with the lock that its later use needs,
// and verifies the catalogue. It returns nil where the file was replaced or
// written meanwhile and it must be tried again.
func (db *DB) openOnce(deadline time.Time, stop func() error) (*opening, error) {
	lock, err := file.OpenLock(db.real, db.opts.ReadOnly)
	if err != nil {
		return nil, db.accessError(err)
	}
	if err := lock.Take(db.opts.ReadOnly, deadline, stop); err != nil {
		return nil, errors.Join(db.openError(err), lock.Release())
	}
	h, err := db.openBolt(lock, true, time.Until(deadline))
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	found := &opening{lock: lock, handle: h}
	m, err := db.settle(found, deadline)
	if err == nil && m != nil {
		h.tree, err = openSoundness(db.path, page.File{R: h.file, Meta: *m})
	}
	if err == nil && m != nil {
		if m.Other != "" {
			found.notices = []string{undoneNotice(m.Other)}
		}
		return found, nil
	}
	return nil, errors.Join(err, fault.Guarded(db.path, h.bolt.Close), lock.Release())
}

// settle gets the lock for writing, if the store is to be written, and returns
// the meta page that bbolt took; nil where another one took its place before
// the lock was had, or another file the place of this one. bbolt, which opens the
// file for reading first, makes a lock for writing one for reading.
func (db *DB) settle(found *opening, deadline time.Time) (*page.Meta, error) {
	h := found.handle
	before, err := db.meta(h.file)
	if err != nil {
		return nil, err
	}
	if !db.opts.ReadOnly && file.CanShareLock {
		if err := found.lock.Exclusive(deadline); err != nil {
			return nil, db.openError(err)
		}
	}
	after, err := db.meta(h.file)
	if err != nil {
		return nil, err
	}
	if before != after || db.replaced(h) != nil {
		return nil, nil
	}
	return &after, nil
}

// replaced reports that the path of the store leads to another file than the
// one that is open.
func (db *DB) replaced(h *handle) error {
	there, err := os.Stat(db.real)
	if err == nil {
		var here os.FileInfo
		if here, err = h.file.Stat(); err == nil && os.SameFile(here, there) {
			return nil
		}
	}
	return &FileError{Path: db.path, Err: ErrReplaced, Cause: err, Reason: "what is open is not under this name any more",
		Remedy: "close the store and open it again; a backup of what is open can still be made"}
}

// locate finds the regular file behind path, and makes a store where there is
// nothing and the options allow it.
func locate(path string, o Options) (string, error) {
	if path == "" {
		return "", fmt.Errorf("open: %w: the path is empty", ErrInvalid)
	}
	if err := checkFileSystem(path, o); err != nil {
		return "", err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if o.ReadOnly || o.NoCreate {
			return "", fmt.Errorf("open: %w", err)
		}
		return path, create(path)
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		// The file itself is opened, so that what was looked at is what is used.
		if path, err = filepath.EvalSymlinks(path); err == nil {
			info, err = os.Lstat(path)
		}
	}
	if err != nil {
		return "", fmt.Errorf("open: %w", err)
	}
	switch {
	case info.IsDir():
		return "", fault.NotStore(path, "a directory")
	case !info.Mode().IsRegular():
		return "", fault.NotStore(path, "not a regular file")
	case info.Size() == 0:
		return "", &FileError{Path: path, Err: ErrNotStore, Reason: "an empty file", Remedy: "remove it, and a store will be made in its place"}
	}
	return path, nil
}

// checkFileSystem refuses to write where locks and maps cannot be relied on.
func checkFileSystem(path string, o Options) error {
	if o.ReadOnly || o.AllowNetworkFS {
		return nil
	}
	// A file that is still to be made lies where its folder does.
	for _, at := range []string{path, filepath.Dir(path)} {
		if kind := o.fileSystemAt(at); kind != "" {
			return &FileError{Path: path, Err: ErrNetworkFS, Reason: "it lies on " + kind + ", where a second writer cannot be kept out",
				Remedy: "keep it on a disk of this machine, open it for reading only, or allow network file systems if nobody else writes to it"}
		}
	}
	return nil
}

// fileSystemAt names the network file system that path lies on; "" is none.
func (o *Options) fileSystemAt(path string) string {
	if o.fileSystem != nil {
		return o.fileSystem(path)
	}
	return file.NetworkFS(path)
}

// openBolt opens the locked file with bbolt.
func (db *DB) openBolt(lock *file.Lock, readOnly bool, timeout time.Duration) (*handle, error) {
	for _, mapSize := range file.InitialMaps {
		h, err := db.openMapped(lock, readOnly, max(timeout, time.Nanosecond), mapSize)
		if err == nil {
			return h, nil
		}
		// The address space is limited: a smaller map only means that growing
		// it makes writers wait for readers.
		if !file.IsNoMemory(err) || mapSize == 0 {
			return nil, db.openError(err)
		}
	}
	return nil, nil // never: the last map size is 0
}

// openError gives the errors of opening with bbolt our types.
func (db *DB) openError(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrClosed):
		return err
	case errors.Is(err, berrors.ErrTimeout):
		return db.lockedError()
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return &FileError{Path: db.path, Err: ErrCorrupt, Cause: err, Remedy: fault.RemedyRestore}
	case errors.As(err, new(*FileError)):
		return err
	}
	return db.accessError(err)
}

// lockedError says who has the file, where the system shows it.
func (db *DB) lockedError() error {
	who := "another process, or another handle of this one,"
	if found := file.Holders(db.real); found != nil {
		who = strings.Join(found, ", ")
	}
	return &FileError{Path: db.path, Err: ErrLocked, Reason: who + " is using it",
		Remedy: "try again when it has ended, or close it there; several can read at the same time if all open it for reading only"}
}

// accessError says what can be done where a file may be read but not written.
func (db *DB) accessError(err error) error {
	if !db.opts.ReadOnly && (errors.Is(err, fs.ErrPermission) || file.IsReadOnlyFS(err)) {
		return &FileError{Path: db.path, Err: ErrReadOnly, Cause: err, Reason: "it may not be written",
			Remedy: "open it for reading only, or have its permissions changed"}
	}
	return fmt.Errorf("open %q: %w", db.path, err)
}

// openMapped opens the file once, with at least mapSize bytes of address space.
func (db *DB) openMapped(lock *file.Lock, readOnly bool, timeout time.Duration, mapSize int) (*handle, error) {
	h := &handle{writable: !readOnly}
	err := fault.Guarded(db.path, func() (err error) {
		h.bolt, err = bolt.Open(db.real, fileMode, &bolt.Options{
			ReadOnly: readOnly,
			Timeout:  timeout,
			// A list of free pages on disk would be one more thing that damage
			// can turn against the data, and is rewritten at every commit; it
			// is found again by a scan when the file is opened for writing.
			NoFreelistSync:  true,
			FreelistType:    bolt.FreelistMapType,
			InitialMmapSize: mapSize,
			NoStatistics:    true,
			// The file exists: bbolt must not make it, nor fill an empty one,
			// nor map one that its pages reach out of.
			OpenFile: func(string, int, os.FileMode) (*os.File, error) {
				f, err := lock.Descriptor(readOnly)
				if err != nil {
					return nil, err
				}
				if _, err := db.meta(f); err != nil {
					return nil, errors.Join(err, f.Close())
				}
				h.file = f
				return f, nil
			},
		})
		return err
	})
	if err != nil {
		if errors.Is(err, ErrCorrupt) && h.file != nil {
			h.file.Close() // bbolt panicked and left the file open
		}
		return nil, err
	}
	return h, nil
}

// meta reads the meta page that bbolt takes, and refuses what bbolt must not map.
func (db *DB) meta(f *os.File) (page.Meta, error) {
	info, err := f.Stat()
	if err != nil {
		return page.Meta{}, fmt.Errorf("open: %w", err)
	}
	m, isBolt, err := page.ReadMeta(f, info.Size())
	switch {
	case err == nil:
		return m, nil
	case !isBolt:
		return page.Meta{}, fault.NotStore(db.path, "the file of another program")
	}
	return page.Meta{}, &FileError{Path: db.path, Err: ErrCorrupt, Reason: err.Error(), Remedy: fault.RemedyRestore}
}

// create makes an empty store at path. It is built under another name beside
// it and moved when it is whole: bbolt cannot recover a file whose first pages
// were cut short by a power failure.
func create(path string) error {
	dir, pattern := tempName(path, kindNew)
	temp, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return fmt.Errorf("create %q: %w", path, err)
	}
	name := temp.Name()
	defer os.Remove(name) // after the move there is nothing under this name
	// bbolt opens the file by name.
	if err := temp.Close(); err != nil {
		return fmt.Errorf("create %q: %w", path, err)
	}
	if err := initFile(name); err != nil {
		return fmt.Errorf("create %q: %w", path, err)
	}
	if err := moveNew(name, path); err != nil {
		return fmt.Errorf("create %q: %w", path, err)
	}
	if err := file.SyncDir(dir); err != nil {
		return fmt.Errorf("create %q: %w", path, err)
	}
	return nil
}

func initFile(name string) error {
	b, err := bolt.Open(name, fileMode, &bolt.Options{Timeout: time.Second, NoFreelistSync: true, NoStatistics: true})
	if err != nil {
		return err
	}
	err = b.Update(func(btx *bolt.Tx) error {
		root, err := btx.CreateBucket(block.RootName)
		if err != nil {
			return err
		}
		h := block.NewHeader()
		h.TxID = uint64(btx.ID())
		return initStore(root, h)
	})
	return errors.Join(err, b.Close())
}

// moveNew moves a file to a name that nothing has. A link fails where another
// process was faster, whose store is then opened instead; where there are no
// links, a rename that might replace it has to do.
func moveNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	return os.Rename(from, to)
}
