package parser

// Path is PATH FROM v TO w [IN g] [BY WEIGHT].
//
//	path         = "PATH" "FROM" key "TO" key [ "IN" name ]
//	               [ "BY" "WEIGHT" ]                        e.g. PATH FROM 'alice' TO 'bob' IN social BY WEIGHT;
type Path struct {
	Range
	From, To Value  // keys: String, Int or Param
	Graph    *Ident // nil where left out
	ByWeight bool
}

func (*Path) Heading() string { return "PATH" }

func (p *parser) path() Statement {
	return &Path{
		From:     after(p, "FROM", p.key),
		To:       after(p, "TO", p.key),
		Graph:    p.in(),
		ByWeight: p.optionalWords("BY", "WEIGHT"),
	}
}

func (s *Path) String() string {
	return "PATH FROM " + s.From.String() + " TO " + s.To.String() + in(s.Graph) + given(s.ByWeight, " BY WEIGHT")
}
