package parser

import "strings"

// Embed is EMBED g USING method(…) AS e [WITH (…)] [IN BACKGROUND].
type Embed struct {
	Range
	Graph      Ident
	Method     Call
	Embedding  Ident
	Options    []Option
	Background bool
}

// Estimate is ESTIMATE in front of an Embed, or of one that ends with its method: then the name
// of the embedding is empty.
type Estimate struct{ Embed }

// estimated is AS e of an Estimate, with what is behind it; without it, the empty name is where
// the method is.
func estimated(s *Estimate) form {
	return form{own{in: func(*parser) bool {
		s.Embedding.Range = s.Method.Range
		return true
	}, out: func() string { return "" }}, embedAs(&s.Embed)}
}

// DropEmbedding is DROP EMBEDDING e.
type DropEmbedding struct {
	Range
	Embedding Ident
}

// DescribeEmbedding is DESCRIBE EMBEDDING e [ALL].
type DescribeEmbedding struct {
	Range
	Embedding Ident
	All       bool
}

// Refresh is REFRESH e [WITH (…)] [IN BACKGROUND].
type Refresh struct {
	Range
	Embedding  Ident
	Options    []Option
	Background bool
}

// RefreshMeasure is REFRESH MEASURE a IN g [IN BACKGROUND].
type RefreshMeasure struct {
	Range
	Attribute  Ident
	Graph      Ident
	Background bool
}

// RefreshPredictions is REFRESH PREDICTIONS FROM scorer IN g [IN BACKGROUND].
type RefreshPredictions struct {
	Range
	Scorer     Scorer
	Graph      Ident
	Background bool
}

// RefreshAll is REFRESH ALL IN g. A graph with the name background is written in quotes
// here, as REFRESH all IN BACKGROUND is about an embedding.
type RefreshAll struct {
	Range
	Graph Ident
}

// refreshedGraph is IN g of a RefreshAll.
func refreshedGraph(s *RefreshAll) own {
	return own{`"IN" name`, "IN graph", func(p *parser) bool {
		if !p.keyword("IN") {
			return false
		}
		if p.tok.Kind == KindWord && strings.EqualFold(p.tok.Text, "BACKGROUND") {
			p.expect(graphName)
			p.unexpected()
		}
		s.Graph = p.graph()
		return true
	}, func() string {
		if strings.EqualFold(s.Graph.Name, "BACKGROUND") {
			return `IN "` + s.Graph.Name + `"`
		}
		return "IN " + s.Graph.String()
	}, false}
}

// AutoRefresh is ALTER EMBEDDING e AUTO REFRESH AFTER n CHANGES | EVERY 'time' | OFF.
// At most one of Changes and Every is set; OFF has neither.
type AutoRefresh struct {
	Range
	Embedding Ident
	Changes   Value // Int or Param; nil where left out
	Every     Value // String or Param; nil where left out
}

// ShowGenerations is SHOW GENERATIONS OF e.
type ShowGenerations struct {
	Range
	Embedding Ident
}

// Diff is DIFF e@1, e@2 [LIMIT n].
type Diff struct {
	Range
	Before, After Ident
	Limit         Value // Int or Param; nil where left out
}

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

// Verify is VERIFY e [WITH (…)] [IN BACKGROUND].
type Verify struct {
	Range
	Embedding  Ident
	Options    []Option
	Background bool
}

// ShowVector is SHOW VECTOR OF v IN e.
type ShowVector struct {
	Range
	Vertex    Value // a key: String, Int or Param
	Embedding Ident
}

// embedAs is the end of EMBED, which ESTIMATE may leave out.
func embedAs(s *Embed) maybe {
	return maybe{one("AS", newEmbedding, &s.Embedding), options(&s.Options), background(&s.Background)}
}
