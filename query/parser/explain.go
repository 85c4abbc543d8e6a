package parser

// This file has the productions of EXPLAIN and PROFILE.

func (p *parser) explain(begin Pos, profile bool) Statement {
	inner := p.tok.Start
	if !profile && p.keyword("SCORE") {
		return p.explainScore(begin, inner)
	}
	s := p.plainStatement()
	return &Explain{p.since(begin), profile, s}
}

// explainScore reads what follows EXPLAIN SCORE, and score begins at inner: of one
// pair the explanation of its scores, and otherwise the plan.
func (p *parser) explainScore(begin, inner Pos) Statement {
	if p.keyword("FILE") {
		s := p.scoreFile(inner)
		return &Explain{p.since(begin), false, s}
	}
	pairs := separated(p, p.pair)
	if len(pairs) > 1 {
		s := p.scorePairs(inner, pairs)
		return &Explain{p.since(begin), false, s}
	}
	s := &ExplainScore{Graph: p.in()}
	if p.err == nil {
		s.Pair = pairs[0]
	}
	if p.keyword("WITH") {
		s.Scorers = separated(p, p.scorer)
	}
	s.Range = p.since(begin)
	return s
}
