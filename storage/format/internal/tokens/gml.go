package tokens

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

// GML reads tokens of GML: keys, numbers, texts in quotes and brackets. It enforces the
// limits and keeps the position of the last token.
type GML struct {
	in    Source
	block []byte
	at    int
	taken int64 // bytes of the blocks before
	err   error // of the input

	row, start int64 // the line being read, and the byte at which it begins
	Line       int64 // where the last token began
	Column     int
	Depth      int
	Text       []byte // of the last token
	Latin      int64  // texts that were not UTF-8
	LatinLine  int64
}

// Kind is the kind of a token, and the type of a value.
type Kind uint8

const (
	End     Kind = iota // of the text
	Key                 // a name
	Integer             // a value
	Real                // a value
	Text                // a value that was in quotes
	Open                // [
	Close               // ]
)

func NewGML(in Source) *GML {
	return &GML{in: in, row: 1, Line: 1, Column: 1}
}

// Fault returns an error at the last token.
func (s *GML) Fault(kind error, format string, args ...any) error {
	return s.in.At(s.Line, s.Column, kind, fmt.Sprintf(format, args...))
}

func (s *GML) offset() int64 { return s.taken + int64(s.at) }

// fill makes a byte available, or returns io.EOF.
func (s *GML) fill() error {
	for s.at == len(s.block) {
		if s.err != nil {
			return s.err
		}
		first := s.taken == 0
		s.taken += int64(len(s.block))
		if s.at = 0; s.taken > s.in.MaxBytes {
			return s.Fault(fault.ErrLimit, "the text exceeds the limit of %d bytes", s.in.MaxBytes)
		}
		s.block, s.err = s.in.Next()
		if first && bytes.HasPrefix(s.block, []byte(ByteOrderMark)) {
			s.at = len(ByteOrderMark)
		}
	}
	return nil
}

// step passes the byte at hand.
func (s *GML) step() byte {
	c := s.block[s.at]
	s.at++
	if c == '\n' {
		s.row, s.start = s.row+1, s.offset()
	}
	return c
}

// Token reads the next token, whose text is valid until the following call.
func (s *GML) Token() (Kind, error) {
	if err := s.blanks(); err != nil {
		if err == io.EOF {
			return End, nil
		}
		return End, err
	}
	s.Line, s.Column, s.Text = s.row, int(s.offset()-s.start)+1, s.Text[:0]
	if most := s.in.MaxLines; most > 0 && s.Line > most {
		return End, s.Fault(fault.ErrLimit, "the text exceeds the limit of %d lines", most)
	}
	switch c := s.block[s.at]; {
	case c == '[':
		s.step()
		if s.Depth++; s.Depth > maxDepth {
			return End, s.Fault(fault.ErrLimit, "lists are nested more than %d deep", maxDepth)
		}
		return Open, nil
	case c == ']':
		s.step()
		if s.Depth--; s.Depth < 0 {
			return End, s.Fault(fault.ErrSyntax, "a bracket that closes nothing")
		}
		return Close, nil
	case c == '"':
		s.step()
		return Text, s.quoted()
	}
	return s.word()
}

// blanks passes white space and comments. Only an error or the end stops it, or a token.
func (s *GML) blanks() error {
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
func (s *GML) more(ends func(c byte) bool) error {
	for {
		if err := s.fill(); err != nil {
			return err
		}
		c := s.block[s.at]
		if ends(c) {
			return nil
		}
		if s.Text = append(s.Text, s.step()); len(s.Text) > s.in.MaxLine {
			return s.Fault(fault.ErrLimit, "a text exceeds the limit of %d bytes", s.in.MaxLine)
		}
	}
}

func (s *GML) quoted() error {
	err := s.more(func(c byte) bool { return c == '"' })
	switch {
	case err == io.EOF:
		return s.Fault(fault.ErrSyntax, "a text in quotes is not closed")
	case err != nil:
		return err
	}
	s.step()
	if bytes.IndexByte(s.Text, 0) >= 0 {
		return s.Fault(fault.ErrSyntax, "a text holds a NUL")
	}
	if !utf8.Valid(s.Text) {
		if s.Latin++; s.Latin == 1 {
			s.LatinLine = s.Line
		}
		s.Text, _ = charmap.ISO8859_1.NewDecoder().Bytes(s.Text) // every byte is a character
	}
	s.Text = unescapeGML(s.Text)
	return nil
}

func (s *GML) word() (Kind, error) {
	err := s.more(func(c byte) bool {
		return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '[' || c == ']' || c == '"'
	})
	if err != nil && err != io.EOF {
		return End, err
	}
	switch c := s.Text[0]; {
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
		for _, c := range s.Text {
			if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-') {
				return End, s.Fault(fault.ErrSyntax, "expected a key of GML, of letters and digits, found %s", excerpt.Of(s.Text))
			}
		}
		return Key, nil
	case decimal.IsInteger(s.Text), c == '+' && decimal.IsInteger(s.Text[1:]):
		s.Text = bytes.TrimPrefix(s.Text, []byte("+"))
		return Integer, nil
	case decimal.IsFinite(s.Text), decimal.IsMissing(s.Text):
		return Real, nil
	}
	return End, s.Fault(fault.ErrSyntax, "expected a key of GML, a number or a text in quotes, found %s", excerpt.Of(s.Text))
}

// Value reads a value behind a key. NaN and the like, which have the form of keys, are real
// numbers here.
func (s *GML) Value(key string) (Kind, error) {
	kind, err := s.Token()
	switch {
	case err != nil:
		return End, err
	case kind == Key && decimal.IsMissing(s.Text):
		return Real, nil
	case kind == End || kind == Key || kind == Close:
		return End, s.Fault(fault.ErrSyntax, "expected a value of %s", excerpt.Of([]byte(key)))
	}
	return kind, nil
}

// Members calls f with each key of the list that has just begun. f must read the value.
func (s *GML) Members(f func(key string) error) error {
	for {
		switch kind, err := s.Token(); {
		case err != nil:
			return err
		case kind == Close:
			return nil
		case kind != Key:
			return s.Fault(fault.ErrSyntax, "expected a key or the end of a list")
		}
		if err := f(string(s.Text)); err != nil {
			return err
		}
	}
}

// Skip reads a value of any kind to its end.
func (s *GML) Skip(key string) error {
	if kind, err := s.Value(key); kind != Open || err != nil {
		return err
	}
	return s.Members(s.Skip)
}

// Position returns where the last token began.
func (s *GML) Position() (line int64, column int) { return s.Line, s.Column }

// Extent returns the number of lines and of bytes of the text that were read.
func (s *GML) Extent() (lines, bytes int64) {
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

// BeginsGML reports whether a text begins as GML does: with a graph, or with the name of the program
// that made it and then a graph.
func BeginsGML(text []byte) bool {
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
