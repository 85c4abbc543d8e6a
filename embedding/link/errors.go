package link

import "errors"

// Errors of New. They are wrapped with the name of the scorer.
var (
	ErrScorer         = errors.New("unknown scorer")
	ErrNeedsGraph     = errors.New("scorer needs a graph")
	ErrNeedsEmbedding = errors.New("scorer needs an embedding")
)
