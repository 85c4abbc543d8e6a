package spectral

import (
	"context"
	"errors"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// soloVertices is the size from which a component is solved by all workers
// together. Smaller components are solved concurrently, by one worker each.
const soloVertices = 2000

// apart solves every component separately.
//
// A component of n_c vertices has min(k, n_c) coordinates, of unit norm as in the
// largest component; the rest of its coordinates are 0. Two alternatives were measured
// and reconstruct ca-GrQc a little worse: keeping only eigenvalues above the last one of
// the largest component, and scaling coordinates by √(n_c/n_1). Without a scale γ the
// vectors of a component with n_c ≤ k are orthonormal, so all distances between them are
// equal.
func (s *solve) apart(ctx context.Context) error {
	lists := s.components.Vertices()
	local := make([]uint32, s.g.Vertices())
	for _, list := range lists {
		for i, v := range list {
			local[v] = uint32(i)
		}
	}
	rest, err := s.loadSmall(ctx)
	if err != nil {
		return err
	}
	parts := make([]pairs, len(lists)) // with no vectors
	one := func(c, workers int, as rank) error {
		p, solved := pairs{}, false
		if as != small {
			p, solved = s.log.take(c)
		}
		if !solved {
			var a matrix
			var err error
			if a, err = s.component(ctx, c, lists[c], local, rest); err != nil {
				return err
			}
			if p, err = s.solve(ctx, a, nil, 1, workers, as); err != nil {
				return err
			}
			if as != small {
				s.log.add(p)
			}
		}
		s.keep(p, lists[c])
		p.degrees = nil
		result := *p.Result
		result.Vectors = nil
		p.Result = &result
		parts[c] = p
		return nil
	}
	var sizes []int // sizes of the components that are solved alone
	for c := 0; c < len(lists) && len(lists[c]) >= soloVertices; c++ {
		sizes = append(sizes, len(lists[c]))
	}
	if err := s.openLog(sizes); err != nil {
		return err
	}
	for c := range sizes {
		if err := one(c, s.opts.Workers, rankOf(c, alone)); err != nil {
			return err
		}
	}
	if len(lists) > 1 {
		s.room() // the others are kept concurrently
	}
	if err := s.others(ctx, lists, len(sizes), func(c int) error { return one(c, 1, rankOf(c, small)) }); err != nil {
		return err
	}
	for c, p := range parts {
		if p.Result != nil {
			s.add(p)
		}
		if c == 0 && p.Result != nil {
			s.stats.Eigenvalues, s.stats.Residuals = p.Values, p.relative
		}
		part := EigenPart{Vertices: lists[c]}
		if p.Result != nil {
			part.Values = p.Values
		}
		s.out.Parts = append(s.out.Parts, part)
	}
	return nil
}

// rankOf is the rank of component number c, unless it is the largest.
func rankOf(c int, other rank) rank {
	if c == 0 {
		return largest
	}
	return other
}

// others concurrently solves the components from number first on. If the context ends
// before it has finished, it saves the components before first.
func (s *solve) others(ctx context.Context, lists [][]uint32, first int, one func(c int) error) error {
	errs := make([]error, len(lists))
	vec.Parallel(len(lists)-first, 1, s.opts.Workers, func(i, _, _ int) {
		if len(lists[first+i]) > 1 && ctx.Err() == nil {
			errs[first+i] = one(first + i)
		}
	})
	if err := ctx.Err(); err != nil {
		if first > 0 && s.log.Save != nil {
			err = errors.Join(err, s.log.save(nil))
		}
		return err
	}
	return errors.Join(errs...)
}

// loadSmall returns a graph with the edges of the components that component does not read
// from lists, and maybe further ones.
func (s *solve) loadSmall(ctx context.Context) (*csr.Graph, error) {
	if s.from == nil {
		return s.g, nil
	}
	first := 1
	for first < s.components.Count() && s.components.Sizes[first] >= soloVertices {
		first++
	}
	return s.from.loadSmall(ctx, first)
}

// component returns the matrix of component number c. rest is what loadSmall returned.
func (s *solve) component(ctx context.Context, c int, list, local []uint32, rest *csr.Graph) (matrix, error) {
	if s.from != nil && (c == 0 || len(list) >= soloVertices) {
		return s.from.part(ctx, list, local, s.components.Label, uint32(c))
	}
	return inMemory(component(rest, list, local).WithoutEqualWeights()), nil
}

// component returns the same graph as Induced for a list that is a whole component; the graph
// itself where it has no other. The caller gives the place of every vertex in its list, so the
// time depends only on the size of the component.
func component(g *csr.Graph, list, local []uint32) *csr.Graph {
	if len(list) == g.Vertices() {
		return g
	}
	sub := &csr.Graph{Offsets: make([]int64, len(list)+1)}
	for i, v := range list {
		sub.Offsets[i+1] = sub.Offsets[i] + int64(g.Degree(v))
	}
	sub.Targets = make([]uint32, 0, sub.Offsets[len(list)])
	if g.Weighted() {
		sub.Weights = make([]float32, 0, sub.Offsets[len(list)])
	}
	for _, v := range list {
		for _, u := range g.Neighbors(v) {
			sub.Targets = append(sub.Targets, local[u])
		}
		sub.Weights = append(sub.Weights, g.WeightsOf(v)...)
	}
	return sub
}

// keep copies the eigenvectors of a part, and the degrees they were computed with, to the
// rows of its vertices. Those of a part with all vertices are kept as they are.
func (s *solve) keep(p pairs, vertices []uint32) {
	if s.out.Vectors == nil && len(vertices) == len(s.out.Degrees) {
		s.out.Vectors = p.Vectors
		copy(s.out.Degrees, p.degrees)
		return
	}
	s.room()
	for i, v := range vertices {
		copy(s.out.Vectors.Row(int(v)), p.Vectors.Row(i))
		s.out.Degrees[v] = p.degrees[i]
	}
}

// room makes the vectors of all vertices, unless there are any. It is called only when the largest part
// is solved: before, they would be memory in use while its basis is, and with a garbage collector that
// allows garbage in proportion the basis would stay beside them.
func (s *solve) room() {
	if s.out.Vectors == nil {
		s.out.Vectors = vec.NewMatrix(len(s.out.Degrees), s.stats.Dim)
	}
}

// joint solves the graph without its isolated vertices, whose vectors stay zero,
// as one matrix.
func (s *solve) joint(ctx context.Context) error {
	vertices := linkedVertices(s.g)
	a, labels, linked, err := s.joinedMatrix(ctx, vertices)
	if err != nil {
		return err
	}
	if err := s.openLog(nil); err != nil {
		return err
	}
	p, err := s.solve(ctx, a, labels, linked, s.opts.Workers, largest)
	if err != nil {
		return err
	}
	s.add(p)
	s.stats.Eigenvalues, s.stats.Residuals = p.Values, p.relative
	s.keep(p, vertices)
	s.out.Parts = []EigenPart{{Vertices: vertices, Values: p.Values}}
	return nil
}

// joined returns the graph induced by the given vertices of all components, and its
// components in the form that solve expects.
func (s *solve) joined(vertices []uint32) (sub *csr.Graph, labels []uint32, linked int) {
	labels, linked = s.labels(vertices)
	return s.g.Induced(vertices).WithoutEqualWeights(), labels, linked
}

// joinedMatrix is joined for a matrix, in memory or read from lists.
func (s *solve) joinedMatrix(ctx context.Context, vertices []uint32) (a matrix, labels []uint32, linked int, err error) {
	if s.from == nil {
		sub, labels, linked := s.joined(vertices)
		return inMemory(sub), labels, linked, nil
	}
	labels, linked = s.labels(vertices)
	local := make([]uint32, s.g.Vertices())
	for i, v := range vertices {
		local[v] = uint32(i)
	}
	a, err = s.from.part(ctx, vertices, local, nil, 0)
	return a, labels, linked, err
}

// labels returns the component of each of the vertices, and the number of components that
// have an edge.
func (s *solve) labels(vertices []uint32) (labels []uint32, linked int) {
	for linked < s.components.Count() && s.components.Sizes[linked] > 1 { // components with an edge come first
		linked++
	}
	labels = make([]uint32, len(vertices))
	for i, v := range vertices {
		labels[i] = s.components.Label[v]
	}
	return labels, linked
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
