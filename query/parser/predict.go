package parser

// Each names the vertices that a statement answers one after the other: ALL, or those of a
// file of keys.
type Each struct {
	File Value // String or Param; nil for ALL
}

// each reads ALL or FILE behind FOR; nil if neither is there.
//
//	each         = "ALL" | "FILE" string                    e.g. PREDICT 10 LINKS FOR ALL IN social; PREDICT 10 LINKS FOR FILE 'keys.txt' IN social WITH l3;
func (p *parser) each() *Each {
	switch {
	case p.keyword("ALL"):
		return &Each{}
	case p.keyword("FILE"):
		return &Each{File: p.fileName()}
	}
	return nil
}

func (e *Each) String() string {
	if e.File == nil {
		return "ALL"
	}
	return "FILE " + e.File.String()
}

// forWhom is the clause FOR of PREDICT.
func forWhom(key Value, each *Each) string {
	if each != nil {
		return " FOR " + each.String()
	}
	return clause(" FOR ", key)
}

// Predict is PREDICT n LINKS [FOR v | ALL | FILE 'keys'] [IN g] WITH scorer
// [WHERE condition] [ORDER BY a] [WITH (…)]. ORDER BY needs FOR v.
//
//	predict      = "PREDICT" integer "LINKS"
//	               [ "FOR" ( key | each ) ] [ "IN" name ]
//	               "WITH" scorer [ "AS" "OF" ( string | integer ) ]
//	               [ where ] [ order ] [ options ]          e.g. PREDICT 5 LINKS FOR 'alice' WITH l3 ORDER BY age; PREDICT 10 LINKS IN mail WITH l3 AS OF '2015-01-01'; PREDICT 20 LINKS FOR 'alice' IN social WITH katz; PREDICT 1000 LINKS WITH cosine(spec) WHERE degree > 2 WITH (near := 100);
type Predict struct {
	Range
	Count   Value  // Int or Param
	For     Value  // a key: String, Int or Param; nil where left out
	Each    *Each  // nil where left out, as at least one of For and Each is
	Graph   *Ident // nil where left out
	Scorer  Scorer
	AsOf    Value    // a time: String, Int or Param; nil where left out
	Where   Expr     // nil where left out
	Order   *Order   // of the links of one vertex; nil where left out
	Options []Option // those of the second WITH
}

func (*Predict) Heading() string { return "PREDICT" }

func (p *parser) predict() Statement {
	s := &Predict{Count: p.count()}
	p.needKeyword("LINKS")
	if p.keyword("FOR") {
		if s.Each = p.each(); s.Each == nil {
			s.For = p.key()
		}
	}
	s.Graph = p.in()
	if !p.keyword("WITH") {
		if s.For == nil && s.Each == nil {
			p.unexpected()
		}
		return p.predicted(&Predicted{Count: s.Count, For: s.For, Each: s.Each, Graph: s.Graph})
	}
	s.Scorer = p.scorer()
	if p.keyword("AS") {
		p.needKeyword("OF")
		s.AsOf = p.value(aString|anInt, dateText)
	}
	s.Where = p.where()
	if s.For != nil {
		s.Order = p.order()
	}
	s.Options = p.withOptions(s)
	return s
}

func (s *Predict) String() string {
	return "PREDICT " + s.Count.String() + " LINKS" + forWhom(s.For, s.Each) + in(s.Graph) + " WITH " + s.Scorer.String() +
		clause(" AS OF ", s.AsOf) + where(s.Where) + s.Order.String() + withOptions(s.Options)
}

// Predicted is PREDICT n LINKS FOR v | ALL | FILE 'keys' [IN g] [FROM scorer], which
// reads materialized predictions.
//
//	predicted    = "PREDICT" integer "LINKS" "FOR" ( key | each )
//	               [ "IN" name ] [ "FROM" scorer ]          e.g. PREDICT 10 LINKS FOR 'alice' IN social;
type Predicted struct {
	Range
	Count  Value   // Int or Param
	For    Value   // a key: String, Int or Param; nil where there is Each
	Each   *Each   // nil where there is For
	Graph  *Ident  // nil where left out
	Scorer *Scorer // nil where left out
}

func (*Predicted) Heading() string { return "PREDICT" }

// predicted reads the end of a PREDICT without WITH.
func (p *parser) predicted(s *Predicted) Statement {
	if p.keyword("FROM") {
		s.Scorer = new(p.scorer())
	}
	return s
}

func (s *Predicted) String() string {
	return "PREDICT " + s.Count.String() + " LINKS" + forWhom(s.For, s.Each) + in(s.Graph) + clause(" FROM ", s.Scorer)
}
