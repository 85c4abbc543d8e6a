package scoring

import (
	"errors"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/query/fault"
)

// TrainingMistake converts the error for a graph from which nothing can be learned to an
// Error at the graph.
func TrainingMistake(err error) error {
	at := fault.Graph
	switch {
	case errors.Is(err, evaluate.ErrNegatives):
		at = fault.Option("negatives")
	case errors.Is(err, link.ErrNeedsTimes):
		return fault.New(at, "the remaining edges have no times, which a heuristic needs").
			WithRemedy("hold out fewer, or set latest := FALSE").WithErr(err)
	case !errors.Is(err, link.ErrTooFew) && !errors.Is(err, evaluate.ErrLinks):
		return err
	}
	return fault.New(at, "%v", err).WithErr(err)
}
