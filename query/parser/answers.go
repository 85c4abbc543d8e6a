package parser

import "strings"

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
	Options []Option
}

// Tail is a statement with rows and what is done with them: COLUMNS c, … keeps some of its
// columns, with DISTINCT equal rows once, WHERE condition some of its rows; ORDER BY c [DESC] sorts them, LIMIT n [OFFSET m]
// keeps n of them without the first m, and INTO FILE 'file' [WITH (…)] writes them into a file.
// A condition and an order may also use the columns of the vertices or edges that the rows are about,
// where the statement knows them.
type Tail struct {
	Range
	Statement Statement // one with rows, never a Tail
	Distinct  bool      // false without Columns
	Columns   []Ident   // nil where left out
	Where     Expr      // nil where left out
	Order     *Order    // nil where left out
	Limit     Value     // Int or Param; nil where left out
	Offset    Value     // Int or Param; nil where left out
	File      Value     // String or Param; nil where left out
	Options   []Option  // of INTO FILE
}

// tailOf is the form of a Tail behind its statement. COUNT without BY and WITH has one row,
// and a WHERE of its own.
func tailOf(s *Tail) form {
	where := maybe{one("WHERE", condition, &s.Where)}
	switch of := s.Statement.(type) {
	case *ShowEdges:
		where = maybe{one("WHERE", edgeCondition, &s.Where)}
	case *CountVertices:
		if of.By == nil && of.With == nil {
			where = nil
		}
	case *CountEdges:
		if of.By == nil && of.With == nil {
			where = nil
		}
	}
	return form{maybe{word("COLUMNS"), toggle{"DISTINCT", &s.Distinct}, some("", column, &s.Columns)}, where, orderBy(&s.Order), may("LIMIT", count, &s.Limit), may("OFFSET", count, &s.Offset), own{`[ "INTO" "FILE" string [ options ] ]`, "[INTO FILE 'file' [WITH (option := value, …)]]", func(p *parser) bool {
		if p.words("INTO FILE") {
			s.File, s.Options = fileName.read(p), p.withOptions("INTO FILE")
		}
		return true
	}, func() string {
		var w writer
		w.add(behind("INTO FILE ", s.File))
		w.add(withOptions(s.Options))
		return w.String()
	}, false}}
}

// Help is HELP [words].
type Help struct {
	Range
	Topic []string // the words as they were written
}

// topic is any words, so that no topic needs quotes, which are allowed. It skips everything else
// behind the first word, so that the topic can be a statement as it was typed.
func topic(s *Help) own {
	return own{"{ word }", "[statement | method | measure | scorer | generator | WHERE | errors]", func(p *parser) bool {
		if t := p.tok; t.Kind == KindString || t.Kind == KindQuoted {
			s.Topic = wordsOf(t.Text[1 : len(t.Text)-1])
		}
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

func wordsOf(text string) (words []string) {
	for _, t := range Tokens(text) {
		if t.Kind == KindWord {
			words = append(words, t.Text)
		}
	}
	return words
}
