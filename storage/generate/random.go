package generate

import (
	"math/bits"
	"math/rand/v2"
)

// random draws numbers that are the same on every machine and in every release
// of Go: PCG-DXSM has a fixed definition, and the reduction to a range is our
// own, since that of rand.Rand is not promised to stay.
type random struct{ source rand.PCG }

// newRandom returns the stream of a seed. The second word only keeps it apart
// from other users of the same seed.
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
