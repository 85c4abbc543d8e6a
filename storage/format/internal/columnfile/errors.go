package columnfile

import (
	"errors"
	"fmt"
	"io"
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

// Damaged is an error of the kind ErrDamaged about a whole file.
func Damaged(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...), Kind: ErrDamaged}
}

// Limited is an error of the kind ErrLimit about a whole file.
func Limited(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...), Kind: ErrLimit}
}

// Unread is an error of the kind ErrUnread about a whole file.
func Unread(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...), Kind: ErrUnread}
}

// At adds the column and the row to an error that has none.
func At(err error, column string, row int64) error {
	var fault *Error
	if errors.As(err, &fault) && fault.Column == "" {
		return &Error{Column: column, Row: row, Reason: fault.Reason, Kind: fault.Kind}
	}
	return err
}

// Guarded calls a library, whose panics on damaged files become errors of the kind ErrDamaged; what is
// what it reads.
func Guarded(what string, call func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = Damaged("the library that reads %s gave up: %v", what, fault)
		}
	}()
	return call()
}

// ReadAt fills p; the size of the file says that these bytes exist.
func ReadAt(in io.ReaderAt, p []byte, at int64) error {
	n, err := in.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == io.EOF || err == nil {
		return Damaged("the file ends before byte %d", at+int64(len(p)))
	}
	return err
}
