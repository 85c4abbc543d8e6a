package format

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"heavytail/storage/internal/excerpt"
)

// gmlSource reads tokens of GML: keys, numbers, texts in quotes and brackets. It enforces the
// limits and keeps the position of the last token.
type gmlSource struct {
	in    tokenSource
	block []byte
	at    int
	taken int64 // bytes of the blocks before
	err   error // of the input

	row, start int64 // the line being read, and the byte at which it begins
	line       int64 // where the last token began
	column     int
	depth      int
	text       []byte // of the last token
	latin      int64  // texts that were not UTF-8
	latinLine  int64
}

// gmlKind is the kind of a token, and the type of a value.
type gmlKind uint8

const (
	gmlEnd     gmlKind = iota // of the text
	gmlKey                    // a name
	gmlInteger                // a value
	gmlReal                   // a value
	gmlText                   // a value that was in quotes
	gmlOpen                   // [
	gmlClose                  // ]
)

func newGMLSource(in tokenSource) *gmlSource {
	return &gmlSource{in: in, row: 1, line: 1, column: 1}
}

// fault returns an error at the last token.
func (s *gmlSource) fault(kind error, format string, args ...any) error {
	return s.in.At(s.line, s.column, kind, fmt.Sprintf(format, args...))
}

func (s *gmlSource) offset() int64 { return s.taken + int64(s.at) }

// fill makes a byte available, or returns io.EOF.
func (s *gmlSource) fill() error {
	for s.at == len(s.block) {
		if s.err != nil {
			return s.err
		}
		first := s.taken == 0
		s.taken += int64(len(s.block))
		if s.at = 0; s.taken > s.in.MaxBytes {
			return s.fault(ErrLimit, "the text exceeds the limit of %d bytes", s.in.MaxBytes)
		}
		s.block, s.err = s.in.Next()
		if first && bytes.HasPrefix(s.block, []byte(byteOrderMark)) {
			s.at = len(byteOrderMark)
		}
	}
	return nil
}

// step passes the byte at hand.
func (s *gmlSource) step() byte {
	c := s.block[s.at]
	s.at++
	if c == '\n' {
		s.row, s.start = s.row+1, s.offset()
	}
	return c
}

// token reads the next token, whose text is valid until the following call.
func (s *gmlSource) token() (gmlKind, error) {
	if err := s.blanks(); err != nil {
		if err == io.EOF {
			return gmlEnd, nil
		}
		return gmlEnd, err
	}
	s.line, s.column, s.text = s.row, int(s.offset()-s.start)+1, s.text[:0]
	if most := s.in.MaxLines; most > 0 && s.line > most {
		return gmlEnd, s.fault(ErrLimit, "the text exceeds the limit of %d lines", most)
	}
	switch c := s.block[s.at]; {
	case c == '[':
		s.step()
		if s.depth++; s.depth > maxDepth {
			return gmlEnd, s.fault(ErrLimit, "lists are nested more than %d deep", maxDepth)
		}
		return gmlOpen, nil
	case c == ']':
		s.step()
		if s.depth--; s.depth < 0 {
			return gmlEnd, s.fault(ErrSyntax, "a bracket that closes nothing")
		}
		return gmlClose, nil
	case c == '"':
		s.step()
		return gmlText, s.quoted()
	}
	return s.word()
}

// blanks passes white space and comments. Only an error or the end stops it, or a token.
func (s *gmlSource) blanks() error {
	for comment := false; ; {
		if err := s.fill(); err != nil {
			return err
		}
		switch c := s.block[s.at]; {
		case comment:
			comment = c != '\n' && c != '\r'
		case c == '#':
			comment = true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		default:
			return nil
		}
		s.step()
	}
}

// more appends bytes of a token up to one that ends returns true for, which it does not pass.
func (s *gmlSource) more(ends func(c byte) bool) error {
	for {
		if err := s.fill(); err != nil {
			return err
		}
		c := s.block[s.at]
		if ends(c) {
			return nil
		}
		if s.text = append(s.text, s.step()); len(s.text) > s.in.MaxLine {
			return s.fault(ErrLimit, "a text exceeds the limit of %d bytes", s.in.MaxLine)
		}
	}
}

func (s *gmlSource) quoted() error {
	err := s.more(func(c byte) bool { return c == '"' })
	switch {
	case err == io.EOF:
		return s.fault(ErrSyntax, "a text in quotes is not closed")
	case err != nil:
		return err
	}
	s.step()
	if bytes.IndexByte(s.text, 0) >= 0 {
		return s.fault(ErrSyntax, "a text holds a NUL")
	}
	if !utf8.Valid(s.text) {
		if s.latin++; s.latin == 1 {
			s.latinLine = s.line
		}
		s.text, _ = charmap.ISO8859_1.NewDecoder().Bytes(s.text) // every byte is a character
	}
	s.text = unescapeGML(s.text)
	return nil
}

