package embedding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// SpectralState is what RefreshSpectral needs beside the rows of an embedding.
// The eigenvectors are not in it: a step needs the space that they span, and that
// the rows span as well, however their columns are scaled and rotated.
type SpectralState struct {
	// Places are those of the parts of the vertices, by which their rows were
	// moved apart; NoPlace where a vertex has no row. With Joint they are 0.
	Places []uint32
	// Degrees are those by which rows were divided to the power δ; nil if δ is 0.
	Degrees []float64
	spacing
}

// NoPlace stands in Places for a vertex that has no row.
const NoPlace = math.MaxUint32

// RefreshTolerance is the residual up to which refreshed eigenvectors are taken
// where no other is asked for, relative to the largest eigenvalue. Link prediction
// and reconstruction differ by less than 0.01 from those of a full run then.
const RefreshTolerance = 0.02

// RefreshStats describe a refresh.
type RefreshStats struct {
	Full     bool    // everything was computed anew, and stands where it happens to
	Reason   string  // why it did what it did, in words
	Touched  int     // vertices that are new or whose edges changed
	Residual float64 // spectral: the largest ‖Nt − λt‖ / λ₁ of what was not solved in full
	Kept     int     // spectral: parts in which nothing changed
	Refined  int     // spectral: parts brought up to date by a step or two
	Solved   int     // spectral: parts solved in full
	Walks    int     // walks: that were trained on
	// MeanDrift and MaxDrift are by how much the rows of vertices that were there
	// before moved, relative to the root of the mean square of their norms, parts
	// at the origin.
	MeanDrift, MaxDrift float64
	Seconds             float64
}

// RefreshSpectral brings the rows of a spectral embedding up to date with a graph
// that has changed. Row v of old belongs to vertex v of g, as Places and Degrees
// of the state do; rows without a place, of new vertices, are not read. old and
// state are overwritten. touched are the vertices that are new or whose edges
// changed, in any order; a vertex that lost a neighbour is one of them. The
// options must be those of the embedding. A tolerance of 0 is RefreshTolerance.
//
// A part is what is solved as one matrix: a component, or all with Joint. A part
// without touched vertices stays as it is, to the bit while the parts need no more
// room between each other. One that changed takes the place of the part before
// from which most of its vertices are, unless a larger one has done so, and
//
//   - takes a Rayleigh–Ritz step (package eigen, Refine) from the rows that it has
//     from there, with columns added for groups of vertices that have come, and
//     another step if the residuals exceed the tolerance;
//   - is solved in full if they still do, if more than a tenth of its vertices
//     have come, or if it is so small that a step costs as much.
//
// Its rows D^-δ T Λ^γ are then rotated, all alike, to where those of its untouched
// vertices were (orthogonal Procrustes): distances and scalar products are those
// of T, but the columns are no more ordered by eigenvalues. A rotation spans the
// same space, so that a refreshed embedding can be refreshed again.
//
// Everything is solved in full, and stands where it happens to, where the number
// of coordinates changes. The statistics are those of the largest part; its
// eigenvalues are nil where it did not change. Errors are those of LaplacianEigenmaps.
func RefreshSpectral(ctx context.Context, g *csr.Graph, method string, opts SpectralOptions, old *vec.Matrix, state *SpectralState, touched []uint32, tolerance float64) (*vec.Matrix, *SpectralState, SpectralStats, RefreshStats, error) {
	fail := func(err error) (*vec.Matrix, *SpectralState, SpectralStats, RefreshStats, error) {
		return nil, nil, SpectralStats{}, RefreshStats{}, err
	}
	if err := opts.Validate(); err != nil {
		return fail(err)
	}
	n := g.Vertices()
	if old.Rows != n || len(state.Places) != n || (state.Degrees != nil && len(state.Degrees) != n) {
		return fail(fmt.Errorf("%w: %d rows and %d places for %d vertices", ErrOptions, old.Rows, len(state.Places), n))
	}
	opts = opts.WithDefaults(method)
	m, err := spectralMethod(method, opts)
	if err != nil {
		return fail(err)
	}
	start := time.Now()
	refresh := RefreshStats{Touched: len(touched)}
	if reason := mismatch(old, state, opts); reason != "" {
		rows, next, stats, err := Spectral(ctx, g, method, opts)
		if err != nil {
			return fail(err)
		}
		refresh.Full, refresh.Reason, refresh.Solved, refresh.Seconds = true, reason, stats.Components, stats.Seconds
		return rows, next, stats, refresh, nil
	}
	if tolerance == 0 {
		tolerance = RefreshTolerance
	}
	r := newRefresh(g, m, opts, old, state, touched, tolerance)
	if err := r.run(ctx); err != nil {
		if errors.Is(err, ErrOptions) {
			return fail(err)
		}
		return fail(fmt.Errorf("embedding: %w", err))
	}
	r.describe(&refresh)
	refresh.Seconds = time.Since(start).Seconds()
	r.stats.Seconds = refresh.Seconds
	return r.rows, r.next, *r.stats, refresh, nil
}

