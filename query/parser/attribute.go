package parser

// DropAttribute is DROP ATTRIBUTE a FROM g.
//
//	dropattribute = "DROP" "ATTRIBUTE" name "FROM" name     e.g. DROP ATTRIBUTE age FROM social;
type DropAttribute struct {
	Range
	Attribute Ident
	Graph     Ident
}

func (*DropAttribute) Heading() string { return "DROP ATTRIBUTE" }

func (p *parser) dropAttribute() Statement {
	return &DropAttribute{Attribute: p.name(attributeName), Graph: p.graphAfter("FROM")}
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

func (*ShowAttributes) Heading() string { return "SHOW ATTRIBUTES" }

func (p *parser) showAttributes() Statement {
	return &ShowAttributes{Graph: p.in()}
}

func (s *ShowAttributes) String() string { return "SHOW ATTRIBUTES" + in(s.Graph) }
