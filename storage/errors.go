package storage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Errors of opening a file.
var (
	// ErrLocked: another process, or another handle of this one, has the file
	// open for writing (or has it open at all, when writing was asked for).
	ErrLocked = errors.New("file is locked")
	// ErrNotStore: the path is not a heavytail store: a directory, an empty or
	// foreign file, or a bbolt file of another program.
	ErrNotStore = errors.New("not a heavytail store")
	// ErrVersion: the file needs a newer heavytail.
	ErrVersion = errors.New("newer format")
	// ErrNetworkFS: the file lies on a network file system, and writing was
	// asked for without Options.AllowNetworkFS.
	ErrNetworkFS = errors.New("network file system")
	// ErrCorrupt: the file is damaged.
	ErrCorrupt = errors.New("file is damaged")
)

// Errors of the state of a handle.
var (
	// ErrClosed: the handle was closed.
	ErrClosed = errors.New("store is closed")
	// ErrReadOnly: the store was opened for reading only, or the file cannot be
	// opened for anything else.
	ErrReadOnly = errors.New("store is open for reading only")
	// ErrReplaced: the path of the store leads to another file by now, or to
	// none, so that a write would be lost.
	ErrReplaced = errors.New("file was replaced")
	// ErrFailed: an earlier commit failed, so what the file holds is not known
	// until it is opened again.
	ErrFailed = errors.New("an earlier commit failed")
)

// Errors of what was asked for.
var (
	// ErrNotFound is matched by every NotFoundError.
	ErrNotFound = errors.New("not found")
	// ErrExists: the graph exists, or has edges already.
	ErrExists = errors.New("exists already")
	// ErrInUse: embeddings or models of the graph exist.
	ErrInUse = errors.New("in use")
	// ErrConflict: the object changed while the operation ran.
	ErrConflict = errors.New("changed meanwhile")
	// ErrName: a graph or embedding name that is empty, too long, not UTF-8 or
	// has control characters.
	ErrName = errors.New("invalid name")
	// ErrKey: a vertex key that is empty, too long, not UTF-8 or contains NUL.
	ErrKey = errors.New("invalid vertex key")
	// ErrInvalid: an argument that the operation cannot take, such as options
	// out of range, a matrix of the wrong shape or a value that is not finite.
	ErrInvalid = errors.New("invalid argument")
	// ErrLimit: the data are beyond a limit of the format.
	ErrLimit = errors.New("limit exceeded")
)

// NotFoundError names what does not exist. errors.Is(err, ErrNotFound) holds.
type NotFoundError struct {
	Kind string // "graph", "embedding", "vertex", "edge", "attribute", "index",
	// "model" or "job"
	Name string
}

// Error says what is missing.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("storage: no %s %s", e.Kind, strconv.Quote(e.Name))
}

// Is reports whether target is ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// FileError is a fault of the file as a whole or of one object in it: what was
// found, and what to do. It wraps one sentinel of this package and, where
// there is one, the error of the operating system or of bbolt beneath.
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
	b.WriteString("storage: ")
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

// Unwrap gives the sentinel and the cause to errors.Is and errors.As.
func (e *FileError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}
