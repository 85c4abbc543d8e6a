package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"

	"heavytail/query"
)

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

// Connector makes connections to a database that the program has opened, for
// sql.OpenDB. Neither they nor sql.DB.Close close it.
func Connector(db *query.DB) driver.Connector { return borrowed{db} }

// borrowed makes connections to a database of the program.
type borrowed struct{ db *query.DB }

func (b borrowed) Driver() driver.Driver { return Driver{} }

func (b borrowed) Connect(ctx context.Context) (driver.Conn, error) {
	return &Conn{db: b.db, close: func() error { return nil }}, ctx.Err()
}
