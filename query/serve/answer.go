package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/internal/wire"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage"
)

const (
	batchBytes = 32 << 10               // of a frame with rows
	batchTime  = 100 * time.Millisecond // after which rows are sent that are made slowly
)

// answer is the work of one statement.
type answer struct {
	service *service
	out     *output
	stopped *atomic.Bool // the server has cancelled it, to stop
	message *wire.Message
	frames  frames
}

// run runs the statement and writes its frames. It calls ended before the last one, after which the client may
// use the id again.
func (a *answer) run(ctx context.Context, input io.Reader, ended func()) {
	a.frames.begin()
	err := a.execute(ctx, input)
	if err != nil && a.stopped.Load() {
		err = fmt.Errorf("%w: %w", wire.ErrStopped, err)
	}
	ended()
	a.frames.end(err)
}

// execute runs the statement, when it is its turn, and adds its rows to the frames.
func (a *answer) execute(ctx context.Context, input io.Reader) error {
	m, f := a.message, &a.frames
	select {
	case a.service.slots <- struct{}{}:
		defer func() { <-a.service.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if len(m.Plot) > 0 {
		return a.draw(ctx)
	}
	r := query.Request{
		Source:   parser.Source{Text: m.Statement, Pos: parser.Pos{Offset: m.Offset, Line: m.Line, Column: m.Column}},
		ReadOnly: m.ReadOnly, Input: input, Progress: func(rows.Progress) {}, Notice: f.notice,
	}
	if m.Progress {
		r.Progress = func(p rows.Progress) { a.out.trySend(line(wire.Frame{ID: m.ID, Progress: wire.ProgressOf(p)})) }
	}
	if len(m.Params) > 0 {
		r.Params = make(map[string]any, len(m.Params))
		for name, value := range m.Params {
			r.Params[name] = value.Value
		}
	}
	table, err := a.service.db.Execute(ctx, r)
	if err != nil {
		return err
	}
	defer table.Close()
	f.columns(table)
	if m.Format == wire.Objects {
		f.names = table.Columns()
	}
	add, finish := f.row, func() error { return nil }
	if m.Format == wire.Arrow && len(table.Columns()) > 0 {
		add, finish = f.arrow(table)
	}
	for most := a.service.opts.MaxRows; table.Next(); {
		if most > 0 && f.count == most {
			return &fault.LimitError{What: "the answer", Need: f.count + 1, Limit: most, Unit: "rows", Field: "MaxRows"}
		}
		if err := add(table.Row()); err != nil {
			return err
		}
		if f.count&0xFF == 0 {
			if err := ctx.Err(); err != nil { // rows in memory do not end with the context
				return err
			}
		}
	}
	if err := errors.Join(table.Err(), finish()); err != nil {
		return err
	}
	for _, n := range table.Notices() {
		if !slices.Contains(f.said, n) { // of a statement that was not noticed at once, such as HELP
			f.notice(n)
		}
	}
	return nil
}

// pictureBytes are those of a picture in one row.
const pictureBytes = 16 << 10

// draw adds the picture that the message asks for, as rows with its parts.
func (a *answer) draw(ctx context.Context) error {
	m, f := a.message, &a.frames
	picture, notices, err := a.service.opts.Draw(ctx, m.Plot, m.Picture)
	if err != nil {
		return err
	}
	f.columns(rows.Of([]string{"picture"}, []rows.ColumnType{{Type: storage.Text, NotNull: true}}, nil))
	for part := range slices.Chunk(picture, pictureBytes) {
		if err := f.row([]rows.Value{string(part)}); err != nil {
			return err
		}
	}
	for _, n := range notices {
		f.notice(n)
	}
	return nil
}

// frames builds the frames of one table.
type frames struct {
	out     *output
	id      int64
	names   []string      // of the columns, for objects; nil for arrays
	count   int64         // rows
	said    []rows.Notice // all notices so far
	waiting []rows.Notice // those for the next frame

	buffer []byte    // the frame that is not sent yet
	began  time.Time // when its first row came
	rows   bool      // it has rows
}

func (f *frames) begin() {
	f.buffer = strconv.AppendInt(append(f.buffer[:0], `{"id":`...), f.id, 10)
	f.rows = false
}

// member adds a value to the frame.
func (f *frames) member(name string, value any) {
	f.close()
	f.buffer = append(f.buffer, `,"`+name+`":`...)
	f.buffer = append(f.buffer, marshal(value)...)
}

// close ends the list of rows.
func (f *frames) close() {
	if f.rows {
		f.buffer, f.rows = append(f.buffer, ']'), false
	}
}

func (f *frames) columns(r *rows.Rows) {
	if len(r.Columns()) > 0 {
		f.member("columns", wire.ColumnsOf(r))
	}
	if r.IsContinued() {
		f.member("continued", true)
	}
}

// notice keeps a notice for the next frame, or sends it at once if it comes before the work.
func (f *frames) notice(n rows.Notice) {
	f.said = append(f.said, n)
	if n.Early {
		f.out.send(line(wire.Frame{ID: f.id, Notices: []rows.Notice{n}}))
		return
	}
	f.waiting = append(f.waiting, n)
}

var errClosed = errors.New("the client has closed the connection")

// row adds a row, and sends the frame if it is long enough or old enough.
func (f *frames) row(row []rows.Value) (err error) {
	if f.rows {
		f.buffer = append(f.buffer, ',')
	} else {
		f.buffer, f.rows, f.began = append(f.buffer, `,"rows":[`...), true, time.Now()
	}
	before := len(f.buffer)
	if f.buffer, err = wire.AppendRow(f.buffer, f.names, row); err != nil {
		f.buffer = append(f.buffer[:before], "null"...)
		return fmt.Errorf("row %d: %w", f.count+1, err)
	}
	f.count++
	if len(f.buffer) < batchBytes && time.Since(f.began) < batchTime {
		return nil
	}
	f.close()
	f.buffer = append(f.buffer, "}\n"...)
	if !f.out.send(f.buffer) {
		return errClosed
	}
	f.begin()
	return nil
}

// end sends the rest, with the end or an error.
func (f *frames) end(err error) {
	if len(f.waiting) > 0 {
		f.member("notices", f.waiting)
	}
	if err != nil {
		f.member("error", wire.ErrorOf(err))
	} else {
		f.member("end", wire.End{Rows: f.count})
	}
	f.out.send(append(f.buffer, "}\n"...))
}

// arrow returns functions that add a row to a stream of Arrow, and end the stream. A batch of the stream, of at
// most some 4 MiB, is in memory.
func (f *frames) arrow(table *rows.Rows) (add func([]rows.Value) error, finish func() error) {
	var waiting bytes.Buffer
	stream := files.NewArrowStream(&waiting, table.Columns(), table.ColumnTypes())
	send := func() error {
		if waiting.Len() == 0 {
			return nil
		}
		f.buffer = strconv.AppendInt(append(f.buffer, `,"arrow":`...), int64(waiting.Len()), 10)
		f.buffer = append(append(f.buffer, "}\n"...), waiting.Bytes()...)
		waiting.Reset()
		if !f.out.send(f.buffer) {
			return errClosed
		}
		f.begin()
		return nil
	}
	add = func(row []rows.Value) error {
		f.count++
		if err := stream.Row(row); err != nil {
			return err
		}
		if waiting.Len() < batchBytes {
			return nil
		}
		return send()
	}
	finish = func() error {
		if err := stream.Close(); err != nil {
			return err
		}
		return send()
	}
	return add, finish
}
