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

func (*Score) Heading() string { return "SCORE" }

// scorePairs reads the text behind the pairs.
func (p *parser) scorePairs(pairs []Pair) Statement {
	return &Score{Pairs: pairs, Graph: p.in(), Scorers: after(p, "WITH", p.scorers), Options: p.withOptions(new(Score))}
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

func (*ScoreFile) Heading() string { return "SCORE FILE" }

func (p *parser) scoreFile() Statement {
	return &ScoreFile{
		Pairs:   p.fileName(),
		Graph:   p.in(),
		Scorers: after(p, "WITH", p.scorers),
		File:    optional(p, "INTO", p.file),
		Options: p.withOptions(new(ScoreFile)),
	}
}

func (s *ScoreFile) String() string {
	return "SCORE FILE " + s.Pairs.String() + in(s.Graph) + " WITH " + list(s.Scorers) + intoFile(s.File) + withOptions(s.Options)
}
