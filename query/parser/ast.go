package parser

// The nodes of the syntax tree are plain data: what was written, and where.
// They hold no resolved names, no defaults and nothing of a store. Statements
// are pointers, all other nodes are values; a node and its slices belong to
// whoever parsed the text and are never changed by this package afterwards.

// Node is any part of a statement.
type Node interface {
	// Source returns the range of source text that the node was read from.
	Source() Range
	// String returns the canonical text of the node: keywords in upper case,
	// names quoted only where they must be, one blank between words. Parsing
	// the canonical text of a statement gives the statement again, but for
	// its positions.
	String() string
}

// Statement is one of the statement nodes below, always a pointer.
type Statement interface {
	Node
	statement()
}

// Value is a literal or a parameter: one of String, Int, Float, Bool, Vector,
// Missing and Param. The parser checks the kind where the language allows only
// some (the fields say which); it never checks a magnitude, such as a count
// above 0.
type Value interface {
	Node
	value()
}

// Expr is a condition: one of Or, And, Not, Compare, In, IsMissing and Flag.
type Expr interface {
	Node
	expr()
}

// Operand is a side of a comparison: an Ident or any Value but a Vector and
// Missing.
type Operand interface {
	Node
	operand()
}

// CreateGraph is CREATE GRAPH g.
type CreateGraph struct {
	Range
	Graph Ident
}

// DropGraph is DROP GRAPH g [CASCADE].
type DropGraph struct {
	Range
	Graph   Ident
	Cascade bool
}

// DropEmbedding is DROP EMBEDDING e.
type DropEmbedding struct {
	Range
	Embedding Ident
}

// DropAttribute is DROP ATTRIBUTE a FROM g.
type DropAttribute struct {
	Range
	Attribute Ident
	Graph     Ident
}

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

// ExportEmbedding is EXPORT EMBEDDING e INTO FILE 'file' [WITH (…)].
type ExportEmbedding struct {
	Range
	Embedding Ident
	File      Value // String or Param
	Options   []Option
}

// ExportWalks is EXPORT WALKS OF g USING method(…) INTO FILE 'file' [WITH (…)].
type ExportWalks struct {
	Range
	Graph   Ident
	Method  Call
	File    Value // String or Param
	Options []Option
}

// Generate is GENERATE generator(…) INTO g.
type Generate struct {
	Range
	Generator Call
	Graph     Ident
}

// DescribeGraph is DESCRIBE GRAPH g [WITH (…)].
type DescribeGraph struct {
	Range
	Graph   Ident
	Options []Option
}

// DescribeEmbedding is DESCRIBE EMBEDDING e.
type DescribeEmbedding struct {
	Range
	Embedding Ident
}

// DescribeVertex is DESCRIBE VERTEX v [IN g].
type DescribeVertex struct {
	Range
	Vertex Value  // a key: String, Int (its decimal text is the key) or Param
	Graph  *Ident // nil where left out
}

// Listing is what a Show lists.
type Listing string

// The listings. Their text is the keyword that names them.
const (
	Graphs     Listing = "GRAPHS"
	Embeddings Listing = "EMBEDDINGS"
	Indexes    Listing = "INDEXES"
	Models     Listing = "MODELS"

	Predictions Listing = "PREDICTIONS"

	Methods    Listing = "METHODS"
	Scorers    Listing = "SCORERS"
	Generators Listing = "GENERATORS"
	Stats      Listing = "STATS"
	Jobs       Listing = "JOBS"
)

// listings are all of them, in the order of the grammar.
var listings = []Listing{Graphs, Embeddings, Indexes, Models, Predictions, Methods, Scorers, Generators, Stats, Jobs}

// Show is SHOW GRAPHS and its siblings.
type Show struct {
	Range
	What Listing
}

// ShowVertices is SHOW VERTICES [IN g] [WHERE condition] [LIMIT n].
type ShowVertices struct {
	Range
	Graph *Ident // nil where left out
	Where Expr   // nil where left out
	Limit Value  // Int or Param; nil where left out
}

// ShowNeighbors is SHOW NEIGHBORS OF v [IN g] [WHERE condition] [LIMIT n].
type ShowNeighbors struct {
	Range
	Of    Value  // a key: String, Int or Param
	Graph *Ident // nil where left out
	Where Expr   // nil where left out
	Limit Value  // Int or Param; nil where left out
}

