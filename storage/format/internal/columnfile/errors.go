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
	// ErrUnread means that a file uses a feature of the format that this package does not
	// read.
	ErrUnread = errors.New("not read")
)

// Error describes where and why a file cannot be read.
type Error struct {
	Column string // name of the column; empty if the error is about the whole file
	Row    int64  // number of the row that could not be read; the rows before it were read; 0 if the error is not about a row
	Reason string
	Kind   error // ErrDamaged, ErrLimit or ErrUnread
}

func (e *Error) Error() string {
	if e.Column == "" {
		return e.Reason
	}
	return fmt.Sprintf("column %q: %s", e.Column, e.Reason)
}

func (e *Error) Unwrap() error { return e.Kind }

func damaged(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...), Kind: ErrDamaged}
}

func limited(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...), Kind: ErrLimit}
}

func unread(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...), Kind: ErrUnread}
}

// at adds the column and the row to an error that has none.
func at(err error, column string, row int64) error {
	var fault *Error
	if errors.As(err, &fault) && fault.Column == "" {
		return &Error{column, row, fault.Reason, fault.Kind}
	}
	return err
}
