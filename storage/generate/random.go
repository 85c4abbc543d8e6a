package generate

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// random draws the same numbers on every machine and in every release of Go: PCG-DXSM is a fixed
// definition, and the reduction to a range is implemented here because that of rand.Rand may
// change.
type random struct{ source rand.PCG }

// newRandom returns the stream of a seed. The second word distinguishes it from other uses of the
// same seed.
func newRandom(seed uint64) *random {
	r := new(random)
	r.source.Seed(seed, 0x9e3779b97f4a7c15)
	return r
}

// below returns a uniform number in [0, n), n > 0, by Lemire's multiplication
// with rejection ("Fast Random Integer Generation in an Interval", 2019).
func (r *random) below(n uint64) uint64 {
	hi, lo := bits.Mul64(r.source.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(r.source.Uint64(), n)
		}
	}
	return hi
}

// unit returns a uniform multiple of 2^-53 in [0, 1).
func (r *random) unit() float64 { return float64(r.source.Uint64()>>11) * 0x1p-53 }

// chance returns true with probability p, to within 2^-53.
func (r *random) chance(p float64) bool { return r.unit() < p }

// jumps draws the number of failures before the next success in trials of equal probability. With
// it the cost of a model depends on its edges and not on all pairs (Batagelj and Brandes,
// "Efficient generation of large random networks", 2005).
type jumps struct {
	p       float64
	failure float64 // ln(1-p)
}

func newJumps(p float64) jumps {
	j := jumps{p: p}
	switch {
	case p <= 0.5:
		j.failure = ratioLog(-p / (2 - p)) // 1-p = (1+s)/(1-s) with this s, without the rounding of 1-p
	case p < 1:
		j.failure = logarithm(1 - p)
	}
	return j
}

// never is larger than the number of trials of any model.
const never = 1 << 63

// next returns the number of failures: the inverse of their distribution
// function at a uniform number.
func (j jumps) next(r *random) uint64 {
	switch {
	case j.p <= 0:
		return never
	case j.p >= 1:
		return 0
	}
	trials := logarithm(1-r.unit()) / j.failure
	if !(trials < never) {
		return never
	}
	return uint64(trials)
}

// logarithm returns ln x for x in (0, 1], within 1e-15 relative or absolute.
// The logarithm of package math is written in assembly for some processors and
// in Go for others, and differs between them in the last bits, which would let
// the same seed give different graphs.
func logarithm(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	// Conversions round: without them the compiler may fuse a product and a
	// sum on processors that can.
	return float64(float64(exponent)*math.Ln2) + ratioLog((fraction-1)/(fraction+1))
}

// ratioLog returns ln((1+s)/(1-s)) = 2(s + s³/3 + s⁵/5 + …) for |s| ≤ 1/3.
func ratioLog(s float64) float64 {
	square := float64(s * s)
	sum := 0.0
	for i := len(oddInverses) - 1; i >= 0; i-- {
		sum = float64(sum*square) + oddInverses[i]
	}
	return 2 * float64(s*sum)
}

// oddInverses are 1, 1/3, 1/5 …; the next would add less than 1e-18.
var oddInverses = [18]float64{
	1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19,
	1. / 21, 1. / 23, 1. / 25, 1. / 27, 1. / 29, 1. / 31, 1. / 33, 1. / 35,
}
