package parser

// CreateGraph is CREATE GRAPH g.
//
//	creategraph  = "CREATE" "GRAPH" name [ "AS" derived ]   e.g. CREATE GRAPH social;
type CreateGraph struct {
	Range
	Graph Ident
}

func (*CreateGraph) Heading() string { return "CREATE GRAPH" }

func (p *parser) createGraph() Statement {
	graph := p.name(newGraphName)
	if p.keyword("AS") {
		return p.derived(graph)
	}
	return &CreateGraph{Graph: graph}
}

func (s *CreateGraph) String() string { return "CREATE GRAPH " + s.Graph.String() }

// DropGraph is DROP GRAPH g [CASCADE].
//
//	dropgraph    = "DROP" "GRAPH" name [ "CASCADE" ]        e.g. DROP GRAPH social CASCADE;
type DropGraph struct {
	Range
	Graph   Ident
	Cascade bool
}

func (*DropGraph) Heading() string { return "DROP GRAPH" }

func (p *parser) dropGraph() Statement {
	return &DropGraph{Graph: p.graph(), Cascade: p.keyword("CASCADE")}
}

func (s *DropGraph) String() string {
	return "DROP GRAPH " + s.Graph.String() + given(s.Cascade, " CASCADE")
}

// DescribeGraph is DESCRIBE GRAPH g [WITH (…)].
//
//	describegraph = "DESCRIBE" "GRAPH" name [ options ]     e.g. DESCRIBE GRAPH social WITH (bootstrap := 100, seed := 1);
type DescribeGraph struct {
	Range
	Graph   Ident
	Options []Option
}

func (*DescribeGraph) Heading() string { return "DESCRIBE GRAPH" }

func (p *parser) describeGraph() Statement {
	return &DescribeGraph{Graph: p.graph(), Options: p.withOptions(new(DescribeGraph))}
}

func (s *DescribeGraph) String() string {
	return "DESCRIBE GRAPH " + s.Graph.String() + withOptions(s.Options)
}

// Generate is GENERATE generator(…) INTO g.
//
//	generate     = "GENERATE" call "INTO" name              e.g. GENERATE preferential_attachment(n := 10000, m := 40) INTO synthetic;
type Generate struct {
	Range
	Generator Call
	Graph     Ident
}

func (*Generate) Heading() string { return "GENERATE" }

func (p *parser) generate() Statement {
	return &Generate{Generator: p.call(generatorName), Graph: p.nameAfter("INTO", newGraphName)}
}

func (s *Generate) String() string {
	return "GENERATE " + s.Generator.String() + " INTO " + s.Graph.String()
}

// DeriveGraph is CREATE GRAPH x AS SUBGRAPH OF g WHERE condition, or one of the other
// graphs that are made from graphs or from an embedding.
//
//	derived      = "SUBGRAPH" "OF" name where
//	             | "COMPONENT" "OF" name [ "FROM" key ]
//	             | "SAMPLE" "OF" name [ options ]
//	             | "NULL" "OF" name [ options ]
//	             | "UNION" "OF" name "," name { "," name }
//	               [ options ]
//	             | "NEAREST" integer "USING" space
//	               [ "MUTUAL" ]                             e.g. CREATE GRAPH shuffled AS NULL OF social WITH (exchanges := 20); CREATE GRAPH near AS NEAREST 10 USING cosine(spec) MUTUAL;
type DeriveGraph struct {
	Range
	Graph   Ident
	How     Derivation
	Of      []Ident  // two or more of a Union, none of NearestGraph, otherwise one
	Where   Expr     // of Subgraph: of vertices and edges
	From    Value    // of Component: a key; nil for the largest one
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
	Sample       Derivation = "SAMPLE"
	NullModel    Derivation = "NULL"
	Union        Derivation = "UNION"
	NearestGraph Derivation = "NEAREST"
)

var derivations = []Derivation{Subgraph, Component, Sample, NullModel, Union, NearestGraph}

func (*DeriveGraph) Heading() string { return "CREATE GRAPH" }

// derived reads what is behind CREATE GRAPH x AS.
func (p *parser) derived(graph Ident) Statement {
	s := &DeriveGraph{Graph: graph}
	switch s.How = oneWord(p, derivations); s.How {
	case "":
		return nil
	case NearestGraph:
		p.derivedNearest(s)
	default:
		p.derivedOf(s)
	}
	return s
}

// derivedOf reads what is behind the keyword of a graph that is made from graphs.
func (p *parser) derivedOf(s *DeriveGraph) {
	p.needKeyword("OF")
	s.Of = []Ident{p.graph()}
	switch s.How {
	case Subgraph:
		s.Where = p.ofEdge(p.needWhere)
		return
	case Component:
		s.From = optional(p, "FROM", p.key)
		return
	case Union:
		p.needSign(",")
		s.Of = append(s.Of, separated(p, p.graph)...)
	}
	s.Options = p.withOptions(s)
}

// derivedNearest reads what is behind NEAREST.
func (p *parser) derivedNearest(s *DeriveGraph) {
	s.Count = p.count()
	s.Using = new(p.usingSpace())
	s.Mutual = p.keyword("MUTUAL")
}

