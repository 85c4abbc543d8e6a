package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/parser"
)

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
func Answer(ctx context.Context, c Config, statement string, request any, given ...option.Given) error {
	c.In = strings.NewReader("")
	if err := c.Validate(); err != nil {
		return err
	}
	db, err := local(c.DB)
	if err != nil {
		return err
	}
	s := newSession(&c, nil)
	err = s.answer(func() (tabular, error) { return rowsOf(db.Answer(ctx, statement, request, given...)) })
	var broken *outputError
	if err == nil || errors.As(err, &broken) {
		return err
	}
	s.report(parser.Source{}, err)
	return &Failure{Count: 1, First: err}
}

func run(ctx context.Context, c *Config, exec executor) error {
	s := newSession(c, exec)
	err := s.script(ctx, c.In, c.Name)
	return errors.Join(err, s.close())
}

// script runs the text of a reader until its end or .quit. Its errors are those of Run.
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
	if err := ctx.Err(); err != nil {
		return parser.Source{}, err
	}
	return await(ctx, func() (parser.Source, error) {
		src, err := script.Next()
		if err != nil && err != io.EOF && !errors.Is(err, parser.ErrSyntax) {
			err = fmt.Errorf("read statements: %w", err)
		}
		return src, err
	})
}

// await returns what read returns, or the error of the context if that ends before.
func await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// report prints the error of a statement: where it is in the script, what is
// wrong, and the line with a mark under it where the error has a position.
func (s *session) report(src parser.Source, err error) {
	var syntax *parser.Error
	var bind *fault.Error
	where, excerpt := "", ""
	switch {
	case errors.As(err, &syntax):
		excerpt = parser.Excerpt(src, syntax.Range)
	case errors.As(err, &bind) && bind.Start.Line > 0:
		excerpt = parser.Excerpt(src, bind.Range)
	case s.edit == nil || s.depth > 0: // a person knows what they have just typed
		where = fmt.Sprintf("line %d: ", src.Pos.Line)
	}
	if s.name != "" {
		where = s.name + ": " + where
	}
	message := s.config.Words.Message(err)
	if s.config.Words.Bare {
		where, excerpt = "", ""
	}
	if errors.Is(err, context.Canceled) {
		// A user who pressed Ctrl-C wants to know the state of the file, not
		// through which layers the error came.
		message = "cancelled; the file is as it was before this statement"
		if remedy := s.config.Words.Remedy(err); remedy != "" {
			message = "cancelled; " + remedy
		}
	}
	// Joined errors have several lines.
	lines := strings.Split(where+message, "\n")
	for i, line := range lines {
		lines[i] = parser.Escape(line)
	}
	s.config.Status.printError(strings.Join(lines, "\n"), excerpt)
}
