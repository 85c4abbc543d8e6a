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

// Heading is VERIFY.
func (*Verify) Heading() string { return "VERIFY" }

func (p *parser) verify() Statement {
	s := &Verify{Embedding: p.embedding()}
	s.Options = p.withOptions(s)
	s.Background = p.background()
	return s
}

func (s *Verify) String() string {
	return "VERIFY " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}
