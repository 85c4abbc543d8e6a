package parser

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinels that errors.Is finds in an Error.
var (
	// ErrSyntax is wrapped by every Error.
	ErrSyntax = errors.New("syntax error")
	// ErrLimit is also wrapped by the Error of a statement that is too long, is too
	// deeply nested or has too many parts.
	ErrLimit = errors.New("statement too large")
)

// Error is a mistake of the grammar. Its fields are the position in the text, what
// was found there, what was expected, and what to do. It either has Found and
// Expected or, where they would not describe the mistake, a Message.
type Error struct {
	Range             // the text that was found; empty at the end of the text
	Found    string   // as errors show it: a word in quotes, or "the end of the text"
	Expected []string // keywords in upper case, signs in quotes, anything else in words; in the order of the grammar
	Message  string   // such as "string is never closed"; often empty
	Nearest  string   // the expected keyword most like what was found; often empty
	Remedy   string   // what to do, a clause such as "a string is written in single quotes"; often empty
	Limit    bool     // a limit was exceeded
}

// Hint is the question for the nearest keyword, or else the remedy, as Error shows
// it; it may be empty.
func (e *Error) Hint() string {
	if e.Nearest != "" {
		return "did you mean " + e.Nearest + "?"
	}
	return e.Remedy
}

// Error returns position, mistake and hint in one line, as in
// `line 1, column 23: found "USNG", expected USING; did you mean USING?`.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d, column %d: ", e.Start.Line, e.Start.Column)
	if e.Message != "" {
		b.WriteString(e.Message)
	} else {
		fmt.Fprintf(&b, "found %s, expected %s", e.Found, alternatives(e.Expected))
	}
	if hint := e.Hint(); hint != "" {
		b.WriteString("; " + hint)
	}
	return b.String()
}

// Unwrap lets errors.Is find ErrSyntax and ErrLimit.
func (e *Error) Unwrap() []error {
	if e.Limit {
		return []error{ErrSyntax, ErrLimit}
	}
	return []error{ErrSyntax}
}

// alternatives joins words as in "A, B or C".
func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Detail returns the message, and below it the line of the source with carets
// under the text that was found. The result is safe to print.
func (e *Error) Detail(src Source) string {
	if excerpt := Excerpt(src, e.Range); excerpt != "" {
		return e.Error() + "\n" + excerpt
	}
	return e.Error()
}
