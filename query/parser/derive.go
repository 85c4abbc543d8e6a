package parser

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
