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

func (*Tune) Heading() string { return "TUNE" }

func (p *parser) tune() Statement {
	return &Tune{
		Graph:      p.graph(),
		Methods:    p.usingMethods(),
		For:        after(p, "FOR", func() Goal { return oneWord(p, goals) }),
		Embedding:  p.nameAfter("AS", newEmbeddingName),
		Options:    p.withOptions(new(Tune)),
		Background: p.background(),
	}
}

func (s *Tune) String() string {
	return "TUNE " + s.Graph.String() + usingMethods(s.Methods) + " FOR " + string(s.For) + " AS " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}
