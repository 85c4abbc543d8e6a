package parser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The limits of one statement. They keep a hostile text from costing more than
// its own size: a statement that reaches all of them takes some 10 MB as a tree
// and some 20 ms to parse.
const (
	// MaxText is the greatest length of a statement in bytes. A vector of 4,096
	// numbers in full precision takes about 90 kB and ten thousand pairs of keys
	// about 300 kB; whatever needs more comes as a parameter or from a file.
	MaxText = 1 << 20
	// MaxTokens is the greatest number of tokens: a tree takes up to 120 bytes
	// for a token of one byte. It is enough for 16,000 pairs.
	MaxTokens = 100_000
	// MaxDepth is the greatest nesting of parentheses and NOT, which bounds the
	// recursion of every pass over the tree. People write less than ten.
	MaxDepth = 64

	// maxString is the greatest length of a quoted string or name with its
	// quotes: far above any vertex key or path, and short enough to be shown.
	maxString     = 64 << 10
	maxStringText = "65,536"
)

// Source is the text of one statement and where it starts in the text or script
// that it came from. All positions count from the beginning of that script.
type Source struct {
	Text string
	Pos  Pos // the zero Pos where the text stands alone
}

// Parse reads the one statement of a text, with or without its semicolon. The
// error is an *Error. It takes time and memory proportional to the text.
func Parse(text string) (Statement, error) { return Source{Text: text}.Parse() }

// Parse reads the one statement of the source, with or without its semicolon.
// The error is an *Error.
func (s Source) Parse() (Statement, error) {
	p := newParser(s)
	p.semicolons()
	st := p.statement()
	ended := p.sign(";")
	p.semicolons()
	switch {
	case p.err != nil:
	case p.tok.Kind == KindEnd:
		return st, nil
	case ended && p.broken == nil:
		p.fail(fault(p.tok.Range, "found "+show(p.tok.Text)+" after the end of the statement",
			"only one statement can be run at a time here"))
	default:
		p.unexpected()
	}
	return nil, p.err
}

// ParseScript reads all statements of a text. It stops at the first error, an
// *Error, and returns the statements before it as well.
func ParseScript(text string) ([]Statement, error) {
	var statements []Statement
	p := newParser(Source{Text: text})
	for {
		p.semicolons()
		if p.err == nil && p.tok.Kind == KindEnd {
			return statements, nil
		}
		st := p.statement()
		if p.tok.Kind != KindEnd && !p.sign(";") {
			p.unexpected()
		}
		if p.err != nil {
			return statements, p.err
		}
		statements = append(statements, st)
	}
}

// parser reads a statement by recursive descent with one token of look-ahead.
// The first error stays in err, and from then on nothing matches, so that the
// functions for the statements need no checks of their own.
type parser struct {
	scan     *scanner
	tok      Token    // the next token, not a comment
	broken   *Error   // why tok is of KindInvalid; reported only if the statement needs it
	last     Pos      // the end of the token before it
	expected []string // what was tried in the place of tok, in the order it was; signs without quotes
	begin    Pos      // of the statement
	tokens   int      // of the statement
	depth    int
	named    Names // what the statement named so far
	err      *Error
}

func newParser(s Source) *parser {
	p := &parser{scan: newScanner(s)}
	p.last = p.scan.pos
	p.scanToken()
	p.restart()
	return p
}

// restart begins to count anew: the next token begins a statement.
func (p *parser) restart() {
	p.begin, p.tokens, p.expected, p.named = p.tok.Start, 1, p.expected[:0], Names{}
}

func (p *parser) scanToken() {
	for {
		t, err := p.scan.next()
		if err != nil {
			t.Kind = KindInvalid
		} else if t.Kind == KindComment {
			continue
		}
		p.tok, p.broken = t, err
		return
	}
}

// next moves to the next token.
func (p *parser) next() {
	p.last = p.tok.End
	p.expected = p.expected[:0]
	ended := p.tok.Kind == KindSign && p.tok.Text == ";"
	p.scanToken()
	p.tokens++
	switch { // comments count as text, not as tokens
	case ended:
		p.restart()
	case p.tok.End.Offset-p.begin.Offset > MaxText:
		p.fail(tooLong(p.begin))
	case p.tokens > MaxTokens:
		p.tooLarge(fmt.Sprintf("statement has more than %d words, numbers and signs", MaxTokens),
			"many pairs are read from a file by SCORE FILE")
	}
}

