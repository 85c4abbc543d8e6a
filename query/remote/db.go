package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"heavytail/query"
	"heavytail/query/internal/wire"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// DB is a file that a server has open. It is safe for concurrent use: each statement has a connection
// until its answer is read, and connections are used again.
type DB struct {
	network, address, token string
	greeting                wire.Greeting

	mu     sync.Mutex // guards the fields below
	idle   []*conn
	closed bool
}

// mostIdle is how many connections are kept for further statements.
const mostIdle = 8

// Open connects to the server of a heavytail file on this machine by its socket. The error is ErrNoServer
// if none answers there.
func Open(ctx context.Context, file string) (*DB, error) {
	paths, err := wire.Sockets(file)
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		if _, err := os.Lstat(path); err != nil || i == len(paths)-1 && wire.CheckFolder() != nil {
			continue
		}
		db := &DB{network: "unix", address: path}
		err := db.connect(ctx)
		var dial *net.OpError
		switch {
		case err == nil:
			return db, nil
		case ctx.Err() != nil:
			return nil, err
		case !errors.As(err, &dial) || dial.Op != "dial":
			return nil, err // a server is there, and refuses
		}
	}
	return nil, fmt.Errorf("%q: %w", file, ErrNoServer)
}

// Dial connects to a server by its address, such as 127.0.0.1:7474, with its token.
func Dial(ctx context.Context, address, token string) (*DB, error) {
	db := &DB{network: "tcp", address: address, token: token}
	if err := db.connect(ctx); err != nil {
		return nil, err
	}
	return db, nil
}

// connect makes the first connection.
func (db *DB) connect(ctx context.Context) error {
	c, err := db.dial(ctx)
	if err != nil {
		return err
	}
	db.greeting = c.greeting
	db.put(c)
	return nil
}

// greetingTime is how long a server may take to greet: longer than a busy machine needs.
const greetingTime = 10 * time.Second

// dial makes a connection, and says hello.
func (db *DB) dial(ctx context.Context) (*conn, error) {
	ctx, stop := context.WithTimeout(ctx, greetingTime)
	defer stop()
	var d net.Dialer
	n, err := d.DialContext(ctx, db.network, db.address)
	if err != nil {
		return nil, err
	}
	c := newConn(n)
	abandon := context.AfterFunc(ctx, func() { n.Close() })
	defer abandon()
	if err := c.hello(db.token); err != nil {
		n.Close()
		return nil, errors.Join(err, ctx.Err())
	}
	return c, nil
}

// take returns a connection that no statement uses.
func (db *DB) take(ctx context.Context) (*conn, error) {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil, net.ErrClosed
	}
	if n := len(db.idle); n > 0 {
		c := db.idle[n-1]
		db.idle = db.idle[:n-1]
		db.mu.Unlock()
		return c, nil
	}
	db.mu.Unlock()
	return db.dial(ctx)
}

// put keeps a connection for the next statement.
func (db *DB) put(c *conn) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || len(db.idle) == mostIdle {
		c.net.Close()
		return
	}
	db.idle = append(db.idle, c)
}

// Close closes the connections. Rows that are still read keep theirs until they end.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.closed = true
	for _, c := range db.idle {
		c.net.Close()
	}
	db.idle = nil
	return nil
}

// Path returns the absolute path of the file, as the server has it.
func (db *DB) Path() string { return db.greeting.File }

// Root returns the folder that paths in statements begin in; "" if the server does not say.
func (db *DB) Root() string { return db.greeting.Root }

// ReadOnly reports whether the server refuses statements that write.
func (db *DB) ReadOnly() bool { return db.greeting.ReadOnly }

// Query runs the one statement of text, as query.DB.Query does.
func (db *DB) Query(ctx context.Context, text string, params map[string]any) (*rows.Rows, error) {
	return db.Execute(ctx, query.Request{Source: parser.Source{Text: text}, Params: params})
}

// Execute runs a statement for one caller, as query.DB.Execute does. Rows that do not come with the
// beginning of the answer are read from the server as they are read by the caller. A context that ends
// cancels the statement on the server.
func (db *DB) Execute(ctx context.Context, r query.Request) (*rows.Rows, error) {
	m := wire.Message{
		ID: 1, Statement: r.Text, Offset: r.Pos.Offset, Line: r.Pos.Line, Column: r.Pos.Column,
		ReadOnly: r.ReadOnly, Input: r.Input != nil, Progress: r.Progress != nil,
	}
	if len(r.Params) > 0 {
		m.Params = make(map[string]wire.Any, len(r.Params))
		for name, value := range r.Params {
			m.Params[name] = wire.Any{Value: value}
		}
	}
	return db.ask(ctx, &m, r)
}

// ask sends a message, and returns the answer.
func (db *DB) ask(ctx context.Context, m *wire.Message, r query.Request) (*rows.Rows, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	c, err := db.take(ctx)
	if err != nil {
		return nil, err
	}
	a := &answer{conn: c, put: db.put, request: r, ctx: ctx}
	return a.run(ctx, m)
}

// Draw returns a picture that the server draws, with remarks about it: args are those of heavytail plot behind the
// file, without --out, and form is svg, png, pdf or text. The error is ErrRequest if the server draws none.
func (db *DB) Draw(ctx context.Context, args []string, form string) ([]byte, []rows.Notice, error) {
	answer, err := db.ask(ctx, &wire.Message{ID: 1, Plot: args, Picture: form}, query.Request{})
	if err != nil {
		return nil, nil, err
	}
	defer answer.Close()
	var picture []byte
	for answer.Next() {
		part, _ := answer.Row()[0].(string)
		picture = append(picture, part...)
	}
	return picture, answer.Notices(), answer.Err()
}
