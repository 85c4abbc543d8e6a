package spectral

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Refresh updates the vectors of a spectral embedding for a graph that has changed. Row v
// of old is the vector of vertex v of g, and Places and Degrees of the state are in the
// same order. Vectors of new vertices, which have no place, are not read. Refresh
// overwrites old and state. touched lists, in any order, the vertices that are new or have
// gained or lost an edge. The options must be those of the embedding, with the
// normalisation and β in its Stats. A tolerance of 0 means RefreshTolerance.
//
// A part is a set of vertices that is solved as one matrix: a component, or the whole graph
// with Joint. A part without touched vertices keeps its vectors, byte for byte unless the
// parts have to be moved farther apart. A part that changed takes the place of the old part
// that had most of its vertices, unless a larger part has taken it. Then
//
//   - it takes a Rayleigh–Ritz step (package eigen, Refine) from its old vectors, with
//     added columns for groups of vertices that are new or have new edges, and a second
//     step if the residuals exceed the tolerance; if much has changed in a large part, the
//     old vectors are first multiplied by a polynomial of the matrix;
//   - it is solved in full if the residuals still exceed the tolerance, if more than a
//     tenth of its vertices are new, if so much has changed that a step would cost as much
//     as a full solve (scattered, foreseen, mostForeseen), if it is so small that a step costs as
//     much, with Joint if a component of eight or more vertices is new, and if a few products show
//     larger eigenvalues than were found. These products are computed where no
//     eigenvalue is known, and where a group of 32 or more vertices is new or has new
//     edges.
//
// If more than half of the linked vertices are in parts most of which is new, or where the edges of many
// vertices changed (scattered) or the old vectors are too far for a step (eigen.ReasonFar), the refresh is
// a full run: it returns the bytes of Embed, with new places and without a rotation. Old coordinates
// would mean little.
//
// Otherwise the vectors D^-δ T Λ^γ of a part are rotated onto the old ones (orthogonal Procrustes,
// vertices weighted by D^2δ). The rotation keeps distances and scalar products, but the
// columns are no longer ordered by eigenvalue. It also keeps the space that the columns
// span, so a refreshed embedding can be refreshed again.
//
// If the number of coordinates changes, everything is solved in full and not rotated. The
// statistics are those of the largest part; its eigenvalues are nil if it did not change.
// Errors are those of LaplacianEigenmaps.
func Refresh(ctx context.Context, g *csr.Graph, method string, opts Options, old *vec.Matrix, state *State, touched []uint32, tolerance float64) (*vec.Matrix, *State, Stats, base.RefreshStats, error) {
	fail := func(err error) (*vec.Matrix, *State, Stats, base.RefreshStats, error) {
		return nil, nil, Stats{}, base.RefreshStats{}, err
	}
	if err := opts.Validate(); err != nil {
		return fail(err)
	}
	n := g.Vertices()
	if old.Rows != n || len(state.Places) != n || (state.Degrees != nil && len(state.Degrees) != n) {
		return fail(fmt.Errorf("%w: %d vectors and %d places for %d vertices", base.ErrOptions, old.Rows, len(state.Places), n))
	}
	opts = opts.WithDefaults(method)
	m, err := spectralMethod(method, opts)
	if err != nil {
		return fail(err)
	}
	start := time.Now()
	refresh := base.RefreshStats{Touched: len(touched)}
	again := func(reason string) (*vec.Matrix, *State, Stats, base.RefreshStats, error) {
		rows, next, stats, err := Embed(ctx, g, method, opts)
		if err != nil {
			return fail(err)
		}
		refresh.Full, refresh.Reason, refresh.Solved, refresh.Seconds = true, reason, stats.Components, time.Since(start).Seconds()
		return rows, next, stats, refresh, nil
	}
	if reason := mismatch(old, state, opts); reason != "" {
		return again(reason)
	}
	if tolerance == 0 {
		tolerance = RefreshTolerance
	}
	r := newRefresh(g, m, opts, old, state, touched, tolerance)
	origins := r.claim()
	far, linked := r.farVertices(origins)
	r.linked = linked
	if 2*far <= linked {
		var much *farError
		if err := r.run(ctx, origins); errors.As(err, &much) {
			far = much.vertices
		} else if err != nil {
			return fail(err)
		}
	}
	if 2*far > linked {
		return again(fmt.Sprintf("too much has changed for the old vectors to help, in parts with %d of %d linked vertices", far, linked))
	}
	r.describe(&refresh)
	refresh.Seconds = time.Since(start).Seconds()
	r.stats.Seconds = refresh.Seconds
	return r.vectors, r.next, *r.stats, refresh, nil
}

