package format

import (
	"bytes"
	"math"
	"slices"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

// parser reads edges from lines. It has three paths for a line: scan for the bulk of all files,
// plainFields for lines with attributes, and line for anything unusual.
type parser struct {
	lines
	scanner
	pairs  bool // the file holds pairs: there is no counts header
	yield  func(Edge) error
	many   func(*Edges) (int, error)
	course direction

	both    bool // the text calls its edges undirected
	first   firstLine
	columns delimited.Columns // of the current line
	braces  braces            // of the current line
	record  record            // a record that continues after its line
	names   []string          // of the columns, if the text has them
	further further

	attributes attributes
	seen       int // columns of attributes in the current line
	relationAt int // the place of the types, from 1 on, once there is one
	cells      cells

	ahead *scan    // of the text, made before; may be nil
	own   scan     // another one, reused
	fixed *scanner // see rulesBelow; nil before it is needed
}

// further holds the values of columns other than the keys.
type further struct {
	place  []int    // by column: index of its value; placeNone if it is not read
	values [][]byte // of the current line
}

func newParser(options Options, pairs bool, h Handler) *parser {
	opts := options.EdgeListOptions
	p := &parser{pairs: pairs, yield: h.Edge, many: h.Edges, course: newDirection(options, h)}
	p.attributes = attributes{pass: h.EdgeColumns, most: options.MaxColumns, maxValue: options.MaxValue}
	if pairs {
		opts.Weight, opts.Time = NoColumn, NoColumn
	}
	p.opts, p.to = opts, p
	p.scanner = scanner{find: h.Find, maxKey: opts.MaxKey, maxLine: opts.MaxLine, spare: math.MaxInt, perSecond: unitsPerSecond(opts.TimeUnit)}
	sep, _ := delimited.ParseSeparator(opts.Separator) // Validate has seen it
	p.separate(sep)
	p.follow(delimited.NewPlan(p.opts.wanted()))
	return p
}

// separate sets the separator.
func (p *parser) separate(sep delimited.Separator) {
	if p.sep != sep || sep == delimited.SeparatorAuto {
		p.sep, p.cells.sep, p.class = sep, sep, classify(sep)
	}
}

func (p *parser) follow(plan delimited.Plan) {
	p.plan, p.narrow, p.stats.IgnoredNames = plan, plan.Narrow(), plan.Ignored
}

// name applies a line of column names. A later line with more columns is an error: it is
// a table whose header lacks the column of the row names, as R writes it, or has a separator
// inside a field, and its keys would be those of the wrong columns.
func (p *parser) name(names []string, plan delimited.Plan, neo4j []Column) error {
	p.first.columns = len(names)
	p.spare = len(names)
	for _, r := range plan.Roles {
		if r != delimited.Ignored {
			p.spare--
		}
	}
	return p.called(names, plan, neo4j)
}

// called takes the names of the columns and makes attributes of those that have no role. Types come
// from Neo4j's header, or are behind the names.
func (p *parser) called(names []string, plan delimited.Plan, neo4j []Column) error {
	p.names = names
	p.follow(plan)
	if p.attributes.pass == nil {
		return nil
	}
	var ignored []string
	for i, name := range names {
		c := Column{}
		switch {
		case slices.Contains(plan.At[:], i+1):
			p.reads = append(p.reads, placeNone)
			continue
		case neo4j != nil:
			c = neo4j[i]
		default:
			c.Name, c.Type = cutType(name)
		}
		if name == edgeID && neo4j == nil || c.Name == "" || !isEdgeAttribute(c.Name) || p.first.konect {
			ignored = append(ignored, name)
			p.reads = append(p.reads, placeNone)
			continue
		}
		if len(p.attributes.columns) == p.attributes.most {
			return p.errorAt(p.stats.Lines, ErrLimit, "there are more than %d attributes", p.attributes.most)
		}
		p.spare-- // MaxInt is as good as one less
		if neo4j != nil && c == (Column{neo4jType, Text}) {
			p.narrow = false
			p.reads = append(p.reads, placeRelation)
			continue
		}
		p.narrow = false
		p.reads = append(p.reads, p.attributes.add(c))
	}
	p.stats.IgnoredNames = excerpt.List(ignored)
	p.cells = cells{&p.stats, p.sep, p.attributes.maxValue}
	p.columns.Each = p.attribute
	return p.attributes.begin()
}

// attribute takes a field of the current line that is an attribute.
func (p *parser) attribute(field []byte, at int, quoted bool) fault.Fault {
	place := placeNone
	if column := p.columns.Count; column < len(p.reads) {
		place = p.reads[column]
	}
	if place == placeNone {
		return fault.Fault{}
	}
	p.seen++
	if place == placeRelation {
		p.relation = field
		return fault.Fault{}
	}
	p.cells.quotes(field, p.stats.Lines)
	value, f := p.cells.value(&p.attributes.columns[place], field, at, quoted, p.stats.Lines)
	p.attributes.values[place] = value
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
	c.Split(line, p.sep, &delimited.NoPlan, len(line))
	return found
}

// split splits a line by the current plan.
func (p *parser) split(line []byte, sep delimited.Separator) {
	clear(p.further.values)
	clear(p.attributes.values)
	p.seen, p.relation = 0, nil
	p.columns.Split(line, sep, &p.plan, p.opts.MaxKey)
}

// extra is the number of columns of the current line that are not read.
func (p *parser) extra() int { return p.columns.Extra() - p.seen }

// emitLine delivers the edge of a data line that was not yet split by the current plan.
func (p *parser) emitLine(line []byte) error {
	line = p.cutBraces(line)
	p.split(line, p.sep)
	if p.columns.Bad.Found() {
		return p.bad(line, p.columns.Bad)
	}
	return p.emitColumns(line)
}

// emitColumns delivers the edge of a line that was split.
func (p *parser) emitColumns(line []byte) error {
	if f := &p.first; f.below {
		f.below, f.counts = false, p.parseCounts() && f.n > 0 && f.m > 0
	}
	if p.extra() > p.spare {
		if f := p.surplus(line); f.Found() {
			return p.bad(line, f)
		}
	}
	if err := p.takeRelation(); err != nil {
		return err
	}
	edge := Edge{Source: p.columns.Field[delimited.Source], Target: p.columns.Field[delimited.Target], Weight: 1}
	if p.braces.found {
		if err := p.takeBraces(line); err != nil || p.columns.Bad.Found() {
			return err
		}
	} else if p.narrow {
		return p.emit(&edge, p.extra())
	}
	if bad, reason := p.stats.measure(&edge, &p.columns.Field, p.stats.Lines); bad != delimited.Ignored {
		return p.bad(line, fault.Syntax(p.columns.At[bad], "%s", reason()))
	}
	return p.emitMeasured(&edge, p.extra())
}

// cutBraces removes the attributes of an edge from the end of its line; the columns of pairs stay as
// they are.
func (p *parser) cutBraces(line []byte) []byte {
	if p.pairs {
		return line
	}
	return p.braces.cut(line, p.sep, &p.opts)
}

// takeBraces takes the weight and the time of the dictionary of the current line, unless columns
// have them.
func (p *parser) takeBraces(line []byte) error {
	b, field := &p.braces, &p.columns.Field
	if p.plan.At[delimited.Weight] == 0 {
		field[delimited.Weight] = b.weight
	}
	if p.plan.At[delimited.Time] == 0 {
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
	if name := string(entry.name); p.attributes.pass == nil || name == edgeID || !isEdgeAttribute(name) {
		p.stats.remark("attributes of edges left out", excerpt.Name(entry.name), p.stats.Lines, "")
		return nil
	}
	if entry.value == nil && entry.kind == Float {
		p.stats.remark(MissingValues, string(entry.name), p.stats.Lines, "")
	}
	column, f, err := p.attributes.find(string(entry.name))
	if err == nil && !f.Found() {
		f = p.attributes.take(column, entry.value, entry.kind)
	}
	if f.Found() {
		p.columns.Bad = f
		return p.bad(line, f)
	}
	return err
}

// emitMeasured delivers an edge that may have a weight or a time.
func (p *parser) emitMeasured(edge *Edge, extra int) error {
	if p.perSecond > 0 || edge.cut {
		p.stats.setTime(edge, p.perSecond, p.stats.Lines)
	}
	p.stats.measured(edge)
	return p.emit(edge, extra)
}

func (p *parser) emit(edge *Edge, extra int) error {
	p.count(extra)
	edge.Both, edge.Values = p.both, p.attributes.values
	return p.yield(*edge)
}

// count counts an edge of a line with so many columns that are not read.
func (p *parser) count(extra int) {
	p.stats.Edges++
	p.stats.IgnoredColumns = max(p.stats.IgnoredColumns, extra)
}

// takeRelation takes the type of a relationship of Neo4j as an attribute. The text has this attribute from the first
// type on that is not the one that WriteCSV writes for edges without types.
func (p *parser) takeRelation() error {
	if string(p.relation) == neo4jEdge || len(p.relation) == 0 {
		return nil
	}
	if p.relationAt == 0 {
		p.relationAt = p.attributes.add(Column{neo4jType, Text}) + 1
		if err := p.attributes.begin(); err != nil {
			return err
		}
	}
	p.attributes.values[p.relationAt-1] = p.relation
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
	p.both = p.course.all == courseUndirected
	return p.course.declare(p.course.all)
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
