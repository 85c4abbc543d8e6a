package parser

import (
	"reflect"
	"slices"
	"strings"
)

// rule is a way to write a statement: the words with which it begins, and the form of what is
// behind them.
type rule struct {
	heading string     // the keywords that the statement is known by
	text    string     // the words with which it begins
	words   [][]string // each of them in its spellings
	example string     // whole statements, with a semicolon between them
	rows    bool       // it answers with rows that can go into a file
	name    string     // of the type of the node
	make    func() (Statement, form)
	of      func(Statement) (form, bool) // of a node of this type
}

// does is the rule of a statement, asks that of one whose rows can go into a file.
func does[S any, P interface {
	*S
	Statement
}](heading, example string, of func(*S) form) rule {
	r := rule{
		heading: heading, text: heading, example: example, name: reflect.TypeFor[S]().Name(),
		make: func() (Statement, form) {
			s := new(S)
			return P(s), of(s)
		},
		of: func(statement Statement) (form, bool) {
			if s, ok := statement.(P); ok {
				return of(s), true
			}
			return nil, false
		},
	}
	words := strings.Fields(heading)
	for _, word := range words {
		r.words = append(r.words, spellings(words[0], word))
	}
	return r
}

func asks[S any, P interface {
	*S
	Statement
}](heading, example string, of func(*S) form) rule {
	r := does[S, P](heading, example, of)
	r.rows = true
	return r
}

// spellings returns how a word of a heading can be written: behind the verbs that change a
// graph in singular and plural.
func spellings(verb, word string) []string {
	if verb == "INSERT" || verb == "UPDATE" || verb == "DELETE" {
		for _, both := range [][]string{{"VERTEX", "VERTICES"}, {"EDGE", "EDGES"}} {
			if slices.Contains(both, word) {
				return both
			}
		}
	}
	return []string{word}
}

// longer reports whether all rules have more words than n.
func longer(rules []rule, n int) bool {
	for i := range rules {
		if len(rules[i].words) == n {
			return false
		}
	}
	return true
}

// begun reads the next word of some of the rules, and returns which they are.
func (p *parser) begun(rules []rule, read int) (from, to int) {
	for from < len(rules) {
		word := rules[from].words[read]
		for to = from + 1; to < len(rules) && rules[to].words[read][0] == word[0]; {
			to++
		}
		if p.spelled(word) {
			return from, to
		}
		from = to
	}
	return from, from
}

// spelled reads a word in one of its spellings.
func (p *parser) spelled(spellings []string) bool { return slices.ContainsFunc(spellings, p.keyword) }

// by reads what is behind the first words of a rule.
func (p *parser) by(r *rule, depth int) Statement {
	for _, word := range r.words[depth:] {
		if !p.spelled(word) {
			p.unexpected()
			return nil
		}
	}
	p.heading, p.rows = r.heading, r.rows
	s, form := r.make()
	if !form.read(p) {
		p.unexpected()
	}
	return s
}

// farthest reads n alternatives from the same place, and returns the one that read most of the
// text: of several the first without an error, or the first. What is expected there is what any
// of them expected. It ends with the first that reads the whole statement.
func (p *parser) farthest(n int, read func(i int) Statement) (s Statement) {
	if n == 1 {
		return read(0)
	}
	before, scan, known := *p, *p.scan, slices.Clone(p.expected)
	var best parser
	var bestScan scanner
	var expected []string
	for i := range n {
		*p, *p.scan = before, scan
		p.expected, p.trying = append(p.expected[:0], known...), true
		tried := read(i)
		ahead := p.tok.Start.Offset - best.tok.Start.Offset
		if i == 0 || ahead > 0 {
			expected = expected[:0]
		}
		if i == 0 || ahead > 0 || ahead == 0 && best.err != nil && p.err == nil {
			s, best, bestScan = tried, *p, *p.scan
		}
		if i == 0 || ahead >= 0 {
			expected = append(expected, p.expected...)
		}
		if p.err == nil && (p.tok.Kind == KindEnd || p.tok.Text == ";") {
			break
		}
	}
	*p, *p.scan = best, bestScan
	p.expected, p.trying = expected, before.trying
	if p.err == &p.vague {
		p.err = nil
		p.unexpected()
	}
	return s
}

func (r *rule) syntax(n notation) string {
	_, f := r.make()
	var head form
	for i, first := range strings.Fields(r.text) {
		spelled := form{word(first)}
		if n.grammar || i == len(r.words)-1 { // the others would part the heading
			other := slices.DeleteFunc(slices.Clone(r.words[i]), func(spelling string) bool { return spelling == first })
			spelled = form{oneOf(new(string), append([]string{first}, other...))}
		}
		head = append(head, spelled)
	}
	return strings.ReplaceAll(form{head, f}.syntax(n), " ,", ",") // of DIFF
}
