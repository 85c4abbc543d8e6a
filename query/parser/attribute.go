package parser

// DropAttribute is DROP ATTRIBUTE a FROM g.
//
//	dropattribute = "DROP" "ATTRIBUTE" name "FROM" name     e.g. DROP ATTRIBUTE age FROM social;
type DropAttribute struct {
	Range
	Attribute Ident
	Graph     Ident
}

func (*DropAttribute) statement() {}

// Heading is DROP ATTRIBUTE.
func (*DropAttribute) Heading() string { return "DROP ATTRIBUTE" }

func (p *parser) dropAttribute(begin Pos) Statement {
	s := &DropAttribute{Attribute: p.name(attributeName)}
	p.needKeyword("FROM")
	s.Graph = p.graph()
	s.Range = p.since(begin)
	return s
}

func (s *DropAttribute) String() string {
	return "DROP ATTRIBUTE " + s.Attribute.String() + " FROM " + s.Graph.String()
}

// ShowAttributes is SHOW ATTRIBUTES [IN g].
//
//	showattributes = "SHOW" "ATTRIBUTES" [ "IN" name ]      e.g. SHOW ATTRIBUTES IN social;
type ShowAttributes struct {
	Range
	Graph *Ident // nil where left out
}

func (*ShowAttributes) statement() {}

// Heading is SHOW ATTRIBUTES.
func (*ShowAttributes) Heading() string { return "SHOW ATTRIBUTES" }

func (p *parser) showAttributes(begin Pos) Statement {
	graph := p.in()
	return &ShowAttributes{p.since(begin), graph}
}

func (s *ShowAttributes) String() string { return "SHOW ATTRIBUTES" + in(s.Graph) }
