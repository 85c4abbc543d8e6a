package engine

import (
	"cmp"
	"context"
	"strings"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/job"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// This file has the steps of every statement, in the order of the calls: from a text
// (Query) or a request (answer) through binding and resolving to rows.

// Statement describes one statement of the language. N is its node in the syntax
// tree, Q the request of its typed method, R the catalogue entries that the names
// in a request refer to, and A the answer.
//
// A typed method passes its request to answer. A text is first bound to the same
// request and resolved, and then planned, run or queued as a job.
type Statement[N parser.Statement, Q, R, A any] struct {
	// Help is what HELP, completion and the flags of the command line show. Its
	// Statement also names the statement in errors.
	Help help.Statement
	// Schema returns the options, so that only statements that are used or described build theirs;
	// nil if the statement has none. Their values in a request are checked before Resolve.
	Schema func() option.Schema[Q]
	// When reports whether a node belongs to this statement, if several statements
	// share a type of node; nil means all nodes of the type.
	When func(node N) bool
	// Bind converts a node to a request. It is the only step that uses the text,
	// and reads from the store only the attributes that conditions need.
	Bind func(b *Binder, node N) Q
	// From converts the request of the typed method to a Q, if it has a different
	// type; nil if the typed method takes a Q.
	From func(request any) (Q, bool)
	// Resolve checks a request and finds the catalogue entries that its names refer
	// to. It loads neither graphs nor vectors, so that EXPLAIN is cheap.
	Resolve func(c *Call, req Q) (R, error)
	// Plan returns the steps by which the request will be answered.
	Plan func(req Q, found R) *plan.Plan
	// Run answers the request.
	Run func(c *Call, req Q, found R) (A, error)
	// Table has the rows of the answer, if its columns are those of help up to a semicolon; rows
	// is for other columns, and for rows that are made while they are read. A statement without
	// a result has neither.
	Table func(req Q, answer A) [][]rows.Value
	Rows  func(req Q, answer A) *rows.Rows
	// Empty returns an answer without rows, if its table has other columns than that of the zero
	// answer.
	Empty func(req Q, found R) A
	// Job describes the statement as a job; nil if it cannot run in the background. It
	// may load data that the estimate of its memory needs.
	Job func(c *Call, req Q, found R) (job.Spec, error)
	// Reads is set if the statement never writes to the store. All other
	// statements return an error when the store is open for reading.
	Reads bool
}

// Execute runs an operation and adds the notices of the call to its rows.
func (c *Call) Execute(op Operation) (*rows.Rows, error) {
	rows, err := op.Exec(c)
	if err != nil {
		return nil, err
	}
	rows.SetNotices(c.Notices)
	return rows, nil
}

// Prepare binds and resolves a statement, which may be the inner statement of EXPLAIN.
// Mistakes of the user are found here, with their positions, except mistakes that only the
// loaded data shows. Later errors come from limits, cancellation, the store, and the
// contents of other files.
func (b *Binder) Prepare(node parser.Statement) (Operation, error) {
	if node == nil {
		return nil, fault.New(fault.Statement, "no statement is given")
	}
	for _, s := range b.DB.Language {
		if op, ok, err := s.Prepare(b, node); ok {
			return op, err
		}
	}
	b.Mark(fault.Statement, node)
	return nil, fault.New(fault.Statement, "%s is not known here", parser.Heading(node))
}

// Prepare implements described: it binds and resolves a node of the statement.
func (s *Statement[N, Q, R, A]) Prepare(b *Binder, node parser.Statement) (Operation, bool, error) {
	n, ok := node.(N)
	if !ok || s.When != nil && !s.When(n) {
		return nil, false, nil
	}
	req := s.Bind(b, n)
	if b.Err != nil {
		return nil, true, b.Err
	}
	found, err := s.Find(b.Call, req)
	if err != nil {
		return nil, true, err
	}
	background := b.Background
	b.Background = false // IN BACKGROUND has no effect on an EXPLAIN around the node
	return &Prepared[N, Q, R, A]{s, req, found, background}, true, nil
}

// Find resolves a request; it refuses one that writes, where the file is open for reading.
func (s *Statement[N, Q, R, A]) Find(c *Call, req Q) (found R, err error) {
	if !s.Reads {
		if err := c.Writable(); err != nil {
			return found, err
		}
	}
	if s.Schema != nil {
		if err := s.Schema().Check(req); err != nil {
			return found, bind.Mistake(err)
		}
	}
	return s.Resolve(c, req)
}

// Prepared is a request whose names are resolved.
type Prepared[N parser.Statement, Q, R, A any] struct {
	*Statement[N, Q, R, A]
	Req        Q
	Found      R
	Background bool
}

// Plan implements Operation.
func (p *Prepared[N, Q, R, A]) Plan() *plan.Plan { return p.Statement.Plan(p.Req, p.Found) }

// Header implements Operation: an answer without rows, or that of a job.
func (p *Prepared[N, Q, R, A]) Header() *rows.Rows {
	switch {
	case p.Background:
		return OneJob(storage.JobInfo{})
	case p.Rows == nil && p.Table != nil:
		return cells.RowsOf(p.columns(), nil)
	}
	var answer A
	if p.Empty != nil {
		answer = p.Empty(p.Req, p.Found)
	}
	return p.Tabulate(p.Req, answer)
}

// Exec implements Operation: it runs the request, or queues it where the statement says IN
// BACKGROUND.
func (p *Prepared[N, Q, R, A]) Exec(c *Call) (*rows.Rows, error) {
	if p.Background && c.Job == nil { // a running job has been queued already
		info, err := p.Queue(c, p.Req, p.Found)
		return OneJob(info), err
	}
	answer, err := p.Run(c, p.Req, p.Found)
	if err != nil {
		return nil, err
	}
	return p.Tabulate(p.Req, answer), nil
}

// Tabulate converts the answer to the table of the statement.
func (s *Statement[N, Q, R, A]) Tabulate(req Q, answer A) *rows.Rows {
	switch {
	case s.Rows != nil:
		return s.Rows(req, answer)
	case s.Table != nil:
		return cells.RowsOf(s.columns(), s.Table(req, answer))
	}
	return cells.None()
}

// columns are those of help, up to a semicolon.
func (s *Statement[N, Q, R, A]) columns() []string {
	columns, _, _ := strings.Cut(s.Help.Columns, ";")
	return cells.ColumnsIn(columns)
}

// Answer implements the typed method of the statement: it begins a call,
// resolves the request, runs it, and adds the name of the statement to
// errors.
func (s *Statement[N, Q, R, A]) Answer(ctx context.Context, db *DB, req Q) (A, error) {
	return InCall(ctx, db, s.Help.Statement, func(c *Call) (A, error) { return s.Inside(c, req) })
}

// InCall runs a function in a call, and adds the name of the statement to its error.
func InCall[A any](ctx context.Context, db *DB, statement string, run func(*Call) (A, error)) (answer A, err error) {
	c, err := db.Begin(ctx, statement)
	if err != nil {
		return answer, err
	}
	defer c.End()
	answer, err = run(c)
	return answer, c.Wrap(err)
}

// Inside resolves and runs a request inside of a call, which may be of another statement.
func (s *Statement[N, Q, R, A]) Inside(c *Call, req Q) (answer A, err error) {
	found, err := s.Find(c, req)
	if err == nil {
		answer, err = s.Run(c, req, found)
	}
	return answer, err
}

// Start queues the request as a job, and returns as soon as the request is checked.
func (s *Statement[N, Q, R, A]) Start(ctx context.Context, db *DB, req Q) (storage.JobInfo, error) {
	return InCall(ctx, db, s.Help.Statement, func(c *Call) (storage.JobInfo, error) {
		found, err := s.Find(c, req)
		c.Writes = false // the job will write, not this call
		if err != nil {
			return storage.JobInfo{}, err
		}
		return s.Queue(c, req, found)
	})
}

// Queue starts a resolved request in the background, if its memory is available.
func (s *Statement[N, Q, R, A]) Queue(c *Call, req Q, found R) (storage.JobInfo, error) {
	spec, err := s.Job(c, req, found)
	if err != nil {
		return storage.JobInfo{}, err
	}
	release, err := c.DB.Cache.Reserve(spec.Bytes(), spec.Purpose)
	if err != nil {
		return storage.JobInfo{}, err
	}
	release() // the job reserves the memory again when it starts
	return c.InBackground(spec.Info())
}

// InBackground queues a job that runs the statement of a record.
func (c *Call) InBackground(info storage.JobInfo) (storage.JobInfo, error) {
	db := c.DB
	return db.Runner.Background(c.Call, info, func(ctx context.Context, j *job.Active) error {
		c := db.NewCall(ctx, info.Kind)
		defer c.Release()
		c.Quiet, c.Job, c.Continues = true, j, info.Checkpoint > 0
		statement, err := parser.Parse(info.Statement)
		if err != nil {
			return err
		}
		op, err := c.Binder(nil).Prepare(statement)
		if err == nil {
			_, err = op.Exec(c)
		}
		return err
	})
}

// RowsFor implements described: it answers a request of the statement, with options that were given
// apart, as rows.
func (s *Statement[N, Q, R, A]) RowsFor(c *Call, request any, given []option.Given) (*rows.Rows, bool, error) {
	req, ok := request.(Q)
	if !ok && s.From != nil {
		req, ok = s.From(request)
	}
	if _, none := any(req).(Nothing); !ok && !(none && request == nil) {
		return nil, false, nil
	}
	if len(given) > 0 {
		var schema option.Schema[Q]
		if s.Schema != nil {
			schema = s.Schema()
		}
		if err := schema.Bind(s.Help.Statement, given, &req); err != nil {
			return nil, true, bind.Mistake(err)
		}
	}
	answer, err := s.Inside(c, req)
	if err != nil {
		return nil, true, err
	}
	return s.Tabulate(req, answer), true, nil
}

// Describe implements Described.
func (s *Statement[N, Q, R, A]) Describe() help.Statement {
	h := s.Help
	h.Syntax = parser.Syntax(h.Statement)
	h.Clauses = parser.Clauses(h.Statement)
	h.Example = cmp.Or(h.Example, parser.Example(h.Statement))
	if s.Schema != nil {
		h.Options = s.Schema().Infos()
	}
	return h
}

// Nothing is the answer of statements without a result, and the request or the
// resolved names of statements that have none.
type Nothing struct{}

// ErrorOf is the error of a statement without a result.
func ErrorOf(_ Nothing, err error) error { return err }

// BindNothing is Bind of statements without a request.
func BindNothing[N parser.Statement](*Binder, N) Nothing { return Nothing{} }

// ResolveNothing is Resolve of statements without names.
func ResolveNothing[Q any](*Call, Q) (Nothing, error) { return Nothing{}, nil }
