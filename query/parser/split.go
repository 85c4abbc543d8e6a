package parser

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Splitter cuts a script into its statements while it is read. It returns each
// statement as soon as its semicolon has been read, so that a program or a person
// who writes the script gets an answer before writing the next statement. It holds
// one statement at a time, at most MaxText bytes.
type Splitter struct {
	r       *bufio.Reader
	cut     cutter
	pos     Pos // of the next byte
	text    []byte
	begin   Pos  // where text starts
	comment Pos  // where the last comment between statements starts
	discard bool // inside a statement that was too long
	started bool
	lines   string // the signs that TakeLines was given
}

// NewSplitter returns a Splitter of r. It reads at most one buffer ahead of the
// statements.
func NewSplitter(r io.Reader) *Splitter {
	return &Splitter{r: bufio.NewReader(r), pos: start}
}

// TakeLines lets Next return every line that begins with one of the given signs, in
// a place where a statement could begin, as a text of its own, without the blanks
// and the line end behind it. A shell uses it for its commands. No statement begins
// with a dot, a colon or a backslash.
func (s *Splitter) TakeLines(signs string) { s.lines = signs }

// Next returns the next statement, with its semicolon if it has one and without
// the blanks and comments around it. It does not report mistakes in the statement;
// Source.Parse does. At the end of the script the error is io.EOF. An *Error says
// that a statement is too long, and the next call returns the one after it; or that
// a comment between statements is never closed, which ends the script. Every other
// error is the reader's.
func (s *Splitter) Next() (Source, error) {
	if !s.started {
		s.started = true
		if mark, _ := s.r.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
			s.pos.Offset, _ = s.r.Discard(len(byteOrderMark))
		}
	}
	for {
		c, err := s.r.ReadByte()
		if err == io.EOF && s.cut.inside && !s.discard {
			return s.statement(), nil
		}
		if err == io.EOF && !s.discard && s.cut.inComment() {
			// The statements inside it were not run, so io.EOF would hide a mistake.
			s.cut = cutter{}
			return Source{Text: "/*", Pos: s.comment}, openComment(s.comment)
		}
		if err != nil {
			return Source{}, err
		}
		if !s.cut.inside && s.cut.state == between && strings.IndexByte(s.lines, c) >= 0 {
			return s.line(c)
		}
		wasInside := s.cut.inside
		if c == '/' && s.cut.state == between {
			s.comment = s.pos
		}
		end := s.cut.step(c)
		if s.cut.inside && !wasInside || end && !wasInside {
			s.begin, s.text = s.pos, s.text[:0]
		}
		s.pos = advanceByte(s.pos, c)
		if s.discard {
			s.discard = !end
			continue
		}
		if !s.cut.inside && !end {
			continue
		}
		s.text = append(s.text, c)
		switch {
		case end && !wasInside: // a semicolon alone
		case len(s.text) > MaxText:
			s.discard = !end
			return Source{}, tooLong(s.begin)
		case end:
			return s.statement(), nil
		}
	}
}

// statement returns the text of the statement that has just ended.
func (s *Splitter) statement() Source {
	src := Source{Text: string(bytes.TrimRight(s.text, blanks)), Pos: s.begin}
	s.text = s.text[:0]
	s.cut = cutter{}
	return src
}

// line reads the rest of a line of TakeLines, which begins with c.
func (s *Splitter) line(c byte) (Source, error) {
	s.begin, s.text = s.pos, s.text[:0]
	for {
		s.pos = advanceByte(s.pos, c)
		if c == '\n' {
			break
		}
		if len(s.text) <= MaxText {
			s.text = append(s.text, c)
		}
		var err error
		if c, err = s.r.ReadByte(); err == io.EOF {
			break
		} else if err != nil {
			return Source{}, err
		}
	}
	if len(s.text) > MaxText {
		return Source{}, tooLong(s.begin)
	}
	return s.statement(), nil
}

func tooLong(at Pos) *Error {
	return &Error{
		Range:   Range{at, at},
		Message: fmt.Sprintf("statement is longer than %d bytes", MaxText),
		Remedy:  "SCORE FILE reads many pairs from a file",
		Limit:   true,
	}
}

// advanceByte counts like advance; only the first byte of a character is a column.
func advanceByte(p Pos, c byte) Pos {
	p.Offset++
	switch {
	case c == '\n':
		p.Line, p.Column = p.Line+1, 1
	case utf8.RuneStart(c):
		p.Column++
	}
	return p
}

// Complete reports whether text ends with a whole statement: one with its
// semicolon, and only blanks and comments behind it. A shell asks for more lines
// until Complete returns true.
func Complete(text string) bool {
	var cut cutter
	ended := false
	for _, c := range []byte(strings.TrimPrefix(text, byteOrderMark)) {
		if cut.step(c) {
			ended = true
		}
	}
	return ended && !cut.inside && !cut.inComment()
}

// cutter finds the semicolons that end statements, byte by byte. Of the scanner's
// rules it knows only quotes and comments.
type cutter struct {
	state  cutState
	inside bool // a token of a statement was seen since the last semicolon
	before bool // the value of inside before a - or / that may begin a comment
}

type cutState uint8

const (
	between cutState = iota
	inString
	inName
	afterDash
	afterSlash
	inLineComment
	inBlockComment
	inBlockStar // after a * in a comment
)

// inComment reports whether a comment of several lines has begun and not ended.
func (k *cutter) inComment() bool { return k.state == inBlockComment || k.state == inBlockStar }

// step takes the next byte and reports whether it ends a statement.
func (k *cutter) step(c byte) bool {
	switch k.state {
	case inString:
		if c == '\'' { // a doubled quote ends one string and begins the next
			k.state = between
		}
		return false
	case inName:
		if c == '"' {
			k.state = between
		}
		return false
	case inLineComment:
		if c == '\n' {
			k.state = between
		}
		return false
	case inBlockComment, inBlockStar:
		switch {
		case c == '*':
			k.state = inBlockStar
		case c == '/' && k.state == inBlockStar:
			k.state = between
		default:
			k.state = inBlockComment
		}
		return false
	case afterDash:
		if c == '-' {
			k.state, k.inside = inLineComment, k.before
			return false
		}
	case afterSlash:
		if c == '*' {
			k.state, k.inside = inBlockComment, k.before
			return false
		}
	}
	k.state = between
	switch c {
	case ';':
		k.inside = false
		return true
	case ' ', '\t', '\n', '\r', '\v', '\f':
		return false
	case '\'':
		k.state = inString
	case '"':
		k.state = inName
	case '-', '/':
		k.before = k.inside
		k.state = afterDash
		if c == '/' {
			k.state = afterSlash
		}
	}
	k.inside = true
	return false
}
