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
