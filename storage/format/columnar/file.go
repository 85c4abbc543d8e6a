package columnar

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// Error reports a fault in a columnar file and its place. It wraps format.ErrDamaged if the file
// violates the format, format.ErrLimit if a limit was exceeded, format.ErrLibrary if the program does not read
// the format, and otherwise format.ErrSyntax.
type Error struct {
	File   string // name of the input, as the options call it; may be empty
	Column string // empty if the fault is not in one column
	Row    int64  // 1 for the first row; 0 if the fault is not in one row
	Reason string
	Kind   error
}

func (e *Error) Error() string {
	where := fault.Input(e.File)
	if e.Row > 0 {
		where += fmt.Sprintf(": row %d", e.Row)
	}
	if e.Column != "" {
		where += ": column " + excerpt.Of([]byte(e.Column))
	}
	return where + ": " + e.Reason
}

func (e *Error) Unwrap() error { return e.Kind }

// Check returns an error that wraps format.ErrLibrary if the program does not read and write a format.
func Check(form format.Columnar) error { return columnfile.Check(columnfile.Form(form)) }

// RandomReader is the input from which columnar files are read, such as an *os.File: the footer at
// the end of the file contains the positions of all data.
type RandomReader interface {
	io.ReaderAt
	io.Seeker
}

// maxColumnarMemory is the most memory that values of a columnar file use while it is read. Of Parquet
// one page and the dictionary of each column that is read are in memory, which is a few MiB for the
// usual pages of 1 MiB, and of Arrow these columns of one batch, and their dictionaries.
const maxColumnarMemory = 1 << 30

// File is a columnar file that is open for reading.
type File struct {
	file columnfile.File
	form format.Columnar
	ctx  context.Context
	in   RandomReader
	size int64
	opts *format.EdgeListOptions // with defaults
}

// Open returns the input as a columnar file if it is to be read as one: if the layout
// or the extension requires it, or if the layout is to be detected and the input begins like
// one. For other inputs it returns nil.
func Open(ctx context.Context, r io.Reader, opts format.Options) (*File, error) {
	open := opts.Layout == "" || opts.Layout == format.LayoutAuto || opts.Layout == format.LayoutVertices
	named := format.ColumnarOf(opts.Name)
	if !open {
		if named = formOf(opts.Layout); named == "" {
			return nil, nil
		}
	}
	in, random := r.(RandomReader)
	start := make([]byte, columnfile.MaxStart)
	if random {
		n, _ := in.ReadAt(start, 0) // a pipe does not support ReadAt
		start = start[:n]
	}
	begins := format.Columnar(columnfile.FormOf(start))
	form := cmp.Or(named, begins)
	if form == "" {
		return nil, nil
	}
	if layoutIn(named) == format.LayoutArrow && layoutIn(begins) == format.LayoutArrow {
		form = begins // of the two forms of Arrow, the bytes say which one it is
	}
	edges := opts.EdgeListOptions.WithDefaults()
	if !random {
		return nil, Streamed(opts.Name, form)
	}
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", fault.Input(opts.Name), err)
	}
	if strings.HasPrefix(string(start), "\x1f\x8b") || strings.HasPrefix(string(start), "\x28\xb5\x2f\xfd") {
		return nil, &Error{File: opts.Name, Reason: form.Title() + " is not read from inside another compression; it has its own", Kind: format.ErrSyntax}
	}
	columns := opts.WithDefaults().MaxColumns
	f := &File{form: form, ctx: ctx, in: in, size: size, opts: &edges}
	f.file, err = columnfile.Open(columnfile.Form(form), in, size, columnfile.Limits{Memory: maxColumnarMemory, Bytes: edges.MaxBytes, Columns: columns})
	if err != nil {
		return nil, f.fault(err)
	}
	return f, nil
}

// Streamed returns the error for a columnar file that is not in a RandomReader.
func Streamed(name string, form format.Columnar) error {
	return &Error{File: name, Reason: form.Title() + " is read from a file, not from a stream", Kind: format.ErrSyntax}
}

