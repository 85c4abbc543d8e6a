package parser

// This file has one function for each production of the grammar that begins
// with a keyword, in the order of doc.go.

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

// statements are the keywords that begin a statement without EXPLAIN and
// PROFILE, in the order of doc.go, with what reads the rest.
var statements = []struct {
	word string
	rest func(p *parser, begin Pos) Statement
}{
	{"CREATE", (*parser).create},
	{"DROP", (*parser).drop},
	{"INSERT", (*parser).insert},
	{"UPDATE", (*parser).update},
	{"DELETE", (*parser).remove},
	{"IMPORT", (*parser).importFile},
	{"EXPORT", (*parser).export},
	{"GENERATE", (*parser).generate},
	{"DESCRIBE", (*parser).describe},
	{"SHOW", (*parser).show},
	{"EMBED", (*parser).embed},
	{"ESTIMATE", (*parser).estimate},
	{"CANCEL", (*parser).cancelJob},
	{"RESUME", (*parser).resumeJob},
	{"WAIT", (*parser).waitJob},
	{"REFRESH", (*parser).refresh},
	{"VERIFY", (*parser).verify},
	{"ALTER", (*parser).alter},
	{"DIFF", (*parser).diff},
	{"NEAREST", (*parser).nearest},
	{"WITHIN", (*parser).within},
	{"RECONSTRUCT", (*parser).reconstruct},
	{"EVALUATE", (*parser).evaluate},
	{"TUNE", (*parser).tune},
	{"TRAIN", (*parser).train},
	{"MATERIALIZE", (*parser).materialize},
	{"SCORE", (*parser).score},
	{"PREDICT", (*parser).predict},
	{"HELP", (*parser).help},
	{"CHECK", (*parser).check},
	{"COMPACT", (*parser).compact},
	{"BACKUP", (*parser).backup},
	{"MIGRATE", (*parser).migrate},
	{"RECOVER", (*parser).recoverFile},
}

// plainStatement reads a statement without EXPLAIN or PROFILE.
func (p *parser) plainStatement() Statement {
	begin := p.tok.Start
	for _, s := range statements {
		if p.keyword(s.word) {
			return s.rest(p, begin)
		}
	}
	p.unexpected()
	return nil
}

func (p *parser) create(begin Pos) Statement {
	if p.keyword("INDEX") {
		return p.createIndex(begin)
	}
	p.needKeyword("GRAPH")
	graph := p.name(newGraphName)
	return &CreateGraph{p.since(begin), graph}
}

func (p *parser) drop(begin Pos) Statement {
	switch {
	case p.keyword("GRAPH"):
		graph := p.graph()
		cascade := p.keyword("CASCADE")
		return &DropGraph{p.since(begin), graph, cascade}
	case p.keyword("ATTRIBUTE"):
		s := &DropAttribute{Attribute: p.name(attributeName)}
		p.needKeyword("FROM")
		s.Graph = p.graph()
		s.Range = p.since(begin)
		return s
	case p.keyword("INDEX"):
		return p.dropIndex(begin)
	case p.keyword("JOB"):
		return p.job(begin, DropJob)
	case p.keyword("MODEL"):
		return p.dropModel(begin)
	case p.keyword("PREDICTIONS"):
		return p.dropPredictions(begin)
	}
	p.needKeyword("EMBEDDING")
	embedding := p.embedding()
	return &DropEmbedding{p.since(begin), embedding}
}

func (p *parser) importFile(begin Pos) Statement {
	if p.keyword("VERTICES") {
		s := &ImportVertices{File: p.value(aString, fileText)}
		p.needKeyword("INTO")
		s.Graph = p.graph()
		s.Options = p.withOptions("IMPORT VERTICES")
		s.Range = p.since(begin)
		return s
	}
	s := &Import{File: p.value(aString, fileText)}
	p.needKeyword("INTO")
	s.Graph = p.graph()
	s.Options = p.withOptions("IMPORT")
	s.Range = p.since(begin)
	return s
}

func (p *parser) export(begin Pos) Statement {
	switch {
	case p.keyword("GRAPH"):
		s := &ExportGraph{Graph: p.graph()}
		s.File = p.intoFile()
		s.Options = p.withOptions("EXPORT GRAPH")
		s.Range = p.since(begin)
		return s
	case p.keyword("VERTICES"):
		p.needKeyword("OF")
		s := &ExportVertices{Graph: p.graph()}
		s.File = p.intoFile()
		s.Options = p.withOptions("EXPORT VERTICES")
		s.Range = p.since(begin)
		return s
	case p.keyword("WALKS"):
		p.needKeyword("OF")
		s := &ExportWalks{Graph: p.graph()}
		p.needKeyword("USING")
		s.Method = p.call(walkMethodName)
		s.File = p.intoFile()
		s.Options = p.withOptions("EXPORT WALKS")
		s.Range = p.since(begin)
		return s
	}
	p.needKeyword("EMBEDDING")
	s := &ExportEmbedding{Embedding: p.embedding()}
	s.File = p.intoFile()
	s.Options = p.withOptions("EXPORT EMBEDDING")
	s.Range = p.since(begin)
	return s
}

