package link

import (
	"errors"
	"fmt"

	"heavytail/storage/csr"
)

// Pairs are the training pairs of a model.
type Pairs struct {
	Links  []csr.Edge // links that the graph does not have
	Others []csr.Edge // non-links
	// Hidden are all links that were removed from the graph, of which Links may be a sample;
	// nil means Links. Recommendations are measured by them.
	Hidden []csr.Edge
}

// TrainOptions sets how Train works. The zero value works.
type TrainOptions struct {
	Terms Terms
	// Folds is the number of parts in the cross-validation: for validation and
	// calibration, each part is scored by a model of the other parts. 0 means
	// DefaultFolds.
	Folds int
	// Near, if not nil, finds further candidates of the vertices to which links are
	// recommended. It is called only for models with terms of vectors.
	Near    Near
	Workers int // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives the number of finished regressions, as the stage
	// "fitting".
	Progress func(stage string, done, total int64)
}

// DefaultFolds is the number of parts for validation.
const DefaultFolds = 4

// leastLinks is the smallest number of links, and of non-links, that a model is
// trained on.
const leastLinks = 10

// Validate reports all faults of the options at once.
func (o TrainOptions) Validate() error {
	faults := []error{o.Terms.Validate()}
	if o.Folds < 0 || o.Folds == 1 || o.Folds > leastLinks {
		faults = append(faults, fmt.Errorf("folds (%d) must be from 2 to %d: %w", o.Folds, leastLinks, ErrOption))
	}
	return errors.Join(faults...)
}
