package gather

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"heavytail/storage/csr"
	"heavytail/storage/internal/fault"
)

// Repeated determines the weight of an edge that occurs more than once in an import, in either
// direction, or that the graph already contains.
type Repeated string

// The rules for repeated edges. An occurrence without a weight does not change the weight; if
// weights are added, it counts as 1. The timestamp is the first one under RepeatedFirst, and
// otherwise the last one.
const (
	RepeatedLast  Repeated = "last"  // the last weight that was given
	RepeatedFirst Repeated = "first" // the first weight; that of the graph, if it has the edge
	RepeatedSum   Repeated = "sum"   // all added up
	RepeatedMin   Repeated = "min"   // the smallest
	RepeatedMax   Repeated = "max"   // the largest
	RepeatedCount Repeated = "count" // number of occurrences, whatever their weights, added to the weight in the graph
)

// Repeats returns all rules for repeated edges, the default first.
func Repeats() []Repeated {
	return []Repeated{RepeatedLast, RepeatedFirst, RepeatedSum, RepeatedMin, RepeatedMax, RepeatedCount}
}

// ParseRepeated returns the rule with the given name, and RepeatedLast for "". Other names are
// ErrInvalid.
func ParseRepeated(name string) (Repeated, error) {
	if name == "" {
		return RepeatedLast, nil
	}
	if how := Repeated(name); slices.Contains(Repeats(), how) {
		return how, nil
	}
	var names []string
	for _, how := range Repeats() {
		names = append(names, string(how))
	}
	return "", fmt.Errorf("repeated %q is none of %s: %w", fault.Clip(name), strings.Join(names, ", "), fault.ErrInvalid)
}

// adds reports whether repeated edges without weights get a weight.
func (how Repeated) adds() bool { return how == RepeatedSum || how == RepeatedCount }

// counted is the weight that an occurrence adds; weight 0 means that it has none.
func (how Repeated) counted(weight float64) float64 {
	if how == RepeatedCount || weight == 0 && how == RepeatedSum {
		return 1
	}
	return how.written(float32(weight))
}

// written is a weight as it was written, where weights are added: nine times 0.1 is the float32
// nearest to 0.9, and nine times the float32 nearest to 0.1 is nearest to another.
func (how Repeated) written(weight float32) float64 {
	if how.adds() {
		return csr.Decimal(weight)
	}
	return float64(weight)
}

// edgeFold combines the occurrences of an edge into one. Occurrences may be folded in several
// steps: sums are exact, so the result does not depend on the steps.
type edgeFold struct {
	how    Repeated
	weight float64    // 0 while none was given
	sum    *big.Float // replaces weight if a float64 cannot hold the sum exactly
	time   int64

	differs bool // under RepeatedLast: the occurrences have different weights
	base    bool // the weight is that of a graph, with which others are not compared
}

func newFold(how Repeated) *edgeFold { return &edgeFold{how: how, time: csr.NoTime} }

// reset removes all occurrences.
func (f *edgeFold) reset() {
	f.weight, f.sum, f.time, f.differs, f.base = 0, nil, csr.NoTime, false, false
}

// sumBits bits hold any sum of up to 2^64 decimals of float32s, which are float64s, exactly.
const sumBits = 149 + 53 + 128 + 64

// add adds the next occurrence; weight 0 means that it has none, and a negative one that it was
// folded of different weights, of which this is the last without the sign.
func (f *edgeFold) add(weight float64, time int64) {
	if weight < 0 {
		weight, f.differs = -weight, true
	}
	switch {
	case weight == 0:
	case f.weight == 0:
		f.weight = weight
	case f.how == RepeatedLast:
		f.differs = f.differs || weight != f.weight && !f.base
		f.weight = weight
	case f.how == RepeatedMin:
		f.weight = min(f.weight, weight)
	case f.how == RepeatedMax:
		f.weight = max(f.weight, weight)
	case f.how.adds():
		f.addUp(weight)
	}
	if time != csr.NoTime && (f.how != RepeatedFirst || f.time == csr.NoTime) {
		f.time = time
	}
}

func (f *edgeFold) addUp(weight float64) {
	if f.sum == nil {
		// The rounding error of the addition (Knuth, The Art of Computer Programming 2, 4.2.2).
		sum := f.weight + weight
		part := sum - f.weight
		if lost := (f.weight - (sum - part)) + (weight - part); lost == 0 {
			f.weight = sum
			return
		}
		f.sum = new(big.Float).SetPrec(sumBits).SetFloat64(f.weight)
	}
	f.sum.Add(f.sum, new(big.Float).SetFloat64(weight))
}

// each calls yield for occurrences that are equivalent to all that were folded: one, or as many as
// are needed to represent the sum exactly.
func (f *edgeFold) each(edge uint64, yield func(occurrence) error) error {
	if f.differs {
		return yield(occurrence{edge, -f.weight, f.time})
	}
	if f.sum == nil {
		return yield(occurrence{edge, f.weight, f.time})
	}
	rest, time := new(big.Float).Copy(f.sum), f.time
	for rest.Sign() != 0 {
		part, _ := rest.Float64()
		if err := yield(occurrence{edge, part, time}); err != nil {
			return err
		}
		rest.Sub(rest, new(big.Float).SetFloat64(part))
		time = csr.NoTime
	}
	return nil
}

// result returns the weight of the edge.
func (f *edgeFold) result() (float32, error) {
	weight := float32(f.weight)
	switch {
	case f.sum != nil:
		weight, _ = f.sum.Float32()
	case weight == 0:
		return 1, nil
	}
	if !math.IsInf(float64(weight), 0) {
		return weight, nil
	}
	if f.sum != nil {
		return 0, tooHeavy(f.sum.Text('g', 6))
	}
	return 0, tooHeavy(fmt.Sprint(f.weight))
}

func tooHeavy(weight string) error {
	return fmt.Errorf("the weights of an edge add up to %s, more than a float32 holds: %w", weight, fault.ErrLimit)
}

// Fold returns the weight and the time that an import gives to an edge with these occurrences, in
// their order. A missing weight is 0, a missing time csr.NoTime. A sum of weights beyond the range
// of float32 is ErrLimit.
func (how Repeated) Fold(weights []float32, times []int64) (float32, int64, error) {
	f := newFold(how)
	for i, w := range weights {
		f.add(how.counted(float64(w)), times[i])
	}
	weight, err := f.result()
	return weight, f.time, err
}

// valueAt returns element at of a list, or otherwise if the list is nil.
func valueAt[E any](list []E, at int64, otherwise E) E {
	if list == nil {
		return otherwise
	}
	return list[at]
}

// occurrence is an edge of the input, or several occurrences of the same edge that were folded.
type occurrence struct {
	edge   uint64  // smaller vertex in the upper half, larger one in the lower
	weight float64 // 0 where none was given; negative where different weights were folded
	time   int64   // csr.NoTime where none was given
}

const (
	plainBytes  = 8  // of an edge without a weight and a time
	valuedBytes = 24 // of an occurrence
)
