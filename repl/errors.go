package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"heavytail/query"
	"heavytail/query/parser"
)

// ErrFormat is wrapped if the name of a format is unknown.
var ErrFormat = errors.New("unknown format")

// Failure says that statements failed. All of them were reported to the Status.
type Failure struct {
	Count int   // statements that failed
	First error // the error of the first
}

// Error counts the statements.
func (f *Failure) Error() string {
	if f.Count == 1 {
		return "1 statement failed"
	}
	return fmt.Sprintf("%d statements failed", f.Count)
}

// Unwrap returns the error of the first statement that failed.
func (f *Failure) Unwrap() error { return f.First }

func (f *Failure) add(err error) {
	if f.First == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		f.First = err
	}
	f.Count++
}

// join adds the failures of a script inside the script.
func (f *Failure) join(inner *Failure) {
	f.add(inner.First)
	f.Count += inner.Count - 1
}

func (f *Failure) orNil() error {
	if f.Count == 0 {
		return nil
	}
	return f
}

// outputError is an error of Config.Out, after which no result can be written.
type outputError struct{ err error }

func (e *outputError) Error() string { return "write rows: " + e.err.Error() }

func (e *outputError) Unwrap() error { return e.err }

// report prints the error of a statement: where it is in the script, what is
// wrong, and the line with a mark under it where the error has a position.
func (s *session) report(src parser.Source, err error) {
	var syntax *parser.Error
	var bind *query.Error
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
