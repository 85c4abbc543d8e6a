package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"heavytail/query/parser"
	"heavytail/storage"
)

// DB is an open heavytail file. It is safe for concurrent use: calls share the
// graphs and vectors that they load, and a call sees the version of a graph
// that was current when the call first used it.
type DB struct {
	store  *storage.DB
	opts   Options
	cache  *cache
	files  files
	runner *runner

	refresher refresher

	mu      sync.Mutex // guards closed, and running against a Close that waits
	closed  bool
	running sync.WaitGroup // calls that have begun and not ended
}

// Open opens the file at path, and creates it where it is missing unless the
// options say otherwise. A nil opts takes every default. Errors of the store
// name the file and answer errors.Is for storage.ErrLocked, storage.ErrVersion,
// storage.ErrCorrupt and storage.ErrNotStore.
func Open(path string, opts *Options) (*DB, error) {
	full := opts.withDefaults()
	if err := full.Validate(); err != nil {
		return nil, err
	}
	store, err := storage.Open(path, &storage.Options{
		ReadOnly:    full.ReadOnly,
		NoCreate:    full.NoCreate,
		LockTimeout: full.LockTimeout,
		BatchBytes:  full.BatchBytes,
	})
	if err != nil {
		return nil, openError(path, err)
	}
	db, err := open(store, full)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return db, nil
}

// New returns a DB over a store that is open already, such as one that
// storage.Attach keeps inside the file of an application. Of the options,
// ReadOnly also holds where only the store has it, and NoCreate, LockTimeout
// and BatchBytes mean nothing: the store has its own. Close closes the store,
// which leaves the application's file open.
func New(store *storage.DB, opts *Options) (*DB, error) {
	full := opts.withDefaults()
	if err := full.Validate(); err != nil {
		return nil, err
	}
	full.ReadOnly = full.ReadOnly || store.ReadOnly()
	return open(store, full)
}

// open makes a DB over a store, with checked options.
func open(store *storage.DB, full Options) (*DB, error) {
	db := &DB{store: store, opts: full, cache: newCache(full.MemoryLimit, !full.NoCache), runner: newRunner(full.BackgroundJobs)}
	db.refresher = newRefresher()
	if full.Folder != "" {
		var err error
		if db.files.folder, err = os.OpenRoot(full.Folder); err != nil {
			return nil, fmt.Errorf("the folder for files: %w", err)
		}
	}
	if err := db.openRefresher(); err != nil {
		db.runner.stop(errClosing)
		return nil, errors.Join(err, db.files.close())
	}
	return db, nil
}

// Close stops jobs in the background at a checkpoint, waits for running calls to
// end and closes the file; to have it sooner, cancel their contexts. Rows that were returned already stay readable.
// Closing a closed DB does nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.mu.Unlock()
	if closed {
		return nil
	}
	db.runner.stop(errClosing)
	db.running.Wait()
	if err := errors.Join(db.store.Close(), db.files.close()); err != nil {
		return fmt.Errorf("close: %w", plainly(err))
	}
	return nil
}

// Path returns the path that the file was opened by.
func (db *DB) Path() string { return db.store.Path() }

// ReadOnly reports whether statements that write are refused.
func (db *DB) ReadOnly() bool { return db.opts.ReadOnly }

// Query runs the one statement of text, with or without its semicolon. Values
// of params stand for $name; they are strings, integers, floats, booleans,
// vectors as []float32 or []float64, or Untyped. A mistake in the text gives a
// *parser.Error or an *Error with its position.
func (db *DB) Query(ctx context.Context, text string, params map[string]any) (*Rows, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	return db.Run(ctx, statement, params)
}

// Run is Query for a statement that is parsed already, as scripts need it.
func (db *DB) Run(ctx context.Context, statement parser.Statement, params map[string]any) (*Rows, error) {
	c, err := db.begin(ctx, parser.Heading(statement))
	if err != nil {
		return nil, err
	}
	defer c.end()
	op, err := c.bind(statement, params)
	if err != nil {
		return nil, c.wrap(err)
	}
	rows, err := c.exec(op)
	return rows, c.wrap(err)
}

