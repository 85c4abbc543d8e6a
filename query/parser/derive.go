package parser

// DeriveGraph is CREATE GRAPH x AS SUBGRAPH OF g WHERE condition, or one of the other
// graphs that are made from a graph.
//
//	derived      = "SUBGRAPH" "OF" name where
//	             | "COMPONENT" "OF" name [ "FROM" key ]
//	             | "SAMPLE" "OF" name [ options ]
//	             | "NULL" "OF" name [ options ]             e.g. CREATE GRAPH shuffled AS NULL OF social WITH (exchanges := 20);
type DeriveGraph struct {
	Range
	Graph   Ident
	How     Derivation
	Of      Ident
	Where   Expr     // of Subgraph
	From    Value    // of Component: a key; nil for the largest one
	Options []Option // of Sample and Null
}

// Derivation is how a graph is made from another one, by its keyword.
type Derivation string

// The derivations.
const (
	Subgraph  Derivation = "SUBGRAPH"
	Component Derivation = "COMPONENT"
	Sample    Derivation = "SAMPLE"
	NullModel Derivation = "NULL"
)

var derivations = []Derivation{Subgraph, Component, Sample, NullModel}

func (*DeriveGraph) statement() {}

// Heading is CREATE GRAPH.
func (*DeriveGraph) Heading() string { return "CREATE GRAPH" }

// derived reads what is behind CREATE GRAPH x AS.
func (p *parser) derived(begin Pos, graph Ident) Statement {
	s := &DeriveGraph{Graph: graph}
	for _, how := range derivations {
		if p.keyword(string(how)) {
			s.How = how
			break
		}
	}
	if s.How == "" {
		p.unexpected()
		return nil
	}
	p.needKeyword("OF")
	s.Of = p.graph()
	switch s.How {
	case Subgraph:
		s.Where = p.needWhere()
	case Component:
		if p.keyword("FROM") {
			s.From = p.key()
		}
	default:
		s.Options = p.withOptions(s)
	}
	s.Range = p.since(begin)
	return s
}

func (s *DeriveGraph) String() string {
	text := "CREATE GRAPH " + s.Graph.String() + " AS " + string(s.How) + " OF " + s.Of.String() + where(s.Where)
	if s.From != nil {
		text += " FROM " + s.From.String()
	}
	return text + withOptions(s.Options)
}
