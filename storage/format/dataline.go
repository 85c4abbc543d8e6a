package format

import (
	"bytes"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
)

// single handles a line, or the joined lines of a whole record, that is neither empty nor a
// comment.
func (p *parser) single(line []byte) error {
	line = bytes.TrimSuffix(line, []byte("\r"))
	f := fault.OfEncoding(line)
	if bytes.IndexByte(line, '"') < 0 {
		f = fault.OfText(line) // a carriage return is allowed inside quotes
	}
	if f.Found() {
		return p.bad(line, f)
	}
	return p.dataLine(line)
}

// dataLine handles a line that is neither empty nor a comment.
func (p *parser) dataLine(line []byte) error {
	sep, whole := p.sep, line
	line = p.cutBraces(line)
	if sep == delimited.SeparatorAuto {
		var doubt string
		sep, doubt = delimited.Detect(line)
		if (sep > delimited.SeparatorComma || doubt != "") && p.first.namesWords(line) {
			sep, doubt = delimited.SeparatorWhitespace, ""
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
	p.columns.Split(line, sep, &p.plan, p.opts.MaxKey)
	if p.columns.Bad.Found() {
		return p.bad(line, p.columns.Bad)
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
