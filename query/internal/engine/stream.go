package engine

import (
	"errors"
	"iter"

	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/format"
)

// Stream is the answer of a statement whose rows are made while they are read, so
// that a long list takes no memory. It keeps the data of its call in memory until
// it is closed or read to the end.
type Stream[T any] struct {
	Call *Call
	// Each calls f with every row, and stops with its error.
	Each func(f func(T) error) error
}

// StreamOf is the answer of a call whose rows each makes.
func StreamOf[T any](c *Call, each func(f func(T) error) error) *Stream[T] {
	c.Streaming = true
	return &Stream[T]{c, each}
}

// Close releases the data of the call.
func (s *Stream[T]) Close() { s.Call.Release() }

// All yields the rows, or the error that ended them, and closes the stream.
func (s *Stream[T]) All(yield func(T, error) bool) {
	defer s.Close()
	err := s.Each(func(row T) error {
		if !yield(row, nil) {
			return ErrStopped
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrStopped) {
		var none T
		yield(none, s.Call.Wrap(err))
	}
}

// Collect returns all rows, unless they are more than a caller wants in memory.
func (s *Stream[T]) Collect() ([]T, error) {
	var list []T
	for row, err := range s.All {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
		if err := s.Call.CheckRows(len(list)); err != nil {
			return nil, s.Call.Wrap(err)
		}
	}
	return list, nil
}

// Rows lays the stream out as a table.
func (s *Stream[T]) Rows(columns []string, row func(T) []rows.Value) *rows.Rows {
	made := cells.NewRows(columns, func(yield func([]rows.Value, error) bool) {
		for one, err := range s.All {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(row(one), nil) {
				return
			}
		}
	})
	made.AtEnd(func() []rows.Notice {
		defer s.Close() // closed before the first row was read
		return s.Call.Notices
	})
	return made
}

// GraphStream is a stream of rows about a graph.
type GraphStream[T any] struct {
	*Stream[T]
	Graph *session.Graph
}

// NoRows is the answer of a statement about a graph without rows.
func NoRows[T any](info storage.GraphInfo) GraphStream[T] {
	return GraphStream[T]{Graph: &session.Graph{Snapshot: &storage.Snapshot{Info: info}}}
}

// Collected returns all rows of an answer and the notices of its call.
func Collected[T any](found GraphStream[T], err error) ([]T, []rows.Notice, error) {
	if err != nil {
		return nil, nil, err
	}
	list, err := found.Collect()
	return list, found.Call.Notices, err
}

// EdgeColumns lists weight and time, if the graph has any.
func (s GraphStream[T]) EdgeColumns() []string {
	columns := []string{}
	if s.Graph.Info.Weighted {
		columns = append(columns, "weight")
	}
	if s.Graph.Info.Timed {
		columns = append(columns, "time")
	}
	return columns
}

// EdgeTypes are the types of columns, among them those of EdgeColumns.
func (s GraphStream[T]) EdgeTypes(columns []string) []rows.ColumnType {
	types := cells.TypesOfNames(columns)
	for i, name := range columns {
		switch {
		case name != "time":
		case s.Graph.Info.Times == format.TimeNumbers:
			types[i] = cells.OrNull(storage.Integer)
		default:
			types[i] = cells.OrNull(storage.Text)
		}
	}
	return types
}

// TimeCell is the time of an edge as a cell.
func (s GraphStream[T]) TimeCell(t int64, timed bool) rows.Value {
	if !timed {
		return nil
	}
	return cells.TimeCell(s.Graph.Info, t)
}

// Iterate is the iterator over the stream that begin returns. The call begins with
// the iteration, and not before.
func Iterate[T any](begin func() (*Stream[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		s, err := begin()
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		s.All(yield)
	}
}

// ErrStopped ends a stream whose reader stops early.
var ErrStopped = errors.New("the reader has closed the rows")

// CheckRows returns an error for an answer with more rows than Options.MaxRows.
func (c *Call) CheckRows(n int) error {
	if n <= c.DB.Opts.MaxRows {
		return nil
	}
	return &fault.LimitError{What: "the answer", Need: int64(n), Limit: int64(c.DB.Opts.MaxRows), Unit: "rows", Field: "MaxRows"}
}
