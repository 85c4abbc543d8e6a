package query

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"heavytail/query/parser"
	"heavytail/storage"
)

// Errors that a caller may want to tell apart. Errors of the store, such as
// storage.ErrLocked, pass through every layer and answer errors.Is as well.
// Messages are for the user of a program, who knows of no layers, and so do not
// begin with the name of a package.
var (
	// ErrClosed is returned by every call that begins after Close.
	ErrClosed = errors.New("the database is closed")
	// ErrLimit is wrapped by every LimitError.
	ErrLimit = errors.New("limit exceeded")
	// ErrNoFiles is wrapped where a statement names a file and Options.NoFiles
	// forbids it.
	ErrNoFiles = errors.New("file access is switched off")
	// ErrOutside is wrapped where a statement names a file outside the folder
	// that Options.Folder confines files to.
	ErrOutside = errors.New("file is outside the folder for files")
	// ErrCoordinates is wrapped where a model is asked for an embedding that was
	// computed anew since it was trained, in other coordinates.
	ErrCoordinates = errors.New("the embedding has other coordinates than the model was trained on")
	// ErrInvalid is wrapped by an Error about a value that is out of range, of
	// the wrong type, or missing.
	ErrInvalid = errors.New("invalid request")
)

// Error is a mistake in a statement or in a request: a name that is not known,
// a value of the wrong type or out of range. Mistakes of the grammar are
// *parser.Error instead, which has the same position and the same shape.
type Error struct {
	// Range is the text that is wrong; parser.Excerpt shows it. Its Start.Line is
	// 0 for a request made from Go, which has no text.
	parser.Range
	// Message says what is wrong and what was found.
	Message string
	// Expected lists what would have been right there, where that is a short
	// list of names or types; it may be empty.
	Expected []string
	// Hint is a whole clause, such as `did you mean "spec"?`; it may be empty.
	Hint string
	// Err is the reason behind it, for errors.Is; it may be nil.
	Err error

	part part // the piece of the request that is wrong; bind gives it a position
}

// Error returns position, message, expectation and hint in one line, as in
// `line 1, column 21: unknown embedding "spce": did you mean "spec"?`.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Start.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", e.Start.Line, e.Start.Column)
	}
	b.WriteString(e.Message)
	if len(e.Expected) > 0 {
		b.WriteString(", expected ")
		b.WriteString(orList(e.Expected))
	}
	if e.Hint != "" {
		b.WriteString(": ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Unwrap returns the reason behind the error.
func (e *Error) Unwrap() error { return e.Err }

// LimitError says which limit a call would have passed, with its figures. It
// answers errors.Is for ErrLimit.
type LimitError struct {
	What  string // what needed too much, such as "the vectors of embedding spec"
	Need  int64  // what it would take
	Limit int64  // what is allowed
	Unit  string // "bytes" or "rows"
	Field string // the field of Options that sets the limit
}

// Error names the need, the limit and the option that raises it.
func (e *LimitError) Error() string {
	need, limit := Amount(float64(e.Need), e.Unit), Amount(float64(e.Limit), e.Unit)
	if need == limit || e.Unit != "bytes" {
		need, limit = fmt.Sprintf("%d %s", e.Need, e.Unit), fmt.Sprintf("%d %s", e.Limit, e.Unit)
	}
	return fmt.Sprintf("%s would take %s, and %s allows %s", e.What, need, e.Field, limit)
}

// Unwrap returns ErrLimit.
func (e *LimitError) Unwrap() error { return ErrLimit }

// JobError is the error of a call whose work stopped as a job that ResumeJob can
// go on with, from a checkpoint.
type JobError struct {
	Job   uint64
	State storage.JobState
	Err   error // why it stopped, such as context.Canceled
}

// Error says why the job stopped, and how it goes on.
func (e *JobError) Error() string {
	return plainly(e.Err).Error() + "; " + e.Remedy()
}

// Remedy is the clause that says how the job goes on.
func (e *JobError) Remedy() string {
	if e.State.Active() { // only the waiting has ended
		return fmt.Sprintf("job %d goes on until the database is closed; WAIT JOB %d waits for it, or RESUME JOB %d goes on with it then", e.Job, e.Job, e.Job)
	}
	return fmt.Sprintf("RESUME JOB %d goes on from its checkpoint", e.Job)
}

// Unwrap returns why the job stopped.
func (e *JobError) Unwrap() error { return e.Err }

// PartError is the error of a SCORE FILE that stopped, and has left a file that the
// same request goes on with where Resume is set.
type PartError struct {
	File  string // what it has left
	Pairs int64  // that are in it
	Err   error  // why it stopped, such as context.Canceled
}

// Error says why it stopped, and how it goes on.
func (e *PartError) Error() string { return plainly(e.Err).Error() + "; " + e.Remedy() }

// Remedy is the clause that says how it goes on.
func (e *PartError) Remedy() string {
	return fmt.Sprintf("%s has the first %s; to go on with it, set the option resume := true", quote(e.File), count(e.Pairs, "pair"))
}

// Unwrap returns why it stopped.
func (e *PartError) Unwrap() error { return e.Err }

// orList joins alternatives as in "a, b or c".
func orList(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}

// plainError is an error of a layer below whose message does not begin with
// the name of that layer.
type plainError struct{ err error }

// plainly returns err as a plainError; nil for nil.
func plainly(err error) error {
	if err == nil {
		return nil
	}
	return plainError{err}
}

// Error is the message without the name, in each of the lines that joined
// errors have.
func (e plainError) Error() string {
	lines := strings.Split(e.err.Error(), "\n")
	for i, line := range lines {
		lines[i] = withoutLayers(line)
	}
	return strings.Join(lines, "\n")
}

// withoutLayers is a message without the names of layers at its beginning, each of
// which wraps that of a lower one.
func withoutLayers(message string) string {
	for {
		layer, rest, found := strings.Cut(message, ": ")
		if !found || !slices.Contains(layers, layer) {
			return message
		}
		message = rest
	}
}

// layers are the packages whose errors begin with their names.
var layers = []string{"storage", "format", "job", "link", "index", "eigen", "embedding", "evaluate", "classify"}

// Unwrap returns the error with its whole message.
func (e plainError) Unwrap() error { return e.err }

// openError says why the store at path cannot be opened, and what to do about it
// where the store does not.
func openError(path string, err error) error {
	var file *storage.FileError
	var system *fs.PathError
	if errors.As(err, &file) || !errors.As(err, &system) {
		return plainly(err)
	}
	remedy := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		remedy = "; give the path of a heavytail file, in a folder that exists"
	case errors.Is(err, syscall.EROFS):
		remedy = "; its file system cannot be written, so open it for reading only"
	case errors.Is(err, fs.ErrPermission):
		remedy = "; have the permissions of the file, or of its folder, changed"
	}
	return fmt.Errorf("open %s: %w%s", quote(path), reason{system.Err, err}, remedy)
}

// reason is an error that is told by the innermost of its causes.
type reason struct{ told, err error }

func (e reason) Error() string { return e.told.Error() }
func (e reason) Unwrap() error { return e.err }

// part names a piece of a request, so that bind can give an error about it the
// position of the text that the piece came from.
type part string
