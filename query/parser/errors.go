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
	// ErrLimit is also wrapped where a statement is too long, too deep or has
	// too many parts.
	ErrLimit = errors.New("statement too large")
)

// Error says where a text stops making sense, and what would have.
type Error struct {
	Range             // what was found; empty at the end of the text
	Found    string   // as errors show it: a word in quotes, or "the end of the text"
	Expected []string // keywords in upper case, signs in quotes, others in words; in the order the grammar has them
	Message  string   // instead of Found and Expected where those do not say it: "string is never closed"
	Hint     string   // what to try, a sentence without its full stop; often empty
	Limit    bool     // a limit was passed
}

// Error returns the whole message in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d, column %d: ", e.Start.Line, e.Start.Column)
	if e.Message != "" {
		b.WriteString(e.Message)
	} else {
		fmt.Fprintf(&b, "found %s, expected %s", e.Found, alternatives(e.Expected))
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
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

// Detail returns the message and under it the line of the source with carets
// under what was found. The text is safe to print.
func (e *Error) Detail(src Source) string {
	if excerpt := Excerpt(src, e.Range); excerpt != "" {
		return e.Error() + "\n" + excerpt
	}
	return e.Error()
}
