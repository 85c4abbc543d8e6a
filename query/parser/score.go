package parser

func (p *parser) score(begin Pos) Statement {
	if p.keyword("FILE") {
		return p.scoreFile(begin)
	}
	return p.scorePairs(begin, p.pairs())
}

// Score is SCORE (u, v), … [IN g] WITH scorer, … [WITH (…)].
//
//	score        = "SCORE" pair { "," pair } [ "IN" name ]
//	               "WITH" scorer { "," scorer } [ options ] e.g. SCORE ('alice', 'bob'), (1, 2) IN social WITH adamic_adar, cosine(spec);
type Score struct {
	Range
	Pairs   []Pair // at least one
	Graph   *Ident // nil where left out
	Scorers []Scorer
	Options []Option
}

func (*Score) statement() {}

// Heading is SCORE.
func (*Score) Heading() string { return "SCORE" }

// scorePairs reads the text behind the pairs.
func (p *parser) scorePairs(begin Pos, pairs []Pair) Statement {
	s := &Score{Pairs: pairs}
	s.Graph = p.in()
	s.Scorers = p.scorers()
	s.Options = p.withOptions(s)
	s.Range = p.since(begin)
	return s
}

func (s *Score) String() string {
	return "SCORE " + list(s.Pairs) + in(s.Graph) + " WITH " + list(s.Scorers) + withOptions(s.Options)
}

// ScoreFile is SCORE FILE 'pairs' [IN g] WITH scorer, … [INTO FILE 'scores']
// [WITH (…)].
//
//	scorefile    = "SCORE" "FILE" string [ "IN" name ]
//	               "WITH" scorer { "," scorer }
//	               [ "INTO" "FILE" string ] [ options ]     e.g. SCORE FILE 'pairs.csv' IN social WITH jaccard INTO FILE 'scores.csv' WITH (overwrite := true);
type ScoreFile struct {
	Range
	Pairs   Value  // String or Param
	Graph   *Ident // nil where left out
	Scorers []Scorer
	File    Value // String or Param; nil where left out
	Options []Option
}

func (*ScoreFile) statement() {}

// Heading is SCORE FILE.
func (*ScoreFile) Heading() string { return "SCORE FILE" }

// scoreFile reads the text behind SCORE FILE.
func (p *parser) scoreFile(begin Pos) Statement {
	s := &ScoreFile{Pairs: p.value(aString, fileText)}
	s.Graph = p.in()
	s.Scorers = p.scorers()
	if p.keyword("INTO") {
		s.File = p.file()
	}
	s.Options = p.withOptions(s)
	s.Range = p.since(begin)
	return s
}

func (s *ScoreFile) String() string {
	return "SCORE FILE " + s.Pairs.String() + in(s.Graph) + " WITH " + list(s.Scorers) + intoFile(s.File) + withOptions(s.Options)
}
