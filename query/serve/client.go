package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"heavytail/query/fault"
	"heavytail/query/internal/wire"
)

const (
	mostAtOnce = 16              // statements of one client
	firstLine  = 4 << 10         // bytes of a line from a client without its token
	tokenTime  = 5 * time.Second // in which the token must come
	keptLine   = 64 << 10        // bytes of a buffer for lines that is kept for the next one
)

// client is one connection. Its lines are read by one goroutine, and each statement is answered by one.
type client struct {
	output
	service  *service
	in       *bufio.Reader
	admitted bool // no token is asked for, or it was right

	work    context.Context // of the statements
	cancel  context.CancelFunc
	stopped atomic.Bool // the server has cancelled the statements, to stop

	mu      sync.Mutex // guards the fields below
	closing bool       // no statement begins
	active  map[int64]*running
	ended   sync.WaitGroup // of the active statements; added to under mu while not closing
}

// running is a statement that is being answered.
type running struct {
	cancel context.CancelFunc
	input  *io.PipeWriter // where data for IMPORT '-' go; nil without
}

// newClient is a client of streams, and of the connection that they are; nil for none.
func newClient(s *service, in io.Reader, out io.Writer, conn net.Conn, admitted bool) *client {
	c := &client{service: s, in: bufio.NewReader(in), admitted: admitted, active: map[int64]*running{}}
	c.work, c.cancel = context.WithCancel(context.Background())
	c.output = output{w: out, conn: conn, stall: s.opts.Stall, gone: c.cancel}
	return c
}

// serve answers the client until it leaves or stop ends.
func (c *client) serve(stop context.Context) {
	defer c.cancel()
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read()
	}()
	select {
	case <-read:
		c.close()
		if c.conn != nil { // a stream that has ended still takes answers
			c.cancel()
		}
		c.ended.Wait()
	case <-stop.Done():
		c.stop()
	}
	if c.conn != nil {
		c.conn.Close()
		<-read
	}
}

// stop waits for the statements for a time, and cancels the rest.
func (c *client) stop() {
	c.close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.ended.Wait()
	}()
	wait := func(d time.Duration) bool {
		select {
		case <-done:
			return true
		case <-time.After(d):
			return false
		}
	}
	if wait(c.service.opts.Grace) {
		return
	}
	c.stopped.Store(true)
	c.cancel()
	if !wait(time.Second) && c.conn != nil {
		c.conn.Close() // for a client that does not read
	}
	<-done
}

// close refuses further statements, and ends the data of those that wait for some.
func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	for _, r := range c.active {
		if r.input != nil {
			r.input.CloseWithError(io.ErrUnexpectedEOF)
		}
	}
}

// read reads lines until the client leaves or must leave.
func (c *client) read() {
	var buffer []byte
	if c.conn != nil && !c.admitted {
		_ = c.conn.SetReadDeadline(time.Now().Add(tokenTime)) // the error comes with the read
	}
	for {
		most := wire.MaxLine
		if !c.admitted {
			most = firstLine
		}
		var err error
		buffer, err = readLine(c.in, buffer[:0], most)
		if errors.Is(err, wire.ErrRequest) {
			c.fail(0, err) // what follows is the rest of that line
			return
		} else if err != nil {
			return
		}
		if len(bytes.TrimSpace(buffer)) > 0 && !c.line(buffer) {
			return
		}
		if cap(buffer) > keptLine {
			buffer = nil
		}
	}
}

// readLine appends a line without its end to a buffer. The last line may have no end.
func readLine(in *bufio.Reader, buffer []byte, most int) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(buffer)+len(part) > most {
			return buffer, fmt.Errorf("a line is longer than %d bytes: %w", most, wire.ErrRequest)
		}
		buffer = append(buffer, part...)
		switch {
		case err == nil:
			return buffer[:len(buffer)-1], nil
		case err == io.EOF && len(buffer) > 0:
			return buffer, nil
		case err != bufio.ErrBufferFull:
			return buffer, err
		}
	}
}

