package parquet

import (
	"errors"
	"fmt"

	"heavytail/storage/format/internal/columnfile"
)

func damaged(format string, args ...any) error {
	return &columnfile.Error{Reason: fmt.Sprintf(format, args...), Kind: columnfile.ErrDamaged}
}

func limited(format string, args ...any) error {
	return &columnfile.Error{Reason: fmt.Sprintf(format, args...), Kind: columnfile.ErrLimit}
}

func unread(format string, args ...any) error {
	return &columnfile.Error{Reason: fmt.Sprintf(format, args...), Kind: columnfile.ErrUnread}
}

// at adds the column and the row to an error that has none.
func at(err error, column string, row int64) error {
	var fault *columnfile.Error
	if errors.As(err, &fault) && fault.Column == "" {
		return &columnfile.Error{Column: column, Row: row, Reason: fault.Reason, Kind: fault.Kind}
	}
	return err
}

func errShort() error { return damaged("a page has fewer bytes than its values take") }

// guarded calls the library, whose panics on damaged files become errors.
func guarded(call func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = damaged("the library that reads Parquet gave up: %v", fault)
		}
	}()
	return call()
}
