package parser

// This file has the productions of the statements that change vertices and
// edges. VERTEX and VERTICES are the same word here, and so are EDGE and EDGES.

// vertexWord and edgeWord read the word in either number.
func (p *parser) vertexWord() bool { return p.keyword("VERTEX") || p.keyword("VERTICES") }
func (p *parser) edgeWord() bool   { return p.keyword("EDGE") || p.keyword("EDGES") }

func (p *parser) insert(begin Pos) Statement {
	switch {
	case p.vertexWord():
		s := &InsertVertices{Vertices: separated(p, p.newVertex)}
		p.needKeyword("INTO")
		s.Graph = p.graph()
		s.Range = p.since(begin)
		return s
	case p.edgeWord():
		s := &InsertEdges{Edges: separated(p, p.newEdge)}
		p.needKeyword("INTO")
		s.Graph = p.graph()
		s.Range = p.since(begin)
		return s
	}
	p.unexpected()
	return nil
}

func (p *parser) update(begin Pos) Statement {
	switch {
	case p.vertexWord():
		return p.updateVertices(begin)
	case p.edgeWord():
		s := &UpdateEdges{Pairs: separated(p, p.pair)}
		p.needKeyword("SET")
		s.Values = p.edgeValues()
		p.needKeyword("IN")
		s.Graph = p.graph()
		s.Range = p.since(begin)
		return s
	}
	p.unexpected()
	return nil
}

func (p *parser) updateVertices(begin Pos) Statement {
	s := &UpdateVertices{}
	if p.keyword("IN") {
		s.Graph = p.graph()
		p.needKeyword("SET")
		s.Values = separated(p, p.assignment)
		s.Where = p.needWhere()
	} else {
		s.Keys = p.keys()
		p.needKeyword("SET")
		s.Values = separated(p, p.assignment)
		p.needKeyword("IN")
		s.Graph = p.graph()
	}
	s.Range = p.since(begin)
	return s
}

// remove reads DELETE.
func (p *parser) remove(begin Pos) Statement {
	switch {
	case p.vertexWord():
		return p.deleteVertices(begin)
	case p.edgeWord():
		return p.deleteEdges(begin)
	}
	p.unexpected()
	return nil
}

func (p *parser) deleteVertices(begin Pos) Statement {
	s := &DeleteVertices{}
	if p.keyword("FROM") {
		s.Graph = p.graph()
		s.Where = p.needWhere()
	} else {
		s.Keys = p.keys()
		p.needKeyword("FROM")
		s.Graph = p.graph()
	}
	s.Range = p.since(begin)
	return s
}

func (p *parser) deleteEdges(begin Pos) Statement {
	if p.keyword("FILE") {
		s := &DeleteEdgesFile{File: p.value(aString, fileText)}
		p.needKeyword("FROM")
		s.Graph = p.graph()
		s.Options = p.withOptions("DELETE EDGES FILE")
		s.Range = p.since(begin)
		return s
	}
	s := &DeleteEdges{Pairs: separated(p, p.pair)}
	p.needKeyword("FROM")
	s.Graph = p.graph()
	s.Range = p.since(begin)
	return s
}

func (p *parser) newVertex() NewVertex {
	begin := p.tok.Start
	n := NewVertex{Key: p.value(aKey, keyText)}
	if p.sign("(") {
		n.Values = separated(p, p.assignment)
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

func (p *parser) newEdge() NewEdge {
	begin := p.tok.Start
	p.needSign("(")
	n := NewEdge{U: p.value(aKey, keyText)}
	p.needSign(",")
	n.V = p.value(aKey, keyText)
	if p.sign(",") {
		n.Values = p.edgeValues()
	}
	p.needSign(")")
	n.Range = p.since(begin)
	return n
}

// edgeValues reads the weight, the time or both, in any order, each once.
func (p *parser) edgeValues() EdgeValues {
	var v EdgeValues
	for more := true; more && p.err == nil; more = (v.Weight == nil || v.Time == nil) && p.sign(",") {
		switch {
		case v.Weight == nil && p.keyword("WEIGHT"):
			p.needSign(":=")
			v.Weight = p.value(aNumber|aMissing, numberText)
		case v.Time == nil && p.keyword("TIME"):
			p.needSign(":=")
			v.Time = p.value(aTime|aMissing, countText, dateText)
		default:
			p.unexpected()
		}
	}
	return v
}

// assignment reads attribute := value, where the value may be MISSING.
func (p *parser) assignment() Option {
	begin := p.tok.Start
	name := p.name(attributeName)
	p.needSign(":=")
	p.named.Option = name.Name
	value := p.value(aScalar|aMissing, scalarTexts...)
	if p.err == nil {
		p.named.Option = ""
	}
	return Option{p.since(begin), name, value}
}

func (p *parser) keys() []Value {
	return separated(p, func() Value { return p.value(aKey, keyText) })
}

// needWhere reads the condition of a statement that would change every vertex
// without one.
func (p *parser) needWhere() Expr {
	p.needKeyword("WHERE")
	return p.condition(bindOr)
}
