package query

import (
	"iter"
	"math"
	"slices"
	"strings"
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
// stay readable after DB.Close. Only the rows of SCORE FILE, NEAREST FOR, SHOW VERTICES, SHOW
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
}

// Columns returns the names of the columns; it is empty for a statement without
// a result, such as CREATE GRAPH. The slice must not be written.
func (r *Rows) Columns() []string { return r.columns }

// ColumnTypes returns the types of the columns, in the order of Columns. They are known
// before the first row is read. The slice must not be written.
func (r *Rows) ColumnTypes() []ColumnType { return r.types }

// typed sets the type of the first column with a name.
func (r *Rows) typed(column string, t ColumnType) *Rows {
	r.types[slices.Index(r.columns, column)] = t
	return r
}

// typedFrom sets the types of columns from column i on.
func (r *Rows) typedFrom(i int, types []ColumnType) *Rows {
	copy(r.types[i:], types)
	return r
}

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

// newRows returns rows that are computed by seq while they are read.
func newRows(columns []string, seq iter.Seq2[[]Value, error]) *Rows {
	next, stop := iter.Pull2(seq)
	return &Rows{columns: columns, types: typesOfNames(columns), next: next, stop: stop}
}

// rowsOf returns rows that are in memory already.
func rowsOf(columns []string, table [][]Value) *Rows {
	at := 0
	next := func() ([]Value, error, bool) {
		if at == len(table) {
			return nil, nil, false
		}
		at++
		return table[at-1], nil, true
	}
	return &Rows{columns: columns, types: typesOfNames(columns), next: next, stop: func() {}}
}

// columnsIn are the columns that a help lists.
func columnsIn(list string) []string { return strings.Split(list, ", ") }

// number is a float, or nil where it is not defined.
func number(x float64) Value { return when(!math.IsNaN(x), x) }

// none is the table of statements without a result.
func none() *Rows { return rowsOf(nil, nil) }
