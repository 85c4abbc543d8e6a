package format

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// lineTaker is what makes something of lines.
type lineTaker interface {
	// bulk takes the leading lines of the text that are complete and hold
	// nothing unusual, and returns how many bytes these take.
	bulk(text []byte) (done int, err error)
	// line takes one line, without its line feed and without a byte order mark.
	line(line []byte) error
	// abandon takes notice of a line that is too long to be taken and is skipped.
	abandon() error
	// end takes the end of the text.
	end() error
}

// lines cuts blocks of text into lines and holds them against the limits.
type lines struct {
	opts  EdgeListOptions // with defaults
	to    lineTaker
	stats ReadStats
	carry []byte // the beginning of a line that continues in the next block
}

// block takes the next block of the text, which may begin and end anywhere.
func (l *lines) block(text []byte) error {
	rest := l.opts.MaxBytes - l.stats.Bytes
	if int64(len(text)) <= rest {
		l.stats.Bytes += int64(len(text))
		return l.cut(text)
	}
	l.stats.Bytes = l.opts.MaxBytes
	if err := l.cut(text[:rest]); err != nil {
		return err
	}
	return l.limit("the text exceeds the limit of %d bytes", l.opts.MaxBytes)
}

// limit complains about the line that would come next.
func (l *lines) limit(format string, args ...any) error {
	return &LineError{l.opts.Name, l.stats.Lines + 1, 1, fmt.Sprintf(format, args...), ErrLimit}
}

func (l *lines) cut(text []byte) error {
	for len(text) > 0 {
		if len(l.carry) == 0 {
			done, err := l.to.bulk(text)
			if err != nil {
				return err
			}
			if text = text[done:]; len(text) == 0 {
				return nil
			}
		}
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return l.keep(text)
		}
		line := text[:end]
		if len(l.carry) > 0 {
			if err := l.keep(line); err != nil {
				return err
			}
			line = l.carry
		}
		if err := l.take(line); err != nil {
			return err
		}
		l.carry = l.carry[:0]
		text = text[end+1:]
	}
	return nil
}

// keep saves a part of a line. Of a line that is too long it keeps just enough
// for take to see that, and calls it at once unless such lines are skipped: the
// end may never come.
func (l *lines) keep(part []byte) error {
	const more = len("\ufeff") + len("\r") + 1 // what take does not count, and one byte too many
	room := l.opts.MaxLine + more - len(l.carry)
	l.carry = append(l.carry, part[:min(len(part), room)]...)
	if len(part) > room && !l.opts.SkipBad {
		return l.take(l.carry)
	}
	return nil
}

// finish takes a last line without a line end, and the end of the text.
func (l *lines) finish() error {
	if len(l.carry) > 0 {
		if err := l.take(l.carry); err != nil {
			return err
		}
	}
	return l.to.end()
}

// take counts a line and hands it on.
func (l *lines) take(line []byte) error {
	if l.opts.MaxLines > 0 && l.stats.Lines >= l.opts.MaxLines {
		return l.limit("the text exceeds the limit of %d lines", l.opts.MaxLines)
	}
	l.stats.Lines++
	if l.stats.Lines == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if len(bytes.TrimSuffix(line, []byte("\r"))) > l.opts.MaxLine {
		if err := l.to.abandon(); err != nil {
			return err
		}
		return l.bad(line, fault{0, fmt.Sprintf("the line exceeds the limit of %d bytes", l.opts.MaxLine), ErrLimit})
	}
	return l.to.line(line)
}

// abandon is that of formats whose every line is one of its own.
func (l *lines) abandon() error { return nil }

// lineKind is what a line is before anyone looks into it.
type lineKind uint8

const (
	lineBlank lineKind = iota
	lineComment
	lineData
)

func isComment(c byte) bool { return c == '#' || c == '%' }

// sort takes off a carriage return and returns what kind of line is left.
func (l *lines) sort(line []byte) ([]byte, lineKind) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	content := bytes.TrimLeft(line, blanks)
	switch {
	case len(content) == 0:
		return line, lineBlank
	case isComment(content[0]):
		l.stats.Comments++
		return content, lineComment
	}
	return line, lineData
}

// bad ends the read at a malformed line, or counts it under SkipBad.
func (l *lines) bad(line []byte, f fault) error {
	if !l.opts.SkipBad {
		return l.lineError(line, f)
	}
	l.stats.Skipped++
	if l.stats.FirstSkipped == nil {
		l.stats.FirstSkipped = l.lineError(line, f)
	}
	return nil
}

// lineError complains about the last line, or about a record that ends there.
func (l *lines) lineError(line []byte, f fault) *LineError {
	before, behind := line[:f.at], line[f.at:]
	number := l.stats.Lines - int64(bytes.Count(behind, []byte("\n")))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &LineError{l.opts.Name, number, column, f.reason, f.kind}
}