// mismatch says why rows cannot be where a refresh begins.
func mismatch(old *vec.Matrix, state *SpectralState, opts SpectralOptions) string {
	switch {
	case old.Dim != min(opts.Dim, old.Rows):
		return fmt.Sprintf("the embedding has %d coordinates and needs %d", old.Dim, min(opts.Dim, old.Rows))
	case *opts.RowScale != 0 && state.Degrees == nil:
		return "the degrees of the embedding are not kept"
	case state.Step != 0 && state.Base < 2:
		return "the places of the embedding are not kept"
	}
	return ""
}

// refresh is one run of RefreshSpectral.
type refresh struct {
	*solve
	tolerance float64
	old       *vec.Matrix
	state     *SpectralState
	touched   []bool // by vertex, new ones too
	rows      *vec.Matrix
	next      *SpectralState

	parts    [][]uint32 // vertices of each part
	places   []uint32   // of each part
	keeps    []bool     // parts that are as they were
	taken    map[uint32]bool
	local    []uint32 // place of a vertex in its part
	residual float64
	kept     int
	refined  int
	solved   int
	drift    drift
}

func newRefresh(g *csr.Graph, m method, opts SpectralOptions, old *vec.Matrix, state *SpectralState, touched []uint32, tolerance float64) *refresh {
	n := g.Vertices()
	components := g.Components()
	bare := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	if !opts.IgnoreWeights {
		bare.Weights = g.Weights
	}
	stats := &SpectralStats{Dim: old.Dim, Converged: true, Reason: "refreshed", Components: components.Count()}
	r := &refresh{
		solve:     &solve{g: bare, components: components, method: m, opts: opts, stats: stats},
		tolerance: tolerance, old: old, state: state,
		touched: make([]bool, n), rows: vec.NewMatrix(n, old.Dim), local: make([]uint32, n), taken: map[uint32]bool{},
		next: &SpectralState{Places: make([]uint32, n), spacing: state.spacing},
	}
	for _, v := range touched {
		r.touched[v] = true
	}
	for v, place := range state.Places {
		r.touched[v] = r.touched[v] || place == NoPlace
	}
	if *opts.RowScale != 0 {
		r.next.Degrees = make([]float64, n)
	}
	if opts.Components == Apart {
		r.parts = components.Vertices()
	} else {
		r.parts = [][]uint32{linkedVertices(g)}
	}
	r.keeps = make([]bool, len(r.parts))
	for _, list := range r.parts {
		for i, v := range list {
			r.local[v] = uint32(i)
		}
	}
	return r
}

// linkedVertices lists the vertices that have an edge.
func linkedVertices(g *csr.Graph) []uint32 {
	var list []uint32
	for v := range uint32(g.Vertices()) {
		if g.Degree(v) > 0 {
			list = append(list, v)
		}
	}
	return list
}

func (r *refresh) run(ctx context.Context) error {
	origins := r.claim()
	for c, list := range r.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.unchanged(list, origins[c]) {
			r.keepPart(c, list)
			continue
		}
		r.unmove(list, origins[c])
		if err := r.part(ctx, c, list, origins[c]); err != nil {
			return err
		}
	}
	r.place()
	return nil
}

