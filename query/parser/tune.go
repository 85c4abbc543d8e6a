package parser

// This file has the production of TUNE.

func (p *parser) tune(begin Pos) Statement {
	s := &Tune{Graph: p.graph()}
	if p.keyword("USING") {
		s.Methods = separated(p, func() Call { return p.call(methodName) })
	}
	p.needKeyword("FOR")
	s.For = p.goal()
	p.needKeyword("AS")
	s.Embedding = p.name(newEmbeddingName)
	s.Options = p.withOptions("TUNE")
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

func (p *parser) goal() Goal {
	for _, goal := range goals {
		if p.keyword(string(goal)) {
			return goal
		}
	}
	p.unexpected()
	return ""
}
