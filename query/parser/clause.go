package parser

// This file has the small clauses that several statements share.

// background is IN BACKGROUND, which may be left out.
func background(to *bool) toggle { return toggle{"IN BACKGROUND", to} }

// sign is a sign between two names.
func sign(text string) own {
	return own{`"` + text + `"`, text, func(p *parser) bool { return p.sign(text) }, func() string { return text }, false}
}

// orderBy is ORDER BY and a column, which may be left out.
func orderBy(to **Order) own {
	return own{"[ order ]", "[ORDER BY column [ASC | DESC]]", func(p *parser) bool {
		*to = p.order()
		return true
	}, func() string {
		if *to == nil {
			return ""
		}
		return (*to).String()
	}, false}
}

// Order is ORDER BY a [DESC].
//
//	order        = "ORDER" "BY" name [ "ASC" | "DESC" ]     e.g. SHOW VERTICES IN social ORDER BY degree DESC;
type Order struct {
	Range
	By         Ident // a column of the rows, or of the vertices that they are about
	Descending bool
}

func (p *parser) order() *Order {
	begin := p.tok.Start
	if !p.words("ORDER BY") {
		return nil
	}
	o := &Order{By: p.name(columnName)}
	if o.Descending = p.keyword("DESC"); !o.Descending {
		p.keyword("ASC")
	}
	o.Range = p.since(begin)
	return o
}

func (o Order) String() string { return "ORDER BY " + o.By.String() + given(o.Descending, " DESC") }

// behind writes words and a value behind them, or nothing if the value was left out.
func behind(words string, v Value) string {
	if v == nil {
		return ""
	}
	return words + v.String()
}

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
		return p.name(modelName)
	}
	return p.embedding()
}

// ParseScorers reads scorers with commas between them, as they follow WITH. The error is
// an *Error.
func ParseScorers(text string) ([]Scorer, error) {
	p := newParser(Source{Text: text})
	scorers := separated(p, p.scorer)
	return scorers, p.ended()
}

func (n Scorer) String() string {
	if n.Of == nil {
		return n.Name.String()
	}
	return n.Name.String() + "(" + n.Of.String() + ")"
}

// Each names the vertices that a statement answers one after the other: ALL, or those of a
// file of keys.
type Each struct {
	File Value // String or Param; nil for ALL
}

// all reads ALL or FILE behind FOR; nil if neither is there.
//
//	each         = "ALL" | "FILE" string                    e.g. PREDICT 10 LINKS FOR ALL IN social; PREDICT 10 LINKS FOR FILE 'keys.txt' IN social WITH l3;
func (p *parser) all() *Each {
	switch {
	case p.keyword("ALL"):
		return &Each{}
	case p.keyword("FILE"):
		return &Each{File: p.value(aString, fileText)}
	}
	return nil
}

func (p *parser) each() (e Each) {
	if all := p.all(); all != nil {
		return *all
	}
	p.unexpected()
	return e
}

func (e Each) String() string {
	if e.File == nil {
		return "ALL"
	}
	return "FILE " + e.File.String()
}
