package parser

// Within is WITHIN threshold OF v USING space [EXACT] [WHERE condition] [ORDER BY a]
// [LIMIT n].
//
//	within       = "WITHIN" threshold "OF" vertex
//	               "USING" space [ "EXACT" ] [ where ]
//	               [ order ] [ "LIMIT" integer ]            e.g. WITHIN EPSILON 0.45 OF 107 USING spec ORDER BY degree LIMIT 100;
type Within struct {
	Range
	Threshold Threshold // never Auto
	Of        Value     // as To of Nearest
	Using     Space
	Exact     bool
	Where     Expr   // nil where left out
	Order     *Order // of the vertices that LIMIT keeps; nil where left out
	Limit     Value  // Int or Param; nil where left out
}

func (*Within) Heading() string { return "WITHIN" }

func (p *parser) within() Statement {
	return &Within{
		Threshold: p.threshold(false),
		Of:        after(p, "OF", p.vertex),
		Using:     p.usingSpace(),
		Exact:     p.keyword("EXACT"),
		Where:     p.where(),
		Order:     p.order(),
		Limit:     p.limit(),
	}
}

func (s *Within) String() string {
	return "WITHIN " + s.Threshold.String() + " OF " + s.Of.String() + " USING " + s.Using.String() +
		given(s.Exact, " EXACT") + where(s.Where) + s.Order.String() + limit(s.Limit)
}
