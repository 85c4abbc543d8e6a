package parser

// This file has the small clauses that several statements share.

// vertexWord reads VERTEX in singular or plural.
//
//	vertexword   = "VERTEX" | "VERTICES"                    e.g. DELETE VERTICES 'a', 'b' FROM social;
func (p *parser) vertexWord() bool { return p.keyword("VERTEX") || p.keyword("VERTICES") }

// edgeWord reads EDGE in singular or plural.
//
//	edgeword     = "EDGE" | "EDGES"                         e.g. DELETE EDGES FILE 'gone.csv' FROM social;
func (p *parser) edgeWord() bool { return p.keyword("EDGE") || p.keyword("EDGES") }

// in reads an optional IN g.
func (p *parser) in() *Ident {
	if !p.keyword("IN") {
		return nil
	}
	graph := p.graph()
	return &graph
}

func in(graph *Ident) string {
	if graph == nil {
		return ""
	}
	return " IN " + graph.String()
}

// limit reads an optional LIMIT n.
func (p *parser) limit() Value {
	if !p.keyword("LIMIT") {
		return nil
	}
	return p.value(anInt, countText)
}

func limit(n Value) string {
	if n == nil {
		return ""
	}
	return " LIMIT " + n.String()
}

// file reads FILE 'name'.
func (p *parser) file() Value {
	p.needKeyword("FILE")
	return p.value(aString, fileText)
}

// intoFile reads INTO FILE 'name'.
func (p *parser) intoFile() Value {
	p.needKeyword("INTO")
	return p.file()
}

func intoFile(file Value) string {
	if file == nil {
		return ""
	}
	return " INTO FILE " + file.String()
}

// background reads an optional IN BACKGROUND.
//
//	background   = "IN" "BACKGROUND"                        e.g. EMBED social USING deepwalk AS walks IN BACKGROUND;
func (p *parser) background() bool {
	if !p.keyword("IN") {
		return false
	}
	p.needKeyword("BACKGROUND")
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
		metric := n.Embedding
		n.Metric = &metric
		n.Embedding = p.embedding()
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

// usingSpace reads USING e or USING metric(e).
func (p *parser) usingSpace() Space {
	p.needKeyword("USING")
	return p.space()
}

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
		of := p.scored(n.Name.Name)
		n.Of = &of
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

func (p *parser) scorers() []Scorer {
	p.needKeyword("WITH")
	return separated(p, p.scorer)
}

// ParseScorers reads scorers with commas between them, as they follow WITH. The error is
// an *Error.
func ParseScorers(text string) ([]Scorer, error) {
	p := newParser(Source{Text: text})
	list := separated(p, p.scorer)
	return list, p.ended()
}

func (n Scorer) String() string {
	if n.Of == nil {
		return n.Name.String()
	}
	return n.Name.String() + "(" + n.Of.String() + ")"
}
