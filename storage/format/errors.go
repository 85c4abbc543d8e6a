package format

import (
	"errors"
	"fmt"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/compress"
	"heavytail/storage/internal/excerpt"
)

// Reading.
var (
	// ErrSyntax is wrapped by every LineError whose line breaks the format.
	ErrSyntax = fault.ErrSyntax
	// ErrLimit is wrapped by every error that a limit of the options caused.
	ErrLimit = fault.ErrLimit
	// ErrDamaged is wrapped by every StreamError: a compressed stream that is
	// truncated, fails its checksum or is not what it claims to be.
	ErrDamaged = errors.New("damaged or unreadable stream")
	// ErrReader is wrapped by the error of a read whose io.Reader panicked, or returned a byte
	// count larger than its buffer.
	ErrReader = compress.ErrReader
	// ErrLibrary is wrapped by the error of reading or writing Parquet or Arrow in a program that does
	// not import heavytail/storage/format/parquet or heavytail/storage/format/arrow.
	ErrLibrary = columnfile.ErrLibrary
	// ErrOptions is wrapped by every OptionError.
	ErrOptions = errors.New("invalid options")
)

// Writing.
var (
	// ErrKey is wrapped by every KeyError.
	ErrKey = errors.New("key cannot be written")
	// ErrValue is wrapped by every ValueError, and by errors about names of
	// attributes and weights of edges that cannot be written.
	ErrValue = errors.New("value cannot be written")
	// ErrNotFinite is returned for a vector that holds NaN or an infinity.
	ErrNotFinite = errors.New("value is not finite")
)

// ErrEnding is wrapped by every EndingError.
var ErrEnding = errors.New("unknown ending of a file's name")

// LineError says where a line of a text file is wrong, and why. It wraps
// ErrSyntax, or ErrLimit where a limit was exceeded.
type LineError struct {
	File   string `json:"file"`   // name of the input, as the options call it; may be empty
	Line   int64  `json:"line"`   // 1 for the first line, comments and empty lines counted
	Column int    `json:"column"` // 1 for the first character of the line; in characters, not bytes
	Reason string `json:"reason"` // what is wrong; text of the input is quoted, escaped and cut
	Kind   error  `json:"-"`      // ErrSyntax or ErrLimit
}

func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", fault.Input(e.File), e.Line, e.Column, e.Reason)
}

func (e *LineError) Unwrap() error { return e.Kind }

// StreamError says where a compressed stream is damaged. It wraps ErrDamaged
// and the decoder's error.
type StreamError struct {
	File   string // name of the input, as the options call it; may be empty
	Format string // "gzip", "zstd", or the name of a format recognised by the first bytes
	Offset int64  // byte of the compressed input that the decoder had reached
	Err    error  // the decoder's error
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("%s: byte %d of the %s stream: %v", fault.Input(e.File), e.Offset, e.Format, e.Err)
}

func (e *StreamError) Unwrap() []error { return []error{ErrDamaged, e.Err} }

// KeyError names a key that a text format cannot hold. It wraps ErrKey.
type KeyError struct {
	Key    string
	Reason string
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("key %s: %s", excerpt.Of([]byte(e.Key)), e.Reason)
}

func (e *KeyError) Unwrap() error { return ErrKey }

// ValueError names a value of a vertex or of an edge that a format cannot hold, or that does not have the
// type of its attribute. It wraps ErrValue.
type ValueError struct {
	Key       string // of the vertex, or of the source of the edge
	Target    string // key of the target of the edge; empty for a vertex
	Attribute string
	Reason    string
}

func (e *ValueError) Error() string {
	if e.Target != "" {
		return fmt.Sprintf("edge from %s to %s, attribute %s: %s", excerpt.Of([]byte(e.Key)), excerpt.Of([]byte(e.Target)), excerpt.Of([]byte(e.Attribute)), e.Reason)
	}
	return fmt.Sprintf("vertex %s, attribute %s: %s", excerpt.Of([]byte(e.Key)), excerpt.Of([]byte(e.Attribute)), e.Reason)
}

func (e *ValueError) Unwrap() error { return ErrValue }
