package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"heavytail/storage"
)

// Package query exports the errors and types of this file, and describes them.
var (
	ErrClosed      = errors.New("the database is closed")
	ErrLimit       = errors.New("limit exceeded")
	ErrNoFiles     = errors.New("file access is switched off")
	ErrOutside     = errors.New("file is outside the folder for files")
	ErrOtherMethod = errors.New("the embedding no longer has the method and options that the model learned from")
	ErrInvalid     = errors.New("invalid request")
)

// StatementError is an error that is not a mistake in the statement, such as one of the
// store or of a limit.
type StatementError struct {
	Statement string // its words, such as "IMPORT"
	Err       error
}

// Error names the statement before the error.
func (e *StatementError) Error() string { return e.in(Words{}) }

func (e *StatementError) in(w Words) string {
	if w.Bare {
		return w.Message(e.Err)
	}
	return e.Statement + ": " + w.Message(e.Err)
}

// Unwrap returns the error itself.
func (e *StatementError) Unwrap() error { return e.Err }

// FieldError reports an invalid value of a field of Options.
type FieldError struct {
	Field   string
	Value   any
	Message string // a clause that follows the value, such as "must not be negative"
}

// Error names the field and the value.
func (e *FieldError) Error() string { return e.in(Words{}) }

func (e *FieldError) in(w Words) string {
	return fmt.Sprintf("%s (%v) %s", w.field(e.Field), e.Value, e.Message)
}

// Unwrap returns ErrInvalid.
func (e *FieldError) Unwrap() error { return ErrInvalid }

// JobError is the error of a call whose work stopped as a job that
// jobs.Service.Resume can continue from a checkpoint.
type JobError struct {
	Job   uint64
	State storage.JobState
	Err   error // why it stopped, such as context.Canceled
}

// Error returns the reason why the job stopped, and how to continue it.
func (e *JobError) Error() string { return e.in(Words{}) }

func (e *JobError) in(w Words) string { return w.Message(e.Err) + "; " + e.Remedy() }

func (e *JobError) remedy(Words) string { return e.Remedy() }

// Remedy returns the clause that describes how to continue the job.
func (e *JobError) Remedy() string {
	if e.State.Active() { // the job continues; only the call that waited has ended
		return fmt.Sprintf("job %d is still running; WAIT JOB %d waits for it; if the database is closed first, RESUME JOB %d continues it", e.Job, e.Job, e.Job)
	}
	return fmt.Sprintf("RESUME JOB %d continues from its checkpoint", e.Job)
}

// Unwrap returns the reason why the job stopped.
func (e *JobError) Unwrap() error { return e.Err }

// PartError is the error of a SCORE FILE that stopped and left an unfinished file. The
// same request with Resume continues that file.
type PartError struct {
	File  string // path of the unfinished file
	Pairs int64  // number of pairs in the file
	Err   error  // why it stopped, such as context.Canceled
}

// Error returns the reason why the statement stopped, and how to continue it.
func (e *PartError) Error() string { return e.in(Words{}) }

func (e *PartError) in(w Words) string { return w.Message(e.Err) + "; " + e.remedy(w) }

// ResumeOption is the option of a statement that continues the file of a PartError.
const ResumeOption = "resume"

// Remedy returns the clause that describes how to continue.
func (e *PartError) Remedy() string { return e.remedy(Words{}) }

// remedy is Remedy in the words of a program.
func (e *PartError) remedy(w Words) string {
	return fmt.Sprintf("%s has the first %s; to continue it, set %s", Quote(e.File), Count(e.Pairs, "pair"), w.set(ResumeOption, "true"))
}

// Unwrap returns the reason why the statement stopped.
func (e *PartError) Unwrap() error { return e.Err }

// OpenError adds to the error of opening the store at path a remedy, if the
// error of the store has none.
func OpenError(path string, err error) error {
	var file *storage.FileError
	var system *fs.PathError
	if errors.As(err, &file) || !errors.As(err, &system) {
		return err
	}
	remedy := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		remedy = "; give the path of a heavytail file, in a folder that exists"
	case errors.Is(err, syscall.EROFS):
		remedy = "; its file system cannot be written, so open it for reading only"
	case errors.Is(err, fs.ErrPermission):
		remedy = "; change the permissions of the file or of its folder"
	}
	return fmt.Errorf("open %s: %w%s", Quote(path), reason{system.Err, err}, remedy)
}

// reason is an error whose text is that of the innermost of its causes.
type reason struct{ shown, err error }

func (e reason) Error() string { return e.shown.Error() }
func (e reason) Unwrap() error { return e.err }
