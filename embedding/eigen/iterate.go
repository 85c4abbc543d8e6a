package eigen

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"heavytail/storage/vec"
)

func (s *solver) run(ctx context.Context) (*Result, error) {
	s.torn = true
	var err error
	if s.opts.From != nil {
		err = s.restore(s.opts.From)
	} else {
		err = s.choose(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.torn = false
	s.mark()
	m, err := s.iterate(ctx)
	if err != nil && ctx.Err() != nil && !s.torn && s.opts.Checkpoints.Save != nil {
		err = errors.Join(err, s.save())
	}
	if err != nil {
		return nil, err
	}
	return s.result(m), nil
}

// iterate fills the basis and restarts until the wanted pairs have converged or further
// restarts would not help.
func (s *solver) iterate(ctx context.Context) (*measurement, error) {
	for {
		for !s.due {
			if err := s.cycle(ctx); err != nil {
				return nil, err
			}
		}
		m, err := s.measure(ctx)
		if err != nil {
			return nil, err
		}
		s.due = false
		switch worst := slices.Max(m.Residuals); {
		case s.final && s.restarts <= s.opts.Restarts:
			// The residuals may still be within the tolerance: those of combinations of
			// eigenvectors whose eigenvalues differ by less than the tolerance.
			m.Converged, m.Reason = false, ReasonStalled
			return m, nil
		case m.Converged:
			return m, nil
		case s.final:
			m.Reason = ReasonRestarts
			return m, nil
		case worst > 0.8*s.best && s.filter.degree > 1:
			// The rounding errors of a filter of lower degree are smaller.
			s.best = math.Inf(1)
			if err := s.change(func() error { return s.refilter(ctx, s.filter.degree/2) }); err != nil {
				return nil, err
			}
		case worst > 0.8*s.best:
			// The Lanczos residuals have vanished but the true residuals have not: what is
			// left are rounding errors.
			m.Reason = ReasonPrecision
			return m, nil
		default:
			s.best, s.full, s.locked = worst, s.m, 0
		}
	}
}

// cycle fills the basis and restarts it. It sets due, so that the pairs are measured, if
// the wanted pairs seem to have converged or if this is the last restart: at the limit, or
// because more restarts would not help.
func (s *solver) cycle(ctx context.Context) error {
	if err := s.expand(ctx, s.full, s.checkpoint); err != nil {
		return err
	}
	values, vectors, err := s.ritz(keepColumns(s.k))
	if err != nil {
		return err
	}
	s.final = s.restarts >= s.opts.Restarts
	if s.misplaced(values) && !s.final {
		return s.change(func() error { return s.widen(ctx, values, vectors) })
	}
	excess := s.excess(values, vectors)
	converged := 0
	for _, x := range excess {
		if x <= 1 {
			converged++
		}
	}
	if f, ok := s.late(values, converged); ok && !s.final {
		return s.change(func() error { return s.sharpen(ctx, f, values, vectors) })
	}
	s.final = s.final || s.hopeless(values, converged)
	s.done = min(converged, s.k-1) // the last pair counts only when it is measured
	s.report()
	s.full = s.enough(values, slices.Max(excess))
	if err := s.change(func() error { return s.restart(ctx, values, vectors, within(excess)) }); err != nil {
		return err
	}
	s.due = converged == s.k || s.final
	s.mark()
	return nil
}

// within counts the leading pairs whose residuals are far within the tolerance. Without the coupling
// of one of them to the other columns, an error of that size at most is added to each of these.
func within(excess []float64) int {
	const far = 1e-3
	for i, x := range excess {
		if x > far {
			return i
		}
	}
	return len(excess)
}

// change calls f, which changes the whole basis. If f fails midway, the basis is not a
// state that can be saved.
func (s *solver) change(f func() error) error {
	s.torn = true
	err := f()
	s.torn = err != nil
	return err
}

// patience is the number of restarts after which the k-th Ritz value must be above the
// interval of the filter.
const patience = 2

// misplaced reports whether the filter's interval seems to contain the k-th eigenvalue,
// which happens if the estimate of the density was wrong. Ritz values rise towards the
// eigenvalues from below, so a Ritz value within the interval means little during the first
// restarts.
func (s *solver) misplaced(values []float64) bool {
	return s.filter.degree > 1 && s.restarts-s.filterSince >= patience && values[s.k-1] < 1
}

// widen replaces the filter by one that lets more eigenvalues pass.
func (s *solver) widen(ctx context.Context, values, vectors []float64) error {
	s.restarts++
	s.filterSince = s.restarts
	// The density predicted margin·k eigenvalues above the interval, but only found of them
	// are there. The new filter asks for more by the same factor.
	found := 1
	for found < s.k && values[found] > 1 {
		found++
	}
	s.margin *= s.margin * float64(s.k) / float64(found)
	for j := range s.kept {
		values[j] = s.filter.inverse(values[j])
	}
	s.filter = s.planFilter(s.kept)
	return s.restartMixed(ctx, s.kept, values, vectors)
}

// lateAfter is the number of restarts after which a solve without a filter must have a
// converged pair.
const lateAfter = 8

// late returns a filter for a solve that began without one and in which no pair has
// converged. Such a solve has many eigenvalues close to the largest, and its density of
// states was too coarse at the upper end to place a filter. By now the Ritz values
// approximate these eigenvalues well enough. The upper end of the interval is as far below
// the k-th Ritz value as that is below the first, which is below all eigenvalues that are
// close to the largest.
func (s *solver) late(values []float64, converged int) (filter, bool) {
	if s.filter.degree > 1 || converged > 0 || s.restarts-s.filterSince < lateAfter {
		return filter{}, false
	}
	kth := values[s.k-1]
	f := s.filterBetween(kth, 2*kth-values[0], 0) // none are kept: they would have converged
	return f, f.degree > 1
}

// sharpen restarts with a filter.
func (s *solver) sharpen(ctx context.Context, f filter, values, vectors []float64) error {
	s.restarts++
	s.filterSince, s.filter = s.restarts, f
	return s.restartMixed(ctx, 0, values, vectors)
}

// The number of restarts with one filter after which a solve may be given up. The first two
// are for wanted eigenvalues that are equal within the tolerance: with a filter from the
// beginning, and with a late filter, which was placed by Ritz values that were already
// accurate. The third is for all other spectra.
const (
	crowdedAfter     = 10
	crowdedLateAfter = 2
	stalledAfter     = 20
)

// hopeless reports whether the solve would not converge within the limit of restarts: even
// at four times the mean rate so far, too few pairs would converge. This happens if more
// eigenvalues are close to the largest than the basis has room for.
func (s *solver) hopeless(values []float64, converged int) bool {
	done, least := s.restarts+1-s.filterSince, stalledAfter
	if s.crowded(values) {
		if least = crowdedAfter; s.filterSince > lateAfter {
			least = crowdedLateAfter
		}
	}
	return done >= least && 4*converged*s.opts.Restarts < s.k*done
}

// crowded reports whether the wanted eigenvalues lie within the tolerance of each
// other: any combination of their eigenvectors has a residual within the tolerance.
func (s *solver) crowded(values []float64) bool {
	largest := s.filter.inverse(values[0])
	return s.filter.degree > 1 && s.k > 1 && largest-s.filter.inverse(values[s.k-1]) <= s.opts.Tolerance*s.opts.norm(largest)
}

// choose runs the first, unfiltered steps and sets the filter. If no filter is needed, the
// run continues from these steps.
func (s *solver) choose(ctx context.Context) error {
	s.filter = filter{degree: 1}
	fillRandom(s.w, s.random)
	if err := s.begin(ctx, s.w, nil); err != nil {
		return err
	}
	for _, steps := range surveySteps {
		if err := s.expand(ctx, min(steps*Width, s.m-Width), nil); err != nil {
			return err
		}
		values, vectors, err := s.ritz(s.m)
		if err != nil {
			return err
		}
		s.states = density(values, vectors, s.n, 0)
		kept := s.exact(values, vectors)
		last := steps == surveySteps[1]
		if f, ok := s.coarse(kept); ok {
			if last {
				return s.refine(ctx, f, kept, values, vectors)
			}
			continue
		}
		plan := s.planFilter(kept)
		if plan.degree == 1 {
			return nil
		}
		if plan.degree < denseEdge || last {
			s.filter = plan
			return s.restartMixed(ctx, kept, values, vectors)
		}
	}
	return nil
}

// coarse reports whether so few nodes of the density lie above the interval of a filter, each for
// several eigenvalues, that its place is not known, and then returns a filter with an interval that ends well below. It reports
// false where the tolerance is not much smaller than the distance of the nodes: then any vectors of
// eigenvalues near the end will do.
func (s *solver) coarse(kept int) (filter, bool) {
	wanted := s.margin * float64(s.k)
	upper := quantile(s.states, wanted)
	above := sort.Search(len(s.states), func(i int) bool { return s.states[i].value <= upper })
	if above >= fineNodes || float64(above) >= wanted/2 {
		return filter{}, false
	}
	top, low := s.states[0].value, s.states[min(above+Width, len(s.states)-1)].value
	if top-low <= wideTolerance*s.opts.Tolerance*s.opts.norm(top) {
		return filter{}, false
	}
	f := s.filterBetween(s.states[min(kept, above)].value, low, kept)
	return f, f.degree > 1
}

const (
	// fineNodes nodes of the density above the interval of a filter place it well enough.
	fineNodes = Width

	// wideTolerance was chosen by trials with a tolerance of 0.01 on a graph by attachment of 100,000
	// vertices, for which steps without a filter take less time than another density.
	wideTolerance = 20

	// mostRefined bounds the densities, of which one has been enough for a million vertices.
	mostRefined = 3
)

// refine replaces a coarse density by that which Lanczos steps with a filter show above its interval,
// where the polynomial sets the eigenvalues apart, and begins the solve with a filter for it.
func (s *solver) refine(ctx context.Context, f filter, kept int, values, vectors []float64) error {
	lowest, isCoarse := s.states[len(s.states)-1].value, true
	for round := 0; isCoarse && round < mostRefined; round++ {
		if err := s.formRitz(ctx, kept, len(values), vectors); err != nil {
			return err
		}
		s.filter = f
		fillRandom(s.w, s.random)
		if err := s.begin(ctx, s.w, values[:kept]); err != nil {
			return err
		}
		if err := s.expand(ctx, s.m, nil); err != nil {
			return err
		}
		var err error
		if values, vectors, err = s.ritz(s.m); err != nil {
			return err
		}
		s.states = density(values, vectors, s.n, kept)
		above := 0
		rest := float64(s.n)
		for ; above < len(values) && values[above] > 1; above++ {
			values[above] = f.inverse(values[above])
			s.states[above].value = values[above]
			rest -= s.states[above].count
		}
		s.states = append(s.states[:above], state{lowest, max(rest, 0)})
		f, isCoarse = s.coarse(kept)
	}
	// Vectors of eigenvalues within the tolerance need not be separated.
	kth := quantile(s.states, float64(s.k))
	upper := min(quantile(s.states, s.margin*float64(s.k)), kth-s.opts.Tolerance*s.opts.norm(s.states[0].value))
	s.filter = s.filterBetween(kth, upper, kept)
	return s.restartMixed(ctx, kept, values, vectors)
}

// exact counts the leading Ritz pairs of the first steps that are eigenpairs but for rounding
// errors, which are relative to the largest eigenvalue. They have no part in the steps with a
// filter, which may then have a higher degree: of an eigenvalue far above the others the polynomial
// would be too large for float32.
func (s *solver) exact(values, vectors []float64) int {
	m := len(values)
	norm := max(s.opts.Norm, math.Abs(values[0]))
	kth := quantile(s.states, float64(s.k))
	count := 0
	for count < min(s.k, m/2)-1 && values[count] > kth && s.residual(vectors[count*m:(count+1)*m]) <= attainable*norm {
		count++
	}
	return count
}

// restartMixed restarts from the first Ritz vectors, as many as kept says, which must be
// eigenvectors with the given eigenvalues of the operator, and one block of random combinations of
// the leading others.
func (s *solver) restartMixed(ctx context.Context, kept int, values, vectors []float64) error {
	m := len(values)
	c := make([]float32, m*Width)
	for j := kept; j < min(s.k, m/2); j++ {
		for b := range Width {
			g := s.random.NormFloat64()
			for i := range m {
				c[i*Width+b] += float32(g * vectors[j*m+i])
			}
		}
	}
	if err := s.sums.MulNN(ctx, s.block(s.w), 0, 1, s.basis.Panel(0, m), c, s.opts.Workers); err != nil {
		return err
	}
	if err := s.formRitz(ctx, kept, m, vectors); err != nil {
		return err
	}
	return s.begin(ctx, s.w, values[:kept])
}

// formRitz makes the first Ritz vectors, as many as count says, the leading columns of the basis, given
// their coefficients in m columns of it.
func (s *solver) formRitz(ctx context.Context, count, m int, vectors []float64) error {
	if count == 0 {
		return nil
	}
	same := 0 // leading columns that are these vectors already
	for same < min(s.locked, count) && vectors[same*m+same] == 1 {
		same++
	}
	c := s.small.coefficients32[:(m-same)*(count-same)]
	for j := range count - same {
		for i, x := range vectors[(same+j)*m+same : (same+j+1)*m] {
			c[i*(count-same)+j] = float32(x)
		}
	}
	return s.sums.MulNN(ctx, s.basis.Panel(same, count), 0, 1, s.basis.Panel(same, m), c, s.opts.Workers)
}

// refilter restarts with a filter of another degree, from the columns that are kept and random
// combinations of the leading columns of the basis, which are Ritz vectors.
func (s *solver) refilter(ctx context.Context, degree int) error {
	kept := make([]float64, s.kept)
	for j := range kept {
		kept[j] = s.filter.inverse(s.h[j*s.basis.Dim+j])
	}
	s.filter.degree = degree
	s.filterSince = s.restarts
	c := make([]float32, s.k*Width)
	for i := range c {
		c[i] = float32(s.random.NormFloat64())
	}
	if err := s.sums.MulNN(ctx, s.block(s.w), 0, 1, s.basis.Panel(0, s.k), c, s.opts.Workers); err != nil {
		return err
	}
	return s.begin(ctx, s.w, kept)
}

// begin makes the leading columns of the basis, eigenvectors with the given eigenvalues of the
// operator, and the span of a block the whole basis.
func (s *solver) begin(ctx context.Context, x []float32, kept []float64) error {
	s.cols, s.kept, s.locked, s.full, s.fresh = len(kept), len(kept), 0, s.m, false
	clear(s.h)
	for j, value := range kept {
		s.h[j*s.basis.Dim+j] = s.filter.at(value)
	}
	if err := s.clean(ctx, x); err != nil {
		return err
	}
	_, err := s.append(ctx, x, nil)
	return err
}

// expand adds blocks until the basis has m columns whose products are known, and one more
// block that has not been multiplied yet. Before each block it calls between, if between is
// not nil.
func (s *solver) expand(ctx context.Context, m int, between func(context.Context) error) error {
	stride := s.basis.Dim
	for s.cols <= m {
		if between != nil {
			if err := between(ctx); err != nil {
				return err
			}
		}
		lo := s.cols - Width
		s.load()
		s.held = false
		y, err := s.filter.apply(ctx, s, s.u, s.w)
		if err != nil {
			return err
		}
		s.project(y)
		h, err := s.orthogonalize(ctx, y)
		if err != nil {
			return err
		}
		// Project a second time: if little is left of y, most of that is the rounding
		// errors of the first projection.
		s.project(y)
		for i := range s.cols {
			for j := range Width {
				s.h[i*stride+lo+j] = h[i*Width+j]
				s.h[(lo+j)*stride+i] = h[i*Width+j]
			}
		}
		r, err := s.append(ctx, y, h)
		if err != nil {
			return err
		}
		copy(s.last, r)
		s.fresh = false
		s.report()
	}
	return nil
}

// ritz returns the eigenvalues of the projected matrix of all columns but the last block,
// and the first `want` eigenvectors, as rows, which are valid until the next call. Those of the
// locked columns are unit vectors.
func (s *solver) ritz(want int) (values, vectors []float64, err error) {
	m, locked := s.cols-Width, s.locked
	want = min(want, m)
	rest := m - locked
	var from []int // for each of the values, the locked column, or locked and the number of the other
	a := appendPart(s.small.a[:0], s.h, s.basis.Dim, locked, m, locked, m)
	_, others, err := eigenpairsOf(a, s.small.space[:spaceOf(rest)], rest, s.opts.Workers, func(of []float64) (used int) {
		own, other := 0, 0
		for own+other < m {
			if other == rest || own < locked && s.h[own*(s.basis.Dim+1)] >= of[other] {
				values, from = append(values, s.h[own*(s.basis.Dim+1)]), append(from, own)
				own++
				continue
			}
			values, from = append(values, of[other]), append(from, locked+other)
			if other++; len(from) <= want {
				used = other
			}
		}
		return used
	})
	if err != nil || locked == 0 {
		return values, others, err
	}
	vectors = s.small.space[:want*m]
	clear(vectors)
	for i, at := range from[:want] {
		if row := vectors[i*m : (i+1)*m]; at < locked {
			row[at] = 1
		} else {
			copy(row[locked:], others[(at-locked)*rest:][:rest])
		}
	}
	return values, vectors, nil
}

// excess returns for each wanted Ritz pair its expected residual over that with which it counts as
// converged. The Lanczos residual of p(N) is that of the Ritz vector
// under N times the slope of p between the eigenvalue and the unwanted ones.
//
// For small eigenvalues the criterion is stricter than the tolerance. The error of an
// eigenvalue is of second order in the residual, so with a residual of 1e-4·√(λ₁·λ) it is
// some 1e-4 of λ itself wherever the spectrum is not very dense; with one of 1e-4·λ₁ it can
// be any value when λ is a hundredth of λ₁.
func (s *solver) excess(values, vectors []float64) []float64 {
	m := len(values)
	norm := s.opts.norm(s.filter.inverse(values[0]))
	excess := make([]float64, s.k)
	for i := range excess {
		size := max(math.Abs(s.filter.inverse(values[i])), norm/100)
		limit := max(s.opts.Tolerance, attainable) * math.Sqrt(min(size, norm)*norm)
		if residual := s.residual(vectors[i*m : (i+1)*m]); residual != 0 {
			excess[i] = residual / (limit * s.filter.slope(values[i]))
		}
	}
	return excess
}

// enough returns the columns of the basis with which all wanted pairs should have converged, at
// most all, given their largest excess. After a restart the residual of the k-th pair decreases
// with each block as a Chebyshev polynomial grows from the interval of the Ritz values that the
// restart drops to the k-th one: by the factor e^acosh(x), x being its place relative to the
// interval. One block more covers what the other pairs differ by.
func (s *solver) enough(values []float64, worst float64) int {
	keep := keepColumns(s.k)
	low, high := values[len(values)-1], values[min(keep, len(values)-1)]
	blocks := 1 + math.Ceil(math.Log(max(worst, 1))/math.Acosh((2*values[s.k-1]-high-low)/(high-low)))
	if !(blocks*Width < float64(s.m-keep)) { // also if it is not a number
		return s.m
	}
	return keep + int(blocks)*Width
}

// residual returns the Lanczos residual ‖p(N)t − φt‖ of a Ritz vector.
func (s *solver) residual(vector []float64) float64 {
	tail := vector[len(vector)-Width:]
	sum := 0.0
	for r := range Width {
		sum += square(vec.Dot64(s.last[r*Width:(r+1)*Width], tail))
	}
	return math.Sqrt(sum)
}

// restart shrinks the basis to the leading Ritz vectors, of which it locks the first, as many as
// locked says, and the last block.
func (s *solver) restart(ctx context.Context, values, vectors []float64, locked int) error {
	m, stride := len(values), s.basis.Dim
	keep := keepColumns(s.k)
	if err := s.formRitz(ctx, keep, m, vectors); err != nil {
		return err
	}
	s.load()
	s.cols, s.locked = keep+Width, locked
	s.store(s.u, keep)
	clear(s.h)
	for j := range keep {
		s.h[j*stride+j] = values[j]
		for r := range Width {
			v := vec.Dot64(s.last[r*Width:(r+1)*Width], vectors[(j+1)*m-Width:(j+1)*m])
			s.h[(keep+r)*stride+j] = v
			s.h[j*stride+keep+r] = v
		}
	}
	s.fresh = true
	s.restarts++
	return nil
}
