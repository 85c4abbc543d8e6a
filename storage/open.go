package storage

import (
	"bytes"
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
// is. Before bbolt maps the file, its meta pages and the shape of its tree are
// verified with plain reads, which takes about 0.1 s per gigabyte of edges.
//
// A damaged file is refused for writing. Opened for reading, its sound graphs
// and embeddings can be used, and Check lists the others.
func Open(path string, opts *Options) (*DB, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("storage: open %q: %w", path, err)
	}
	o := opts.withDefaults()
	real, err := locate(path, o)
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, opts: o, writer: make(chan struct{}, 1)}
	db.writer <- struct{}{}
	deadline := time.Now().Add(o.LockTimeout)

	// The first handle only reads, whatever was asked for: bbolt then starts no
	// goroutine of its own over pages that nobody verified, and its shared lock
	// keeps writers away while they are verified.
	if err := db.attach(real, true, o.LockTimeout); err != nil {
		return nil, err
	}
	if err := db.verify(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if o.ReadOnly {
		return db, nil
	}
	if len(db.unsound) > 0 {
		fault := db.unsound[0]
		return nil, errors.Join(&FileError{Path: path, Object: describePath(fault.path), Err: ErrCorrupt, Reason: fault.what,
			Remedy: "open it for reading to check it and to copy out what is sound; it is not opened for writing"}, db.Close())
	}
	if err := guarded(path, db.bolt.Close); err != nil {
		return nil, fmt.Errorf("storage: open %q: %w", path, err)
	}
	if err := db.attach(real, false, max(time.Until(deadline), time.Nanosecond)); err != nil {
		return nil, err
	}
	if err := db.tidy(context.Background()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// locate finds the regular file behind path, and makes a store where there is
// nothing and the options allow it.
func locate(path string, o Options) (string, error) {
	if path == "" {
		return "", fmt.Errorf("storage: open: %w: the path is empty", ErrInvalid)
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

func notStore(path, reason string) error {
	return &FileError{Path: path, Err: ErrNotStore, Reason: reason, Remedy: "give the path of a heavytail file, or of none to make one"}
}

// attach opens the file with bbolt and sets db.bolt and db.file.
func (db *DB) attach(path string, readOnly bool, timeout time.Duration) error {
	info, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("storage: open: %w", err)
	}
	defer info.Close()
	if err := checkSize(db.path, info); err != nil {
		return err
	}
	for _, mapSize := range initialMaps {
		err = db.openBolt(path, readOnly, timeout, mapSize)
		if !isNoMemory(err) {
			break
		}
		// The address space is limited: a smaller map only means that growing
		// it makes writers wait for readers.
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, berrors.ErrTimeout):
		return &FileError{Path: db.path, Err: ErrLocked, Reason: "another process, or another handle of this one, has it open",
			Remedy: "close it there, or wait longer; several can read at the same time if all open it for reading only"}
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return &FileError{Path: db.path, Err: ErrCorrupt, Cause: err, Remedy: remedyRestore}
	case errors.Is(err, ErrCorrupt):
		return err
	}
	return fmt.Errorf("storage: open %q: %w", db.path, err)
}

// openBolt opens the file once, with at least mapSize bytes of address space.
func (db *DB) openBolt(path string, readOnly bool, timeout time.Duration, mapSize int) error {
	var file *os.File
	err := guarded(db.path, func() (err error) {
		db.bolt, err = bolt.Open(path, fileMode, &bolt.Options{
			ReadOnly: readOnly,
			Timeout:  timeout,
			// A list of free pages on disk would be one more thing that damage
			// can turn against the data, and is rewritten at every commit; it
			// is found again by a scan when the file is opened for writing.
			NoFreelistSync:  true,
			FreelistType:    bolt.FreelistMapType,
			InitialMmapSize: mapSize,
			NoStatistics:    true,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				// The file exists: bbolt must not make it, nor fill an empty one.
				f, err := os.OpenFile(name, flag&^os.O_CREATE, mode)
				file = f
				return f, err
			},
		})
		return err
	})
	if errors.Is(err, ErrCorrupt) && file != nil {
		file.Close() // bbolt panicked and left the file open and locked
	}
	db.file = file
	return err
}

// checkSize refuses what bbolt must not map.
func checkSize(path string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("storage: open: %w", err)
	}
	_, isBolt, err := readMeta(f, info.Size())
	if err == nil {
		return nil
	}
	if !isBolt {
		return notStore(path, "the file of another program")
	}
	return &FileError{Path: path, Err: ErrCorrupt, Reason: err.Error(), Remedy: remedyRestore}
}

// verify looks at the whole tree and at the header, while the lock is held. It
// sets db.unsound and db.epoch.
func (db *DB) verify() error {
	w, err := db.walker(context.Background())
	if err != nil {
		return err
	}
	if err := w.walk(); err != nil {
		return fmt.Errorf("storage: open %q: %w", db.path, err)
	}
	if !w.foundRoot && (len(w.faults) == 0 || len(w.faults[0].path) > 0) {
		return notStore(db.path, "a bbolt file of another program")
	}
	for _, fault := range w.faults {
		// Without the root bucket nothing can be found.
		if len(fault.path) < 2 || !bytes.Equal(fault.path[0], rootName) {
			return &FileError{Path: db.path, Err: ErrCorrupt, Reason: fault.what, Remedy: remedyRestore}
		}
		db.unsound = append(db.unsound, treeFault{path: fault.path[1:], what: fault.what})
	}
	return db.view(context.Background(), func(t *tx) error {
		db.epoch.Store(t.header.Epoch)
		return nil
	})
}

// walker prepares a walk over the file as its meta pages say now.
func (db *DB) walker(ctx context.Context) (*walker, error) {
	info, err := db.file.Stat()
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	m, _, err := readMeta(db.file, info.Size())
	if err != nil {
		return nil, &FileError{Path: db.path, Err: ErrCorrupt, Reason: err.Error(), Remedy: remedyRestore}
	}
	return newWalker(ctx, pageFile{r: db.file, meta: m}), nil
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
		return initStore(root, header{Format: formatVersion, MinReader: minReader, Epoch: 1, NextID: 1, Created: time.Now()})
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
