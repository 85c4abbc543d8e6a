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

// Heading is COUNT VERTICES.
func (*CountVertices) Heading() string { return "COUNT VERTICES" }

func (p *parser) countVertices() Statement {
	p.needKeyword("VERTICES")
	s := &CountVertices{Graph: p.in(), Where: p.where()}
	if p.keyword("BY") {
		by := p.name(attributeName)
		s.By = &by
	}
	if p.keyword("WITH") {
		s.With = separated(p, p.summary)
	}
	return s
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
	text := "COUNT VERTICES" + in(s.Graph) + where(s.Where)
	if s.By != nil {
		text += " BY " + s.By.String()
	}
	if s.With != nil {
		text += " WITH " + list(s.With)
	}
	return text
}
