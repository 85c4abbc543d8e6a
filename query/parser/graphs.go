package parser

// CreateGraph is CREATE [DIRECTED] GRAPH g.
type CreateGraph struct {
	Range
	Graph    Ident
	Directed bool
}

// DropGraph is DROP GRAPH g [CASCADE].
type DropGraph struct {
	Range
	Graph   Ident
	Cascade bool
}

// DescribeGraph is DESCRIBE GRAPH g [ALL] [WITH (…)].
type DescribeGraph struct {
	Range
	Graph   Ident
	All     bool
	Options []Option
}

// Generate is GENERATE generator(…) INTO g.
type Generate struct {
	Range
	Generator Call
	Graph     Ident
}

// DeriveGraph is CREATE GRAPH x AS SUBGRAPH OF g WHERE condition, or one of the other
// graphs that are made from graphs or from an embedding.
type DeriveGraph struct {
	Range
	Graph   Ident
	How     Derivation
	Of      []Ident  // two or more of a Union, none of NearestGraph, otherwise one
	Where   Expr     // of Subgraph: of vertices and edges
	From    Value    // of Ego: a key; of Component: nil for the largest one
	Within  Value    // of Ego: a number of edges: Int or Param; nil where left out
	Options []Option // of Sample, NullModel and Union
	Count   Value    // of NearestGraph: Int or Param
	Using   *Space   // of NearestGraph
	Mutual  bool     // of NearestGraph
}

// Derivation is how a graph is made, by its keyword.
type Derivation string

// The derivations.
const (
	Subgraph     Derivation = "SUBGRAPH"
	Component    Derivation = "COMPONENT"
	Ego          Derivation = "EGO"
	Sample       Derivation = "SAMPLE"
	NullModel    Derivation = "NULL"
	Forest       Derivation = "SPANNING"
	Union        Derivation = "UNION"
	NearestGraph Derivation = "NEAREST"
	Undirected   Derivation = "UNDIRECTED"
	Reversed     Derivation = "REVERSED"
)

// Rename is ALTER GRAPH | EMBEDDING | MODEL name RENAME TO name, or ALTER [EDGE] ATTRIBUTE name IN g
// RENAME TO name.
type Rename struct {
	Range
	What  Renamed
	Name  Ident
	Graph *Ident // of an attribute, otherwise nil
	To    Ident
}

// Renamed is what a Rename renames, by its keyword.
type Renamed string

// What can be renamed.
const (
	RenamedGraph     Renamed = "GRAPH"
	RenamedEmbedding Renamed = "EMBEDDING"
	RenamedModel     Renamed = "MODEL"
	RenamedAttribute Renamed = "ATTRIBUTE"

	RenamedEdgeAttribute Renamed = "EDGE ATTRIBUTE"
)

// ShowEdges is SHOW EDGES [IN g].
type ShowEdges struct {
	Range
	Graph *Ident // nil where left out
}

// Path is PATH FROM v TO w [IN g] [BY WEIGHT] [WITH (…)].
type Path struct {
	Range
	From, To Value  // keys: String, Int or Param
	Graph    *Ident // nil where left out
	ByWeight bool
	Options  []Option
}

// Paths is PATHS n FROM v TO w [IN g] [BY WEIGHT] [WITH (…)].
type Paths struct {
	Range
	Count    Value  // Int or Param
	From, To Value  // keys: String, Int or Param
	Graph    *Ident // nil where left out
	ByWeight bool
	Options  []Option
}

// CountVertices is COUNT VERTICES [IN g] [WHERE condition] [BY attribute] [WITH summary, …].
type CountVertices struct {
	Range
	Graph *Ident    // nil where left out
	Where Expr      // nil where left out
	By    *Ident    // an attribute; nil where left out
	With  []Summary // nil where left out
}

// CountEdges is COUNT EDGES [IN g] [WHERE condition] [BY attribute] [WITH summary, …].
type CountEdges struct {
	Range
	Graph *Ident    // nil where left out
	Where Expr      // of edges; nil where left out
	By    *Ident    // an attribute, weight or time; nil where left out
	With  []Summary // nil where left out
}

// Summary is a figure of a column: mean(age).
//
//	summary      = name "(" name ")"                        e.g. COUNT VERTICES IN social WITH min(age), max(age), sum(degree);
type Summary struct {
	Range
	Function Ident
	Of       Ident // an attribute, or another column of a condition
}

func (p *parser) summary() Summary {
	begin := p.tok.Start
	s := Summary{Function: p.name(functionName)}
	p.needSign("(")
	s.Of = p.name(columnName)
	p.needSign(")")
	s.Range = p.since(begin)
	return s
}

func (s Summary) String() string { return s.Function.String() + "(" + s.Of.String() + ")" }

// DescribeVertex is DESCRIBE VERTEX v [IN g].
type DescribeVertex struct {
	Range
	Vertex Value  // a key: String, Int (its decimal text is the key) or Param
	Graph  *Ident // nil where left out
}

// ShowVertices is SHOW VERTICES [IN g].
type ShowVertices struct {
	Range
	Graph *Ident // nil where left out
}

// ShowNeighbors is SHOW NEIGHBORS OF v [WITHIN n] [IN g] [WITH (…)].
type ShowNeighbors struct {
	Range
	Of      Value  // a key: String, Int or Param
	Within  Value  // a number of edges: Int or Param; nil where left out
	Graph   *Ident // nil where left out
	Options []Option
}
