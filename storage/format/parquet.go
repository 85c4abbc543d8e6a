package format

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

// ParquetError reports a fault in a Parquet file and its place. It wraps ErrDamaged if the file
// violates the format, ErrLimit if a limit was exceeded, ErrLibrary if the program reads no
// Parquet, and otherwise ErrSyntax.
type ParquetError struct {
	File   string // name of the input, as the options call it; may be empty
	Column string // empty if the fault is not in one column
	Row    int64  // 1 for the first row; 0 if the fault is not in one row
	Reason string
	Kind   error
}

func (e *ParquetError) Error() string {
	where := nameOr(e.File)
	if e.Row > 0 {
		where += fmt.Sprintf(": row %d", e.Row)
	}
	if e.Column != "" {
		where += ": column " + excerpt.Of([]byte(e.Column))
	}
	return where + ": " + e.Reason
}

func (e *ParquetError) Unwrap() error { return e.Kind }

// CheckParquet returns an error that wraps ErrLibrary if the program reads and writes no Parquet.
func CheckParquet() error { return columnfile.Check() }

// RandomReader is the input from which Parquet is read, such as an *os.File: the footer at the
// end of the file contains the positions of all data.
type RandomReader interface {
	io.ReaderAt
	io.Seeker
}

// maxParquetMemory is the most memory that pages of a Parquet file use while it is read. One
// page and the dictionary of each column that is read are in memory; for a file with the usual
// pages of 1 MiB that is a few MiB.
const maxParquetMemory = 1 << 30

type parquetFile struct {
	columnfile.File
	ctx  context.Context
	in   RandomReader
	size int64
	opts *EdgeListOptions // with defaults
}

// openParquet returns the input as a Parquet file if it is to be read as Parquet: if the layout
// or the extension requires it, or if the layout is to be detected and the input begins like
// Parquet. For other inputs it returns nil.
func openParquet(ctx context.Context, r io.Reader, opts Options) (*parquetFile, error) {
	named := opts.Layout == LayoutParquet || Ending(opts.Name) == parquetEnding && (opts.Layout == "" || opts.Layout == LayoutAuto || opts.Layout == LayoutVertices)
	in, random := r.(RandomReader)
	if random {
		start := make([]byte, len("PAR1"))
		n, _ := in.ReadAt(start, 0) // a pipe does not support ReadAt
		if begins := columnfile.IsFile(start[:n]); !named && (!begins || opts.Layout != "" && opts.Layout != LayoutAuto && opts.Layout != LayoutVertices) {
			return nil, nil
		}
	} else if !named {
		return nil, nil
	}
	edges := opts.EdgeListOptions.withDefaults()
	wrong := func(kind error, reason string) error {
		return &ParquetError{File: opts.Name, Reason: reason, Kind: kind}
	}
	if !random {
		return nil, streamedParquet(opts.Name)
	}
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", nameOr(opts.Name), err)
	}
	start := make([]byte, 4)
	n, _ := in.ReadAt(start, 0)
	if strings.HasPrefix(string(start[:n]), "\x1f\x8b") || strings.HasPrefix(string(start[:n]), "\x28\xb5\x2f\xfd") {
		return nil, wrong(ErrSyntax, "Parquet is not read from inside another compression; its pages are compressed already")
	}
	columns := cmp.Or(opts.MaxColumns, defaultMaxColumns)
	f := &parquetFile{ctx: ctx, in: in, size: size, opts: &edges}
	f.File, err = columnfile.Open(in, size, columnfile.Limits{Memory: maxParquetMemory, Bytes: edges.MaxBytes, Columns: columns})
	if err != nil {
		return nil, f.fault(err)
	}
	return f, nil
}

// streamedParquet returns the error for Parquet that is not in a RandomReader.
func streamedParquet(name string) error {
	return &ParquetError{File: name, Reason: "Parquet is read from a file, not from a stream, as its table of contents is at its end", Kind: ErrSyntax}
}

// fault adds the name of the file to an error of package columnfile, and replaces its kind by
// the kind of this package.
func (f *parquetFile) fault(err error) error {
	var at *columnfile.Error
	if !errors.As(err, &at) {
		return fmt.Errorf("reading %s: %w", nameOr(f.opts.Name), err)
	}
	kind := ErrSyntax
	switch at.Kind {
	case columnfile.ErrDamaged:
		kind = ErrDamaged
	case columnfile.ErrLimit:
		kind = ErrLimit
	case columnfile.ErrLibrary:
		kind = ErrLibrary
	}
	row := at.Row
	if row > 0 {
		row++ // the row that could not be read
	}
	return &ParquetError{f.opts.Name, at.Column, row, at.Reason, kind}
}

