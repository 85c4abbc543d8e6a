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

// ExportGraph is EXPORT GRAPH g INTO FILE 'file' [WITH (…)].
//
//	exportgraph  = "EXPORT" "GRAPH" name
//	               "INTO" "FILE" string [ options ]         e.g. EXPORT GRAPH social INTO FILE 'social.edges';
type ExportGraph struct {
	Range
	Graph   Ident
	File    Value // String or Param
	Options []Option
}

func (*ExportGraph) Heading() string { return "EXPORT GRAPH" }

func (p *parser) exportGraph() Statement {
	return &ExportGraph{Graph: p.graph(), File: p.intoFile(), Options: p.withOptions(new(ExportGraph))}
}

func (s *ExportGraph) String() string {
	return "EXPORT GRAPH " + s.Graph.String() + intoFile(s.File) + withOptions(s.Options)
}

// ExportVertices is EXPORT VERTICES OF g INTO FILE 'file' [WITH (…)].
//
//	exportvertices = "EXPORT" "VERTICES" "OF" name
//	               "INTO" "FILE" string [ options ]         e.g. EXPORT VERTICES OF social INTO FILE 'people.csv';
type ExportVertices struct {
	Range
	Graph   Ident
	File    Value // String or Param
	Options []Option
}

func (*ExportVertices) Heading() string { return "EXPORT VERTICES" }

func (p *parser) exportVertices() Statement {
	return &ExportVertices{Graph: p.graphAfter("OF"), File: p.intoFile(), Options: p.withOptions(new(ExportVertices))}
}

func (s *ExportVertices) String() string {
	return "EXPORT VERTICES OF " + s.Graph.String() + intoFile(s.File) + withOptions(s.Options)
}

// ExportWalks is EXPORT WALKS OF g USING method(…) INTO FILE 'file' [WITH (…)].
//
//	exportwalks  = "EXPORT" "WALKS" "OF" name "USING" call
//	               "INTO" "FILE" string [ options ]         e.g. EXPORT WALKS OF social USING dp_walker(walks := 5) INTO FILE 'walks.txt';
type ExportWalks struct {
	Range
	Graph   Ident
	Method  Call
	File    Value // String or Param
	Options []Option
}

func (*ExportWalks) Heading() string { return "EXPORT WALKS" }

func (p *parser) exportWalks() Statement {
	return &ExportWalks{Graph: p.graphAfter("OF"), Method: p.usingCall(walkMethodName), File: p.intoFile(), Options: p.withOptions(new(ExportWalks))}
}

func (s *ExportWalks) String() string {
	return "EXPORT WALKS OF " + s.Graph.String() + " USING " + s.Method.String() + intoFile(s.File) + withOptions(s.Options)
}

// ExportEmbedding is EXPORT EMBEDDING e INTO FILE 'file' [WITH (…)].
//
//	exportembedding = "EXPORT" "EMBEDDING" name
//	               "INTO" "FILE" string [ options ]         e.g. EXPORT EMBEDDING spec INTO FILE 'spec.txt' WITH (overwrite := true);
type ExportEmbedding struct {
	Range
	Embedding Ident
	File      Value // String or Param
	Options   []Option
}

func (*ExportEmbedding) Heading() string { return "EXPORT EMBEDDING" }

func (p *parser) exportEmbedding() Statement {
	return &ExportEmbedding{Embedding: p.embedding(), File: p.intoFile(), Options: p.withOptions(new(ExportEmbedding))}
}

func (s *ExportEmbedding) String() string {
	return "EXPORT EMBEDDING " + s.Embedding.String() + intoFile(s.File) + withOptions(s.Options)
}

// ExportPairs is EXPORT PAIRS OF g [USING method(…), …] INTO FILE 'file' [WITH (…)].
//
//	exportpairs  = "EXPORT" "PAIRS" "OF" name
//	               [ "USING" call { "," call } ]
//	               "INTO" "FILE" string [ options ]         e.g. EXPORT PAIRS OF social USING dp_spectral INTO FILE 'pairs.csv' WITH (share := 0.1);
type ExportPairs struct {
	Range
	Graph   Ident
	Methods []Call
	File    Value // String or Param
	Options []Option
}

func (*ExportPairs) Heading() string { return "EXPORT PAIRS" }

func (p *parser) exportPairs() Statement {
	return &ExportPairs{Graph: p.graphAfter("OF"), Methods: p.usingMethods(), File: p.intoFile(), Options: p.withOptions(new(ExportPairs))}
}

func (s *ExportPairs) String() string {
	return "EXPORT PAIRS OF " + s.Graph.String() + usingMethods(s.Methods) + intoFile(s.File) + withOptions(s.Options)
}
