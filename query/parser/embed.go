package parser

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

func (*Embed) statement() {}

// Heading is EMBED.
func (*Embed) Heading() string { return "EMBED" }

func (p *parser) embed(begin Pos) Statement {
	s := &Embed{Graph: p.graph()}
	p.needKeyword("USING")
	s.Method = p.call(methodName)
	p.needKeyword("AS")
	s.Embedding = p.name(newEmbeddingName)
	s.Options = p.withOptions(s)
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

func (s *Embed) String() string {
	return "EMBED " + s.Graph.String() + " USING " + s.Method.String() + " AS " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}

// Estimate is ESTIMATE EMBED g USING method(…).
//
//	estimate     = "ESTIMATE" "EMBED" name "USING" call     e.g. ESTIMATE EMBED social USING dp_walker(dim := 128);
type Estimate struct {
	Range
	Graph  Ident
	Method Call
}

func (*Estimate) statement() {}

// Heading is ESTIMATE EMBED.
func (*Estimate) Heading() string { return "ESTIMATE EMBED" }

func (p *parser) estimateEmbed(begin Pos) Statement {
	s := &Estimate{Graph: p.graph()}
	p.needKeyword("USING")
	s.Method = p.call(methodName)
	s.Range = p.since(begin)
	return s
}

func (s *Estimate) String() string {
	return "ESTIMATE EMBED " + s.Graph.String() + " USING " + s.Method.String()
}

// DropEmbedding is DROP EMBEDDING e.
//
//	dropembedding = "DROP" "EMBEDDING" name                 e.g. DROP EMBEDDING spec;
type DropEmbedding struct {
	Range
	Embedding Ident
}

func (*DropEmbedding) statement() {}

// Heading is DROP EMBEDDING.
func (*DropEmbedding) Heading() string { return "DROP EMBEDDING" }

func (p *parser) dropEmbedding(begin Pos) Statement {
	embedding := p.embedding()
	return &DropEmbedding{p.since(begin), embedding}
}

func (s *DropEmbedding) String() string { return "DROP EMBEDDING " + s.Embedding.String() }

// DescribeEmbedding is DESCRIBE EMBEDDING e.
//
//	describeembedding = "DESCRIBE" "EMBEDDING" name         e.g. DESCRIBE EMBEDDING spec;
type DescribeEmbedding struct {
	Range
	Embedding Ident
}

func (*DescribeEmbedding) statement() {}

// Heading is DESCRIBE EMBEDDING.
func (*DescribeEmbedding) Heading() string { return "DESCRIBE EMBEDDING" }

func (p *parser) describeEmbedding(begin Pos) Statement {
	embedding := p.embedding()
	return &DescribeEmbedding{p.since(begin), embedding}
}

func (s *DescribeEmbedding) String() string { return "DESCRIBE EMBEDDING " + s.Embedding.String() }
