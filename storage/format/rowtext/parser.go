package rowtext

import (
	"bytes"
	"math"
	"slices"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/scan"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/internal/excerpt"
)

// parser reads edges from lines. It has three paths for a line: scan for the bulk of all files,
// plainFields for lines with attributes, and line for anything unusual.
type parser struct {
	feed.Lines
	scan.Scanner
	pairs  bool // the file holds pairs: there is no counts header
	yield  func(format.Edge) error
	many   func(*format.Edges) (int, error)
	edges  format.Edges // reused for it
	course reading.Direction

	both    bool // the text calls its edges undirected
	first   firstLine
	columns delimited.Columns // of the current line
	braces  braces            // of the current line
	record  record            // a record that continues after its line
	names   []string          // of the columns, if the text has them
	further further

	attributes reading.Attributes
	seen       int // columns of attributes in the current line
	relationAt int // the place of the types, from 1 on, once there is one
	cells      cells

	ahead *scan.Scan    // of the text, made before; may be nil
	own   scan.Scan     // another one, reused
	fixed *scan.Scanner // see RulesBelow; nil before it is needed
}

// further holds the values of columns other than the keys.
type further struct {
	place  []int    // by column: index of its value; scan.Unread if it is not read
	values [][]byte // of the current line
}

func newParser(options format.Options, pairs bool, h format.Handler) *parser {
	opts := options.EdgeListOptions
	p := &parser{pairs: pairs, yield: h.Edge, many: h.Edges, course: reading.NewDirection(options, h)}
	p.attributes = reading.Attributes{Pass: h.EdgeColumns, Most: options.MaxColumns, MaxValue: options.MaxValue}
	if pairs {
		opts.Weight, opts.Time = format.NoColumn, format.NoColumn
	}
	p.Opts, p.To = opts, p
	p.Scanner = scan.Scanner{MaxKey: opts.MaxKey, MaxLine: opts.MaxLine, Spare: math.MaxInt, PerSecond: figure.PerSecond(opts.TimeUnit)}
	if h.Find != nil {
		p.Find = func(lines *scan.Lines) {
			edges := format.EdgesOf(lines, false)
			h.Find(&edges)
		}
	}
	sep, _ := delimited.ParseSeparator(opts.Separator) // Validate has seen it
	p.separate(sep)
	p.follow(delimited.NewPlan(p.Opts.Wanted()))
	return p
}

// separate sets the separator.
func (p *parser) separate(sep delimited.Separator) {
	p.Separate(sep)
	p.cells.sep = sep
}

func (p *parser) follow(plan delimited.Plan) {
	p.Plan, p.Narrow, p.Stats.IgnoredNames = plan, plan.Narrow(), plan.Ignored
}

// name applies a line of column names. A later line with more columns is an error: it is
// a table whose header lacks the column of the row names, as R writes it, or has a separator
// inside a field, and its keys would be those of the wrong columns.
func (p *parser) name(names []string, plan delimited.Plan, neo4j []format.Column) error {
	p.first.columns = len(names)
	p.Spare = len(names)
	for _, r := range plan.Roles {
		if r != delimited.Ignored {
			p.Spare--
		}
	}
	return p.called(names, plan, neo4j)
}

// called takes the names of the columns and makes attributes of those that have no role. Types come
// from Neo4j's header, or are behind the names.
func (p *parser) called(names []string, plan delimited.Plan, neo4j []format.Column) error {
	p.names = names
	p.follow(plan)
	if p.attributes.Pass == nil {
		return nil
	}
	var ignored []string
	for i, name := range names {
		c := format.Column{}
		switch {
		case slices.Contains(plan.At[:], i+1):
			p.Reads = append(p.Reads, scan.Unread)
			continue
		case neo4j != nil:
			c = neo4j[i]
		default:
			c.Name, c.Type = typed.Cut(name)
		}
		if name == delimited.EdgeID && neo4j == nil || c.Name == "" || !delimited.IsAttribute(c.Name) || p.first.konect {
			ignored = append(ignored, name)
			p.Reads = append(p.Reads, scan.Unread)
			continue
		}
		if len(p.attributes.Columns) == p.attributes.Most {
			return p.ErrorAt(p.Stats.Lines, format.ErrLimit, "there are more than %d attributes", p.attributes.Most)
		}
		p.Spare-- // MaxInt is as good as one less
		if neo4j != nil && c == (format.Column{Name: neo4jType, Type: format.Text}) {
			p.Narrow = false
			p.Reads = append(p.Reads, scan.Relation)
			continue
		}
		p.Narrow = false
		p.Reads = append(p.Reads, p.attributes.Add(c))
	}
	p.Stats.IgnoredNames = excerpt.List(ignored)
	p.cells = cells{&p.Stats, p.Sep, p.attributes.MaxValue}
	p.columns.Each = p.attribute
	return p.attributes.Begin()
}

