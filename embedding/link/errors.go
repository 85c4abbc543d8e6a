package link

import "errors"

// Errors of New and FindFeature. They are wrapped with the name that was asked
// for.
var (
	ErrScorer         = errors.New("unknown scorer")
	ErrNeedsGraph     = errors.New("scorer needs a graph")
	ErrFeature        = errors.New("unknown feature")
	ErrNeedsEmbedding = errors.New("scorer needs an embedding")
)
