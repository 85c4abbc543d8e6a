package parser

// This file has the statements that judge embeddings.

// EvaluateReconstruction is EVALUATE RECONSTRUCTION OF e [WITH (…)].
type EvaluateReconstruction struct {
	Range
	Embedding Ident
	Options   []Option
}

// EvaluateLinks is EVALUATE LINKS IN g USING method(…), … [WITH (…)].
type EvaluateLinks struct {
	Range
	Graph   Ident
	Methods []Call // at least one
	Options []Option
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

func (*EvaluateLabels) statement()         {}
func (*EvaluateParameters) statement()     {}
func (*EvaluateLinks) statement()          {}
func (*EvaluateReconstruction) statement() {}
