package repl

import (
	"context"
	"errors"
	"fmt"
	"io"

	"heavytail/query"
	"heavytail/query/parser"
)

// Config says what to run and where its answers go.
type Config struct {
	DB  *query.DB
	In  io.Reader // the script
	Out io.Writer // rows
	// Status shows progress, notices and errors. For progress its method
	// Progress must also be what DB was opened with.
	Status *Status
	// Name is what errors call the script, such as its file name. Empty says
	// only the line, which is enough for a statement on a command line.
	Name string
	// Format is how rows are written; empty means Table.
	Format Format
	// Params are the values of $name in every statement.
	Params map[string]any
	// KeepGoing runs the statements after one that failed as well. By default
	// they do not run, since they often build on it.
	KeepGoing bool
	// Timer says after each statement the seconds that it took.
	Timer bool
	// Unplaced leaves the place and the excerpt out of errors: the statements
	// were written by a program, and its user does not know them.
	Unplaced bool
	// Reword changes messages of errors into words that the user of a program
	// knows, such as flags instead of options. Nil changes nothing.
	Reword func(message string) string
}

// Validate returns every fault of the configuration, joined.
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

// Run executes the statements and commands of a script, each as soon as its
// semicolon or the end of its line was read, the last also without one, and
// writes their rows. In memory it holds one
// statement and at most a page of rows.
//
// The error is a *Failure where statements failed: they were reported already.
// Any other error was not: that of a reader or writer, or of a context that was
// cancelled between statements. It wraps ctx.Err() where the context ended the
// run, also through a Failure. A read of In that blocks is left behind then, and
// its goroutine ends with it.
func Run(ctx context.Context, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return run(ctx, &c, executorOf(c.DB))
}

// executor runs one statement. Tests have their own.
type executor func(context.Context, parser.Statement, map[string]any) (rows, error)

// executorOf runs statements on a database.
func executorOf(db *query.DB) executor {
	return func(ctx context.Context, st parser.Statement, params map[string]any) (rows, error) {
		r, err := db.Run(ctx, st, params)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
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

// script runs what a reader has to say, until its end or .quit. The error is as
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
		case !errors.Is(err, parser.ErrSyntax): // which a statement that is too long has
			return errors.Join(failure.orNil(), err)
		}
		if err == nil {
			continue
		}
		var broken *outputError
		if errors.As(err, &broken) {
			return errors.Join(failure.orNil(), broken)
		}
		if inner, ok := err.(*Failure); ok { // of .read, which has reported it
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
