package run

import (
	"context"
	"fmt"
	"slices"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/tune"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Tunable returns a method with its options for a search over the parameters
// that are not given. If the options have no seed, the method takes the seed
// of the search. Errors are *MethodError, *option.Error and tune.ErrOptions.
func Tunable(method string, options []option.Given, seed uint64) (tune.Method, error) {
	if _, err := Check(method, options); err != nil {
		return tune.Method{}, err
	}
	m := tune.Method{Name: method}
	parameters := tune.Parameters(method)
	if parameters == nil {
		return m, fmt.Errorf("%s: %w", method, tune.ErrOptions)
	}
	for _, o := range options {
		if slices.Contains(parameters, o.Name) {
			m.Held = append(m.Held, o.Name)
		}
	}
	options = seeded(options, seed)
	var err error
	if method == tune.MethodUnitBall {
		var o BallOptions
		if o, _, err = BallSchema().BindValid("method "+method, options, BallOptions.validate); o.Least {
			return m, &option.Error{Owner: "method " + method, Option: "dim", Value: leastWord, Allowed: "a whole number from 1 to 4096 in a search"}
		}
		m.Placing = o.withDefaults().placing()
	} else if HasWalks(method) {
		m.Walks, _, err = WalkSchema(method).BindValid("method "+method, options, embedding.WalkOptions.Validate)
	} else {
		m.Spectral, _, err = SpectralSchema(method).BindValid("method "+method, options, embedding.SpectralOptions.Validate)
	}
	return m, err
}

const (
	surveyDim    = 64
	surveyPasses = 60 // passes after which the quality of a full run can be predicted
)

// placing is unit_ball for a search. The survey has fewer dimensions and passes.
func (o BallOptions) placing() *tune.Placing {
	at := func(full bool) BallOptions {
		o := o
		if !full {
			o.Dim, o.Passes, o.Rounds = min(o.Dim, surveyDim), min(o.Passes, surveyPasses), 1
		}
		return o
	}
	return &tune.Placing{
		Margin: o.Margin,
		Embed: func(ctx context.Context, g *csr.Graph, margin float64, full bool, workers int, progress func(about string)) (*vec.Matrix, error) {
			o := at(full)
			o.Margin = margin
			computed, err := o.run(ctx, g, Request{Workers: workers, Progress: func(stage string, _, _ int64) { progress(stage) }})
			return computed.vectors, err
		},
		Seconds: func(g *csr.Graph, full bool) float64 {
			o, n := at(full), float64(g.Vertices())
			// A quarter of the passes have a join of n²/2 pairs; the others measure the edges
			// and some more pairs.
			return float64(o.Passes) * float64(o.Dim) * (n*n/8*1.2e-11 + 6*float64(g.Edges())*1e-10)
		},
	}
}

// Tuned returns the options with which Embed computes the embedding of a trial
// in full: the given options and those that the search found.
func Tuned(given []option.Given, trial tune.Trial, seed uint64) []option.Given {
	options := seeded(given, seed)
	for _, o := range trial.Options {
		if x, number := o.Value.(float64); number { // of a search on a line, of which an option may take only whole ones
			options = withOption(options, o.Name, x)
		} else {
			options = append(options, option.Given(o))
		}
	}
	return options
}

func seeded(options []option.Given, seed uint64) []option.Given {
	if slices.ContainsFunc(options, func(o option.Given) bool { return o.Name == "seed" }) {
		return slices.Clone(options)
	}
	return append(slices.Clone(options), option.Given{Name: "seed", Value: int64(seed)})
}
