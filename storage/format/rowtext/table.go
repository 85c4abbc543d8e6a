package rowtext

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// table reads a table of vertices: optionally a header of column names, then a record for every
// vertex. A quoted field may contain line breaks. As in edge lists, blanks around a field are
// dropped.
type table struct {
	feed.Lines
	options format.Options
	h       format.Handler
	sep     delimited.Separator

	record  []byte // the lines so far of a record that continues
	open    bool   // a quoted field of the record continues
	started int64  // the line at which the record began

	headed  bool
	unsure  int             // records to look at until it is said that the first line may be none of names
	first   string          // that line
	top     int64           // its number
	columns []format.Column // the attributes that are read
	place   []int           // by column: its index in columns, PlaceKey or PlaceNone
	key     []byte
	values  [][]byte
	cells   cells
	fields  delimited.Columns
}

func newTable(opts format.Options, h format.Handler) *table {
	t := &table{options: opts, h: h}
	t.Opts, t.To = opts.EdgeListOptions, t
	t.fields.Each = t.field
	t.sep, _ = delimited.ParseSeparator(opts.Separator) // Validate has seen it
	return t
}

func (t *table) Line(line []byte) error {
	if !t.open {
		if t.passOver(line) {
			return nil
		}
		if sep, found := delimited.SeparatorLine(line); found && t.Stats.Lines == 1 {
			if t.sep == delimited.SeparatorAuto {
				t.sep = sep
			}
			return nil
		}
		t.started, t.record = t.Stats.Lines, t.record[:0]
		if t.sep == delimited.SeparatorAuto {
			if bad := t.detect(line); bad.Found() {
				return t.LineError(line, bad)
			}
		}
	} else {
		t.record = append(t.record, '\n')
	}
	t.record = append(t.record, line...)
	if t.sep.Quotes() {
		t.open, _ = delimited.QuoteStaysOpen(line, t.sep.Character(), t.open)
	}
	if err := t.long(); err != nil || t.open || len(t.record) == 0 {
		return err
	}
	return t.take(bytes.TrimSuffix(t.record, []byte("\r")))
}

// passOver reports whether a line is not part of a record: an empty line, or a comment above
// the header. Below the header there are no comments, since other programs write keys that
// begin with # or % without quotes.
func (t *table) passOver(line []byte) bool {
	content := bytes.Trim(line, " \t\r")
	switch {
	case len(content) == 0:
		return true
	case !t.headed && delimited.IsComment(content[0]):
		t.Stats.Comments++
		return true
	}
	return false
}

// detect determines the separator from the header.
func (t *table) detect(line []byte) fault.Fault {
	sep, doubt := delimited.Detect(line)
	bars := delimited.OutsideQuotes(line, '|') && !delimited.OutsideQuotes(line, ',')
	switch {
	case doubt != "" && !bars:
		return fault.Syntax(0, "%s", doubt)
	case sep > delimited.SeparatorWhitespace:
	case delimited.OutsideQuotes(line, ';'):
		sep = delimited.SeparatorSemicolon
	case bars:
		sep = delimited.SeparatorBar
	case delimited.OutsideQuotes(line, '\t'):
		sep = delimited.SeparatorTab // even if the first fields are integers
	case bytes.IndexByte(bytes.Trim(line, " \t\r"), ' ') < 0:
		sep = delimited.SeparatorComma // a single column
	}
	t.sep = sep
	return fault.Fault{}
}

// long checks a record against the limit of a line.
func (t *table) long() error {
	if len(t.record) <= t.Opts.MaxLine+len("\r") {
		return nil
	}
	err := t.fault(fault.Limit(0, "the record exceeds the limit of %d bytes", t.Opts.MaxLine))
	t.record, t.open = t.record[:0], false
	return err
}

// Abandon skips an open record when one of its lines exceeds the limit.
func (t *table) Abandon() error {
	if !t.open {
		return nil
	}
	t.open = false
	return t.fault(fault.Limit(0, "the record exceeds the limit of %d bytes", t.Opts.MaxLine))
}

// fault ends the read at a malformed record, or counts it under SkipBad.
func (t *table) fault(f fault.Fault) error {
	f.At = min(f.At, len(t.record))
	err := t.ErrorIn(t.record, t.started, f)
	if !t.Opts.SkipBad || !t.headed {
		return err
	}
	t.Stats.Skip(err)
	return nil
}

func (t *table) take(record []byte) error {
	if f := fault.OfEncoding(record); f.Found() {
		return t.fault(f)
	}
	if !t.headed {
		named, err := t.header(record)
		if named || err != nil {
			return err
		}
	}
	if t.unsure > 0 {
		t.settle(record)
	}
	clear(t.values)
	t.key = nil
	if t.fields.Split(record, t.sep, &delimited.NoPlan, 0); t.fields.Bad.Found() {
		return t.fault(t.fields.Bad)
	}
	if t.key == nil {
		return t.fault(fault.Syntax(0, "the line ends before the column of the key"))
	}
	t.Stats.Vertices++
	return t.h.Vertex(t.key, t.values)
}