func (s *gmlSource) word() (gmlKind, error) {
	err := s.more(func(c byte) bool {
		return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '[' || c == ']' || c == '"'
	})
	if err != nil && err != io.EOF {
		return gmlEnd, err
	}
	switch c := s.text[0]; {
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
		for _, c := range s.text {
			if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-') {
				return gmlEnd, s.fault(ErrSyntax, "expected a key of GML, of letters and digits, found %s", excerpt.Of(s.text))
			}
		}
		return gmlKey, nil
	case isInteger(s.text), c == '+' && isInteger(s.text[1:]):
		s.text = bytes.TrimPrefix(s.text, []byte("+"))
		return gmlInteger, nil
	case isFinite(s.text), isMissing(s.text):
		return gmlReal, nil
	}
	return gmlEnd, s.fault(ErrSyntax, "expected a key of GML, a number or a text in quotes, found %s", excerpt.Of(s.text))
}

// value reads a value behind a key. NaN and the like, which have the form of keys, are real
// numbers here.
func (s *gmlSource) value(key string) (gmlKind, error) {
	kind, err := s.token()
	switch {
	case err != nil:
		return gmlEnd, err
	case kind == gmlKey && isMissing(s.text):
		return gmlReal, nil
	case kind == gmlEnd || kind == gmlKey || kind == gmlClose:
		return gmlEnd, s.fault(ErrSyntax, "expected a value of %s", excerpt.Of([]byte(key)))
	}
	return kind, nil
}

// members calls f with each key of the list that has just begun. f must read the value.
func (s *gmlSource) members(f func(key string) error) error {
	for {
		switch kind, err := s.token(); {
		case err != nil:
			return err
		case kind == gmlClose:
			return nil
		case kind != gmlKey:
			return s.fault(ErrSyntax, "expected a key or the end of a list")
		}
		if err := f(string(s.text)); err != nil {
			return err
		}
	}
}

// skip reads a value of any kind to its end.
func (s *gmlSource) skip(key string) error {
	if kind, err := s.value(key); kind != gmlOpen || err != nil {
		return err
	}
	return s.members(s.skip)
}

// position returns where the last token began.
func (s *gmlSource) position() (line int64, column int) { return s.line, s.column }

// extent returns the number of lines and of bytes of the text that were read.
func (s *gmlSource) extent() (lines, bytes int64) {
	lines = s.row
	if s.offset() == s.start {
		lines-- // the last line has its end
	}
	return lines, s.offset()
}

// unescapeGML replaces the character entities of HTML, in place.
func unescapeGML(text []byte) []byte {
	from := bytes.IndexByte(text, '&')
	if from < 0 {
		return text
	}
	out := text[:from]
	for rest := text[from:]; len(rest) > 0; {
		end := bytes.IndexByte(rest, ';')
		if rest[0] == '&' && end > 0 {
			if r, err := entity(string(rest[1:end])); err == nil && len(r) <= end+1 {
				out, rest = append(out, r...), rest[end+1:]
				continue
			}
		}
		out, rest = append(out, rest[0]), rest[1:]
	}
	return out
}

// entity returns the characters of an entity, such as amp, #38 or #x26.
func entity(name string) (string, error) {
	digits, numeric := bytes.CutPrefix([]byte(name), []byte("#"))
	if !numeric {
		whole := "&" + name + ";"
		if text := html.UnescapeString(whole); text != whole {
			return text, nil
		}
		return "", errors.New("unknown entity")
	}
	base := 10
	if hex, ok := bytes.CutPrefix(bytes.ToLower(digits), []byte("x")); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n == 0 || !utf8.ValidRune(rune(n)) {
		return "", errors.New("no character")
	}
	return string(rune(n)), nil
}

// beginsGML reports whether a text begins as GML does: with a graph, or with the name of the program
// that made it and then a graph.
func beginsGML(text []byte) bool {
	for bytes.HasPrefix(text, []byte("#")) { // comments
		_, text, _ = bytes.Cut(text, []byte("\n"))
		text = bytes.TrimLeft(text, " \t\r\n")
	}
	if rest, ok := bytes.CutPrefix(text, []byte("Creator")); ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte(`"`)) {
		_, text, ok = bytes.Cut(text, []byte("\ngraph"))
		return ok && bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("["))
	}
	rest, ok := bytes.CutPrefix(text, []byte("graph"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("["))
}
