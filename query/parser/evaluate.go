package parser

// This file has the productions of EVALUATE.

func (p *parser) evaluate(begin Pos) Statement {
	if p.keyword("LINKS") {
		return p.evaluateLinks(begin)
	}
	p.needKeyword("RECONSTRUCTION")
	p.needKeyword("OF")
	s := &EvaluateReconstruction{Embedding: p.embedding()}
	s.Options = p.withOptions("EVALUATE RECONSTRUCTION")
	s.Range = p.since(begin)
	return s
}

func (p *parser) evaluateLinks(begin Pos) Statement {
	s := &EvaluateLinks{}
	p.needKeyword("IN")
	s.Graph = p.graph()
	p.needKeyword("USING")
	s.Method = p.call(methodName)
	s.Options = p.withOptions("EVALUATE LINKS")
	s.Range = p.since(begin)
	return s
}