// ShowAttributes is SHOW ATTRIBUTES [IN g].
type ShowAttributes struct {
	Range
	Graph *Ident // nil where left out
}

// Embed is EMBED g USING method(…) AS e [IN BACKGROUND].
type Embed struct {
	Range
	Graph      Ident
	Method     Call
	Embedding  Ident
	Options    []Option
	Background bool
}

// Nearest is NEAREST k TO v | (v, …) USING space [FRESH] [EXACT] [WHERE condition].
type Nearest struct {
	Range
	Count    Value   // Int or Param
	To       Value   // String (a key), Int (its decimal text is the key), Vector or Param; nil where there are Examples
	Examples []Value // keys, as To but for a Vector; nil where there is To
	Using    Space
	Fresh    bool // bring the embedding up to date first
	Exact    bool
	Where    Expr // nil where left out
}

// Within is WITHIN threshold OF v USING space [EXACT] [WHERE condition] [LIMIT n].
type Within struct {
	Range
	Threshold Threshold // never Auto
	Of        Value     // as To of Nearest
	Using     Space
	Exact     bool
	Where     Expr  // nil where left out
	Limit     Value // Int or Param; nil where left out
}

// Reconstruct is RECONSTRUCT e threshold [INTO GRAPH h | INTO FILE 'file']
// [WITH (…)]. At most one of Graph and File is set.
type Reconstruct struct {
	Range
	Embedding Ident
	Threshold Threshold
	Graph     *Ident // nil where left out
	File      Value  // String or Param; nil where left out
	Options   []Option
}

// Score is SCORE (u, v), … [IN g] WITH scorer, … [WITH (…)].
type Score struct {
	Range
	Pairs   []Pair // at least one
	Graph   *Ident // nil where left out
	Scorers []Scorer
	Options []Option
}

// ScoreFile is SCORE FILE 'pairs' [IN g] WITH scorer, … [INTO FILE 'scores']
// [WITH (…)].
type ScoreFile struct {
	Range
	Pairs   Value  // String or Param
	Graph   *Ident // nil where left out
	Scorers []Scorer
	File    Value // String or Param; nil where left out
	Options []Option
}

// Help is HELP [words].
type Help struct {
	Range
	Topic []string // the words as they were written
}

// Check is CHECK.
type Check struct{ Range }

// Compact is COMPACT.
type Compact struct{ Range }

// Backup is BACKUP INTO FILE 'file' [WITH (…)].
type Backup struct {
	Range
	File    Value // String or Param
	Options []Option
}

// Migrate is MIGRATE.
type Migrate struct{ Range }

// Recover is RECOVER INTO FILE 'file' [WITH (…)].
type Recover struct {
	Range
	File    Value // String or Param
	Options []Option
}

// Explain is EXPLAIN statement, or PROFILE statement, which also runs it.
type Explain struct {
	Range
	Profile   bool
	Statement Statement // never an Explain
}

func (*CreateGraph) statement()       {}
func (*DropGraph) statement()         {}
func (*DropEmbedding) statement()     {}
func (*DropAttribute) statement()     {}
func (*InsertVertices) statement()    {}
func (*InsertEdges) statement()       {}
func (*UpdateVertices) statement()    {}
func (*UpdateEdges) statement()       {}
func (*DeleteVertices) statement()    {}
func (*DeleteEdges) statement()       {}
func (*DeleteEdgesFile) statement()   {}
func (*Import) statement()            {}
func (*ImportVertices) statement()    {}
func (*ExportGraph) statement()       {}
func (*ExportVertices) statement()    {}
func (*ExportWalks) statement()       {}
func (*ExportEmbedding) statement()   {}
func (*Generate) statement()          {}
func (*DescribeGraph) statement()     {}
func (*DescribeVertex) statement()    {}
func (*DescribeEmbedding) statement() {}
func (*Show) statement()              {}
func (*ShowVertices) statement()      {}
func (*ShowNeighbors) statement()     {}
func (*ShowAttributes) statement()    {}
func (*Embed) statement()             {}
func (*Nearest) statement()           {}
func (*Within) statement()            {}
func (*Reconstruct) statement()       {}
func (*Score) statement()             {}
func (*ScoreFile) statement()         {}
func (*Help) statement()              {}
func (*Check) statement()             {}
func (*Compact) statement()           {}
func (*Backup) statement()            {}
func (*Migrate) statement()           {}
func (*Recover) statement()           {}
func (*Explain) statement()           {}
