package parser

// Verify is VERIFY e [WITH (…)] [IN BACKGROUND].
//
//	verify       = "VERIFY" name [ options ] [ background ] e.g. VERIFY spec IN BACKGROUND;
type Verify struct {
	Range
	Embedding  Ident
	Options    []Option
	Background bool
}

func (*Verify) Heading() string { return "VERIFY" }

func (p *parser) verify() Statement {
	return &Verify{Embedding: p.embedding(), Options: p.withOptions(new(Verify)), Background: p.background()}
}

func (s *Verify) String() string {
	return "VERIFY " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}
