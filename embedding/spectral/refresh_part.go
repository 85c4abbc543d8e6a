package spectral

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// followed has the eigenpairs of a part. Their vectors T are not computed explicitly.
type followed struct {
	pairs
	cross   []float64                                                 // Tᵀ·X, k × old.Dim, X being the old vectors times D^δ
	combine func(ctx context.Context, c []float64) (vec.Panel, error) // T·c; c is k × at most k
}

// full solves a part from scratch.
func (r *refresh) full(ctx context.Context, p *problem, c int, list []uint32) (followed, error) {
	solved, err := r.solveProblem(ctx, p, rankOf(c, small))
	if err != nil {
		return followed{}, err
	}
	r.solved++
	r.solvedVertices += len(list)
	k := solved.Vectors.Dim
	t, before := solved.Vectors.Panel(0, k), r.before(list, 0)
	cross := make([]float64, k*before.Dim)
	if err := vec.MulTNContext(ctx, cross, t, before.Panel(0, before.Dim), r.opts.Workers); err != nil {
		return followed{}, err
	}
	return followed{solved, cross, func(ctx context.Context, c []float64) (vec.Panel, error) {
		return t, vec.MulNNContext(ctx, t, 0, 1, t, vec.Float32s(c), r.opts.Workers)
	}}, nil
}

// A part is followed only if it has at least smallPart vertices per coordinate. A full
// solve of a smaller part is as fast.
const smallPart = 3

// subgraph returns the graph of a part, and its components in the form that solve expects.
func (r *refresh) subgraph(list []uint32) (sub *csr.Graph, labels []uint32, linked int) {
	if r.opts.Components == Apart {
		return component(r.g, list, r.local).WithoutEqualWeights(), nil, 1
	}
	return r.joined(list)
}

// follow takes up to two steps from the old vectors, and reports whether the residuals
// are then within the tolerance.
func (r *refresh) follow(ctx context.Context, full *problem, sub *csr.Graph, list []uint32) (followed, bool, error) {
	groups := r.groups(sub, list)
	if r.opts.Components == Joint && slices.ContainsFunc(groups, func(group []uint32) bool { return r.whole(group, list) }) {
		return followed{}, false, nil
	}
	if full.opts.K == 0 {
		return followed{}, false, nil
	}
	p := new(*full)
	p.opts.Tolerance = r.tolerance
	p.opts.Directions = mostDirections(len(list), p.opts.K)
	m := r.start(sub, list, groups)
	start := m.Panel(0, m.Dim)
	known, ofKnown := p.target.(*deflated)
	var cross, against []float64
	if ofKnown {
		cross = known.takeOut(m)[:p.known*m.Dim]
	}
	for step := range maxSteps {
		refined, err := eigen.Refine(ctx, p.target, start, p.opts)
		if err != nil {
			return followed{}, false, err
		}
		if refined.Reason == eigen.ReasonFar {
			r.far++
			return followed{}, false, nil
		}
		if step == 0 {
			r.failed++ // until it has come within the tolerance
			p.opts.Doubtful = false
		}
		// Old vectors with few dimensions, as of a star, may still have all eigenvalues that are not 0.
		few := len(refined.Values) < p.opts.K
		if few && (len(refined.Values) == 0 || 2*len(refined.Values) > eigen.Width || !refined.Converged) {
			return followed{}, false, nil
		}
		if step == 0 {
			against = refined.Against()
		} else { // what T spans of the start now, it did before but for a residual
			against = vec.Product64(refined.Against(), against, p.opts.K, p.opts.K, m.Dim)
		}
		if refined.Converged {
			suspects, any := r.suspects(p, groups)
			if few {
				suspects = nil
			}
			if any || few {
				if missed, err := exceeded(ctx, p, padded(refined.Values, p.opts.K), suspects); err != nil || missed {
					return followed{}, false, err
				}
			}
			found := followed{pairs: p.refined(refined, step+1)}
			r.residual = max(r.residual, slices.Max(found.relative))
			r.refined++
			r.failed--
			found.cross = leadingColumns(padded(append(cross, against...), p.k*m.Dim), m.Dim, r.vectors.Dim)
			found.combine = func(ctx context.Context, c []float64) (vec.Panel, error) {
				cols := len(c) / p.k
				t, err := refined.Combine(ctx, c[p.known*cols:][:len(refined.Values)*cols])
				if ofKnown && err == nil {
					known.put(t, c[:p.known*cols], 1)
				}
				return t, err
			}
			return found, true, nil
		}
		if refined.Residuals[len(refined.Residuals)-1] > hopeless*r.tolerance*max(p.opts.Norm, refined.Values[0]) {
			break
		}
		if start, err = refined.Vectors(ctx); err != nil {
			return followed{}, false, err
		}
	}
	return followed{}, false, nil
}

