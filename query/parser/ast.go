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

// Value is a literal or a parameter: one of String, Int, Float, Bool, Vector
// and Param. The parser checks the kind where the language allows only some
// (the fields say which); it never checks a magnitude, such as a count above 0.
type Value interface {
	Node
	value()
}

// Expr is a condition: one of Or, And, Not, Compare and Flag.
type Expr interface {
	Node
	expr()
}

// Operand is a side of a comparison: an Ident or any Value but a Vector.
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

// Import is IMPORT 'file' INTO g [WITH (…)].
type Import struct {
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

// ExportEmbedding is EXPORT EMBEDDING e INTO FILE 'file' [WITH (…)].
type ExportEmbedding struct {
	Range
	Embedding Ident
	File      Value // String or Param
	Options   []Option
}

// Generate is GENERATE generator(…) INTO g.
type Generate struct {
	Range
	Generator Call
	Graph     Ident
}

// DescribeGraph is DESCRIBE GRAPH g.
type DescribeGraph struct {
	Range
	Graph Ident
}

// DescribeEmbedding is DESCRIBE EMBEDDING e.
type DescribeEmbedding struct {
	Range
	Embedding Ident
}

// Listing is what a SHOW statement lists.
type Listing string

// The listings. Their text is the keyword that names them.
const (
	Graphs     Listing = "GRAPHS"
	Embeddings Listing = "EMBEDDINGS"
	Methods    Listing = "METHODS"
	Scorers    Listing = "SCORERS"
	Generators Listing = "GENERATORS"
)

// Show is SHOW GRAPHS and its siblings.
type Show struct {
	Range
	What Listing
}

// Embed is EMBED g USING method(…) AS e.
type Embed struct {
	Range
	Graph     Ident
	Method    Call
	Embedding Ident
}

// Nearest is NEAREST k TO v USING space [WHERE condition].
type Nearest struct {
	Range
	Count Value // Int or Param
	To    Value // String (a key), Int (its decimal text is the key), Vector or Param
	Using Space
	Where Expr // nil where left out
}

// Within is WITHIN threshold OF v USING space [WHERE condition] [LIMIT n].
type Within struct {
	Range
	Threshold Threshold // never Auto
	Of        Value     // as To of Nearest
	Using     Space
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

// Explain is EXPLAIN statement, or PROFILE statement, which also runs it.
type Explain struct {
	Range
	Profile   bool
	Statement Statement // never an Explain
}

// Ident is the name of something: a graph, an embedding, an option, a column.
type Ident struct {
	Range
	Name string // without quotes, as written; names are case-sensitive
}

// Call is a method or generator with its options: dp_spectral(dim := 200). The
// parentheses may be left out where there are no options.
type Call struct {
	Range
	Name    Ident
	Options []Option
}

// Option is name := value. Names may repeat: that is for the binder to refuse.
type Option struct {
	Range
	Name  Ident
	Value Value
}

// Space is where a search looks: an embedding, alone or under a metric, as
// spec, l2(spec), cosine(spec) or dot(spec).
type Space struct {
	Range
	Metric    *Ident // nil where left out
	Embedding Ident
}

// ThresholdKind says how a Threshold was written.
type ThresholdKind uint8

// The kinds of threshold.
const (
	Auto    ThresholdKind = iota // AUTO, without a value
	Radius                       // RADIUS r
	Epsilon                      // EPSILON ε
)

// Threshold is RADIUS r, EPSILON ε or AUTO.
type Threshold struct {
	Range
	Kind  ThresholdKind
	Value Value // Int, Float or Param; nil for Auto
}

// Pair is ('u', 'v'): two vertices by key.
type Pair struct {
	Range
	U, V Value // each String, Int or Param
}

// Scorer is a link scorer, with the embedding (or later another object) that
// it reads in parentheses: adamic_adar, cosine(spec).
type Scorer struct {
	Range
	Name Ident
	Of   *Ident // nil where there are no parentheses
}

// String is a string literal.
type String struct {
	Range
	Value string
}

// Int is an integer literal.
type Int struct {
	Range
	Value int64
}

// Float is a number with a fraction or an exponent. It is finite.
type Float struct {
	Range
	Value float64
}

// Bool is TRUE or FALSE.
type Bool struct {
	Range
	Value bool
}

// Vector is [x, y, …]: at least one number, each finite as float64.
type Vector struct {
	Range
	Values []float64
}

// Param is a parameter, $name, whose value comes beside the text.
type Param struct {
	Range
	Name string // without the $
}

// Or is true where any of its terms is. The terms are at least two, and kept in
// one list so that a long chain is no deeper than a short one.
type Or struct {
	Range
	Terms []Expr
}

// And is true where all its terms are. Its terms are at least two.
type And struct {
	Range
	Terms []Expr
}

// Not is true where its term is false.
type Not struct {
	Range
	Term Expr
}

// Operator compares two operands.
type Operator uint8

// The operators. <> and != are the same.
const (
	Equal Operator = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

// Compare is left operator right. Which sides are names is for the binder.
type Compare struct {
	Range
	Left  Operand
	Op    Operator
	Right Operand
}

// Flag is a name that stands for true or false by itself, such as linked.
type Flag struct {
	Range
	Name Ident
}

func (*CreateGraph) statement()       {}
func (*DropGraph) statement()         {}
func (*DropEmbedding) statement()     {}
func (*Import) statement()            {}
func (*ExportGraph) statement()       {}
func (*ExportEmbedding) statement()   {}
func (*Generate) statement()          {}
func (*DescribeGraph) statement()     {}
func (*DescribeEmbedding) statement() {}
func (*Show) statement()              {}
func (*Embed) statement()             {}
func (*Nearest) statement()           {}
func (*Within) statement()            {}
func (*Reconstruct) statement()       {}
func (*Score) statement()             {}
func (*ScoreFile) statement()         {}
func (*Help) statement()              {}
func (*Check) statement()             {}
func (*Explain) statement()           {}

func (String) value() {}
func (Int) value()    {}
func (Float) value()  {}
func (Bool) value()   {}
func (Vector) value() {}
func (Param) value()  {}

func (Or) expr()      {}
func (And) expr()     {}
func (Not) expr()     {}
func (Compare) expr() {}
func (Flag) expr()    {}

func (Ident) operand()  {}
func (String) operand() {}
func (Int) operand()    {}
func (Float) operand()  {}
func (Bool) operand()   {}
func (Param) operand()  {}
