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
