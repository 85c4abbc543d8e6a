package parser

import "slices"

// This file has the productions of conditions.

// where reads an optional WHERE condition.
func (p *parser) where() Expr {
	if !p.keyword("WHERE") {
		return nil
	}
	return p.condition(bindOr)
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
		inner := p.condition(bindOr)
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

// comparisons are the operators as they are written, in the order of Operator,
// with the second spelling of NotEqual last.
var comparisons = []string{"=", "<>", "<", "<=", ">", ">=", "!="}

func (p *parser) comparison() Expr {
	begin := p.tok.Start
	left := p.operand()
	if op, ok := p.operator(); ok {
		right := p.operand()
		return Compare{p.since(begin), left, op, right}
	}
	switch {
	case p.keyword("IN"):
		return p.among(begin, left, false)
	case p.keyword("NOT"):
		p.needKeyword("IN")
		return p.among(begin, left, true)
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

// among reads the list of operand [NOT] IN (…).
func (p *parser) among(begin Pos, left Operand, not bool) Expr {
	p.needSign("(")
	values := separated(p, func() Value { return p.value(aScalar, scalarTexts...) })
	p.needSign(")")
	return In{p.since(begin), left, not, values}
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
