package parser

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the lexical kind of a token.
type Kind uint8

// The kinds of token.
const (
	KindEnd     Kind = iota // the end of the text, which Tokens leaves out
	KindWord                // a keyword or a bare name; IsKeyword tells which it can be
	KindQuoted              // a name in double quotes
	KindString              // a string in single quotes
	KindNumber              // a number without its sign
	KindParam               // $name
	KindSign                // punctuation or an operator
	KindComment             // from -- to the end of the line, or /* … */
	KindInvalid             // what no token can start with, or a token that is broken
)

// Token is one lexical piece of a text.
type Token struct {
	Range
	Kind Kind
	Text string // as it was written, quotes included
}

// Tokens cuts a text into tokens, comments included and blanks left out. It
// never fails: what is not a token becomes one of KindInvalid, so an editor can
// colour a statement while it is being written.
func Tokens(text string) []Token {
	var tokens []Token
	s := newScanner(Source{Text: text})
	for {
		t, err := s.next()
		if err != nil {
			t.Kind = KindInvalid
		} else if t.Kind == KindEnd {
			return tokens
		}
		tokens = append(tokens, t)
	}
}

// scanner cuts a source into tokens. Every call of next moves on, also after an
// error, until it returns KindEnd.
type scanner struct {
	text string
	base int // offset of text in the script it comes from
	pos  Pos // of the next byte to read
}

func newScanner(src Source) *scanner {
	s := &scanner{text: src.Text, base: src.Pos.Offset, pos: src.Pos}
	if s.pos.Line == 0 {
		s.pos = start
	}
	if s.pos == start && strings.HasPrefix(s.text, byteOrderMark) {
		s.pos.Offset = len(byteOrderMark) // editors do not count it as a column
	}
	return s
}

// byteOrderMark begins the files of some editors and means nothing in UTF-8.
const byteOrderMark = "\uFEFF"

// rest returns the text that was not read yet.
func (s *scanner) rest() string { return s.text[s.pos.Offset-s.base:] }

// take moves over n bytes and returns them as a token.
func (s *scanner) take(kind Kind, n int) Token {
	text := s.rest()[:n]
	t := Token{Range: Range{Start: s.pos}, Kind: kind, Text: text}
	s.pos = advance(s.pos, text)
	t.End = s.pos
	return t
}

// advance returns the position after text, which starts at p.
func advance(p Pos, text string) Pos {
	p.Offset += len(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.Line += strings.Count(text, "\n")
		p.Column = 1
		text = text[i+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

// next returns the next token, comments included. With an error the token is
// what could not be read, or the part of it that is wrong.
func (s *scanner) next() (Token, *Error) {
	text := s.rest()
	blank := len(text) - len(strings.TrimLeft(text, blanks))
	s.take(KindInvalid, blank)
	if text = text[blank:]; text == "" {
		return s.take(KindEnd, 0), nil
	}
	switch c := text[0]; {
	case isLetter(c):
		return s.word(text)
	case isDigit(c):
		return s.number(text)
	case c == '\'':
		return s.quoted(text, KindString, "string", "a quote inside a string is written twice, as in 'it''s'")
	case c == '"':
		return s.quoted(text, KindQuoted, "name", `a quote inside a name is written twice`)
	case c == '$':
		return s.param(text)
	case strings.HasPrefix(text, "--"):
		return s.comment(text, lineLength(text))
	case strings.HasPrefix(text, "/*"):
		end := strings.Index(text[2:], "*/")
		if end < 0 {
			t := s.take(KindInvalid, len(text))
			return t, fault(Range{t.Start, advance(t.Start, "/*")}, "comment is never closed", "it ends with */")
		}
		return s.comment(text, end+4)
	}
	if n := signLength(text); n > 0 {
		return s.take(KindSign, n), nil
	}
	return s.unknown(text)
}

// blanks are the characters between tokens.
const blanks = " \t\n\r\v\f"

func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// signLength returns the length of the sign that text begins with, or 0.
func signLength(text string) int {
	if len(text) > 1 {
		switch text[:2] {
		case ":=", "<=", ">=", "<>", "!=":
			return 2
		}
	}
	if strings.IndexByte("()[],;=<>-", text[0]) >= 0 {
		return 1
	}
	return 0
}

func fault(at Range, message, hint string) *Error {
	return &Error{Range: at, Message: message, Hint: hint}
}

// wordLength returns how many bytes from the start of text are letters, digits
// and underscores.
func wordLength(text string) int {
	n := 0
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n])) {
		n++
	}
	return n
}