// attribute takes a field of the current line that is an attribute.
func (p *parser) attribute(field []byte, at int, quoted bool) fault.Fault {
	place := scan.Unread
	if column := p.columns.Count; column < len(p.Reads) {
		place = p.Reads[column]
	}
	if place == scan.Unread {
		return fault.Fault{}
	}
	p.seen++
	if place == scan.Relation {
		p.Relation = field
		return fault.Fault{}
	}
	p.cells.quotes(field, p.Stats.Lines)
	value, f := p.cells.value(&p.attributes.Columns[place], field, at, quoted, p.Stats.Lines)
	p.attributes.Values[place] = value
	return f
}

// surplus returns the fault of a line that has more columns than the header names. Empty ones
// at its end are none: some programs end each line with a separator.
func (p *parser) surplus(line []byte) fault.Fault {
	var found fault.Fault
	column := 0
	c := delimited.Columns{Each: func(field []byte, at int, _ bool) fault.Fault {
		if column++; column > len(p.names) && len(field) > 0 && !found.Found() {
			found = delimited.MoreColumns(at, "header names", len(p.names))
		}
		return fault.Fault{}
	}}
	c.Split(line, p.Sep, &delimited.NoPlan, len(line))
	return found
}

// split splits a line by the current plan.
func (p *parser) split(line []byte, sep delimited.Separator) {
	clear(p.further.values)
	clear(p.attributes.Values)
	p.seen, p.Relation = 0, nil
	p.columns.Split(line, sep, &p.Plan, p.Opts.MaxKey)
}

// extra is the number of columns of the current line that are not read.
func (p *parser) extra() int { return p.columns.Extra() - p.seen }

// emitLine delivers the edge of a data line that was not yet split by the current plan.
func (p *parser) emitLine(line []byte) error {
	line = p.cutBraces(line)
	p.split(line, p.Sep)
	if p.columns.Bad.Found() {
		return p.Bad(line, p.columns.Bad)
	}
	return p.emitColumns(line)
}

// emitColumns delivers the edge of a line that was split.
func (p *parser) emitColumns(line []byte) error {
	if f := &p.first; f.below {
		f.below, f.counts = false, p.parseCounts() && f.n > 0 && f.m > 0
	}
	if p.extra() > p.Spare {
		if f := p.surplus(line); f.Found() {
			return p.Bad(line, f)
		}
	}
	if err := p.takeRelation(); err != nil {
		return err
	}
	edge := reading.Edge{Edge: format.Edge{Source: p.columns.Field[delimited.Source], Target: p.columns.Field[delimited.Target], Weight: 1}}
	if p.braces.found {
		if err := p.takeBraces(line); err != nil || p.columns.Bad.Found() {
			return err
		}
	} else if p.Narrow {
		return p.emit(&edge.Edge, p.extra())
	}
	if bad, reason := p.Stats.Measure(&edge, &p.columns.Field, p.Stats.Lines); bad != delimited.Ignored {
		return p.Bad(line, fault.Syntax(p.columns.At[bad], "%s", reason()))
	}
	return p.emitMeasured(&edge, p.extra())
}

// cutBraces removes the attributes of an edge from the end of its line; the columns of pairs stay as
// they are.
func (p *parser) cutBraces(line []byte) []byte {
	if p.pairs {
		return line
	}
	return p.braces.cut(line, p.Sep, &p.Opts)
}

// takeBraces takes the weight and the time of the dictionary of the current line, unless columns
// have them.
func (p *parser) takeBraces(line []byte) error {
	b, field := &p.braces, &p.columns.Field
	if p.Plan.At[delimited.Weight] == 0 {
		field[delimited.Weight] = b.weight
	}
	if p.Plan.At[delimited.Time] == 0 {
		field[delimited.Time] = b.time
	}
	for _, entry := range b.left {
		if err := p.takeEntry(line, entry); err != nil {
			return err
		}
	}
	return nil
}

