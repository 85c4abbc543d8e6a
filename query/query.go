package query

import (
	"context"
	"errors"
	"io"
	"os"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// DB is an open heavytail file. It is safe for concurrent use: calls share the
// graphs and vectors that they load, and a call sees the version of a graph that
// was current when the call first used it. Every call of a zero DB, which was
// not made by Open, returns fault.ErrClosed.
type DB struct {
	e      engine.DB
	folder string // of Memory, which Close removes; else empty
}

// Close stops jobs in the background at a checkpoint, waits until running calls end, and closes the file. To close
// it sooner, cancel the contexts of the calls. Rows that were already returned stay readable. Closing a closed DB,
// or one that was never opened, does nothing.
func (db *DB) Close() error {
	err := db.e.Close()
	if db.folder != "" {
		err = errors.Join(err, os.RemoveAll(db.folder))
	}
	return err
}

// Notices returns remarks about the state in which the file was opened: if one of
// the two meta pages is damaged, the last commit may be undone. It is nil if there
// are none.
func (db *DB) Notices() []rows.Notice {
	if db.e.Store == nil {
		return nil
	}
	var list []rows.Notice
	for _, text := range db.e.Store.Notices() {
		list = append(list, rows.Notice{Statement: "OPEN", Text: text})
	}
	return list
}

// Path returns the path with which the file was opened; empty for a zero DB.
func (db *DB) Path() string {
	if db.e.Store == nil {
		return ""
	}
	return db.e.Store.Path()
}

// ReadOnly reports whether statements that write are refused.
func (db *DB) ReadOnly() bool { return db.e.Opts.ReadOnly }

// Query runs the one statement of text, with or without its semicolon. params
// has the values of the parameters $name: strings, integers, floats, booleans,
// vectors as []float32 or []float64, or Untyped. A mistake in the text gives a
// *parser.Error or an *Error with its position.
func (db *DB) Query(ctx context.Context, text string, params map[string]any) (*rows.Rows, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	return db.Run(ctx, statement, params)
}

// Run is Query for a parsed statement, for programs that run scripts.
func (db *DB) Run(ctx context.Context, statement parser.Statement, params map[string]any) (*rows.Rows, error) {
	return engine.InCall(ctx, &db.e, parser.Heading(statement), func(c *engine.Call) (*rows.Rows, error) {
		return execute(c, statement, params)
	})
}

// Request is one statement as a program receives it that answers for others, such as a shell or a
// server: its text, and what is different from the options of Open for its caller.
type Request struct {
	parser.Source                // the text, and where it begins in the script that it comes from
	Params        map[string]any // the values of its parameters, as in Query
	ReadOnly      bool           // a statement that writes is an error, as if the file were open for reading
	Input         io.Reader      // what IMPORT '-' reads; nil for Options.Input
	Progress      func(rows.Progress)
	Notice        func(rows.Notice) // nil, as a nil Progress, for that of Options
}

// Execute is Query for one caller of several. Positions in errors count from the beginning of the
// script.
func (db *DB) Execute(ctx context.Context, r Request) (*rows.Rows, error) {
	statement, err := r.Parse()
	if err != nil {
		return nil, err
	}
	return engine.InCall(ctx, &db.e, parser.Heading(statement), func(c *engine.Call) (*rows.Rows, error) {
		c.ReadOnly = r.ReadOnly
		c.Input(r.Input)
		if r.Progress != nil {
			c.Meter.Report = r.Progress
		}
		if r.Notice != nil {
			c.OnNotice = r.Notice
		}
		return execute(c, statement, r.Params)
	})
}

// execute binds and runs a statement.
func execute(c *engine.Call, statement parser.Statement, params map[string]any) (*rows.Rows, error) {
	op, err := c.Binder(params).Prepare(statement)
	if err != nil {
		return nil, err
	}
	return c.Execute(op)
}

// Answer runs a statement from the request of its typed method, such as an ImportRequest
// for "IMPORT", and returns its rows. It is meant for programs that show answers as
// tables without writing statements. statement is Help.Statement. request is nil for a
// statement without a request, such as "COMPACT", a parser.Listing for "SHOW", and the
// name itself if the method takes one name. Statements whose methods take several plain
// arguments can only be run by Run or Query. Options that are given apart replace those of the
// request; their names, and the types and ranges of their values, are those of HELP.
func (db *DB) Answer(ctx context.Context, statement string, request any, given ...option.Given) (*rows.Rows, error) {
	c, err := db.e.Begin(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer c.End()
	for _, s := range db.e.Language {
		if s.Describe().Statement != statement {
			continue
		}
		rows, ok, err := s.RowsFor(c, request, given)
		if err != nil {
			return nil, c.Wrap(err)
		}
		if ok {
			rows.SetNotices(c.Notices)
			return rows, nil
		}
	}
	return nil, fault.New(fault.Statement, "no statement %s takes a request of the type %T", fault.Quote(statement), request)
}

// Explain returns the plan of a statement without running it, as EXPLAIN shows
// it. It returns an error if the statement could not run.
func (db *DB) Explain(ctx context.Context, text string, params map[string]any) (*plan.Plan, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	return engine.InCall(ctx, &db.e, "EXPLAIN", func(c *engine.Call) (*plan.Plan, error) {
		op, err := c.Binder(params).Prepare(statement)
		if err != nil {
			return nil, err
		}
		return op.Plan(), nil
	})
}

// Update calls f with a write transaction over any number of graphs, and
// commits what f did if it returns nil. Other writers wait meanwhile, readers do
// not. Inside f the methods of db that write must not be called.
func (db *DB) Update(ctx context.Context, f func(*storage.Tx) error) error {
	_, err := engine.InCall(ctx, &db.e, "UPDATE", func(c *engine.Call) (none engine.Nothing, err error) {
		if err := c.Writable(); err != nil {
			return none, err
		}
		return none, db.e.Store.Update(ctx, f)
	})
	return err
}
