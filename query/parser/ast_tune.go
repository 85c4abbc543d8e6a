package parser

// Tune is TUNE g [USING method(…), …] FOR goal AS e [WITH (…)] [IN BACKGROUND].
type Tune struct {
	Range
	Graph      Ident
	Methods    []Call // nil where none are named
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