// farError is the error of a part of most linked vertices that has changed too much for a step from its old vectors.
type farError struct{ vertices int }

func (*farError) Error() string { return "too much has changed" }

// mismatch returns why a refresh cannot start from old vectors, empty if it can.
func mismatch(old *vec.Matrix, state *State, opts Options) string {
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

func newRefresh(g *csr.Graph, m method, opts Options, old *vec.Matrix, state *State, touched []uint32, tolerance float64) *refresh {
	n := g.Vertices()
	stats := &Stats{Dim: old.Dim, Converged: true, Reason: "refreshed"}
	r := &refresh{
		solve:     newSolve(g, m, opts, stats),
		tolerance: tolerance, vectors: old, state: state,
		touched: make([]bool, n), local: make([]uint32, n), taken: map[uint32]bool{},
		next: &State{Places: make([]uint32, n), spacing: state.spacing},
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
		r.parts = r.components.Vertices()
	} else {
		r.parts = [][]uint32{linkedVertices(g)}
		for v := range n {
			switch {
			case g.Degree(uint32(v)) == 0:
				clear(old.Row(v))
			case r.touched[v] && !slices.ContainsFunc(old.Row(v), func(x float32) bool { return x != 0 }):
				state.Places[v] = NoPlace // it had no edge, so its vector contains no information
			}
		}
	}
	r.keeps, r.directions = make([]bool, len(r.parts)), make([]int, len(r.parts))
	for _, list := range r.parts {
		for i, v := range list {
			r.local[v] = uint32(i)
		}
	}
	return r
}

// farVertices returns the number of vertices in parts that have changed so much that their old
// vectors would be of little use: most vertices are new, or edges changed at many vertices.
// Isolated vertices are not counted, and linked is the number of all others. It also sets directions.
func (r *refresh) farVertices(origins []uint32) (far, linked int) {
	for c, list := range r.parts {
		if len(list) < 2 {
			continue
		}
		linked += len(list)
		if r.unchanged(list, origins[c]) {
			continue
		}
		scattered := r.scattered(list)
		if r.directions[c] = r.foreseen(list, origins[c]); scattered {
			r.directions[c] = math.MaxInt
		}
		if scattered || 2*r.newcomers(list) > len(list) {
			far += len(list)
		}
	}
	return far, linked
}

// newcomers returns the number of vertices of a part that have no place.
func (r *refresh) newcomers(list []uint32) int {
	count := 0
	for _, v := range list {
		if r.state.Places[v] == NoPlace {
			count++
		}
	}
	return count
}

func (r *refresh) run(ctx context.Context, origins []uint32) error {
	for c, list := range r.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.unchanged(list, origins[c]) {
			r.keepPart(c, list)
			continue
		}
		r.unmove(list, origins[c])
		if err := r.part(ctx, c, list); err != nil {
			return err
		}
	}
	r.place()
	return nil
}

// claim assigns a place to every part, and returns the old place of its vectors, NoPlace if
// it has no old vectors. Larger parts choose first.
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

// majority returns the place that most of the vertices have; if several are equally
// frequent, the lowest. It returns NoPlace if no vertex has a place.
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

// unchanged reports whether a part can keep its vectors.
func (r *refresh) unchanged(list []uint32, origin uint32) bool {
	for _, v := range list {
		if r.touched[v] || r.state.Places[v] != origin {
			return false
		}
	}
	return origin != NoPlace
}

// keepPart keeps the vectors of an unchanged part. They are not moved until place runs.
func (r *refresh) keepPart(c int, list []uint32) {
	for _, v := range list {
		if r.next.Degrees != nil {
			r.next.Degrees[v] = r.state.Degrees[v]
		}
		row := slices.Clone(r.vectors.Row(int(v)))
		if r.moves() {
			r.state.shift(row, r.places[c], -1)
		}
		r.drift.Add(row, row)
	}
	if len(list) > 1 {
		r.kept++
	}
	r.keeps[c] = true
}

