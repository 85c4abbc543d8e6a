package parser

// This file has the productions that statements are made of.

// separated reads one or more items with commas between them.
func separated[N Node](p *parser, item func() N) []N {
	var items []N
	for more := true; more && p.err == nil; more = p.sign(",") {
		items = append(items, item())
	}
	return items
}

// graph and embedding read the name of one that exists.
func (p *parser) graph() Ident {
	n := p.name(graphName)
	p.named.Graph = n.Name
	return n
}

func (p *parser) embedding() Ident {
	n := p.name(embeddingName)
	p.named.Embedding = n.Name
	return n
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

// in reads an optional IN g.
func (p *parser) in() *Ident {
	if !p.keyword("IN") {
		return nil
	}
	graph := p.graph()
	return &graph
}

// limit reads an optional LIMIT n.
func (p *parser) limit() Value {
	if !p.keyword("LIMIT") {
		return nil
	}
	return p.value(anInt, countText)
}

// withOptions reads an optional WITH (name := value, …), the options of a
// statement. The parentheses tell it from the WITH of SCORE, which lists
// scorers.
func (p *parser) withOptions(statement string) []Option {
	if !p.keyword("WITH") {
		return nil
	}
	p.needSign("(")
	options := p.options(statement)
	p.needSign(")")
	return options
}

// options reads the options of a statement, method or generator.
func (p *parser) options(owner string) []Option {
	p.named.Call = owner
	options := separated(p, p.option)
	if p.err == nil {
		p.named.Call = ""
	}
	return options
}

func (p *parser) option() Option {
	begin := p.tok.Start
	name := p.name(optionName)
	p.needSign(":=")
	p.named.Option = name.Name
	value := p.value(aScalar, scalarTexts...)
	if p.err == nil {
		p.named.Option = ""
	}
	return Option{p.since(begin), name, value}
}

// call reads name or name(option, …).
func (p *parser) call(what string) Call {
	begin := p.tok.Start
	n := Call{Name: p.name(what)}
	if p.sign("(") && !p.sign(")") {
		n.Options = p.options(n.Name.Name)
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
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

// threshold reads RADIUS r, EPSILON ε or, where it is allowed, AUTO.
func (p *parser) threshold(auto bool) Threshold {
	n := Threshold{}
	begin := p.tok.Start
	switch {
	case p.keyword("RADIUS"):
		n.Kind, n.Value = Radius, p.value(aNumber, numberText)
	case p.keyword("EPSILON"):
		n.Kind, n.Value = Epsilon, p.value(aNumber, numberText)
	case auto && p.keyword("AUTO"):
		n.Kind = Auto
	default:
		p.unexpected()
	}
	n.Range = p.since(begin)
	return n
}

func (p *parser) pair() Pair {
	begin := p.tok.Start
	p.needSign("(")
	u := p.value(aKey, keyText)
	p.needSign(",")
	v := p.value(aKey, keyText)
	p.needSign(")")
	return Pair{p.since(begin), u, v}
}

// scorers reads WITH scorer, ….
func (p *parser) scorers() []Scorer {
	p.needKeyword("WITH")
	return separated(p, p.scorer)
}

// scored reads what a scorer reads.
func (p *parser) scored(scorer string) Ident {
	if scorer == "model" {
		return p.model()
	}
	return p.embedding()
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
