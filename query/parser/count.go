package parser

// CountVertices is COUNT VERTICES [IN g] [WHERE condition] [BY attribute].
//
//	countvertices = "COUNT" "VERTICES" [ "IN" name ] [ where ]
//	               [ "BY" name ]                            e.g. COUNT VERTICES IN social WHERE degree > 100 BY city;
type CountVertices struct {
	Range
	Graph *Ident // nil where left out
	Where Expr   // nil where left out
	By    *Ident // an attribute; nil where left out
}

func (*CountVertices) statement() {}

// Heading is COUNT VERTICES.
func (*CountVertices) Heading() string { return "COUNT VERTICES" }

func (p *parser) countVertices(begin Pos) Statement {
	p.needKeyword("VERTICES")
	s := &CountVertices{Graph: p.in()}
	s.Where = p.where()
	if p.keyword("BY") {
		by := p.name(attributeName)
		s.By = &by
	}
	s.Range = p.since(begin)
	return s
}

func (s *CountVertices) String() string {
	text := "COUNT VERTICES" + in(s.Graph) + where(s.Where)
	if s.By != nil {
		text += " BY " + s.By.String()
	}
	return text
}
