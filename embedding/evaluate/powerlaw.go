package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"heavytail/storage/vec"
)

// PowerLaw is a discrete power law fitted to the tail of a degree distribution:
// p(x) = x^-Alpha / ζ(Alpha, Xmin) for x ≥ Xmin, ζ the Hurwitz zeta function.
type PowerLaw struct {
	Alpha         float64 `json:"alpha"`          // exponent, above 1
	Xmin          int     `json:"xmin"`           // where the tail begins
	KS            float64 `json:"ks"`             // Kolmogorov–Smirnov distance of the tail from the law
	LogLikelihood float64 `json:"log_likelihood"` // of the tail under the law
	Tail          int     `json:"tail"`           // vertices of degree Xmin or more
	Different     int     `json:"different"`      // number of distinct degrees among those
	Largest       int     `json:"largest"`        // the largest of them
	Positive      int     `json:"positive"`       // vertices of degree 1 or more
	// P is the probability that degrees drawn from the law are at least as far
	// from their fit as these: below 0.1 the law is ruled out, according to
	// the paper. NaN without a bootstrap.
	P float64 `json:"p"`
}

// Above returns the probability that a degree of the tail is x or more, for x of at least
// Xmin: the line to draw over a distribution, in which it begins at the fraction of the
// vertices that are in the tail.
func (l PowerLaw) Above(x int) float64 {
	return l.above(x, scaledZeta(l.Alpha, float64(l.Xmin)))
}

// above is Above with the scaled zeta function at Xmin.
func (l PowerLaw) above(x int, norm float64) float64 {
	return math.Pow(float64(x)/float64(l.Xmin), -l.Alpha) * scaledZeta(l.Alpha, float64(x)) / norm
}

// PowerLawOptions sets how FitPowerLaw works. The zero value works.
type PowerLawOptions struct {
	// Bootstrap is the number of synthetic data sets from which P is
	// estimated; its standard error is √(P(1−P)/Bootstrap), at most 0.01 with
	// 2500. 0 omits P.
	Bootstrap int
	Seed      uint64 // of the synthetic data
	Workers   int    // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives the number of data sets that were fitted, under the
	// stage "bootstrapping".
	Progress func(stage string, done, total int64)
}

// maxBootstrap rejects mistyped numbers that would take years.
const maxBootstrap = 1_000_000

// Validate reports all faults of the options at once.
func (o PowerLawOptions) Validate() error {
	var faults []error
	if o.Bootstrap < 0 || o.Bootstrap > maxBootstrap {
		faults = append(faults, fmt.Errorf("bootstrap (%d) must be from 0 to %d: %w", o.Bootstrap, maxBootstrap, ErrOption))
	}
	if o.Workers < 0 {
		faults = append(faults, fmt.Errorf("workers (%d) must not be negative: %w", o.Workers, ErrOption))
	}
	return errors.Join(faults...)
}

// FitPowerLaw fits a discrete power law to degrees by the method of Clauset,
// Shalizi and Newman ("Power-Law Distributions in Empirical Data", SIAM Review
// 51, 2009). For each occurring degree except the largest as Xmin, Alpha
// maximises the likelihood of the degrees from Xmin on (section 3.1, without
// the approximation for large Xmin). The result is the Xmin whose law is
// nearest to the degrees by the Kolmogorov–Smirnov distance (section 3.3); of
// equal distances the smaller Xmin. Degrees of 0, which are impossible under a
// power law, are ignored, and negative ones are an error.
//
// P is the fraction of synthetic data sets whose own best fit is at least as
// far from them as KS (section 4.1). Each has the same number of values, drawn
// from the law with probability Tail/Positive and otherwise from the degrees
// below Xmin.
//
// It takes O(n + u²) time for u different degrees, and as much again for every
// data set of the bootstrap: 0.02 s for the 81,306 vertices of ego-twitter, on
// one core. Errors are ErrOption, ErrDegrees if fewer than two different degrees
// are positive, and ctx.Err().
func FitPowerLaw(ctx context.Context, degrees []int, opts PowerLawOptions) (PowerLaw, error) {
	if err := opts.Validate(); err != nil {
		return PowerLaw{}, err
	}
	h, err := countDegrees(ctx, degrees)
	if err != nil {
		return PowerLaw{}, err
	}
	law, err := h.fit(ctx)
	if err != nil {
		return PowerLaw{}, err
	}
	if opts.Bootstrap > 0 {
		if law.P, err = bootstrap(ctx, h, law, opts); err != nil {
			return PowerLaw{}, err
		}
	}
	return law, nil
}

// histogram counts how often each positive value occurs.
type histogram struct {
	values []int // ascending
	counts []int
}

