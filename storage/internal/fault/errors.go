package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The sentinels of package storage, which documents them. Every error of the
// store wraps one of them, or an error of the operating system.
var (
	ErrLocked    = errors.New("file is locked")
	ErrNotStore  = errors.New("not a heavytail store")
	ErrVersion   = errors.New("unknown format")
	ErrNetworkFS = errors.New("network file system")
	ErrCorrupt   = errors.New("file is damaged")
	ErrClosed    = errors.New("store is closed")
	ErrReadOnly  = errors.New("store is open for reading only")
	ErrReplaced  = errors.New("file was replaced")
	ErrFailed    = errors.New("a commit failed")
	ErrUnfreed   = errors.New("the change is complete and on the disk, but the space of what it dropped is not free yet")
	ErrNames     = errors.New("the file has several names")
	ErrNotFound  = errors.New("not found")
	ErrExists    = errors.New("exists already")
	ErrInUse     = errors.New("in use")
	ErrConflict  = errors.New("changed meanwhile")
	ErrName      = errors.New("invalid name")
	ErrKey       = errors.New("invalid vertex key")
	ErrInvalid   = errors.New("invalid argument")
	ErrLimit     = errors.New("limit exceeded")
	ErrShared    = errors.New("two entries would share an object")
)

// NotFoundError names an object that does not exist. errors.Is(err,
// ErrNotFound) holds.
type NotFoundError struct {
	Kind string // "graph", "embedding", "vertex", "edge", "attribute", "index",
	// "model" or "job"
	Name string

	// Of and Generations are set where Name is that of a generation of an embedding that
	// exists: its name, and the generations that are kept, ascending.
	Of          string
	Generations []uint64
}

// Error names the missing object.
func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("no %s %s", e.Kind, strconv.Quote(e.Name))
	if e.Of != "" {
		text += ": " + e.Has()
	}
	return text
}

// Has says which generations the embedding Of has; "" where it is not set.
func (e *NotFoundError) Has() string {
	list := make([]string, len(e.Generations))
	for i, g := range e.Generations {
		list[i] = strconv.FormatUint(g, 10)
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "embedding " + strconv.Quote(e.Of) + " has generation " + list[0] + " alone"
	}
	last := len(list) - 1
	return "embedding " + strconv.Quote(e.Of) + " has the generations " + strings.Join(list[:last], ", ") + " and " + list[last]
}

// Is reports whether target is ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// PartialError is returned with a result that lacks the damaged objects and
// has all others. It has an error for each damaged object.
type PartialError struct{ Errs []error }

// Error names every damaged object.
func (e *PartialError) Error() string { return errors.Join(e.Errs...).Error() }

// Unwrap returns the errors for errors.Is and errors.As.
func (e *PartialError) Unwrap() []error { return e.Errs }

// Partial returns a PartialError of the errors that are not nil, or nil if
// there are none.
func Partial(errs ...error) error {
	var e PartialError
	for _, err := range errs {
		var inner *PartialError
		switch {
		case err == nil:
		case errors.As(err, &inner):
			e.Errs = append(e.Errs, inner.Errs...)
		default:
			e.Errs = append(e.Errs, err)
		}
	}
	if len(e.Errs) == 0 {
		return nil
	}
	return &e
}

// FileError is a fault of the file as a whole or of one object in it, with its
// remedy. It wraps one sentinel of this package and, if there is one, the
// underlying error of the operating system or of bbolt.
type FileError struct {
	Path   string // the file
	Object string // the part of it, such as `graph "social"`; may be empty
	Reason string // what is wrong
	Remedy string // what to do; may be empty
	Err    error  // sentinel of this package
	Cause  error  // underlying error; may be nil
}

// Error names the file, the object, the fault and the remedy.
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(strconv.Quote(e.Path))
	for _, part := range []string{e.Object, e.Err.Error(), e.Reason} {
		if part != "" {
			b.WriteString(": ")
			b.WriteString(part)
		}
	}
	if e.Cause != nil {
		b.WriteString(": ")
		b.WriteString(e.Cause.Error())
	}
	if e.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(e.Remedy)
	}
	return b.String()
}

// Unwrap returns the sentinel and the cause for errors.Is and errors.As.
func (e *FileError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}
