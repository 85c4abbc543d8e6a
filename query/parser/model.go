package parser

// This file has the productions of models.

func (p *parser) model() Ident { return p.name(modelName) }

func (p *parser) train(begin Pos) Statement {
	p.needKeyword("MODEL")
	s := &TrainModel{Model: p.name(newModelName)}
	p.needKeyword("IN")
	s.Graph = p.graph()
	if p.keyword("USING") {
		for more := true; more && p.err == nil; more = p.sign(",") {
			p.term(s)
		}
	}
	s.Options = p.withOptions("TRAIN MODEL")
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

// term reads an embedding, or heuristics(name, …), each at most once.
func (p *parser) term(s *TrainModel) {
	if s.Heuristics == nil {
		p.expect(heuristicsText)
		if p.err == nil && p.tok.Kind == KindWord && p.tok.Text == heuristicsWord {
			n := p.name(embeddingName)
			switch {
			case p.sign("("):
				s.Heuristics = separated(p, func() Ident { return p.name(heuristicName) })
				p.needSign(")")
				return
			case s.Embedding == nil:
				s.Embedding = &n
				return
			}
		}
	}
	if s.Embedding != nil {
		p.unexpected()
		return
	}
	n := p.embedding()
	s.Embedding = &n
}

// heuristicsWord stands before a list of heuristics. It is no keyword: an embedding
// may have this name.
const heuristicsWord = "heuristics"

func (p *parser) dropModel(begin Pos) Statement {
	model := p.model()
	return &DropModel{p.since(begin), model}
}

func (p *parser) describeModel(begin Pos) Statement {
	model := p.model()
	return &DescribeModel{p.since(begin), model}
}
