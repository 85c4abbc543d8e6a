package query

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that a caller may want to tell apart. Errors of the store, such as
// storage.ErrLocked, pass through every layer and answer errors.Is as well.
var (
	// ErrClosed is returned by every call that begins after Close.
	ErrClosed = errors.New("query: the database is closed")
	// ErrLimit is wrapped by every LimitError.
	ErrLimit = errors.New("query: limit exceeded")
	// ErrNoFiles is wrapped where a statement names a file and Options.NoFiles
	// forbids it.
	ErrNoFiles = errors.New("query: file access is switched off")
	// ErrInvalid is wrapped by an Error about a value that is out of range, of
	// the wrong type, or missing.
	ErrInvalid = errors.New("query: invalid request")
)

// Error is a mistake in a statement or in a request: a name that is not known,
// a value of the wrong type or out of range. Where it was made by a statement
// it has the position of the text that is wrong.
type Error struct {
	// Line and Column count from 1, Column in characters; both are 0 for a
	// request made from Go, which has no text.
	Line, Column int
	// Offset and End are the byte range of the text that is wrong.
	Offset, End int
	// Message says what is wrong and what was found.
	Message string
	// Expected lists what would have been right there, where that is a short
	// list of names or types; it may be empty.
	Expected []string
	// Hint is a whole clause, such as `did you mean "spec"?`; it may be empty.
	Hint string
	// Err is the reason behind it, for errors.Is; it may be nil.
	Err error

	part part // the piece of the request that is wrong; bind gives it a position
}

// Error returns position, message, expectation and hint in one line, as in
// `1:21: unknown embedding "spce": did you mean "spec"?`.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Column)
	}
	b.WriteString(e.Message)
	if len(e.Expected) > 0 {
		b.WriteString(", expected ")
		b.WriteString(orList(e.Expected))
	}
	if e.Hint != "" {
		b.WriteString(": ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Unwrap returns the reason behind the error.
func (e *Error) Unwrap() error { return e.Err }

// LimitError says which limit a call would have passed, with its figures. It
// answers errors.Is for ErrLimit.
type LimitError struct {
	What  string // what needed too much, such as "the vectors of embedding spec"
	Need  int64  // what it would take
	Limit int64  // what is allowed
	Unit  string // "bytes" or "rows"
	Field string // the field of Options that sets the limit
}

// Error names the need, the limit and the option that raises it.
func (e *LimitError) Error() string {
	return fmt.Sprintf("query: %s would take %s, and %s allows %s", e.What,
		amount(e.Need, e.Unit), e.Field, amount(e.Limit, e.Unit))
}

// Unwrap returns ErrLimit.
func (e *LimitError) Unwrap() error { return ErrLimit }

// amount writes a figure with its unit; bytes become MiB where they are many.
func amount(n int64, unit string) string {
	if unit == "bytes" && n >= 1<<20 {
		return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// orList joins alternatives as in "a, b or c".
func orList(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}

// part names a piece of a request, so that bind can give an error about it the
// position of the text that the piece came from.
type part string
