package parser

// EvaluateLinks is EVALUATE LINKS IN g [USING method(…), …] [WITH (…)].
type EvaluateLinks struct {
	Range
	Graph   Ident
	Methods []Call
	Options []Option
}

// EvaluateTest is EVALUATE TEST FILE 'edges' | GRAPH held AGAINST FILE 'pairs' | GRAPH others [IN g]
// [WITH scorer, …] [WITH (…)].
type EvaluateTest struct {
	Range
	File        Value  // String or Param; nil with Edges
	Edges       *Ident // nil with File
	AgainstFile Value  // String or Param; nil with Against
	Against     *Ident // nil with AgainstFile
	Graph       *Ident // nil where left out
	Scorers     []Scorer
	Options     []Option
}

// EvaluateLabels is EVALUATE LABELS 'attribute' OF e [WITH (…)].
type EvaluateLabels struct {
	Range
	Attribute Value // String or Param
	Embedding Ident
	Options   []Option
}

// EvaluateParameters is EVALUATE PARAMETERS IN g USING method(…) [WITH (…)].
type EvaluateParameters struct {
	Range
	Graph   Ident
	Method  Call
	Options []Option
}

// EvaluateReconstruction is EVALUATE RECONSTRUCTION OF e [WITH (…)].
type EvaluateReconstruction struct {
	Range
	Embedding Ident
	Options   []Option
}

// Tune is TUNE g [USING method(…), …] FOR goal AS e [WITH (…)] [IN BACKGROUND].
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
