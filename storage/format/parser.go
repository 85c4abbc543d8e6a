package format

import (
	"bytes"
	"math"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

// parser reads edges from lines. It has three paths for a line: plainLines for the bulk of all
// files, plainFields if the plan reads columns other than the first two, and line for anything
// unusual.
type parser struct {
	lines
	pairs bool // the file holds pairs: there is no counts header
	yield func(Edge) error

	perSecond int64 // units of the times in a second; 0 if they are numbers
	sep       delimited.Separator
	class     [256]byteClass // the class of each byte for plainLines, given sep
	plan      delimited.Plan
	narrow    bool // the plan is narrow
	first     firstLine
	columns   delimited.Columns // of the current line
	braces    braces            // of the current line
	record    record            // a record that continues after its line
	names     []string          // of the columns, if the text has them
	spare     int               // columns of the header line that the plan does not read; math.MaxInt without that line
	further   further
}

// further holds the values of columns other than the keys.
type further struct {
	place  []int    // by column: index of its value; placeNone if it is not read
	values [][]byte // of the current line
}

func newParser(opts EdgeListOptions, pairs bool, yield func(Edge) error) *parser {
	p := &parser{pairs: pairs, yield: yield}
	if pairs {
		opts.Weight, opts.Time = NoColumn, NoColumn
	}
	p.opts, p.to, p.spare, p.perSecond = opts, p, math.MaxInt, unitsPerSecond(opts.TimeUnit)
	sep, _ := delimited.ParseSeparator(opts.Separator) // Validate has seen it
	p.separate(sep)
	p.follow(delimited.NewPlan(p.opts.wanted()))
	return p
}

// separate sets the separator.
func (p *parser) separate(sep delimited.Separator) {
	if p.sep != sep || sep == delimited.SeparatorAuto {
		p.sep, p.class = sep, classify(sep)
	}
}

func (p *parser) follow(plan delimited.Plan) {
	p.plan, p.narrow, p.stats.IgnoredNames = plan, plan.Narrow(), plan.Ignored
}

// name applies a line of column names. A later line with more columns is an error: it is
// a table whose header lacks the column of the row names, as R writes it, or has a separator
// inside a field, and its keys would be those of the wrong columns.
func (p *parser) name(names []string, plan delimited.Plan) {
	p.names, p.first.columns = names, len(names)
	p.follow(plan)
	p.spare = len(names)
	for _, r := range plan.Roles {
		if r != delimited.Ignored {
			p.spare--
		}
	}
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

// emitLine delivers the edge of a data line that was not yet split by the current plan.
func (p *parser) emitLine(line []byte) error {
	clear(p.further.values)
	line = p.cutBraces(line)
	p.columns.Split(line, p.sep, &p.plan, p.opts.MaxKey)
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
	if p.columns.Extra() > p.spare {
		if f := p.surplus(line); f.Found() {
			return p.bad(line, f)
		}
	}
	edge := Edge{Source: p.columns.Field[delimited.Source], Target: p.columns.Field[delimited.Target], Weight: 1}
	if p.braces.found {
		p.takeBraces()
	} else if p.narrow {
		return p.emit(edge, p.columns.Extra())
	}
	if bad, reason := p.stats.measure(&edge, &p.columns.Field, p.stats.Lines); bad != delimited.Ignored {
		return p.bad(line, fault.Syntax(p.columns.At[bad], "%s", reason()))
	}
	return p.emitMeasured(edge, p.columns.Extra())
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
func (p *parser) takeBraces() {
	b, field := &p.braces, &p.columns.Field
	if p.plan.At[delimited.Weight] == 0 {
		field[delimited.Weight] = b.weight
	}
	if p.plan.At[delimited.Time] == 0 {
		field[delimited.Time] = b.time
	}
	for _, name := range b.left {
		p.stats.remark("attributes of edges left out", excerpt.Name(name), p.stats.Lines, "")
	}
}

// emitMeasured delivers an edge that may have a weight or a time.
func (p *parser) emitMeasured(edge Edge, extra int) error {
	if p.perSecond > 0 || edge.cut {
		p.stats.setTime(&edge, p.perSecond, p.stats.Lines)
	}
	p.stats.measured(edge)
	return p.emit(edge, extra)
}

func (p *parser) emit(edge Edge, extra int) error {
	p.stats.Edges++
	p.stats.IgnoredColumns = max(p.stats.IgnoredColumns, extra)
	return p.yield(edge)
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

// byteClass is the meaning of a byte in a plain line.
type byteClass uint8

const (
	classKey       byteClass = iota // part of a key
	classSeparator                  // between columns
	classNewline
	classUnusual // whatever needs a closer look
)

// classify returns the class of every byte. Bytes beyond ASCII are unusual since their encoding
// must be checked.
func classify(sep delimited.Separator) (class [256]byteClass) {
	for c := range 128 {
		class[c] = classKey
	}
	for c := 128; c < 256; c++ {
		class[c] = classUnusual
	}
	class[0], class['\r'], class['\n'] = classUnusual, classUnusual, classNewline
	class[' '], class['\t'] = classUnusual, classUnusual // trimmed, or part of a key
	class['{'] = classUnusual                            // may begin a dictionary of attributes
	if sep.Quotes() {
		class['"'] = classUnusual
	}
	class[sep.Character()] = classSeparator
	if sep == delimited.SeparatorWhitespace {
		class['\t'] = classSeparator
	}
	return class
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
