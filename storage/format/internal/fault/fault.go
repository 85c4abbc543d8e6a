package fault

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// The kinds of faults.
var (
	// ErrSyntax is the kind of a fault that breaks the format.
	ErrSyntax = errors.New("malformed line")
	// ErrLimit is the kind of a fault that exceeds a limit.
	ErrLimit = errors.New("limit exceeded")
)

// Fault is an error in a line and its place. A fault without a kind means no error.
type Fault struct {
	At     int // byte of the line
	Reason string
	Kind   error
}

// Found reports whether there is a fault.
func (f Fault) Found() bool { return f.Kind != nil }

// Syntax is the fault of a text that breaks the format.
func Syntax(at int, format string, args ...any) Fault {
	return Fault{at, fmt.Sprintf(format, args...), ErrSyntax}
}

// Limit is the fault of a text that exceeds a limit.
func Limit(at int, format string, args ...any) Fault {
	return Fault{at, fmt.Sprintf(format, args...), ErrLimit}
}

// OfText finds what no data line may contain: NUL, a carriage return that is not part of the
// line's end, and invalid UTF-8.
func OfText(line []byte) Fault {
	if i := bytes.IndexByte(line, '\r'); i >= 0 && bytes.IndexByte(line[:i], 0) < 0 {
		return Syntax(i, "carriage return inside a line")
	}
	return OfEncoding(line)
}

// OfEncoding finds NUL and invalid UTF-8.
func OfEncoding(line []byte) Fault {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return Syntax(i, "NUL byte; is this a text file?")
	}
	if utf8.Valid(line) {
		return Fault{}
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && size == 1 {
			return Syntax(at, "byte %#02x is not valid UTF-8", line[at])
		}
		at += size
	}
}

// Input returns the name of an input in errors.
func Input(name string) string {
	if name == "" {
		return "input"
	}
	return name
}
