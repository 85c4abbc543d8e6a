package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"heavytail/query/fault"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/graphfile"
)

// This is the only file of the package that opens files other than the store.

// OverwriteOption is the option of every statement that writes a file.
const OverwriteOption = "overwrite"

// OpenFiles returns Files for any path, or for one folder if it is named;
// with none every file is an error. input is the reader of "-", and may be
// nil.
func OpenFiles(folder string, input io.Reader, none bool) (*Files, error) {
	f := &Files{input: input, none: none}
	if folder == "" {
		return f, nil
	}
	var err error
	if f.Folder, err = os.OpenRoot(folder); err != nil {
		return nil, fmt.Errorf("the folder for files: %w", err)
	}
	return f, nil
}

// Input makes "-" a reader of this call alone; nil leaves that of the database.
func (c *Call) Input(input io.Reader) {
	if input != nil {
		own := *c.files
		own.input = input
		c.files = &own
	}
}

// Stat describes the file that path leads to, lstat the entry at path itself.
func (f *Files) Stat(path string) (fs.FileInfo, error) {
	if f.Folder != nil {
		return f.Folder.Stat(path)
	}
	return os.Stat(path)
}

// Lstat is as Stat, but describes a symbolic link and not its target.
func (f *Files) Lstat(path string) (fs.FileInfo, error) {
	if f.Folder != nil {
		return f.Folder.Lstat(path)
	}
	return os.Lstat(path)
}

func (f *Files) open(path string) (io.ReadCloser, int64, error) {
	if f.Folder != nil {
		return atomicfile.OpenIn(f.Folder, path)
	}
	return atomicfile.Open(path)
}

// create begins a file that appears when it is complete.
func (f *Files) create(path string, overwrite bool) (*atomicfile.File, error) {
	if f.Folder != nil {
		return atomicfile.CreateIn(f.Folder, path, overwrite)
	}
	return atomicfile.Create(path, overwrite)
}

// Close closes the folder.
func (f *Files) Close() error {
	if f.Folder != nil {
		return f.Folder.Close()
	}
	return nil
}

// escapes reports whether os.Root has refused a path that leads out of it. Its
// error is not exported; only its text distinguishes it from other errors.
func escapes(err error) bool {
	var system *fs.PathError
	return errors.As(err, &system) && system.Err.Error() == "path escapes from parent"
}

// InputName is the name of an input in errors and provenance.
func InputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// CheckInput returns an error for an input that cannot be read.
func (c *Call) CheckInput(path string, at fault.Part) error {
	if path == "-" {
		if c.files.input == nil {
			return fault.New(at, "there is no standard input to read")
		}
		return nil
	}
	if err := c.CheckPath(path, at); err != nil {
		return err
	}
	info, err := c.files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		e := fault.New(at, "file %s: %v", fault.Quote(path), atomicfile.ErrNotRegular).WithErr(atomicfile.ErrNotRegular)
		if c.files.input != nil && !info.IsDir() { // such as a pipe
			e.Remedy = "'-' reads standard input"
		}
		return e
	}
	return FileMistake(path, at, err)
}

// CheckOutput returns an error for an output that cannot be written.
func (c *Call) CheckOutput(path string, overwrite bool, at fault.Part) error {
	if err := c.CheckPath(path, at); err != nil {
		return err
	}
	if form := format.ColumnarOf(path); form != "" {
		if err := CheckColumnar(form, path, at); err != nil {
			return err
		}
	}
	if err := atomicfile.CheckCompression(path); err != nil {
		return fault.New(at, "file %s: files with the ending %s are read, and not written", fault.Quote(path), filepath.Ext(path)).
			WithExpected(atomicfile.Compressions()...).WithErr(err)
	}
	if path == "-" { // standard output elsewhere, and standard input of IMPORT
		return fault.New(at, "a file appears when it is complete, so nothing is written to standard output").WithRemedy("name a file; './-' is one of that name")
	}
	info, err := c.files.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err := c.files.Stat(filepath.Dir(path))
		return FileMistake(path, at, err)
	case err != nil:
		return FileMistake(path, at, err)
	case !info.Mode().IsRegular():
		return FileMistake(path, at, atomicfile.ErrNotRegular)
	case !overwrite:
		return fault.New(at, "file %s exists", fault.Quote(path)).WithOption("to replace it", OverwriteOption, "true").WithErr(atomicfile.ErrExists)
	}
	return nil
}

// CheckColumnar returns an error if the program does not write a columnar format, and for the name of such a
// file that ends in .gz or .zst.
func CheckColumnar(form format.Columnar, path string, at fault.Part) error {
	if err := columnar.Check(form); err != nil {
		return fault.New(at, "file %s: %v", fault.Quote(path), err).WithErr(err)
	}
	ending := filepath.Ext(path)
	if !slices.Contains(atomicfile.Compressions(), ending) {
		return nil
	}
	return fault.New(at, "file %s would be %s inside of %s, which no program reads", fault.Quote(path), form.Title(), ending).
		WithRemedy("leave the ending " + ending + " out")
}