// fail keeps the first error.
func (p *parser) fail(err *Error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *parser) tooLarge(message, hint string) {
	p.fail(&Error{Range: p.tok.Range, Message: message, Hint: hint, Limit: true})
}

// since returns the range from a position to the last token that was read.
func (p *parser) since(begin Pos) Range { return Range{begin, p.last} }

// expect notes that what would have been right in this place.
func (p *parser) expect(what string) {
	if p.err == nil {
		p.expected = append(p.expected, what)
	}
}

// keyword reads the keyword if it is next.
func (p *parser) keyword(word string) bool {
	if p.err != nil {
		return false
	}
	if p.tok.Kind == KindWord && strings.EqualFold(p.tok.Text, word) {
		p.next()
		return true
	}
	p.expect(word)
	return false
}

// sign reads the sign if it is next.
func (p *parser) sign(sign string) bool {
	if p.err != nil {
		return false
	}
	if p.tok.Kind == KindSign && p.tok.Text == sign {
		p.next()
		return true
	}
	p.expect(sign)
	return false
}

// semicolons skips any number of semicolons before a statement.
func (p *parser) semicolons() {
	for p.err == nil && p.tok.Kind == KindSign && p.tok.Text == ";" {
		p.next()
	}
}

// needKeyword and needSign make it an error if something else is next.
func (p *parser) needKeyword(word string) {
	if !p.keyword(word) {
		p.unexpected()
	}
}

func (p *parser) needSign(sign string) {
	if !p.sign(sign) {
		p.unexpected()
	}
}

// name reads a bare or quoted name. What says whose name it is.
func (p *parser) name(what string) Ident {
	if p.err != nil {
		return Ident{}
	}
	t := p.tok
	switch {
	case t.Kind == KindWord && !Reserved(t.Text):
		p.next()
		return Ident{t.Range, t.Text}
	case t.Kind == KindQuoted:
		p.next()
		return Ident{t.Range, strings.ReplaceAll(t.Text[1:len(t.Text)-1], `""`, `"`)}
	}
	p.expect(what)
	p.unexpected()
	return Ident{}
}

// The kinds of value that a place allows. A parameter may stand in all.
type kinds uint8

const (
	aString kinds = 1 << iota
	anInt
	aFloat
	aBool
	aVector
	aMissing
)

const (
	aNumber = anInt | aFloat
	aKey    = aString | anInt
	aVertex = aKey | aVector
	aTime   = aString | anInt
	aScalar = aString | aNumber | aBool
)

// value reads a literal of one of the allowed kinds, or a parameter. What names
// the literals in the words of the place.
func (p *parser) value(allowed kinds, what ...string) Value {
	if p.err != nil {
		return nil
	}
	t := p.tok
	switch {
	case t.Kind == KindParam:
		p.next()
		return Param{t.Range, t.Text[1:]}
	case t.Kind == KindString && allowed&aString != 0:
		p.next()
		return String{t.Range, strings.ReplaceAll(t.Text[1:len(t.Text)-1], "''", "'")}
	case allowed&aNumber != 0 && (t.Kind == KindNumber || t.Kind == KindSign && t.Text == "-"):
		return p.number(allowed, what)
	case allowed&aBool != 0 && t.Kind == KindWord && strings.EqualFold(t.Text, "TRUE"):
		p.next()
		return Bool{t.Range, true}
	case allowed&aBool != 0 && t.Kind == KindWord && strings.EqualFold(t.Text, "FALSE"):
		p.next()
		return Bool{t.Range, false}
	case allowed&aMissing != 0 && t.Kind == KindWord && strings.EqualFold(t.Text, "MISSING"):
		p.next()
		return Missing{t.Range}
	case allowed&aVector != 0 && t.Kind == KindSign && t.Text == "[":
		return p.vector()
	}
	for _, w := range what {
		p.expect(w)
	}
	if allowed&aMissing != 0 {
		p.expect("MISSING")
	}
	p.expect(parameterText)
	p.unexpected()
	return nil
}

