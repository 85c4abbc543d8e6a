package parser

import (
	"fmt"
	"slices"
	"strings"
)

// Expr is a condition: one of Or, And, Not, Compare, In, Like, IsMissing, Flag, Linked and Ends.
type Expr interface {
	Node
	fmt.Stringer
	expr()
}

// Or is true where any of its terms is. It has at least two terms, all in one
// list so that a long chain is no deeper than a short one.
//
//	condition    = conjunction { "OR" conjunction }         e.g. NEAREST 5 TO 'a' USING e WHERE linked OR degree < 3 AND NOT linked;
type Or struct {
	Range
	Terms []Expr
}

// And is true where all its terms are. It has at least two terms.
//
//	conjunction  = negation { "AND" negation }              e.g. NEAREST 5 TO 'a' USING e WHERE degree >= 3 AND degree <= 10;
type And struct {
	Range
	Terms []Expr
}

// Not is true where its term is false.
//
//	negation     = "NOT" negation | "(" condition ")"
//	             | comparison                               e.g. NEAREST 5 TO 'a' USING e WHERE NOT (linked OR degree > 1000);
type Not struct {
	Range
	Term Expr
}

// Compare is left operator right. Package query resolves the names.
type Compare struct {
	Range
	Left  Operand
	Op    Operator
	Right Operand
}

// In is operand [NOT] IN (value, …).
type In struct {
	Range
	Operand Operand
	Not     bool
	Values  []Value // at least one; each String, Int, Float, Bool or Param
}

// Like is operand [NOT] LIKE pattern [ESCAPE character].
type Like struct {
	Range
	Operand Operand
	Not     bool
	Pattern Value // String or Param
	Escape  Value // String or Param; nil where left out
}

// IsMissing is operand IS [NOT] MISSING.
type IsMissing struct {
	Range
	Operand Operand
	Not     bool
}

// Flag is a name that is a condition alone, such as linked.
type Flag struct {
	Range
	Name Ident
}

// Linked is linked v, links_to v or linked_from v: a condition on the edges between a vertex and one
// that is named.
type Linked struct {
	Range
	How    Link
	Vertex Value // a key: String, Int or Param
}

// Link is which edges a Linked asks for.
type Link string

// The kinds of links.
const (
	LinkedWith Link = "linked"      // an edge in either direction joins the vertex with the named one
	LinksTo    Link = "links_to"    // an edge leads from the vertex to the named one
	LinkedFrom Link = "linked_from" // an edge leads to the vertex from the named one
)

// Links are the kinds of links. Names of columns may be the same words: a key behind it makes a word a Link.
var Links = []Link{LinkedWith, LinksTo, LinkedFrom}

// Ends is BOTH (condition) or EITHER (condition): a condition on the two vertices of an
// edge, in a condition on edges.
//
//	ends         = ( "BOTH" | "EITHER" ) "(" condition ")"  e.g. SHOW EDGES IN social WHERE weight > 2 AND BOTH (city = 'Bern');
type Ends struct {
	Range
	Both bool
	Term Expr // of vertices
}

// Operand is a side of a comparison: an Ident or any Value but a Vector and
// Missing.
//
//	operand      = name | literal                           e.g. NEAREST 5 TO 'a' USING e WHERE degree = $d;
type Operand interface {
	Node
	fmt.Stringer
	operand()
}

// Operator compares two operands.
//
//	operator     = "=" | "<>" | "!=" | "<" | "<=" | ">"
//	             | ">="                                     e.g. NEAREST 5 TO 'a' USING e WHERE degree != 2;
type Operator uint8