func (t *table) field(field []byte, at int, quoted bool) fault.Fault {
	column := t.fields.Count
	if column >= len(t.place) {
		subject := "header names"
		if t.Stats.Header == "" {
			subject = "first line has"
		}
		return delimited.MoreColumns(at, subject, len(t.place))
	}
	place := t.place[column]
	if place == reading.PlaceNone {
		return fault.Fault{}
	}
	if t.sep == delimited.SeparatorTab {
		t.cells.quotes(field, t.started)
	}
	if place == reading.PlaceKey {
		t.key = field
		return delimited.KeyFault(field, at, column+1, t.Opts.MaxKey)
	}
	if len(field) > 0 && t.cells.plain(&t.columns[place], field) {
		t.values[place] = field
		return fault.Fault{}
	}
	value, f := t.cells.value(&t.columns[place], field, at, quoted, t.started)
	t.values[place] = value
	return f
}

// header handles the first record. It reports whether that named the columns; otherwise it is a
// vertex.
func (t *table) header(record []byte) (named bool, err error) {
	fields := delimited.NamesIn(record, t.sep)
	if fields == nil {
		return false, t.fault(fault.Syntax(0, "malformed first line %s", excerpt.Of(record)))
	}
	if len(fields) > t.options.MaxColumns {
		return false, t.fault(fault.Limit(0, "%d columns exceed the limit of %d", len(fields), t.options.MaxColumns))
	}
	named = !t.headless(fields)
	doubt := ""
	if named {
		doubt = t.namedColumns(fields)
	} else {
		doubt = t.numberedColumns(len(fields))
	}
	if doubt != "" {
		return false, t.fault(fault.Syntax(0, "%s", doubt))
	}
	t.headed, t.cells = true, cells{&t.Stats, t.sep, t.options.MaxValue}
	if named {
		t.Stats.Header = string(record)
		t.doubtNames(record, delimited.NamesIn(record, t.sep))
	}
	t.values = make([][]byte, len(t.columns))
	return named, t.h.Columns(t.columns)
}

// doubtNames remarks that a first line of names has a number, or makes settle look at the records
// below if no name is a usual one.
func (t *table) doubtNames(record []byte, names []string) {
	if t.Opts.Header != format.HeaderAuto || t.options.Key != "" || t.options.Columns != nil || slices.ContainsFunc(names, func(name string) bool { return delimited.IsKeyName(name) || strings.Contains(name, ":") }) {
		return
	}
	t.first, t.top = excerpt.Of(record), t.started
	if slices.ContainsFunc(names, figure.Is) {
		t.noteNames()
		return
	}
	t.unsure = aheadLines
}

func (t *table) noteNames() {
	t.Stats.Remark("first line taken as the names of the columns", t.first, t.top, "header := FALSE takes it as a vertex")
}

// settle looks for a number below a first line that has none, which shows that it has names.
func (t *table) settle(record []byte) {
	if t.unsure--; slices.ContainsFunc(delimited.NamesIn(record, t.sep), figure.Is) {
		t.unsure = 0
	} else if t.unsure == 0 {
		t.noteNames()
	}
}

// headless reports whether the first record is a vertex rather than a header.
func (t *table) headless(fields []string) bool {
	if t.Opts.Header != format.HeaderAuto {
		return t.Opts.Header == format.HeaderNone
	}
	if _, number := delimited.ColumnNumber(t.options.Key); !number && t.options.Key != "" {
		return false // the options refer to a column by name, which requires a header
	}
	return !slices.ContainsFunc(fields, func(f string) bool { return !decimal.IsInteger([]byte(f)) })
}

// namedColumns sets up the columns that a header names.
func (t *table) namedColumns(names []string) (doubt string) {
	of, kinds, id, taken, doubt := neo4jVertices(&t.options, names)
	switch {
	case doubt != "":
		return doubt
	case of != nil && t.options.Columns == nil:
		return t.choose(of, kinds, id, taken)
	case of != nil:
		return t.choose(of, kinds, id, t.options.Columns)
	}
	types := make([]format.Type, len(names))
	for i, name := range names {
		names[i], types[i] = typed.Cut(name)
	}
	key, doubt := reading.KeyColumn(t.options.Key, names)
	if doubt != "" {
		return doubt
	}
	return t.choose(names, types, key-1, t.options.Columns)
}

// numberedColumns sets up all columns of a table without a header, under the names that the
// options give them.
func (t *table) numberedColumns(count int) (doubt string) {
	key := 1
	if t.options.Key != "" {
		var number bool
		if key, number = delimited.ColumnNumber(t.options.Key); !number {
			return fmt.Sprintf("no column is called %s, as there is no header", excerpt.Of([]byte(t.options.Key)))
		}
	}
	given := t.options.Columns
	switch {
	case key > count:
		return fmt.Sprintf("there is no column %d for the key; the first line has %d", key, count)
	case given != nil && len(given) != count-1:
		return fmt.Sprintf("%d names for the %d columns beside the key, and there is no header", len(given), count-1)
	}
	names, types := make([]string, count), make([]format.Type, count)
	next := 0
	for i := range names {
		switch {
		case i == key-1:
		case given != nil:
			names[i], types[i] = typed.Cut(given[next])
			next++
		default:
			names[i] = fmt.Sprintf("column%d", i+1)
		}
	}
	return t.choose(names, types, key-1, nil)
}

