package parser

// CountVertices is COUNT VERTICES [IN g] [WHERE condition] [BY attribute] [WITH summary, …].
//
//	countvertices = "COUNT" "VERTICES" [ "IN" name ] [ where ]
//	               [ "BY" name ]
//	               [ "WITH" summary { "," summary } ]       e.g. COUNT VERTICES IN social WHERE degree > 100 BY city WITH mean(age), max(rank);
type CountVertices struct {
	Range
	Graph *Ident    // nil where left out
	Where Expr      // nil where left out
	By    *Ident    // an attribute; nil where left out
	With  []Summary // nil where left out
}

// Summary is a figure of a column: mean(age).
//
//	summary      = name "(" name ")"                        e.g. COUNT VERTICES IN social WITH min(age), max(age), sum(degree);
type Summary struct {
	Range
	Function Ident
	Of       Ident // an attribute, or another column of a condition
}

func (*CountVertices) Heading() string { return "COUNT VERTICES" }

func (p *parser) countVertices() Statement {
	p.needKeyword("VERTICES")
	return &CountVertices{
		Graph: p.in(),
		Where: p.where(),
		By:    optionalName(p, "BY", func() Ident { return p.name(attributeName) }),
		With:  optional(p, "WITH", func() []Summary { return separated(p, p.summary) }),
	}
}

func (p *parser) summary() Summary {
	begin := p.tok.Start
	s := Summary{Function: p.name(functionName)}
	p.needSign("(")
	s.Of = p.column()
	p.needSign(")")
	s.Range = p.since(begin)
	return s
}

func (s Summary) String() string { return s.Function.String() + "(" + s.Of.String() + ")" }

func (s *CountVertices) String() string {
	return "COUNT VERTICES" + in(s.Graph) + where(s.Where) + clause(" BY ", s.By) + listClause(" WITH ", s.With)
}
