// Package parquet reads and writes Apache Parquet by the library
// github.com/parquet-go/parquet-go. Importing it is enough:
//
//	import _ "heavytail/storage/format/parquet"
//
// A Parquet file states sizes in many places (lists of its footer, pages, runs, blocks of deltas,
// compressed frames), and the library allocates by them. Here each size is compared with the bytes
// that are there, or with a limit, before the library sees them, pages are decompressed into
// memory of the size that they state, and a panic of the library is an error like other damage.
// The memory that reading takes is at most Limits.Memory, and for the table of contents some
// hundred times the bytes of the footer, of which at most 64 MiB with a million items in lists are
// read.
//
// Files are written with data pages of version 2, PLAIN values and dictionaries of texts,
// compressed by zstd, with bounds of the values of column chunks, and with indexes of the pages
// and their bounds. The same rows give the same bytes.
//
// Read are all physical types with the logical types of numbers, texts, dates, timestamps and
// UUIDs, as columns of values or of lists of numbers or texts; all encodings; pages of both
// versions; and the codecs snappy, gzip, zstd, Brotli, LZ4 and LZ4_RAW or none. Decimals and
// half-precision numbers are numbers. Other columns are listed with the kind Other, and refused
// when they are read.
//
// Source: the specification of the format, https://github.com/apache/parquet-format.
package parquet

import (
	"io"
	"unsafe"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/inflate"
)

func init() { columnfile.Register(columnfile.Parquet, columnfile.Library{Open: open, Create: create}) }

const magic = "PAR1"

// file is a columnfile.File.
type file struct {
	in      io.ReaderAt
	size    int64 // bytes before the footer
	limits  columnfile.Limits
	meta    metadata
	columns []columnfile.Column
	leaves  []leaf // of the columns

	memory int64 // bytes of memory in use
	zstd   inflate.Zstd
	read   int64 // bytes of values decoded so far
}

func open(in io.ReaderAt, size int64, limits columnfile.Limits) (columnfile.File, error) {
	footer, at, err := columnfile.Footer(columnfile.Parquet, in, size, magic, int64(len(magic)))
	if err != nil {
		if isEncrypted(in, size) {
			err = unread("the file is encrypted")
		}
		return nil, err
	}
	f := &file{in: in, size: at, limits: limits}
	n, whole, err := recordSize(footer)
	if err != nil {
		return nil, err
	}
	if !whole || n != len(footer) {
		return nil, damaged("the footer is no record of metadata")
	}
	if err := guarded(func() error { return unmarshal(footer, &f.meta) }); err != nil {
		return nil, err
	}
	w, err := walkSchema(f.meta.Schema, limits.Columns)
	if err != nil {
		return nil, err
	}
	f.columns, f.leaves = w.columns, w.leaves
	return f, f.checkRows()
}

// isEncrypted reports whether a file begins or ends as those do whose pages or footers are encrypted.
func isEncrypted(in io.ReaderAt, size int64) bool {
	const mark = "PARE"
	var bytes [len(mark)]byte
	for _, at := range []int64{0, size - int64(len(mark))} {
		if columnfile.ReadAt(in, bytes[:], at) == nil && string(bytes[:]) == mark {
			return true
		}
	}
	return false
}

func unmarshal(record []byte, into any) error {
	if err := thrift.Unmarshal(&thrift.CompactProtocol{}, record, into); err != nil {
		return damaged("a record of the metadata is malformed: %v", err)
	}
	return nil
}

func (f *file) Rows() int64 { return f.meta.NumRows }

func (f *file) Columns() []columnfile.Column { return f.columns }

func (f *file) Entries() (entries []columnfile.Entry) {
	for _, e := range f.meta.Entries {
		entries = append(entries, columnfile.Entry(e))
	}
	return entries
}

// checkRows returns an error if the numbers of rows and values that the footer states for the
// file, its row groups and their columns do not agree: rows would be missing without a sign.
func (f *file) checkRows() error {
	rows := int64(0)
	for i, group := range f.meta.RowGroups {
		if len(group.Columns) != len(f.columns) || group.NumRows < 0 {
			return damaged("row group %d has %d columns and %d rows, and the schema %d columns", i, len(group.Columns), group.NumRows, len(f.columns))
		}
		for j, c := range group.Columns {
			if n := c.MetaData.NumValues; n < group.NumRows || n > group.NumRows && (f.leaves[j].maxRep == 0 || group.NumRows == 0) {
				return columnfile.At(damaged("it has %d values in row group %d, which has %d rows", n, i, group.NumRows), f.columns[j].Name, 0)
			}
		}
		rows += group.NumRows
	}
	if f.meta.NumRows == 0 { // as some writers leave it; then no row is missing
		f.meta.NumRows = rows
	}
	if f.meta.NumRows != rows {
		return damaged("the footer states %d rows, and the row groups have %d", f.meta.NumRows, rows)
	}
	return nil
}

// grow returns s with n items, whose content is undefined. Memory that it allocates counts
// against the limit of the file.
func grow[T any](f *file, s []T, n int) ([]T, error) {
	if n <= cap(s) {
		return s[:n], nil
	}
	var item T
	more := int64(n-cap(s)) * int64(unsafe.Sizeof(item))
	if more > f.limits.Memory-f.memory {
		return nil, limited("the pages of the file take more than %d bytes of memory", f.limits.Memory)
	}
	f.memory += more
	return make([]T, n), nil
}
