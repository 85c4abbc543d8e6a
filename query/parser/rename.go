package parser

import "slices"

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

// Heading is ALTER.
func (*Rename) Heading() string { return "ALTER" }

// alter reads what is behind ALTER.
func (p *parser) alter() Statement {
	i := slices.IndexFunc(renamed, func(what Renamed) bool { return p.keyword(string(what)) })
	if i < 0 {
		p.unexpected()
		return nil
	}
	s := &Rename{What: renamed[i]}
	to := newGraphName
	switch s.What {
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
		p.needKeyword("IN")
		graph := p.graph()
		s.Graph = &graph
	}
	p.needKeyword("RENAME")
	p.needKeyword("TO")
	s.To = p.name(to)
	return s
}

func (s *Rename) String() string {
	return "ALTER " + string(s.What) + " " + s.Name.String() + in(s.Graph) + " RENAME TO " + s.To.String()
}
