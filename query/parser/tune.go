package parser

// Tune is TUNE g [USING method(…), …] FOR goal AS e [WITH (…)] [IN BACKGROUND].
//
//	tune         = "TUNE" name [ "USING" call { "," call } ]
//	               "FOR" ( "RECONSTRUCTION" | "LINKS"
//	             | "LABELS" ) "AS" name [ options ]
//	               [ background ]                           e.g. TUNE social USING dp_spectral, dp_walker(walks := 5) FOR LINKS AS best WITH (budget := '10m');
type Tune struct {
	Range
	Graph      Ident
	Methods    []Call // nil where left out
	For        Goal
	Embedding  Ident
	Options    []Option
	Background bool
}

// Goal is what TUNE tunes an embedding for, by its keyword.
type Goal string

// The goals.
const (
	ForReconstruction Goal = "RECONSTRUCTION"
	ForLinks          Goal = "LINKS"
	ForLabels         Goal = "LABELS"
)

var goals = []Goal{ForReconstruction, ForLinks, ForLabels}

func (*Tune) statement() {}

// Heading is TUNE.
func (*Tune) Heading() string { return "TUNE" }

func (p *parser) tune(begin Pos) Statement {
	s := &Tune{Graph: p.graph()}
	if p.keyword("USING") {
		s.Methods = separated(p, func() Call { return p.call(methodName) })
	}
	p.needKeyword("FOR")
	s.For = p.goal()
	p.needKeyword("AS")
	s.Embedding = p.name(newEmbeddingName)
	s.Options = p.withOptions(s)
	s.Background = p.background()
	s.Range = p.since(begin)
	return s
}

func (p *parser) goal() Goal {
	for _, goal := range goals {
		if p.keyword(string(goal)) {
			return goal
		}
	}
	p.unexpected()
	return ""
}

func (s *Tune) String() string {
	text := "TUNE " + s.Graph.String()
	if len(s.Methods) > 0 {
		text += " USING " + list(s.Methods)
	}
	return text + " FOR " + string(s.For) + " AS " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}