func (p *parser) generate(begin Pos) Statement {
	s := &Generate{Generator: p.call(generatorName)}
	p.needKeyword("INTO")
	s.Graph = p.name(newGraphName)
	s.Range = p.since(begin)
	return s
}

func (p *parser) describe(begin Pos) Statement {
	switch {
	case p.keyword("GRAPH"):
		s := &DescribeGraph{Graph: p.graph()}
		s.Options = p.withOptions("DESCRIBE GRAPH")
		s.Range = p.since(begin)
		return s
	case p.keyword("VERTEX"):
		s := &DescribeVertex{Vertex: p.value(aKey, keyText)}
		s.Graph = p.in()
		s.Range = p.since(begin)
		return s
	case p.keyword("MODEL"):
		return p.describeModel(begin)
	}
	p.needKeyword("EMBEDDING")
	embedding := p.embedding()
	return &DescribeEmbedding{p.since(begin), embedding}
}

func (p *parser) show(begin Pos) Statement {
	for _, what := range listings {
		if p.keyword(string(what)) {
			return &Show{p.since(begin), what}
		}
	}
	switch {
	case p.keyword("GENERATIONS"):
		return p.showGenerations(begin)
	case p.keyword("VERTICES"):
		s := &ShowVertices{Graph: p.in()}
		s.Where = p.where()
		s.Limit = p.limit()
		s.Range = p.since(begin)
		return s
	case p.keyword("NEIGHBORS"):
		p.needKeyword("OF")
		s := &ShowNeighbors{Of: p.value(aKey, keyText)}
		s.Graph = p.in()
		s.Where = p.where()
		s.Limit = p.limit()
		s.Range = p.since(begin)
		return s
	case p.keyword("ATTRIBUTES"):
		graph := p.in()
		return &ShowAttributes{p.since(begin), graph}
	}
	p.unexpected()
	return nil
}

func (p *parser) embed(begin Pos) Statement {
	s := &Embed{Graph: p.graph()}
	p.needKeyword("USING")
	s.Method = p.call(methodName)
	p.needKeyword("AS")
	s.Embedding = p.name(newEmbeddingName)
	s.Options = p.withOptions("EMBED")
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

func (p *parser) nearest(begin Pos) Statement {
	s := &Nearest{Count: p.value(anInt, countText)}
	p.needKeyword("TO")
	if p.sign("(") {
		s.Examples = separated(p, func() Value { return p.value(aKey, keyText) })
		p.needSign(")")
	} else {
		s.To = p.value(aVertex, keyText, vectorText)
	}
	p.needKeyword("USING")
	s.Using = p.space()
	s.Fresh = p.keyword("FRESH")
	s.Exact = p.keyword("EXACT")
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
	s.Exact = p.keyword("EXACT")
	s.Where = p.where()
	s.Limit = p.limit()
	s.Range = p.since(begin)
	return s
}

func (p *parser) reconstruct(begin Pos) Statement {
	s := &Reconstruct{Embedding: p.embedding()}
	s.Threshold = p.threshold(true)
	if p.keyword("INTO") {
		if p.keyword("GRAPH") {
			graph := p.name(newGraphName)
			s.Graph = &graph
		} else {
			s.File = p.file()
		}
	}
	s.Options = p.withOptions("RECONSTRUCT")
	s.Range = p.since(begin)
	return s
}

func (p *parser) score(begin Pos) Statement {
	if p.keyword("FILE") {
		return p.scoreFile(begin)
	}
	return p.scorePairs(begin, separated(p, p.pair))
}

// scoreFile reads the rest of SCORE FILE.
func (p *parser) scoreFile(begin Pos) Statement {
	s := &ScoreFile{Pairs: p.value(aString, fileText)}
	s.Graph = p.in()
	s.Scorers = p.scorers()
	if p.keyword("INTO") {
		s.File = p.file()
	}
	s.Options = p.withOptions("SCORE FILE")
	s.Range = p.since(begin)
	return s
}

// scorePairs reads what follows the pairs of SCORE.
func (p *parser) scorePairs(begin Pos, pairs []Pair) Statement {
	s := &Score{Pairs: pairs}
	s.Graph = p.in()
	s.Scorers = p.scorers()
	s.Options = p.withOptions("SCORE")
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
	p.expect(topicText)
	s.Range = p.since(begin)
	return s
}

func (p *parser) check(begin Pos) Statement { return &Check{p.since(begin)} }

func (p *parser) compact(begin Pos) Statement { return &Compact{p.since(begin)} }

func (p *parser) backup(begin Pos) Statement {
	s := &Backup{File: p.intoFile()}
	s.Options = p.withOptions("BACKUP")
	s.Range = p.since(begin)
	return s
}

func (p *parser) migrate(begin Pos) Statement { return &Migrate{p.since(begin)} }

func (p *parser) recoverFile(begin Pos) Statement {
	s := &Recover{File: p.intoFile()}
	s.Options = p.withOptions("RECOVER")
	s.Range = p.since(begin)
	return s
}
