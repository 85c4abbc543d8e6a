package tokens

import (
	"fmt"
	"strings"
)

// Source is the text that a reader of tokens reads.
type Source struct {
	// Next returns the next piece of the text, valid until the following call. The error is
	// io.EOF at the end of the text.
	Next     func() ([]byte, error)
	MaxLine  int   // the most bytes of a token
	MaxBytes int64 // the most bytes of the text
	MaxLines int64 // the most lines of the text; 0 for no limit
	// At returns the error of a fault at a line and a column, both counted from 1. The kind is
	// errSyntax or errLimit.
	At func(line int64, column int, kind error, reason string) error
}

// maxDepth is the largest nesting. GraphML needs five levels; the rest is for data of other
// programs, which are ignored.
const maxDepth = 64

// limitError reports an exceeded limit; the caller adds the position.
type limitError struct{ reason string }

func (e *limitError) Error() string { return e.reason }

// printable escapes the text of the input that a decoder's message quotes.
func printable(message string) string {
	quoted := fmt.Sprintf("%q", message)
	const most = 200
	quoted = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	if len(quoted) > most {
		quoted = strings.ToValidUTF8(quoted[:most], "") + "…"
	}
	return quoted
}

// ByteOrderMark begins the files of some editors. It is not a part of the text.
const ByteOrderMark = "\ufeff"
