package format

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	// HeaderNone reads every data line as an edge. In the other modes a last line such as
	// "Total: 3 edges" is an error if the keys of the first line are numbers.
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

// WithDefaults returns a copy with every zero replaced by its default.
func (o EdgeListOptions) WithDefaults() EdgeListOptions {
	o.MaxLine = cmp.Or(o.MaxLine, defaultMaxLine)
	o.MaxKey = cmp.Or(o.MaxKey, defaultMaxKey)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	return o
}

func (o EdgeListOptions) validateColumns(faults *optionFaults) {
	sound := len(*faults)
	for r, text := range o.Wanted() {
		faults.column(delimited.Role(r).String(), text)
		if text == NoColumn && delimited.Role(r) < delimited.Weight {
			*faults = append(*faults, &OptionError{Option: delimited.Role(r).String(), Value: text, Allowed: "the name or the number of a column"})
		}
	}
	if len(*faults) > sound {
		return
	}
	if delimited.Named(o.Wanted()) {
		if o.Header == HeaderNone || o.Header == HeaderCounts {
			faults.conflict("header", o.Header.String(), "columns are called by their names, but the header is said to be %q", o.Header)
		}
		return
	}
	if p, doubt := delimited.PlanOf(delimited.NewPlan(o.Wanted()).At); doubt != "" {
		r := p.Repeated(o.Wanted())
		faults.conflict(r.String(), o.Wanted()[r], "%s", doubt)
	}
}

// NoColumn, as EdgeListOptions.Weight or Time, means that no column is read, whatever the
// header contains.
const NoColumn = delimited.NoColumn

// Wanted returns the columns that the options ask for, by role.
func (o *EdgeListOptions) Wanted() [delimited.Roles]string {
	return [delimited.Roles]string{delimited.Source: o.Source, delimited.Target: o.Target, delimited.Weight: o.Weight, delimited.Time: o.Time}
}

// maxColumns is the largest number that a column may have in the options.
const maxColumns = 1 << 16

// OptionError reports a value that an option cannot have, either at all or together with other
// options. It wraps ErrOptions.
type OptionError struct {
	// Option is the field of the options in lower_snake, such as "max_line". If several
	// contradict each other, it is one of them.
	Option string
	Value  any // a string or an integer
	// Allowed is the range of allowed values, such as "from 0 to 10". It is empty if Expected
	// lists the values or Conflict is set.
	Allowed  string
	Expected []string // the allowed texts; nil if the option has no such list
	// Conflict is a sentence that names the contradiction with other options. It is empty if
	// the value is wrong on its own.
	Conflict string
}

// Error names the option, the value and what is allowed.
func (e *OptionError) Error() string {
	value := fmt.Sprint(e.Value)
	if text, ok := e.Value.(string); ok {
		value = fmt.Sprintf("%q", text)
	}
	switch {
	case e.Conflict != "":
		return fmt.Sprintf("%v: %s", ErrOptions, e.Conflict)
	case e.Expected != nil:
		return fmt.Sprintf("%v: %s is %s, and must be one of %s", ErrOptions, e.Option, value, strings.Join(e.Expected, ", "))
	}
	return fmt.Sprintf("%v: %s is %s, and must be %s", ErrOptions, e.Option, value, e.Allowed)
}

// Unwrap returns ErrOptions.
func (e *OptionError) Unwrap() error { return ErrOptions }

// optionFaults collects the faults found by a Validate method.
type optionFaults []error

// notNegative refuses a number below 0.
func (f *optionFaults) notNegative(option string, value int64) {
	if value < 0 {
		*f = append(*f, &OptionError{Option: option, Value: value, Allowed: "at least 0"})
	}
}

// within refuses a number outside the range from 0 to most.
func (f *optionFaults) within(option string, value, most int64) {
	if value < 0 || value > most {
		*f = append(*f, &OptionError{Option: option, Value: value, Allowed: fmt.Sprintf("from 0 to %d", most)})
	}
}

// column refuses a number that is not a valid column number.
func (f *optionFaults) column(option, text string) {
	if n, ok := delimited.ColumnNumber(text); ok && (n < 1 || n > maxColumns) {
		*f = append(*f, &OptionError{Option: option, Value: text, Allowed: fmt.Sprintf("the name of a column or a number from 1 to %d", maxColumns)})
	}
}

// conflict refuses an option that contradicts others.
func (f *optionFaults) conflict(option string, value any, format string, args ...any) {
	*f = append(*f, &OptionError{Option: option, Value: value, Conflict: fmt.Sprintf(format, args...)})
}

// ParseLayout returns the layout with a name; "" is LayoutAuto.
func ParseLayout(name string) (Layout, error) {
	if name == "" {
		return LayoutAuto, nil
	}
	if !slices.Contains(Layouts(), Layout(name)) {
		return "", &OptionError{Option: "layout", Value: name, Expected: layoutNames()}
	}
	return Layout(name), nil
}