// line does what a line asks for. It reports false if the client must leave.
func (c *client) line(text []byte) bool {
	var m wire.Message
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields() // such as a misspelt read_only
	err := decoder.Decode(&m)
	if err == nil && decoder.More() {
		err = errors.New("a line has one object")
	}
	switch {
	case !c.admitted && (err != nil || m.Hello == 0 || !c.service.admits(m.Token)):
		c.fail(0, wire.ErrToken)
		return false
	case err != nil:
		c.fail(m.ID, fmt.Errorf("%w: %v", wire.ErrRequest, err))
	case m.Hello > wire.Version:
		c.fail(0, fmt.Errorf("%w: the server has version %d of the protocol, and not %d", wire.ErrRequest, wire.Version, m.Hello))
		return false
	case m.Hello != 0:
		c.admitted = true
		if c.conn != nil {
			_ = c.conn.SetReadDeadline(time.Time{})
		}
		c.send(line(c.service.greeting))
	case m.Cancel != 0:
		c.abort(m.Cancel)
	case m.Data != nil || m.Last:
		c.data(&m)
	case (m.Statement == "") == (len(m.Plot) == 0):
		c.fail(m.ID, fmt.Errorf("%w: a line has a statement, a plot, hello, cancel or data", wire.ErrRequest))
	default:
		if err := c.start(&m); err != nil {
			c.fail(m.ID, err)
		}
	}
	return true
}

// start answers a statement in a goroutine of its own, or returns why it is refused.
func (c *client) start(m *wire.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch _, taken := c.active[m.ID]; {
	case c.closing:
		return wire.ErrStopped
	case m.ID == 0 || taken:
		return fmt.Errorf("%w: a statement needs an id that no running statement of the client has, and not 0", wire.ErrRequest)
	case m.Format != "" && m.Format != wire.Arrays && m.Format != wire.Objects && m.Format != wire.Arrow:
		return fmt.Errorf("%w: format %s is none of %s, %s and %s", wire.ErrRequest, fault.Quote(m.Format), wire.Arrays, wire.Objects, wire.Arrow)
	case len(m.Plot) > 0 && c.service.opts.Draw == nil:
		return fmt.Errorf("%w: this server draws no pictures", wire.ErrRequest)
	case len(c.active) == mostAtOnce:
		return fmt.Errorf("%s of this client are running: %w", fault.Count(mostAtOnce, "statement"), wire.ErrBusy)
	}
	ctx, cancel := c.service.limited(c.work, wire.Seconds(m.Deadline))
	r := &running{cancel: cancel}
	var from io.Reader // a nil *io.PipeReader would be a reader
	if m.Input {
		input, data := io.Pipe()
		from, r.input = &offered{out: &c.output, id: m.ID, data: input}, data
		context.AfterFunc(ctx, func() { data.CloseWithError(ctx.Err()) }) // nobody waits for data that do not come, or are not read
	}
	c.active[m.ID] = r
	c.ended.Go(func() {
		defer cancel()
		a := answer{service: c.service, out: &c.output, stopped: &c.stopped, message: m, frames: frames{out: &c.output, id: m.ID}}
		a.run(ctx, from, func() { c.end(m.ID) })
	})
	return nil
}

// offered is the input of a statement, which the client sends when it is read.
type offered struct {
	out   *output
	id    int64
	data  io.Reader
	asked bool
}

func (o *offered) Read(p []byte) (int, error) {
	if !o.asked {
		o.asked = true
		o.out.send(line(wire.Frame{ID: o.id, Input: true}))
	}
	return o.data.Read(p)
}

// end forgets a statement, before its last frame is sent, so that the client can use its id again.
func (c *client) end(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.active, id)
}

func (c *client) find(id int64) *running {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.active[id]
}

// abort cancels a statement; one that has ended meanwhile is no error.
func (c *client) abort(id int64) {
	if r := c.find(id); r != nil {
		r.cancel()
	}
}

// data passes data to a statement, and waits until it has read them. A statement that has ended does not
// need them.
func (c *client) data(m *wire.Message) {
	r := c.find(m.ID)
	if r == nil || r.input == nil {
		return
	}
	_, _ = r.input.Write(m.Data)
	if m.Last {
		r.input.Close()
	}
}
