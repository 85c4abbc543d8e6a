package rows

import (
	"iter"
	"slices"

	"heavytail/storage"
)

// Value is one cell of a result: a string, int64, float64 or bool, or nil for
// a missing value.
type Value = any

// Rows is the result of one statement. Read it like this:
//
//	for rows.Next() {
//		use(rows.Row())
//	}
//	err := rows.Err()
//
// Rows keep no transaction of the store open, so that a slow reader blocks nobody, and they
// stay readable after query.DB.Close. Only the rows of SCORE FILE, NEAREST FOR, SHOW VERTICES, SHOW
// EDGES and SHOW NEIGHBORS are computed while they are read; they end with an error if the
// context is cancelled, and keep the graphs and vectors that they read in memory until they
// end or are closed. Rows are not safe for concurrent use.
type Rows struct {
	columns []string
	types   []ColumnType
	notices []Notice
	next    func() ([]Value, error, bool)
	stop    func()
	row     []Value
	err     error
	done    bool

	continued bool
}

// Columns returns the names of the columns; it is empty for a statement without
// a result, such as CREATE GRAPH. The slice must not be written.
func (r *Rows) Columns() []string { return r.columns }

// ColumnTypes returns the types of the columns, in the order of Columns. They are known
// before the first row is read. The slice must not be written.
func (r *Rows) ColumnTypes() []ColumnType { return r.types }

// Typed sets the type of the first column with a name.
func (r *Rows) Typed(column string, t ColumnType) *Rows {
	r.types[slices.Index(r.columns, column)] = t
	return r
}

// TypedFrom sets the types of columns from column i on.
func (r *Rows) TypedFrom(i int, types []ColumnType) *Rows {
	copy(r.types[i:], types)
	return r
}

// Continued sets what IsContinued returns.
func (r *Rows) Continued(continued bool) *Rows {
	r.continued = continued
	return r
}

// IsContinued reports whether the rows are a range of a statement that does not begin with its
// first row. INTO FILE writes them without a header, so that files of ranges can be concatenated.
func (r *Rows) IsContinued() bool { return r.continued }

// Next moves to the next row and reports whether there is one. After the last
// row, or an error, it releases the memory of the rows.
func (r *Rows) Next() bool {
	if r.done {
		return false
	}
	row, err, ok := r.next()
	if !ok || err != nil {
		r.err = err
		r.Close()
		return false
	}
	r.row = row
	return true
}

// Row returns the current row, one value for each column. The slice is valid
// until the next call of Next.
func (r *Rows) Row() []Value { return r.row }

// Err returns the error that ended the rows, or nil after the last row.
func (r *Rows) Err() error { return r.err }

// Notices returns remarks about the answer; for streamed rows the list is
// complete after the last row.
func (r *Rows) Notices() []Notice { return r.notices }

// Close releases the memory of the rows. It may be called at any time and more
// than once; rows that were read to the end are already closed.
func (r *Rows) Close() error {
	if !r.done {
		r.done, r.row = true, nil
		r.stop()
	}
	return nil
}

// New returns rows that are made while they are read, from the first call of Next.
func New(columns []string, types []ColumnType, seq iter.Seq2[[]Value, error]) *Rows {
	stop := func() {}
	r := &Rows{columns: columns, types: types, stop: func() { stop() }}
	r.next = func() ([]Value, error, bool) {
		r.next, stop = iter.Pull2(seq)
		return r.next()
	}
	return r
}

// Of returns rows that are in memory already.
func Of(columns []string, types []ColumnType, table [][]Value) *Rows {
	at := 0
	next := func() ([]Value, error, bool) {
		if at == len(table) {
			return nil, nil, false
		}
		at++
		return table[at-1], nil, true
	}
	return &Rows{columns: columns, types: types, next: next, stop: func() {}}
}

// SetNotices sets what Notices returns.
func (r *Rows) SetNotices(notices []Notice) { r.notices = notices }

// AtEnd calls f when the rows end or are closed; it returns the notices.
func (r *Rows) AtEnd(f func() []Notice) {
	end := r.stop
	r.stop = func() {
		end()
		r.notices = f()
	}
}

// ColumnType describes the values of a column of Rows, as far as the statement defines them:
// it does not depend on the rows, so that an answer without rows has the same types as
// any other. The zero value is a column whose values may have several types, such as value
// in the DESCRIBE statements.
type ColumnType struct {
	Type    storage.Type // 0 for values of several types
	NotNull bool         // no row has NULL in this column
	Bytes   bool         // the values are numbers of bytes
}
