package spectral

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

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