func (s *scanner) word(text string) (Token, *Error) {
	n := wordLength(text)
	if length := 1 + digits(text[min(n+1, len(text)):]); length > 1 && text[n] == '@' {
		n += length
	}
	r, size := utf8.DecodeRuneInString(text[n:])
	if r < utf8.RuneSelf || !unicode.IsLetter(r) {
		return s.take(KindWord, n), nil
	}
	whole := n + strings.IndexFunc(text[n:]+" ", func(r rune) bool {
		return r != '_' && !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	})
	t := s.take(KindInvalid, whole)
	from := advance(t.Start, text[:n])
	return t, fault(Range{from, advance(from, text[n:n+size])}, "found "+show(text[n:n+size])+" in a bare name", foreignName)
}

const foreignName = "a name of other than the letters A to Z, digits and _ is written in double quotes"

// number reads digits, a fraction and an exponent. The value is the parser's
// work, which knows the sign.
func (s *scanner) number(text string) (Token, *Error) {
	n := digits(text)
	if rest := text[n:]; len(rest) > 1 && rest[0] == '.' && isDigit(rest[1]) {
		n += 1 + digits(rest[1:])
	}
	if rest := text[n:]; rest != "" && rest[0]|0x20 == 'e' {
		sign := 1
		if len(rest) > 1 && (rest[1] == '+' || rest[1] == '-') {
			sign = 2
		}
		if d := digits(rest[sign:]); d > 0 {
			n += sign + d
		}
	}
	// Whatever else sticks to the number makes it none: 12a, 1.2.3, 5., 0x10.
	whole := n
	for whole < len(text) && (text[whole] == '.' || isLetter(text[whole]) || isDigit(text[whole])) {
		whole++
	}
	switch {
	case whole > n:
		t := s.take(KindInvalid, whole)
		return t, fault(t.Range, show(t.Text)+" is not a number", "a vertex key is written in single quotes, a name that begins with a digit in double quotes")
	case digits(text) > 1 && text[0] == '0':
		t := s.take(KindInvalid, n)
		return t, fault(t.Range, "number "+show(t.Text)+" begins with a zero", "a vertex key is written in single quotes, as it stands in the graph")
	}
	return s.take(KindNumber, n), nil
}

func digits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// quoted reads to the closing quote, which is a quote that is not doubled.
func (s *scanner) quoted(text string, kind Kind, what, hint string) (Token, *Error) {
	quote := text[:1]
	n := 1
	for {
		i := strings.Index(text[n:], quote)
		if i < 0 {
			t := s.take(KindInvalid, len(text))
			return t, fault(Range{t.Start, advance(t.Start, quote)}, what+" is never closed", hint)
		}
		n += i + 1
		if !strings.HasPrefix(text[n:], quote) {
			break
		}
		n++
	}
	t := s.take(kind, n)
	if n > maxString {
		err := fault(t.Range, what+" is longer than "+maxStringText+" bytes", "")
		err.Limit = true
		return t, err
	}
	if kind == KindQuoted && n == 2 {
		return t, fault(t.Range, "a name cannot be empty", "")
	}
	return t, checkText(t)
}

func (s *scanner) param(text string) (Token, *Error) {
	n := wordLength(text[1:])
	if n == 0 || isDigit(text[1]) {
		t := s.take(KindInvalid, 1+n)
		return t, fault(t.Range, "a parameter is $ and a name", "")
	}
	return s.take(KindParam, 1+n), nil
}

func (s *scanner) comment(text string, n int) (Token, *Error) {
	t := s.take(KindComment, n)
	return t, checkText(t)
}

// checkText refuses what text may not hold even in quotes and comments: bytes
// that are no UTF-8, which have no spelling in messages and JSON, and NUL,
// which too many programs take for the end.
func checkText(t Token) *Error {
	for i, r := range t.Text {
		if r == 0 || r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(t.Text[i:]); r == 0 || size == 1 {
				return badByte(advance(t.Start, t.Text[:i]), t.Text[i:])
			}
		}
	}
	return nil
}

func badByte(at Pos, text string) *Error {
	end := advance(at, text[:1])
	if text[0] == 0 {
		return fault(Range{at, end}, "found a NUL byte", "")
	}
	return fault(Range{at, end}, "found "+show(text[:1])+", which is not UTF-8", "save the text as UTF-8")
}

// unknown reports a character that begins no token.
func (s *scanner) unknown(text string) (Token, *Error) {
	r, size := utf8.DecodeRuneInString(text)
	t := s.take(KindInvalid, size)
	if r == 0 || r == utf8.RuneError && size == 1 {
		return t, badByte(t.Start, text)
	}
	hint := ""
	switch {
	case strings.ContainsRune("‘’‚‛“”„‟`´", r):
		hint = "strings are written in plain single quotes, names in plain double quotes"
	case r == '.':
		hint = "a number has a digit before its point, as in 0.5"
	case r == ':':
		hint = "an option is written name := value"
	case r == '+':
		hint = "a positive number is written without a sign"
	case unicode.IsSpace(r):
		hint = "write a plain blank"
	case unicode.IsLetter(r):
		hint = foreignName
	}
	return t, fault(t.Range, "found "+show(t.Text)+", which has no meaning here", hint)
}