// claim gives every part its place, and returns the place that its vertices have
// rows from, NoPlace for none. Larger parts choose first.
func (r *refresh) claim() []uint32 {
	origins := make([]uint32, len(r.parts))
	r.places = make([]uint32, len(r.parts))
	for c, list := range r.parts {
		origins[c] = NoPlace
		r.places[c] = NoPlace
		if place := majority(list, r.state.Places); place != NoPlace && !r.taken[place] {
			origins[c], r.places[c] = place, place
			r.taken[place] = true
		}
	}
	free := uint32(0)
	for c := range r.parts {
		if r.places[c] == NoPlace {
			for r.taken[free] {
				free++
			}
			r.places[c], r.taken[free] = free, true
		}
	}
	return origins
}

// majority returns the place that most of the vertices have, the lowest of equals,
// and NoPlace if none has one.
func majority(list, places []uint32) uint32 {
	counts := map[uint32]int{}
	best, most := uint32(NoPlace), 0
	for _, v := range list {
		place := places[v]
		if place == NoPlace {
			continue
		}
		counts[place]++
		if count := counts[place]; count > most || (count == most && place < best) {
			best, most = place, count
		}
	}
	return best
}

// unchanged tells whether a part has the rows that it should have.
func (r *refresh) unchanged(list []uint32, origin uint32) bool {
	for _, v := range list {
		if r.touched[v] || r.state.Places[v] != origin {
			return false
		}
	}
	return origin != NoPlace
}

// keepPart takes the rows of an unchanged part as they are, at the origin until
// place.
func (r *refresh) keepPart(c int, list []uint32) {
	for _, v := range list {
		row := r.rows.Row(int(v))
		copy(row, r.old.Row(int(v)))
		if r.moves() {
			r.state.shift(row, r.places[c], -1)
		}
		if r.next.Degrees != nil {
			r.next.Degrees[v] = r.state.Degrees[v]
		}
		r.drift.add(row, row)
	}
	if len(list) > 1 {
		r.kept++
	}
	r.keeps[c] = true
}

// unmove brings the old rows of a part back to the origin. Those that are not
// from its place become zero and have none.
func (r *refresh) unmove(list []uint32, origin uint32) {
	for _, v := range list {
		row := r.old.Row(int(v))
		if r.state.Places[v] != origin || origin == NoPlace {
			r.state.Places[v] = NoPlace
			clear(row)
			continue
		}
		if r.moves() {
			r.state.shift(row, origin, -1)
		}
	}
}

// moves tells whether parts are moved apart at all.
func (r *refresh) moves() bool { return r.opts.Components == Apart }

// part finds the rows of one part.
func (r *refresh) part(ctx context.Context, c int, list []uint32, origin uint32) error {
	if len(list) == 0 || r.g.Degree(list[0]) == 0 {
		return nil // an isolated vertex: there is nothing to find
	}
	newcomers := 0
	for _, v := range list {
		if r.state.Places[v] == NoPlace {
			newcomers++
		}
	}
	sub, labels, linked := r.subgraph(list)
	follow := len(list) >= smallPart*r.old.Dim && 10*newcomers <= len(list)
	var found pairs
	if follow {
		var err error
		if found, follow, err = r.follow(ctx, sub, list, labels, linked); err != nil {
			return err
		}
	}
	if !follow {
		var err error
		if found, err = r.solve.solve(ctx, sub, labels, linked, r.opts.Workers, rankOf(c, small)); err != nil {
			return err
		}
		r.solved++
	}
	r.add(found)
	if c == 0 {
		r.stats.Eigenvalues, r.stats.Residuals = found.Values, found.relative
	}
	return r.turn(ctx, found, list)
}

// smallPart is how many vertices a part has at least for each coordinate to be
// followed: below it is solved as quickly.
const smallPart = 3

