package tune

import (
	"context"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Objective is the purpose that embeddings are tuned for. Its methods are
// called from one goroutine, and must give the same for the same at any number
// of workers.
type Objective interface {
	// Graph returns what is to be embedded: the graph, or what an evaluation
	// leaves of it.
	Graph() *csr.Graph
	// Judge scores the vectors of the vertices of Graph, row v those of vertex v,
	// with so many goroutines; 0 is GOMAXPROCS.
	Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error)
}

// Effort is what a judgement may cost.
type Effort uint8

// The efforts. An objective may always do more.
const (
	Rough Effort = iota // to tell good parameters from bad ones
	Close               // to tell good parameters from better ones
	Exact               // to be compared with what others measure
)

// Judgement is what an objective says of an embedding.
type Judgement struct {
	Score    float64   // the higher the better; NaN is worse than all
	Exact    bool      // more effort would give the same
	Measures []Measure // what the score comes from and what else is known, the same names every time
}

// Measure is a figure with its name, NaN where it is not known.
type Measure struct {
	Name  string
	Value float64
}
