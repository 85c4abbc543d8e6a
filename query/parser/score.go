package parser

func (p *parser) score() Statement {
	if p.keyword("FILE") {
		return p.scoreFile()
	}
	return p.scorePairs(p.pairs())
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

// Heading is SCORE.
func (*Score) Heading() string { return "SCORE" }

// scorePairs reads the text behind the pairs.
func (p *parser) scorePairs(pairs []Pair) Statement {
	s := &Score{Pairs: pairs, Graph: p.in(), Scorers: p.scorers()}
	s.Options = p.withOptions(s)
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

// Heading is SCORE FILE.
func (*ScoreFile) Heading() string { return "SCORE FILE" }

// scoreFile reads the text behind SCORE FILE.
func (p *parser) scoreFile() Statement {
	s := &ScoreFile{Pairs: p.value(aString, fileText), Graph: p.in(), Scorers: p.scorers()}
	if p.keyword("INTO") {
		s.File = p.file()
	}
	s.Options = p.withOptions(s)
	return s
}

func (s *ScoreFile) String() string {
	return "SCORE FILE " + s.Pairs.String() + in(s.Graph) + " WITH " + list(s.Scorers) + intoFile(s.File) + withOptions(s.Options)
}
