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
	// Judge scores the vectors of the vertices of Graph, row v those of vertex v.
	Judge(ctx context.Context, m *vec.Matrix, effort Effort) (Judgement, error)
}

// Effort says at what price vectors are judged.
type Effort struct {
	Full    bool // as others would measure them; otherwise an estimate will do
	Workers int  // goroutines; 0 is GOMAXPROCS
}

// Judgement is what an objective says of an embedding.
type Judgement struct {
	Score    float64   // the higher the better; NaN is worse than all
	Measures []Measure // what the score comes from and what else is known, the same names every time
}

// Measure is a figure with its name, NaN where it is not known.
type Measure struct {
	Name  string
	Value float64
}