// choose decides which columns are read: those in columns, or all if that is nil.
func (t *table) choose(names []string, types []format.Type, key int, columns []string) (doubt string) {
	if t.columns, t.place, doubt = reading.Choose(names, types, key, columns); doubt != "" {
		return doubt
	}
	for i, name := range names {
		if name == "" && t.place[i] >= 0 {
			t.Stats.Remark("columns without a name, called by their places", t.columns[t.place[i]].Name, t.started, "")
		}
	}
	return ""
}

func (t *table) End() error {
	switch {
	case t.open:
		return t.fault(fault.Syntax(0, "a quoted field of the record that begins here is not closed"))
	case !t.headed:
		return t.ErrorAt(t.Stats.Lines+1, format.ErrSyntax, "expected a header of column names, found none")
	case t.unsure > 0 && t.Stats.Vertices > 0:
		t.noteNames()
	}
	return nil
}

// WriteVertices writes the vertices of a graph with their attributes as CSV: a header
// "vertex,NAME,…", then a record for every vertex in the order of their numbers. Missing values
// are empty fields; quoted texts may contain line breaks.
//
// graphfile.Read with format.LayoutVertices reads the same values and types back. To make that possible, a name
// is followed by a colon and the type, as in "zip:text", if a reader could not infer the type
// from the values (see format.TypeOf and format.IsMissing): a text attribute all of whose values look like
// numbers or like missing ones, or one of whose values is empty (written "", while a missing value
// is an empty field); any attribute without a single value; and one whose name itself ends in such a
// type. It refuses the same keys as WriteEdges; a value that does not have its attribute's type, or a text with NUL or
// invalid UTF-8, gives a *format.ValueError. WriteVertices asks for every value twice.
func WriteVertices(ctx context.Context, w io.Writer, g format.Graph, opts CSVOptions) error {
	t := tableWriter{csvWriter{GraphWriter: writing.NewGraphWriter(ctx, w, &g), csv: opts}}
	return writing.Error("CSV of vertices", t.write())
}

type tableWriter struct{ csvWriter }

func (t *tableWriter) write() error {
	if err := writing.CheckColumns(t.G.Columns, nil); err != nil {
		return err
	}
	line, err := t.header()
	if err != nil {
		return err
	}
	t.Write(append(line, '\n'))
	return t.Finish(t.Vertices(t.appendRecord))
}

// header returns the names of the columns, with a type where a reader could not infer it.
func (t *tableWriter) header() ([]byte, error) {
	if t.csv.Neo4j {
		return t.neo4jHeader(), nil
	}
	stated, err := t.ambiguousTypes()
	if err != nil {
		return nil, err
	}
	line := []byte(writing.VertexHeader)
	for i, c := range t.G.Columns {
		t.guarded = guard(t.csv, t.guarded[:0], []byte(c.Name))
		if stated[i] {
			t.guarded = append(append(t.guarded, ':'), typed.OrText(c.Type)...)
		}
		line = writing.AppendName(append(line, ','), t.guarded)
	}
	return line, nil
}

func (t *tableWriter) neo4jHeader() []byte {
	line := []byte(writing.VertexHeader + neo4jID)
	for _, c := range t.G.Columns {
		if c.Name == writing.VertexHeader {
			line = []byte(neo4jID)
		}
	}
	for _, c := range t.G.Columns {
		name := c.Name + ":" + typed.Name(c.Type)
		if c.Name == neo4jLabel && typed.OrText(c.Type) == format.Text {
			name = neo4jLabel
		}
		line = writing.AppendName(append(line, ','), []byte(name))
	}
	return line
}

// ambiguousTypes reads all values and reports, for each column, whether a reader could not
// infer its type from them.
func (t *tableWriter) ambiguousTypes() ([]bool, error) {
	looks := newTypeLooks(t.G.Columns)
	err := t.Each(t.G.Vertices, func(v uint32) error {
		for i := range t.G.Columns {
			value, ok, err := t.guardedValue(i, v)
			if err != nil {
				return err
			}
			if ok {
				looks.see(i, value)
			}
		}
		return nil
	})
	return looks.stated(), err
}

// guardedValue returns the value of a vertex as it is written, before quoting.
func (t *tableWriter) guardedValue(column int, v uint32) ([]byte, bool, error) {
	value, ok, err := t.Value(column, v)
	return t.guardText(t.G.Columns[column], value, ok), ok, err
}

func (t *tableWriter) appendRecord(line []byte, v uint32) ([]byte, error) {
	line, err := t.appendKey(line, v)
	if err != nil {
		return nil, err
	}
	for i := range t.G.Columns {
		value, ok, err := t.guardedValue(i, v)
		if err != nil {
			return nil, err
		}
		line = appendField(append(line, ','), value, ok)
	}
	return append(line, '\n'), nil
}
