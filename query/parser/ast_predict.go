package parser

// Predict is PREDICT n LINKS [FOR v] [IN g] WITH scorer [WHERE condition]
// [WITH (…)].
type Predict struct {
	Range
	Count  Value  // Int or Param
	For    Value  // a key: String, Int or Param; nil where left out
	Graph  *Ident // nil where left out
	Scorer Scorer
	Where  Expr // nil where left out
	// Options are those in parentheses, behind a WITH of their own.
	Options []Option
}

func (*Predict) statement() {}

func (s *Predict) String() string {
	text := "PREDICT " + s.Count.String() + " LINKS"
	if s.For != nil {
		text += " FOR " + s.For.String()
	}
	return text + in(s.Graph) + " WITH " + s.Scorer.String() + where(s.Where) + withOptions(s.Options)
}
