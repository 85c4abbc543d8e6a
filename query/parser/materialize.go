package parser

// This file has the productions of predictions that are stored.

func (p *parser) materialize(begin Pos) Statement {
	p.needKeyword("PREDICTIONS")
	s := &Materialize{}
	if !p.keyword("FROM") {
		s.Options = p.options("MATERIALIZE")
		p.needKeyword("FROM")
	}
	s.Scorer = p.scorer()
	p.needKeyword("IN")
	s.Graph = p.graph()
	if s.Options == nil {
		s.Options = p.withOptions("MATERIALIZE")
	}
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

func (p *parser) dropPredictions(begin Pos) Statement {
	p.needKeyword("FROM")
	s := &DropPredictions{Scorer: p.scorer()}
	p.needKeyword("IN")
	s.Graph = p.graph()
	s.Range = p.since(begin)
	return s
}

// predicted reads the rest of PREDICT without WITH.
func (p *parser) predicted(begin Pos, count, vertex Value, graph *Ident) Statement {
	s := &Predicted{Count: count, For: vertex, Graph: graph}
	if p.keyword("FROM") {
		scorer := p.scorer()
		s.Scorer = &scorer
	}
	s.Range = p.since(begin)
	return s
}
