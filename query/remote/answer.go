package remote

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"heavytail/query"
	"heavytail/query/internal/wire"
	"heavytail/query/rows"
)

// answer is the answer to one statement, which has the connection until its end.
type answer struct {
	conn    *conn
	put     func(*conn) // gives the connection back
	request query.Request

	ctx    context.Context
	watch  func() bool           // stops the watch of the context
	fed    chan struct{}         // closed when the input is sent; nil without
	broken atomic.Pointer[error] // of reading the input
	ended  bool                  // the last frame was read

	notices []rows.Notice
}

// run sends the statement, and reads the answer up to its first rows.
func (a *answer) run(ctx context.Context, m *wire.Message) (*rows.Rows, error) {
	if err := a.conn.send(m); err != nil {
		a.conn.net.Close()
		return nil, err
	}
	a.watch = context.AfterFunc(ctx, func() { a.conn.cancel(m.ID) })
	first, err := a.next()
	for err == nil && first.Columns == nil && first.End == nil {
		first, err = a.next()
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a.rows(first), nil
}

// feed sends the input.
func (a *answer) feed(id int64) {
	defer close(a.fed)
	const part = 256 << 10
	buffer := make([]byte, part)
	for {
		n, err := a.request.Input.Read(buffer)
		if n > 0 && a.conn.send(&wire.Message{ID: id, Data: buffer[:n]}) != nil {
			return
		}
		switch err {
		case nil:
		case io.EOF:
			_ = a.conn.send(&wire.Message{ID: id, Last: true}) // the error also comes with the next read
			return
		default:
			a.broken.Store(&err)
			a.conn.cancel(id) // the server must not take the part for the whole
			return
		}
	}
}

// next reads a frame, and passes progress and notices on. Its error is that of the connection or of the
// statement, after which the answer has ended.
func (a *answer) next() (*wire.Frame, error) {
	for {
		f, err := a.conn.next()
		if err == nil {
			a.note(f.Notices)
		}
		switch {
		case err != nil && a.ctx.Err() != nil:
			return nil, fmt.Errorf("%w: %w", a.ctx.Err(), err)
		case err != nil && a.broken.Load() != nil:
			return nil, fmt.Errorf("%w: %w", *a.broken.Load(), err)
		case err != nil:
			return nil, err
		case f.Progress != nil:
			if a.request.Progress != nil {
				a.request.Progress(f.Progress.Of())
			}
			continue
		case f.Input:
			if a.request.Input != nil && a.fed == nil {
				a.fed = make(chan struct{})
				go a.feed(f.ID)
			}
			continue
		}
		a.ended = f.End != nil || f.Error != nil
		if f.Error == nil || f.Columns != nil || f.Rows != nil {
			return f, nil // or only notices
		}
		if broken := a.broken.Load(); broken != nil {
			return nil, *broken // the server knows only that the statement was cancelled
		}
		return nil, f.Error.Err()
	}
}

// note keeps notices, and passes them on.
func (a *answer) note(notices []rows.Notice) {
	a.notices = append(a.notices, notices...)
	if a.request.Notice == nil {
		return
	}
	for _, n := range notices {
		a.request.Notice(n)
	}
}

// close gives the connection back, or closes it where the answer was not read to its end.
func (a *answer) close() {
	if a.conn == nil {
		return
	}
	c := a.conn
	a.conn = nil
	if !a.watch() || !a.ended || a.feeding() {
		c.net.Close() // after a cancellation its line may still come
		return
	}
	a.put(c)
}

// feeding reports whether input is still being sent.
func (a *answer) feeding() bool {
	if a.fed == nil {
		return false
	}
	select {
	case <-a.fed:
		return false
	default:
		return true
	}
}

// rows returns the rows of the answer, of which the first frame is read.
func (a *answer) rows(first *wire.Frame) *rows.Rows {
	names, types := wire.Table(first.Columns)
	if first.End != nil && checked(first, names) == nil {
		a.close()
		table := make([][]rows.Value, len(first.Rows))
		for i, row := range first.Rows {
			table[i] = wire.Row(row)
		}
		r := rows.Of(names, types, table).Continued(first.Continued)
		r.SetNotices(a.notices)
		return r
	}
	r := rows.New(names, types, func(yield func([]rows.Value, error) bool) {
		for f := first; ; {
			if err := checked(f, names); err != nil {
				yield(nil, err)
				return
			}
			for _, row := range f.Rows {
				if !yield(wire.Row(row), nil) {
					return
				}
			}
			err := f.Error.Err()
			if f.End != nil {
				return
			}
			if err == nil {
				f, err = a.next()
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}).Continued(first.Continued)
	r.AtEnd(func() []rows.Notice {
		a.close()
		return a.notices
	})
	return r
}

// checked returns an error for a frame whose rows do not fit the columns.
func checked(f *wire.Frame, names []string) error {
	for _, row := range f.Rows {
		if len(row) != len(names) {
			return fmt.Errorf("%w: a row has %d values for %d columns", ErrRequest, len(row), len(names))
		}
	}
	return nil
}