// padded returns a with zeros after it, n numbers.
func padded(a []float64, n int) []float64 {
	return append(a[:len(a):len(a)], make([]float64, n-len(a))...)
}

// refined combines the result of the steps with the known eigenpairs, without vectors. Pairs that the
// steps have not found have the eigenvalue 0.
func (p *problem) refined(r *eigen.Refinement, steps int) pairs {
	values, residuals := padded(r.Values, p.opts.K), padded(r.Residuals, p.opts.K)
	result := &eigen.Result{Values: values, Residuals: residuals, Converged: r.Converged, Reason: r.Reason, Products: r.Products, Restarts: steps}
	if p.top != nil {
		result.Values = slices.Concat(p.top.Values, values)
		result.Residuals = slices.Concat(p.top.Residuals, residuals)
		result.Products += p.top.Products
	}
	return p.scaled(result)
}

// scattered reports whether so many edges changed at so many vertices that a step is never worth
// its test, which takes a fifth of the time of a full solve in a small part. The change log does
// not count the edges that changed at a vertex: there is at least one, and there are at least as
// many as its degree differs by. New vertices are not counted, and neither are differences of
// weighted degrees. The limits are for RefreshTolerance; a larger tolerance may accept a step
// after more changes, and is never scattered. It takes O(n).
func (r *refresh) scattered(list []uint32) bool {
	touched, changed, ends := 0, 0.0, 0
	for _, v := range list {
		degree := r.g.Degree(v)
		ends += degree
		if !r.touched[v] || r.state.Places[v] == NoPlace {
			continue
		}
		touched++
		least := 1.0
		if !r.g.Weighted() && r.state.Degrees != nil {
			least = max(least, math.Abs(float64(degree)-r.state.Degrees[v]))
		}
		changed += least
	}
	return r.tolerance <= RefreshTolerance && scatteredVertices*touched >= len(list) && scatteredEnds*changed >= float64(ends)
}

// Limits of scattered: a third of the vertices, and a twentieth of the ends of edges. With 2 % of
// the edges of ego-facebook, dblp and soc-Epinions1 exchanged, where a step is worth it, fewer ends
// changed; with 20 % no step was worth it in ego-facebook, ca-GrQc, CollegeMsg and dblp.
const (
	scatteredVertices = 3
	scatteredEnds     = 20
)

