package walk

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// ErrOptions is wrapped by every fault that Validate reports.
var ErrOptions = errors.New("invalid options")

// Kind is a rule for the next vertex of a walk.
type Kind uint8

const (
	// Uniform moves to a neighbour, in proportion to the weights of the edges
	// if there are any: DeepWalk (Perozzi, Al-Rfou and Skiena, KDD 2014).
	Uniform Kind = iota
	// Penalized moves to a vertex one or two edges away, less often to one of
	// higher degree: DP-Walker.
	Penalized
	// Biased moves to a neighbour, depending on the previous vertex of the
	// walk: node2vec (Grover and Leskovec, KDD 2016).
	Biased
)

// Options are the parameters of walks. The zero value gives the walks of DeepWalk.
type Options struct {
	Kind Kind
	// Length is the number of vertices of a walk; 0 means 40. Walks is the number of walks
	// from each vertex; 0 means 10. The defaults are those of the paper's experiments.
	Length, Walks int
	// Beta is the exponent of the penalty of Penalized; 0 means no penalty.
	Beta float64
	// Common is the weight of common neighbours in C' for Penalized, at least 0; nil means 1,
	// the paper's. With 0 the walk follows edges only.
	Common *float64
	// P and Q set the weights of the steps of Biased: 1/P for a step back to the previous
	// vertex, 1/Q for a step out of its neighbourhood; 0 means 1.
	P, Q float64
	// Arcs says that the rows of the graph are those of a directed graph by one end, which Uniform and Biased follow.
	Arcs bool
	// Seed determines the random walks.
	Seed uint64
}

// The largest allowed options: larger values are mistakes.
const (
	maxLength = 1 << 16
	maxWalks  = 1 << 20
	maxBeta   = 16 // 10^6^16 is still far inside float64
	maxCommon = 1e6
)

// WithDefaults returns a copy in which every parameter is set.
func (o Options) WithDefaults() Options {
	o.Length = cmp.Or(o.Length, 40)
	o.Walks = cmp.Or(o.Walks, 10)
	o.P = cmp.Or(o.P, 1)
	o.Q = cmp.Or(o.Q, 1)
	if o.Common == nil {
		o.Common = new(1.0)
	}
	return o
}

// Validate reports all faults at once.
func (o Options) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
	}
	if o.Kind > Biased {
		fault("kind %d is not known", o.Kind)
	}
	if o.Arcs && o.Kind == Penalized {
		fault("Arcs cannot be followed by Penalized, whose common neighbours have no direction")
	}
	if o.Length < 0 || o.Length > maxLength {
		fault("Length (%d) must be 1 to %d", o.Length, maxLength)
	}
	if o.Walks < 0 || o.Walks > maxWalks {
		fault("Walks (%d) must be 1 to %d", o.Walks, maxWalks)
	}
	if !(math.Abs(o.Beta) <= maxBeta) {
		fault("Beta (%v) must be -%d to %d", o.Beta, maxBeta, maxBeta)
	}
	if o.Common != nil && !(*o.Common >= 0 && *o.Common <= maxCommon) {
		fault("Common (%v) must be 0 to %d", *o.Common, int64(maxCommon))
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"P", o.P}, {"Q", o.Q}} {
		if f.value != 0 && !(f.value >= 1e-6 && f.value <= 1e6) {
			fault("%s (%v) must be 1e-6 to 1e6", f.name, f.value)
		}
	}
	return errors.Join(faults...)
}
