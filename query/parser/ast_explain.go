package parser

// ExplainScore is EXPLAIN SCORE (u, v) [IN g] [WITH scorer, …]: what the scores of
// one pair are made of. EXPLAIN before SCORE of several pairs, and before SCORE FILE,
// is an Explain.
type ExplainScore struct {
	Range
	Pair    Pair
	Graph   *Ident   // nil where left out
	Scorers []Scorer // nil where left out
}

func (*ExplainScore) statement() {}

func (s *ExplainScore) String() string {
	text := "EXPLAIN SCORE " + s.Pair.String() + in(s.Graph)
	if s.Scorers != nil {
		text += " WITH " + list(s.Scorers)
	}
	return text
}
