package format

import (
	"bytes"
	"fmt"
)

// parser makes edges of lines. It has three ways through a line: plainLines for
// the bulk of all files, plainFields where more than two keys are taken, and
// line for whatever is unusual.
type parser struct {
	lines
	pairs bool // the file holds pairs: there is no counts header
	yield func(Edge) error

	sep     separator
	class   [256]byteClass // what plainLines makes of a byte, for sep
	plan    plan
	narrow  bool // the plan is narrow
	first   firstLine
	columns columns // of the line that is being read
	record  record  // that continues behind its line
}

func newParser(opts EdgeListOptions, pairs bool, yield func(Edge) error) *parser {
	p := &parser{pairs: pairs, yield: yield}
	if pairs {
		opts.Weight, opts.Time = NoColumn, NoColumn
	}
	p.opts, p.to = opts, p
	sep, _ := parseSeparator(opts.Separator) // Validate has seen it
	p.separate(sep)
	p.follow(newPlan(&p.opts))
	return p
}

// separate sets the separator.
func (p *parser) separate(sep separator) {
	if p.sep != sep || sep == separatorAuto {
		p.sep, p.class = sep, classify(sep)
	}
}

// follow sets the plan.
func (p *parser) follow(plan plan) { p.plan, p.narrow = plan, plan.narrow() }

// bulk takes the leading lines that are plain.
func (p *parser) bulk(text []byte) (done int, err error) {
	switch {
	case !p.first.decided || p.record.open:
		return 0, nil
	case p.narrow:
		return p.plainLines(text)
	}
	return p.plainFields(text)
}

// line takes one line, without its line feed.
func (p *parser) line(line []byte) error {
	if p.record.open {
		return p.goOn(line)
	}
	content, kind := p.sort(line)
	switch kind {
	case lineBlank:
		return nil
	case lineComment:
		p.comment(content)
		return nil
	}
	if p.opensRecord(line) {
		return p.begin(line)
	}
	return p.single(content)
}

// single takes a line, or the lines of a whole record, that is neither empty nor a
// comment.
func (p *parser) single(line []byte) error {
	line = bytes.TrimSuffix(line, []byte("\r"))
	f := encodingFault(line)
	if isUTF16(line) || bytes.IndexByte(line, '"') < 0 {
		f = textFault(line) // in quotes there may be a carriage return
	}
	if f.found() {
		return p.bad(line, f)
	}
	return p.dataLine(line)
}

// dataLine takes a line that is neither empty nor a comment.
func (p *parser) dataLine(line []byte) error {
	sep := p.sep
	if sep == separatorAuto {
		var doubt string
		if sep, doubt = detectSeparator(line); doubt != "" {
			// Not a matter of this line alone: SkipBad does not help.
			return p.lineError(line, syntaxFault(0, "%s", doubt))
		}
	}
	if p.first.text == "" {
		if taken, err := p.header(line, sep); taken {
			return err
		}
	}
	p.columns.split(line, sep, &p.plan, p.opts.MaxKey)
	if p.columns.bad.found() {
		return p.bad(line, p.columns.bad)
	}
	p.separate(sep)
	if !p.first.decided {
		return p.firstLine(line)
	}
	return p.emitColumns(line)
}

// emitLine delivers the edge of a data line that was not split by the plan.
func (p *parser) emitLine(line []byte) error {
	p.columns.split(line, p.sep, &p.plan, p.opts.MaxKey)
	if p.columns.bad.found() {
		return p.bad(line, p.columns.bad)
	}
	return p.emitColumns(line)
}

// emitColumns delivers the edge of a line that was split.
func (p *parser) emitColumns(line []byte) error {
	edge := Edge{Source: p.columns.field[roleSource], Target: p.columns.field[roleTarget], Weight: 1}
	if p.narrow {
		return p.emit(edge, p.columns.extra())
	}
	if bad, reason := p.measure(&edge, &p.columns.field); bad != roleIgnored {
		return p.bad(line, syntaxFault(p.columns.at[bad], "%s", reason()))
	}
	return p.emitMeasured(edge, p.columns.extra())
}

// measure sets the weight and the time of an edge, which may be missing. If one
// of them is malformed it says which, and why.
func (p *parser) measure(edge *Edge, field *[roleCount][]byte) (bad role, reason func() string) {
	if text := field[roleWeight]; len(text) > 0 {
		if edge.Weight, edge.Weighted = parseWeight(text); !edge.Weighted {
			return roleWeight, func() string { return weightFault(text) }
		}
	}
	if text := field[roleTime]; len(text) > 0 {
		if edge.Time, edge.Dated, edge.Timed = parseTime(text); !edge.Timed {
			return roleTime, func() string { return timeFault(text) }
		}
	}
	return roleIgnored, nil
}

// emitMeasured delivers an edge that may have a weight or a time.
func (p *parser) emitMeasured(edge Edge, extra int) error {
	if edge.Weighted {
		p.stats.Weighted++
	}
	if edge.Timed {
		p.stats.Timed++
	}
	if edge.Dated {
		p.stats.Dated++
	}
	return p.emit(edge, extra)
}

// emit delivers an edge.
func (p *parser) emit(edge Edge, extra int) error {
	p.stats.Edges++
	p.stats.IgnoredColumns = max(p.stats.IgnoredColumns, extra)
	return p.yield(edge)
}

// missing says which column a line lacks.
func missing(sep separator, plan *plan, line []byte) fault {
	if plan.narrow() {
		return syntaxFault(0, "expected two columns separated by %s, found only %s", sep, excerpt(line))
	}
	last := max(plan.at[roleSource], plan.at[roleTarget])
	return syntaxFault(0, "expected %s columns or more separated by %s, found only %s", fmt.Sprint(last), sep, excerpt(line))
}
