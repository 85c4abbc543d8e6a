package run

import (
	"context"
	"slices"
	"strconv"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/tune"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Tunable returns a method with its options for a search over the parameters
// that are not given. If the options have no seed, the method takes the seed
// of the search. Errors are *MethodError and *option.Error.
func Tunable(method string, options []option.Given, seed uint64) (tune.Method, error) {
	if _, err := Check(method, options); err != nil {
		return tune.Method{}, err
	}
	m := tune.Method{Name: method}
	parameters := tune.Parameters(method)
	for _, o := range options {
		if slices.Contains(parameters, o.Name) {
			m.Held = append(m.Held, o.Name)
		}
	}
	options = seeded(options, seed)
	var err error
	switch {
	case HasWalks(method):
		m.Walks, _, err = WalkSchema(method).BindValid("method "+method, options, embedding.WalkOptions.Validate)
	case method == embedding.MethodDPSpectral || method == embedding.MethodLaplacianEigenmaps:
		m.Spectral, _, err = SpectralSchema(method).BindValid("method "+method, options, embedding.SpectralOptions.Validate)
	default:
		if slices.ContainsFunc(options, func(o option.Given) bool { return o.Name == dimName && o.Value == any(leastWord) }) {
			return m, &option.Error{Owner: "method " + method, Option: "dim", Value: leastWord, Allowed: "a whole number from 1 to 4096 in a search"}
		}
		m.Placing, err = elsewhere(method, parameters, options)
	}
	return m, err
}

const (
	surveyDim    = 64
	surveyPasses = 60 // passes after which the quality of a full run can be predicted
)

// elsewhere is a method that package embedding does not have, for a search, with the options that were given. The survey has fewer
// dimensions and passes.
func elsewhere(method string, parameters []string, given []option.Given) (*tune.Placing, error) {
	p := &tune.Placing{Defaults: map[string]float64{}}
	settings, err := Settings(method, given)
	if err != nil {
		return nil, err
	}
	size := map[string]int64{}
	for _, s := range settings {
		if x, err := strconv.ParseFloat(s.Value, 64); err == nil && slices.Contains(parameters, s.Name) {
			p.Defaults[s.Name] = x
		}
		if n, err := strconv.ParseInt(s.Value, 10, 64); err == nil {
			size[s.Name] = n
		}
	}
	at := func(full bool) []option.Given {
		options := slices.Clone(given)
		if n, there := size["passes"]; there && !full {
			options = withOption(withOption(options, "passes", float64(min(n, surveyPasses))), "rounds", 1)
		}
		if !full {
			options = withOption(options, dimName, float64(min(size[dimName], surveyDim)))
		}
		return options
	}
	p.Embed = func(ctx context.Context, g *csr.Graph, options []tune.Option, full bool, workers int, progress func(about string)) (*vec.Matrix, error) {
		all := at(full)
		for _, o := range options {
			all = withOption(all, o.Name, o.Value.(float64))
		}
		m, _, err := Compute(ctx, g, Request{Method: method, Options: all, Workers: workers, Progress: func(stage string, _, _ int64) { progress(stage) }})
		return m, err
	}
	p.Seconds = func(vertices, edges int64, full bool) float64 {
		dim, passes := size[dimName], size["passes"]
		if !full {
			dim, passes = min(dim, surveyDim), min(passes, surveyPasses)
		}
		return placingSeconds(method, float64(vertices), float64(edges), float64(dim), float64(passes))
	}
	return p, nil
}

// placingSeconds is computed and not measured, since a search must be the same on every
// machine.
func placingSeconds(method string, n, edges, dim, passes float64) float64 {
	const read = 1e-10 // seconds of a number that is read and added
	switch method {
	case tune.MethodUnitBall:
		// A quarter of the passes have a join of n²/2 pairs; the others measure the edges
		// and some more pairs.
		return passes * dim * (n*n/8*1.2e-11 + 6*edges*read)
	case tune.MethodNetMF: // the matrix of a small graph has most pairs; the solver takes some 30 products
		return n*n*2e-8 + 30*n*n*dim*read
	case tune.MethodFastRP:
		return 3 * 2 * edges * dim * read
	}
	return 70*2*edges*dim*read + 26*n*dim*dim*read // prone
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
