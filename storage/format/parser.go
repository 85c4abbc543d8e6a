package format

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// parser makes edges of blocks of text. It has two ways through a line:
// plainLines for the bulk of all files, and line for whatever is unusual.
type parser struct {
	opts  EdgeListOptions // with defaults
	pairs bool            // the file holds pairs: there is no counts header
	yield func(Edge) error
	stats ReadStats

	sep     separator
	class   [256]byteClass // what plainLines makes of a byte, for sep
	first   firstLine
	columns columns // of the line that is being read
	carry   []byte  // the beginning of a line that goes on in the next block
}

func newParser(opts EdgeListOptions, pairs bool, yield func(Edge) error) *parser {
	p := &parser{opts: opts, pairs: pairs, yield: yield}
	sep, _ := parseSeparator(opts.Separator) // Validate has seen it
	p.separate(sep)
	return p
}

// separate sets the separator.
func (p *parser) separate(sep separator) {
	p.sep, p.class = sep, classify(sep)
}

// block takes the next block of the text, which may begin and end anywhere.
func (p *parser) block(text []byte) error {
	rest := p.opts.MaxBytes - p.stats.Bytes
	if int64(len(text)) <= rest {
		p.stats.Bytes += int64(len(text))
		return p.lines(text)
	}
	p.stats.Bytes = p.opts.MaxBytes
	if err := p.lines(text[:rest]); err != nil {
		return err
	}
	return p.limit("the text exceeds the limit of %d bytes", p.opts.MaxBytes)
}

// limit complains about the line that would come next.
func (p *parser) limit(format string, args ...any) error {
	return &LineError{p.opts.Name, p.stats.Lines + 1, 1, fmt.Sprintf(format, args...), ErrLimit}
}

func (p *parser) lines(text []byte) error {
	for len(text) > 0 {
		if p.first.decided && len(p.carry) == 0 {
			done, err := p.plainLines(text)
			if err != nil {
				return err
			}
			if text = text[done:]; len(text) == 0 {
				return nil
			}
		}
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return p.keep(text)
		}
		line := text[:end]
		if len(p.carry) > 0 {
			if err := p.keep(line); err != nil {
				return err
			}
			line = p.carry
		}
		if err := p.line(line); err != nil {
			return err
		}
		p.carry = p.carry[:0]
		text = text[end+1:]
	}
	return nil
}

// keep saves a part of a line. Of a line that is too long it keeps just enough
// for line to see that, and calls it at once unless such lines are skipped: the
// end may never come.
func (p *parser) keep(part []byte) error {
	const more = len("\ufeff") + len("\r") + 1 // what line takes off, and one byte too many
	room := p.opts.MaxLine + more - len(p.carry)
	p.carry = append(p.carry, part[:min(len(part), room)]...)
	if len(part) > room && !p.opts.SkipBad {
		return p.line(p.carry)
	}
	return nil
}

// finish takes a last line without a line end and settles what only the end of
// the file can tell.
func (p *parser) finish() error {
	if len(p.carry) > 0 {
		if err := p.line(p.carry); err != nil {
			return err
		}
	}
	return p.finishHeader()
}

// line takes one line, without its line feed.
func (p *parser) line(line []byte) error {
	if p.opts.MaxLines > 0 && p.stats.Lines >= p.opts.MaxLines {
		return p.limit("the text exceeds the limit of %d lines", p.opts.MaxLines)
	}
	p.stats.Lines++
	if p.stats.Lines == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) > p.opts.MaxLine {
		return p.bad(line, fault{0, fmt.Sprintf("the line exceeds the limit of %d bytes", p.opts.MaxLine), ErrLimit})
	}
	content := bytes.TrimLeft(line, blanks)
	if len(content) == 0 {
		return nil
	}
	if isComment(content[0]) {
		p.comment(content)
		return nil
	}
	if f := textFault(line); f.found() {
		return p.bad(line, f)
	}
	return p.dataLine(line)
}

func isComment(c byte) bool { return c == '#' || c == '%' }

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
	p.columns.split(line, sep, p.opts.MaxKey)
	if p.columns.bad.found() {
		return p.bad(line, p.columns.bad)
	}
	if p.sep != sep {
		p.separate(sep)
	}
	edge := Edge{Source: p.columns.key[0], Target: p.columns.key[1], Weight: 1}
	if !p.first.decided {
		return p.firstLine(line, edge)
	}
	return p.emit(edge, p.columns.extra())
}

// emit delivers an edge.
func (p *parser) emit(edge Edge, extra int) error {
	p.stats.Edges++
	p.stats.IgnoredColumns = max(p.stats.IgnoredColumns, extra)
	return p.yield(edge)
}

// bad ends the read at a malformed line, or counts it under SkipBad.
func (p *parser) bad(line []byte, f fault) error {
	if !p.opts.SkipBad {
		return p.lineError(line, f)
	}
	p.stats.Skipped++
	if p.stats.FirstSkipped == nil {
		p.stats.FirstSkipped = p.lineError(line, f)
	}
	return nil
}

func (p *parser) lineError(line []byte, f fault) *LineError {
	column := utf8.RuneCount(line[:f.at]) + 1
	return &LineError{p.opts.Name, p.stats.Lines, column, f.reason, f.kind}
}
