package format

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"heavytail/storage/format/internal/delimited"
)

// HeaderMode defines how an edge list's first data line (the first that is neither empty nor a
// comment) is read.
type HeaderMode uint8

const (
	// HeaderAuto reads the first data line as column names if two of its fields are a known
	// pair such as source,target or from,to. Column names may have Neo4j's types after them.
	// Otherwise a line without numbers and dates is one of column names if, in up to 64 lines
	// below, a column has only numbers or dates: both columns of keys, one of them in three lines,
	// or any other column. If that shows a table of vertices, whose first column is called id or
	// the like and has different keys, the read ends with an error. If the types do not decide,
	// the line has names if its two words occur nowhere else in the text while other keys recur; a
	// remark states that, and one states where such a line was taken as an edge because the text
	// is too short. See also ReadStats.NamesHeader.
	//
	// A comment above the first data line is the header instead if it consists of a known pair
	// ("# FromNodeId ToNodeId"), or has as many words as the line has columns and names one of
	// numbers as weight or time, or is the first comment of a KONECT file, such as "% sym
	// unweighted": then a weight is in column 3, unless the graph is unweighted, and a time is
	// in column 4. KONECT's "bip" is refused, as its two columns number their vertices
	// separately.
	//
	// In all other cases the line is delivered as an edge, and may turn out to be a counts
	// header: see ReadStats.CountsHeader.
	HeaderAuto HeaderMode = iota
	// HeaderNone reads every data line as an edge.
	HeaderNone
	// HeaderNames reads the first data line as column names.
	HeaderNames
	// HeaderCounts reads the first data line as "n m", the numbers of vertices and of edge
	// lines, and does not deliver it. It is an error if the number of data lines below it is
	// not m.
	HeaderCounts
)

// String returns the name in the form that ParseHeader accepts.
func (h HeaderMode) String() string {
	if h > HeaderCounts {
		return fmt.Sprintf("HeaderMode(%d)", uint8(h))
	}
	return HeaderModes()[h]
}

// HeaderModes returns the names that ParseHeader accepts: those of the modes, in order, and then true
// for names and false for none.
func HeaderModes() []string { return []string{"auto", "none", "names", "counts", "true", "false"} }

// ParseHeader returns the mode with a name of HeaderModes.
func ParseHeader(name string) (HeaderMode, error) {
	switch name {
	case "true":
		return HeaderNames, nil
	case "false":
		return HeaderNone, nil
	}
	if i := slices.Index(HeaderModes(), name); i >= 0 {
		return HeaderMode(i), nil
	}
	return 0, &OptionError{Option: "header", Value: name, Expected: HeaderModes()}
}

