package files

import (
	"io"

	"heavytail/query/internal/rowfile"
	"heavytail/query/rows"
)

// ArrowStream writes rows as a stream of Arrow IPC, as INTO FILE writes them: a column has one type, that of the
// statement or else that of the first 10,000 rows, and a later value that does not fit gives an error that
// wraps format.ErrValue. At most a batch of some 4 MiB, or the first rows, are in memory. The program must import
// heavytail/storage/format/arrow; otherwise each call gives an error that wraps format.ErrLibrary.
type ArrowStream struct{ w *rowfile.Writer }

// NewArrowStream begins a stream with columns, and as many types. Later columns of equal names get a number.
func NewArrowStream(out io.Writer, columns []string, types []rows.ColumnType) ArrowStream {
	return ArrowStream{rowfile.New(out, rowfile.ArrowStream(), columns, rowfile.TypesOf(types), nil)}
}

// Row writes a row.
func (s ArrowStream) Row(values []rows.Value) error { return s.w.Row(values) }

// Close writes what is left, and the end of the stream. It does not close the io.Writer.
func (s ArrowStream) Close() error { return s.w.Close() }
