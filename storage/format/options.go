package format

import (
	"errors"
	"fmt"
)

// HeaderMode says what the first data line (the first that is neither empty nor
// a comment) of an edge list is.
type HeaderMode uint8

const (
	// HeaderAuto takes the first data line as column names if its first two
	// fields are a known pair such as source,target or from,to, or if neither
	// of them is an integer while both of the next line are. A comment above it
	// that holds just a known pair ("# FromNodeId ToNodeId") settles that there
	// is no other header. Otherwise the line is delivered as an edge, and may
	// turn out to be a counts header: see ReadStats.CountsHeader.
	HeaderAuto HeaderMode = iota
	// HeaderNone takes every data line as an edge.
	HeaderNone
	// HeaderNames takes the first data line as column names.
	HeaderNames
	// HeaderCounts takes the first data line as "n m", the numbers of vertices
	// and of edge lines, and does not deliver it. A number of data lines other
	// than m is an error.
	HeaderCounts
)

// String returns the name that ParseHeader accepts.
func (h HeaderMode) String() string {
	switch h {
	case HeaderAuto:
		return "auto"
	case HeaderNone:
		return "none"
	case HeaderNames:
		return "names"
	case HeaderCounts:
		return "counts"
	}
	return fmt.Sprintf("HeaderMode(%d)", uint8(h))
}

// HeaderModes returns the names that ParseHeader accepts, in order.
func HeaderModes() []string { return []string{"auto", "none", "names", "counts"} }

// ParseHeader returns the mode of a name: auto, none, names or counts.
func ParseHeader(name string) (HeaderMode, error) {
	for i, known := range HeaderModes() {
		if name == known {
			return HeaderMode(i), nil
		}
	}
	return 0, fmt.Errorf("%w: header %q is none of auto, none, names, counts", ErrOptions, name)
}

// EdgeListOptions says how an edge list is to be read. The zero value reads
// every common form.
type EdgeListOptions struct {
	// Name is what errors call the input.
	Name string
	// Separator is what stands between columns: "" or "auto" (the first data
	// line decides), " " or "whitespace" (runs of spaces and tabs), "\t" or
	// "tab", "," or "comma", ";" or "semicolon", "|" or "bar". The last three
	// read fields in double quotes as CSV does, a quote inside doubled; a field
	// never spans lines.
	Separator string
	// Header says what the first data line is.
	Header HeaderMode
	// SkipBad counts malformed lines and goes on, instead of ending the read.
	SkipBad bool
	// MaxLine is the most bytes of one line, up to 1 GiB; 0 means 1 MiB. Two keys
	// of the greatest length and hundreds of further columns fit; a file that
	// has no line ends, such as an image, is found out early.
	MaxLine int
	// MaxKey is the most bytes of one key; 0 means 1024. Longer "keys" are
	// documents, and the store keeps every key in an index.
	MaxKey int
	// MaxBytes is the most bytes of text, after decompression; 0 means 64 GiB,
	// some five thousand million edges. It stops compressed bombs.
	MaxBytes int64
	// MaxLines is the most lines, comments and empty ones counted; 0 means that
	// only MaxBytes limits them.
	MaxLines int64
	// Size is the number of bytes of the input as it is read, compressed or
	// not; 0 means unknown. It only serves Progress.
	Size int64
	// Progress, if not nil, is called from the reading goroutine, at most about
	// 20 times a second, with stage "reading", the bytes of (compressed) input
	// read so far, and Size.
	Progress func(stage string, done, total int64)
}

const (
	defaultMaxLine  = 1 << 20
	largestMaxLine  = 1 << 30 // a line is held in memory
	defaultMaxKey   = 1024
	defaultMaxBytes = 64 << 30
)

// Validate reports all faults of the options at once. Each wraps ErrOptions.
func (o EdgeListOptions) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
	}
	if _, ok := parseSeparator(o.Separator); !ok {
		fault("separator %q is none of auto, whitespace, tab, comma, semicolon, bar", o.Separator)
	}
	if o.Header > HeaderCounts {
		fault("unknown header mode %d", uint8(o.Header))
	}
	if o.MaxLine < 0 || o.MaxLine > largestMaxLine {
		fault("MaxLine (%d) is not within 0 and %d", o.MaxLine, largestMaxLine)
	}
	if o.MaxKey < 0 {
		fault("MaxKey (%d) is negative", o.MaxKey)
	}
	if o.MaxBytes < 0 {
		fault("MaxBytes (%d) is negative", o.MaxBytes)
	}
	if o.MaxLines < 0 {
		fault("MaxLines (%d) is negative", o.MaxLines)
	}
	if o.Size < 0 {
		fault("Size (%d) is negative", o.Size)
	}
	return errors.Join(faults...)
}

// withDefaults returns a copy with every zero replaced by its default.
func (o EdgeListOptions) withDefaults() EdgeListOptions {
	if o.MaxLine == 0 {
		o.MaxLine = defaultMaxLine
	}
	if o.MaxKey == 0 {
		o.MaxKey = defaultMaxKey
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	return o
}

// Edge is one line of an edge list. The slices are valid only during the call
// that delivers them.
type Edge struct {
	Source, Target []byte  // the keys as written, unquoted: "07" and "7" differ
	Weight         float64 // 1 where the file has no weights
	Time           int64   // 0 where the file has no times
}

// ReadStats says what a read found. After an error it covers what was read.
type ReadStats struct {
	Lines    int64    // lines of any kind
	Edges    int64    // edges delivered
	Comments int64    // lines that begin with # or %
	Skipped  int64    // malformed lines left out under SkipBad
	Bytes    int64    // bytes of text, after decompression
	SHA256   [32]byte // of the input before decompression; zero unless its end was reached
	Header   string   // the header line, if there was one: column names or counts
	// CountsHeader reports that the first edge delivered is to be taken back:
	// it looks like the "n m" line of some authors' files. The reader says so
	// under HeaderAuto if that line has two columns, both positive decimal
	// integers, and the second is the number of data lines below it (malformed
	// ones counted). The caller should also require that the edges below it
	// have no more than DeclaredVertices distinct vertices.
	CountsHeader     bool
	DeclaredVertices int64 // n of a counts header, delivered or not
	DeclaredEdges    int64 // m of a counts header
	IgnoredColumns   int   // the most columns beyond the second that a line had
	FirstSkipped     *LineError
}