func (s *DeriveGraph) String() string {
	text := "CREATE GRAPH " + s.Graph.String() + " AS " + string(s.How)
	if s.How == NearestGraph {
		return text + " " + s.Count.String() + " USING " + s.Using.String() + given(s.Mutual, " MUTUAL")
	}
	return text + " OF " + list(s.Of) + where(s.Where) + clause(" FROM ", s.From) + withOptions(s.Options)
}

// Rename is ALTER GRAPH | EMBEDDING | MODEL name RENAME TO name, or ALTER ATTRIBUTE name IN g
// RENAME TO name.
//
//	rename       = "ALTER" ( "GRAPH" name | "EMBEDDING" name
//	               | "MODEL" name
//	               | "ATTRIBUTE" name "IN" name )
//	               "RENAME" "TO" name                       e.g. ALTER GRAPH social RENAME TO people; ALTER ATTRIBUTE age IN people RENAME TO years;
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
)

var renamed = []Renamed{RenamedGraph, RenamedEmbedding, RenamedModel, RenamedAttribute}

func (*Rename) Heading() string { return "ALTER" }

func (p *parser) alter() Statement {
	s := &Rename{What: oneWord(p, renamed)}
	to := newGraphName
	switch s.What {
	case "":
		return nil
	case RenamedGraph:
		s.Name = p.graph()
	case RenamedEmbedding:
		s.Name, to = p.embedding(), newEmbeddingName
		if p.keyword("AUTO") {
			return p.autoRefresh(s.Name)
		}
	case RenamedModel:
		s.Name, to = p.model(), newModelName
	case RenamedAttribute:
		s.Name, to = p.name(attributeName), newAttributeName
		s.Graph = new(p.graphAfter("IN"))
	}
	p.needKeyword("RENAME")
	s.To = p.nameAfter("TO", to)
	return s
}

func (s *Rename) String() string {
	return "ALTER " + string(s.What) + " " + s.Name.String() + in(s.Graph) + " RENAME TO " + s.To.String()
}

// ShowEdges is SHOW EDGES [IN g] [COLUMNS a, …] [WHERE condition] [ORDER BY weight | time [DESC]] [LIMIT n].
//
//	showedges    = "SHOW" "EDGES" [ "IN" name ]
//	               [ "COLUMNS" name { "," name } ] [ where ]
//	               [ order ] [ "LIMIT" integer ]            e.g. SHOW EDGES IN social WHERE weight >= 2 ORDER BY time DESC LIMIT 10;
type ShowEdges struct {
	Range
	Graph   *Ident  // nil where left out
	Columns []Ident // nil where left out
	Where   Expr    // of edges; nil where left out
	Order   *Order  // nil where left out
	Limit   Value   // Int or Param; nil where left out
}

func (*ShowEdges) Heading() string { return "SHOW EDGES" }

func (p *parser) showEdges() Statement {
	return &ShowEdges{Graph: p.in(), Columns: p.columns(), Where: p.edgesWhere(), Order: p.order(), Limit: p.limit()}
}

func (s *ShowEdges) String() string {
	return "SHOW EDGES" + in(s.Graph) + columns(s.Columns) + where(s.Where) + s.Order.String() + limit(s.Limit)
}

// Path is PATH FROM v TO w [IN g] [BY WEIGHT].
//
//	path         = "PATH" "FROM" key "TO" key [ "IN" name ]
//	               [ "BY" "WEIGHT" ]                        e.g. PATH FROM 'alice' TO 'bob' IN social BY WEIGHT;
type Path struct {
	Range
	From, To Value  // keys: String, Int or Param
	Graph    *Ident // nil where left out
	ByWeight bool
}

func (*Path) Heading() string { return "PATH" }

func (p *parser) path() Statement {
	return &Path{
		From:     after(p, "FROM", p.key),
		To:       after(p, "TO", p.key),
		Graph:    p.in(),
		ByWeight: p.optionalWords("BY", "WEIGHT"),
	}
}

func (s *Path) String() string {
	return "PATH FROM " + s.From.String() + " TO " + s.To.String() + in(s.Graph) + given(s.ByWeight, " BY WEIGHT")
}

