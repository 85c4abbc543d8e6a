package parser

// This file has one function for each production of the grammar that begins
// with a keyword, in the order of doc.go.

// What the grammar expects, in the words of an error.
const (
	graphName     = "a graph name"
	embeddingName = "an embedding name"
	optionName    = "an option name"
	methodName    = "a method name"
	generatorName = "a generator name"
	scorerName    = "a scorer name"
	columnName    = "a column name"
	fileText      = "a file name in single quotes"
	countText     = "an integer"
	numberText    = "a number"
	keyText       = "a vertex key"
	vectorText    = "a [vector]"
	stringText    = "a string"
)

// The expectations that stand for a name, and those that a string meets.
var (
	nameClasses = []string{graphName, embeddingName, optionName, methodName, generatorName, scorerName, columnName}
	textClasses = []string{fileText, keyText, stringText}
)

// statement reads any statement.
func (p *parser) statement() Statement {
	begin := p.tok.Start
	switch {
	case p.keyword("EXPLAIN"):
		return p.explain(begin, false)
	case p.keyword("PROFILE"):
		return p.explain(begin, true)
	}
	return p.plainStatement()
}

func (p *parser) explain(begin Pos, profile bool) Statement {
	inner := p.plainStatement()
	return &Explain{p.since(begin), profile, inner}
}

// plainStatement reads a statement without EXPLAIN or PROFILE.
func (p *parser) plainStatement() Statement {
	begin := p.tok.Start
	switch {
	case p.keyword("CREATE"):
		return p.create(begin)
	case p.keyword("DROP"):
		return p.drop(begin)
	case p.keyword("IMPORT"):
		return p.importFile(begin)
	case p.keyword("EXPORT"):
		return p.export(begin)
	case p.keyword("GENERATE"):
		return p.generate(begin)
	case p.keyword("DESCRIBE"):
		return p.describe(begin)
	case p.keyword("SHOW"):
		return p.show(begin)
	case p.keyword("EMBED"):
		return p.embed(begin)
	case p.keyword("NEAREST"):
		return p.nearest(begin)
	case p.keyword("WITHIN"):
		return p.within(begin)
	case p.keyword("RECONSTRUCT"):
		return p.reconstruct(begin)
	case p.keyword("SCORE"):
		return p.score(begin)
	case p.keyword("HELP"):
		return p.help(begin)
	case p.keyword("CHECK"):
		return &Check{p.since(begin)}
	}
	p.unexpected()
	return nil
}

func (p *parser) create(begin Pos) Statement {
	p.needKeyword("GRAPH")
	graph := p.name(graphName)
	return &CreateGraph{p.since(begin), graph}
}

func (p *parser) drop(begin Pos) Statement {
	if p.keyword("GRAPH") {
		graph := p.name(graphName)
		cascade := p.keyword("CASCADE")
		return &DropGraph{p.since(begin), graph, cascade}
	}
	p.needKeyword("EMBEDDING")
	embedding := p.name(embeddingName)
	return &DropEmbedding{p.since(begin), embedding}
}

func (p *parser) importFile(begin Pos) Statement {
	s := &Import{File: p.value(aString, fileText)}
	p.needKeyword("INTO")
	s.Graph = p.name(graphName)
	s.Options = p.withOptions()
	s.Range = p.since(begin)
	return s
}

func (p *parser) export(begin Pos) Statement {
	if p.keyword("GRAPH") {
		s := &ExportGraph{Graph: p.name(graphName)}
		p.needKeyword("INTO")
		s.File = p.file()
		s.Options = p.withOptions()
		s.Range = p.since(begin)
		return s
	}
	p.needKeyword("EMBEDDING")
	s := &ExportEmbedding{Embedding: p.name(embeddingName)}
	p.needKeyword("INTO")
	s.File = p.file()
	s.Options = p.withOptions()
	s.Range = p.since(begin)
	return s
}

func (p *parser) generate(begin Pos) Statement {
	s := &Generate{Generator: p.call(generatorName)}
	p.needKeyword("INTO")
	s.Graph = p.name(graphName)
	s.Range = p.since(begin)
	return s
}

func (p *parser) describe(begin Pos) Statement {
	if p.keyword("GRAPH") {
		graph := p.name(graphName)
		return &DescribeGraph{p.since(begin), graph}
	}
	p.needKeyword("EMBEDDING")
	embedding := p.name(embeddingName)
	return &DescribeEmbedding{p.since(begin), embedding}
}

func (p *parser) show(begin Pos) Statement {
	for _, what := range []Listing{Graphs, Embeddings, Methods, Scorers, Generators} {
		if p.keyword(string(what)) {
			return &Show{p.since(begin), what}
		}
	}
	p.unexpected()
	return nil
}

func (p *parser) embed(begin Pos) Statement {
	s := &Embed{Graph: p.name(graphName)}
	p.needKeyword("USING")
	s.Method = p.call(methodName)
	p.needKeyword("AS")
	s.Embedding = p.name(embeddingName)
	s.Range = p.since(begin)
	return s
}

func (p *parser) nearest(begin Pos) Statement {
	s := &Nearest{Count: p.value(anInt, countText)}
	p.needKeyword("TO")
	s.To = p.value(aVertex, keyText, vectorText)
	p.needKeyword("USING")
	s.Using = p.space()
	s.Where = p.where()
	s.Range = p.since(begin)
	return s
}

func (p *parser) within(begin Pos) Statement {
	s := &Within{Threshold: p.threshold(false)}
	p.needKeyword("OF")
	s.Of = p.value(aVertex, keyText, vectorText)
	p.needKeyword("USING")
	s.Using = p.space()
	s.Where = p.where()
	if p.keyword("LIMIT") {
		s.Limit = p.value(anInt, countText)
	}
	s.Range = p.since(begin)
	return s
}

func (p *parser) reconstruct(begin Pos) Statement {
	s := &Reconstruct{Embedding: p.name(embeddingName)}
	s.Threshold = p.threshold(true)
	if p.keyword("INTO") {
		if p.keyword("GRAPH") {
			graph := p.name(graphName)
			s.Graph = &graph
		} else {
			s.File = p.file()
		}
	}
	s.Options = p.withOptions()
	s.Range = p.since(begin)
	return s
}

func (p *parser) score(begin Pos) Statement {
	if p.keyword("FILE") {
		s := &ScoreFile{Pairs: p.value(aString, fileText)}
		s.Graph = p.in()
		s.Scorers = p.scorers()
		if p.keyword("INTO") {
			s.File = p.file()
		}
		s.Options = p.withOptions()
		s.Range = p.since(begin)
		return s
	}
	s := &Score{Pairs: separated(p, p.pair)}
	s.Graph = p.in()
	s.Scorers = p.scorers()
	s.Options = p.withOptions()
	s.Range = p.since(begin)
	return s
}

// help takes any words, so that a topic needs no quotes whatever it is.
func (p *parser) help(begin Pos) Statement {
	s := &Help{}
	for p.err == nil && p.tok.Kind == KindWord {
		s.Topic = append(s.Topic, p.tok.Text)
		p.next()
	}
	p.expect("a topic")
	s.Range = p.since(begin)
	return s
}
