package embedding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

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
// where no other is asked for, relative to the largest eigenvalue. After fifty
// refreshes of ego-facebook, Pearson's correlation of reconstructed degrees differed
// by at most 0.003 from that after a full run, and the AUC of links by 0.002.
const RefreshTolerance = 0.02

// RefreshStats describe a refresh.
type RefreshStats struct {
	Full     bool    // everything was computed anew; rows that no vertex of before has stand where they happen to
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
//     from there, with columns added for groups of vertices that have come or been
//     linked anew, and another step if the residuals exceed the tolerance;
//   - is solved in full if they still do, if more than a tenth of its vertices
//     have come, if it is so small that a step costs as much, with Joint if a
//     component of eight vertices or more has come, and if a few products show larger
//     eigenvalues than were found: they are taken where none is known, and where
//     a group of 32 vertices or more has come or been linked anew.
//
// Its rows D^-δ T Λ^γ are then rotated, all alike, to where they were (orthogonal
// Procrustes, vertices weighted by D^2δ): distances and scalar products are those
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
	rows      *vec.Matrix // old rows until they are replaced, part by part
	state     *SpectralState
	touched   []bool // by vertex, new ones too
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
		tolerance: tolerance, rows: old, state: state,
		touched: make([]bool, n), local: make([]uint32, n), taken: map[uint32]bool{},
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
		for v := range n {
			switch {
			case g.Degree(uint32(v)) == 0:
				clear(old.Row(v))
			case r.touched[v] && !slices.ContainsFunc(old.Row(v), func(x float32) bool { return x != 0 }):
				state.Places[v] = NoPlace // it had no edge: its row tells nothing
			}
		}
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

// keepPart takes the rows of an unchanged part as they are, and where they are until
// place.
func (r *refresh) keepPart(c int, list []uint32) {
	for _, v := range list {
		if r.next.Degrees != nil {
			r.next.Degrees[v] = r.state.Degrees[v]
		}
		row := slices.Clone(r.rows.Row(int(v)))
		if r.moves() {
			r.state.shift(row, r.places[c], -1)
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
		row := r.rows.Row(int(v))
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
		for _, v := range list { // isolated vertices: there is nothing to find
			clear(r.rows.Row(int(v)))
		}
		return nil
	}
	newcomers := 0
	for _, v := range list {
		if r.state.Places[v] == NoPlace {
			newcomers++
		}
	}
	sub, labels, linked := r.subgraph(list)
	var found followed
	follow := len(list) >= smallPart*r.rows.Dim && 10*newcomers <= len(list)
	if follow {
		var err error
		if found, follow, err = r.follow(ctx, sub, list, labels, linked); err != nil {
			return err
		}
	}
	if !follow {
		var err error
		if found, err = r.anew(ctx, c, sub, list, labels, linked); err != nil {
			return err
		}
	}
	r.add(found.pairs)
	if c == 0 {
		r.stats.Eigenvalues, r.stats.Residuals = found.Values, found.relative
	}
	return r.turn(ctx, found, list)
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
		need := spacingFor(r.norm(), r.rows.Dim, int(last)+1)
		if need.Base > r.next.Base || need.Step > slack*r.next.Step {
			r.next.Step, r.next.Base = max(r.next.Step, need.Step), max(r.next.Base, need.Base)
		}
	}
	for c, list := range r.parts {
		if r.keeps[c] && r.next.spacing == r.state.spacing {
			continue // they are there, to the bit
		}
		for _, v := range list {
			row := r.rows.Row(int(v))
			if r.keeps[c] {
				r.state.shift(row, r.places[c], -1)
			}
			r.next.shift(row, r.places[c], 1)
		}
	}
}

// norm returns the largest squared norm of a row, parts at the origin.
func (r *refresh) norm() float64 {
	norm := 0.0
	row := make([]float32, r.rows.Dim)
	for c, list := range r.parts {
		for _, v := range list {
			copy(row, r.rows.Row(int(v)))
			if r.keeps[c] {
				r.state.shift(row, r.places[c], -1)
			}
			norm = max(norm, float64(vec.Dot(row, row)))
		}
	}
	return norm
}

// slack is by how much the space that parts need may exceed what they have before
// all move: it is twice what is needed at least.
const slack = 1.1

// describe fills in what the run found.
func (r *refresh) describe(s *RefreshStats) {
	s.Kept, s.Refined, s.Solved, s.Residual = r.kept, r.refined, r.solved, r.residual
	s.MeanDrift, s.MaxDrift = r.drift.mean(), r.drift.most()
	s.Full = r.solved > 0 && r.kept+r.refined == 0
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

// add counts a row; coordinates after that are missing are 0.
func (d *drift) add(before, after []float32) {
	distance, norm := 0.0, 0.0
	for i, x := range before {
		diff := float64(x)
		if i < len(after) {
			diff -= float64(after[i])
		}
		distance += diff * diff
		norm += float64(x) * float64(x)
	}
	distance = math.Sqrt(distance)
	d.rows++
	d.sum += distance
	d.max = max(d.max, distance)
	d.norm += norm
}

// join counts the rows of another.
func (d *drift) join(o drift) {
	d.rows, d.sum, d.max, d.norm = d.rows+o.rows, d.sum+o.sum, max(d.max, o.max), d.norm+o.norm
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
