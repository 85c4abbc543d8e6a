package parser

// Materialize is MATERIALIZE PREDICTIONS FROM scorer IN g [WITH (…)] [IN BACKGROUND].
// The options may also stand bare before FROM.
type Materialize struct {
	Range
	Scorer     Scorer
	Graph      Ident
	Options    []Option
	Background bool
}

// DropPredictions is DROP PREDICTIONS FROM scorer IN g.
type DropPredictions struct {
	Range
	Scorer Scorer
	Graph  Ident
}

// Predicted is PREDICT n LINKS FOR v [IN g] [FROM scorer]: what was materialized.
type Predicted struct {
	Range
	Count  Value   // Int or Param
	For    Value   // a key: String, Int or Param
	Graph  *Ident  // nil where left out
	Scorer *Scorer // nil where left out
}

func (*Materialize) statement()     {}
func (*DropPredictions) statement() {}
func (*Predicted) statement()       {}

func (s *Materialize) String() string {
	return "MATERIALIZE PREDICTIONS FROM " + s.Scorer.String() + " IN " + s.Graph.String() + withOptions(s.Options) + background(s.Background)
}

func (s *DropPredictions) String() string {
	return "DROP PREDICTIONS FROM " + s.Scorer.String() + " IN " + s.Graph.String()
}

func (s *Predicted) String() string {
	text := "PREDICT " + s.Count.String() + " LINKS FOR " + s.For.String() + in(s.Graph)
	if s.Scorer != nil {
		text += " FROM " + s.Scorer.String()
	}
	return text
}
