package parser

// Show is SHOW GRAPHS, or SHOW with another Listing.
//
//	show         = "SHOW" ( "GRAPHS" | "EMBEDDINGS"
//	               | "INDEXES" | "MODELS" | "PREDICTIONS"
//	               | "METHODS" | "MEASURES" | "SCORERS"
//	               | "GENERATORS" | "STATS" | "JOBS" )      e.g. SHOW EMBEDDINGS;
type Show struct {
	Range
	What Listing
}

// Listing is what a Show lists, by its keyword.
type Listing string

// The listings.
const (
	Graphs      Listing = "GRAPHS"
	Embeddings  Listing = "EMBEDDINGS"
	Indexes     Listing = "INDEXES"
	Models      Listing = "MODELS"
	Predictions Listing = "PREDICTIONS"
	Methods     Listing = "METHODS"
	Measures    Listing = "MEASURES"
	Scorers     Listing = "SCORERS"
	Generators  Listing = "GENERATORS"
	Stats       Listing = "STATS"
	Jobs        Listing = "JOBS"
)

// listings are all of them, in the order of the grammar.
var listings = []Listing{Graphs, Embeddings, Indexes, Models, Predictions, Methods, Measures, Scorers, Generators, Stats, Jobs}

// Heading is SHOW and the keyword of the listing.
func (s *Show) Heading() string { return "SHOW " + string(s.What) }

func (p *parser) show() Statement {
	for _, what := range listings {
		if p.keyword(string(what)) {
			return &Show{What: what}
		}
	}
	return p.oneOf(shows)
}

func (s *Show) String() string { return s.Heading() }
