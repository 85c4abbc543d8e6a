package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"

	bolt "go.etcd.io/bbolt"
)

// locate finds the regular file that path leads to, and creates a store if
// there is none and the options allow it.
func locate(path string, o Settings) (string, error) {
	if path == "" {
		return "", fmt.Errorf("open: %w: the path is empty", fault.ErrInvalid)
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
		// The resolved path is opened, so that the file that was checked is the file
		// that is used.
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
		return "", &fault.FileError{Path: path, Err: fault.ErrNotStore, Reason: "an empty file", Remedy: "remove it; a store is then created in its place"}
	}
	return path, nil
}

// checkFileSystem returns an error for writing on a file system whose locks and
// memory maps are unreliable.
func checkFileSystem(path string, o Settings) error {
	if o.ReadOnly || o.AllowNetworkFS {
		return nil
	}
	// A file that does not exist yet is on the file system of its folder.
	for _, at := range []string{path, filepath.Dir(path)} {
		if kind := o.fileSystemAt(at); kind != "" {
			return &fault.FileError{Path: path, Err: fault.ErrNetworkFS, Reason: "it lies on " + kind + ", where a second writer cannot be kept out",
				Remedy: "keep it on a disk of this machine, open it for reading only, or allow network file systems if nobody else writes to it"}
		}
	}
	return nil
}

// fileSystemAt names the network file system that path lies on; "" is none.
func (o Settings) fileSystemAt(path string) string {
	if o.FileSystem != nil {
		return o.FileSystem(path)
	}
	return file.NetworkFS(path)
}

// create makes an empty store at path. It is built under another name in the same folder
// and moved when it is complete: bbolt cannot open a file whose first pages were not fully
// written before a power failure.
func create(path string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("create %q: %w", path, err)
		}
	}()
	dir, pattern := TempName(path, KindNew)
	temp, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // after the move there is nothing under this name
	// bbolt opens the file by name.
	if err := temp.Close(); err != nil {
		return err
	}
	if err := initFile(temp.Name()); err != nil {
		return err
	}
	// If another process was faster, its store is opened instead.
	if err := MoveNew(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return file.SyncDir(dir)
}

func initFile(name string) error {
	b, err := bolt.Open(name, FileMode, &bolt.Options{Timeout: time.Second, NoFreelistSync: true, NoStatistics: true})
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
		return Init(root, h)
	})
	return errors.Join(err, b.Close())
}

// MoveNew gives a file a name that must be free; otherwise the error is fs.ErrExist.
// On file systems without links a rename is used, which could replace a file that
// another process makes at the same time.
func MoveNew(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
