package parser

// Nearest is NEAREST k TO v | (v, …) USING space [FRESH] [EXACT] [WHERE condition]
// [ORDER BY a].
//
//	nearest      = "NEAREST" integer
//	               "TO" ( vertex | "(" key { "," key } ")" )
//	               "USING" space [ "FRESH" ] [ "EXACT" ]
//	               [ where ] [ order ]                      e.g. NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked ORDER BY age DESC; NEAREST 5 TO ('alice', 107) USING spec;
type Nearest struct {
	Range
	Count    Value   // Int or Param
	To       Value   // String (a key), Int (its decimal text is the key), Vector or Param; nil where there are Examples
	Examples []Value // keys: String, Int or Param; nil where there is To
	Using    Space
	Fresh    bool // bring the embedding up to date first
	Exact    bool
	Where    Expr   // nil where left out
	Order    *Order // of the k vertices; nil where left out
}

func (*Nearest) Heading() string { return "NEAREST" }

func (p *parser) nearest() Statement {
	count := p.count()
	p.advise("NEAREST 10 TO v USING embedding finds the 10 nearest vertices")
	if p.keyword("FOR") {
		return p.nearestFor(count)
	}
	s := &Nearest{Count: count}
	p.needKeyword("TO")
	if p.sign("(") {
		s.Examples = p.keys()
		p.needSign(")")
	} else {
		s.To = p.vertex()
	}
	s.Using = p.usingSpace()
	s.Fresh = p.keyword("FRESH")
	s.Exact = p.keyword("EXACT")
	s.Where = p.where()
	s.Order = p.order()
	return s
}

func (s *Nearest) String() string {
	to := "(" + list(s.Examples) + ")"
	if s.To != nil {
		to = s.To.String()
	}
	return "NEAREST " + s.Count.String() + " TO " + to + " USING " + s.Using.String() +
		given(s.Fresh, " FRESH") + given(s.Exact, " EXACT") + where(s.Where) + s.Order.String()
}

// NearestFor is NEAREST k FOR ALL | FILE 'keys' USING space [EXACT] [WHERE condition].
//
//	nearestfor   = "NEAREST" integer
//	               "FOR" each
//	               "USING" space [ "EXACT" ] [ where ]      e.g. NEAREST 10 FOR ALL USING cosine(spec) WHERE NOT linked; NEAREST 5 FOR FILE 'keys.txt' USING spec;
type NearestFor struct {
	Range
	Count Value // Int or Param
	Each  Each
	Using Space
	Exact bool
	Where Expr // nil where left out
}

func (*NearestFor) Heading() string { return "NEAREST" }

// nearestFor reads the text behind FOR.
func (p *parser) nearestFor(count Value) Statement {
	s := &NearestFor{Count: count}
	if each := p.each(); each != nil {
		s.Each = *each
	} else {
		p.unexpected()
	}
	s.Using = p.usingSpace()
	s.Exact = p.keyword("EXACT")
	s.Where = p.where()
	return s
}

func (s *NearestFor) String() string {
	return "NEAREST " + s.Count.String() + " FOR " + s.Each.String() + " USING " + s.Using.String() + given(s.Exact, " EXACT") + where(s.Where)
}