// subgraph returns the graph of a part, and its components as solve wants them.
func (r *refresh) subgraph(list []uint32) (sub *csr.Graph, labels []uint32, linked int) {
	if r.opts.Components == Apart {
		return withoutEqual(component(r.g, list, r.local)), nil, 1
	}
	for linked < r.components.Count() && r.components.Sizes[linked] > 1 {
		linked++
	}
	labels = make([]uint32, len(list))
	for i, v := range list {
		labels[i] = r.components.Label[v]
	}
	return withoutEqual(r.g.Induced(list)), labels, linked
}

// follow takes up to two steps from the old rows, and says whether the residuals
// are within the tolerance then.
func (r *refresh) follow(ctx context.Context, sub *csr.Graph, list, labels []uint32, linked int) (pairs, bool, error) {
	p, err := r.problem(ctx, sub, labels, linked, r.opts.Workers)
	if err != nil {
		return pairs{}, false, err
	}
	p.opts.Tolerance = r.tolerance
	start := r.start(sub, list)
	for step := range maxSteps {
		refined, err := eigen.Refine(ctx, p.target, start, p.opts)
		if err != nil {
			return pairs{}, false, err
		}
		if len(refined.Values) < p.opts.K {
			return pairs{}, false, nil
		}
		if refined.Converged {
			found := p.pairs(refined.Result)
			found.Restarts = step + 1
			r.residual = max(r.residual, slices.Max(found.relative))
			r.refined++
			return found, true, nil
		}
		if norm := refined.Values[0]; refined.Residuals[len(refined.Residuals)-1] > hopeless*r.tolerance*max(p.opts.Norm, norm) {
			break
		}
		start = refined.Vectors
	}
	return pairs{}, false, nil
}

// hopeless is how many times the tolerance the residual of the last pair may be
// for another step to be taken.
const hopeless = 6

// maxSteps is how many steps are worth taking: two cost a third of a full solve
// where that is cheap.
const maxSteps = 2

// start returns columns that nearly span the eigenvectors of a part: its old rows
// D^δ U, and for groups of vertices that have none, and so would come in through
// the few edges to the rest alone, what the leading eigenvector of each is about.
func (r *refresh) start(sub *csr.Graph, list []uint32) *vec.Matrix {
	groups := r.groups(sub, list)
	dim := r.old.Dim
	m := vec.NewMatrix(len(list), dim+len(groups))
	delta := *r.opts.RowScale
	for i, v := range list {
		to, from := m.Row(i), r.old.Row(int(v))
		if delta == 0 {
			copy(to, from)
		} else if r.state.Places[v] != NoPlace && r.state.Degrees[v] > 0 {
			scale := float32(math.Pow(r.state.Degrees[v], delta))
			for j, x := range from {
				to[j] = scale * x
			}
		}
	}
	for g, group := range groups {
		edges := 0
		for _, i := range group {
			edges += sub.Degree(i)
		}
		for _, i := range group {
			m.Row(int(i))[dim+g] = float32(math.Sqrt(float64(sub.Degree(i)) / float64(edges)))
		}
	}
	return m
}

// maxGroups is how many groups of newcomers get a column of their own.
const maxGroups = 32

// groups lists the connected groups of at least two vertices without rows, the
// largest first.
func (r *refresh) groups(sub *csr.Graph, list []uint32) [][]uint32 {
	var newcomers []uint32
	for i, v := range list {
		if r.state.Places[v] == NoPlace {
			newcomers = append(newcomers, uint32(i))
		}
	}
	if len(newcomers) < 2 {
		return nil
	}
	lists := sub.Induced(newcomers).Components().Vertices()
	var groups [][]uint32
	for _, group := range lists {
		if len(group) < 2 || len(groups) == maxGroups {
			break
		}
		for i, v := range group {
			group[i] = newcomers[v]
		}
		groups = append(groups, group)
	}
	return groups
}

