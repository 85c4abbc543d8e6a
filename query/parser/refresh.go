package parser

import "strings"

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

func (*Refresh) Heading() string { return "REFRESH" }

// refresh reads a name before it knows what it names: MEASURE, PREDICTIONS and ALL are
// names of embeddings, too, unless a name follows MEASURE, a scorer PREDICTIONS, and a graph
// ALL.
func (p *parser) refresh() Statement {
	first := p.tok
	switch {
	case p.keyword("MEASURE"):
		if p.nameNext() {
			return p.refreshMeasure()
		}
		p.expect(attributeName)
		return p.refreshEmbedding(first)
	case p.keyword("PREDICTIONS"):
		if p.keyword("FROM") {
			return p.refreshPredictions()
		}
		return p.refreshEmbedding(first)
	case p.keyword("ALL"):
		if p.keyword("IN") {
			return p.refreshAll(first)
		}
		return p.refreshEmbedding(first)
	}
	return p.refreshRest(&Refresh{Embedding: p.embedding()})
}

// refreshEmbedding reads what is behind a keyword that is the name of an embedding.
func (p *parser) refreshEmbedding(name Token) Statement {
	p.named.Embedding = name.Text
	return p.refreshRest(&Refresh{Embedding: Ident{name.Range, name.Text}})
}

func (p *parser) refreshRest(s *Refresh) Statement {
	s.Options = p.withOptions(s)
	s.Background = p.background()
	return s
}

func (s *Refresh) String() string {
	return "REFRESH " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}

// RefreshMeasure is REFRESH MEASURE a IN g [IN BACKGROUND].
//
//	refreshmeasure = "REFRESH" "MEASURE" name "IN" name
//	                 [ background ]                         e.g. REFRESH MEASURE rank IN social;
type RefreshMeasure struct {
	Range
	Attribute  Ident
	Graph      Ident
	Background bool
}

func (*RefreshMeasure) Heading() string { return "REFRESH MEASURE" }

func (p *parser) refreshMeasure() Statement {
	return &RefreshMeasure{Attribute: p.name(attributeName), Graph: p.graphAfter("IN"), Background: p.background()}
}

func (s *RefreshMeasure) String() string {
	return "REFRESH MEASURE " + s.Attribute.String() + " IN " + s.Graph.String() + background(s.Background)
}

// RefreshPredictions is REFRESH PREDICTIONS FROM scorer IN g [IN BACKGROUND].
//
//	refreshpredictions = "REFRESH" "PREDICTIONS" "FROM" scorer
//	                 "IN" name [ background ]               e.g. REFRESH PREDICTIONS FROM model(friends) IN social;
type RefreshPredictions struct {
	Range
	Scorer     Scorer
	Graph      Ident
	Background bool
}

func (*RefreshPredictions) Heading() string { return "REFRESH PREDICTIONS" }

func (p *parser) refreshPredictions() Statement {
	return &RefreshPredictions{Scorer: p.scorer(), Graph: p.graphAfter("IN"), Background: p.background()}
}

func (s *RefreshPredictions) String() string {
	return "REFRESH PREDICTIONS FROM " + s.Scorer.String() + " IN " + s.Graph.String() + background(s.Background)
}

// RefreshAll is REFRESH ALL IN g. A graph with the name background is written in quotes
// here, as REFRESH all IN BACKGROUND is about an embedding.
//
//	refreshall   = "REFRESH" "ALL" "IN" name                e.g. REFRESH ALL IN social;
type RefreshAll struct {
	Range
	Graph Ident
}

func (*RefreshAll) Heading() string { return "REFRESH ALL" }

func (p *parser) refreshAll(all Token) Statement {
	if p.keyword("BACKGROUND") {
		return &Refresh{Embedding: Ident{all.Range, all.Text}, Background: true}
	}
	return &RefreshAll{Graph: p.graph()}
}

func (s *RefreshAll) String() string {
	if strings.EqualFold(s.Graph.Name, "BACKGROUND") {
		return `REFRESH ALL IN "` + s.Graph.Name + `"`
	}
	return "REFRESH ALL IN " + s.Graph.String()
}

// AutoRefresh is ALTER EMBEDDING e AUTO REFRESH AFTER n CHANGES | EVERY 'time' | OFF.
// At most one of Changes and Every is set; OFF has neither.
//
//	autorefresh  = "ALTER" "EMBEDDING" name
//	               "AUTO" "REFRESH"
//	               ( "AFTER" integer "CHANGES"
//	               | "EVERY" string | "OFF" )               e.g. ALTER EMBEDDING spec AUTO REFRESH AFTER 100 CHANGES; ALTER EMBEDDING spec AUTO REFRESH EVERY '1h';
type AutoRefresh struct {
	Range
	Embedding Ident
	Changes   Value // Int or Param; nil where left out
	Every     Value // String or Param; nil where left out
}

func (*AutoRefresh) Heading() string { return "ALTER EMBEDDING" }

// autoRefresh reads what is behind ALTER EMBEDDING e AUTO.
func (p *parser) autoRefresh(embedding Ident) Statement {
	s := &AutoRefresh{Embedding: embedding}
	p.needKeyword("REFRESH")
	switch {
	case p.keyword("AFTER"):
		s.Changes = p.count()
		p.needKeyword("CHANGES")
	case p.keyword("EVERY"):
		s.Every = p.value(aString, stringText)
	default:
		p.needKeyword("OFF")
	}
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