// The operators. <> and != are the same.
const (
	Equal Operator = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

func (Or) expr()        {}
func (And) expr()       {}
func (Not) expr()       {}
func (Compare) expr()   {}
func (In) expr()        {}
func (Like) expr()      {}
func (IsMissing) expr() {}
func (Flag) expr()      {}
func (Linked) expr()    {}
func (Ends) expr()      {}

func (Ident) operand()  {}
func (String) operand() {}
func (Int) operand()    {}
func (Float) operand()  {}
func (Bool) operand()   {}
func (Param) operand()  {}

// edgeCondition reads a condition on edges.
func (p *parser) edgeCondition() Expr {
	p.ofEdges = true
	e := p.anyCondition()
	p.ofEdges = false
	return e
}

func (p *parser) anyCondition() Expr { return p.condition(bindOr) }

// How tightly a condition binds. A term that binds no tighter than its parent is
// written in parentheses, which keeps the shape of the tree.
const (
	bindOr = iota + 1
	bindAnd
	bindNot
	bindAtom
)

func binding(e Expr) int {
	switch e.(type) {
	case Or:
		return bindOr
	case And:
		return bindAnd
	case Not:
		return bindNot
	}
	return bindAtom
}

// condition reads a condition whose operators bind at least as tightly as bind:
// OR, then AND, then NOT, then a comparison.
func (p *parser) condition(bind int) Expr {
	begin := p.tok.Start
	switch bind {
	case bindOr:
		terms := p.terms("OR", bindAnd)
		if len(terms) == 1 {
			return terms[0]
		}
		return Or{p.since(begin), terms}
	case bindAnd:
		terms := p.terms("AND", bindNot)
		if len(terms) == 1 {
			return terms[0]
		}
		return And{p.since(begin), terms}
	}
	if p.keyword("NOT") {
		p.enter()
		term := p.condition(bindNot)
		p.depth--
		return Not{p.since(begin), term}
	}
	if p.sign("(") {
		p.enter()
		inner := p.anyCondition()
		p.depth--
		p.needSign(")")
		return inner
	}
	return p.comparison()
}

func (p *parser) terms(word string, bind int) []Expr {
	terms := []Expr{p.condition(bind)}
	for p.keyword(word) {
		terms = append(terms, p.condition(bind))
	}
	return terms
}

// enter counts one more level of nesting.
func (p *parser) enter() {
	p.depth++
	if p.depth > MaxDepth {
		p.tooLarge("condition is nested too deeply", "")
	}
}

func (n Or) String() string { return chain(n.Terms, " OR ", bindOr) }

func (n And) String() string { return chain(n.Terms, " AND ", bindAnd) }

func (n Not) String() string {
	if binding(n.Term) < bindNot {
		return "NOT (" + n.Term.String() + ")"
	}
	return "NOT " + n.Term.String()
}

func chain(terms []Expr, word string, bind int) string {
	parts := make([]string, len(terms))
	for i, term := range terms {
		parts[i] = term.String()
		if binding(term) <= bind {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, word)
}

// comparison reads a condition without AND, OR and NOT before it.
//
//	comparison   = operand operator operand
//	             | operand [ "NOT" ] "IN"
//	               "(" literal { "," literal } ")"
//	             | operand [ "NOT" ] "LIKE" string
//	               [ "ESCAPE" string ]
//	             | operand "IS" [ "NOT" ] "MISSING"
//	             | ( "linked" | "links_to"
//	               | "linked_from" ) key
//	             | name | ends                              e.g. SHOW VERTICES WHERE city IN ('Bern', 'Basel') AND key LIKE 'anna%' AND age IS NOT MISSING;
func (p *parser) comparison() Expr {
	begin, word := p.tok.Start, p.tok
	if p.ofEdges {
		p.expect("BOTH")
		p.expect("EITHER")
	}
	left := p.operand()
	if both, ok := endsWord(word); p.ofEdges && ok && p.sign("(") {
		return p.endsOf(begin, both)
	}
	if how := Link(word.Text); word.Kind == KindWord && slices.Contains(Links, how) && p.keyNext() {
		vertex := p.key()
		return Linked{p.since(begin), how, vertex}
	}
	if op, ok := p.operator(); ok {
		right := p.operand()
		return Compare{p.since(begin), left, op, right}
	}
	switch not := p.keyword("NOT"); {
	case p.keyword("IN"):
		return p.among(begin, left, not)
	case p.keyword("LIKE"):
		return p.like(begin, left, not)
	case not:
		p.unexpected()
	case p.keyword("IS"):
		not := p.keyword("NOT")
		p.needKeyword("MISSING")
		return IsMissing{p.since(begin), left, not}
	}
	name, ok := left.(Ident)
	if !ok {
		p.unexpected()
	}
	return Flag{p.since(begin), name}
}

// endsWord reports whether a token is BOTH or EITHER. Names of columns may be the same
// words: the parenthesis behind it decides.
func endsWord(t Token) (both, ok bool) {
	both = strings.EqualFold(t.Text, "BOTH")
	return both, t.Kind == KindWord && (both || strings.EqualFold(t.Text, "EITHER"))
}

// keyNext reports whether a key is next.
func (p *parser) keyNext() bool {
	p.expect(keyText)
	return p.err == nil && (p.tok.Kind == KindString || p.tok.Kind == KindNumber || p.tok.Kind == KindParam || p.tok.Kind == KindSign && p.tok.Text == "-")
}

// endsOf reads what is behind BOTH ( or EITHER (.
func (p *parser) endsOf(begin Pos, both bool) Expr {
	p.enter()
	p.ofEdges = false
	term := p.anyCondition()
	p.ofEdges = true
	p.depth--
	p.needSign(")")
	return Ends{p.since(begin), both, term}
}

// among reads the list of operand [NOT] IN (…).
func (p *parser) among(begin Pos, left Operand, not bool) Expr {
	p.needSign("(")
	values := separated(p, func() Value { return p.value(aScalar, scalarTexts...) })
	p.needSign(")")
	return In{p.since(begin), left, not, values}
}

// like reads the pattern of operand [NOT] LIKE pattern.
func (p *parser) like(begin Pos, left Operand, not bool) Expr {
	n := Like{Operand: left, Not: not, Pattern: p.value(aString, stringText)}
	if p.keyword("ESCAPE") {
		n.Escape = p.value(aString, stringText)
	}
	n.Range = p.since(begin)
	return n
}

// operand reads a column or a literal.
func (p *parser) operand() Operand {
	if p.tok.Kind == KindQuoted || p.tok.Kind == KindWord && !Reserved(p.tok.Text) {
		return p.name(columnName)
	}
	p.expect(columnName)
	if v, ok := p.value(aScalar, scalarTexts...).(Operand); ok {
		return v
	}
	return Ident{}
}

func (n Compare) String() string {
	return n.Left.String() + " " + n.Op.String() + " " + n.Right.String()
}

func (n In) String() string {
	return n.Operand.String() + given(n.Not, " NOT") + " IN (" + joined(n.Values) + ")"
}

func (n Like) String() string {
	return n.Operand.String() + given(n.Not, " NOT") + " LIKE " + n.Pattern.String() + behind(" ESCAPE ", n.Escape)
}

func (n IsMissing) String() string {
	return n.Operand.String() + " IS" + given(n.Not, " NOT") + " MISSING"
}

func (n Flag) String() string { return n.Name.String() }

func (n Linked) String() string { return string(n.How) + " " + n.Vertex.String() }

func (n Ends) String() string {
	word := "EITHER"
	if n.Both {
		word = "BOTH"
	}
	return word + " (" + n.Term.String() + ")"
}

// operator reads an operator if one is next.
func (p *parser) operator() (Operator, bool) {
	i := slices.Index(comparisons, p.tok.Text)
	if p.err != nil || p.tok.Kind != KindSign || i < 0 {
		p.expect(comparisonText)
		return 0, false
	}
	p.next()
	if i > int(GreaterEqual) {
		return NotEqual, true
	}
	return Operator(i), true
}

// String returns the operator's sign; NotEqual is <>.
func (o Operator) String() string { return comparisons[o] }
