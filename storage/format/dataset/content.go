package dataset

import (
	"errors"
	"fmt"

	"heavytail/storage"
)

// Version is the form of the folder.
const Version = 1

// Errors, for errors.Is.
var (
	// ErrDamaged is a file that is missing, or is not what was written.
	ErrDamaged = errors.New("damaged")
	// ErrVersion is a folder of another version.
	ErrVersion = errors.New("of another version")
	// ErrUnfit is an object that a folder cannot have.
	ErrUnfit = errors.New("cannot be written as data")
)

// Names are the objects to write: a graph, and embeddings and models of it. Indexes says whether
// the indexes of the embeddings are written, too.
type Names struct {
	Graph      string
	Embeddings []string
	Models     []string
	Indexes    bool
}

// Content lists the content of a folder. It is small, and the caller keeps it.
type Content struct {
	Version   int               `json:"version"`
	Catalogue storage.Catalogue `json:"catalogue"` // of one graph
	Weights   bool              `json:"weights"`   // whether edges have the column weight
	Times     bool              `json:"times"`     // whether edges have the column time
	Files     []File            `json:"files"`     // in the order in which they were written
}

// File is one file of the folder.
type File struct {
	Path   string `json:"path"` // in the folder, with slashes
	Rows   int64  `json:"rows,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// FileError names a file of the folder, and what to do about it. It wraps ErrDamaged or
// the error of the system.
type FileError struct {
	Path   string // with the folder
	Reason string
	Err    error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s %s: restore it from a copy of the folder, or plan again: %v", e.Path, e.Reason, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }
