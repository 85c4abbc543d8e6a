package tune

import (
	"context"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Objective is the purpose that embeddings are tuned for. Its methods are
// called from two goroutines at a time, and must return the same values for the same
// arguments with any number of workers.
type Objective interface {
	// Graph returns the graph to embed for a judgement with an effort: the
	// whole graph, or the training part of an evaluation.
	Graph(effort Effort) *csr.Graph
	// Judge scores the vectors of the vertices of Graph, row v for vertex v,
	// with the given number of goroutines; 0 means GOMAXPROCS.
	Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error)
	// CloseIs returns how a close judgement relates to an exact one.
	CloseIs() Closeness
}

// Effort is the permitted cost of a judgement.
type Effort uint8

// The efforts. An objective may always do more.
const (
	Rough Effort = iota // to distinguish good parameters from bad ones
	Close               // to distinguish good parameters from better ones
	Exact               // comparable with other measurements
)

// Closeness is the relation of a close judgement to an exact one.
type Closeness uint8

// The kinds of closeness.
const (
	Estimate Closeness = iota // it estimates the same figure
	Same                      // it is the same figure
	// Apart: it uses other pairs or vertices than an exact one, whose pairs or
	// vertices are reserved for confirmation.
	Apart
)

// Judgement is the result of judging an embedding.
type Judgement struct {
	Score    float64   `json:"score"`    // the higher the better; NaN is worse than all
	Measures []Measure `json:"measures"` // the figures behind the score and further ones, with the same names every time
}

// Measure is a figure with its name, NaN if unknown.
type Measure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}
