package index

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/storage/vec"
)

// SampleDistances returns the Euclidean distances of random pairs of distinct
// vertices, drawn with replacement, ascending; or of all pairs, if there are
// at most count. Its quantiles are radii for [NewSweep]. The same seed gives
// the same sample. A pair costs one random access to two vectors, and 16
// bytes. The only error is that of ctx.
//
// Each distance r is rounded up so that r² ≥ vec.L2Squared of its pair: the
// pair is within the radius r.
func SampleDistances(ctx context.Context, m *vec.Matrix, count int, seed uint64) ([]float64, error) {
	total := pairs(m.Rows)
	all := total <= int64(count)
	if all {
		count = int(total)
	}
	// One generator and one sorted run per block, so that blocks can be drawn
	// concurrently and a cancelled sample ends soon.
	const block = 1 << 14
	distances := make([]float64, max(0, count))
	vec.Parallel(len(distances), block, 0, func(number, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		random := rand.New(rand.NewPCG(seed, uint64(number)))
		for i := lo; i < hi; i++ {
			var u, v int
			if all {
				u, v = pairAt(i)
			} else {
				u, v = random.IntN(m.Rows), random.IntN(m.Rows-1)
				if v >= u {
					v++
				}
			}
			distances[i] = reaching(vec.L2Squared(m.Row(u), m.Row(v)))
		}
		slices.Sort(distances[lo:hi])
	})
	distances = mergeRuns(ctx, distances, block)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	return distances, nil
}

// pairAt returns pair i of (0,1), (0,2), (1,2), (0,3), …: all pairs u < v by
// ascending v.
func pairAt(i int) (u, v int) {
	v = int((1 + math.Sqrt(1+8*float64(i))) / 2)
	for v*(v-1)/2 > i { // the root may have a rounding error
		v--
	}
	for (v+1)*v/2 <= i {
		v++
	}
	return i - v*(v-1)/2, v
}

// mergeRuns merges sorted runs of the given length into one sorted list. When
// ctx ends, the result is incomplete and must not be used.
func mergeRuns(ctx context.Context, x []float64, run int) []float64 {
	spare := make([]float64, len(x))
	for ; run < len(x); run *= 2 {
		vec.Parallel(len(x), 2*run, 0, func(_, lo, hi int) {
			if ctx.Err() == nil {
				mid := min(lo+run, hi)
				merge(spare[lo:hi], x[lo:mid], x[mid:hi])
			}
		})
		x, spare = spare, x
	}
	return x
}

// merge merges two sorted lists into dst, which has the length of both.
func merge(dst, a, b []float64) {
	for i := range dst {
		if len(b) == 0 || (len(a) > 0 && a[0] <= b[0]) {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
}

// reaching returns the smallest radius whose square is at least the squared
// distance.
func reaching(squared float32) float64 {
	r := math.Sqrt(float64(squared))
	for r*r < float64(squared) {
		r = math.Nextafter(r, math.Inf(1))
	}
	return r
}
