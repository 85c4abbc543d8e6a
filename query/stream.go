package query

import (
	"errors"
	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/storage"
	"heavytail/storage/format"
	"iter"
)

// stream is the answer of a statement whose rows are made while they are read, so
// that a long list takes no memory. It keeps the data of its call in memory until
// it is closed or read to the end.
type stream[T any] struct {
	call *call
	// each calls f with every row, and stops with its error.
	each func(f func(T) error) error
}

// streamOf is the answer of a call whose rows each makes.
func streamOf[T any](c *call, each func(f func(T) error) error) *stream[T] {
	c.streaming = true
	return &stream[T]{c, each}
}

func (s *stream[T]) close() { s.call.Release() }

// all yields the rows, or the error that ended them, and closes the stream.
func (s *stream[T]) all(yield func(T, error) bool) {
	defer s.close()
	err := s.each(func(row T) error {
		if !yield(row, nil) {
			return errStopped
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStopped) {
		var none T
		yield(none, s.call.wrap(err))
	}
}

// collect returns all rows, unless they are more than a caller wants in memory.
func (s *stream[T]) collect() ([]T, error) {
	var list []T
	for row, err := range s.all {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
		if err := s.call.checkRows(len(list)); err != nil {
			return nil, s.call.wrap(err)
		}
	}
	return list, nil
}

// rows lays the stream out as a table.
func (s *stream[T]) rows(columns []string, cells func(T) []Value) *Rows {
	rows := newRows(columns, func(yield func([]Value, error) bool) {
		for row, err := range s.all {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(cells(row), nil) {
				return
			}
		}
	})
	end := rows.stop
	rows.stop = func() {
		end()
		rows.notices = s.call.Notices
		s.close() // closed before the first row was read
	}
	return rows
}

type graphStream[T any] struct {
	*stream[T]
	graph *session.Graph
}

// collected returns all rows of an answer and the notices of its call.
func collected[T any](found graphStream[T], err error) ([]T, []Notice, error) {
	if err != nil {
		return nil, nil, err
	}
	list, err := found.collect()
	return list, found.call.Notices, err
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

func (s graphStream[T]) edgeTypes(columns []string) []ColumnType {
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
func (s graphStream[T]) timeCell(t int64, timed bool) Value {
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
		s.all(yield)
	}
}

// errStopped ends a stream whose reader stops early.
var errStopped = errors.New("the reader has closed the rows")

// checkRows returns an error for an answer with more rows than Options.MaxRows.
func (c *call) checkRows(n int) error {
	if n <= c.db.opts.MaxRows {
		return nil
	}
	return &fault.LimitError{What: "the answer", Need: int64(n), Limit: int64(c.db.opts.MaxRows), Unit: "rows", Field: "MaxRows"}
}