// foreseen estimates the number of long directions of the residual of the old vectors of a part,
// from the change log and without a product: 0 if it is not known. A changed edge changes the row of
// its end v, of length ‖row v of the old eigenvectors‖, in the ratio of changed edges to edges. Rows
// that change by more than foreseenLength tolerances are counted. Each of them also changes the rows
// around it, and so is foreseen to add more directions in a denser graph: with 1 or 2 % of the edges
// changed they added 1.4 to 2 in ca-GrQc, 2 to 3 in soc-Epinions1, and 3 to 9 in sx-mathoverflow,
// ego-facebook and CollegeMsg. It takes O(n + t·dim) for t touched vertices.
func (r *refresh) foreseen(list []uint32, origin uint32) int {
	if r.tolerance > RefreshTolerance || !r.method.unitTop() || r.g.Weighted() || r.state.Degrees == nil || origin == NoPlace {
		return 0
	}
	count, ends := 0, 0
	row := make([]float32, r.vectors.Dim)
	for _, v := range list {
		degree := float64(r.g.Degree(v))
		ends += r.g.Degree(v)
		if !r.touched[v] || r.state.Places[v] != origin || degree == 0 {
			continue
		}
		copy(row, r.vectors.Row(int(v)))
		if r.moves() {
			r.state.shift(row, origin, -1)
		}
		old := r.state.Degrees[v]
		length := math.Sqrt(float64(vec.Dot(row, row))) * math.Pow(old, *r.opts.RowScale)
		if length*max(1, math.Abs(degree-old)) > foreseenLength*r.tolerance*degree {
			count++
		}
	}
	return int(float64(count) * min(foreseenMost, float64(ends)/foreseenEnds/float64(len(list))))
}

// Limits of foreseen: the change of a row that is counted, in tolerances, and the directions that
// are foreseen for each, at most foreseenMost, and one for a mean degree of foreseenEnds.
const (
	foreseenLength = 2.5
	foreseenMost   = 4.0
	foreseenEnds   = 3.0
)

// mostDirections is the largest number of long directions of the residual of the old vectors with
// which a step is tried for k pairs of a part of n vertices. With more, the step begins with a
// polynomial of the matrix in a large part (eigen.Refine); in a small one a step, and a full solve if
// it fails, cost more than the full solve alone: on ego-facebook, ca-GrQc, CollegeMsg, dblp and
// soc-Epinions1 with 0.1 % to all of the edges changed. A large part of a step is the computation
// with matrices of order k, so in a small part it saves less. Directions are added in blocks, so
// less than a block is no limit.
func mostDirections(n, k int) int { return max(eigen.Width, min(4*k/5, n/50-10)) }

// mostForeseen is the largest number of foreseen directions with which a step is tried: mostDirections,
// and twice as many in a large part, where a step that begins with a polynomial takes no more than .9
// of a full solve after 5 % of the edges changed, and the start is sampled in doubt.
func mostForeseen(n, k int) int {
	if eigen.Amplifiable(n, k) {
		return 2 * mostDirections(n, k)
	}
	return mostDirections(n, k)
}

// hopeless is the multiple of the tolerance from which the residual of the last pair is
// too large for another step.
const hopeless = 6

// maxSteps is the largest number of steps. Two steps cost a third of a full solve for a
// graph whose full solve is cheap; more would not pay.
const maxSteps = 2

// turn writes the vectors of a part, rotated onto the old ones.
func (r *refresh) turn(ctx context.Context, found followed, list []uint32) error {
	k := len(found.Values)
	lengths := powers(found.Values, *r.opts.Scale)
	rank := k // rows of 0 are not rotated, which are those of eigenvalues that are not positive
	for rank > 0 && lengths[rank-1] == 0 {
		rank--
	}
	cross := leadingColumns(found.cross, r.vectors.Dim, k)
	for j, length := range lengths {
		scaleRow(cross[j*k:(j+1)*k], length)
	}
	// The rotation of orthogonal Procrustes (Schönemann, Psychometrika 31, 1966).
	c, err := eigen.Polar(ctx, cross[:rank*k], rank, k)
	if err != nil {
		return err
	}
	c = padded(c, k*k)
	for j, length := range lengths {
		scaleRow(c[j*k:(j+1)*k], length)
	}
	rows, err := found.combine(ctx, c)
	if err != nil {
		return err
	}
	delta := *r.opts.RowScale
	drifts := make([]base.Drift, (len(list)+projectRows-1)/projectRows)
	vec.Parallel(len(list), projectRows, r.opts.Workers, func(run, lo, hi int) {
		for i := lo; i < hi; i++ {
			v := list[i]
			row, now := r.vectors.Row(int(v)), rows.Data[i*rows.Stride:][:k]
			if delta != 0 {
				scale := float32(math.Pow(found.degrees[i], -delta))
				for j := range now {
					now[j] *= scale
				}
				r.next.Degrees[v] = found.degrees[i]
			}
			if r.state.Places[v] != NoPlace {
				drifts[run].Add(row, now)
			}
			clear(row[copy(row, now):])
		}
	})
	for _, d := range drifts {
		r.drift.Join(d)
	}
	return nil
}