// fault adds the name of the file to an error of package columnfile, and replaces its kind by
// the kind of this package.
func (f *File) fault(err error) error {
	var at *columnfile.Error
	if !errors.As(err, &at) {
		return fmt.Errorf("reading %s: %w", fault.Input(f.opts.Name), err)
	}
	kind := format.ErrSyntax
	switch at.Kind {
	case columnfile.ErrDamaged:
		kind = format.ErrDamaged
	case columnfile.ErrLimit:
		kind = format.ErrLimit
	case columnfile.ErrLibrary:
		kind = format.ErrLibrary
	}
	row := at.Row
	if row > 0 {
		row++ // the row that could not be read
	}
	return &Error{f.opts.Name, at.Column, row, at.Reason, kind}
}

// unfit returns the error for a column whose type does not fit its use; what is the reason.
func (f *File) unfit(column int, what string) error {
	c := f.file.Columns()[column]
	return &Error{File: f.opts.Name, Column: c.Name, Reason: fmt.Sprintf("it is %s, and %s", article(c.Kind.String()), what), Kind: format.ErrSyntax}
}

func article(noun string) string {
	switch {
	case strings.HasPrefix(noun, "a "):
		return noun
	case strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}

func (f *File) names() []string {
	var names []string
	for _, c := range f.file.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// each calls row for every row of some columns.
func (f *File) each(stats *reading.Stats, columns []int, row func(rows columnfile.Rows) error) error {
	rows, err := f.file.Read(columns...)
	if err != nil {
		return f.fault(err)
	}
	for rows.Next() {
		stats.Lines++
		if stats.Lines%writing.CheckEvery == 0 {
			if err := f.ctx.Err(); err != nil {
				return fmt.Errorf("reading %s: %w", fault.Input(f.opts.Name), err)
			}
			f.report(rows.Row())
		}
		if f.opts.MaxLines > 0 && stats.Lines > f.opts.MaxLines {
			return &Error{File: f.opts.Name, Row: stats.Lines, Reason: fmt.Sprintf("there are more than %d rows", f.opts.MaxLines), Kind: format.ErrLimit}
		}
		if err := row(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return f.fault(err)
	}
	stats.Bytes = f.size
	f.report(f.file.Rows())
	return f.sum(stats)
}

// report reports the progress in bytes of the file, estimated from the row number.
func (f *File) report(row int64) {
	if f.opts.Progress != nil && f.file.Rows() > 0 {
		f.opts.Progress("reading", int64(float64(f.size)*min(1, float64(row)/float64(f.file.Rows()))), f.size)
	}
}

func (f *File) sum(stats *reading.Stats) error {
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(f.in, 0, f.size)); err != nil {
		return fmt.Errorf("reading %s: %w", fault.Input(f.opts.Name), err)
	}
	hash.Sum(stats.SHA256[:0])
	return nil
}

// bad ends the read at a malformed row, or counts it under SkipBad.
func (f *File) bad(stats *reading.Stats, column int, text string, args ...any) error {
	err := &Error{f.opts.Name, f.file.Columns()[column].Name, stats.Lines, fmt.Sprintf(text, args...), format.ErrSyntax}
	if !f.opts.SkipBad {
		return err
	}
	stats.Skip(&format.LineError{File: f.opts.Name, Line: stats.Lines, Column: column + 1, Reason: err.Reason, Kind: format.ErrSyntax})
	return nil
}

// layoutIn is the layout of edges in a format; empty for no format.
func layoutIn(c format.Columnar) format.Layout {
	switch c {
	case format.Parquet:
		return format.LayoutParquet
	case format.Arrow, format.ArrowStream:
		return format.LayoutArrow
	}
	return ""
}

// formOf is the format of a layout of edges; empty if the layout has none.
func formOf(l format.Layout) format.Columnar {
	for _, form := range format.Columnars() {
		if layoutIn(form) == l {
			return form
		}
	}
	return ""
}

// Layout is the layout that a file is read in if another one is asked for: that of its edges, or format.LayoutVertices.
func (f *File) Layout(asked format.Layout) format.Layout {
	if asked == format.LayoutVertices {
		return asked
	}
	return layoutIn(f.form)
}
