package format

import (
	"bytes"
	"math"
)

// bulk handles the leading lines that are plain.
func (p *parser) bulk(text []byte) (done int, err error) {
	switch {
	case !p.first.decided || p.record.open || p.further.values != nil:
		return 0, nil
	case p.narrow:
		return p.plainLines(text)
	}
	return p.plainFields(text)
}

// line takes one line, without its line feed.
func (p *parser) line(line []byte) error {
	if p.record.open {
		return p.continueRecord(line)
	}
	if sep, found := separatorLine(line); found && p.stats.Lines == 1 {
		if p.sep == separatorAuto {
			p.separate(sep)
		}
		return nil
	}
	content, kind := p.sort(line)
	switch kind {
	case lineBlank:
		return nil
	case lineComment:
		if held, err := p.holdComment(line); held {
			return err
		}
		if !p.row(line) {
			p.comment(content)
			return nil
		}
		p.stats.Comments--
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
	var c columns
	c.split(line, p.sep, &noPlan, len(line))
	switch {
	case c.count != p.first.columns:
		return false
	case p.spare != math.MaxInt && p.sep.quotes():
		return true
	}
	p.stats.LateComments++
	return false
}

// single handles a line, or the joined lines of a whole record, that is neither empty nor a
// comment.
func (p *parser) single(line []byte) error {
	line = bytes.TrimSuffix(line, []byte("\r"))
	f := encodingFault(line)
	if bytes.IndexByte(line, '"') < 0 {
		f = textFault(line) // a carriage return is allowed inside quotes
	}
	if f.found() {
		return p.bad(line, f)
	}
	return p.dataLine(line)
}

// dataLine handles a line that is neither empty nor a comment.
func (p *parser) dataLine(line []byte) error {
	sep, whole := p.sep, line
	line = p.cutBraces(line)
	if sep == separatorAuto {
		var doubt string
		sep, doubt = detectSeparator(line)
		if (sep > separatorComma || doubt != "") && p.first.namesWords(line) {
			sep, doubt = separatorWhitespace, ""
		}
		if doubt != "" {
			return p.wrong(line, "%s", doubt)
		}
	}
	if p.first.text == "" {
		if taken, err := p.header(line, sep); taken {
			return err
		}
	}
	clear(p.further.values)
	p.columns.split(line, sep, &p.plan, p.opts.MaxKey)
	if p.columns.bad.found() {
		return p.bad(line, p.columns.bad)
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
