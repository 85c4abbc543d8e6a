package parser

// Refresh is REFRESH e [WITH (…)] [IN BACKGROUND].
//
//	refresh      = "REFRESH" name [ options ]
//	               [ background ]                           e.g. REFRESH spec;
type Refresh struct {
	Range
	Embedding  Ident
	Options    []Option
	Background bool
}

func (*Refresh) statement() {}

// Heading is REFRESH.
func (*Refresh) Heading() string { return "REFRESH" }

func (p *parser) refresh(begin Pos) Statement {
	s := &Refresh{Embedding: p.embedding()}
	s.Options = p.withOptions(s)
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

func (s *Refresh) String() string {
	return "REFRESH " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}

// AutoRefresh is ALTER EMBEDDING e AUTO REFRESH AFTER n CHANGES | EVERY 'time' | OFF.
// At most one of Changes and Every is set; OFF has neither.
//
//	alter        = "ALTER" "EMBEDDING" name
//	               "AUTO" "REFRESH"
//	               ( "AFTER" integer "CHANGES"
//	               | "EVERY" string | "OFF" )               e.g. ALTER EMBEDDING spec AUTO REFRESH AFTER 100 CHANGES; ALTER EMBEDDING spec AUTO REFRESH EVERY '1h';
type AutoRefresh struct {
	Range
	Embedding Ident
	Changes   Value // Int or Param; nil where left out
	Every     Value // String or Param; nil where left out
}

func (*AutoRefresh) statement() {}

// Heading is ALTER EMBEDDING.
func (*AutoRefresh) Heading() string { return "ALTER EMBEDDING" }

func (p *parser) autoRefresh(begin Pos) Statement {
	p.needKeyword("EMBEDDING")
	s := &AutoRefresh{Embedding: p.embedding()}
	p.needKeyword("AUTO")
	p.needKeyword("REFRESH")
	switch {
	case p.keyword("AFTER"):
		s.Changes = p.value(anInt, countText)
		p.needKeyword("CHANGES")
	case p.keyword("EVERY"):
		s.Every = p.value(aString, stringText)
	default:
		p.needKeyword("OFF")
	}
	s.Range = p.since(begin)
	return s
}

func (s *AutoRefresh) String() string {
	text := "ALTER EMBEDDING " + s.Embedding.String() + " AUTO REFRESH "
	switch {
	case s.Changes != nil:
		return text + "AFTER " + s.Changes.String() + " CHANGES"
	case s.Every != nil:
		return text + "EVERY " + s.Every.String()
	}
	return text + "OFF"
}
