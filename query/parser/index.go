package parser

// CreateIndex is CREATE INDEX ON e [WITH (…)] [IN BACKGROUND].
//
//	createindex  = "CREATE" "INDEX" "ON" name [ options ]
//	               [ background ]                           e.g. CREATE INDEX ON spec WITH (metric := 'cosine');
type CreateIndex struct {
	Range
	Embedding  Ident
	Options    []Option
	Background bool
}

func (*CreateIndex) Heading() string { return "CREATE INDEX" }

func (p *parser) createIndex() Statement {
	return &CreateIndex{Embedding: p.embeddingAfter("ON"), Options: p.withOptions(new(CreateIndex)), Background: p.background()}
}

func (s *CreateIndex) String() string {
	return "CREATE INDEX ON " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}

// DropIndex is DROP INDEX ON e.
//
//	dropindex    = "DROP" "INDEX" "ON" name                 e.g. DROP INDEX ON spec;
type DropIndex struct {
	Range
	Embedding Ident
}

func (*DropIndex) Heading() string { return "DROP INDEX" }

func (p *parser) dropIndex() Statement {
	return &DropIndex{Embedding: p.embeddingAfter("ON")}
}

func (s *DropIndex) String() string { return "DROP INDEX ON " + s.Embedding.String() }
