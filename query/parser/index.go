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

// Heading is CREATE INDEX.
func (*CreateIndex) Heading() string { return "CREATE INDEX" }

func (p *parser) createIndex() Statement {
	p.needKeyword("ON")
	s := &CreateIndex{Embedding: p.embedding()}
	s.Options = p.withOptions(s)
	s.Background = p.background()
	return s
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

// Heading is DROP INDEX.
func (*DropIndex) Heading() string { return "DROP INDEX" }

func (p *parser) dropIndex() Statement {
	p.needKeyword("ON")
	return &DropIndex{Embedding: p.embedding()}
}

func (s *DropIndex) String() string { return "DROP INDEX ON " + s.Embedding.String() }
