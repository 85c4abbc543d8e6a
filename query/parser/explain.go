package parser

// Explain is EXPLAIN statement, or PROFILE statement, which also runs it.
type Explain struct {
	Range
	Profile   bool
	Statement Statement // never an Explain
}

// Heading is the heading of the statement that is explained.
func (s *Explain) Heading() string { return s.Statement.Heading() }

func (p *parser) explain(profile bool) Statement {
	inner := p.tok.Start
	if !profile && p.keyword("SCORE") {
		return p.explainScore(inner)
	}
	return &Explain{Profile: profile, Statement: p.plainStatement()}
}

func (s *Explain) String() string {
	if s.Profile {
		return "PROFILE " + s.Statement.String()
	}
	return "EXPLAIN " + s.Statement.String()
}

// ExplainScore is EXPLAIN SCORE (u, v) [IN g] [WITH scorer, …], which shows the
// parts of the scores of one pair. EXPLAIN before SCORE of several pairs, and
// before SCORE FILE, is an Explain.
//
//	explainscore = "EXPLAIN" "SCORE" pair [ "IN" name ]
//	               [ "WITH" scorer { "," scorer } ]         e.g. EXPLAIN SCORE ('alice', 'bob') IN social WITH model(friends);
type ExplainScore struct {
	Range
	Pair    Pair
	Graph   *Ident   // nil where left out
	Scorers []Scorer // nil where left out
}

func (*ExplainScore) Heading() string { return "EXPLAIN SCORE" }

// explainScore reads the text behind EXPLAIN SCORE, where SCORE begins at inner.
func (p *parser) explainScore(inner Pos) Statement {
	if p.keyword("FILE") {
		return &Explain{Statement: p.plain(inner, p.scoreFile())}
	}
	pairs := p.pairs()
	if len(pairs) > 1 {
		return &Explain{Statement: p.plain(inner, p.scorePairs(pairs))}
	}
	s := &ExplainScore{Graph: p.in()}
	if p.err == nil {
		s.Pair = pairs[0]
	}
	s.Scorers = optional(p, "WITH", p.scorers)
	return s
}

func (s *ExplainScore) String() string {
	return "EXPLAIN SCORE " + s.Pair.String() + in(s.Graph) + listClause(" WITH ", s.Scorers)
}