// number reads an Int or a Float, whichever the text is and the place allows.
func (p *parser) number(allowed kinds, what []string) Value {
	begin, text := p.numberText()
	if p.err != nil {
		return nil
	}
	if !strings.ContainsAny(text, ".eE") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			hint := ""
			if allowed&aString != 0 {
				hint = "a vertex key of so many digits is written in single quotes"
			}
			p.fail(fault(p.since(begin), "integer "+show(text)+" is out of range", hint))
		}
		return Int{p.since(begin), n}
	}
	if allowed&aFloat == 0 {
		p.fail(&Error{Range: p.since(begin), Found: show(text), Expected: append(slices.Clone(what), parameterText)})
		return nil
	}
	return Float{p.since(begin), p.float(begin, text)}
}

// numberText reads a number with its sign.
func (p *parser) numberText() (begin Pos, text string) {
	begin = p.tok.Start
	if p.tok.Text == "-" && p.sign("-") {
		text = "-"
	}
	if p.err == nil && p.tok.Kind != KindNumber {
		p.expect(numberText)
		p.unexpected()
	}
	if p.err != nil {
		return begin, ""
	}
	text += p.tok.Text
	p.next()
	return begin, text
}

// float converts a number that the scanner passed, which leaves its size.
func (p *parser) float(begin Pos, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.fail(fault(p.since(begin), "number "+show(text)+" is out of range", ""))
	}
	return x
}

func (p *parser) vector() Value {
	begin := p.tok.Start
	p.needSign("[")
	var values []float64
	for more := true; more && p.err == nil; more = p.sign(",") {
		at, text := p.numberText()
		if p.err == nil {
			values = append(values, p.float(at, text))
		}
	}
	p.needSign("]")
	return Vector{p.since(begin), values}
}

// unexpected reports that the next token is none of those that were expected.
func (p *parser) unexpected() {
	if p.err != nil {
		return
	}
	if p.broken != nil {
		p.fail(p.broken)
		return
	}
	err := &Error{Range: p.tok.Range}
	for _, what := range p.expected {
		if !isLetter(what[0]) {
			what = `"` + what + `"` // a sign
		}
		if !slices.Contains(err.Expected, what) {
			err.Expected = append(err.Expected, what)
		}
	}
	if p.tok.Kind == KindEnd {
		// Where the text stops, not behind the blanks and comments that follow.
		err.Range = Range{p.last, p.last}
		err.Found = "the end of the text"
	} else {
		err.Found = show(p.tok.Text)
	}
	err.Hint = p.hint(err.Expected)
	p.fail(err)
}

// hint guesses what was meant by the token, or says the rule it breaks.
func (p *parser) hint(expected []string) string {
	t := p.tok
	name := containsAny(expected, nameClasses)
	switch {
	case t.Kind == KindWord && slices.Contains(expected, "MISSING") && strings.EqualFold(t.Text, "NULL"):
		return "a value that is not there is called MISSING"
	case t.Kind == KindWord && strings.EqualFold(t.Text, "MISSING") && slices.Contains(expected, columnName):
		return "a value that is not there is found by IS MISSING"
	case t.Kind == KindWord && strings.EqualFold(t.Text, "FILE") && slices.Contains(expected, `"("`):
		return "a file of edges is read by IMPORT"
	case t.Kind == KindWord:
		if word, ok := Suggest(t.Text, keywordsOf(expected)); ok {
			return "did you mean " + word + "?"
		}
		if name && Reserved(t.Text) {
			return strings.ToUpper(t.Text) + " is a reserved word, which can be a name only in double quotes"
		}
		if containsAny(expected, textClasses) {
			return "a string is written in single quotes"
		}
	case t.Kind == KindString && name:
		return "a name is written bare or in double quotes"
	case t.Kind == KindQuoted && containsAny(expected, textClasses):
		return "a string is written in single quotes, double quotes are for names"
	case t.Text == "=" && slices.Contains(expected, `":="`):
		return "an option is written name := value"
	case t.Text == "=" && slices.Contains(expected, columnName):
		return "equality is written ="
	case slices.Contains(comparisons, t.Text):
		return "several comparisons are joined with AND"
	}
	return ""
}

func containsAny(expected, classes []string) bool {
	return slices.ContainsFunc(expected, func(e string) bool { return slices.Contains(classes, e) })
}

// keywordsOf returns the keywords among the entries of Expected.
func keywordsOf(expected []string) []string {
	return slices.DeleteFunc(slices.Clone(expected), func(e string) bool { return !IsKeyword(e) })
}
