package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"heavytail/query"
	"heavytail/query/parser"
)

// Config sets what to run and where the results go.
type Config struct {
	DB  *query.DB
	In  io.Reader // the script
	Out io.Writer // rows
	// Status shows progress, notices and errors. For progress, and for notices
	// that come before the work, its methods Progress and Notice must also be
	// set in the options with which DB was opened.
	Status *Status
	// Name is the name of the script in errors, such as its file name. If it
	// is empty, errors have only the line, which is enough for a statement on
	// a command line.
	Name string
	// Format is how rows are written; empty means Table.
	Format Format
	// Params are the values of $name in every statement.
	Params map[string]any
	// KeepGoing runs the statements after a failed one, too. By default they
	// do not run, since they often depend on it.
	KeepGoing bool
	// Timer prints after each statement how many seconds it took.
	Timer bool
	// Words are the names of options and limits that the user of a program
	// knows, such as flags.
	Words query.Words
	// Manual returns a page of the manual of the program, and for "" the list
	// of its pages. It is nil if there is no manual.
	Manual func(page string) (string, error)
}

// Validate returns all errors of the configuration, joined.
func (c *Config) Validate() error {
	var faults []error
	check := func(bad bool, message string) {
		if bad {
			faults = append(faults, errors.New(message))
		}
	}
	check(c.DB == nil, "DB is missing")
	check(c.In == nil, "In is missing")
	check(c.Out == nil, "Out is missing")
	check(c.Status == nil, "Status is missing")
	if _, err := ParseFormat(string(c.Format)); c.Format != "" && err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// Run executes the statements and commands of a script and writes their rows.
// It runs each one as soon as its semicolon or the end of its line has been
// read; the last statement needs no semicolon. It holds one statement and at
// most a page of rows in memory.
//
// The error is a *Failure if statements failed; these were already reported.
// Any other error was not: that of a reader or writer, or of a context that
// was cancelled between statements. If the context ended the run, the error
// wraps ctx.Err(), also through a Failure. A read of In that blocks is then
// abandoned; its goroutine ends when the read does.
func Run(ctx context.Context, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return run(ctx, &c, executorOf(c.DB))
}

// Answer runs a statement by its typed request, as DB.Answer does, and writes its rows.
// It reads nothing from In. Errors are those of Run.
func Answer(ctx context.Context, c Config, statement string, request any) error {
	c.In = strings.NewReader("")
	if err := c.Validate(); err != nil {
		return err
	}
	s := newSession(&c, nil)
	err := s.answer(func() (rows, error) { return rowsOf(c.DB.Answer(ctx, statement, request)) })
	var broken *outputError
	if err == nil || errors.As(err, &broken) {
		return err
	}
	s.report(parser.Source{}, err)
	return &Failure{Count: 1, First: err}
}

// executor runs one statement. Tests have their own.
type executor func(context.Context, parser.Statement, map[string]any) (rows, error)

// executorOf runs statements on a database.
func executorOf(db *query.DB) executor {
	return func(ctx context.Context, st parser.Statement, params map[string]any) (rows, error) {
		return rowsOf(db.Run(ctx, st, params))
	}
}

// rowsOf returns the rows of an answer, or nil if it has an error.
func rowsOf(r *query.Rows, err error) (rows, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// rows is what the package needs of query.Rows.
type rows interface {
	Columns() []string
	Next() bool
	Row() []query.Value
	Err() error
	Notices() []query.Notice
	Close() error
}

var _ rows = (*query.Rows)(nil)

func run(ctx context.Context, c *Config, exec executor) error {
	s := newSession(c, exec)
	err := s.script(ctx, c.In, c.Name)
	return errors.Join(err, s.close())
}

// script runs the text of a reader until its end or .quit. The error is as
// that of Run.
func (s *session) script(ctx context.Context, in io.Reader, name string) error {
	defer func(before string) { s.name = before }(s.name)
	s.name = name
	script := parser.NewSplitter(in)
	script.TakeLines(commandSigns)
	failure := &Failure{}
	for !s.quit {
		src, err := nextStatement(ctx, script)
		switch {
		case err == io.EOF:
			return failure.orNil()
		case err == nil:
			err = s.piece(ctx, src)
		case !errors.Is(err, parser.ErrSyntax): // a statement that is too long is ErrSyntax
			return errors.Join(failure.orNil(), err)
		}
		if err == nil {
			continue
		}
		var broken *outputError
		if errors.As(err, &broken) {
			return errors.Join(failure.orNil(), broken)
		}
		if inner, ok := err.(*Failure); ok { // an error of .read, already reported
			failure.join(inner)
		} else {
			s.report(src, err)
			failure.add(err)
		}
		if !s.config.KeepGoing || ctx.Err() != nil {
			return failure
		}
	}
	return failure.orNil()
}

// piece runs a statement or a command of a script.
func (s *session) piece(ctx context.Context, src parser.Source) error {
	if isCommand(src.Text) {
		return s.command(ctx, src)
	}
	return s.statement(ctx, src)
}

// nextStatement waits for a statement or for the end of the context.
func nextStatement(ctx context.Context, script *parser.Splitter) (parser.Source, error) {
	type result struct {
		src parser.Source
		err error
	}
	if err := ctx.Err(); err != nil {
		return parser.Source{}, err
	}
	read := make(chan result, 1)
	go func() {
		src, err := script.Next()
		read <- result{src, err}
	}()
	select {
	case r := <-read:
		if r.err != nil && r.err != io.EOF && !errors.Is(r.err, parser.ErrSyntax) {
			r.err = fmt.Errorf("read statements: %w", r.err)
		}
		return r.src, r.err
	case <-ctx.Done():
		return parser.Source{}, ctx.Err()
	}
}
