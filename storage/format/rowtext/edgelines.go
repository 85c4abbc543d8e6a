package rowtext

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/scan"
	"heavytail/storage/internal/excerpt"
)

// Bulk handles the leading lines that are plain.
func (p *parser) Bulk(text []byte) (done int, err error) {
	switch {
	case !p.settled():
		return 0, nil
	case p.attributed():
		return p.plainFields(text)
	}
	s, most := p.ahead, cmp.Or(p.Opts.MaxLines, math.MaxInt64)-p.Stats.Lines
	if s == nil || !s.IsOf(text, p.Rules()) || int64(s.Lines.Len()) > most {
		s = &p.own
		p.Scan(text, most, s)
	}
	if s.Done == 0 {
		return 0, nil
	}
	return s.Done, p.deliver(s)
}

// settled reports whether the lines above have decided what those below mean.
func (p *parser) settled() bool {
	return p.first.decided && !p.first.below && !p.record.open && p.further.values == nil
}

// RulesBelow returns the present rules, in a scanner that does not change, if they are those of the lines below.
func (p *parser) RulesBelow() *scan.Scanner {
	switch {
	case !p.settled() || p.attributed():
		return nil
	case p.fixed == nil || p.fixed.Rules() != p.Rules():
		fixed := p.Scanner
		p.fixed = &fixed
	}
	return p.fixed
}

func (p *parser) Scanned(s *scan.Scan) { p.ahead = s }

// attributed reports whether lines have attributes. A scan does not hold them.
func (p *parser) attributed() bool {
	return slices.ContainsFunc(p.Reads, func(place int) bool { return place != scan.Unread })
}

// deliver delivers the edges of a scan.
func (p *parser) deliver(s *scan.Scan) error {
	lines := &s.Lines
	p.Stats.IgnoredColumns = max(p.Stats.IgnoredColumns, s.Extra)
	if p.many != nil {
		p.edges = format.EdgesOf(lines, p.both)
		n, err := p.many(&p.edges)
		if lines.Measured() {
			for i := range n {
				m := lines.At(i)
				var edge reading.Edge
				edge.Set(&m)
				p.Stats.SetTime(&edge, 0, p.Stats.Lines+int64(i)+1)
				p.Stats.Measured(&edge.Edge)
			}
		}
		p.Stats.Lines, p.Stats.Edges = p.Stats.Lines+int64(n), p.Stats.Edges+int64(n)
		return err
	}
	clear(p.attributes.Values) // of braces in the line above
	edge := reading.Edge{Edge: format.Edge{Weight: 1, Both: p.both, Values: p.attributes.Values}}
	for i := range lines.Len() {
		p.Stats.Lines++
		p.Stats.Edges++
		edge.Source, edge.Target = lines.Key(2*i), lines.Key(2*i+1)
		if lines.Measured() {
			m := lines.At(i)
			edge.Set(&m)
			p.Stats.SetTime(&edge, 0, p.Stats.Lines)
			p.Stats.Measured(&edge.Edge)
		}
		if err := p.yield(edge.Edge); err != nil {
			return err
		}
	}
	return nil
}

// Line takes one line, without its line feed.
func (p *parser) Line(line []byte) error {
	if p.record.open {
		return p.continueRecord(line)
	}
	if sep, found := delimited.SeparatorLine(line); found && p.Stats.Lines == 1 {
		if p.Sep == delimited.SeparatorAuto {
			p.separate(sep)
		}
		return nil
	}
	content, kind := p.Sort(line)
	switch kind {
	case feed.LineBlank:
		return nil
	case feed.LineComment:
		if held, err := p.holdComment(line); held {
			return err
		}
		if !p.row(line) {
			p.comment(content)
			return nil
		}
		p.Stats.Comments--
	}
	if p.opensRecord(line) {
		return p.begin(line)
	}
	return p.single(content)
}

// row reports whether a line that begins as comments do is a row of a table: it has as many
// columns as the header line above. Other programs write keys such as #tag without quotes. Where
// there is no header, or blanks separate columns, such a line is a comment, and counted.
func (p *parser) row(line []byte) bool {
	if p.first.text == "" {
		return false
	}
	var c delimited.Columns
	c.Split(line, p.Sep, &delimited.NoPlan, len(line))
	switch {
	case c.Count != p.first.columns:
		return false
	case p.Spare != math.MaxInt && p.Sep.Quotes():
		return true
	}
	p.Stats.LateComments++
	return false
}

