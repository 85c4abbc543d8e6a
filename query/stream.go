package query

import (
	"errors"
	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/format"
	"iter"
)

// stream is the answer of a statement whose rows are made while they are read, so
// that a long list takes no memory. It keeps the data of its call in memory until
// it is closed or read to the end.
type stream[T any] struct {
	Call *call
	// each calls f with every row, and stops with its error.
	Each func(f func(T) error) error
}

// streamOf is the answer of a call whose rows each makes.
func streamOf[T any](c *call, each func(f func(T) error) error) *stream[T] {
	c.Streaming = true
	return &stream[T]{c, each}
}

func (s *stream[T]) Close() { s.Call.Release() }

// all yields the rows, or the error that ended them, and closes the stream.
func (s *stream[T]) All(yield func(T, error) bool) {
	defer s.Close()
	err := s.Each(func(row T) error {
		if !yield(row, nil) {
			return errStopped
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStopped) {
		var none T
		yield(none, s.Call.Wrap(err))
	}
}

// collect returns all rows, unless they are more than a caller wants in memory.
func (s *stream[T]) Collect() ([]T, error) {
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

// rows lays the stream out as a table.
func (s *stream[T]) Rows(columns []string, cells func(T) []rows.Value) *rows.Rows {
	made := newRows(columns, func(yield func([]rows.Value, error) bool) {
		for row, err := range s.All {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(cells(row), nil) {
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

type graphStream[T any] struct {
	*stream[T]
	graph *session.Graph
}

// collected returns all rows of an answer and the notices of its call.
func collected[T any](found graphStream[T], err error) ([]T, []rows.Notice, error) {
	if err != nil {
		return nil, nil, err
	}
	list, err := found.Collect()
	return list, found.Call.Notices, err
}

// edgeColumns lists weight and time, if the graph has any.
func (s graphStream[T]) edgeColumns() []string {
	columns := []string{}
	if s.graph.Graph.Weighted() {
		columns = append(columns, "weight")
	}
	if s.graph.Graph.Times != nil {
		columns = append(columns, "time")
	}
	return columns
}

func (s graphStream[T]) edgeTypes(columns []string) []rows.ColumnType {
	types := typesOfNames(columns)
	for i, name := range columns {
		switch {
		case name != "time":
		case s.graph.Info.Times == format.TimeNumbers:
			types[i] = orNull(storage.Integer)
		default:
			types[i] = orNull(storage.Text)
		}
	}
	return types
}

// timeCell is the time of an edge as a cell.
func (s graphStream[T]) timeCell(t int64, timed bool) rows.Value {
	if !timed {
		return nil
	}
	return timeCell(s.graph.Info, t)
}

// iterate is the iterator over the stream that begin returns. The call begins with
// the iteration, and not before.
func iterate[T any](begin func() (*stream[T], error)) iter.Seq2[T, error] {
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

// errStopped ends a stream whose reader stops early.
var errStopped = errors.New("the reader has closed the rows")

// checkRows returns an error for an answer with more rows than Options.MaxRows.
func (c *call) CheckRows(n int) error {
	if n <= c.DB.Opts.MaxRows {
		return nil
	}
	return &fault.LimitError{What: "the answer", Need: int64(n), Limit: int64(c.DB.Opts.MaxRows), Unit: "rows", Field: "MaxRows"}
}
