package embedding

import (
	"cmp"
	"context"
	"errors"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// soloVertices is the size from which a component is solved by all workers
// together. Smaller ones are solved side by side, one worker each.
const soloVertices = 2000

// apart solves every component by itself and then moves them away from each
// other.
//
// A component of n_c vertices has min(k, n_c) coordinates, of unit norm as those
// of the largest; the rest of its coordinates are 0. To keep only eigenvalues
// above the last one of the largest component, and to scale coordinates by
// √(n_c/n_1), were measured too: both reconstruct ca-GrQc a little worse. Note
// that without a scale γ the rows of a component with n_c ≤ k are orthonormal,
// and all equally far from each other.
func (s *solve) apart(ctx context.Context) error {
	lists := s.components.Vertices()
	local := make([]uint32, s.g.Vertices())
	for _, list := range lists {
		for i, v := range list {
			local[v] = uint32(i)
		}
	}
	parts := make([]pairs, len(lists)) // without their vectors
	one := func(c, workers int) error {
		p, err := s.solve(ctx, withoutEqual(component(s.g, lists[c], local)), nil, 1, workers, c == 0)
		if err != nil {
			return err
		}
		s.place(p, lists[c])
		p.Vectors, p.degrees = nil, nil
		parts[c] = p
		return nil
	}
	c := 0
	for ; c < len(lists) && len(lists[c]) >= soloVertices; c++ {
		if err := one(c, s.opts.Workers); err != nil {
			return err
		}
	}
	errs := make([]error, len(lists))
	vec.Parallel(len(lists)-c, 1, s.opts.Workers, func(i, _, _ int) {
		if len(lists[c+i]) > 1 && ctx.Err() == nil {
			errs[c+i] = one(c+i, 1)
		}
	})
	if err := cmp.Or(ctx.Err(), errors.Join(errs...)); err != nil {
		return err
	}
	for c, p := range parts {
		if p.Result != nil {
			s.add(p)
		}
		if c == 0 && p.Result != nil {
			s.stats.Eigenvalues, s.stats.Residuals = p.Values, p.relative
		}
	}
	s.separate(lists)
	return nil
}

// component is Induced for a list that is a whole component, with the place of
// every vertex in its list given: it takes time for the component alone.
func component(g *csr.Graph, list, local []uint32) *csr.Graph {
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

// place writes the eigenvectors of a part, scaled, as rows of the embedding:
// D^-δ T Λ^γ.
func (s *solve) place(p pairs, vertices []uint32) {
	gamma, delta := *s.opts.Scale, *s.opts.RowScale
	factor := make([]float64, len(p.Values))
	for j := range factor {
		switch value := p.Values[j]; {
		case gamma == 0:
			factor[j] = 1
		case value > 0:
			factor[j] = math.Pow(value, gamma)
		}
	}
	for i, v := range vertices {
		row := s.out.Row(int(v))
		scale := 1.0
		if delta != 0 {
			scale = math.Pow(p.degrees[i], -delta)
		}
		for j, x := range p.Vectors.Row(i) {
			row[j] = float32(scale * factor[j] * float64(x))
		}
	}
}

// separate moves component c by Δ times the digits of c in the smallest base
// that the coordinates suffice for, so that two components differ by at least Δ
// in some coordinate. With R the largest norm of a row, Δ = 6R + 5, and rows of
// different components are more than 4R + 5 apart: twice the widest distance
// within a component, and beyond the radius of ε = 0.01. The largest component
// stays at the origin.
func (s *solve) separate(lists [][]uint32) {
	dim := s.out.Dim
	if len(lists) < 2 {
		return
	}
	norm := 0.0
	for v := range s.out.Rows {
		row := s.out.Row(v)
		sum := 0.0
		for _, x := range row {
			sum += float64(x) * float64(x)
		}
		norm = max(norm, sum)
	}
	step := 6*math.Sqrt(norm) + 5
	base := 2
	for math.Pow(float64(base), float64(dim)) < float64(len(lists)) {
		base++
	}
	for c, list := range lists {
		for j, rest := 0, c; rest > 0; j, rest = j+1, rest/base {
			shift := float32(step * float64(rest%base))
			for _, v := range list {
				s.out.Row(int(v))[j] += shift
			}
		}
	}
}
