package tune

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"heavytail/embedding"
)

// ErrOptions is wrapped by every error of an invalid method or option.
var ErrOptions = errors.New("invalid options")

// Options are the limits of a search.
type Options struct {
	// Budget is the time after which no trial begins; 0 means no limit. The next trial is
	// finished if it has begun. So the search also ends before a trial of a
	// [Placing], which may take minutes, if the rest of the time is too short for it by
	// the longest such trial, or by the estimate of the method before there is one.
	Budget time.Duration
	// Trials is the largest number of trials; 0 means no limit.
	Trials  int
	Workers int // goroutines; 0 is GOMAXPROCS; no result depends on it
	// OneAtATime runs no trial beside another one, which takes half of the memory. The trials
	// are the same.
	OneAtATime bool

	// Progress, if not nil, receives the name of the stage, the number of
	// finished trials, and the largest number of trials, 0 if it is unknown,
	// as without Trials.
	Progress func(stage string, done, total int64)

	// Checkpoints save the finished trials. A search that continues from them runs the
	// remaining trials and ends with the same result; the budget includes the time that
	// was spent before.
	Checkpoints embedding.Checkpoints
}

// Validate reports all faults of the options at once.
func (o Options) Validate() error {
	var faults []error
	if o.Budget < 0 {
		faults = append(faults, fmt.Errorf("%w: budget (%v) must not be negative", ErrOptions, o.Budget))
	}
	if o.Trials < 0 {
		faults = append(faults, fmt.Errorf("%w: trials (%d) must not be negative", ErrOptions, o.Trials))
	}
	return errors.Join(faults...)
}

// workersOf returns the number of goroutines of a search with these options.
func (o Options) workersOf() int {
	if o.Workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Workers
}

// abreast returns how many trials run at a time.
func (o Options) abreast() int {
	if o.OneAtATime || o.workersOf() < 2 {
		return 1
	}
	return 2
}
