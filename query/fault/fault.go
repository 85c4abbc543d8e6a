package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"heavytail/query/parser"
)

// Pieces of requests that errors are about.
const (
	Statement Part = "statement"
	Graph     Part = "graph"
	Embedding Part = "embedding"
	Vertex    Part = "vertex"
	Vector    Part = "vector"
	Number    Part = "count"
	Threshold Part = "threshold"
	Limit     Part = "limit"
	Before    Part = "before"
	Where     Part = "where"
	Metric    Part = "metric"
	Method    Part = "method"
	File      Part = "file"
	Into      Part = "into"
)

// Option is an option by its name.
func Option(name string) Part { return Part("option " + name) }

// Scorer is a scorer by its position, from 0 on.
func Scorer(i int) Part { return Part("scorer " + strconv.Itoa(i)) }

// New makes an Error about a piece of a request.
func New(at Part, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Err: ErrInvalid, At: at}
}

// OfOption makes an Error about an option; the message follows its name, as in "is 0,
// and must be at least 1".
func OfOption(name, format string, args ...any) *Error {
	e := New(Option(name), format, args...)
	e.Option = name
	return e
}

// This is the option whose rule makes an Error, where the rule need not know its name.
const This Part = "option"

// Rule makes an Error about this option; the message follows its name, as in OfOption.
func Rule(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Err: ErrInvalid, At: This, rule: true}
}

// About returns the error with the name of the option that a Rule is of.
func (e *Error) About(option string) *Error {
	if e.At != This {
		return e
	}
	named := *e
	named.At = Option(option)
	if e.rule {
		named.Option = option
	}
	return &named
}

// WithNearest adds the known name nearest to what was found, if one is near
// enough, or else the known names where they are few. quote writes a name as the
// language does; nil leaves it as it is.
func (e *Error) WithNearest(found string, known []string, quote func(string) string) *Error {
	const few = 16
	if quote == nil {
		quote = func(name string) string { return name }
	}
	e.Found = found
	if nearest, ok := parser.Suggest(found, known); ok {
		e.Nearest = quote(nearest)
	} else if len(known) > 0 && len(known) <= few {
		for _, k := range known {
			e.Expected = append(e.Expected, quote(k))
		}
	}
	return e
}

// WithExpected adds valid names or types.
func (e *Error) WithExpected(expected ...string) *Error {
	e.Expected = append(e.Expected, expected...)
	return e
}

// WithRemedy sets the clause that says what to do.
func (e *Error) WithRemedy(remedy string) *Error {
	e.Remedy = remedy
	return e
}

// WithOption adds an option that avoids the error; value is empty where the user must choose one.
func (e *Error) WithOption(purpose, option, value string) *Error {
	e.Options = append(e.Options, OptionRemedy{Purpose: purpose, Option: option, Value: value})
	return e
}

// WithErr sets the reason behind the error, in place of ErrInvalid.
func (e *Error) WithErr(err error) *Error {
	e.Err = err
	return e
}

// Error is a mistake in a statement or in a request: a name that is not known,
// a value of the wrong type or out of range. Mistakes of the grammar are
// *parser.Error instead, which has the same position and the same shape.
type Error struct {
	// Range is the text that is wrong; parser.Excerpt shows it. Its Start.Line is
	// 0 for a request made from Go, which has no text.
	parser.Range
	// Option is the option that is wrong; Message then follows the words "option
	// NAME". It is empty if Message is a whole sentence.
	Option string
	// Message describes what is wrong and what was found.
	Message string
	// Expected lists the valid names or types, if they are few; it may be
	// empty.
	Expected []string
	// Found is the unknown name, if a name is unknown.
	Found string
	// Nearest is the known name most similar to Found, in the form of the
	// language; it may be empty.
	Nearest string
	// Remedy is a clause that says what to do, such as "REFRESH the embedding
	// first"; it may be empty.
	Remedy string
	// Options are options that avoid the error, each with its purpose; it may be
	// nil.
	Options []OptionRemedy
	// Err is the reason behind it, for errors.Is; it may be nil.
	Err error

	At Part // the piece of the request that is wrong; bind gives it a position

	rule bool // Message follows the name of This
}

// Error returns position, message, expectation and what to do in one line, as in
// `line 1, column 21: unknown embedding "spce": did you mean "spec"?`.
func (e *Error) Error() string { return e.in(Words{}) }

// in is Error in the words of a program.
func (e *Error) in(w Words) string {
	var b strings.Builder
	if e.Start.Line > 0 && !w.Bare {
		fmt.Fprintf(&b, "line %d, column %d: ", e.Start.Line, e.Start.Column)
	}
	if e.Option != "" {
		b.WriteString(w.option(e.Option) + " ")
	}
	b.WriteString(e.Message)
	if len(e.Expected) > 0 {
		b.WriteString(", expected ")
		b.WriteString(OrList(e.Expected))
	}
	if hint := e.hint(w); hint != "" {
		b.WriteString(": ")
		b.WriteString(hint)
	}
	return b.String()
}

// Hint is the question for the nearest name, or else the remedy and the options that
// avoid the error, as Error shows them; it may be empty.
func (e *Error) Hint() string { return e.hint(Words{}) }

func (e *Error) hint(w Words) string {
	if e.Nearest != "" {
		return "did you mean " + e.Nearest + "?"
	}
	var clauses []string
	if e.Remedy != "" {
		clauses = append(clauses, e.Remedy)
	}
	for _, o := range e.Options {
		clauses = append(clauses, o.Purpose+", set "+w.set(o.Option, o.Value))
	}
	return strings.Join(clauses, "; ")
}

// Unwrap returns the reason behind the error.
func (e *Error) Unwrap() error { return e.Err }

// WithPosition adds to an Error the position of the wrong part of the request, if at has it and
// the Error has none.
func WithPosition(err error, at map[Part]parser.Range) error {
	var mistake *Error
	if !errors.As(err, &mistake) || mistake.Start.Line != 0 {
		return err
	}
	place, ok := at[mistake.At]
	if !ok {
		return err
	}
	found := *mistake
	found.Range = place
	return &found
}

// Part names a piece of a request, so that bind can give an error about it the
// position of the text that the piece came from.
type Part string

// OptionRemedy is an option that avoids an error.
type OptionRemedy struct {
	Purpose string // such as "to replace it"
	Option  string // its name
	Value   string // in the language; empty where the user must choose one
}