// Explain returns the plan of a statement without running it, as EXPLAIN shows
// it. The statement must be one that could run.
func (db *DB) Explain(ctx context.Context, text string, params map[string]any) (*Plan, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	c, err := db.begin(ctx, "EXPLAIN")
	if err != nil {
		return nil, err
	}
	defer c.end()
	op, err := c.bind(statement, params)
	if err != nil {
		return nil, c.wrap(err)
	}
	return op.plan(), nil
}

// call is one call of a method of DB: what it has loaded, and whom it tells.
// It belongs to one goroutine, only the meter may be used from several.
type call struct {
	db        *DB
	ctx       context.Context
	statement string
	meter     *meter
	watch     *stopwatch
	notices   []Notice
	graphs    map[string]*graphView // by name: a call sees one version of a graph
	spaces    map[string]*space     // by name of the embedding
	releases  []func()              // gives back what the call holds in the cache
	stop      func(int64, string)   // ends the measurement of the whole call
	at        map[part]parser.Range // where the text of each piece of the request is
	named     map[string]part       // which piece names a vertex, by its key; for errors
	streaming bool                  // rows that are still to be read use the call
	job       *activeJob            // that the call runs; nil for none
	writes    bool                  // the call may have changed something
	quiet     bool                  // the call runs in the background, and its notices are for nobody
}

// begin starts a call. Every call that began must end.
func (db *DB) begin(ctx context.Context, statement string) (*call, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, fmt.Errorf("%s: %w", statement, ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", statement, err)
	}
	db.running.Add(1)
	c := db.newCall(ctx, statement)
	c.meter.report = db.opts.Progress
	return c, nil
}

// newCall makes a call that tells nobody of its progress.
func (db *DB) newCall(ctx context.Context, statement string) *call {
	c := &call{
		db: db, ctx: ctx, statement: statement,
		meter:  newMeter(statement, nil, time.Now),
		watch:  newStopwatch(time.Now),
		graphs: map[string]*graphView{},
		spaces: map[string]*space{},
	}
	c.stop = c.watch.start(stepResult)
	return c
}

// end ends a call. What it loaded goes back to the cache, unless rows still
// read it.
func (c *call) end() {
	if !c.streaming {
		c.release()
	}
	if c.writes {
		c.db.refresher.look()
	}
	c.db.running.Done()
}

// release gives back what the call holds in the cache.
func (c *call) release() {
	for _, release := range slices.Backward(c.releases) { // what shares memory with another thing goes first
		release()
	}
	c.releases = nil
}

// notice records something that a user should know about the answer.
func (c *call) notice(format string, args ...any) {
	n := Notice{Statement: c.statement, Text: fmt.Sprintf(format, args...)}
	c.notices = append(c.notices, n)
	if c.db.opts.Notice != nil && !c.quiet {
		c.db.opts.Notice(n)
	}
}

// wrap names the statement in errors that come from below. Mistakes of the
// user speak for themselves; where the request came from text, they get the
// position of the piece that they are about.
func (c *call) wrap(err error) error {
	var mistake *Error
	if err == nil {
		return nil
	}
	if !errors.As(err, &mistake) {
		return fmt.Errorf("%s: %w", c.statement, plainly(err))
	}
	if at, ok := c.at[mistake.part]; ok && mistake.Start.Line == 0 {
		placed := *mistake
		placed.Range = at
		return &placed
	}
	return err
}

// writable refuses calls that write to a file opened for reading.
func (c *call) writable() error {
	if c.db.opts.ReadOnly {
		return storage.ErrReadOnly
	}
	c.writes = true
	return nil
}

// await runs f, which cannot be interrupted, and returns early when the context
// of the call ends. It then leaves f to end by itself: f must not write what
// anybody reads afterwards.
func (c *call) await(f func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return c.ctx.Err()
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}
