package parser

// Import is IMPORT 'file' INTO g [WITH (…)].
type Import struct {
	Range
	File    Value // String or Param
	Graph   Ident
	Options []Option
}

// ImportVertices is IMPORT VERTICES 'file' INTO g [WITH (…)].
type ImportVertices struct {
	Range
	File    Value // String or Param
	Graph   Ident
	Options []Option
}

// ImportEmbedding is IMPORT EMBEDDING 'file' INTO g AS e [WITH (…)].
type ImportEmbedding struct {
	Range
	File      Value // String or Param
	Graph     Ident
	Embedding Ident
	Options   []Option
}

// ExportGraph is EXPORT GRAPH g INTO FILE 'file' [WITH (…)].
type ExportGraph struct {
	Range
	Graph   Ident
	File    Value // String or Param
	Options []Option
}

// ExportVertices is EXPORT VERTICES OF g INTO FILE 'file' [WITH (…)].
type ExportVertices struct {
	Range
	Graph   Ident
	File    Value // String or Param
	Options []Option
}

// ExportWalks is EXPORT WALKS OF g USING method(…) INTO FILE 'file' [WITH (…)].
type ExportWalks struct {
	Range
	Graph   Ident
	Method  Call
	File    Value // String or Param
	Options []Option
}

// ExportEmbedding is EXPORT EMBEDDING e INTO FILE 'file' [WITH (…)].
type ExportEmbedding struct {
	Range
	Embedding Ident
	File      Value // String or Param
	Options   []Option
}

// ExportPairs is EXPORT PAIRS OF g [USING method(…), …] INTO FILE 'file' [WITH (…)].
type ExportPairs struct {
	Range
	Graph   Ident
	Methods []Call
	File    Value // String or Param
	Options []Option
}
