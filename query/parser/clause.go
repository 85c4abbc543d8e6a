package parser

// This file has the small clauses that several statements share.

// vertexOrEdge reads VERTEX or EDGE, in singular or plural, and what is behind it. The advice is
// for who writes neither.
//
//	vertexword   = "VERTEX" | "VERTICES"                    e.g. DELETE VERTICES 'a', 'b' FROM social;
//	edgeword     = "EDGE" | "EDGES"                         e.g. DELETE EDGES FILE 'gone.csv' FROM social;
func (p *parser) vertexOrEdge(vertex, edge func() Statement, advice string) Statement {
	switch {
	case p.keyword("VERTEX"), p.keyword("VERTICES"):
		return vertex()
	case p.keyword("EDGE"), p.keyword("EDGES"):
		return edge()
	}
	p.unexpected()
	p.advise(advice)
	return nil
}

// optionalName is optional for a name that a node points to.
func optionalName(p *parser, word string, read func() Ident) *Ident {
	if !p.keyword(word) {
		return nil
	}
	return new(read())
}

// clause writes words and a node behind them, or nothing if the node was left out.
func clause[N interface {
	comparable
	Node
}](words string, n N) string {
	if none := *new(N); n == none {
		return ""
	}
	return words + n.String()
}

// listClause is clause for a list.
func listClause[N Node](words string, nodes []N) string {
	if len(nodes) == 0 {
		return ""
	}
	return words + list(nodes)
}

// in reads an optional IN g.
func (p *parser) in() *Ident { return optionalName(p, "IN", p.graph) }

func in(graph *Ident) string { return clause(" IN ", graph) }

// count reads a number of vertices, edges or changes.
func (p *parser) count() Value { return p.value(anInt, countText) }

func (p *parser) limit() Value { return optional(p, "LIMIT", p.count) }

func limit(n Value) string { return clause(" LIMIT ", n) }

func (p *parser) fileName() Value { return p.value(aString, fileText) }

func (p *parser) file() Value { return after(p, "FILE", p.fileName) }

func (p *parser) intoFile() Value { return after(p, "INTO", p.file) }

func intoFile(file Value) string { return clause(" INTO FILE ", file) }

// background reads an optional IN BACKGROUND.
//
//	background   = "IN" "BACKGROUND"                        e.g. EMBED social USING deepwalk AS walks IN BACKGROUND;
func (p *parser) background() bool { return p.optionalWords("IN", "BACKGROUND") }

// optionalWords reads two keywords, or nothing if the first is not next.
func (p *parser) optionalWords(first, second string) bool {
	if !p.keyword(first) {
		return false
	}
	p.needKeyword(second)
	return true
}

func background(yes bool) string { return given(yes, " IN BACKGROUND") }

// Space is where a search looks: an embedding, alone or under a metric, as in
// spec, l2(spec), cosine(spec) or dot(spec).
//
//	space        = name | name "(" name ")"                 e.g. NEAREST 10 TO $who USING l2("my embedding");
type Space struct {
	Range
	Metric    *Ident // nil where left out
	Embedding Ident
}

// space reads e or metric(e).
func (p *parser) space() Space {
	begin := p.tok.Start
	p.expect(metricName)
	n := Space{Embedding: p.embedding()}
	if p.sign("(") {
		n.Metric = new(n.Embedding)
		n.Embedding = p.embedding()
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

func (p *parser) usingSpace() Space { return after(p, "USING", p.space) }

func (n Space) String() string {
	if n.Metric == nil {
		return n.Embedding.String()
	}
	return n.Metric.String() + "(" + n.Embedding.String() + ")"
}

// Pair is ('u', 'v'): two vertices by key.
//
//	pair         = "(" key "," key ")"                      e.g. SCORE ($u, $v) WITH jaccard;
type Pair struct {
	Range
	U, V Value // each String, Int or Param
}

func (p *parser) pair() Pair {
	begin := p.tok.Start
	p.needSign("(")
	u := p.key()
	p.needSign(",")
	v := p.key()
	p.needSign(")")
	return Pair{p.since(begin), u, v}
}

// pairs reads one or more pairs.
//
//	pairs        = pair { "," pair }                        e.g. DELETE EDGE ('a', 'b'), ('c', 'd') FROM social;
func (p *parser) pairs() []Pair { return separated(p, p.pair) }

func (n Pair) String() string { return "(" + n.U.String() + ", " + n.V.String() + ")" }

// Scorer is a link scorer, with the embedding or the model that it reads in
// parentheses: adamic_adar, cosine(spec), model(friends).
//
//	scorer       = name [ "(" name ")" ]                    e.g. SCORE ('a', 'b') WITH katz, probability(spec);
type Scorer struct {
	Range
	Name Ident
	Of   *Ident // nil where there are no parentheses
}

func (p *parser) scorer() Scorer {
	begin := p.tok.Start
	n := Scorer{Name: p.name(scorerName)}
	if p.sign("(") {
		n.Of = new(p.scored(n.Name.Name))
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

// scored reads the name that a scorer has in parentheses.
func (p *parser) scored(scorer string) Ident {
	if scorer == "model" {
		return p.model()
	}
	return p.embedding()
}

func (p *parser) scorers() []Scorer { return separated(p, p.scorer) }

// ParseScorers reads scorers with commas between them, as they follow WITH. The error is
// an *Error.
func ParseScorers(text string) ([]Scorer, error) {
	p := newParser(Source{Text: text})
	list := p.scorers()
	return list, p.ended()
}

func (n Scorer) String() string {
	if n.Of == nil {
		return n.Name.String()
	}
	return n.Name.String() + "(" + n.Of.String() + ")"
}