// single handles a line, or the joined lines of a whole record, that is neither empty nor a
// comment.
func (p *parser) single(line []byte) error {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if f := lineFault(line); f.Found() {
		return p.Bad(line, f)
	}
	return p.dataLine(line)
}

// dataLine handles a line that is neither empty nor a comment.
func (p *parser) dataLine(line []byte) error {
	sep, whole := p.Sep, line
	line = p.cutBraces(line)
	if sep == delimited.SeparatorAuto {
		var doubt string
		sep, doubt = delimited.Detect(line)
		if (sep > delimited.SeparatorComma || doubt != "") && p.first.namesWords(line) {
			sep, doubt = delimited.SeparatorWhitespace, ""
		}
		if doubt != "" {
			return p.Wrong(line, "%s", doubt)
		}
	}
	if p.first.text == "" {
		if taken, err := p.header(line, sep); taken {
			return err
		}
	}
	p.split(line, sep)
	if p.columns.Bad.Found() {
		return p.Bad(line, p.columns.Bad)
	}
	p.separate(sep)
	if !p.first.decided {
		if len(p.first.held) > 0 {
			line = whole // with its attributes
		}
		return p.firstLine(line)
	}
	return p.emitColumns(line)
}

// opensRecord reports whether a quoted field continues after a line.
func (p *parser) opensRecord(line []byte) bool {
	if bytes.IndexByte(line, '"') < 0 || p.Sep != delimited.SeparatorAuto && !p.Sep.Quotes() {
		return false
	}
	open, _ := delimited.QuoteStaysOpen(line, p.recordSeparator(line), false)
	return open
}

// recordSeparator returns the separator of a line, or else the comma.
func (p *parser) recordSeparator(line []byte) byte {
	if p.Sep != delimited.SeparatorAuto {
		return p.Sep.Character()
	}
	if sep, _ := delimited.Detect(line); sep.Quotes() {
		return sep.Character()
	}
	return delimited.SeparatorComma.Character()
}

func (p *parser) begin(line []byte) error {
	p.record.open, p.record.started = true, p.Stats.Lines
	p.record.text = append(p.record.text[:0], line...)
	return p.long()
}

// continueRecord adds the next line to an open record.
func (p *parser) continueRecord(line []byte) error {
	r := &p.record
	r.text = append(append(r.text, '\n'), line...)
	open, torn := delimited.QuoteStaysOpen(line, p.recordSeparator(r.text), true)
	switch {
	case torn:
		return p.tear()
	case open:
		return p.long()
	}
	whole := bytes.TrimSuffix(r.text, []byte("\r"))
	if p.Sep == delimited.SeparatorAuto {
		if sep, _ := delimited.Detect(whole); !sep.Quotes() {
			return p.tear()
		}
	}
	r.open = false
	return p.single(whole)
}

// long checks an open record against the limit of a line.
func (p *parser) long() error {
	if len(p.record.text) > p.Opts.MaxLine {
		return p.tear()
	}
	return nil
}

// Abandon ends an open record when one of its lines exceeds the limit.
func (p *parser) Abandon() error {
	if !p.record.open {
		return nil
	}
	number := p.Stats.Lines
	err := p.tear()
	p.Stats.Lines = number
	return err
}

// tear handles the lines of an open record one by one. They are not a record, because the
// opening quote is not closed, or not closed before a separator. Under SkipBad such a quote
// therefore costs only its own line and not those below. Only the last line may open another
// record; any line before it would have closed this one.
func (p *parser) tear() error {
	text, number := p.record.text, p.record.started
	p.record = record{}
	take := p.single
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		p.Stats.Lines = number
		number++
		if err := take(line); err != nil {
			return err
		}
		take = p.Line
	}
	return nil
}

// plainFields delivers the edges of the leading lines that a scan would take, with their attributes.
func (p *parser) plainFields(text []byte) (done int, err error) {
	text = text[:bytes.LastIndexByte(text, '\n')+1] // so that every scan below ends
	most := cmp.Or(p.Opts.MaxLines, math.MaxInt64)
	for at := 0; at < len(text); done = at {
		clear(p.attributes.Values)
		p.Values, p.Relation = p.attributes.Values, nil
		found := scan.Edge{Measures: figure.Measures{Weight: 1}}
		end, extra := p.PlainEdge(text, at, &found)
		if end < 0 || p.Stats.Lines == most || !p.plainValues() {
			return done, nil
		}
		if err := p.takeRelation(); err != nil {
			return done, err
		}
		at = end + 1
		p.Stats.Lines++
		edge := reading.Edge{Edge: format.Edge{Source: slices.Clip(found.Source), Target: slices.Clip(found.Target)}}
		edge.Set(&found.Measures)
		if err := p.emitMeasured(&edge, extra); err != nil {
			return at, err
		}
	}
	return done, nil
}

