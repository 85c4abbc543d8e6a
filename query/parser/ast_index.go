package parser

// CreateIndex is CREATE INDEX ON e [WITH (…)] [IN BACKGROUND].
type CreateIndex struct {
	Range
	Embedding  Ident
	Options    []Option
	Background bool
}

// DropIndex is DROP INDEX ON e.
type DropIndex struct {
	Range
	Embedding Ident
}

func (*CreateIndex) statement() {}
func (*DropIndex) statement()   {}

func (s *CreateIndex) String() string {
	return "CREATE INDEX ON " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}

func (s *DropIndex) String() string { return "DROP INDEX ON " + s.Embedding.String() }

// exact writes EXACT where it was given.
func exact(given bool) string {
	if given {
		return " EXACT"
	}
	return ""
}
