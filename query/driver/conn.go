package driver

import (
	"context"
	"database/sql/driver"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// Conn is a connection. sql.Conn.Raw passes it to programs that need the database.
type Conn struct {
	db    *query.DB
	close func() error
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
// caller.
func (c *Conn) DB() *query.DB { return c.db }

// Close ends the connection; the last one of a file closes it.
func (c *Conn) Close() error { return c.close() }

// Ping reads the list of graphs.
func (c *Conn) Ping(ctx context.Context) error {
	_, err := c.db.Graphs().List(ctx)
	return err
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
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	return &stmt{c, statement, parameterNames(text)}, nil
}

type stmt struct {
	conn      *Conn
	statement parser.Statement
	names     []string // of its parameters, without the $
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
	return s.conn.db.Run(ctx, s.statement, params)
}