// plainValues reports whether the values of the attributes of an edge are plain, and makes empty ones missing.
func (p *parser) plainValues() bool {
	for i, value := range p.attributes.Values {
		if !p.cells.plain(&p.attributes.Columns[i], value) {
			return false
		}
		if len(value) == 0 {
			p.attributes.Values[i] = nil
		}
	}
	return true
}

// End decides at the end of the text what the first line was, if that is still open.
func (p *parser) End() error {
	for p.record.open {
		if err := p.tear(); err != nil {
			return err
		}
	}
	f := &p.first
	if len(f.held) > 0 {
		if err := p.decide(true); err != nil {
			return err
		}
	}
	below := p.Stats.Edges + p.Stats.Skipped - f.skipped // data lines
	switch {
	case p.Opts.Header == format.HeaderCounts && !f.decided:
		return p.headerError("expected the numbers of vertices and edges, found no data line")
	case (p.Opts.Header == format.HeaderCounts || f.declared) && below != f.m:
		return p.headerError("the header declares %d edges, but %d lines follow", f.m, below)
	case f.counts && below-1 == f.m && slices.Equal(p.names, []string{"source", "target"}):
		// The names that our writer writes, so that the first edge of a graph that it wrote is never
		// taken as counts.
		p.Stats.Remark("first line that may be the counts of vertices and edges, taken as an edge", f.text, p.first.number, "if it is not an edge, it is to be removed")
	case f.counts && below-1 == f.m:
		p.Stats.CountsHeader = true
		p.Stats.NamedCounts = p.Stats.Header != ""
		p.Stats.Header = cmp.Or(p.Stats.Header, f.text)
		p.Stats.DeclaredVertices, p.Stats.DeclaredEdges = f.n, f.m
	}
	if source, target := p.Plan.At[delimited.Source], p.Plan.At[delimited.Target]; max(source, target) <= len(p.names) {
		p.Stats.Ends = [2]string{p.names[source-1], p.names[target-1]}
	}
	p.doubtEdges(below - 1)
	if err := p.summary(); err != nil {
		return err
	}
	if err := p.direct(); err != nil {
		return err
	}
	return p.attributes.Settle()
}

// summaryWords are the words, in lower case, of a line below the edges that says how many there are.
var summaryWords = []string{"total", "totals", "sum", "summary", "count", "edges", "links", "nodes", "vertices", "rows", "lines", "records"}

// summary refuses a last line such as "Total: 3 edges" in a text whose first line has numbers as
// keys. Under SkipBad, and where the keys are words, it is remarked: its edge was delivered. Under
// HeaderNone each line is an edge.
func (p *parser) summary() error {
	line, number := p.LastLine()
	if p.pairs || p.Opts.Header == format.HeaderNone || number == p.first.number || len(line) == 0 || delimited.IsComment(line[0]) {
		return nil
	}
	keys := func(line []byte) (keys []string) {
		fields := delimited.NamesIn(line, p.Sep)
		for _, at := range p.Plan.At[delimited.Source : delimited.Target+1] {
			if at <= len(fields) {
				keys = append(keys, fields[at-1])
			}
		}
		return keys
	}
	isWord := func(key string) bool { return !decimal.IsInteger([]byte(key)) }
	summarises := func(key string) bool {
		return slices.Contains(summaryWords, strings.ToLower(strings.Trim(key, "():=,;")))
	}
	above, last := keys([]byte(p.first.text)), keys(line)
	if len(above) < 2 || len(last) < 2 || !slices.ContainsFunc(last, summarises) {
		return nil
	}
	words := slices.ContainsFunc(above, isWord)
	if figures := len(last) - len(slices.DeleteFunc(slices.Clone(last), func(key string) bool { return !isWord(key) })); words && figures == 0 {
		return nil
	}
	if p.Opts.SkipBad || words {
		p.Stats.Remark("last lines that look like a summary, taken as edges", excerpt.Of(line), number, "")
		return nil
	}
	return p.ErrorAt(number, format.ErrSyntax, "the last line looks like a summary, %s, below lines of numbers; remove it, or header := 'none' takes it as an edge", excerpt.Of(line))
}