// CountVertices is COUNT VERTICES [IN g] [WHERE condition] [BY attribute] [WITH summary, …].
//
//	countvertices = "COUNT" "VERTICES" [ "IN" name ] [ where ]
//	               [ "BY" name ]
//	               [ "WITH" summary { "," summary } ]       e.g. COUNT VERTICES IN social WHERE degree > 100 BY city WITH mean(age), max(rank);
type CountVertices struct {
	Range
	Graph *Ident    // nil where left out
	Where Expr      // nil where left out
	By    *Ident    // an attribute; nil where left out
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

func (*CountVertices) Heading() string { return "COUNT VERTICES" }

func (p *parser) countVertices() Statement {
	p.needKeyword("VERTICES")
	return &CountVertices{
		Graph: p.in(),
		Where: p.where(),
		By:    optionalName(p, "BY", func() Ident { return p.name(attributeName) }),
		With:  optional(p, "WITH", func() []Summary { return separated(p, p.summary) }),
	}
}

func (p *parser) summary() Summary {
	begin := p.tok.Start
	s := Summary{Function: p.name(functionName)}
	p.needSign("(")
	s.Of = p.column()
	p.needSign(")")
	s.Range = p.since(begin)
	return s
}

func (s Summary) String() string { return s.Function.String() + "(" + s.Of.String() + ")" }

func (s *CountVertices) String() string {
	return "COUNT VERTICES" + in(s.Graph) + where(s.Where) + clause(" BY ", s.By) + listClause(" WITH ", s.With)
}

// DescribeVertex is DESCRIBE VERTEX v [IN g].
//
//	describevertex = "DESCRIBE" "VERTEX" key [ "IN" name ]  e.g. DESCRIBE VERTEX 'alice' IN social;
type DescribeVertex struct {
	Range
	Vertex Value  // a key: String, Int (its decimal text is the key) or Param
	Graph  *Ident // nil where left out
}

func (*DescribeVertex) Heading() string { return "DESCRIBE VERTEX" }

func (p *parser) describeVertex() Statement {
	return &DescribeVertex{Vertex: p.key(), Graph: p.in()}
}

func (s *DescribeVertex) String() string {
	return "DESCRIBE VERTEX " + s.Vertex.String() + in(s.Graph)
}

// ShowVertices is SHOW VERTICES [IN g] [COLUMNS a, …] [WHERE condition] [ORDER BY a [DESC]] [LIMIT n].
//
//	showvertices = "SHOW" "VERTICES" [ "IN" name ]
//	               [ "COLUMNS" name { "," name } ] [ where ]
//	               [ order ] [ "LIMIT" integer ]            e.g. SHOW VERTICES IN social COLUMNS rank, city WHERE degree > 100 ORDER BY rank DESC LIMIT 10;
type ShowVertices struct {
	Range
	Graph   *Ident  // nil where left out
	Columns []Ident // nil where left out
	Where   Expr    // nil where left out
	Order   *Order  // nil where left out
	Limit   Value   // Int or Param; nil where left out
}

func (*ShowVertices) Heading() string { return "SHOW VERTICES" }

func (p *parser) showVertices() Statement {
	return &ShowVertices{Graph: p.in(), Columns: p.columns(), Where: p.where(), Order: p.order(), Limit: p.limit()}
}

func (s *ShowVertices) String() string {
	return "SHOW VERTICES" + in(s.Graph) + columns(s.Columns) + where(s.Where) + s.Order.String() + limit(s.Limit)
}

func (p *parser) columns() []Ident {
	return optional(p, "COLUMNS", func() []Ident { return separated(p, p.column) })
}

func columns(names []Ident) string { return listClause(" COLUMNS ", names) }

// Order is ORDER BY a [DESC].
//
//	order        = "ORDER" "BY" name [ "ASC" | "DESC" ]     e.g. SHOW VERTICES IN social ORDER BY degree DESC;
type Order struct {
	Range
	By         Ident // an attribute, or a column of a condition
	Descending bool
}

func (p *parser) order() *Order {
	begin := p.tok.Start
	if !p.keyword("ORDER") {
		return nil
	}
	p.needKeyword("BY")
	o := &Order{By: p.column()}
	if o.Descending = p.keyword("DESC"); !o.Descending {
		p.keyword("ASC")
	}
	o.Range = p.since(begin)
	return o
}

// String is the clause with a blank before it, and empty for nil.
func (o *Order) String() string {
	if o == nil {
		return ""
	}
	return " ORDER BY " + o.By.String() + given(o.Descending, " DESC")
}

// column reads the name of an attribute, or of another column of a condition.
func (p *parser) column() Ident { return p.name(columnName) }

// ShowNeighbors is SHOW NEIGHBORS OF v [WITHIN n] [IN g] [WHERE condition] [LIMIT n].
//
//	showneighbors = "SHOW" "NEIGHBORS" "OF" key
//	               [ "WITHIN" integer ] [ "IN" name ]
//	               [ where ] [ "LIMIT" integer ]            e.g. SHOW NEIGHBORS OF 'alice' WITHIN 2 IN social WHERE age > 30 LIMIT 10;
type ShowNeighbors struct {
	Range
	Of     Value  // a key: String, Int or Param
	Within Value  // a number of edges: Int or Param; nil where left out
	Graph  *Ident // nil where left out
	Where  Expr   // nil where left out
	Limit  Value  // Int or Param; nil where left out
}

func (*ShowNeighbors) Heading() string { return "SHOW NEIGHBORS" }

func (p *parser) showNeighbors() Statement {
	p.needKeyword("OF")
	return &ShowNeighbors{Of: p.key(), Within: optional(p, "WITHIN", p.count), Graph: p.in(), Where: p.where(), Limit: p.limit()}
}

func (s *ShowNeighbors) String() string {
	return "SHOW NEIGHBORS OF " + s.Of.String() + clause(" WITHIN ", s.Within) + in(s.Graph) + where(s.Where) + limit(s.Limit)
}
