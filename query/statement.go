package query

import (
	"context"

	"heavytail/query/internal/job"
	"heavytail/query/internal/plan"
	"heavytail/query/parser"
	"heavytail/storage"
)

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
	// when reports whether a node belongs to this statement, if several statements
	// share a type of node; nil means all nodes of the type.
	when func(node N) bool
	// bind converts a node to a request. It is the only step that uses the text,
	// and reads from the store only the attributes that conditions need.
	bind func(b *binder, node N) (Q, error)
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
	// rows converts the answer to the table of the statement.
	rows func(req Q, answer A) *Rows
	// job describes the statement as a job; nil if it cannot run in the background. It
	// may load data that the estimate of its memory needs.
	job func(c *call, req Q, found R) (job.Spec, error)
	// reads is set if the statement never writes to the store. All other
	// statements return an error when the store is open for reading.
	reads bool
}

func (s *statement[N, Q, R, A]) describe() Help { return s.help }

func (s *statement[N, Q, R, A]) prepare(b *binder, node parser.Statement) (operation, bool, error) {
	n, ok := node.(N)
	if !ok || s.when != nil && !s.when(n) {
		return nil, false, nil
	}
	req, err := s.bind(b, n)
	if err != nil {
		return nil, true, err
	}
	found, err := s.find(b.call, req)
	if err != nil {
		return nil, true, err
	}
	background := b.background
	b.background = false // IN BACKGROUND has no effect on an EXPLAIN around the node
	return &prepared[N, Q, R, A]{s, req, found, background}, true, nil
}

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
	return s.rows(req, answer), true, nil
}

// find resolves a request.
func (s *statement[N, Q, R, A]) find(c *call, req Q) (found R, err error) {
	if !s.reads {
		if err := c.writable(); err != nil {
			return found, err
		}
	}
	return s.resolve(c, req)
}

// inside resolves and runs a request inside of a call, which may be of another statement.
func (s *statement[N, Q, R, A]) inside(c *call, req Q) (answer A, err error) {
	found, err := s.find(c, req)
	if err == nil {
		answer, err = s.run(c, req, found)
	}
	return answer, err
}

// answer implements the typed method of the statement: it begins a call,
// resolves the request, runs it, and adds the name of the statement to
// errors.
func (s *statement[N, Q, R, A]) answer(ctx context.Context, db *DB, req Q) (answer A, err error) {
	c, err := db.begin(ctx, s.help.Statement)
	if err != nil {
		return answer, err
	}
	defer c.end()
	answer, err = s.inside(c, req)
	return answer, c.wrap(err)
}

// start queues the request as a job, and returns as soon as the request is checked.
func (s *statement[N, Q, R, A]) start(ctx context.Context, db *DB, req Q) (storage.JobInfo, error) {
	c, err := db.begin(ctx, s.help.Statement)
	if err != nil {
		return storage.JobInfo{}, err
	}
	defer c.end()
	found, err := s.find(c, req)
	c.writes = false // the job will write, not this call
	if err != nil {
		return storage.JobInfo{}, c.wrap(err)
	}
	info, err := s.queue(c, req, found)
	return info, c.wrap(err)
}

// queue starts a resolved request in the background, if its memory is available.
func (s *statement[N, Q, R, A]) queue(c *call, req Q, found R) (storage.JobInfo, error) {
	spec, err := s.job(c, req, found)
	if err != nil {
		return storage.JobInfo{}, err
	}
	release, err := c.db.cache.Reserve(spec.Memory, spec.Purpose)
	if err != nil {
		return storage.JobInfo{}, err
	}
	release() // the job reserves the memory again when it starts
	return c.inBackground(spec.Info())
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
		return jobRows([]storage.JobInfo{info}), err
	}
	answer, err := p.run(c, p.req, p.found)
	if err != nil {
		return nil, err
	}
	return p.rows(p.req, answer), nil
}

// nothing is the answer of statements without a result, and the request or the
// resolved names of statements that have none.
type nothing struct{}

// noRows is the table of statements without a result.
func noRows[Q, A any](Q, A) *Rows { return none() }

// bindNothing and resolveNothing are for statements without a request and without
// names.
func bindNothing[N parser.Statement](*binder, N) (nothing, error) { return nothing{}, nil }

func resolveNothing[Q any](*call, Q) (nothing, error) { return nothing{}, nil }