// Options configure how a text is read. The zero value reads every common form of a graph.
type Options struct {
	EdgeListOptions

	// Layout is the form of the text; "" means LayoutAuto.
	Layout Layout
	// Key is the column of a vertex table that holds the keys, by name or by number as in
	// EdgeListOptions. If it is empty, the first column called key, id, vertex or node is used,
	// or else column 1. Of GML it is the attribute of nodes that holds the keys, such as id or
	// label.
	Key string
	// Columns are the names of the attributes to read; nil reads all. For a vertex table
	// without a header they name the columns.
	Columns []string
	// Keys returns the keys of the vertices of METIS, in their order. If the function or its
	// result is nil, the numbers of the vertices are the keys. It is called once, and only if
	// the layout is METIS. Too few keys, too many keys or two equal keys give a *LineError.
	Keys func() (*KeyList, error)
	// KeysName is the name of the file that Keys reads: it gives an *OptionError with layouts
	// other than METIS. Leave it empty if Keys may remain unused.
	KeysName string
	// Ends is what the ends of links in JSON are; "" means EndsAuto.
	Ends Ends
	// Directed is whether edges have a direction; "" means DirectionAuto.
	Directed Direction
	// MaxValue is the largest size of an attribute value in bytes; 0 means 64 KiB.
	MaxValue int
	// MaxColumns is the largest number of columns of a vertex table, or of keys that GraphML
	// declares; 0 means 1024.
	MaxColumns int
	// MaxVertices is the largest number of vertices that the size line of Matrix Market or the
	// headers of METIS and Pajek may declare; 0 means 100 million. Without a limit, a line of a
	// few bytes could ask for billions of vertices.
	MaxVertices int64
}

const (
	defaultMaxValue    = 64 << 10
	defaultMaxColumns  = 1024
	defaultMaxVertices = 100_000_000
	// A line of an adjacency list holds all neighbours of a hub, and a record of a table holds
	// all values of a vertex: at most MaxColumns times MaxValue.
	defaultLongLine = 64 << 20
)

// Validate reports all faults of the options at once. Each is an *OptionError.
func (o Options) Validate() error {
	faults := optionFaults{o.EdgeListOptions.Validate()}
	if _, err := ParseLayout(string(o.Layout)); err != nil {
		faults = append(faults, err)
	}
	if o.Ends != "" && !slices.Contains(EndsChoices(), string(o.Ends)) {
		faults = append(faults, &OptionError{Option: "ends", Value: string(o.Ends), Expected: EndsChoices()})
	}
	if o.Directed != "" && !slices.Contains(Directions(), string(o.Directed)) {
		faults = append(faults, &OptionError{Option: "directed", Value: string(o.Directed), Expected: Directions()})
	}
	faults.column("key", o.Key)
	faults.notNegative("max_value", int64(o.MaxValue))
	faults.within("max_columns", int64(o.MaxColumns), maxColumns)
	faults.notNegative("max_vertices", o.MaxVertices)
	return errors.Join(faults...)
}

// WithDefaults returns a copy with every zero replaced by its default.
func (o Options) WithDefaults() Options {
	if o.MaxLine == 0 && (o.Layout == LayoutAdjacency || o.Layout == LayoutMatrix || o.Layout == LayoutMETIS || o.Layout == LayoutVertices) {
		o.MaxLine = defaultLongLine
	}
	o.EdgeListOptions = o.EdgeListOptions.WithDefaults()
	o.MaxValue = cmp.Or(o.MaxValue, defaultMaxValue)
	o.MaxColumns = cmp.Or(o.MaxColumns, defaultMaxColumns)
	o.MaxVertices = cmp.Or(o.MaxVertices, defaultMaxVertices)
	return o
}

// Ends is what the ends of links in node-link JSON are.
type Ends string

const (
	// EndsAuto decides by the content. The ends are ids if any of them is a text or a number
	// that is no place of a node. Otherwise they are ids if all of them are, and places if
	// none is. If some are, or if ids that are texts look like the numbers, it is an error.
	EndsAuto Ends = "auto"
	// EndsID means ids of nodes. One that no node has becomes a vertex.
	EndsID Ends = "id"
	// EndsIndex means places in the array of nodes, counted from 0, as networkx 1 and d3 before
	// version 4 write them.
	EndsIndex Ends = "index"
)

// EndsChoices returns all values, EndsAuto first.
func EndsChoices() []string { return []string{string(EndsAuto), string(EndsID), string(EndsIndex)} }

// Direction is whether the edges of a graph have a direction.
type Direction string

const (
	// DirectionAuto takes what the text says, which Handler.Direction receives.
	DirectionAuto Direction = "auto"
	// Directed takes each edge from its source to its target, except those with Edge.Both.
	Directed Direction = "true"
	// Undirected takes all edges without a direction; that the text has some is a remark.
	Undirected Direction = "false"
)

// Directions returns all values, DirectionAuto first.
func Directions() []string {
	return []string{string(DirectionAuto), string(Directed), string(Undirected)}
}
