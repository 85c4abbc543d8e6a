package query

import (
	"context"

	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
	"heavytail/query/parser"
)

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
	c, err := db.begin(ctx, parser.Heading(statement))
	if err != nil {
		return nil, err
	}
	defer c.end()
	op, err := c.prepare(statement, params)
	if err != nil {
		return nil, c.wrap(err)
	}
	rows, err := op.exec(c)
	if err != nil {
		return nil, c.wrap(err)
	}
	rows.notices = c.Notices
	return rows, nil
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

// Explain returns the plan of a statement without running it, as EXPLAIN shows
// it. It returns an error if the statement could not run.
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
	op, err := c.prepare(statement, params)
	if err != nil {
		return nil, c.wrap(err)
	}
	return op.plan(), nil
}

// prepare binds and resolves a statement. Mistakes of the user are found here, with
// their positions, except mistakes that only the loaded data shows. Later errors
// come from limits, cancellation, the store, and the contents of other files.
func (c *call) prepare(node parser.Statement, params map[string]any) (operation, error) {
	c.at = map[fault.Part]parser.Range{}
	b := &binder{call: c, Values: bind.New(c.at, params)}
	return b.prepare(node)
}

// prepare is call.prepare for one node, which may be the inner statement of EXPLAIN.
func (b *binder) prepare(node parser.Statement) (operation, error) {
	for _, s := range b.db.language {
		if op, ok, err := s.prepare(b, node); ok {
			return op, err
		}
	}
	b.Mark(fault.Statement, node)
	return nil, fault.New(fault.Statement, "%s is not known here", parser.Heading(node))
}
