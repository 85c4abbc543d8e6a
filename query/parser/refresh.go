package parser

import "strings"

// This file has the productions about the generations of an embedding.

func (p *parser) refresh(begin Pos) Statement {
	s := &Refresh{Embedding: p.embedding()}
	s.Options = p.withOptions("REFRESH")
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

// alter reads the rest of ALTER.
func (p *parser) alter(begin Pos) Statement {
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

func (p *parser) verify(begin Pos) Statement {
	s := &Verify{Embedding: p.embedding()}
	s.Options = p.withOptions("VERIFY")
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

func (p *parser) diff(begin Pos) Statement {
	s := &Diff{Before: p.embedding()}
	p.needSign(",")
	s.After = p.embedding()
	s.Limit = p.limit()
	s.Range = p.since(begin)
	return s
}

// showGenerations reads the rest of SHOW GENERATIONS.
func (p *parser) showGenerations(begin Pos) Statement {
	p.needKeyword("OF")
	s := &ShowGenerations{Embedding: p.embedding()}
	s.Range = p.since(begin)
	return s
}

// generation returns how many bytes at the end of a name mean a generation: those
// of @ and a number behind a bare name.
func generation(name string) int {
	at := strings.LastIndexByte(name, '@')
	if at < 1 || at+1 == len(name) || digits(name[at+1:]) < len(name)-at-1 {
		return 0
	}
	return len(name) - at
}

func fresh(yes bool) string {
	if yes {
		return " FRESH"
	}
	return ""
}

func (s *Refresh) String() string {
	return "REFRESH " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
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

func (s *Verify) String() string {
	return "VERIFY " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}

func (s *ShowGenerations) String() string { return "SHOW GENERATIONS OF " + s.Embedding.String() }

func (s *Diff) String() string {
	return "DIFF " + s.Before.String() + ", " + s.After.String() + limit(s.Limit)
}