// scaleRow multiplies a row by x.
func scaleRow(row []float64, x float64) {
	for i := range row {
		row[i] *= x
	}
}

// leadingColumns returns the first columns of a row-major matrix.
func leadingColumns(a []float64, cols, first int) []float64 {
	if first == cols {
		return a
	}
	b := make([]float64, 0, len(a)/cols*first)
	for at := 0; at < len(a); at += cols {
		b = append(b, a[at:at+first]...)
	}
	return b
}

// moves reports whether the run moves parts apart.
func (r *refresh) moves() bool { return r.opts.Components == Apart }

// refresh is one run of Refresh.
type refresh struct {
	*solve
	tolerance float64
	vectors   *vec.Matrix // old vectors until they are replaced, part by part
	state     *State
	touched   []bool // by vertex, new ones too
	next      *State

	parts          [][]uint32 // vertices of each part
	places         []uint32   // of each part
	keeps          []bool     // parts that did not change
	directions     []int      // foreseen of each part, the largest number if it is scattered
	taken          map[uint32]bool
	local          []uint32 // place of a vertex in its part
	residual       float64
	linked         int // vertices with edges
	far            int // parts for which no step was tried, because too much of them had changed
	failed         int // parts for which a step was tried and was not enough
	solvedVertices int // in parts that were solved in full
	kept           int
	refined        int
	solved         int
	drift          base.Drift
}

// This file computes the columns that a refresh adds to the old vectors, and the test that
// shows whether these columns were enough.

