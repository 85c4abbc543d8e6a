package query

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"heavytail/storage/format"
)

// This file is the only one of the package that opens files beside the store.

// files opens the files that statements name: anywhere, or in one folder that
// nothing leads out of.
type files struct {
	folder *os.Root // nil for anywhere
}

// stat describes the file that path leads to, lstat what stands at path itself.
func (f files) stat(path string) (fs.FileInfo, error) {
	if f.folder != nil {
		return f.folder.Stat(path)
	}
	return os.Stat(path)
}

func (f files) lstat(path string) (fs.FileInfo, error) {
	if f.folder != nil {
		return f.folder.Lstat(path)
	}
	return os.Lstat(path)
}

// open opens a regular file and returns its size.
func (f files) open(path string) (io.ReadCloser, int64, error) {
	if f.folder != nil {
		return format.OpenIn(f.folder, path)
	}
	return format.OpenFile(path)
}

// create begins a file that appears when it is complete.
func (f files) create(path string, overwrite bool) (*format.File, error) {
	if f.folder != nil {
		return format.CreateIn(f.folder, path, overwrite)
	}
	return format.CreateFile(path, overwrite)
}

// close gives the folder back.
func (f files) close() error {
	if f.folder != nil {
		return f.folder.Close()
	}
	return nil
}

// escapes reports whether os.Root has refused a path that leads out of it. Its
// error is not exported; only its text tells it from others.
func escapes(err error) bool {
	var system *fs.PathError
	return errors.As(err, &system) && system.Err.Error() == "path escapes from parent"
}

// inputName is what errors and provenance call an input.
func inputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// checkInput refuses an input that cannot be read.
func (c *call) checkInput(path string, at part) error {
	if path == "-" {
		if c.db.opts.Input == nil {
			return mistake(at, "there is no standard input to read")
		}
		return nil
	}
	if err := c.checkPath(path, at); err != nil {
		return err
	}
	info, err := c.db.files.stat(path)
	if err == nil && !info.Mode().IsRegular() {
		e := mistake(at, "file %s: %v", quote(path), format.ErrNotRegular)
		e.Err = format.ErrNotRegular
		if c.db.opts.Input != nil && !info.IsDir() { // such as a pipe
			e.Hint = "'-' reads standard input"
		}
		return e
	}
	return fileMistake(path, at, err)
}

// checkOutput refuses an output that cannot be written.
func (c *call) checkOutput(path string, overwrite bool, at part) error {
	if err := c.checkPath(path, at); err != nil {
		return err
	}
	info, err := c.db.files.lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err := c.db.files.stat(filepath.Dir(path))
		return fileMistake(path, at, err)
	case err != nil:
		return fileMistake(path, at, err)
	case !info.Mode().IsRegular():
		return fileMistake(path, at, format.ErrNotRegular)
	case !overwrite:
		e := mistake(at, "file %s exists", quote(path))
		e.Hint, e.Err = "to replace it, set the option overwrite := true", format.ErrExists
		return e
	}
	return nil
}

// checkPath refuses every file where files are switched off, and the store
// itself: writing it would destroy it, and it is no text to read.
func (c *call) checkPath(path string, at part) error {
	if c.db.opts.NoFiles {
		e := mistake(at, "file access is switched off")
		e.Err = ErrNoFiles
		return e
	}
	if path == "" {
		return mistake(at, "no file is named")
	}
	store, err := os.Stat(c.db.Path())
	if err != nil {
		return nil // the store was moved; nothing can be mistaken for it
	}
	if file, err := c.db.files.stat(path); err == nil && os.SameFile(store, file) {
		return mistake(at, "file %s is the open database itself", quote(path))
	}
	return nil
}

// fileMistake is the Error for a file that cannot be used; nil for nil.
func fileMistake(path string, at part, err error) error {
	if err == nil {
		return nil
	}
	if escapes(err) {
		e := mistake(at, "file %s is outside the folder that files are confined to", quote(path))
		e.Err = errors.Join(ErrOutside, err)
		return e
	}
	reason := err
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		reason = pathError.Err // it repeats the path, unescaped
	}
	e := mistake(at, "file %s: %v", quote(path), reason)
	e.Err = err
	return e
}

// openInput opens an input, plain or compressed, and returns its size in bytes,
// 0 where that is not known.
func (c *call) openInput(path string, at part) (io.ReadCloser, int64, error) {
	if err := c.checkInput(path, at); err != nil {
		return nil, 0, err
	}
	if path == "-" {
		return io.NopCloser(c.db.opts.Input), 0, nil
	}
	in, size, err := c.db.files.open(path)
	return in, size, fileMistake(path, at, err)
}

// writeFile writes a file that appears only when it is complete.
func (c *call) writeFile(path string, overwrite bool, write func(io.Writer) error) error {
	if err := c.checkOutput(path, overwrite, partInto); err != nil {
		return err
	}
	file, err := c.db.files.create(path, overwrite)
	if err != nil {
		return fileMistake(path, partInto, err)
	}
	defer file.Close()
	if err := write(file); err != nil {
		return err
	}
	return file.Commit()
}
