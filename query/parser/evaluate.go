package parser

// This file has the productions of EVALUATE.

func (p *parser) evaluate(begin Pos) Statement {
	switch {
	case p.keyword("LINKS"):
		return p.evaluateLinks(begin)
	case p.keyword("LABELS"):
		return p.evaluateLabels(begin)
	case p.keyword("PARAMETERS"):
		return p.evaluateParameters(begin)
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
	s.Methods = separated(p, func() Call { return p.call(methodName) })
	s.Options = p.withOptions("EVALUATE LINKS")
	s.Range = p.since(begin)
	return s
}

func (p *parser) evaluateParameters(begin Pos) Statement {
	s := &EvaluateParameters{}
	p.needKeyword("IN")
	s.Graph = p.graph()
	p.needKeyword("USING")
	s.Method = p.call(methodName)
	s.Options = p.withOptions("EVALUATE PARAMETERS")
	s.Range = p.since(begin)
	return s
}

func (p *parser) evaluateLabels(begin Pos) Statement {
	s := &EvaluateLabels{Attribute: p.value(aString, attributeText)}
	p.needKeyword("OF")
	s.Embedding = p.embedding()
	s.Options = p.withOptions("EVALUATE LABELS")
	s.Range = p.since(begin)
	return s
}
