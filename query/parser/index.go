package parser

// This file has the productions of CREATE INDEX and DROP INDEX.

func (p *parser) createIndex(begin Pos) Statement {
	p.needKeyword("ON")
	s := &CreateIndex{Embedding: p.embedding()}
	s.Options = p.withOptions("CREATE INDEX")
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

func (p *parser) dropIndex(begin Pos) Statement {
	p.needKeyword("ON")
	embedding := p.embedding()
	return &DropIndex{p.since(begin), embedding}
}
