package feed

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/scan"
	"heavytail/storage/format/internal/tokens"
)

// Taker takes the lines of a text.
type Taker interface {
	// Bulk processes the leading lines of the text that are complete and contain nothing
	// unusual, and returns the number of their bytes.
	Bulk(text []byte) (done int, err error)
	// RulesBelow returns the rules by which the text that follows can be scanned, or nil.
	RulesBelow() *scan.Scanner
	// Scanned passes the scan of the next block, or nil.
	Scanned(*scan.Scan)
	// Line processes one line, without its line feed and without a byte order mark.
	Line(line []byte) error
	// Abandon is called for a line that exceeds the limit and is skipped.
	Abandon() error
	// End is called at the end of the text.
	End() error
}

// Lines splits blocks of text into lines and enforces the limits.
type Lines struct {
	Opts  format.EdgeListOptions // with defaults
	To    Taker                  // whoever embeds the lines
	Stats reading.Stats
	Head  []byte // the beginning of the text
	carry []byte // the beginning of a line that continues in the next block
	tail  []byte // the end of the text so far
}

// Block processes the next block of the text, which may begin and end anywhere.
func (l *Lines) Block(text []byte) error {
	rest := l.Opts.MaxBytes - l.Stats.Bytes
	if more := min(headBytes-len(l.Head), len(text)); more > 0 {
		l.Head = append(l.Head, text[:more]...)
	}
	if int64(len(text)) <= rest {
		l.tail = append(l.tail, text[max(0, len(text)-tailBytes):]...)
		l.tail = l.tail[:copy(l.tail, l.tail[max(0, len(l.tail)-tailBytes):])]
		l.Stats.Bytes += int64(len(text))
		return l.cut(text)
	}
	l.Stats.Bytes = l.Opts.MaxBytes
	if err := l.cut(text[:rest]); err != nil {
		return err
	}
	return l.Limit("the text exceeds the limit of %d bytes", l.Opts.MaxBytes)
}

// How much of the beginning and the end of a text is kept.
const (
	headBytes = 16 << 10
	tailBytes = 256
)

// LastLine returns the last line that is not blank, and its number, or nil if it is long.
func (l *Lines) LastLine() (line []byte, number int64) {
	text := bytes.TrimRight(l.tail, " \t\r\n")
	below := l.tail[len(text):]
	number = l.Stats.Lines - max(0, int64(bytes.Count(below, []byte("\n")))-1)
	if i := bytes.LastIndexByte(below, '\n'); i >= 0 && i < len(below)-1 {
		number--
	}
	start := bytes.LastIndexByte(text, '\n') + 1
	if start == 0 && len(l.tail) == tailBytes {
		return nil, 0
	}
	return text[start:], number
}

// Limit returns an error at the line after the last one.
func (l *Lines) Limit(text string, args ...any) error {
	return l.ErrorAt(l.Stats.Lines+1, format.ErrLimit, text, args...)
}

// ErrorAt returns an error at the beginning of a line.
func (l *Lines) ErrorAt(number int64, kind error, text string, args ...any) error {
	return &format.LineError{File: l.Opts.Name, Line: number, Column: 1, Reason: fmt.Sprintf(text, args...), Kind: kind}
}

func (l *Lines) cut(text []byte) error {
	for len(text) > 0 {
		if len(l.carry) == 0 {
			done, err := l.To.Bulk(text)
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
func (l *Lines) keep(part []byte) error {
	const more = len(tokens.ByteOrderMark) + len("\r") + 1 // bytes that take does not count, and one byte too many
	room := l.Opts.MaxLine + more - len(l.carry)
	l.carry = append(l.carry, part[:min(len(part), room)]...)
	if len(part) > room && !l.Opts.SkipBad {
		return l.take(l.carry)
	}
	return nil
}

// Finish processes a last line without a line end, and the end of the text.
func (l *Lines) Finish() error {
	if len(l.carry) > 0 {
		if err := l.take(l.carry); err != nil {
			return err
		}
	}
	return l.To.End()
}

// take counts a line and passes it to the Taker.
func (l *Lines) take(line []byte) error {
	if l.Opts.MaxLines > 0 && l.Stats.Lines >= l.Opts.MaxLines {
		return l.Limit("the text exceeds the limit of %d lines", l.Opts.MaxLines)
	}
	l.Stats.Lines++
	if l.Stats.Lines == 1 {
		line = bytes.TrimPrefix(line, []byte(tokens.ByteOrderMark))
	}
	if len(bytes.TrimSuffix(line, []byte("\r"))) > l.Opts.MaxLine {
		if err := l.To.Abandon(); err != nil {
			return err
		}
		return l.Bad(line, fault.Limit(0, "the line exceeds the limit of %d bytes", l.Opts.MaxLine))
	}
	return l.To.Line(line)
}

// Bulk leaves all lines to Line.
func (l *Lines) Bulk([]byte) (int, error) { return 0, nil }

// RulesBelow returns nil: other texts are not scanned.
func (l *Lines) RulesBelow() *scan.Scanner { return nil }

// Scanned does nothing.
func (l *Lines) Scanned(*scan.Scan) {}

// Abandon does nothing in formats where no record spans several lines.
func (l *Lines) Abandon() error { return nil }

// lineKind is the kind of a line, known before its content is parsed.
type lineKind uint8

// The kinds.
const (
	LineBlank lineKind = iota
	LineComment
	LineData
)

// Sort removes a carriage return at the end and returns the rest of the line with its kind.
func (l *Lines) Sort(line []byte) ([]byte, lineKind) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	content := bytes.TrimLeft(line, delimited.Blanks)
	switch {
	case len(content) == 0:
		return line, LineBlank
	case delimited.IsComment(content[0]):
		l.Stats.Comments++
		return content, LineComment
	}
	return line, LineData
}

// Bad ends the read at a malformed line, or counts it under SkipBad.
func (l *Lines) Bad(line []byte, f fault.Fault) error {
	err := l.LineError(line, f)
	if !l.Opts.SkipBad {
		return err
	}
	l.Stats.Skip(err)
	return nil
}

// format.LineError returns an error at the last line, or at a record that ends there.
func (l *Lines) LineError(line []byte, f fault.Fault) *format.LineError {
	return l.ErrorIn(line, l.Stats.Lines-int64(bytes.Count(line, []byte("\n"))), f)
}

// ErrorIn returns an error in a record that begins at a line.
func (l *Lines) ErrorIn(record []byte, begins int64, f fault.Fault) *format.LineError {
	before := record[:f.At]
	number := begins + int64(bytes.Count(before, []byte("\n")))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &format.LineError{File: l.Opts.Name, Line: number, Column: column, Reason: f.Reason, Kind: f.Kind}
}

// Wrong returns a syntax error at the beginning of the last line. It is for faults that concern
// the whole file, which SkipBad does not skip.
func (l *Lines) Wrong(line []byte, text string, args ...any) error {
	return l.LineError(line, fault.Syntax(0, text, args...))
}

// late returns the fault of an edge that is directed, or of a text that says so, below edges after which the
// handler has another direction.
func (l *Lines) late() error {
	return l.ErrorAt(max(l.Stats.Lines, 1), format.ErrSyntax, reading.LateDirection)
}

// Orient is direction.edge for formats of lines.
func (l *Lines) Orient(d *reading.Direction, e *format.Edge) error {
	late, err := d.Edge(e, l.Stats.Edges == 0)
	if late {
		return l.late()
	}
	return err
}
