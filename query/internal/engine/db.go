package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/job"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// DB is an open heavytail file, as the statements of all families use it. The zero DB is closed.
type DB struct {
	Store  *storage.DB
	Opts   Settings
	Cache  *session.Cache
	Files  *session.Files
	Runner *job.Runner

	Refresher *job.Refresher
	Language  []Described // every statement

	mu      sync.Mutex // guards closed, and running against a Close that waits
	closed  bool
	running sync.WaitGroup // calls that have not ended yet

	reopened atomic.Uint64 // storage.DB.Reopened at the last check of the refresher

	local sync.Map // what families keep; see Local
}

// Settings are the options of query.Open that statements read, with their defaults.
type Settings struct {
	ReadOnly    bool
	Workers     int
	MaxRows     int
	MemoryLimit int64
	IndexBytes  int64
	Progress    func(rows.Progress)
	Notice      func(rows.Notice)
	Manual      fs.FS

	ScoreSection int64 // pairs of a section of SCORE FILE, for tests; 0 is the constant
	GraphOnly    bool  // searches use the graph of an index even if a scan is cheaper, for tests
}

// Local returns what a family keeps with the DB under a key, and makes it when it is first needed.
func (db *DB) Local(key any, make func() any) any {
	if kept, ok := db.local.Load(key); ok {
		return kept
	}
	kept, _ := db.local.LoadOrStore(key, make())
	return kept
}

// Close waits until jobs and calls have ended, and closes the file.
func (db *DB) Close() error {
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.mu.Unlock()
	if closed || db.Store == nil {
		return nil
	}
	db.Runner.Stop()
	db.running.Wait()
	db.Runner.Wait() // nothing is left that could start a job
	if err := errors.Join(db.Store.Close(), db.Files.Close()); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// Call is one call of a method of DB: a view of the database, and the state
// that only statements need.
type Call struct {
	*session.Call
	DB        *DB
	keep      func()                      // releases the file, which no other process changes during a call
	Stop      func(int64, string)         // ends the measurement of the whole call
	At        map[fault.Part]parser.Range // position in the text of each piece of the request
	Named     map[string]fault.Part       // piece of the request that names a vertex, by the vertex's key; for errors
	Streaming bool                        // rows that are still to be read use the call
	Job       *job.Active                 // the job that the call runs; nil for none
	Continues bool                        // the job has a checkpoint, from which it may continue without what it read before
	Writes    bool                        // the call may have changed something
	Quiet     bool                        // the call runs in the background, and nobody receives its notices
	ReadOnly  bool                        // the caller may not change anything, even if the file is open for writing
}

// Begin starts a call. Every call that began must end. A nil context is one that never ends.
func (db *DB) Begin(ctx context.Context, statement string) (*Call, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || db.Store == nil {
		return nil, &fault.StatementError{Statement: statement, Err: fault.ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return nil, &fault.StatementError{Statement: statement, Err: err}
	}
	db.running.Add(1)
	c := db.NewCall(ctx, statement)
	c.keep = db.Store.Hold()
	c.Meter.Report, c.OnNotice = db.Opts.Progress, db.Opts.Notice
	return c, nil
}

// NewCall makes a call without progress and notices.
func (db *DB) NewCall(ctx context.Context, statement string) *Call {
	c := &Call{Call: session.New(ctx, db.Store, db.Cache, db.Files, statement), DB: db}
	c.Stop = c.Watch.Start(plan.Whole)
	return c
}

// End ends a call. The graphs and vectors that it loaded go back to the
// cache, unless rows still read them.
func (c *Call) End() {
	if !c.Streaming {
		c.Release()
	}
	db := c.DB
	if c.Writes {
		db.Refresher.Look()
	}
	// Another process may have made changes that make a refresh due, or set the first
	// automatic refresh.
	if n := db.Store.Reopened(); db.reopened.Swap(n) != n && !db.Opts.ReadOnly {
		db.Refresher.Start()
		db.Refresher.Look()
	}
	c.keep()
	db.running.Done()
}

// Hold keeps memory that was reserved until the call ends.
func (c *Call) Hold(release func(), err error) error {
	if err == nil {
		c.Releases = append(c.Releases, release)
	}
	return err
}

// Wrap adds the name of the statement to errors of lower layers. Mistakes of
// the user do not need it; if the request came from text, they get the
// position of the piece that is wrong.
func (c *Call) Wrap(err error) error {
	var mistake *fault.Error
	if err == nil {
		return nil
	}
	if named := (*fault.StatementError)(nil); errors.As(err, &named) && named.Statement == c.Statement {
		return err // the rows of the same call have wrapped it already
	}
	if !errors.As(err, &mistake) {
		return &fault.StatementError{Statement: c.Statement, Err: err}
	}
	return fault.WithPosition(err, c.At)
}

// Writable returns an error if the file was opened for reading only, or the caller may only read.
func (c *Call) Writable() error {
	if c.DB.Opts.ReadOnly || c.ReadOnly {
		return storage.ErrReadOnly
	}
	c.Writes = true
	return nil
}

// Described is a statement, whatever its types of requests and results.
type Described interface {
	// Describe returns the help of the statement.
	Describe() help.Statement
	// Prepare binds and resolves a node. It reports false for a node of another
	// statement.
	Prepare(b *Binder, node parser.Statement) (Operation, bool, error)
	// RowsFor answers a request as rows. It reports false for a request of another
	// type.
	RowsFor(c *Call, request any, given []option.Given) (*rows.Rows, bool, error)
}

// Operation is a bound and resolved statement.
type Operation interface {
	// Plan returns the steps that EXPLAIN prints.
	Plan() *plan.Plan
	// Header returns rows with the columns of the answer, before it runs.
	Header() *rows.Rows
	// Exec runs the statement and returns its rows.
	Exec(c *Call) (*rows.Rows, error)
}

// Binder is a call that binds a statement. As those of bind.Values, its methods keep the first
// mistake, and return a value without meaning for a piece that is wrong.
type Binder struct {
	*Call
	*bind.Values
	Background bool // the statement ends with IN BACKGROUND
	// Tail has the clauses behind the statement. Bind may take from it, by the methods of this package,
	// what the statement answers itself; the rest is done with its rows.
	Tail parser.Tail
}
