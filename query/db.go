package query

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/job"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/trial"
	"heavytail/query/parser"
	"heavytail/storage"
)

// DB is an open heavytail file. It is safe for concurrent use: calls share the
// graphs and vectors that they load, and a call sees the version of a graph that
// was current when the call first used it. Every call of a zero DB, which was
// not made by Open, returns ErrClosed.
type DB struct {
	store  *storage.DB
	opts   Options
	cache  *session.Cache
	files  *session.Files
	runner *job.Runner

	refresher *job.Refresher
	language  []described // every statement

	mu      sync.Mutex // guards closed, and running against a Close that waits
	closed  bool
	running sync.WaitGroup // calls that have not ended yet

	reopened atomic.Uint64 // storage.DB.Reopened at the last check of the refresher

	pairBatches sync.Pool // of *pairBatch: buffers of SCORE FILE that a later call uses again
}

// Close stops jobs in the background at a checkpoint, waits until running calls end, and closes the file. To close
// it sooner, cancel the contexts of the calls. Rows that were already returned stay readable. Closing a closed DB,
// or one that was never opened, does nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.mu.Unlock()
	if closed || db.store == nil {
		return nil
	}
	db.runner.Stop()
	db.running.Wait()
	db.runner.Wait() // nothing is left that could start a job
	if err := errors.Join(db.store.Close(), db.files.Close()); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// Notices returns remarks about the state in which the file was opened: if one of
// the two meta pages is damaged, the last commit may be undone. It is nil if there
// are none.
func (db *DB) Notices() []Notice {
	if db.store == nil {
		return nil
	}
	var list []Notice
	for _, text := range db.store.Notices() {
		list = append(list, Notice{Statement: "OPEN", Text: text})
	}
	return list
}

// Path returns the path with which the file was opened; empty for a zero DB.
func (db *DB) Path() string {
	if db.store == nil {
		return ""
	}
	return db.store.Path()
}

// ReadOnly reports whether statements that write are refused.
func (db *DB) ReadOnly() bool { return db.opts.ReadOnly }

// call is one call of a method of DB: a view of the database, and the state
// that only statements need.
type call struct {
	*session.Call
	db        *DB
	keep      func()                      // releases the file, which no other process changes during a call
	stop      func(int64, string)         // ends the measurement of the whole call
	at        map[fault.Part]parser.Range // position in the text of each piece of the request
	named     map[string]fault.Part       // piece of the request that names a vertex, by the vertex's key; for errors
	streaming bool                        // rows that are still to be read use the call
	job       *job.Active                 // the job that the call runs; nil for none
	continues bool                        // the job has a checkpoint, from which it may continue without what it read before
	trials    *trial.Reader               // figures that were computed before; nil to compute them
	writes    bool                        // the call may have changed something
	quiet     bool                        // the call runs in the background, and nobody receives its notices
}

// begin starts a call. Every call that began must end. A nil context is one that never ends.
func (db *DB) begin(ctx context.Context, statement string) (*call, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || db.store == nil {
		return nil, &StatementError{Statement: statement, Err: ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return nil, &StatementError{Statement: statement, Err: err}
	}
	db.running.Add(1)
	c := db.newCall(ctx, statement)
	c.keep = db.store.Keep()
	c.Meter.Report, c.OnNotice = db.opts.Progress, db.opts.Notice
	return c, nil
}

// newCall makes a call without progress and notices.
func (db *DB) newCall(ctx context.Context, statement string) *call {
	c := &call{Call: session.New(ctx, db.store, db.cache, db.files, statement), db: db}
	c.stop = c.Watch.Start(plan.Whole)
	return c
}

// end ends a call. The graphs and vectors that it loaded go back to the
// cache, unless rows still read them.
func (c *call) end() {
	if !c.streaming {
		c.Release()
	}
	db := c.db
	if c.writes {
		db.refresher.Look()
	}
	// Another process may have made changes that make a refresh due, or set the first
	// automatic refresh.
	if n := db.store.Reopened(); db.reopened.Swap(n) != n && !db.opts.ReadOnly {
		db.refresher.Start()
		db.refresher.Look()
	}
	c.keep()
	db.running.Done()
}

// hold keeps memory that was reserved until the call ends.
func (c *call) hold(release func(), err error) error {
	if err == nil {
		c.Releases = append(c.Releases, release)
	}
	return err
}

// wrap adds the name of the statement to errors of lower layers. Mistakes of
// the user do not need it; if the request came from text, they get the
// position of the piece that is wrong.
func (c *call) wrap(err error) error {
	var mistake *Error
	if err == nil {
		return nil
	}
	if named := (*StatementError)(nil); errors.As(err, &named) && named.Statement == c.Statement {
		return err // the rows of the same call have wrapped it already
	}
	if !errors.As(err, &mistake) {
		return &StatementError{Statement: c.Statement, Err: err}
	}
	return fault.WithPosition(err, c.at)
}

// writable returns an error if the file was opened for reading only.
func (c *call) writable() error {
	if c.db.opts.ReadOnly {
		return storage.ErrReadOnly
	}
	c.writes = true
	return nil
}

// Untyped is the value of a parameter that is given as text without a type,
// such as one from a command line. Where a vertex key, a file name or a text is
// expected, the text itself is used, so that the keys 007 and 1e5 are found;
// elsewhere the text is read as a number or a boolean.
type Untyped = bind.Untyped

// Plan is one step of the plan of a statement, with the steps that give it its
// input. String draws the tree.
type Plan = plan.Plan

// described is a statement, whatever its types of requests and results.
type described interface {
	describe() Help
	// prepare binds and resolves a node. It reports false for a node of another
	// statement.
	prepare(b *binder, node parser.Statement) (operation, bool, error)
	// rowsFor answers a request as rows. It reports false for a request of another
	// type.
	rowsFor(c *call, request any) (*Rows, bool, error)
}

// operation is a bound and resolved statement.
type operation interface {
	plan() *plan.Plan
	exec(c *call) (*Rows, error)
}

// binder is a call that binds a statement. As those of bind.Values, its methods keep the first
// mistake, and return a value without meaning for a piece that is wrong.
type binder struct {
	*call
	*bind.Values
	background bool // the statement ends with IN BACKGROUND
}
