package tokens

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"heavytail/storage/format/internal/fault"
)

// JSON passes a text to the JSON decoder and enforces the limits. For error positions it
// keeps where lines begin in the part that the decoder has read ahead.
type JSON struct {
	in      Source
	decoder *json.Decoder
	unread  []byte // text that the decoder has not read yet
	begun   bool
	words   jsonWords
	taken   int64  // bytes handed to the decoder
	rune    []byte // bytes of an incomplete character at the end of the text read so far
	starts  []int64
	line    int64 // the line of the last position asked for
	start   int64 // the byte at which that line begins
	depth   int
	err     error // the first error of the input
	stopped bool  // the error is one of the text, found here
}

func NewJSON(in Source) *JSON {
	s := &JSON{in: in, line: 1}
	s.decoder = json.NewDecoder(s)
	s.decoder.UseNumber()
	return s
}

// Read returns text until the decoder buffers more than the limit for one token.
func (s *JSON) Read(p []byte) (int, error) {
	for len(s.unread) == 0 {
		if s.err == nil {
			s.unread, s.err = s.in.Next()
			s.first()
			s.unread = s.words.block(s.unread, s.err != nil)
		}
		if len(s.unread) == 0 && s.err != nil {
			if s.err == io.EOF && len(s.rune) > 0 {
				_ = s.stop(errors.New("a character that is not valid UTF-8"))
			}
			return 0, s.err
		}
	}
	const ahead = 1 << 18 // the most text that the decoder may have read after the token
	switch {
	case s.taken >= s.in.MaxBytes:
		return 0, s.stop(&limitError{fmt.Sprintf("the text exceeds the limit of %d bytes", s.in.MaxBytes)})
	case s.taken-s.decoder.InputOffset() > int64(s.in.MaxLine)+ahead:
		return 0, s.stop(&limitError{fmt.Sprintf("a text exceeds the limit of %d bytes", s.in.MaxLine)})
	}
	n := copy(p[:min(int64(len(p)), s.in.MaxBytes-s.taken)], s.unread)
	if !s.valid(p[:n]) {
		return 0, s.stop(errors.New("a character that is not valid UTF-8"))
	}
	s.unread = s.unread[n:]
	for i, c := range p[:n] {
		if c == '\n' {
			s.starts = append(s.starts, s.taken+int64(i)+1)
		}
	}
	s.taken += int64(n)
	return n, nil
}

// first checks the first block of the text.
func (s *JSON) first() {
	if s.begun {
		return
	}
	s.begun = true
	s.unread = bytes.TrimPrefix(s.unread, []byte(ByteOrderMark))
}

func (s *JSON) stop(err error) error {
	s.unread, s.err, s.stopped = nil, err, true
	return err
}

// valid reports whether the text is UTF-8 when it follows what was returned before.
func (s *JSON) valid(text []byte) bool {
	for len(s.rune) > 0 && len(text) > 0 {
		s.rune, text = append(s.rune, text[0]), text[1:]
		if utf8.FullRune(s.rune) {
			if !utf8.Valid(s.rune) {
				return false
			}
			s.rune = s.rune[:0]
		}
	}
	end := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if utf8.RuneStart(text[len(text)-i]) {
			if !utf8.FullRune(text[len(text)-i:]) {
				end = len(text) - i
			}
			break
		}
	}
	s.rune = append(s.rune, text[end:]...)
	return utf8.Valid(text[:end])
}

// Position returns where the token begins that the decoder has read last.
func (s *JSON) Position() (line int64, column int) {
	at := s.decoder.InputOffset()
	done := 0
	for _, start := range s.starts {
		if start > at {
			break
		}
		s.line, s.start = s.line+1, start
		done++
	}
	s.starts = append(s.starts[:0], s.starts[done:]...)
	return s.line, int(at-s.start) + 1
}

// Extent returns the number of lines and of bytes of the text that were read.
func (s *JSON) Extent() (lines, bytes int64) {
	if s.taken > 0 {
		lines, _ = s.Position()
	}
	return lines, s.taken
}

// Fault returns an error at the token that the decoder has read last.
func (s *JSON) Fault(kind error, format string, args ...any) error {
	line, column := s.Position()
	return s.in.At(line, column, kind, fmt.Sprintf(format, args...))
}

// Token returns the next token, and io.EOF after the last one.
func (s *JSON) Token() (json.Token, error) {
	token, err := s.decoder.Token()
	if len(s.starts) > 1024 {
		s.Position() // drops the line starts before the present position
	}
	if most := s.in.MaxLines; most > 0 && s.line+int64(len(s.starts)) > most && err == nil {
		if line, _ := s.Position(); line > most {
			return nil, s.Fault(fault.ErrLimit, "the text exceeds the limit of %d lines", most)
		}
	}
	switch t := token.(type) {
	case json.Delim:
		switch t {
		case '{', '[':
			if s.depth++; s.depth > maxDepth {
				return nil, s.Fault(fault.ErrLimit, "values are nested more than %d deep", maxDepth)
			}
		default:
			s.depth--
		}
	case string:
		if len(t) > s.in.MaxLine {
			return nil, s.Fault(fault.ErrLimit, "a text exceeds the limit of %d bytes", s.in.MaxLine)
		}
	}
	if err != nil {
		return nil, s.explain(err)
	}
	return token, nil
}