// EdgeListOptions configure how an edge list is read. The zero value reads every common form.
type EdgeListOptions struct {
	// Name is the name of the input in errors.
	Name string
	// Separator separates columns: "" or "auto" (detected from the first data line, which is an
	// error if several characters could separate), " " or
	// "whitespace" (runs of spaces and tabs), "\t" or "tab", "," or "comma", ";" or
	// "semicolon", "|" or "bar". With the last three, fields in double quotes are read as in
	// CSV, with a quote inside doubled; in edge lists such a field may contain line breaks.
	Separator string
	// Header defines how the first data line is read.
	Header HeaderMode
	// Source, Target, Weight and Time choose columns: by a name in the header (an exact match,
	// or else one that ignores case), or by a number that counts from 1. A name requires a
	// header.
	//
	// If Source and Target are empty, they are the columns that the header calls by a known
	// pair (see HeaderAuto), else columns 1 and 2. If Weight is empty, it is the column that
	// the header calls weight, w or value; if Time is empty, it is the column called time,
	// timestamp, ts or date. Without such a column there is no weight or time. NoColumn reads
	// none in any case.
	//
	// A weight is a positive decimal number that a float32 can hold. A time is a number in
	// any unit, or a date or date-time of RFC 3339, which becomes Unix seconds (a space may
	// replace the T; without an offset it is UTC). Fractions are cut off, with a remark. An edge
	// has no weight or time if the field is empty or the line ends before it, or, with a remark,
	// if the field is a word of IsMissing.
	Source, Target, Weight, Time string
	// TimeUnit makes dates of times that are numbers: seconds ("s"), milliseconds ("ms"),
	// microseconds ("us") or nanoseconds ("ns") since 1970 UTC, rounded down to seconds. "" or
	// "none" leaves them as they are.
	TimeUnit string
	// SkipBad counts malformed lines and continues, instead of ending the read.
	SkipBad bool
	// MaxLine is the largest number of bytes of one line, or of a record whose fields contain
	// line breaks, up to 1 GiB; 0 means 1 MiB. That is enough for two keys of the greatest
	// length and hundreds of further columns, and small enough to detect early a file without
	// line ends, such as an image. In adjacency lists and vertex tables, which may have long
	// lines, 0 means 64 MiB; in GraphML it limits one tag or text.
	MaxLine int
	// MaxKey is the largest number of bytes of one key; 0 means 1024. Longer texts are rather
	// documents than keys, and the store keeps every key in an index.
	MaxKey int
	// MaxBytes is the largest number of bytes of text, after decompression; 0 means 64 GiB,
	// about five billion edges. It stops decompression bombs.
	MaxBytes int64
	// MaxLines is the largest number of lines, including comments and empty lines; 0 means that
	// only MaxBytes limits them.
	MaxLines int64
	// Size is the number of bytes of the input as it is read, compressed or not; 0 means
	// unknown. It is used only for Progress.
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
	if _, ok := delimited.ParseSeparator(o.Separator); !ok {
		faults = append(faults, &OptionError{Option: "separator", Value: o.Separator, Expected: []string{"auto", "whitespace", "tab", "comma", "semicolon", "bar"}})
	}
	if o.Header > HeaderCounts {
		faults = append(faults, &OptionError{Option: "header", Value: int64(o.Header), Expected: HeaderModes()})
	}
	if o.TimeUnit != "" && o.TimeUnit != NoColumn && !slices.Contains(TimeUnits(), o.TimeUnit) {
		faults = append(faults, &OptionError{Option: "time_unit", Value: o.TimeUnit, Expected: append([]string{NoColumn}, TimeUnits()...)})
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
	o.MaxLine = cmp.Or(o.MaxLine, defaultMaxLine)
	o.MaxKey = cmp.Or(o.MaxKey, defaultMaxKey)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	return o
}

func (o EdgeListOptions) validateColumns(faults *optionFaults) {
	sound := len(*faults)
	for r, text := range o.wanted() {
		faults.column(delimited.Role(r).String(), text)
		if text == NoColumn && delimited.Role(r) < delimited.Weight {
			*faults = append(*faults, &OptionError{Option: delimited.Role(r).String(), Value: text, Allowed: "the name or the number of a column"})
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
	if p, doubt := delimited.PlanOf(delimited.NewPlan(o.wanted()).At); doubt != "" {
		r := p.Repeated(o.wanted())
		faults.conflict(r.String(), o.wanted()[r], "%s", doubt)
	}
}

// NoColumn, as EdgeListOptions.Weight or Time, means that no column is read, whatever the
// header contains.
const NoColumn = delimited.NoColumn

// wanted returns the columns that the options ask for, by role.
func (o *EdgeListOptions) wanted() [delimited.Roles]string {
	return [delimited.Roles]string{delimited.Source: o.Source, delimited.Target: o.Target, delimited.Weight: o.Weight, delimited.Time: o.Time}
}

// maxColumns is the largest number that a column may have in the options.
const maxColumns = 1 << 16

// namesColumns reports whether the options refer to a column by name, which requires a header.
func (o *EdgeListOptions) namesColumns() bool {
	wanted := o.wanted()
	return slices.ContainsFunc(wanted[:], func(text string) bool {
		_, number := delimited.ColumnNumber(text)
		return text != "" && text != NoColumn && !number
	})
}
