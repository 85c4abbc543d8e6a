package parser

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
