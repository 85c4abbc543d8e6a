package parser

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
