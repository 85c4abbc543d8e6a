package parser

import (
	"fmt"
	"slices"
	"strings"
)

// parser reads a statement by recursive descent with one token of look-ahead.
// The first error stays in err, and after it nothing matches, so that the functions
// for the statements need no checks of their own.
type parser struct {
	scan     *scanner
	tok      Token    // the next token, not a comment
	broken   *Error   // why tok is of KindInvalid; reported only if the statement needs it
	last     Pos      // the end of the token before it
	expected []string // what was tried in the place of tok, in this order; signs without quotes
	begin    Pos      // of the statement
	tokens   int      // of the statement
	depth    int
	ofEdges  bool   // the condition that is being read is on edges
	named    Names  // of the statement so far
	heading  string // of the statement
	rows     bool   // the statement answers with rows, which a Tail may follow
	err      *Error
	trying   bool   // an alternative is read: its error is described if no other came farther
	vague    Error  // the error until then
	rather   string // the remedy if the error has no other
}

func newParser(s Source) *parser {
	p := &parser{scan: newScanner(s), expected: make([]string, 0, 64)}
	p.last = p.scan.pos
	p.scanToken()
	p.restart()
	return p
}

// ended is the error of a text that is no statement, which must have ended.
func (p *parser) ended() error {
	if p.err == nil && p.tok.Kind != KindEnd {
		p.unexpected()
	}
	if p.err != nil { // an *Error that is nil is no nil error
		return p.err
	}
	return nil
}

// restart resets the counters: the next token begins a statement.
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
			"SCORE FILE reads many pairs from a file")
	}
}

// fail keeps the first error.
func (p *parser) fail(err *Error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *parser) tooLarge(message, remedy string) {
	p.fail(&Error{Range: p.tok.Range, Message: message, Remedy: remedy, Limit: true})
}

// since returns the range from a position to the last token that was read.
func (p *parser) since(begin Pos) Range { return Range{begin, p.last} }

// ranged sets the range of a statement that begins at a position and has just been read.
func (p *parser) ranged(begin Pos, s Statement) Statement {
	if s != nil {
		s.setRange(p.since(begin))
	}
	return s
}

// expect records what this place allows.
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

func (p *parser) semicolons() {
	for p.err == nil && p.tok.Kind == KindSign && p.tok.Text == ";" {
		p.next()
	}
}

// needKeyword and needSign report an error if something else is next.
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

// unexpected reports that the next token is not one of the expected ones.
func (p *parser) unexpected() {
	if p.err != nil {
		return
	}
	if p.broken != nil {
		p.fail(p.broken)
		return
	}
	if p.trying {
		p.err = &p.vague
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
		// The end of the last token, not of the blanks and comments behind it.
		err.Range = Range{p.last, p.last}
		err.Found = "the end of the text"
	} else {
		err.Found = show(p.tok.Text)
	}
	if h, ok := habitOf(p.tok.Text, err.Expected); ok {
		err.Message, err.Remedy = h.message, h.remedy
		p.fail(err)
		return
	}
	if p.tok.Kind == KindWord {
		err.Nearest, _ = Suggest(p.tok.Text, keywordsOf(err.Expected))
	}
	if err.Nearest == "" {
		err.Remedy = exampleOf(err.Expected)
		if err.Remedy == "" || p.tok.Kind == KindQuoted {
			err.Remedy = p.remedy(err.Expected)
		}
	}
	if beginning(err.Expected) && p.tok.Kind == KindWord { // too many words to show
		err.Message = "no statement begins with " + err.Found
		if err.Hint() == "" {
			err.Remedy = "HELP lists the statements"
		}
	}
	if err.Hint() == "" {
		err.Remedy = p.rather
	}
	p.fail(err)
}

// advise adds a remedy to the error, if there is one that only says what was expected.
func (p *parser) advise(remedy string) {
	if p.err == &p.vague {
		p.rather = remedy
	} else if p.err != nil && p.err.Message == "" && p.err.Hint() == "" {
		p.err.Remedy = remedy
	}
}

// remedy returns the rule that the token breaks, if it is a common mistake.
func (p *parser) remedy(expected []string) string {
	t := p.tok
	name := containsAny(expected, nameClasses)
	switch {
	case t.Kind == KindWord && slices.Contains(expected, "MISSING") && strings.EqualFold(t.Text, "NULL"):
		return "a missing value is written MISSING"
	case t.Kind == KindWord && strings.EqualFold(t.Text, "MISSING") && slices.Contains(expected, columnName):
		return "IS MISSING finds missing values"
	case t.Kind == KindWord && strings.EqualFold(t.Text, "FILE") && slices.Contains(expected, `"("`):
		return "IMPORT reads a file of edges"
	case t.Kind == KindWord:
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

// separated reads one or more items with commas between them.
func separated[N any](p *parser, item func() N) []N {
	var items []N
	for more := true; more && p.err == nil; more = p.sign(",") {
		items = append(items, item())
	}
	return items
}

func joined[N fmt.Stringer](nodes []N) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = n.String()
	}
	return strings.Join(parts, ", ")
}

// given returns the text of a keyword that may be left out.
func given(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

// Names are the names that an unfinished statement has so far.
type Names struct {
	Graph     string // the last graph, of those that must exist
	Embedding string // the last embedding, of those that must exist
	// Call is the owner of the options that are being written: a method or
	// generator by its name, or a statement by its Heading, such as "EXPORT
	// GRAPH". It is "" where no options are being written.
	Call string
	// Option is the option or attribute whose value is being written, or "".
	Option string
}

// comparisons are the operators as they are written, in the order of Operator,
// with the second spelling of NotEqual last.
var comparisons = []string{"=", "<>", "<", "<=", ">", ">=", "!="}
