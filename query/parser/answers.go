package parser

import (
	"strings"
)

// Show is SHOW GRAPHS, or SHOW with another Listing.
//
//	show         = "SHOW" ( "GRAPHS" | "EMBEDDINGS"
//	               | "INDEXES" | "MODELS" | "PREDICTIONS"
//	               | "METHODS" | "MEASURES" | "SCORERS"
//	               | "GENERATORS" | "STATS" | "JOBS" )      e.g. SHOW EMBEDDINGS;
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

// Heading is SHOW and the keyword of the listing.
func (s *Show) Heading() string { return "SHOW " + string(s.What) }

func (p *parser) show() Statement {
	for _, what := range listings {
		if p.keyword(string(what)) {
			return &Show{What: what}
		}
	}
	return p.oneOf(shows)
}

func (s *Show) String() string { return s.Heading() }

// Explain is EXPLAIN statement, or PROFILE statement, which also runs it.
type Explain struct {
	Range
	Profile   bool
	Statement Statement // never an Explain
}

// Heading is the heading of the statement that is explained.
func (s *Explain) Heading() string { return s.Statement.Heading() }

func (p *parser) explain(profile bool) Statement {
	inner := p.tok.Start
	if !profile && p.keyword("SCORE") {
		return p.explainScore(inner)
	}
	return &Explain{Profile: profile, Statement: p.plainStatement()}
}

func (s *Explain) String() string {
	if s.Profile {
		return "PROFILE " + s.Statement.String()
	}
	return "EXPLAIN " + s.Statement.String()
}

// ExplainScore is EXPLAIN SCORE (u, v) [IN g] [WITH scorer, …], which shows the
// parts of the scores of one pair. EXPLAIN before SCORE of several pairs, and
// before SCORE FILE, is an Explain.
//
//	explainscore = "EXPLAIN" "SCORE" pair [ "IN" name ]
//	               [ "WITH" scorer { "," scorer } ]         e.g. EXPLAIN SCORE ('alice', 'bob') IN social WITH model(friends);
type ExplainScore struct {
	Range
	Pair    Pair
	Graph   *Ident   // nil where left out
	Scorers []Scorer // nil where left out
}

func (*ExplainScore) Heading() string { return "EXPLAIN SCORE" }

// explainScore reads the text behind EXPLAIN SCORE, where SCORE begins at inner.
func (p *parser) explainScore(inner Pos) Statement {
	if p.keyword("FILE") {
		return &Explain{Statement: p.plain(inner, p.scoreFile())}
	}
	pairs := p.pairs()
	if len(pairs) > 1 {
		return &Explain{Statement: p.plain(inner, p.scorePairs(pairs))}
	}
	s := &ExplainScore{Graph: p.in()}
	if p.err == nil {
		s.Pair = pairs[0]
	}
	s.Scorers = optional(p, "WITH", p.scorers)
	return s
}

func (s *ExplainScore) String() string {
	return "EXPLAIN SCORE " + s.Pair.String() + in(s.Graph) + listClause(" WITH ", s.Scorers)
}

// IntoFile is a statement with rows and INTO FILE 'file' [WITH (…)] behind it, which
// writes the rows into a file.
//
//	intofile     = plain "INTO" "FILE" string [ options ]   e.g. SHOW VERTICES IN social INTO FILE 'people.parquet';
type IntoFile struct {
	Range
	Statement Statement // one that hasRows, never an IntoFile
	File      Value     // String or Param
	Options   []Option
}

// Heading is the heading of the statement that has the rows.
func (s *IntoFile) Heading() string { return s.Statement.Heading() }

// plain is a statement that begins at a position and has just been read, with INTO FILE behind it.
func (p *parser) plain(begin Pos, s Statement) Statement {
	return p.ranged(begin, p.into(p.ranged(begin, s)))
}

// into reads INTO FILE behind a statement with rows, where it is there.
func (p *parser) into(s Statement) Statement {
	if p.err != nil || !hasRows(s) || !p.keyword("INTO") {
		return s
	}
	f := &IntoFile{Statement: s, File: p.file()}
	f.Options = p.optionsOf("INTO FILE")
	return f
}

func (s *IntoFile) String() string {
	return s.Statement.String() + intoFile(s.File) + withOptions(s.Options)
}

// hasRows reports whether the rows of a statement can go into a file: it answers a
// question, and does not write a file already.
func hasRows(s Statement) bool {
	switch s := s.(type) {
	case *Show, *ShowVertices, *ShowEdges, *ShowNeighbors, *ShowAttributes, *ShowGenerations, *ShowVector, *Path, *CountVertices,
		*DescribeGraph, *DescribeVertex, *DescribeEmbedding, *DescribeModel,
		*Nearest, *NearestFor, *Within, *Score, *Predict, *Diff,
		*EvaluateReconstruction, *EvaluateParameters, *EvaluateLabels, *EvaluateLinks:
		return true
	case *Compute:
		return !s.Background
	}
	return false
}

// Help is HELP [words].
//
//	help         = "HELP" { word }                          e.g. HELP export graph;
type Help struct {
	Range
	Topic []string // the words as they were written
}

func (*Help) Heading() string { return "HELP" }

// help accepts any words, so that no topic needs quotes. It skips everything else
// behind the first word, so that the topic can be a statement as it was typed.
func (p *parser) help() Statement {
	s := &Help{}
	for p.err == nil && (p.tok.Kind == KindWord || len(s.Topic) > 0 && p.tok.Kind != KindEnd && p.tok.Kind != KindInvalid && p.tok.Text != ";") {
		if p.tok.Kind == KindWord {
			s.Topic = append(s.Topic, p.tok.Text)
		}
		p.next()
	}
	p.expect(topicText)
	return s
}

func (s *Help) String() string { return strings.Join(append([]string{"HELP"}, s.Topic...), " ") }
