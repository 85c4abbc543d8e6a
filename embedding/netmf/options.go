package netmf

import (
	"errors"
	"fmt"

	"heavytail/embedding/internal/base"
)

// Method is the name of [NetMF] as a method of embeddings.
const Method = "netmf"

var (
	// ErrOptions is wrapped by every error of an option that cannot be used; the text
	// names the option, its value and what is allowed.
	ErrOptions = base.ErrOptions
	// ErrEntries is wrapped by every [EntriesError].
	ErrEntries = base.ErrEntries
)

// EntriesError reports that the matrix of a graph has more entries than the option
// entries allows. errors.Is finds ErrEntries.
type EntriesError struct {
	Vertices int   // with edges
	Entries  int64 // estimated from the rows of a sample of the vertices
	Limit    int64 // Options.Entries
}

func (e *EntriesError) Error() string {
	return fmt.Sprintf("%v: about %.2g for %d vertices, and the option entries allows %d; use fastrp or deepwalk, which need no such matrix, or raise entries (8 bytes each)",
		ErrEntries, float64(e.Entries), e.Vertices, e.Limit)
}

// Unwrap returns ErrEntries.
func (e *EntriesError) Unwrap() error { return ErrEntries }

// Limits of options.
const (
	MaxWindow   = 100
	MaxNegative = 1000
	MaxEntries  = 1 << 30
)

// Options are the parameters of [NetMF]. The zero value takes every default.
type Options struct {
	Dim           int    // k, coordinates per vertex, up to 4096; 0 is 200
	Window        int    // T, steps of the walk, up to MaxWindow; 0 is 10
	Negative      int    // b, the number of negative samples that is imitated, up to MaxNegative; 0 is 1
	Entries       int    // most entries of the sparse matrix, up to MaxEntries; 0 is 2²⁸
	Seed          uint64 // of the random start of the solver
	IgnoreWeights bool   // every edge has weight 1
	Workers       int    // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Progress, if not nil, receives the number of finished rows with the stage
	// "multiplying", and of converged eigenpairs with the stages "solving: largest" and
	// "solving: smallest". It is called by one goroutine at a time.
	Progress func(stage string, done, total int64)
}

// WithDefaults returns a copy in which every parameter is set.
func (o Options) WithDefaults() Options {
	if o.Dim == 0 {
		o.Dim = 200 // as the other methods
	}
	if o.Window == 0 {
		o.Window = 10
	}
	if o.Negative == 0 {
		o.Negative = 1
	}
	if o.Entries == 0 {
		o.Entries = 1 << 28
	}
	return o
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o Options) Validate() error {
	o = o.WithDefaults()
	var errs []error
	within := func(name string, x, most int) {
		if x < 1 || x > most {
			errs = append(errs, fmt.Errorf("%w: %s (%d) must be from 1 to %d", ErrOptions, name, x, most))
		}
	}
	within("dim", o.Dim, base.MaxDim)
	within("window", o.Window, MaxWindow)
	within("negative", o.Negative, MaxNegative)
	within("entries", o.Entries, MaxEntries)
	if o.Workers < 0 {
		errs = append(errs, fmt.Errorf("%w: workers (%d) must not be negative", ErrOptions, o.Workers))
	}
	return errors.Join(errs...)
}
