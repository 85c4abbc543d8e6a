package parser

// This file has the statements that judge embeddings.

// EvaluateReconstruction is EVALUATE RECONSTRUCTION OF e [WITH (…)].
type EvaluateReconstruction struct {
	Range
	Embedding Ident
	Options   []Option
}

// EvaluateLinks is EVALUATE LINKS IN g USING method(…) [WITH (…)].
type EvaluateLinks struct {
	Range
	Graph   Ident
	Method  Call
	Options []Option
}

func (*EvaluateLinks) statement()          {}
func (*EvaluateReconstruction) statement() {}
