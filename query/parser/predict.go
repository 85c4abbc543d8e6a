package parser

// Predict is PREDICT n LINKS [FOR v] [IN g] WITH scorer [WHERE condition]
// [ORDER BY a] [WITH (…)]. ORDER BY needs FOR.
//
//	predict      = "PREDICT" integer "LINKS"
//	               [ "FOR" key ] [ "IN" name ]
//	               "WITH" scorer [ "AS" "OF" ( string | integer ) ]
//	               [ where ] [ order ] [ options ]          e.g. PREDICT 5 LINKS FOR 'alice' WITH l3 ORDER BY age; PREDICT 10 LINKS IN mail WITH l3 AS OF '2015-01-01'; PREDICT 20 LINKS FOR 'alice' IN social WITH katz; PREDICT 1000 LINKS WITH cosine(spec) WHERE degree > 2 WITH (near := 100);
type Predict struct {
	Range
	Count   Value  // Int or Param
	For     Value  // a key: String, Int or Param; nil where left out
	Graph   *Ident // nil where left out
	Scorer  Scorer
	AsOf    Value    // a time: String, Int or Param; nil where left out
	Where   Expr     // nil where left out
	Order   *Order   // of the links of one vertex; nil where left out
	Options []Option // those of the second WITH
}

func (*Predict) statement() {}

// Heading is PREDICT.
func (*Predict) Heading() string { return "PREDICT" }

func (p *parser) predict(begin Pos) Statement {
	s := &Predict{Count: p.value(anInt, countText)}
	p.needKeyword("LINKS")
	if p.keyword("FOR") {
		s.For = p.key()
	}
	s.Graph = p.in()
	if !p.keyword("WITH") {
		if s.For == nil {
			p.unexpected()
		}
		return p.predicted(begin, s.Count, s.For, s.Graph)
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
	s.Range = p.since(begin)
	return s
}

func (s *Predict) String() string {
	text := "PREDICT " + s.Count.String() + " LINKS"
	if s.For != nil {
		text += " FOR " + s.For.String()
	}
	text += in(s.Graph) + " WITH " + s.Scorer.String()
	if s.AsOf != nil {
		text += " AS OF " + s.AsOf.String()
	}
	return text + where(s.Where) + s.Order.String() + withOptions(s.Options)
}

// Predicted is PREDICT n LINKS FOR v [IN g] [FROM scorer], which reads
// materialized predictions.
//
//	predicted    = "PREDICT" integer "LINKS" "FOR" key
//	               [ "IN" name ] [ "FROM" scorer ]          e.g. PREDICT 10 LINKS FOR 'alice' IN social;
type Predicted struct {
	Range
	Count  Value   // Int or Param
	For    Value   // a key: String, Int or Param
	Graph  *Ident  // nil where left out
	Scorer *Scorer // nil where left out
}

func (*Predicted) statement() {}

// Heading is PREDICT.
func (*Predicted) Heading() string { return "PREDICT" }

// predicted reads the end of a PREDICT without WITH.
func (p *parser) predicted(begin Pos, count, vertex Value, graph *Ident) Statement {
	s := &Predicted{Count: count, For: vertex, Graph: graph}
	if p.keyword("FROM") {
		scorer := p.scorer()
		s.Scorer = &scorer
	}
	s.Range = p.since(begin)
	return s
}

func (s *Predicted) String() string {
	text := "PREDICT " + s.Count.String() + " LINKS FOR " + s.For.String() + in(s.Graph)
	if s.Scorer != nil {
		text += " FROM " + s.Scorer.String()
	}
	return text
}
