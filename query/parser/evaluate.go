package parser

// This file has the productions of EVALUATE.

func (p *parser) evaluate(begin Pos) Statement {
	p.needKeyword("RECONSTRUCTION")
	p.needKeyword("OF")
	s := &EvaluateReconstruction{Embedding: p.embedding()}
	s.Options = p.withOptions("EVALUATE RECONSTRUCTION")
	s.Range = p.since(begin)
	return s
}