// CheckPath returns an error for every file if files are switched off, and
// for the store itself, because writing would destroy it and it cannot be
// read as text.
func (c *Call) CheckPath(path string, at fault.Part) error {
	if c.files.none {
		return fault.New(at, "file access is switched off").WithErr(fault.ErrNoFiles)
	}
	if path == "" {
		return fault.New(at, "no file is named")
	}
	store, err := os.Stat(c.store.Path())
	if err != nil {
		return nil // the store was moved, so the path cannot be the store
	}
	if file, err := c.files.Stat(path); err == nil && os.SameFile(store, file) {
		return fault.New(at, "file %s is the open database itself", fault.Quote(path))
	}
	return nil
}

// FileMistake is the Error for a file that cannot be used; nil for nil.
func FileMistake(path string, at fault.Part, err error) error {
	if err == nil {
		return nil
	}
	if escapes(err) {
		return fault.New(at, "file %s is outside the folder that files are confined to", fault.Quote(path)).
			WithErr(errors.Join(fault.ErrOutside, err))
	}
	reason := err
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		reason = pathError.Err // it repeats the path, unescaped
	}
	return fault.New(at, "file %s: %v", fault.Quote(path), reason).WithErr(err)
}

// EndingMistake is the Error for a file whose name has an unknown ending.
func EndingMistake(at fault.Part, ending *format.EndingError) *fault.Error {
	return fault.New(at, "file %s: the ending %s is not known", fault.Quote(ending.Name), fault.QuoteKey(ending.Ending)).
		WithExpected(ending.Known...).WithErr(ending)
}

// CheckEnding returns an error for a name whose ending, before .gz or .zst, is
// not in known. A name without an ending is always accepted.
func CheckEnding(path string, known []string) error {
	if ending := format.Ending(path); ending != "" && !slices.Contains(known, ending) {
		return EndingMistake(fault.Into, &format.EndingError{Name: path, Ending: ending, Known: known})
	}
	return nil
}

// Endings of files that are written in a single format.
var (
	ListEndings  = []string{".txt", ".edges", ".edgelist", ".el"}
	WalkEndings  = append([]string{".txt", ".walks"}, format.ColumnarEndings()...)
	ScoreEndings = append([]string{".csv", ".txt"}, format.ColumnarEndings()...)
)

// OpenInput opens an input, plain or compressed, and returns its size in bytes,
// 0 where that is not known.
func (c *Call) OpenInput(path string, at fault.Part) (io.ReadCloser, int64, error) {
	if err := c.CheckInput(path, at); err != nil {
		return nil, 0, err
	}
	if path == "-" {
		in, size, err := seekable(c.Ctx, c.files.input, mostKept)
		if err != nil {
			err = fmt.Errorf("%s: %w", InputName(path), err)
		}
		return in, size, err
	}
	in, size, err := c.files.open(path)
	if err == nil && c.files.Wrap != nil {
		in = wrapped{c.files.Wrap(in), in}
	}
	return in, size, FileMistake(path, at, err)
}

// mostKept is the most bytes of standard input that a temporary file keeps.
const mostKept = 64 << 30

// seekable returns an input as it is, or in a temporary file if its format needs to be read at any place, as Parquet
// does. Its size is 0 where it is not known.
func seekable(ctx context.Context, in io.Reader, most int64) (io.ReadCloser, int64, error) {
	start := make([]byte, graphfile.StartBytes)
	n, err := io.ReadFull(in, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, 0, err
	}
	in = io.MultiReader(bytes.NewReader(start[:n]), in)
	if !graphfile.NeedsFile(start[:n]) {
		return io.NopCloser(in), 0, nil
	}
	file, err := os.CreateTemp("", "heavytail-input-*")
	if err != nil {
		return nil, 0, err
	}
	kept := &temporary{file}
	_ = os.Remove(file.Name()) // now where the system allows it, so that no killed process leaves it; otherwise by Close
	size, err := copyInput(ctx, file, in, most)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, 0, errors.Join(err, kept.Close())
	}
	return kept, size, nil
}

// copyInput copies up to most bytes, until ctx ends.
func copyInput(ctx context.Context, to io.Writer, in io.Reader, most int64) (size int64, err error) {
	const part = 1 << 20
	for {
		if err := ctx.Err(); err != nil {
			return size, err
		}
		n, err := io.CopyN(to, in, part)
		switch size += n; {
		case size > most:
			return size, fmt.Errorf("%w: it is kept in a temporary file, as its format needs, and has more than %d bytes", fault.ErrLimit, most)
		case err == io.EOF:
			return size, nil
		case err != nil:
			return size, err
		}
	}
}

// temporary is a file that is removed when it is closed.
type temporary struct{ *os.File }

func (t *temporary) Close() error {
	err := t.File.Close()
	if gone := os.Remove(t.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

type wrapped struct {
	io.Reader
	io.Closer
}

// WriteFile writes a file that appears only when it is complete.
func (c *Call) WriteFile(path string, overwrite bool, write func(io.Writer) error) error {
	if err := c.CheckOutput(path, overwrite, fault.Into); err != nil {
		return err
	}
	file, err := c.files.create(path, overwrite)
	if err != nil {
		return FileMistake(path, fault.Into, err)
	}
	defer file.Close()
	if err := write(file); err != nil {
		return err
	}
	return file.Commit()
}
