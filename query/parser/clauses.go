package parser

import "slices"

// This file has the productions that statements are made of.

// separated reads one or more items with commas between them.
func separated[N Node](p *parser, item func() N) []N {
	var items []N
	for more := true; more && p.err == nil; more = p.sign(",") {
		items = append(items, item())
	}
	return items
}

// file reads FILE 'name', behind INTO.
func (p *parser) file() Value {
	p.needKeyword("FILE")
	return p.value(aString, fileText)
}

// in reads an optional IN g.
func (p *parser) in() *Ident {
	if !p.keyword("IN") {
		return nil
	}
	graph := p.name(graphName)
	return &graph
}

// withOptions reads an optional WITH (name := value, …). The parentheses tell
// it from the WITH of SCORE, which lists scorers.
func (p *parser) withOptions() []Option {
	if !p.keyword("WITH") {
		return nil
	}
	p.needSign("(")
	options := separated(p, p.option)
	p.needSign(")")
	return options
}

func (p *parser) option() Option {
	begin := p.tok.Start
	name := p.name(optionName)
	p.needSign(":=")
	value := p.scalar()
	return Option{p.since(begin), name, value}
}

// scalar reads a string, number or boolean.
func (p *parser) scalar() Value {
	return p.value(aScalar, stringText, numberText, "TRUE", "FALSE")
}

// call reads name or name(option, …).
func (p *parser) call(what string) Call {
	begin := p.tok.Start
	n := Call{Name: p.name(what)}
	if p.sign("(") && !p.sign(")") {
		n.Options = separated(p, p.option)
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

// space reads e or metric(e).
func (p *parser) space() Space {
	begin := p.tok.Start
	n := Space{Embedding: p.name(embeddingName)}
	if p.sign("(") {
		metric := n.Embedding
		n.Metric = &metric
		n.Embedding = p.name(embeddingName)
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

// threshold reads RADIUS r, EPSILON ε or, where it is allowed, AUTO.
func (p *parser) threshold(auto bool) Threshold {
	n := Threshold{}
	begin := p.tok.Start
	switch {
	case p.keyword("RADIUS"):
		n.Kind, n.Value = Radius, p.value(aNumber, numberText)
	case p.keyword("EPSILON"):
		n.Kind, n.Value = Epsilon, p.value(aNumber, numberText)
	case auto && p.keyword("AUTO"):
		n.Kind = Auto
	default:
		p.unexpected()
	}
	n.Range = p.since(begin)
	return n
}

func (p *parser) pair() Pair {
	begin := p.tok.Start
	p.needSign("(")
	u := p.value(aKey, keyText)
	p.needSign(",")
	v := p.value(aKey, keyText)
	p.needSign(")")
	return Pair{p.since(begin), u, v}
}

// scorers reads WITH scorer, ….
func (p *parser) scorers() []Scorer {
	p.needKeyword("WITH")
	return separated(p, p.scorer)
}

func (p *parser) scorer() Scorer {
	begin := p.tok.Start
	n := Scorer{Name: p.name(scorerName)}
	if p.sign("(") {
		of := p.name(embeddingName)
		n.Of = &of
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

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
		p.limit("condition is nested too deeply", "")
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
	name, ok := left.(Ident)
	if !ok {
		p.unexpected()
	}
	return Flag{p.since(begin), name}
}

// operator reads an operator if one is next.
func (p *parser) operator() (Operator, bool) {
	i := slices.Index(comparisons, p.tok.Text)
	if p.err != nil || p.tok.Kind != KindSign || i < 0 {
		p.expect("a comparison")
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
	if v, ok := p.scalar().(Operand); ok {
		return v
	}
	return Ident{}
}