// unmove moves the old vectors of a part back to the origin. Vectors from another place
// become zero and have no place.
func (r *refresh) unmove(list []uint32, origin uint32) {
	for _, v := range list {
		row := r.vectors.Row(int(v))
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

// part computes the vectors of one part.
func (r *refresh) part(ctx context.Context, c int, list []uint32) error {
	if len(list) == 0 || r.g.Degree(list[0]) == 0 {
		for _, v := range list { // isolated vertices have zero vectors
			clear(r.vectors.Row(int(v)))
		}
		return nil
	}
	sub, labels, linked := r.subgraph(list)
	p, err := r.problem(ctx, inMemory(sub), labels, linked, r.opts.Workers)
	if err != nil {
		return err
	}
	var found followed
	follow := len(list) >= smallPart*r.vectors.Dim && 10*r.newcomers(list) <= len(list)
	if follow && r.directions[c] > mostForeseen(len(list), r.vectors.Dim) {
		r.far++
		follow = false
	}
	if follow {
		p.opts.Doubtful = 8*r.directions[c] > r.vectors.Dim // a sample takes some 3 % of a step
		before := r.far
		if found, follow, err = r.follow(ctx, p, sub, list); err != nil {
			return err
		}
		if r.far > before && 2*len(list) > r.linked {
			return &farError{len(list)}
		}
	}
	if !follow {
		if found, err = r.full(ctx, p, c, list); err != nil {
			return err
		}
	}
	r.add(found.pairs)
	if c == 0 {
		r.stats.Eigenvalues, r.stats.Residuals = found.Values, found.relative
	}
	return r.turn(ctx, found, list)
}

// place moves the parts to their places, farther apart than before if necessary.
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
		need := spacingFor(r.norm(), r.vectors.Dim, int(last)+1)
		if need.Base > r.next.Base || need.Step > slack*r.next.Step {
			r.next.Step, r.next.Base = max(r.next.Step, need.Step), max(r.next.Base, need.Base)
		}
	}
	for c, list := range r.parts {
		if r.keeps[c] && r.next.spacing == r.state.spacing {
			continue // its vectors are there already, byte for byte
		}
		for _, v := range list {
			row := r.vectors.Row(int(v))
			if r.keeps[c] {
				r.state.shift(row, r.places[c], -1)
			}
			r.next.shift(row, r.places[c], 1)
		}
	}
}

// norm returns the largest squared norm of a vector with its part at the origin.
func (r *refresh) norm() float64 {
	norm := 0.0
	row := make([]float32, r.vectors.Dim)
	for c, list := range r.parts {
		for _, v := range list {
			copy(row, r.vectors.Row(int(v)))
			if r.keeps[c] {
				r.state.shift(row, r.places[c], -1)
			}
			norm = max(norm, float64(vec.Dot(row, row)))
		}
	}
	return norm
}

// slack is the factor by which the space that parts need may exceed the space they have
// before all parts move. The space is at least twice what is needed, so this is safe.
const slack = 1.1

// describe fills in the statistics of the run.
func (r *refresh) describe(s *base.RefreshStats) {
	s.Kept, s.Refined, s.Solved, s.Residual = r.kept, r.refined, r.solved, r.residual
	s.MeanDrift, s.MaxDrift = r.drift.Mean(), r.drift.Most()
	s.SolvedShare = float64(r.solvedVertices) / float64(max(r.vectors.Rows, 1))
	const within = "the residual is within the tolerance"
	solved := fmt.Sprintf("%d of %d vertices were solved in full", r.solvedVertices, r.vectors.Rows)
	why := ", their parts being small or new"
	switch {
	case r.failed > 0:
		why = ", after a step from the old vectors left residuals above the tolerance"
	case r.far > 0:
		why = ", because too much has changed for a step from the old vectors"
	}
	switch {
	case r.refined == 0 && r.solved == 0:
		s.Reason = "no edge changed"
	case r.refined == 0:
		s.Reason = solved + why
	case r.solved == 0:
		s.Reason = within
	default:
		s.Reason = within + "; " + solved + why
	}
}