// explain adds the position to an error of the decoder.
func (s *JSON) explain(err error) error {
	var limit *limitError
	switch {
	case err == io.EOF && s.err == io.EOF && s.depth == 0:
		return err
	case errors.As(s.err, &limit):
		return s.Fault(fault.ErrLimit, "%s", limit.reason)
	case s.err != nil && s.err != io.EOF && errors.Is(err, s.err):
		if s.stopped {
			return s.Fault(fault.ErrSyntax, "%s", err.Error())
		}
		return err // an error of the input, which already has a position
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return s.Fault(fault.ErrSyntax, "the text ends inside a value")
	}
	return s.Fault(fault.ErrSyntax, "not well-formed JSON: %s", printable(err.Error()))
}

// Members calls f with the name of every member of the object that has just begun. f must read
// the value.
func (s *JSON) Members(f func(name string) error) error {
	for {
		token, err := s.Token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return nil // the end of the object
		}
		if err := f(name); err != nil {
			return err
		}
	}
}

// Rest reads the value that begins with a token. If dst is not nil, rest appends the value to
// it as JSON without blanks.
func (s *JSON) Rest(token json.Token, dst *bytes.Buffer) error {
	outer := s.depth
	if _, ok := token.(json.Delim); ok {
		outer--
	}
	inner := compact{dst: dst}
	for {
		inner.add(token)
		if s.depth == outer {
			return nil
		}
		var err error
		if token, err = s.Token(); err != nil {
			return err
		}
	}
}

// compact writes tokens of JSON without blanks.
type compact struct {
	dst   *bytes.Buffer
	stack []compactLevel
}

type compactLevel struct {
	object bool
	count  int // names and values written so far
}

func (c *compact) add(token json.Token) {
	if c.dst == nil {
		return
	}
	if d, ok := token.(json.Delim); ok && (d == '}' || d == ']') {
		c.stack = c.stack[:len(c.stack)-1]
		c.dst.WriteByte(byte(d))
		return
	}
	if n := len(c.stack); n > 0 {
		level := &c.stack[n-1]
		switch {
		case level.object && level.count%2 == 1:
			c.dst.WriteByte(':')
		case level.count > 0:
			c.dst.WriteByte(',')
		}
		level.count++
	}
	if d, ok := token.(json.Delim); ok {
		c.dst.WriteByte(byte(d))
		c.stack = append(c.stack, compactLevel{object: d == '{'})
		return
	}
	c.dst.Write(appendJSONToken(nil, token))
}

// appendJSONToken appends a text, a number, a boolean or null.
func appendJSONToken(dst []byte, token json.Token) []byte {
	switch t := token.(type) {
	case string:
		return AppendText(dst, []byte(t))
	case json.Number:
		if IsNotFinite(t) {
			return append(dst, "null"...)
		}
		return append(dst, t...)
	case nil:
		return append(dst, "null"...)
	}
	return fmt.Append(dst, token)
}

// jsonWords replaces the words NaN and Infinity, which Python and JavaScript libraries write and
// JSON does not have, outside of texts: by numbers of the same length, which the decoder takes.
type jsonWords struct {
	inside, escaped bool   // of a text in quotes, behind a backslash
	held            []byte // the beginning of a word at the end of the block before
}

// The numbers that replace the words. No program writes a zero in these forms.
const (
	nanMark      = "0e9"
	infinityMark = "0e-98765"
)

// IsNotFinite reports whether a number replaces NaN, Infinity or -Infinity.
func IsNotFinite(n json.Number) bool {
	return n == nanMark || strings.TrimPrefix(string(n), "-") == infinityMark
}

// WordOf returns the word that a number replaces.
func WordOf(n json.Number) string {
	switch n {
	case nanMark:
		return "NaN"
	case infinityMark:
		return "Infinity"
	}
	return "-Infinity"
}

// jsonClass marks the bytes that matter to jsonWords.
var jsonClass = [256]bool{'"': true, '\\': true, 'N': true, 'I': true}

// block replaces the words in a block, which it changes in place. The result is the block, with
// what was held of the one before and without what is held for the next.
func (w *jsonWords) block(text []byte, last bool) []byte {
	if len(w.held) > 0 {
		text = append(w.held, text...)
		w.held = nil
	}
	i := 0
	if w.escaped && len(text) > 0 {
		i, w.escaped = 1, false
	}
	for ; i < len(text); i++ {
		c := text[i]
		if !jsonClass[c] {
			continue
		}
		switch {
		case c == '"':
			w.inside = !w.inside
		case c == '\\':
			if w.inside {
				i++
				w.escaped = i == len(text)
			}
		case !w.inside:
			word, mark := "NaN", nanMark
			if c == 'I' {
				word, mark = "Infinity", infinityMark
			}
			rest := text[i:]
			switch {
			case bytes.HasPrefix(rest, []byte(word)):
				i += copy(rest, mark) - 1
			case !last && len(rest) < len(word) && strings.HasPrefix(word, string(rest)):
				w.held = bytes.Clone(rest)
				return text[:i]
			}
		}
	}
	return text
}

// AppendText appends a text in quotes, with only the escapes that JSON requires.
func AppendText(dst, text []byte) []byte {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	e.Encode(string(text)) // encoding a string cannot fail
	return append(dst, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}
