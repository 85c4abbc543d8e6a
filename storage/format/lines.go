package format

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/scan"
	"heavytail/storage/format/internal/tokens"
)

type lineTaker interface {
	// bulk processes the leading lines of the text that are complete and contain nothing
	// unusual, and returns the number of their bytes.
	bulk(text []byte) (done int, err error)
	// rulesBelow returns the rules by which the text that follows can be scanned, or nil.
	rulesBelow() *scan.Scanner
	// scanned passes the scan of the next block, or nil.
	scanned(*scan.Scan)
	// line processes one line, without its line feed and without a byte order mark.
	line(line []byte) error
	// abandon is called for a line that exceeds the limit and is skipped.
	abandon() error
	// end is called at the end of the text.
	end() error
}

// lines splits blocks of text into lines and enforces the limits.
type lines struct {
	opts  EdgeListOptions // with defaults
	to    lineTaker
	stats Stats
	carry []byte // the beginning of a line that continues in the next block
	head  []byte // the beginning of the text
	tail  []byte // the end of the text so far
}

// block processes the next block of the text, which may begin and end anywhere.
func (l *lines) block(text []byte) error {
	rest := l.opts.MaxBytes - l.stats.Bytes
	if more := min(headBytes-len(l.head), len(text)); more > 0 {
		l.head = append(l.head, text[:more]...)
	}
	if int64(len(text)) <= rest {
		l.tail = append(l.tail, text[max(0, len(text)-tailBytes):]...)
		l.tail = l.tail[:copy(l.tail, l.tail[max(0, len(l.tail)-tailBytes):])]
		l.stats.Bytes += int64(len(text))
		return l.cut(text)
	}
	l.stats.Bytes = l.opts.MaxBytes
	if err := l.cut(text[:rest]); err != nil {
		return err
	}
	return l.limit("the text exceeds the limit of %d bytes", l.opts.MaxBytes)
}

// How much of the beginning and the end of a text is kept.
const (
	headBytes = 16 << 10
	tailBytes = 256
)

// lastLine returns the last line that is not blank, and its number, or nil if it is long.
func (l *lines) lastLine() (line []byte, number int64) {
	text := bytes.TrimRight(l.tail, " \t\r\n")
	below := l.tail[len(text):]
	number = l.stats.Lines - max(0, int64(bytes.Count(below, []byte("\n")))-1)
	if i := bytes.LastIndexByte(below, '\n'); i >= 0 && i < len(below)-1 {
		number--
	}
	start := bytes.LastIndexByte(text, '\n') + 1
	if start == 0 && len(l.tail) == tailBytes {
		return nil, 0
	}
	return text[start:], number
}

// limit returns an error at the line after the last one.
func (l *lines) limit(text string, args ...any) error {
	return l.errorAt(l.stats.Lines+1, ErrLimit, text, args...)
}

// errorAt returns an error at the beginning of a line.
func (l *lines) errorAt(number int64, kind error, text string, args ...any) error {
	return &LineError{l.opts.Name, number, 1, fmt.Sprintf(text, args...), kind}
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

// keep saves a part of a line. Of a line that is too long it keeps just enough bytes for take
// to report that. It then calls take at once, unless such lines are skipped, because the line
// may never end.
func (l *lines) keep(part []byte) error {
	const more = len(tokens.ByteOrderMark) + len("\r") + 1 // bytes that take does not count, and one byte too many
	room := l.opts.MaxLine + more - len(l.carry)
	l.carry = append(l.carry, part[:min(len(part), room)]...)
	if len(part) > room && !l.opts.SkipBad {
		return l.take(l.carry)
	}
	return nil
}

// finish processes a last line without a line end, and the end of the text.
func (l *lines) finish() error {
	if len(l.carry) > 0 {
		if err := l.take(l.carry); err != nil {
			return err
		}
	}
	return l.to.end()
}

// take counts a line and passes it to the lineTaker.
func (l *lines) take(line []byte) error {
	if l.opts.MaxLines > 0 && l.stats.Lines >= l.opts.MaxLines {
		return l.limit("the text exceeds the limit of %d lines", l.opts.MaxLines)
	}
	l.stats.Lines++
	if l.stats.Lines == 1 {
		line = bytes.TrimPrefix(line, []byte(tokens.ByteOrderMark))
	}
	if len(bytes.TrimSuffix(line, []byte("\r"))) > l.opts.MaxLine {
		if err := l.to.abandon(); err != nil {
			return err
		}
		return l.bad(line, fault.Limit(0, "the line exceeds the limit of %d bytes", l.opts.MaxLine))
	}
	return l.to.line(line)
}

// bulk leaves all lines to the method line.
func (l *lines) bulk([]byte) (int, error) { return 0, nil }

// rulesBelow returns nil: other texts are not scanned.
func (l *lines) rulesBelow() *scan.Scanner { return nil }

func (l *lines) scanned(*scan.Scan) {}

// abandon does nothing in formats where no record spans several lines.
func (l *lines) abandon() error { return nil }

// lineKind is the kind of a line, known before its content is parsed.
type lineKind uint8

const (
	lineBlank lineKind = iota
	lineComment
	lineData
)

// sort removes a carriage return at the end and returns the rest of the line with its kind.
func (l *lines) sort(line []byte) ([]byte, lineKind) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	content := bytes.TrimLeft(line, delimited.Blanks)
	switch {
	case len(content) == 0:
		return line, lineBlank
	case delimited.IsComment(content[0]):
		l.stats.Comments++
		return content, lineComment
	}
	return line, lineData
}

// bad ends the read at a malformed line, or counts it under SkipBad.
func (l *lines) bad(line []byte, f fault.Fault) error {
	err := l.lineError(line, f)
	if !l.opts.SkipBad {
		return err
	}
	l.stats.skip(err)
	return nil
}

// lineError returns an error at the last line, or at a record that ends there.
func (l *lines) lineError(line []byte, f fault.Fault) *LineError {
	return l.errorIn(line, l.stats.Lines-int64(bytes.Count(line, []byte("\n"))), f)
}

// errorIn returns an error in a record that begins at a line.
func (l *lines) errorIn(record []byte, begins int64, f fault.Fault) *LineError {
	before := record[:f.At]
	number := begins + int64(bytes.Count(before, []byte("\n")))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &LineError{l.opts.Name, number, column, f.Reason, f.Kind}
}

// wrong returns a syntax error at the beginning of the last line. It is for faults that concern
// the whole file, which SkipBad does not skip.
func (l *lines) wrong(line []byte, text string, args ...any) error {
	return l.lineError(line, fault.Syntax(0, text, args...))
}

// late returns the fault of an edge that is directed, or of a text that says so, below edges after which the
// handler has another direction.
func (l *lines) late() error {
	return l.errorAt(max(l.stats.Lines, 1), ErrSyntax, lateDirection)
}

// orient is direction.edge for formats of lines.
func (l *lines) orient(d *direction, e *Edge) error {
	late, err := d.edge(e, l.stats.Edges == 0)
	if late {
		return l.late()
	}
	return err
}