// countDegrees makes the histogram of the positive degrees.
func countDegrees(ctx context.Context, degrees []int) (histogram, error) {
	const checkEvery = 1 << 20
	counts := map[int]int{}
	for i, d := range degrees {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return histogram{}, ctx.Err()
		}
		if d < 0 {
			return histogram{}, fmt.Errorf("degree %d of vertex %d: %w", d, i, ErrDegrees)
		}
		counts[d]++
	}
	delete(counts, 0)
	if len(counts) < 2 {
		return histogram{}, fmt.Errorf("a power law needs two different positive degrees: %w", ErrDegrees)
	}
	h := histogram{values: slices.Sorted(maps.Keys(counts))}
	for _, d := range h.values {
		h.counts = append(h.counts, counts[d])
	}
	return h, nil
}

// fit finds the best law over all Xmin. There are at least two values.
func (h histogram) fit(ctx context.Context) (PowerLaw, error) {
	logs := make([]float64, len(h.values))
	for i, x := range h.values {
		logs[i] = math.Log(float64(x))
	}
	// Statistics of the tail from the current value on, accumulated from the
	// end.
	tails := make([]tail, len(h.values))
	count, sum := 0, 0.0
	for i := len(h.values) - 1; i >= 0; i-- {
		count += h.counts[i]
		sum += float64(h.counts[i]) * logs[i]
		tails[i] = tail{values: h.values[i:], counts: h.counts[i:], logs: logs[i:], count: count, sumLogs: sum}
	}
	best := PowerLaw{KS: math.Inf(1), Positive: count, P: math.NaN()}
	for _, t := range tails[:len(tails)-1] {
		if err := ctx.Err(); err != nil {
			return PowerLaw{}, err
		}
		alpha := t.exponent()
		norm := scaledZeta(alpha, float64(t.values[0]))
		if ks := t.distance(alpha, norm, best.KS); ks < best.KS {
			best.Alpha, best.Xmin, best.KS = alpha, t.values[0], ks
			best.Tail, best.Different, best.Largest = t.count, len(t.values), t.values[len(t.values)-1]
			best.LogLikelihood = -alpha*t.excess() - float64(t.count)*math.Log(norm)
		}
	}
	return best, nil
}

// tail is the part of a histogram from one value on.
type tail struct {
	values, counts []int
	logs           []float64 // of the values
	count          int       // sum of the counts
	sumLogs        float64   // sum of the logarithms of all that is counted
}

// excess is the sum of ln(x/Xmin) over the tail.
func (t tail) excess() float64 { return t.sumLogs - float64(t.count)*t.logs[0] }

// exponent maximises the likelihood. Its derivative is zero where the mean of
// ln(x/xmin) under the law is that of the tail; the reciprocal of the mean is
// nearly linear in the exponent, so a few secant steps find the zero. They
// begin at the approximation of the paper's equation 3.7.
//
// The reciprocal is not linear at large exponents, as of a tail in which nearly all degrees
// are xmin: a step can lead to an exponent at which the zeta function has no slope in
// float64. Since the function increases, its signs bracket the zero, and a step that leaves
// the bracket is replaced by bisection.
func (t tail) exponent() float64 {
	xmin, mean := float64(t.values[0]), t.excess()/float64(t.count)
	away := func(alpha float64) float64 {
		value, slope := scaledZetaSlope(alpha, xmin)
		if !(slope < 0) {
			return math.Inf(1) // the slope underflows
		}
		return -value/slope - 1/mean
	}
	last := 1 + 1/(mean+math.Log(xmin/(xmin-0.5)))
	lastAway := away(last)
	alpha := max(last-lastAway, (1+last)/2)
	low, high := 1.0, math.Inf(1)
	for range 200 {
		now := away(alpha)
		if now < 0 {
			low = alpha
		} else {
			high = alpha
		}
		step := now * (alpha - last) / (now - lastAway)
		if now == lastAway || math.Abs(step) < 1e-12*alpha {
			break
		}
		next := max(alpha-step, (1+alpha)/2)
		if !math.IsInf(now, 1) {
			last, lastAway = alpha, now
		}
		if !(next > low && next < high) {
			next = min((low+high)/2, 2*alpha)
		}
		alpha = next
	}
	return alpha
}

// distance returns the largest distance between the distribution functions of
// the tail and of the law; if it is above the bound, any number above the
// bound. Both are steps at integers; the largest distance is at a value of the
// tail or just below one.
func (t tail) distance(alpha, norm, bound float64) float64 {
	total, seen, largest := float64(t.count), 0, 0.0
	for i, x := range t.values {
		power := math.Exp(-alpha * (t.logs[i] - t.logs[0])) // (x/xmin)^-α
		above := power * scaledZeta(alpha, float64(x)) / norm
		below := math.Abs(1 - above - float64(seen)/total) // at x−1
		seen += t.counts[i]
		at := math.Abs(1 - (above - power/norm) - float64(seen)/total)
		if largest = max(largest, below, at); largest > bound {
			break
		}
	}
	return largest
}

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

// ratio returns part/whole, NaN if there is nothing.
func ratio(part, whole float64) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return part / whole
}