// start returns columns that nearly span the eigenvectors of a part: its old vectors, and
// an approximate leading eigenvector for each group of vertices without information in
// the old vectors. Steps alone would reach such a group only through its few edges to the
// rest.
func (r *refresh) start(sub *csr.Graph, list []uint32, groups [][]uint32) *vec.Matrix {
	dim := r.vectors.Dim
	m := r.before(list, len(groups))
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

// Limits of the groups that get their own column: their number, and the least size of a
// group without new vertices. A random change makes dozens of smaller groups, for which
// the old vectors and the residuals suffice.
const (
	maxGroups  = 32
	leastGroup = 8
)

// groups lists the connected groups, the largest first, of at least two vertices that
// have no vectors or whose neighbourhoods are new: they are touched, and so are half
// of their neighbours. The centre of a star of new vertices is one of these, and connects
// them to a group.
func (r *refresh) groups(sub *csr.Graph, list []uint32) [][]uint32 {
	isNew := func(i uint32) bool { return r.state.Places[list[i]] == NoPlace }
	changed := func(i uint32) bool { return isNew(i) || r.touched[list[i]] }
	var members []uint32
	for i := range uint32(len(list)) {
		around := 0
		if changed(i) && !isNew(i) {
			for _, u := range sub.Neighbors(i) {
				if changed(u) {
					around++
				}
			}
		}
		if isNew(i) || (around > 0 && 2*around >= sub.Degree(i)) {
			members = append(members, i)
		}
	}
	if len(members) < 2 {
		return nil
	}
	var groups [][]uint32
	for _, group := range sub.Induced(members).Components().Vertices() {
		if len(group) < 2 || len(groups) == maxGroups {
			break
		}
		for i, v := range group {
			group[i] = members[v]
		}
		if len(group) >= leastGroup || slices.ContainsFunc(group, isNew) {
			groups = append(groups, group)
		}
	}
	return groups
}

// whole reports whether a group is a component and large enough to have more leading
// eigenvectors than the one that its column approximates.
func (r *refresh) whole(group, list []uint32) bool {
	size := int(r.components.Sizes[r.components.Label[list[group[0]]]])
	return size == len(group) && size >= leastGroup
}

// suspects lists the vertices that may have leading eigenvectors that a step has not
// found: all vertices (nil) where no eigenvalue is known, otherwise the vertices of groups
// so large that they may have more leading eigenvectors than their column approximates,
// such as a component that was joined by an edge.
func (r *refresh) suspects(p *problem, groups [][]uint32) (list []uint32, any bool) {
	if p.known == 0 {
		return nil, true
	}
	for _, group := range groups {
		if len(group) >= largeGroup {
			list = append(list, group...)
		}
	}
	return list, len(list) > 0
}

// largeGroup is the size from which a group is probed.
const largeGroup = 32

// exceeded reports whether a probe finds eigenvalues larger than those that were found,
// by more than the tolerance. Residuals cannot show this: the residual of an eigenvector
// is 0 whether it is a leading one or not, and one edge or weight can change which
// eigenvectors lead. The Ritz values of any space are at most the eigenvalues in
// descending order (Cauchy); here the space starts at random on the given vertices, nil
// for all. It takes tens of products.
func exceeded(ctx context.Context, p *problem, found []float64, vertices []uint32) (bool, error) {
	n := p.target.Size()
	m := vec.NewMatrix(n, eigen.Width)
	random := rand.New(rand.NewPCG(p.opts.Seed, uint64(n)))
	fill := func(row []float32) {
		for i := range row {
			row[i] = float32(random.NormFloat64())
		}
	}
	if vertices == nil {
		fill(m.Data)
	}
	for _, v := range vertices {
		fill(m.Row(int(v)))
	}
	y := make([]float32, len(m.Data))
	for range probeSteps {
		if known, is := p.target.(eigen.Projector); is {
			known.Project(m.Data)
		}
		if err := p.target.Apply(ctx, y, m.Data, 1, 0, 0); err != nil {
			return false, err
		}
		length := math.Sqrt(float64(vec.Dot(y, y)) / float64(len(y)))
		if !(length > 0) || math.IsInf(length, 0) {
			return false, nil
		}
		for i, x := range y {
			m.Data[i] = x / float32(length)
		}
	}
	if known, is := p.target.(eigen.Projector); is {
		known.Project(m.Data)
	}
	opts := p.opts
	opts.K, opts.Directions = min(len(found), eigen.Width), 0
	probe, err := eigen.Refine(ctx, p.target, m.Panel(0, eigen.Width), opts)
	if err != nil {
		return false, err
	}
	for j, value := range probe.Values {
		if value-found[j] > p.opts.Tolerance*max(p.opts.Norm, found[0]) {
			return true, nil
		}
	}
	return false, nil
}

// probeSteps is the number of steps of a probe: enough to find several large eigenvalues,
// not only the largest.
const probeSteps = 2

// before returns the old vectors of a part times D^δ, followed by columns of zeros. The
// columns of the product span the same space as the old eigenvectors.
func (r *refresh) before(list []uint32, more int) *vec.Matrix {
	m := vec.NewMatrix(len(list), r.vectors.Dim+more)
	delta := *r.opts.RowScale
	vec.Parallel(len(list), projectRows, r.opts.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v := list[i]
			to, from := m.Row(i), r.vectors.Row(int(v))
			if delta == 0 {
				copy(to, from)
			} else if r.state.Places[v] != NoPlace && r.state.Degrees[v] > 0 {
				vec.Axpy(float32(math.Pow(r.state.Degrees[v], delta)), from, to[:len(from)])
			}
		}
	})
	return m
}
