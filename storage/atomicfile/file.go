package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heavytail/storage/internal/compress"
)

// Open opens a regular file for reading and returns its size in bytes. It refuses any other
// kind of path (a directory, a device, a pipe) with ErrNotRegular, because opening or reading
// some of them blocks or never ends.
func Open(path string) (io.ReadCloser, int64, error) {
	return openRegular(path, os.Stat, os.Open)
}

// OpenIn is Open for a path inside a folder. A path that leads out of the folder, by being
// absolute, by ".." or by a symbolic link, is refused with an *fs.PathError of os.Root.
func OpenIn(folder *os.Root, path string) (io.ReadCloser, int64, error) {
	return openRegular(path, folder.Stat, folder.Open)
}

func openRegular(path string, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error)) (io.ReadCloser, int64, error) {
	// The kind is checked before the file is opened, since opening a pipe waits for its writer.
	info, err := stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	file, err := open(path)
	if err != nil {
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// fileBuffer is so large that the cost of system calls and of calls of the compressor cannot be
// measured.
const fileBuffer = 1 << 18

// File is a file being written that becomes visible only when it is complete.
// It is not safe for concurrent use.
type File struct {
	path      string   // as errors name it
	dir       *os.Root // the directory of the file, even if its path changes meanwhile
	base      string   // name in dir
	tempName  string   // name in dir until Commit
	overwrite bool
	temp      *os.File       // nil after Commit or Close
	buffer    *bufio.Writer  // over temp
	encoder   io.WriteCloser // over buffer: a compressor, or plain
	err       error          // the first failed write; Commit returns it
}

// Create begins a file that Commit will put at path. It writes to a temporary file in the
// same directory, whose name begins with .heavytail-, and removes those that killed writers of
// the same path have left. Only the user may read the file (mode 0600), whatever the umask
// allows and whatever the mode of a file that it replaces. A name that ends in .gz or .zst is
// compressed with gzip or zstd, and one that ends in .bz2, .xz or .zip is refused with ErrCompression.
// An existing path gives ErrExists unless overwrite is set, and ErrNotRegular if it is not a
// regular file. Of a file with several names (hard links) only this one is replaced.
func Create(path string, overwrite bool) (*File, error) {
	return CreateIn(nil, path, overwrite)
}

// openDir opens the directory of a path, which is inside folder if that is not nil.
func openDir(folder *os.Root, path string) (*os.Root, error) {
	if folder != nil {
		return folder.OpenRoot(filepath.Dir(path))
	}
	return os.OpenRoot(filepath.Dir(path))
}

// CreateIn is Create for a path inside a folder. A path that leads out of the folder, by
// being absolute, by ".." or by a symbolic link, is refused with an *fs.PathError of os.Root.
// The folder may be closed before the file is; nil is the folder of the process.
func CreateIn(folder *os.Root, path string, overwrite bool) (*File, error) {
	dir, err := openDir(folder, path)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	f := &File{path: path, dir: dir, base: filepath.Base(path), overwrite: overwrite}
	if err := f.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("create %s: %w", path, err), dir.Close())
	}
	return f, nil
}

// begin makes the temporary file and the writers on top of it.
func (f *File) begin() error {
	if err := f.checkTarget(); err != nil {
		return err
	}
	var err error
	if f.temp, f.tempName, err = newTemp(f.dir, f.base); err != nil {
		return err
	}
	f.buffer = bufio.NewWriterSize(f.temp, fileBuffer)
	if f.encoder, err = compressor(f.path, f.buffer); err != nil {
		return errors.Join(err, f.discard())
	}
	return nil
}

// compressor returns the compressor that the ending of a name asks for, if it is one that is
// written. Its Close leaves w open.
func compressor(name string, w io.Writer) (io.WriteCloser, error) {
	if err := CheckCompression(name); err != nil {
		return nil, err
	}
	return compress.NewWriter(name, w)
}

// Compressions returns the extensions of names whose files are written compressed.
func Compressions() []string { return compress.Written() }

// CheckCompression returns an error that wraps ErrCompression for a name whose extension asks for a
// compression that is read, but not written.
func CheckCompression(name string) error {
	if ending := filepath.Ext(name); slices.Contains(compress.ReadOnly(), ending) {
		return fmt.Errorf("%s: %w: the ending %s is none of %s", name, ErrCompression, ending, strings.Join(compress.Written(), ", "))
	}
	return nil
}

// syncName makes the name of a complete file durable.
func syncName(dir *os.Root, path string) error {
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("%s is complete and has its name, which a loss of power may undo: %w", path, err)
	}
	return nil
}

// checkTarget reports early what Commit would refuse.
func (f *File) checkTarget() error {
	info, err := f.dir.Lstat(f.base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return ErrNotRegular
	case !f.overwrite:
		return ErrExists
	}
	return nil
}

// Write adds bytes to the file. Its first error is kept, and Commit returns it, too.
func (f *File) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if f.temp == nil {
		return 0, fmt.Errorf("write %s: %w", f.path, fs.ErrClosed)
	}
	n, err := f.encoder.Write(p)
	if err != nil {
		f.err = fmt.Errorf("write %s: %w", f.path, err)
	}
	return n, f.err
}

// Commit writes the buffered bytes, makes the file durable and moves it to its path in one
// step: a reader sees either the old file or the whole new one, also after a power failure.
// After an error the path holds its former content, unless only the last step failed, which
// makes the new name durable.
func (f *File) Commit() error {
	if f.err != nil {
		return errors.Join(f.err, f.Close())
	}
	if f.temp == nil {
		return fmt.Errorf("commit %s: %w", f.path, fs.ErrClosed)
	}
	err := flush(f.encoder, f.buffer, f.temp)
	if err == nil && !renamesOpen {
		err = f.temp.Close()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", f.path, err), f.Close())
	}
	if err := f.place(); err != nil {
		return errors.Join(fmt.Errorf("create %s: %w", f.path, err), f.Close())
	}
	if renamesOpen {
		closePart(f.temp) // after the file was made durable
	}
	f.temp = nil
	return errors.Join(syncName(f.dir, f.path), f.dir.Close())
}

// flush ends the compressor, if there is one, flushes the buffer and makes the file durable.
func flush(encoder io.WriteCloser, buffer *bufio.Writer, file *os.File) error {
	if encoder != nil {
		if err := encoder.Close(); err != nil {
			return err
		}
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	return file.Sync()
}

// place moves the finished temporary file to its final name.
func (f *File) place() error {
	if !f.overwrite {
		// Creating a hard link fails if the name exists; a rename would replace a file created
		// after Create had checked.
		err := f.dir.Link(f.tempName, f.base)
		if err == nil {
			return f.dir.Remove(f.tempName)
		}
		if errors.Is(err, fs.ErrExist) {
			return ErrExists
		}
		// This file system has no hard links: check, then rename.
	}
	if err := f.checkTarget(); err != nil {
		return err
	}
	return f.dir.Rename(f.tempName, f.base)
}

// Close discards the file unless it was committed, after which it does nothing.
func (f *File) Close() error {
	if f.temp == nil {
		return nil
	}
	return errors.Join(f.discard(), f.dir.Close())
}

func (f *File) discard() error {
	temp := f.temp
	f.temp = nil
	if !renamesOpen {
		_ = temp.Close() // nobody reads it
		return f.dir.Remove(f.tempName)
	}
	err := f.dir.Remove(f.tempName) // before another writer can take the name
	return errors.Join(err, closePart(temp))
}
