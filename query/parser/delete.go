package parser

// deletion reads DELETE.
//
//	delete       = "DELETE" ( vertexword keys "FROM" name
//	             | vertexword "FROM" name where
//	             | edgeword pairs "FROM" name
//	             | edgeword "FILE" string "FROM" name
//	               [ options ] )                            e.g. DELETE VERTICES FROM social WHERE degree = 0;
func (p *parser) deletion() Statement {
	return p.vertexOrEdge(p.deleteVertices, p.deleteEdges, "DELETE VERTEX v FROM g deletes a vertex, DELETE VERTICES FROM g WHERE … those that meet a condition, DELETE EDGE (v, w) FROM g an edge, DROP GRAPH g a graph")
}

// DeleteVertices is DELETE VERTEX v, … FROM g, or
// DELETE VERTICES FROM g WHERE condition.
type DeleteVertices struct {
	Range
	Keys  []Value // as Key of NewVertex; nil if and only if there is a condition
	Graph Ident
	Where Expr // nil where the vertices are named
}

// Heading is DELETE VERTEX, or with a condition DELETE VERTICES.
func (s *DeleteVertices) Heading() string {
	if s.Where != nil {
		return "DELETE VERTICES"
	}
	return "DELETE VERTEX"
}

func (p *parser) deleteVertices() Statement {
	if p.keyword("FROM") {
		return &DeleteVertices{Graph: p.graph(), Where: p.needWhere()}
	}
	return &DeleteVertices{Keys: p.keys(), Graph: p.graphAfter("FROM")}
}

func (s *DeleteVertices) String() string {
	if s.Where != nil {
		return "DELETE VERTICES FROM " + s.Graph.String() + where(s.Where)
	}
	return "DELETE VERTEX " + list(s.Keys) + " FROM " + s.Graph.String()
}

// DeleteEdges is DELETE EDGE (u, v), … FROM g.
type DeleteEdges struct {
	Range
	Pairs []Pair // at least one
	Graph Ident
}

func (*DeleteEdges) Heading() string { return "DELETE EDGE" }

func (p *parser) deleteEdges() Statement {
	if p.keyword("FILE") {
		return p.deleteEdgesFile()
	}
	return &DeleteEdges{Pairs: p.pairs(), Graph: p.graphAfter("FROM")}
}

func (s *DeleteEdges) String() string {
	return "DELETE EDGE " + list(s.Pairs) + " FROM " + s.Graph.String()
}

// DeleteEdgesFile is DELETE EDGES FILE 'file' FROM g [WITH (…)].
type DeleteEdgesFile struct {
	Range
	File    Value // String or Param
	Graph   Ident
	Options []Option
}

func (*DeleteEdgesFile) Heading() string { return "DELETE EDGES FILE" }

func (p *parser) deleteEdgesFile() Statement {
	return &DeleteEdgesFile{File: p.fileName(), Graph: p.graphAfter("FROM"), Options: p.withOptions(new(DeleteEdgesFile))}
}

func (s *DeleteEdgesFile) String() string {
	return "DELETE EDGES FILE " + s.File.String() + " FROM " + s.Graph.String() + withOptions(s.Options)
}
