package fault

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Remedies for damage, for FileError.Remedy.
const (
	RemedyRestore = "restore the file from a backup, or recover what is sound into a new file (RECOVER)"
	RemedyCheck   = "check the store for the whole extent (CHECK); " + RemedyRestore
	RemedyShared  = "nothing was written; check the store (CHECK)"
	RemedyReopen  = "close the store and open it again"
)

// ErrRecord is matched by every fault of a record. Corrupt turns it into a FileError
// that names the file and the object.
var ErrRecord = errors.New("bad record")

// RecordError is a fault of a record.
type RecordError struct{ Reason string } // what is wrong with it

// Error is the reason, after the words of ErrRecord.
func (e *RecordError) Error() string { return ErrRecord.Error() + ": " + e.Reason }

// Is reports whether target is ErrRecord.
func (e *RecordError) Is(target error) bool { return target == ErrRecord }

// Record reports what is wrong with a record, as a RecordError.
func Record(format string, args ...any) error {
	return &RecordError{Reason: fmt.Sprintf(format, args...)}
}

// Reason is what is wrong with a record, without the words of ErrRecord; it is the
// whole text of any other error.
func Reason(err error) string {
	if record, ok := err.(*RecordError); ok {
		return record.Reason
	}
	return err.Error()
}

// VersionError is a file that this version cannot read; errors.Is(err, ErrVersion) holds.
type VersionError struct {
	Reason string
	Early  bool // the file is from before the first release, and not from a newer version
}

// Error returns the reason.
func (e *VersionError) Error() string { return e.Reason }

// Is reports whether target is ErrVersion.
func (e *VersionError) Is(target error) bool { return target == ErrVersion }

// NotStore reports that a path does not lead to a store.
func NotStore(path, reason string) error {
	return &FileError{Path: path, Err: ErrNotStore, Reason: reason, Remedy: "give the path of a heavytail file"}
}

// Clip shortens a text for an error to 80 bytes.
func Clip(s string) string {
	if len(s) <= 80 {
		return s
	}
	return s[:80] + "…"
}

// Guarded runs f and converts faults of the memory map into panics, and
// panics, those of this module and those of bbolt over a damaged page, into
// ErrCorrupt. Every access to the map uses it. It works for the calling
// goroutine only, so f must not start others that read the map.
func Guarded(path string, f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			reason := fmt.Sprint(r)
			if _, ok := r.(runtime.Error); ok { // its text is about this code and not about the file
				reason = "its pages cannot be read, or do not fit together"
			}
			err = &FileError{Path: path, Err: ErrCorrupt, Reason: reason, Remedy: RemedyCheck}
		}
	}()
	return f()
}

// Corrupt converts a fault of a record to an error that names file and object;
// other errors, and those that name them already, are returned unchanged.
func Corrupt(path, object string, err error) error {
	if !errors.Is(err, ErrRecord) || errors.Is(err, ErrCorrupt) {
		return err
	}
	return &FileError{Path: path, Object: object, Err: ErrCorrupt, Cause: err, Remedy: RemedyCheck}
}
