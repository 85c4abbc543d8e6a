package storage

import (
	"heavytail/storage/internal/fault"
)

// Errors of opening a file.
var (
	// ErrLocked: another process, or another handle of this one, has the file
	// open for writing (or has it open at all, when writing was asked for).
	ErrLocked = fault.ErrLocked
	// ErrNotStore: the path is not a heavytail store: a directory, an empty or
	// foreign file, or a bbolt file of another program.
	ErrNotStore = fault.ErrNotStore
	// ErrVersion: the file needs a newer heavytail, or was written before the first release.
	ErrVersion = fault.ErrVersion
	// ErrNetworkFS: the file lies on a network file system, and writing was
	// asked for without Options.AllowNetworkFS.
	ErrNetworkFS = fault.ErrNetworkFS
	// ErrCorrupt: the file is damaged.
	ErrCorrupt = fault.ErrCorrupt
)

// Errors of the state of a handle.
var (
	// ErrClosed: the handle was closed.
	ErrClosed = fault.ErrClosed
	// ErrReadOnly: the store was opened for reading only, or the file cannot be
	// opened for anything else.
	ErrReadOnly = fault.ErrReadOnly
	// ErrReplaced: the path of the store leads to a different file by now, or
	// to none, so that a write would be lost.
	ErrReplaced = fault.ErrReplaced
	// ErrFailed: a commit failed, so the content of the file is not
	// known until it is opened again.
	ErrFailed = fault.ErrFailed
	// ErrUnfreed: the change is complete and on the disk, but the space of what it dropped
	// or replaced could not be freed. Further writes may return ErrFailed; the next opening
	// for writing frees the space.
	ErrUnfreed = fault.ErrUnfreed
	// ErrNames: the file has several names (hard links), of which only one would lead to
	// the file that takes its place.
	ErrNames = fault.ErrNames
)

// Errors of requests.
var (
	// ErrNotFound is matched by every NotFoundError.
	ErrNotFound = fault.ErrNotFound
	// ErrExists: the graph exists, or has edges already.
	ErrExists = fault.ErrExists
	// ErrInUse: the object to drop or rename is in use, by embeddings or models of the
	// graph, a model of the embedding, predictions, or an unfinished job.
	ErrInUse = fault.ErrInUse
	// ErrConflict: the object changed while the operation ran.
	ErrConflict = fault.ErrConflict
	// ErrName: a graph or embedding name that is empty, too long, not UTF-8 or
	// has control characters.
	ErrName = fault.ErrName
	// ErrKey: a vertex key that is empty, too long, not UTF-8 or contains NUL.
	ErrKey = fault.ErrKey
	// ErrInvalid: an argument that the operation cannot take, such as options
	// out of range, a matrix of the wrong shape or a value that is not finite.
	ErrInvalid = fault.ErrInvalid
	// ErrShared: a write would have made two entries of the catalogue refer to one object, so
	// that dropping one of them would destroy the other; nothing was written.
	ErrShared = fault.ErrShared
	// ErrLimit: the data are beyond a limit of the format.
	ErrLimit = fault.ErrLimit
)

// NotFoundError names what does not exist. errors.Is(err, ErrNotFound) holds.
type NotFoundError = fault.NotFoundError

// FileError reports a fault of the file as a whole or of one object in it,
// with the reason and the remedy. It wraps one sentinel of this package and,
// if there is one, the error of the operating system or of bbolt.
type FileError = fault.FileError

// PartialError is returned together with an answer that lacks only the damaged entries:
// a list of models, indexes, predictions or jobs, or Stats. It has one error for each
// damaged entry, and all of them wrap ErrCorrupt.
type PartialError = fault.PartialError
