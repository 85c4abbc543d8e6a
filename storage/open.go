package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
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
		return nil, fmt.Errorf("storage: open %q: %w", path, err)
	}
	o := opts.withDefaults()
	deadline := time.Now().Add(o.LockTimeout)
	real, err := locate(path, o)
	if err != nil {
		return nil, err
	}
	db := newDB(path, rootName, o)
	if db.real, err = filepath.Abs(real); err != nil {
		return nil, fmt.Errorf("storage: open: %w", err)
	}
	for opened := false; !opened; {
		// A file that was replaced while the lock was waited for is left alone.
		if opened, err = db.openOnce(deadline); err != nil {
			return nil, err
		}
	}
	if err := db.view(context.Background(), func(t *tx) error {
		db.epoch.Store(t.header.Epoch)
		return nil
	}); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if o.ReadOnly {
		return db, nil
	}
	if !canShareLock {
		// Here the file can only be verified and opened for writing at once.
		unlock, err := db.lockWriter(context.Background())
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		unlock()
	}
	if err := db.tidy(context.Background()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// openOnce opens the file for reading, with the lock that its later use needs,
// and verifies the catalogue. It reports false where the file was replaced or
// written meanwhile and it must be tried again.
func (db *DB) openOnce(deadline time.Time) (opened bool, err error) {
	lock, err := openLock(db.real, db.opts.ReadOnly)
	if err != nil {
		return false, db.accessError(err)
	}
	h, err := db.openBolt(lock, true, time.Until(deadline))
	if err != nil {
		return false, errors.Join(err, lock.release())
	}
	db.lock, db.current = lock, h
	m, err := db.settle(h, deadline)
	if err == nil && m != nil {
		h.tree, err = openSoundness(db.path, pageFile{r: h.file, meta: *m})
	}
	if err == nil && m != nil {
		return true, nil
	}
	db.lock, db.current = nil, nil
	return false, errors.Join(err, guarded(db.path, h.bolt.Close), lock.release())
}

// settle gets the lock for writing, if the store is to be written, and returns
// the meta page that bbolt took; nil where another one took its place before
// the lock was had, or another file the place of this one.
func (db *DB) settle(h *handle, deadline time.Time) (*meta, error) {
	before, err := db.meta(h.file)
	if err != nil {
		return nil, err
	}
	if !db.opts.ReadOnly && canShareLock {
		if err := db.lock.exclusive(deadline); err != nil {
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
		return "", fmt.Errorf("storage: open: %w: the path is empty", ErrInvalid)
	}
	if err := checkFileSystem(path, o); err != nil {
		return "", err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if o.ReadOnly || o.NoCreate {
			return "", fmt.Errorf("storage: open: %w", err)
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
		return "", fmt.Errorf("storage: open: %w", err)
	}
	switch {
	case info.IsDir():
		return "", notStore(path, "a directory")
	case !info.Mode().IsRegular():
		return "", notStore(path, "not a regular file")
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
	name := networkFS
	if o.fileSystem != nil {
		name = o.fileSystem
	}
	// A file that is still to be made lies where its folder does.
	for _, at := range []string{path, filepath.Dir(path)} {
		if kind := name(at); kind != "" {
			return &FileError{Path: path, Err: ErrNetworkFS, Reason: "it lies on " + kind + ", where a second writer cannot be kept out",
				Remedy: "keep it on a disk of this machine, open it for reading only, or allow network file systems if nobody else writes to it"}
		}
	}
	return nil
}

func notStore(path, reason string) error {
	return &FileError{Path: path, Err: ErrNotStore, Reason: reason, Remedy: "give the path of a heavytail file"}
}

// openBolt opens the locked file with bbolt.
func (db *DB) openBolt(lock *fileLock, readOnly bool, timeout time.Duration) (*handle, error) {
	for _, mapSize := range initialMaps {
		h, err := db.openMapped(lock, readOnly, max(timeout, time.Nanosecond), mapSize)
		if err == nil {
			return h, nil
		}
		// The address space is limited: a smaller map only means that growing
		// it makes writers wait for readers.
		if !isNoMemory(err) || mapSize == 0 {
			return nil, db.openError(err)
		}
	}
	return nil, nil // never: the last map size is 0
}

// openError gives the errors of opening with bbolt our types.
func (db *DB) openError(err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return &FileError{Path: db.path, Err: ErrLocked, Reason: "another process, or another handle of this one, has it open",
			Remedy: "close it there, or wait longer; several can read at the same time if all open it for reading only"}
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return &FileError{Path: db.path, Err: ErrCorrupt, Cause: err, Remedy: remedyRestore}
	case errors.As(err, new(*FileError)):
		return err
	}
	return db.accessError(err)
}

// accessError says what can be done where a file may be read but not written.
func (db *DB) accessError(err error) error {
	if !db.opts.ReadOnly && (errors.Is(err, fs.ErrPermission) || isReadOnlyFS(err)) {
		return &FileError{Path: db.path, Err: ErrReadOnly, Cause: err, Reason: "it may not be written",
			Remedy: "open it for reading only, or have its permissions changed"}
	}
	return fmt.Errorf("storage: open %q: %w", db.path, err)
}

// openMapped opens the file once, with at least mapSize bytes of address space.
func (db *DB) openMapped(lock *fileLock, readOnly bool, timeout time.Duration, mapSize int) (*handle, error) {
	h := &handle{writable: !readOnly}
	err := guarded(db.path, func() (err error) {
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
				f, err := lock.descriptor(readOnly)
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
func (db *DB) meta(f *os.File) (meta, error) {
	info, err := f.Stat()
	if err != nil {
		return meta{}, fmt.Errorf("storage: open: %w", err)
	}
	m, isBolt, err := readMeta(f, info.Size())
	switch {
	case err == nil:
		return m, nil
	case !isBolt:
		return meta{}, notStore(db.path, "the file of another program")
	}
	return meta{}, &FileError{Path: db.path, Err: ErrCorrupt, Reason: err.Error(), Remedy: remedyRestore}
}

// headerError turns a fault of the header into an error of the file.
func headerError(path string, err error) error {
	switch {
	case errors.Is(err, ErrVersion):
		return &FileError{Path: path, Err: ErrVersion, Cause: err, Remedy: "open it with a newer heavytail; the file was not changed"}
	case errors.Is(err, errRecord):
		return &FileError{Path: path, Object: "header", Err: ErrCorrupt, Cause: err, Remedy: remedyRestore}
	}
	return err
}

// create makes an empty store at path. It is built under another name beside
// it and moved when it is whole: bbolt cannot recover a file whose first pages
// were cut short by a power failure.
func create(path string) error {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	temp, err := os.CreateTemp(dir, "."+base+".*.new")
	if err != nil {
		return fmt.Errorf("storage: create %q: %w", path, err)
	}
	name := temp.Name()
	defer os.Remove(name) // after the move there is nothing under this name
	// bbolt opens the file by name.
	if err := temp.Close(); err != nil {
		return fmt.Errorf("storage: create %q: %w", path, err)
	}
	if err := initFile(name); err != nil {
		return fmt.Errorf("storage: create %q: %w", path, err)
	}
	if err := moveNew(name, path); err != nil {
		return fmt.Errorf("storage: create %q: %w", path, err)
	}
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("storage: create %q: %w", path, err)
	}
	return nil
}

func initFile(name string) error {
	b, err := bolt.Open(name, fileMode, &bolt.Options{Timeout: time.Second, NoFreelistSync: true, NoStatistics: true})
	if err != nil {
		return err
	}
	err = b.Update(func(btx *bolt.Tx) error {
		root, err := btx.CreateBucket(rootName)
		if err != nil {
			return err
		}
		return initStore(root, newHeader())
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