// takeEntry takes an attribute of the dictionary of the current line.
func (p *parser) takeEntry(line []byte, entry braceEntry) error {
	if name := string(entry.name); p.attributes.Pass == nil || name == delimited.EdgeID || !delimited.IsAttribute(name) {
		p.Stats.Remark("attributes of edges left out", excerpt.Name(entry.name), p.Stats.Lines, "")
		return nil
	}
	if entry.value == nil && entry.kind == format.Float {
		p.Stats.Remark(format.MissingValues, string(entry.name), p.Stats.Lines, "")
	}
	column, f, err := p.attributes.Find(string(entry.name))
	if err == nil && !f.Found() {
		f = p.attributes.Take(column, entry.value, entry.kind)
	}
	if f.Found() {
		p.columns.Bad = f
		return p.Bad(line, f)
	}
	return err
}

// emitMeasured delivers an edge that may have a weight or a time.
func (p *parser) emitMeasured(edge *reading.Edge, extra int) error {
	if p.PerSecond > 0 || edge.Cut {
		p.Stats.SetTime(edge, p.PerSecond, p.Stats.Lines)
	}
	p.Stats.Measured(&edge.Edge)
	return p.emit(&edge.Edge, extra)
}

func (p *parser) emit(edge *format.Edge, extra int) error {
	p.count(extra)
	edge.Both, edge.Values = p.both, p.attributes.Values
	return p.yield(*edge)
}

// count counts an edge of a line with so many columns that are not read.
func (p *parser) count(extra int) {
	p.Stats.Edges++
	p.Stats.IgnoredColumns = max(p.Stats.IgnoredColumns, extra)
}

// takeRelation takes the type of a relationship of Neo4j as an attribute. The text has this attribute from the first
// type on that is not the one that WriteCSV writes for edges without types.
func (p *parser) takeRelation() error {
	if string(p.Relation) == neo4jEdge || len(p.Relation) == 0 {
		return nil
	}
	if p.relationAt == 0 {
		p.relationAt = p.attributes.Add(format.Column{Name: neo4jType, Type: format.Text}) + 1
		if err := p.attributes.Begin(); err != nil {
			return err
		}
	}
	p.attributes.Values[p.relationAt-1] = p.Relation
	return nil
}

// firstLine keeps what is known about the first data line.
type firstLine struct {
	decided   bool
	comment   string     // a comment above it that names the columns
	names     []string   // the names in it
	text      string     // the line itself
	number    int64      // its number
	columns   int        // how many it has
	skipped   int64      // malformed lines above it
	words     []string   // of the last comment above it
	held      []heldLine // it and the lines below, while it is not known what it is
	heldBytes int        // of their texts
	counts    bool       // it, or the line below it if it names columns, may be a counts header, of n and m
	below     bool       // the columns have names, and the next line may be a counts header
	n, m      int64

	declared bool // it declares a graph, as Graphs.jl does

	konect    bool // a comment above it says that the file is one of KONECT
	bipartite bool // and that its two columns number vertices apart
}

// record gathers the lines of a record of an edge list as CSV, one of whose fields
// in quotes holds line breaks.
type record struct {
	open    bool
	text    []byte // the lines so far, without the last line feed; kept from record to record
	started int64  // the line at which it began
}

// heldLine is one of the first data lines.
type heldLine struct {
	text    []byte
	number  int64
	comment bool // it looks like a comment, and is a row below a header
}

// direct passes what the text says of the direction of its edges, above the first one.
func (p *parser) direct() error {
	p.both = p.course.All == reading.CourseUndirected
	return p.course.Declare(p.course.All)
}

// lineFault finds what no line of edges may contain, which may be a whole record.
func lineFault(line []byte) fault.Fault {
	if bytes.IndexByte(line, '"') < 0 {
		return fault.OfText(line) // a carriage return is allowed inside quotes
	}
	return fault.OfEncoding(line)
}

// parseCounts reads the first line as the two numbers of a counts header.
func (p *parser) parseCounts() (ok bool) {
	p.first.n, p.first.m, ok = decimal.Counts(p.columns.Field[delimited.Source], p.columns.Field[delimited.Target])
	return ok && p.columns.Count == 2
}
