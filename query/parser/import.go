package parser

// Import is IMPORT 'file' INTO g [WITH (…)].
//
//	import       = "IMPORT" string "INTO" name [ options ]  e.g. IMPORT 'edges.tsv.gz' INTO social WITH (on_error := 'skip');
type Import struct {
	Range
	File    Value // String or Param
	Graph   Ident
	Options []Option
}

func (*Import) Heading() string { return "IMPORT" }

// ImportVertices is IMPORT VERTICES 'file' INTO g [WITH (…)].
//
//	importvertices = "IMPORT" "VERTICES" string "INTO" name
//	               [ options ]                              e.g. IMPORT VERTICES 'people.csv' INTO social;
type ImportVertices struct {
	Range
	File    Value // String or Param
	Graph   Ident
	Options []Option
}

func (*ImportVertices) Heading() string { return "IMPORT VERTICES" }

// ImportEmbedding is IMPORT EMBEDDING 'file' INTO g AS e [WITH (…)].
//
//	importembedding = "IMPORT" "EMBEDDING" string "INTO" name
//	               "AS" name [ options ]                    e.g. IMPORT EMBEDDING 'theirs.npy' INTO social AS theirs;
type ImportEmbedding struct {
	Range
	File      Value // String or Param
	Graph     Ident
	Embedding Ident
	Options   []Option
}

func (*ImportEmbedding) Heading() string { return "IMPORT EMBEDDING" }

func (p *parser) importFile() Statement {
	switch {
	case p.keyword("VERTICES"):
		return p.importVertices()
	case p.keyword("EMBEDDING"):
		return p.importEmbedding()
	}
	return &Import{File: p.fileName(), Graph: p.graphAfter("INTO"), Options: p.withOptions(new(Import))}
}

func (p *parser) importVertices() Statement {
	return &ImportVertices{File: p.fileName(), Graph: p.graphAfter("INTO"), Options: p.withOptions(new(ImportVertices))}
}

func (s *Import) String() string {
	return "IMPORT " + s.File.String() + " INTO " + s.Graph.String() + withOptions(s.Options)
}

func (s *ImportVertices) String() string {
	return "IMPORT VERTICES " + s.File.String() + " INTO " + s.Graph.String() + withOptions(s.Options)
}

func (p *parser) importEmbedding() Statement {
	return &ImportEmbedding{
		File:      p.fileName(),
		Graph:     p.graphAfter("INTO"),
		Embedding: p.nameAfter("AS", newEmbeddingName),
		Options:   p.withOptions(new(ImportEmbedding)),
	}
}

func (s *ImportEmbedding) String() string {
	return "IMPORT EMBEDDING " + s.File.String() + " INTO " + s.Graph.String() + " AS " + s.Embedding.String() + withOptions(s.Options)
}
