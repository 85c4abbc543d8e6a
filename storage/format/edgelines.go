package format

import (
	"math"

	"heavytail/storage/format/internal/delimited"
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
	if sep, found := delimited.SeparatorLine(line); found && p.stats.Lines == 1 {
		if p.sep == delimited.SeparatorAuto {
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
	var c delimited.Columns
	c.Split(line, p.sep, &delimited.NoPlan, len(line))
	switch {
	case c.Count != p.first.columns:
		return false
	case p.spare != math.MaxInt && p.sep.Quotes():
		return true
	}
	p.stats.LateComments++
	return false
}
