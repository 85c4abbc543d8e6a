package format

import (
	"errors"
	"fmt"
)

// HeaderMode says what the first data line (the first that is neither empty nor
// a comment) of an edge list is.
type HeaderMode uint8

const (
	// HeaderAuto takes the first data line as column names if two of its fields
	// are a known pair such as source,target or from,to, or if neither of its
	// keys is an integer while both of the next line are. A comment above it
	// that holds just a known pair ("# FromNodeId ToNodeId") settles that there
	// is no other header. So does "% sym unweighted" of KONECT, with the kinds of edges and
	// weights that it has: a weight is in column 3, unless there are none, and a time in
	// column 4; "bip" is refused, as its columns number vertices apart. Column names may
	// have Neo4j's types behind them. Otherwise the line is delivered as an edge, and may
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
	return 0, &OptionError{Option: "header", Value: name, Expected: HeaderModes()}
}

// EdgeListOptions says how an edge list is to be read. The zero value reads
// every common form.
type EdgeListOptions struct {
	// Name is what errors call the input.
	Name string
	// Separator is what separates columns: "" or "auto" (the first data
	// line decides), " " or "whitespace" (runs of spaces and tabs), "\t" or
	// "tab", "," or "comma", ";" or "semicolon", "|" or "bar". The last three
	// read fields in double quotes as CSV does, a quote inside doubled; in edge
	// lists such a field may hold line breaks.
	Separator string
	// Header says what the first data line is.
	Header HeaderMode
	// Source, Target, Weight and Time say which columns are taken: by a name
	// that the header has (the same letters, or else in upper or lower case), or
	// by a number that counts from 1. Asking for a name means that there is a
	// header.
	//
	// The empty Source and Target are the columns that the header calls by a
	// known pair (see HeaderAuto), else columns 1 and 2. The empty Weight is the
	// column that the header calls weight, w or value, and the empty Time is
	// that of time, timestamp, ts or date; without such a name no column is
	// taken. NoColumn takes none in any case.
	//
	// A weight is a positive decimal number that a float32 can hold. A time is
	// an integer in any unit, or a date or date-time of RFC 3339, which becomes
	// Unix seconds (a space may stand for the T; without an offset it is UTC;
	// fractions are cut off). An edge whose field is empty, or whose line ends
	// before it, has none.
	Source, Target, Weight, Time string
	// SkipBad counts malformed lines and continues, instead of ending the read.
	SkipBad bool
	// MaxLine is the most bytes of one line, or of a record whose fields hold line
	// breaks, up to 1 GiB; 0 means 1 MiB. Two keys
	// of the greatest length and hundreds of further columns fit; a file that
	// has no line ends, such as an image, is found out early. In adjacency lists
	// and tables of vertices, which may have long lines, 0 means 64 MiB; in
	// GraphML it is the most bytes of one tag or text.
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

// Validate reports all faults of the options at once. Each is an *OptionError.
func (o EdgeListOptions) Validate() error {
	var faults optionFaults
	if _, ok := parseSeparator(o.Separator); !ok {
		faults = append(faults, &OptionError{Option: "separator", Value: o.Separator, Expected: []string{"auto", "whitespace", "tab", "comma", "semicolon", "bar"}})
	}
	if o.Header > HeaderCounts {
		faults = append(faults, &OptionError{Option: "header", Value: int64(o.Header), Expected: HeaderModes()})
	}
	faults.within("max_line", int64(o.MaxLine), largestMaxLine)
	faults.notNegative("max_key", int64(o.MaxKey))
	faults.notNegative("max_bytes", o.MaxBytes)
	faults.notNegative("max_lines", o.MaxLines)
	faults.notNegative("size", o.Size)
	o.validateColumns(&faults)
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

func (o EdgeListOptions) validateColumns(faults *optionFaults) {
	sound := len(*faults)
	for r, text := range o.wanted() {
		faults.column(role(r).String(), text)
		if text == NoColumn && role(r) < roleWeight {
			*faults = append(*faults, &OptionError{Option: role(r).String(), Value: text, Allowed: "the name or the number of a column"})
		}
	}
	if len(*faults) > sound {
		return
	}
	if o.namesColumns() {
		if o.Header == HeaderNone || o.Header == HeaderCounts {
			faults.conflict("header", o.Header.String(), "columns are called by their names, but the header is said to be %q", o.Header)
		}
		return
	}
	if p, doubt := planOf(newPlan(&o).at); doubt != "" {
		r := p.repeated(o.wanted())
		faults.conflict(r.String(), o.wanted()[r], "%s", doubt)
	}
}
