package format

import (
	"bytes"

	"heavytail/storage/format/internal/delimited"
)

// opensRecord reports whether a quoted field continues after a line.
func (p *parser) opensRecord(line []byte) bool {
	if bytes.IndexByte(line, '"') < 0 || p.sep != delimited.SeparatorAuto && !p.sep.Quotes() {
		return false
	}
	open, _ := delimited.QuoteStaysOpen(line, p.recordSeparator(line), false)
	return open
}

// recordSeparator returns the separator of a line, or else the comma.
func (p *parser) recordSeparator(line []byte) byte {
	if p.sep != delimited.SeparatorAuto {
		return p.sep.Character()
	}
	if sep, _ := delimited.Detect(line); sep.Quotes() {
		return sep.Character()
	}
	return delimited.SeparatorComma.Character()
}

func (p *parser) begin(line []byte) error {
	p.record.open, p.record.started = true, p.stats.Lines
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
	if p.sep == delimited.SeparatorAuto {
		if sep, _ := delimited.Detect(whole); !sep.Quotes() {
			return p.tear()
		}
	}
	r.open = false
	return p.single(whole)
}

// long checks an open record against the limit of a line.
func (p *parser) long() error {
	if len(p.record.text) > p.opts.MaxLine {
		return p.tear()
	}
	return nil
}

// abandon ends an open record when one of its lines exceeds the limit.
func (p *parser) abandon() error {
	if !p.record.open {
		return nil
	}
	number := p.stats.Lines
	err := p.tear()
	p.stats.Lines = number
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
		p.stats.Lines = number
		number++
		if err := take(line); err != nil {
			return err
		}
		take = p.line
	}
	return nil
}
