package columnfile

import (
	"errors"
	"fmt"
)

// Kinds of faults. Each Error wraps one of them.
var (
	// ErrDamaged means that a file violates the format, or fails a checksum.
	ErrDamaged = errors.New("damaged file")
	// ErrLimit means that a file exceeds a limit.
	ErrLimit = errors.New("limit exceeded")
	// ErrUnread means that a file uses a feature of the format that the library does not
	// read.
	ErrUnread = errors.New("not read")
	// ErrLibrary means that the program has no library for the format.
	ErrLibrary = errors.New("no library for the format")
)

// Error describes where and why a file cannot be read.
type Error struct {
	Column string // name of the column; empty if the error is about the whole file
	Row    int64  // number of the row that could not be read; the rows before it were read; 0 if the error is not about a row
	Reason string
	Kind   error // ErrDamaged, ErrLimit, ErrUnread or ErrLibrary
}

func (e *Error) Error() string {
	if e.Column == "" {
		return e.Reason
	}
	return fmt.Sprintf("column %q: %s", e.Column, e.Reason)
}

func (e *Error) Unwrap() error { return e.Kind }
