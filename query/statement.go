package query

import (
	"context"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/internal/job"
	"heavytail/query/internal/trial"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// This file has the steps of every statement, in the order of the calls: from a text
// (Query) or a request (answer) through binding and resolving to rows.

// statement describes one statement of the language. N is its node in the syntax
// tree, Q the request of its typed method, R the catalogue entries that the names
// in a request refer to, and A the answer.
//
// A typed method passes its request to answer. A text is first bound to the same
// request and resolved, and then planned, run or queued as a job.
type statement[N parser.Statement, Q, R, A any] struct {
	// help is what HELP, completion and the flags of the command line show. Its
	// Statement also names the statement in errors.
	help Help
	// options returns the options of help, so that only statements that are used or described
	// build theirs; nil if the statement has none.
	options func() []OptionInfo
	// when reports whether a node belongs to this statement, if several statements
	// share a type of node; nil means all nodes of the type.
	when func(node N) bool
	// bind converts a node to a request. It is the only step that uses the text,
	// and reads from the store only the attributes that conditions need.
	bind func(b *binder, node N) Q
	// from converts the request of the typed method to a Q, if it has a different
	// type; nil if the typed method takes a Q.
	from func(request any) (Q, bool)
	// resolve checks a request and finds the catalogue entries that its names refer
	// to. It loads neither graphs nor vectors, so that EXPLAIN is cheap.
	resolve func(c *call, req Q) (R, error)
	// plan returns the steps by which the request will be answered.
	plan func(req Q, found R) *plan.Plan
	// run answers the request.
	run func(c *call, req Q, found R) (A, error)
	// table has the rows of the answer, if its columns are those of help up to a semicolon; rows
	// is for other columns, and for rows that are made while they are read. A statement without
	// a result has neither.
	table func(req Q, answer A) [][]Value
	rows  func(req Q, answer A) *Rows
	// job describes the statement as a job; nil if it cannot run in the background. It
	// may load data that the estimate of its memory needs.
	job func(c *call, req Q, found R) (job.Spec, error)
	// trials is the number of trials that the answer is made of, and try computes the figures
	// of some of them, which run reads from call.trials if that is set. Both are nil for
	// statements that are not made of trials.
	trials func(req Q, found R) int64
	try    func(c *call, req Q, found R, w *trial.Writer) error
	// reads is set if the statement never writes to the store. All other
	// statements return an error when the store is open for reading.
	reads bool
}

// Query runs the one statement of text, with or without its semicolon. params
// has the values of the parameters $name: strings, integers, floats, booleans,
// vectors as []float32 or []float64, or Untyped. A mistake in the text gives a
// *parser.Error or an *Error with its position.
func (db *DB) Query(ctx context.Context, text string, params map[string]any) (*Rows, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	return db.Run(ctx, statement, params)
}

// Run is Query for a parsed statement, for programs that run scripts.
func (db *DB) Run(ctx context.Context, statement parser.Statement, params map[string]any) (*Rows, error) {
	return inCall(ctx, db, parser.Heading(statement), func(c *call) (*Rows, error) {
		op, err := c.binder(params).prepare(statement)
		if err != nil {
			return nil, err
		}
		return c.execute(op)
	})
}

// execute runs an operation and adds the notices of the call to its rows.
func (c *call) execute(op operation) (*Rows, error) {
	rows, err := op.exec(c)
	if err != nil {
		return nil, err
	}
	rows.notices = c.Notices
	return rows, nil
}

// prepare binds and resolves a statement, which may be the inner statement of EXPLAIN.
// Mistakes of the user are found here, with their positions, except mistakes that only the
// loaded data shows. Later errors come from limits, cancellation, the store, and the
// contents of other files.
func (b *binder) prepare(node parser.Statement) (operation, error) {
	if node == nil {
		return nil, fault.New(fault.Statement, "no statement is given")
	}
	for _, s := range b.db.language {
		if op, ok, err := s.prepare(b, node); ok {
			return op, err
		}
	}
	b.Mark(fault.Statement, node)
	return nil, fault.New(fault.Statement, "%s is not known here", parser.Heading(node))
}

// prepare implements described: it binds and resolves a node of the statement.
func (s *statement[N, Q, R, A]) prepare(b *binder, node parser.Statement) (operation, bool, error) {
	n, ok := node.(N)
	if !ok || s.when != nil && !s.when(n) {
		return nil, false, nil
	}
	req := s.bind(b, n)
	if b.Err != nil {
		return nil, true, b.Err
	}
	found, err := s.find(b.call, req)
	if err != nil {
		return nil, true, err
	}
	background := b.background
	b.background = false // IN BACKGROUND has no effect on an EXPLAIN around the node
	return &prepared[N, Q, R, A]{s, req, found, background}, true, nil
}

func (s *statement[N, Q, R, A]) find(c *call, req Q) (found R, err error) {
	if !s.reads {
		if err := c.writable(); err != nil {
			return found, err
		}
	}
	return s.resolve(c, req)
}

// prepared is a request whose names are resolved.
type prepared[N parser.Statement, Q, R, A any] struct {
	*statement[N, Q, R, A]
	req        Q
	found      R
	background bool
}

func (p *prepared[N, Q, R, A]) plan() *plan.Plan { return p.statement.plan(p.req, p.found) }

func (p *prepared[N, Q, R, A]) exec(c *call) (*Rows, error) {
	if p.background && c.job == nil { // a running job has been queued already
		info, err := p.queue(c, p.req, p.found)
		return oneJob(info), err
	}
	answer, err := p.run(c, p.req, p.found)
	if err != nil {
		return nil, err
	}
	return p.tabulate(p.req, answer), nil
}

// tabulate converts the answer to the table of the statement.
func (s *statement[N, Q, R, A]) tabulate(req Q, answer A) *Rows {
	switch {
	case s.rows != nil:
		return s.rows(req, answer)
	case s.table != nil:
		columns, _, _ := strings.Cut(s.help.Columns, ";")
		return rowsOf(columnsIn(columns), s.table(req, answer))
	}
	return none()
}

func (p *prepared[N, Q, R, A]) trials() int64 {
	if p.statement.trials == nil {
		return 0
	}
	return p.statement.trials(p.req, p.found)
}

func (p *prepared[N, Q, R, A]) try(c *call, w *trial.Writer) error {
	return p.statement.try(c, p.req, p.found, w)
}

// answer implements the typed method of the statement: it begins a call,
// resolves the request, runs it, and adds the name of the statement to
// errors.
func (s *statement[N, Q, R, A]) answer(ctx context.Context, db *DB, req Q) (A, error) {
	return inCall(ctx, db, s.help.Statement, func(c *call) (A, error) { return s.inside(c, req) })
}

func inCall[A any](ctx context.Context, db *DB, statement string, run func(*call) (A, error)) (answer A, err error) {
	c, err := db.begin(ctx, statement)
	if err != nil {
		return answer, err
	}
	defer c.end()
	answer, err = run(c)
	return answer, c.wrap(err)
}

// inside resolves and runs a request inside of a call, which may be of another statement.
func (s *statement[N, Q, R, A]) inside(c *call, req Q) (answer A, err error) {
	found, err := s.find(c, req)
	if err == nil {
		answer, err = s.run(c, req, found)
	}
	return answer, err
}

// start queues the request as a job, and returns as soon as the request is checked.
func (s *statement[N, Q, R, A]) start(ctx context.Context, db *DB, req Q) (storage.JobInfo, error) {
	return inCall(ctx, db, s.help.Statement, func(c *call) (storage.JobInfo, error) {
		found, err := s.find(c, req)
		c.writes = false // the job will write, not this call
		if err != nil {
			return storage.JobInfo{}, err
		}
		return s.queue(c, req, found)
	})
}

// queue starts a resolved request in the background, if its memory is available.
func (s *statement[N, Q, R, A]) queue(c *call, req Q, found R) (storage.JobInfo, error) {
	spec, err := s.job(c, req, found)
	if err != nil {
		return storage.JobInfo{}, err
	}
	release, err := c.db.cache.Reserve(spec.Bytes(), spec.Purpose)
	if err != nil {
		return storage.JobInfo{}, err
	}
	release() // the job reserves the memory again when it starts
	return c.inBackground(spec.Info())
}

// inBackground queues a job that runs the statement of a record.
func (c *call) inBackground(info storage.JobInfo) (storage.JobInfo, error) {
	db := c.db
	return db.runner.Background(c.Call, info, func(ctx context.Context, j *job.Active) error {
		c := db.newCall(ctx, info.Kind)
		defer c.Release()
		c.quiet, c.job, c.continues = true, j, info.Checkpoint > 0
		statement, err := parser.Parse(info.Statement)
		if err != nil {
			return err
		}
		op, err := c.binder(nil).prepare(statement)
		if err == nil {
			_, err = op.exec(c)
		}
		return err
	})
}

// Answer runs a statement from the request of its typed method, such as an ImportRequest
// for "IMPORT", and returns its rows. It is meant for programs that show answers as
// tables without writing statements. statement is Help.Statement. request is nil for a
// statement without a request, such as "COMPACT", a parser.Listing for "SHOW", and the
// name itself if the method takes one name. Statements whose methods take several plain
// arguments can only be run by Run or Query.
func (db *DB) Answer(ctx context.Context, statement string, request any) (*Rows, error) {
	c, err := db.begin(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer c.end()
	for _, s := range db.language {
		if s.describe().Statement != statement {
			continue
		}
		rows, ok, err := s.rowsFor(c, request)
		if err != nil {
			return nil, c.wrap(err)
		}
		if ok {
			rows.notices = c.Notices
			return rows, nil
		}
	}
	return nil, fault.New(fault.Statement, "no statement %s takes a request of the type %T", fault.Quote(statement), request)
}

// rowsFor implements described: it answers a request of the statement as rows.
func (s *statement[N, Q, R, A]) rowsFor(c *call, request any) (*Rows, bool, error) {
	req, ok := request.(Q)
	if !ok && s.from != nil {
		req, ok = s.from(request)
	}
	if _, none := any(req).(nothing); !ok && !(none && request == nil) {
		return nil, false, nil
	}
	answer, err := s.inside(c, req)
	if err != nil {
		return nil, true, err
	}
	return s.tabulate(req, answer), true, nil
}

// Explain returns the plan of a statement without running it, as EXPLAIN shows
// it. It returns an error if the statement could not run.
func (db *DB) Explain(ctx context.Context, text string, params map[string]any) (*plan.Plan, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	return inCall(ctx, db, "EXPLAIN", func(c *call) (*plan.Plan, error) {
		op, err := c.binder(params).prepare(statement)
		if err != nil {
			return nil, err
		}
		return op.plan(), nil
	})
}

func (s *statement[N, Q, R, A]) describe() Help {
	h := s.help
	if s.options != nil {
		h.Options = s.options()
	}
	return h
}

// nothing is the answer of statements without a result, and the request or the
// resolved names of statements that have none.
type nothing struct{}

// errorOf is the error of a statement without a result.
func errorOf(_ nothing, err error) error { return err }

// bindNothing and resolveNothing are for statements without a request and without
// names.
func bindNothing[N parser.Statement](*binder, N) nothing { return nothing{} }

func resolveNothing[Q any](*call, Q) (nothing, error) { return nothing{}, nil }
