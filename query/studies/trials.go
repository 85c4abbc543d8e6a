package studies

import (
	"context"
	"io"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/rowfile"
	"heavytail/query/internal/trial"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// This file runs statements that consist of trials, EVALUATE LINKS and EVALUATE PARAMETERS, in
// parts: any process computes the figures of some trials from the file, which it only reads, and
// then the answer is computed from all figures. The figures of a trial do not depend on the
// division, so the answer is that of the undivided statement.

// TrialsRequest asks for the figures of some trials of a statement, in a file.
type TrialsRequest struct {
	Statement parser.Statement // without parameters and without INTO FILE
	First     int64            // number of the first trial, from 0
	Count     int64            // number of trials
	Path      string
	Overwrite bool // replace a file that exists, which is otherwise refused
}

// tried is a statement that consists of trials.
type tried interface {
	engine.Operation
	// Trials is the number of trials; 0 for a statement that has none.
	Trials() int64
	// Try computes the figures of some trials.
	Try(c *engine.Call, w *trial.Writer) error
}

// Trials returns the number of trials of a statement without parameters and without INTO FILE, or
// an Error if it is not made of trials: those of EVALUATE LINKS are its splits, and with
// null_graph one more, each with the scorers that need no vectors and again with each method;
// those of EVALUATE PARAMETERS are its embeddings. Other errors are those of EXPLAIN.
func (s *Service) Trials(ctx context.Context, statement parser.Statement) (int64, error) {
	return engine.InCall(ctx, s.db, parser.Heading(statement), func(c *engine.Call) (int64, error) {
		op, err := findTried(c, statement)
		if err != nil {
			return 0, err
		}
		return op.Trials(), nil
	})
}

// WriteTrials writes the figures of some trials to a file, for RunTrials. It only reads the DB.
// The file has a line of JSON that identifies it, and then one line for each trial.
func (s *Service) WriteTrials(ctx context.Context, req TrialsRequest) error {
	_, err := engine.InCall(ctx, s.db, parser.Heading(req.Statement), func(c *engine.Call) (engine.Nothing, error) { return engine.Nothing{}, writeTrials(c, req) })
	return err
}

func writeTrials(c *engine.Call, req TrialsRequest) error {
	op, err := findTried(c, req.Statement)
	if err != nil {
		return err
	}
	all := op.Trials()
	some := engine.RowRange{First: req.First, Count: &req.Count}
	if err := some.Check(); err != nil {
		return err
	}
	end, err := some.End(all)
	if err != nil {
		return err
	}
	return c.WriteFile(req.Path, req.Overwrite, func(out io.Writer) error {
		w := trial.NewWriter(out, parser.Text(req.Statement), all, req.First, end-req.First)
		if err := op.Try(c, w); err != nil {
			return err
		}
		return w.Close()
	})
}

// RunTrials is Run for a statement whose figures WriteTrials has written, with or without INTO
// FILE: rows and notices are those of Run. parts open the files, in the order of their trials; each
// is read to its end, and an error of its Close counts. Parts of another statement or another
// version of the graph, incomplete ones and those out of order are storage.ErrInvalid.
func (s *Service) RunTrials(ctx context.Context, statement parser.Statement, parts []func() (io.ReadCloser, error)) (*rows.Rows, error) {
	return engine.InCall(ctx, s.db, parser.Heading(statement), func(c *engine.Call) (*rows.Rows, error) {
		op, err := c.Binder(nil).Prepare(statement)
		if err != nil {
			return nil, err
		}
		of, node := op, statement
		if into, ok := op.(*engine.Prepared[*parser.IntoFile, engine.RowsRequest, rowfile.Form, engine.WrittenRows]); ok {
			of, node = into.Req.Operation, statement.(*parser.IntoFile).Statement
		}
		made, err := triedBy(of, node)
		if err != nil {
			return nil, err
		}
		c.Trials = trial.NewReader(parts, parser.Text(node), made.Trials())
		rows, err := c.Execute(op)
		if closed := c.Trials.Close(); err == nil && closed != nil {
			return nil, closed
		}
		return rows, err
	})
}

// tried prepares a statement that consists of trials.
func findTried(c *engine.Call, statement parser.Statement) (tried, error) {
	op, err := c.Binder(nil).Prepare(statement)
	if err != nil {
		return nil, err
	}
	return triedBy(op, statement)
}

// triedBy returns the operation of a statement if it consists of trials.
func triedBy(op engine.Operation, statement parser.Statement) (tried, error) {
	if op, ok := op.(tried); ok && op.Trials() > 0 {
		return op, nil
	}
	return nil, fault.New(fault.Statement, "%s has no trials", parser.Heading(statement)).
		WithExpected("EVALUATE LINKS", "EVALUATE PARAMETERS")
}
