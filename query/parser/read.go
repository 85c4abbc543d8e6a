package parser

import (
	"slices"
	"strings"
)

// statement reads any statement.
//
//	statement    = [ "EXPLAIN" | "PROFILE" ] tailed
//	             | explainscore                             e.g. PROFILE NEAREST 10 TO 'alice' USING spec;
func (p *parser) statement() Statement {
	begin := p.tok.Start
	switch {
	case p.keyword("EXPLAIN"):
		return p.ranged(begin, p.explained(begin))
	case p.keyword("PROFILE"):
		return p.ranged(begin, &Explain{Profile: true, Statement: p.plain()})
	}
	return p.plain()
}

// explained reads what is behind EXPLAIN. SCORE with one pair is an ExplainScore.
func (p *parser) explained(begin Pos) Statement {
	if p.tok.Kind != KindWord || !strings.EqualFold(p.tok.Text, "SCORE") {
		p.expect("SCORE")
		return &Explain{Statement: p.plain()}
	}
	onePair := false
	return p.farthest(2, func(i int) Statement {
		if i == 0 {
			s := p.by(&explainScore, 1)
			onePair = p.err == nil && p.tok.Text != ","
			return p.tailed(begin, s)
		}
		if onePair {
			p.unexpected()
			return nil
		}
		return &Explain{Statement: p.plain()}
	})
}

// plain reads a statement without EXPLAIN or PROFILE, with a Tail behind it if it has rows.
func (p *parser) plain() Statement {
	begin := p.tok.Start
	return p.tailed(begin, p.ruled(statements))
}

// tailed reads the Tail of a statement that begins at a position, where one is there.
//
//	tailed       = plain [ "COLUMNS" [ "DISTINCT" ]
//	               name { "," name } ]
//	               [ "WHERE" condition ] [ order ]
//	               [ "LIMIT" integer ] [ "OFFSET" integer ]
//	               [ "INTO" "FILE" string [ options ] ]     e.g. COUNT VERTICES IN social BY city ORDER BY vertices DESC LIMIT 10; SHOW VERTICES IN social INTO FILE 'people.parquet';
func (p *parser) tailed(begin Pos, s Statement) Statement {
	s = p.ranged(begin, s)
	if p.err != nil || !p.rows {
		return s
	}
	end, t := p.last, &Tail{Statement: s}
	if tailOf(t).read(p); p.last == end {
		return s
	}
	return p.ranged(begin, t)
}

// ruled reads one of the statements of rules that lie together and begin with different words,
// or with the same.
func (p *parser) ruled(rules []rule) Statement {
	at, last, read := p.tok.Start, p.last, 0 // words
	for longer(rules, read) {
		from, to := p.begun(rules, read)
		if from == to {
			break
		}
		rules, read = rules[from:to], read+1
		at, last = p.tok.Start, p.last
	}
	s := p.farthest(len(rules), func(i int) Statement { return p.by(&rules[i], read) })
	if p.err != nil && (p.err.Start == at || p.err.Start == last) {
		p.advise(advices[strings.Join(strings.Fields(rules[0].text)[:read], " ")])
	}
	return s
}

// ruleOf returns the rule of a statement, and its form: of several the first that has all it
// needs, or the last.
func ruleOf(s Statement) (found *rule, of form) {
	found = &rule{}
	for _, rules := range [][]rule{statements, {explainScore}} {
		for i := range rules {
			if f, ok := rules[i].of(s); ok {
				if found, of = &rules[i], f; f.given() {
					return found, of
				}
			}
		}
	}
	return found, of
}

// Heading returns the keywords that a statement is known by, with which its canonical text
// begins, and "" for nil. EXPLAIN, PROFILE and a Tail have the heading of the statement in them.
func Heading(s Statement) string {
	switch s := s.(type) {
	case *Explain:
		return Heading(s.Statement)
	case *Tail:
		return Heading(s.Statement)
	case *Show:
		return "SHOW " + string(s.What)
	}
	r, _ := ruleOf(s)
	return r.heading
}

// Text returns the canonical text of a statement: keywords in upper case, names quoted only
// where they must be, one blank between words. Parsing it gives the same statement, except for
// its positions.
func Text(s Statement) string {
	switch s := s.(type) {
	case *Explain:
		if s.Profile {
			return "PROFILE " + Text(s.Statement)
		}
		return "EXPLAIN " + Text(s.Statement)
	case *Tail:
		var w writer
		w.add(Text(s.Statement))
		tailOf(s).write(&w)
		return w.String()
	}
	r, form := ruleOf(s)
	var w writer
	w.add(r.text)
	form.write(&w)
	return w.String()
}

// Syntax returns how the statements with a heading are written, for HELP, or EXPLAIN or PROFILE,
// or for INTO FILE the clauses of a Tail: of several ways each, with a semicolon between them. It is empty for a heading that
// is unknown.
func Syntax(heading string) string {
	switch heading {
	case "EXPLAIN", "PROFILE":
		return heading + " statement"
	case "INTO FILE":
		return "statement " + tailOf(new(Tail)).syntax(notation{})
	}
	var all []string
	for _, r := range slices.Concat(statements, []rule{explainScore}) {
		if r.heading == heading {
			all = append(all, r.syntax(notation{}))
		}
	}
	return strings.Join(all, "; ")
}

// Clauses returns how the clauses of a Tail are written, for HELP, if statements with a heading answer
// with rows; otherwise it is empty.
func Clauses(heading string) string {
	if slices.ContainsFunc(statements, func(r rule) bool { return r.heading == heading && r.rows }) {
		return tailOf(new(Tail)).syntax(notation{})
	}
	return ""
}

// Example returns a whole statement with a heading; empty for one that is unknown, and for those that
// are not statements of their own.
func Example(heading string) string {
	for _, r := range slices.Concat(statements, []rule{explainScore}) {
		if r.heading == heading {
			first, _, _ := strings.Cut(r.example, "; ")
			return first
		}
	}
	return ""
}

// Parse reads the one statement of a text, with or without its semicolon. The
// error is an *Error. It takes time and memory proportional to the text.
func Parse(text string) (Statement, error) { return Source{Text: text}.Parse() }

// ParseScript reads all statements of a text. It stops at the first error, an
// *Error, and returns the statements before it as well.
//
//	script       = { [ statement ] ";" } [ statement ]      e.g. SHOW GRAPHS; ; CHECK
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
			"only one statement can be run at a time"))
	default:
		p.unexpected()
	}
	return nil, p.err
}