// turn writes the rows of a part, rotated to where those of its untouched vertices
// were.
func (r *refresh) turn(ctx context.Context, found pairs, list []uint32) error {
	k := found.Vectors.Dim
	e := &Eigenpairs{Vectors: found.Vectors, Degrees: found.degrees}
	all := make([]uint32, len(list))
	for i := range all {
		all[i] = uint32(i)
	}
	e.place(found.Vectors, EigenPart{Vertices: all, Values: found.Values}, *r.opts.Scale, *r.opts.RowScale)
	before := vec.NewMatrix(len(list), k)
	anchored := false
	for i, v := range list {
		if r.next.Degrees != nil {
			r.next.Degrees[v] = found.degrees[i]
		}
		if r.state.Places[v] != NoPlace && !r.touched[v] {
			copy(before.Row(i), r.old.Row(int(v)))
			anchored = true
		}
	}
	if anchored {
		cross := make([]float64, k*k)
		if err := vec.MulTNContext(ctx, cross, found.Vectors.Panel(0, k), before.Panel(0, k), r.opts.Workers); err != nil {
			return err
		}
		turn := make([]float32, k*k)
		for i, x := range rotation(cross, k) {
			turn[i] = float32(x)
		}
		if err := vec.MulNNContext(ctx, before.Panel(0, k), 0, 1, found.Vectors.Panel(0, k), turn, r.opts.Workers); err != nil {
			return err
		}
	} else {
		before = found.Vectors
	}
	for i, v := range list {
		copy(r.rows.Row(int(v)), before.Row(i))
		if r.state.Places[v] != NoPlace {
			r.drift.add(r.old.Row(int(v)), r.rows.Row(int(v)))
		}
	}
	return nil
}

// place moves the parts to their places, farther apart than before if need be.
func (r *refresh) place() {
	for c, list := range r.parts {
		for _, v := range list {
			r.next.Places[v] = r.places[c]
		}
	}
	if !r.moves() {
		return
	}
	last := slices.Max(append(slices.Clone(r.places), 0))
	if last > 0 {
		need := newSpacing(r.rows, int(last)+1)
		if need.Base > r.next.Base || need.Step > slack*r.next.Step {
			r.next.Step, r.next.Base = max(r.next.Step, need.Step), max(r.next.Base, need.Base)
		}
	}
	for c, list := range r.parts {
		for _, v := range list {
			row := r.rows.Row(int(v))
			if r.keeps[c] && r.next.spacing == r.state.spacing {
				copy(row, r.old.Row(int(v))) // to the bit
				continue
			}
			r.next.shift(row, r.places[c], 1)
		}
	}
}

// slack is by how much the space that parts need may exceed what they have before
// all move: it is twice what is needed at least.
const slack = 1.1

// describe fills in what the run found.
func (r *refresh) describe(s *RefreshStats) {
	s.Kept, s.Refined, s.Solved, s.Residual = r.kept, r.refined, r.solved, r.residual
	s.MeanDrift, s.MaxDrift = r.drift.mean(), r.drift.most()
	switch {
	case r.refined == 0 && r.solved == 0:
		s.Reason = "no edge changed"
	case r.refined == 0:
		s.Reason = "what changed was solved in full: it is small, or differs by more than the tolerance"
	case r.solved == 0:
		s.Reason = "the residual is within the tolerance"
	default:
		s.Reason = "the residual is within the tolerance; small and new parts were solved in full"
	}
}

// drift is how far rows moved.
type drift struct {
	rows           int
	sum, max, norm float64 // of distances, and of squared norms before
}

func (d *drift) add(before, after []float32) {
	distance, norm := 0.0, 0.0
	for i, x := range before {
		diff := float64(after[i]) - float64(x)
		distance += diff * diff
		norm += float64(x) * float64(x)
	}
	distance = math.Sqrt(distance)
	d.rows++
	d.sum += distance
	d.max = max(d.max, distance)
	d.norm += norm
}

// mean and most return the mean and largest distance relative to the root of the
// mean square of norms.
func (d *drift) mean() float64 { return d.relative(d.sum / float64(max(d.rows, 1))) }
func (d *drift) most() float64 { return d.relative(d.max) }

func (d *drift) relative(x float64) float64 {
	if d.norm == 0 {
		return 0
	}
	return x / math.Sqrt(d.norm/float64(d.rows))
}
