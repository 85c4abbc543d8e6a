package parser

// EvaluateLinks is EVALUATE LINKS IN g [USING method(…), …] [WITH (…)].
//
//	evaluatelinks = "EVALUATE" "LINKS" "IN" name
//	               [ "USING" call { "," call } ] [ options ] e.g. EVALUATE LINKS IN social USING dp_spectral(dim := 64), deepwalk WITH (share := 0.1);
type EvaluateLinks struct {
	Range
	Graph   Ident
	Methods []Call
	Options []Option
}

func (*EvaluateLinks) Heading() string { return "EVALUATE LINKS" }

func (p *parser) evaluateLinks() Statement {
	return &EvaluateLinks{Graph: p.graphAfter("IN"), Methods: p.usingMethods(), Options: p.withOptions(new(EvaluateLinks))}
}

func (s *EvaluateLinks) String() string {
	return "EVALUATE LINKS IN " + s.Graph.String() + usingMethods(s.Methods) + withOptions(s.Options)
}

func (p *parser) usingMethods() []Call {
	return optional(p, "USING", func() []Call { return separated(p, func() Call { return p.call(methodName) }) })
}

func usingMethods(methods []Call) string { return listClause(" USING ", methods) }

// EvaluateLabels is EVALUATE LABELS 'attribute' OF e [WITH (…)].
//
//	evaluatelabels = "EVALUATE" "LABELS" string "OF" name
//	               [ options ]                              e.g. EVALUATE LABELS 'area' OF spec;
type EvaluateLabels struct {
	Range
	Attribute Value // String or Param
	Embedding Ident
	Options   []Option
}

func (*EvaluateLabels) Heading() string { return "EVALUATE LABELS" }

func (p *parser) evaluateLabels() Statement {
	return &EvaluateLabels{
		Attribute: p.value(aString, attributeText),
		Embedding: p.embeddingAfter("OF"),
		Options:   p.withOptions(new(EvaluateLabels)),
	}
}

func (s *EvaluateLabels) String() string {
	return "EVALUATE LABELS " + s.Attribute.String() + " OF " + s.Embedding.String() + withOptions(s.Options)
}

// EvaluateParameters is EVALUATE PARAMETERS IN g USING method(…) [WITH (…)].
//
//	evaluateparameters = "EVALUATE" "PARAMETERS" "IN" name
//	               "USING" call [ options ]                 e.g. EVALUATE PARAMETERS IN social USING dp_spectral(dim := 64);
type EvaluateParameters struct {
	Range
	Graph   Ident
	Method  Call
	Options []Option
}

func (*EvaluateParameters) Heading() string { return "EVALUATE PARAMETERS" }

func (p *parser) evaluateParameters() Statement {
	return &EvaluateParameters{Graph: p.graphAfter("IN"), Method: p.usingCall(methodName), Options: p.withOptions(new(EvaluateParameters))}
}

func (s *EvaluateParameters) String() string {
	return "EVALUATE PARAMETERS IN " + s.Graph.String() + " USING " + s.Method.String() + withOptions(s.Options)
}

// EvaluateReconstruction is EVALUATE RECONSTRUCTION OF e [WITH (…)].
//
//	evaluatereconstruction = "EVALUATE" "RECONSTRUCTION" "OF" name
//	               [ options ]                              e.g. EVALUATE RECONSTRUCTION OF spec;
type EvaluateReconstruction struct {
	Range
	Embedding Ident
	Options   []Option
}

func (*EvaluateReconstruction) Heading() string { return "EVALUATE RECONSTRUCTION" }

func (p *parser) evaluateReconstruction() Statement {
	return &EvaluateReconstruction{Embedding: p.embeddingAfter("OF"), Options: p.withOptions(new(EvaluateReconstruction))}
}

func (s *EvaluateReconstruction) String() string {
	return "EVALUATE RECONSTRUCTION OF " + s.Embedding.String() + withOptions(s.Options)
}

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
