package parser

// ShowVector is SHOW VECTOR OF v IN e.
//
//	showvector   = "SHOW" "VECTOR" "OF" key "IN" name       e.g. SHOW VECTOR OF 'alice' IN spec;
type ShowVector struct {
	Range
	Vertex    Value // a key: String, Int or Param
	Embedding Ident
}

func (*ShowVector) Heading() string { return "SHOW VECTOR" }

func (p *parser) showVector() Statement {
	p.needKeyword("OF")
	return &ShowVector{Vertex: p.key(), Embedding: p.embeddingAfter("IN")}
}

func (s *ShowVector) String() string {
	return "SHOW VECTOR OF " + s.Vertex.String() + " IN " + s.Embedding.String()
}
