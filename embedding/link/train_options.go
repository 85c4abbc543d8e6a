package link

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

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
	// Choice, if not nil, is the candidate to learn, and no others are compared: its terms
	// replace Terms.
	Choice *Choice
	// Near, if not nil, finds further candidates of the vertices to which links are
	// recommended. It is called only for models with terms of vectors.
	Near    Near
	Workers int // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives the number of finished regressions, as the stage
	// "fitting".
	Progress func(stage string, done, total int64)
}

// Choice is a candidate that Train has chosen: its terms and how their weights are learned, but
// not the weights. With TrainOptions.Choice, Train learns it from other pairs.
type Choice struct {
	order, apart recipe
	factor       float64 // of apart, in standard deviations of the scores; 0 without apart
}

// recipe is a set of terms whose weights are learned together.
type recipe struct {
	terms    Terms // never nil heuristics
	byVertex bool  // by a conditional model
}

// terms returns all terms of the choice.
func (c Choice) terms() Terms {
	all := Terms{Heuristics: append([]string{}, c.order.terms.Heuristics...), Features: cmp.Or(c.order.terms.Features, c.apart.terms.Features)}
	for _, name := range c.apart.terms.Heuristics {
		if !slices.Contains(all.Heuristics, name) {
			all.Heuristics = append(all.Heuristics, name)
		}
	}
	return all
}

// NeedsTimes reports whether a term of the choice needs the times of edges.
func (c Choice) NeedsTimes() bool { return slices.ContainsFunc(c.terms().Heuristics, NeedsTimes) }

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
