package query

import (
	"iter"
	"slices"
	"strings"

	"heavytail/query/internal/session"
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

// none is the table of statements without a result.
func none() *Rows { return rowsOf(nil, nil) }

// ColumnType describes the values of a column of Rows, as far as the statement defines them:
// it does not depend on the rows, so that an answer without rows has the same types as
// any other. The zero value is a column whose values may have several types, such as value
// in the DESCRIBE statements.
type ColumnType struct {
	Type    storage.Type // 0 for values of several types
	NotNull bool         // no row has NULL in this column
}

func orNull(t storage.Type) ColumnType { return ColumnType{Type: t} }

func always(t storage.Type) ColumnType { return ColumnType{t, true} }

// typeOfName returns the type of the columns whose name has the same meaning in most
// statements. A statement that uses a name for something else, or that names columns by
// attributes, sets the types of its Rows.
func typeOfName(name string) ColumnType {
	switch name {
	case "vertex", "source", "target", "graph", "object", "attribute", "type", "file", "metric", "step", "detail", "item",
		"text", "statement", "syntax", "summary", "property", "where", "fault", "remedy", "refresh", "made", "modified",
		"state", "stage", "generator", "scorer", "values", "reads", "likelier", "terms", "kind", "reason", "option",
		"class", "model", "negatives", "name":
		return always(storage.Text)
	case "embedding", "method", "measure", "weights", "options", "error", "result", "created", "auto", "best_single":
		return orNull(storage.Text)
	case "vertices", "degree", "dim", "dimension", "job", "deleted", "edges_deleted", "inserted", "updated", "unchanged",
		"before", "after", "from", "to", "bytes", "limit", "duplicates", "self_loops", "skipped", "unknown", "missing",
		"generation", "links", "top", "computed", "trial", "train", "touched", "versions", "records", "pairs", "rank",
		"vectors", "sources", "checkpoint", "edges", "walks", "test":
		return always(storage.Integer)
	case "rows", "version", "behind", "changed", "memory", "peak", "m", "ef_construction", "ef", "xmin", "items":
		return orNull(storage.Integer)
	case "distance", "similarity", "relative", "weight", "fraction", "epsilon", "radius":
		return always(storage.Float)
	case "seconds", "score", "residual", "mean_drift", "max_drift", "stored", "full", "progress", "remaining", "recall",
		"lowest", "poor", "auc", "average_precision", "brier", "calibration_error", "best_single_auc", "precision", "f1",
		"hits", "auc_deviation", "average_precision_deviation", "null_auc", "null_average_precision", "auc_low",
		"auc_high", "best_single_null_auc", "map", "map_low",
		"map_high", "behind_low", "behind_high", "recall_low", "recall_high", "ndcg", "ndcg_low", "ndcg_high", "mrr",
		"hit_rate", "coverage", "popular", "pearson", "spearman", "kendall", "alpha", "ks", "min", "mean", "max",
		"micro_f1", "micro_f1_deviation", "macro_f1", "macro_f1_deviation", "accuracy", "accuracy_deviation",
		"f1_deviation", "bytes_each":
		return orNull(storage.Float)
	case "confirmed":
		return always(storage.Boolean)
	}
	return ColumnType{}
}

func typesOfNames(columns []string) []ColumnType {
	return ofEach(columns, typeOfName)
}

// typesOfAttributes returns the types of columns with attributes of a graph, or its degree.
func typesOfAttributes(graph storage.GraphInfo, names []string) []ColumnType {
	types := make([]ColumnType, len(names))
	for i, name := range names {
		a, _ := session.AttributeOf(graph, name)
		if types[i] = orNull(a.Type); name == "degree" {
			types[i] = typeOfName(name)
		}
	}
	return types
}

func scoreTypes(scorers int) []ColumnType {
	return slices.Repeat([]ColumnType{orNull(storage.Float)}, scorers)
}
