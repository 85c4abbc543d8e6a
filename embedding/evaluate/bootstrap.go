package evaluate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"heavytail/storage/vec"
)

// bootstrap returns the fraction of synthetic data sets that are at least as
// far from their fit as the histogram is from its own. Every data set has its
// own generator, so that the result does not depend on the number of workers.
func bootstrap(ctx context.Context, h histogram, law PowerLaw, opts PowerLawOptions) (float64, error) {
	model := newSynthetic(h, law)
	farther := make([]bool, opts.Bootstrap)
	errs := make([]error, opts.Bootstrap)
	var done atomic.Int64
	report := vec.Reporter(opts.Progress, "bootstrapping", int64(opts.Bootstrap))
	vec.Parallel(opts.Bootstrap, 1, opts.Workers, func(i, _, _ int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		sample := model.draw(rand.New(rand.NewPCG(opts.Seed, uint64(i))))
		// A data set with fewer than two values fits a law exactly.
		if len(sample.values) > 1 {
			var fitted PowerLaw
			fitted, errs[i] = sample.fit(ctx)
			farther[i] = fitted.KS >= law.KS
		}
		report(done.Add(1))
	})
	if err := cmp.Or(ctx.Err(), errors.Join(errs...)); err != nil {
		return 0, err
	}
	count := 0
	for _, far := range farther {
		if far {
			count++
		}
	}
	return float64(count) / float64(opts.Bootstrap), nil
}

// synthetic draws data sets that follow a law in the tail and the data below.
type synthetic struct {
	law   PowerLaw
	body  []int // indices in values of the degrees below Xmin, one for each vertex
	below []int // values below Xmin
	norm  float64
	above []float64 // P(X ≥ Xmin+i) for the first of the values
}

// maxTable limits the number of values whose probabilities are stored. Probabilities of
// larger values, which few draws need, are computed.
const maxTable = 1 << 12

func newSynthetic(h histogram, law PowerLaw) *synthetic {
	s := &synthetic{law: law, norm: scaledZeta(law.Alpha, float64(law.Xmin))}
	for i, x := range h.values {
		if x < law.Xmin {
			s.below = append(s.below, x)
			for range h.counts[i] {
				s.body = append(s.body, i)
			}
		}
	}
	for i := range maxTable {
		s.above = append(s.above, s.atLeast(law.Xmin+i))
	}
	return s
}

// atLeast returns the probability P(X ≥ x) under the law.
func (s *synthetic) atLeast(x int) float64 {
	return s.law.above(x, s.norm)
}

func (s *synthetic) draw(r *rand.Rand) histogram {
	body := make([]int, len(s.below))
	table := make([]int, maxTable)
	var far []int // values beyond the table
	share := float64(s.law.Tail) / float64(s.law.Positive)
	for range s.law.Positive {
		if len(s.body) > 0 && r.Float64() >= share {
			body[s.body[r.IntN(len(s.body))]]++
			continue
		}
		if x := s.value(1 - r.Float64()); x-s.law.Xmin < maxTable {
			table[x-s.law.Xmin]++
		} else {
			far = append(far, x)
		}
	}
	return s.collect(body, table, far)
}

// value returns the largest x for which P(X ≥ x) is u or more, u in (0, 1]: so
// P(X ≥ x) is the probability that a uniform u is at most that.
func (s *synthetic) value(u float64) int {
	if u > s.above[maxTable-1] {
		i, _ := slices.BinarySearchFunc(s.above, u, func(p, u float64) int { return cmp.Compare(u, p) })
		if s.above[i] < u {
			i--
		}
		return s.law.Xmin + i
	}
	// Double x until it is too large, then bisect: appendix D of the paper.
	const most = min(1<<50, math.MaxInt/4) // beyond it integers are no longer exact, or overflow
	low := s.law.Xmin + maxTable - 1
	high := 2 * low
	for high < most && s.atLeast(high) >= u {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; s.atLeast(middle) >= u {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// collect makes a histogram of counts.
func (s *synthetic) collect(body, table, far []int) histogram {
	var h histogram
	add := func(x, count int) {
		if last := len(h.values) - 1; last >= 0 && h.values[last] == x {
			h.counts[last] += count
		} else if count > 0 {
			h.values, h.counts = append(h.values, x), append(h.counts, count)
		}
	}
	for i, count := range body {
		add(s.below[i], count)
	}
	for i, count := range table {
		add(s.law.Xmin+i, count)
	}
	slices.Sort(far)
	for _, x := range far {
		add(x, 1)
	}
	return h
}
