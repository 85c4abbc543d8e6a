package pairs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// SampleDistances returns the Euclidean distances of random pairs of distinct
// vertices, drawn with replacement, ascending; or of all pairs, if there are
// at most count. Its quantiles are radii for [NewSweep]. The same seed gives
// the same sample. A pair costs one random access to two vectors, and 16
// bytes. A negative count is ErrOption; otherwise the only error is that of ctx.
//
// Each distance r is rounded up so that r² ≥ vec.L2Squared of its pair: the
// pair is within the radius r.
func SampleDistances(ctx context.Context, m *vec.Matrix, count int, seed uint64) ([]float64, error) {
	ctx = base.OrBackground(ctx)
	if err := base.NotNegative("number of distances", count); err != nil {
		return nil, err
	}
	total := pairs(m.Rows)
	all := total <= int64(count)
	if all {
		count = int(total)
	}
	// One generator per block, so that blocks can be drawn concurrently and a
	// cancelled sample ends soon.
	const block = 1 << 14
	squares := make([]uint32, max(0, count)) // bit patterns, which ascend as the numbers do
	vec.Parallel(len(squares), block, 0, func(number, lo, hi int) {
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
			squares[i] = math.Float32bits(vec.L2Squared(m.Row(u), m.Row(v)))
		}
	})
	squares = sortBits(ctx, squares)
	distances := make([]float64, len(squares))
	vec.Parallel(len(squares), block, 0, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			distances[i] = reaching(math.Float32frombits(squares[i]))
		}
	})
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

// sortBits sorts bit patterns of numbers that are not negative, by counting 11 bits at a
// time from the lowest on: millions of random distances take a tenth of the time that
// comparing them takes. When ctx ends, the result is incomplete and must not be used.
func sortBits(ctx context.Context, x []uint32) []uint32 {
	const digit = 11 // 2,048 counters and write positions stay in the first-level cache
	spare := make([]uint32, len(x))
	for low := 0; low < 32 && ctx.Err() == nil; low += digit {
		var next [1 << digit]int // count, then the place of the next number, of each digit
		for _, bits := range x {
			next[bits>>low&(1<<digit-1)]++
		}
		at := 0
		for d, count := range next {
			next[d] = at
			at += count
		}
		for _, bits := range x {
			d := bits >> low & (1<<digit - 1)
			spare[next[d]] = bits
			next[d]++
		}
		x, spare = spare, x
	}
	return x
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
