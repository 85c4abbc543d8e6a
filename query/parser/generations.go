package parser

// ShowGenerations is SHOW GENERATIONS OF e.
//
//	showgenerations = "SHOW" "GENERATIONS" "OF" name        e.g. SHOW GENERATIONS OF spec;
type ShowGenerations struct {
	Range
	Embedding Ident
}

func (*ShowGenerations) Heading() string { return "SHOW GENERATIONS" }

func (p *parser) showGenerations() Statement {
	return &ShowGenerations{Embedding: p.embeddingAfter("OF")}
}

func (s *ShowGenerations) String() string { return "SHOW GENERATIONS OF " + s.Embedding.String() }

// Diff is DIFF e@1, e@2 [LIMIT n].
//
//	diff         = "DIFF" name "," name [ "LIMIT" integer ] e.g. DIFF spec@1, spec@2 LIMIT 20;
type Diff struct {
	Range
	Before, After Ident
	Limit         Value // Int or Param; nil where left out
}

func (*Diff) Heading() string { return "DIFF" }

func (p *parser) diff() Statement {
	s := &Diff{Before: p.embedding()}
	p.needSign(",")
	s.After = p.embedding()
	s.Limit = p.limit()
	return s
}

func (s *Diff) String() string {
	return "DIFF " + s.Before.String() + ", " + s.After.String() + limit(s.Limit)
}
