package remote

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"heavytail/query/internal/wire"
)

// conn is a connection, which one statement uses at a time.
type conn struct {
	net      net.Conn
	frames   *json.Decoder
	greeting wire.Greeting
	writing  sync.Mutex
}

func newConn(n net.Conn) *conn {
	return &conn{net: n, frames: json.NewDecoder(bufio.NewReaderSize(n, 64<<10))}
}

// hello sends the token and reads the greeting.
func (c *conn) hello(token string) error {
	if err := c.send(&wire.Message{Hello: wire.Version, Token: token}); err != nil {
		return err
	}
	if err := c.frames.Decode(&c.greeting); err != nil {
		return lost(err)
	}
	if c.greeting.Error != nil {
		return c.greeting.Error.Err()
	}
	if c.greeting.Heavytail != wire.Version {
		return fmt.Errorf("%w: the server has version %d of the protocol, and not %d", ErrRequest, c.greeting.Heavytail, wire.Version)
	}
	return nil
}

// send writes a line.
func (c *conn) send(m *wire.Message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.net.Write(append(text, '\n')); err != nil {
		return lost(err)
	}
	return nil
}

// patience is how long the server may take to end a statement that was cancelled: longer than a busy machine needs.
const patience = 30 * time.Second

// cancel asks the server to cancel a statement. Its answer then ends soon, with an error or without.
func (c *conn) cancel(id int64) {
	_ = c.net.SetDeadline(time.Now().Add(patience))
	_ = c.send(&wire.Message{Cancel: id}) // its error also comes with the next read
}

// next reads a frame.
func (c *conn) next() (*wire.Frame, error) {
	f := &wire.Frame{}
	if err := c.frames.Decode(f); err != nil {
		return nil, lost(err)
	}
	return f, nil
}

// lost is ErrLost with its reason.
func lost(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w before the answer was complete: it was stopped or killed", ErrLost)
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}
