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
	KindWord                // a keyword or a bare name; see IsKeyword
	KindQuoted              // a name in double quotes
	KindString              // a string in single quotes
	KindNumber              // a number without its sign
	KindParam               // $name
	KindSign                // punctuation or an operator
	KindComment             // from -- to the end of the line, or /* … */
	KindInvalid             // a character that begins no token, or a malformed token
)

// Token is one lexical piece of a text.
type Token struct {
	Range
	Kind Kind
	Text string // as it was written, quotes included
}

// Tokens cuts a text into tokens, with comments and without blanks. It never
// fails: text that is not a token becomes one of KindInvalid, so that an editor can
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

// scanner cuts a source into tokens. Every call of next advances, also after an
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

// rest returns the unread text.
func (s *scanner) rest() string { return s.text[s.pos.Offset-s.base:] }

// take reads n bytes and returns them as a token.
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

// next returns the next token, which may be a comment. With an error, the token is
// the text that could not be read.
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
		return s.comment(lineLength(text))
	case strings.HasPrefix(text, "/*"):
		end := strings.Index(text[2:], "*/")
		if end < 0 {
			t := s.take(KindInvalid, len(text))
			return t, openComment(t.Start)
		}
		return s.comment(end + 4)
	}
	if n := signLength(text); n > 0 {
		return s.take(KindSign, n), nil
	}
	return s.unknown(text)
}

// blanks are the characters between tokens.
const blanks = " \t\n\r\v\f"

// openComment is the error of a comment that begins at a position and has no end.
func openComment(at Pos) *Error {
	return fault(Range{at, advance(at, "/*")}, "comment is never closed", "it ends with */")
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

func fault(at Range, message, remedy string) *Error {
	return &Error{Range: at, Message: message, Remedy: remedy}
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

const foreignName = "a name with characters other than A to Z, a to z, digits and _ is written in double quotes"

// number reads digits, a fraction and an exponent. The parser, which knows the
// sign, computes the value.
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
	// With more letters, digits and points it is not a number: 12a, 1.2.3, 5., 0x10.
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
		return t, fault(t.Range, "number "+show(t.Text)+" begins with a zero", "a vertex key is written in single quotes, as it is in the graph")
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

// quoted reads to the closing quote, the first that is not doubled.
func (s *scanner) quoted(text string, kind Kind, what, remedy string) (Token, *Error) {
	quote := text[:1]
	n := 1
	for {
		i := strings.Index(text[n:], quote)
		if i < 0 {
			t := s.take(KindInvalid, len(text))
			return t, fault(Range{t.Start, advance(t.Start, quote)}, what+" is never closed", remedy)
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
		return t, fault(t.Range, "a parameter is $ followed by a name", "")
	}
	return s.take(KindParam, 1+n), nil
}

func (s *scanner) comment(n int) (Token, *Error) {
	t := s.take(KindComment, n)
	return t, checkText(t)
}

// checkText refuses what is an error even in quotes and comments: bytes that are
// not UTF-8, which messages and JSON cannot represent, and NUL, which ends a string
// in many programs.
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

// beginsName reports whether a sign is before a name and behind none, as other languages write parameters.
func (s *scanner) beginsName(sign Token, behind string) bool {
	next, _ := utf8.DecodeRuneInString(behind)
	before, _ := utf8.DecodeLastRuneInString(s.text[:sign.Start.Offset-s.base])
	return (next == '_' || unicode.IsLetter(next)) && !unicode.IsLetter(before) && !unicode.IsDigit(before) && before != '_'
}

func (s *scanner) unknown(text string) (Token, *Error) {
	r, size := utf8.DecodeRuneInString(text)
	t := s.take(KindInvalid, size)
	if r == 0 || r == utf8.RuneError && size == 1 {
		return t, badByte(t.Start, text)
	}
	remedy := ""
	switch {
	case strings.ContainsRune("‘’‚‛“”„‟`´", r):
		remedy = "strings are written in plain single quotes, names in plain double quotes"
	case r == '?' || strings.ContainsRune(":@", r) && s.beginsName(t, text[size:]):
		remedy = "write $name for a parameter"
	case r == '.':
		remedy = "a number has a digit before its point, as in 0.5"
	case r == ':':
		remedy = "an option is written name := value"
	case r == '+':
		remedy = "a positive number is written without a sign"
	case unicode.IsSpace(r):
		remedy = "write a plain space"
	case unicode.IsLetter(r):
		remedy = foreignName
	}
	return t, fault(t.Range, "found "+show(t.Text)+", which has no meaning here", remedy)
}
