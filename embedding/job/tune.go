package job

import (
	"fmt"
	"slices"

	"heavytail/embedding"
	"heavytail/embedding/tune"
)

// Tunable returns a method with its options for a search over the parameters
// that were not given. A seed that is not among the options is that of the
// search. Errors are *MethodError, *OptionError and tune.ErrOptions.
func Tunable(method string, options []Option, seed uint64) (tune.Method, error) {
	if err := Check(method, options); err != nil {
		return tune.Method{}, err
	}
	m := tune.Method{Name: method}
	parameters := tune.Parameters(method)
	if parameters == nil {
		return m, fmt.Errorf("job: %s: %w", method, tune.ErrOptions)
	}
	for _, o := range options {
		if slices.Contains(parameters, o.Name) {
			m.Held = append(m.Held, o.Name)
		}
	}
	options = seeded(options, seed)
	var err error
	if HasWalks(method) {
		m.Walks, err = walkFields(method).parse(method, options, embedding.WalkOptions.Validate)
	} else {
		m.Spectral, err = spectralFields(method).parse(method, options, embedding.SpectralOptions.Validate)
	}
	return m, err
}

// Tuned returns the options with which Embed computes what a trial of a search
// would at the full price: those that were given, and those that were found.
func Tuned(given []Option, trial tune.Trial, seed uint64) []Option {
	options := seeded(given, seed)
	for _, o := range trial.Options {
		options = append(options, Option(o))
	}
	return options
}

// seeded adds a seed where there is none.
func seeded(options []Option, seed uint64) []Option {
	if slices.ContainsFunc(options, func(o Option) bool { return o.Name == "seed" }) {
		return slices.Clone(options)
	}
	return append(slices.Clone(options), Option{"seed", int64(seed)})
}
