package link

import "errors"

// Errors of New and FindFeature. They are wrapped with the name that was given.
var (
	ErrScorer         = errors.New("unknown scorer")
	ErrNeedsGraph     = errors.New("scorer needs a graph")
	ErrNeedsTimes     = errors.New("scorer needs the times of edges")
	ErrFeature        = errors.New("unknown feature")
	ErrNeedsEmbedding = errors.New("scorer needs an embedding")
	ErrAsymmetric     = errors.New("feature depends on the order of the pair, but a link has no order")
)

// Errors of models.
var (
	ErrOption    = errors.New("invalid option")                         // a field of an options struct
	ErrNoTerms   = errors.New("a model needs a heuristic or a feature") // neither was named
	ErrTooFew    = errors.New("too few pairs to learn from")            // of links, or of non-links
	ErrDimension = errors.New("embedding has more vectors than the graph has vertices")
	ErrModel     = errors.New("invalid bytes of a model")    // not written by WriteTo, or changed since
	ErrVersion   = errors.New("model of an unknown version") // written by a later program
)
