package parser

// This file has the statements that judge embeddings.

// EvaluateReconstruction is EVALUATE RECONSTRUCTION OF e [WITH (…)].
type EvaluateReconstruction struct {
	Range
	Embedding Ident
	Options   []Option
}

func (*EvaluateReconstruction) statement() {}
