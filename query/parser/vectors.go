package parser

import (
	"strings"
)

// Embed is EMBED g USING method(…) AS e [WITH (…)] [IN BACKGROUND].
//
//	embed        = "EMBED" name "USING" call "AS" name
//	               [ options ] [ background ]               e.g. EMBED social USING dp_spectral(dim := 200, beta := 0.5) AS spec;
type Embed struct {
	Range
	Graph      Ident
	Method     Call
	Embedding  Ident
	Options    []Option
	Background bool
}

func (*Embed) Heading() string { return "EMBED" }

func (p *parser) embed() Statement {
	s := p.embedUsing()
	p.needKeyword("AS")
	p.embedAs(s)
	return s
}

// embedUsing parses what follows EMBED up to the method.
func (p *parser) embedUsing() *Embed {
	return &Embed{Graph: p.graph(), Method: p.usingCall(methodName)}
}

// embedAs parses the rest, behind AS.
func (p *parser) embedAs(s *Embed) {
	s.Embedding = p.name(newEmbeddingName)
	s.Options = p.withOptions(s)
	s.Background = p.background()
}

func (s *Embed) String() string {
	text := "EMBED " + s.Graph.String() + " USING " + s.Method.String()
	if s.Embedding.Name != "" { // it is not in every Estimate
		text += " AS " + s.Embedding.String()
	}
	return text + withOptions(s.Options) + background(s.Background)
}

// Estimate is ESTIMATE in front of an Embed, or of one that ends with its method: then the name
// of the embedding is empty.
//
//	estimate     = "ESTIMATE" ( embed
//	               | "EMBED" name "USING" call )            e.g. ESTIMATE EMBED social USING dp_walker(dim := 128);
type Estimate struct{ Embed }

func (*Estimate) Heading() string { return "ESTIMATE EMBED" }

func (p *parser) estimateEmbed() Statement {
	s := &Estimate{*p.embedUsing()}
	if p.keyword("AS") {
		p.embedAs(&s.Embed)
	} else {
		s.Embedding.Range = s.Method.Range // of an empty name
	}
	return s
}

func (s *Estimate) String() string { return "ESTIMATE " + s.Embed.String() }

// DropEmbedding is DROP EMBEDDING e.
//
//	dropembedding = "DROP" "EMBEDDING" name                 e.g. DROP EMBEDDING spec;
type DropEmbedding struct {
	Range
	Embedding Ident
}

func (*DropEmbedding) Heading() string { return "DROP EMBEDDING" }

func (p *parser) dropEmbedding() Statement {
	return &DropEmbedding{Embedding: p.embedding()}
}

func (s *DropEmbedding) String() string { return "DROP EMBEDDING " + s.Embedding.String() }

// DescribeEmbedding is DESCRIBE EMBEDDING e.
//
//	describeembedding = "DESCRIBE" "EMBEDDING" name         e.g. DESCRIBE EMBEDDING spec;
type DescribeEmbedding struct {
	Range
	Embedding Ident
}

func (*DescribeEmbedding) Heading() string { return "DESCRIBE EMBEDDING" }

func (p *parser) describeEmbedding() Statement {
	return &DescribeEmbedding{Embedding: p.embedding()}
}

func (s *DescribeEmbedding) String() string { return "DESCRIBE EMBEDDING " + s.Embedding.String() }

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

// ShowGenerations is SHOW GENERATIONS OF e.
//
//	showgenerations = "SHOW" "GENERATIONS" "OF" name        e.g. SHOW GENERATIONS OF spec;
type ShowGenerations struct {
	Range
	Embedding Ident
}

func (*ShowGenerations) Heading() string { return "SHOW GENERATIONS" }

func (p *parser) showGenerations() Statement {
	return &ShowGenerations{Embedding: p.embeddingAfter("OF")}
}

func (s *ShowGenerations) String() string { return "SHOW GENERATIONS OF " + s.Embedding.String() }

// Diff is DIFF e@1, e@2 [LIMIT n].
//
//	diff         = "DIFF" name "," name [ "LIMIT" integer ] e.g. DIFF spec@1, spec@2 LIMIT 20;
type Diff struct {
	Range
	Before, After Ident
	Limit         Value // Int or Param; nil where left out
}

func (*Diff) Heading() string { return "DIFF" }

func (p *parser) diff() Statement {
	s := &Diff{Before: p.embedding()}
	p.needSign(",")
	s.After = p.embedding()
	s.Limit = p.limit()
	return s
}

func (s *Diff) String() string {
	return "DIFF " + s.Before.String() + ", " + s.After.String() + limit(s.Limit)
}

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

func (*CreateIndex) Heading() string { return "CREATE INDEX" }

func (p *parser) createIndex() Statement {
	return &CreateIndex{Embedding: p.embeddingAfter("ON"), Options: p.withOptions(new(CreateIndex)), Background: p.background()}
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

func (*DropIndex) Heading() string { return "DROP INDEX" }

func (p *parser) dropIndex() Statement {
	return &DropIndex{Embedding: p.embeddingAfter("ON")}
}

func (s *DropIndex) String() string { return "DROP INDEX ON " + s.Embedding.String() }

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

// ShowVector is SHOW VECTOR OF v IN e.
//
//	showvector   = "SHOW" "VECTOR" "OF" key "IN" name       e.g. SHOW VECTOR OF 'alice' IN spec;
type ShowVector struct {
	Range
	Vertex    Value // a key: String, Int or Param
	Embedding Ident
}

func (*ShowVector) Heading() string { return "SHOW VECTOR" }

func (p *parser) showVector() Statement {
	p.needKeyword("OF")
	return &ShowVector{Vertex: p.key(), Embedding: p.embeddingAfter("IN")}
}

func (s *ShowVector) String() string {
	return "SHOW VECTOR OF " + s.Vertex.String() + " IN " + s.Embedding.String()
}
