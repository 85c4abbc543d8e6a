package skipgram

import (
	"errors"
	"time"

	"heavytail/storage/vec"
)

// ErrState is wrapped by the errors of a State that cannot be read, or that does not match
// the corpus and options of the training that continues it.
var ErrState = errors.New("invalid state of a training")

// State is a training between two batches, when the copies of rows are merged: all that is
// needed to continue with the same bytes. The tree follows from the visits; random numbers depend only on the seed and the
// place in the corpus.
type State struct {
	Epoch int // current epoch; Options.Epochs after the end
	Walk  int // next walk of the epoch
	Batch int // batches so far

	Visits []int64 // of each vertex on all walks, once

	// Vectors has the vector of each vertex: the result so far. Nodes has the vector of
	// each inner node of the tree, numbered from the root, and the last row is unused;
	// for negative sampling, the vector of each vertex as a centre. The stride may be
	// larger than the dimension.
	Vectors, Nodes vec.Panel

	Done     int64     // visits trained in the epoch
	Pairs    int64     // steps so far
	Loss     []float64 // of the epochs that have ended
	Sum      float64   // of the loss in the epoch
	Measured int64     // pairs whose loss is in Sum
}

// joined returns the first rows of a panel as a matrix in the same memory: rows with gaps
// between them move together.
func joined(p vec.Panel, rows int) *vec.Matrix {
	if p.Stride != p.Cols {
		for i := range rows {
			copy(p.Data[i*p.Cols:], p.Data[i*p.Stride:][:p.Cols])
		}
	}
	return &vec.Matrix{Rows: rows, Dim: p.Cols, Data: p.Data[:rows*p.Cols]}
}

// Checkpoints sets how often the state of a training is saved. The zero value
// saves nothing.
type Checkpoints struct {
	// Save, if not nil, receives the state between two batches, and when the context has
	// ended, from the calling goroutine. The training continues when Save has returned
	// and then changes the state. An error ends the training.
	Save func(*State) error
	// Every is the minimum time between calls; the call when the context ends
	// does not wait for it.
	Every time.Duration
}