// unfit returns the error for a column whose type does not fit its use; what is the reason.
func (f *parquetFile) unfit(column int, what string) error {
	c := f.Columns()[column]
	return &ParquetError{File: f.opts.Name, Column: c.Name, Reason: fmt.Sprintf("it is %s, and %s", article(c.Kind.String()), what), Kind: ErrSyntax}
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

func (f *parquetFile) names() []string {
	var names []string
	for _, c := range f.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// each calls row for every row of some columns.
func (f *parquetFile) each(stats *ReadStats, columns []int, row func(rows columnfile.Rows) error) error {
	rows, err := f.Read(columns...)
	if err != nil {
		return f.fault(err)
	}
	for rows.Next() {
		stats.Lines++
		if stats.Lines%writeCheck == 0 {
			if err := f.ctx.Err(); err != nil {
				return fmt.Errorf("reading %s: %w", nameOr(f.opts.Name), err)
			}
			f.report(rows.Row())
		}
		if f.opts.MaxLines > 0 && stats.Lines > f.opts.MaxLines {
			return &ParquetError{File: f.opts.Name, Row: stats.Lines, Reason: fmt.Sprintf("there are more than %d rows", f.opts.MaxLines), Kind: ErrLimit}
		}
		if err := row(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return f.fault(err)
	}
	stats.Bytes = f.size
	f.report(f.Rows())
	return f.sum(stats)
}

// report reports the progress in bytes of the file, estimated from the row number.
func (f *parquetFile) report(row int64) {
	if f.opts.Progress != nil && f.Rows() > 0 {
		f.opts.Progress("reading", int64(float64(f.size)*min(1, float64(row)/float64(f.Rows()))), f.size)
	}
}

func (f *parquetFile) sum(stats *ReadStats) error {
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(f.in, 0, f.size)); err != nil {
		return fmt.Errorf("reading %s: %w", nameOr(f.opts.Name), err)
	}
	hash.Sum(stats.SHA256[:0])
	return nil
}

// bad ends the read at a malformed row, or counts it under SkipBad.
func (f *parquetFile) bad(stats *ReadStats, column int, format string, args ...any) error {
	err := &ParquetError{f.opts.Name, f.Columns()[column].Name, stats.Lines, fmt.Sprintf(format, args...), ErrSyntax}
	if !f.opts.SkipBad {
		return err
	}
	stats.skip(&LineError{f.opts.Name, stats.Lines, column + 1, err.Reason, ErrSyntax})
	return nil
}

func keyKind(k columnfile.Kind) bool {
	return k == columnfile.Text || k == columnfile.Integer || k == columnfile.Unsigned
}

func numberKind(k columnfile.Kind) bool {
	return k == columnfile.Float || k == columnfile.Double || k == columnfile.Integer || k == columnfile.Unsigned
}

func timeKind(k columnfile.Kind) bool {
	return k == columnfile.Integer || k == columnfile.Text || k == columnfile.Days || stampUnit(k) > 0
}

// stampUnit returns the number of a timestamp's units per second; 0 for other kinds.
func stampUnit(k columnfile.Kind) int64 {
	switch k {
	case columnfile.Millis:
		return 1e3
	case columnfile.Micros:
		return 1e6
	case columnfile.Nanos:
		return 1e9
	}
	return 0
}

// key appends a key as text, or returns the reason why the value is not a key.
func (f *parquetFile) key(rows columnfile.Rows, i, column int, dst []byte) (key []byte, reason string) {
	if rows.Missing(i) {
		return dst, "the key is missing"
	}
	switch f.Columns()[column].Kind {
	case columnfile.Text:
		dst = append(dst, rows.Text(i)...)
	case columnfile.Unsigned:
		dst = strconv.AppendUint(dst, uint64(rows.Integer(i)), 10)
	default:
		dst = strconv.AppendInt(dst, rows.Integer(i), 10)
	}
	if len(dst) > f.opts.MaxKey {
		return dst, fmt.Sprintf("key %s has %d bytes, the limit is %d", excerpt.Of(dst), len(dst), f.opts.MaxKey)
	}
	if f := fault.OfEncoding(dst); len(dst) == 0 || f.Found() {
		return dst, "key " + excerpt.Of(dst) + " is empty, not UTF-8, or has a NUL"
	}
	return dst, ""
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
