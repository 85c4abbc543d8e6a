package query

import "heavytail/query/internal/fault"

// Errors for errors.Is. Errors of the store, such as storage.ErrLocked, pass
// through every layer and answer errors.Is as well. Messages are for the user of
// a program and do not begin with the name of a package.
var (
	// ErrClosed is returned by every call that begins after Close, and by every call of a zero DB.
	ErrClosed = fault.ErrClosed
	// ErrLimit is wrapped by every LimitError.
	ErrLimit = fault.ErrLimit
	// ErrNoFiles is wrapped if a statement names a file although Options.NoFiles
	// forbids it.
	ErrNoFiles = fault.ErrNoFiles
	// ErrOutside is wrapped if a statement names a file outside the folder
	// to which Options.Folder confines files.
	ErrOutside = fault.ErrOutside
	// ErrCoordinates is wrapped if a model is used with an embedding that was
	// recomputed since, in a different coordinate system.
	ErrCoordinates = fault.ErrCoordinates
	// ErrInvalid is wrapped by an Error about a value that is out of range, of
	// the wrong type, or missing.
	ErrInvalid = fault.ErrInvalid
)

// Error is a mistake in a statement or in a request: an unknown name, or a value that is of the wrong type or out
// of range. Its fields are the position in the text, the option that is wrong, the message, what was found and
// expected, the nearest known name, the remedy, options that correct it, and the reason for errors.Is. Mistakes
// of the grammar are *parser.Error instead, which has the same position.
type Error = fault.Error

// LimitError reports which limit a call would have exceeded, with its figures. It
// answers errors.Is for ErrLimit.
type LimitError = fault.LimitError

// FieldError reports an invalid value of a field of Options; it answers errors.Is for
// ErrInvalid.
type FieldError = fault.FieldError

// StatementError is an error that is not a mistake in the statement, such as one of the
// store or of a limit. It has the name of the statement.
type StatementError = fault.StatementError

// OptionRemedy is an option that avoids an Error, with the value to set.
type OptionRemedy = fault.OptionRemedy

// Words are the names that a program uses for the options of statements and the
// fields of Options, such as flags of a command line. Their method Message writes an
// error with these names, from its fields.
type Words = fault.Words

// JobError is the error of a call whose work stopped as a job that ResumeJob can
// continue from a checkpoint.
type JobError = fault.JobError

// PartError is the error of a SCORE FILE that stopped and left an unfinished
// file, which the same request continues if Resume is set.
type PartError = fault.PartError

// Amount writes a quantity for people: bytes with binary units, other units with
// decimal ones.
func Amount(x float64, unit string) string { return fault.Amount(x, unit) }

// ParseBytes reads a number of bytes for Options.MemoryLimit: "4GiB" and "1.5 GiB" with powers of
// 1024, "500MB" with powers of 1000, or "1048576". Case does not matter. A fraction of a byte is
// dropped. The error is for other texts, and for sizes that an int64 does not hold.
func ParseBytes(text string) (int64, error) { return fault.ParseBytes(text) }
