package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// Conn is a connection. sql.Conn.Raw passes it to programs that need the database.
type Conn struct {
	db    Database
	close func() error
}

// Database is what statements are run on: a *query.DB, or a *remote.DB, the client of a server.
type Database interface {
	Execute(context.Context, query.Request) (*rows.Rows, error)
}

var (
	_ driver.ConnPrepareContext = (*Conn)(nil)
	_ driver.ConnBeginTx        = (*Conn)(nil)
	_ driver.QueryerContext     = (*Conn)(nil)
	_ driver.ExecerContext      = (*Conn)(nil)
	_ driver.NamedValueChecker  = (*Conn)(nil)
	_ driver.Pinger             = (*Conn)(nil)
)

// DB returns the database, which all connections to the file share, for its typed
// methods. It stays open as long as the connection, and must not be closed by the
// caller. It is nil if a server has the file open.
func (c *Conn) DB() *query.DB {
	db, _ := c.db.(*query.DB)
	return db
}

// Close ends the connection; the last one of a file closes it.
func (c *Conn) Close() error { return c.close() }

// Ping reads the list of graphs.
func (c *Conn) Ping(ctx context.Context) error {
	list, err := c.db.Execute(ctx, query.Request{Source: parser.Source{Text: "SHOW GRAPHS"}})
	if err != nil {
		return err
	}
	return list.Close()
}

// Begin returns ErrTransaction.
func (c *Conn) Begin() (driver.Tx, error) { return nil, ErrTransaction }

// BeginTx returns ErrTransaction.
func (c *Conn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return nil, ErrTransaction
}

// Prepare parses a statement.
func (c *Conn) Prepare(text string) (driver.Stmt, error) { return c.prepare(text) }

// PrepareContext parses a statement. Names in it are looked up when it runs.
func (c *Conn) PrepareContext(_ context.Context, text string) (driver.Stmt, error) {
	return c.prepare(text)
}

// QueryContext runs a statement and returns its rows.
func (c *Conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepare(text)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args)
}

// ExecContext runs a statement and reads its rows to their end.
func (c *Conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.prepare(text)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args)
}

func (c *Conn) prepare(text string) (*stmt, error) {
	if _, err := parser.Parse(text); err != nil {
		return nil, err
	}
	return &stmt{c, text, parameterNames(text)}, nil
}

type stmt struct {
	conn  *Conn
	text  string
	names []string // of its parameters, without the $
}

var (
	_ driver.StmtQueryContext = (*stmt)(nil)
	_ driver.StmtExecContext  = (*stmt)(nil)
)

func (s *stmt) Close() error { return nil }

// NumInput leaves the check to arguments, which can name the parameter that is wrong.
func (s *stmt) NumInput() int { return -1 }

// Query and Exec are the methods without a context; database/sql does not call them.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), unnamed(args))
}

func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), unnamed(args))
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	found, err := s.run(ctx, args)
	if err != nil {
		return nil, err
	}
	return &cursor{ctx: ctx, from: found}, nil
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	found, err := s.run(ctx, args)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	changed := changed(found.Columns())
	var sum int64
	for found.Next() {
		for _, at := range changed {
			n, _ := found.Row()[at].(int64)
			sum += n
		}
	}
	return result(sum), found.Err()
}

func (s *stmt) run(ctx context.Context, args []driver.NamedValue) (*rows.Rows, error) {
	params, err := arguments(s.names, args)
	if err != nil {
		return nil, err
	}
	return s.conn.db.Execute(ctx, query.Request{Source: parser.Source{Text: s.text}, Params: params})
}

// Name is the name of the driver for sql.Open.
const Name = "heavytail"

// database/sql finds drivers only by such a registration.
func init() { sql.Register(Name, Driver{}) }

// ErrTransaction is returned by sql.DB.Begin and sql.DB.BeginTx.
var ErrTransaction = errors.New("there are no transactions of several statements: each statement is one; query.DB.Update makes several changes in one")

// Driver opens files by data source names. Programs that wrap drivers use it; others
// use sql.Open.
type Driver struct{}

// Open opens a connection of its own.
func (d Driver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}
	conn, err := c.Connect(context.Background())
	return conn, errors.Join(err, c.(*connector).Close())
}

// OpenConnector checks a data source name. The file is opened by the first connection.
func (d Driver) OpenConnector(name string) (driver.Connector, error) {
	path, set, err := parseName(name)
	if err != nil {
		return nil, err
	}
	return &connector{path: path, set: set}, nil
}

type connector struct {
	path string
	set  settings

	mu   sync.Mutex
	file *file // that the connector itself keeps open; nil before the first connection
}

func (c *connector) Driver() driver.Driver { return Driver{} }

// Connect opens the file if it is not open in this process.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		f, err := open.take(c.path, c.set)
		if err != nil {
			return nil, err
		}
		c.file = f
	}
	f := c.file.share()
	return &Conn{db: f.db, close: f.release}, nil
}

// Close is called by sql.DB.Close.
func (c *connector) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.file
	if f == nil {
		return nil
	}
	c.file = nil
	return f.release()
}

// Connector makes connections to a database that the program has opened, or to a server, for
// sql.OpenDB. Neither they nor sql.DB.Close close it.
func Connector(db Database) driver.Connector { return borrowed{db} }

// borrowed makes connections to a database of the program.
type borrowed struct{ db Database }

func (b borrowed) Driver() driver.Driver { return Driver{} }

func (b borrowed) Connect(ctx context.Context) (driver.Conn, error) {
	return &Conn{db: b.db, close: func() error { return nil }}, ctx.Err()
}

// parameterNames lists the parameters of a statement, each once, without the $.
func parameterNames(text string) []string {
	var names []string
	for _, t := range parser.Tokens(text) {
		if t.Kind == parser.KindParam && !slices.Contains(names, t.Text[1:]) {
			names = append(names, t.Text[1:])
		}
	}
	return names
}

// arguments assigns values to the parameters of a statement. A parameter without a value
// is reported later by the binder, which knows its position.
func arguments(names []string, args []driver.NamedValue) (map[string]any, error) {
	params := make(map[string]any, len(args))
	for _, a := range args {
		if a.Name == "" {
			return nil, fault.New(fault.Statement, "value %d has no name", a.Ordinal).WithRemedy(`pass sql.Named("name", value) for $name`)
		}
		if !slices.Contains(names, a.Name) {
			e := fault.New(fault.Statement, "the statement has no parameter $%s", a.Name)
			return nil, e.WithNearest(a.Name, names, func(s string) string { return "$" + s })
		}
		if _, twice := params[a.Name]; twice {
			return nil, fault.New(fault.Statement, "parameter $%s is given twice", a.Name)
		}
		params[a.Name] = a.Value
	}
	return params, nil
}

func unnamed(args []driver.Value) []driver.NamedValue {
	var list []driver.NamedValue
	for i, a := range args {
		list = append(list, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return list
}

// CheckNamedValue converts a value of database/sql to a value that package query
// accepts.
func (c *Conn) CheckNamedValue(v *driver.NamedValue) error {
	switch v.Value.(type) {
	case []float32, []float64, rows.Untyped:
		return nil
	}
	value, err := driver.DefaultParameterConverter.ConvertValue(v.Value)
	if err != nil {
		return fault.New(fault.Statement, "parameter $%s is a value of the Go type %T", v.Name, v.Value).
			WithExpected("a text", "a number", "a boolean", "a vector of floats")
	}
	switch x := value.(type) {
	case []byte:
		value = string(x)
	case time.Time:
		value = x.UTC().Format(time.RFC3339)
	}
	v.Value = value
	return nil
}
