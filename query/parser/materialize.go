package parser

// Materialize is MATERIALIZE PREDICTIONS FROM scorer IN g [WITH (…)] [IN BACKGROUND].
// The options may also be written before FROM, without WITH and parentheses.
//
//	materialize  = "MATERIALIZE" "PREDICTIONS"
//	               [ option { "," option } ]
//	               "FROM" scorer "IN" name
//	               [ options ] [ background ]               e.g. MATERIALIZE PREDICTIONS FROM model(friends) IN social WITH (top := 50);
type Materialize struct {
	Range
	Scorer     Scorer
	Graph      Ident
	Options    []Option
	Background bool
}

func (*Materialize) Heading() string { return "MATERIALIZE PREDICTIONS" }

func (p *parser) materialize() Statement {
	p.needKeyword("PREDICTIONS")
	s := &Materialize{}
	if !p.keyword("FROM") {
		s.Options = p.options(s.Heading())
		p.needKeyword("FROM")
	}
	s.Scorer = p.scorer()
	s.Graph = p.graphAfter("IN")
	if s.Options == nil {
		s.Options = p.withOptions(s)
	}
	s.Background = p.background()
	return s
}

func (s *Materialize) String() string {
	return "MATERIALIZE PREDICTIONS FROM " + s.Scorer.String() + " IN " + s.Graph.String() + withOptions(s.Options) + background(s.Background)
}

// DropPredictions is DROP PREDICTIONS FROM scorer IN g.
//
//	droppredictions = "DROP" "PREDICTIONS" "FROM" scorer
//	               "IN" name                                e.g. DROP PREDICTIONS FROM model(friends) IN social;
type DropPredictions struct {
	Range
	Scorer Scorer
	Graph  Ident
}

func (*DropPredictions) Heading() string { return "DROP PREDICTIONS" }

func (p *parser) dropPredictions() Statement {
	p.needKeyword("FROM")
	return &DropPredictions{Scorer: p.scorer(), Graph: p.graphAfter("IN")}
}

func (s *DropPredictions) String() string {
	return "DROP PREDICTIONS FROM " + s.Scorer.String() + " IN " + s.Graph.String()
}
