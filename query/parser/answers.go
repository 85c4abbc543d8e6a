package parser

import (
	"strings"
)

// Show is SHOW GRAPHS, or SHOW with another Listing.
type Show struct {
	Range
	What Listing
}

// Listing is what a Show lists, by its keyword.
type Listing string

// The listings.
const (
	Graphs      Listing = "GRAPHS"
	Embeddings  Listing = "EMBEDDINGS"
	Indexes     Listing = "INDEXES"
	Models      Listing = "MODELS"
	Predictions Listing = "PREDICTIONS"
	Methods     Listing = "METHODS"
	Measures    Listing = "MEASURES"
	Scorers     Listing = "SCORERS"
	Generators  Listing = "GENERATORS"
	Stats       Listing = "STATS"
	Jobs        Listing = "JOBS"
)

// listings are all of them, in the order of the grammar.
var listings = []Listing{Graphs, Embeddings, Indexes, Models, Predictions, Methods, Measures, Scorers, Generators, Stats, Jobs}

// Explain is EXPLAIN statement, or PROFILE statement, which also runs it.
type Explain struct {
	Range
	Profile   bool
	Statement Statement // never an Explain
}

// ExplainScore is EXPLAIN SCORE (u, v) [IN g] [WITH scorer, …], which shows the
// parts of the scores of one pair. EXPLAIN before SCORE of several pairs, and
// before SCORE FILE, is an Explain.
type ExplainScore struct {
	Range
	Pair    Pair
	Graph   *Ident   // nil where left out
	Scorers []Scorer // nil where left out
}

// IntoFile is a statement with rows and INTO FILE 'file' [WITH (…)] behind it, which
// writes the rows into a file.
type IntoFile struct {
	Range
	Statement Statement // one that hasRows, never an IntoFile
	File      Value     // String or Param
	Options   []Option
}

// Help is HELP [words].
type Help struct {
	Range
	Topic []string // the words as they were written
}

// topic is any words, so that no topic needs quotes. It skips everything else behind the first
// word, so that the topic can be a statement as it was typed.
func topic(s *Help) own {
	return own{"{ word }", "[statement | method | measure | scorer | generator | WHERE | errors]", func(p *parser) bool {
		for p.err == nil && (p.tok.Kind == KindWord || len(s.Topic) > 0 && p.tok.Kind != KindEnd && p.tok.Kind != KindInvalid && p.tok.Text != ";") {
			if p.tok.Kind == KindWord {
				s.Topic = append(s.Topic, p.tok.Text)
			}
			p.next()
		}
		p.expect(topicText)
		return true
	}, func() string { return strings.Join(s.Topic, " ") }, false}
}
