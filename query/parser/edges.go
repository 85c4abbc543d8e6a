package parser

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
