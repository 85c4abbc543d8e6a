package tune

import (
	"errors"
	"fmt"
	"slices"

	"heavytail/embedding"
)

// Method is an embedding method to search, one of the names of package
// embedding, with the options that all of its trials have.
type Method struct {
	Name     string
	Spectral embedding.SpectralOptions // of a method that solves for eigenvectors
	Walks    embedding.WalkOptions     // of a method that learns from walks
	// Held are the names of parameters that stay as the options have them. The
	// others of Parameters are searched.
	Held []string
}

// Parameters returns the names of the parameters that are searched of a method,
// nil for a name that is no method's.
func Parameters(method string) []string {
	var names []string
	for _, shape := range shapes(method) {
		for _, o := range shape.fixed {
			names = append(names, o.Name)
		}
		for _, a := range shape.axes {
			names = append(names, a.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// axis is a parameter that is a number.
type axis struct {
	name        string
	coarse      []float64 // of the survey, ascending
	least, most float64   // that a refinement may reach
	step        float64   // that it begins with
	finest      float64   // that it ends with
	solved      bool      // another value needs another solve
}

// shape is how the parameters of a method are searched: the number axes, for one
// choice of the others. One method may have several.
type shape struct {
	fixed []Option // parameters that are no numbers
	axes  []axis
}

// maxAxes is the number of axes that a point has room for.
const maxAxes = 4

// point is a value for each axis of a branch.
type point [maxAxes]float64

// The axes of scales.
func scaleAxes() []axis {
	return []axis{
		{name: "scale", coarse: []float64{0, 0.25, 0.5, 1}, most: 4, step: 0.125, finest: 0.03},
		{name: "row_scale", coarse: []float64{0, 0.25, 0.5, 1}, most: 4, step: 0.125, finest: 0.03},
	}
}

// shapes returns how a method is searched.
func shapes(method string) []shape {
	alpha := axis{name: "alpha", coarse: []float64{0.0125, 0.025, 0.05}, least: 0.001, most: 0.2, step: 0.01, finest: 0.004, solved: true}
	switch method {
	case embedding.MethodDPSpectral:
		penalty := func(normalization embedding.Normalization, coarse ...float64) shape {
			beta := axis{name: "beta", coarse: coarse, most: 4, step: 0.2, finest: 0.04, solved: true}
			return shape{[]Option{{"normalization", normalization.String()}}, append([]axis{beta}, scaleAxes()...)}
		}
		return []shape{
			penalty(embedding.Degree, 0, 0.25, 0.5, 0.75, 1),
			penalty(embedding.Strength, 0.5, 1, 1.5, 2, 2.5),
		}
	case embedding.MethodLaplacianEigenmaps:
		return []shape{{nil, scaleAxes()}}
	case embedding.MethodDPWalker:
		beta := axis{name: "beta", coarse: []float64{1, 1.5, 2, 2.5, 3}, most: 6, step: 0.25, finest: 0.1, solved: true}
		return []shape{{nil, []axis{beta, alpha}}}
	case embedding.MethodDeepWalk:
		return []shape{{nil, []axis{alpha}}}
	case embedding.MethodNode2Vec:
		bias := func(name string) axis {
			return axis{name: name, coarse: []float64{0.25, 1, 4}, least: 0.01, most: 100, step: 0.5, finest: 0.1, solved: true}
		}
		return []shape{{nil, []axis{bias("p"), bias("q"), alpha}}}
	}
	return nil
}

// branch is one shape of a method.
type branch struct {
	method Method
	shape
}

// branches returns the searches that a method takes. A parameter that is held
// has one value.
func (m Method) branches() ([]*branch, error) {
	list := shapes(m.Name)
	if list == nil {
		return nil, fmt.Errorf("%w: %q is no method that can be tuned", ErrOptions, m.Name)
	}
	for _, name := range m.Held {
		if !slices.Contains(Parameters(m.Name), name) {
			return nil, fmt.Errorf("%w: %q is no parameter of %s that is searched", ErrOptions, name, m.Name)
		}
	}
	if err := errors.Join(m.Spectral.Validate(), m.Walks.Validate()); err != nil {
		return nil, fmt.Errorf("tune: %s: %w", m.Name, err)
	}
	var branches []*branch
	for _, shape := range list {
		b := &branch{method: m}
		held := true // the fixed options of the shape are those of the method
		for _, o := range shape.fixed {
			if slices.Contains(m.Held, o.Name) {
				held = held && o.Value == m.Spectral.Normalization.String()
				continue
			}
			b.fixed = append(b.fixed, o)
		}
		if !held {
			continue
		}
		if slices.ContainsFunc(shape.fixed, func(o Option) bool { return o.Name == "normalization" }) {
			b.method.Spectral.Normalization = normalization(shape.fixed[0].Value)
		}
		for _, a := range shape.axes {
			if !slices.Contains(m.Held, a.name) {
				b.axes = append(b.axes, a)
			}
		}
		branches = append(branches, b)
	}
	return branches, nil
}

// normalization reads the value of an option.
func normalization(value any) embedding.Normalization {
	if value == embedding.Degree.String() {
		return embedding.Degree
	}
	return embedding.Strength
}

// spectral reports whether the method solves for eigenvectors.
func (m Method) spectral() bool {
	return m.Name == embedding.MethodDPSpectral || m.Name == embedding.MethodLaplacianEigenmaps
}

// options returns a point in the terms of the language.
func (b *branch) options(p point) []Option {
	list := slices.Clone(b.fixed)
	for i, a := range b.axes {
		list = append(list, Option{a.name, p[i]})
	}
	return list
}

// at returns the options of a point.
func (b *branch) at(p point) (embedding.SpectralOptions, embedding.WalkOptions) {
	s, w := b.method.Spectral, b.method.Walks
	for i, a := range b.axes {
		x := p[i]
		switch a.name {
		case "beta":
			s.Beta, w.Beta = &x, &x
		case "scale":
			s.Scale = &x
		case "row_scale":
			s.RowScale = &x
		case "alpha":
			w.Alpha = x
		case "p":
			w.P = x
		case "q":
			w.Q = x
		}
	}
	return s, w
}

// solve is the part of a point that decides what has to be solved: two points of
// one solve differ in scales alone.
func (b *branch) solve(p point) point {
	for i, a := range b.axes {
		if !a.solved {
			p[i] = 0
		}
	}
	return p
}

// scales is the rest of a point.
func (b *branch) scales(p point) point {
	for i, a := range b.axes {
		if a.solved {
			p[i] = 0
		}
	}
	return p
}

// grid lists the points of the survey, those of one solve one after the other.
// Within the values of an axis the middle comes first: it is the likeliest to be
// good, and limits cut from the end.
func (b *branch) grid() [][]point {
	outer, inner := []point{{}}, []point{{}}
	for i, a := range b.axes {
		to := &inner
		if a.solved {
			to = &outer
		}
		var next []point
		for _, p := range *to {
			for _, x := range middleFirst(a.coarse) {
				p[i] = x
				next = append(next, p)
			}
		}
		*to = next
	}
	var groups [][]point
	for _, o := range outer {
		var group []point
		for _, p := range inner {
			for i, a := range b.axes {
				if a.solved {
					p[i] = o[i]
				}
			}
			group = append(group, p)
		}
		groups = append(groups, group)
	}
	return groups
}

// middleFirst orders ascending values by their distance from the middle one.
func middleFirst(ascending []float64) []float64 {
	var list []float64
	middle := (len(ascending) - 1) / 2
	for away := 0; len(list) < len(ascending); away++ {
		if at := middle - away; at >= 0 {
			list = append(list, ascending[at])
		}
		if at := middle + away; away > 0 && at < len(ascending) {
			list = append(list, ascending[at])
		}
	}
	return list
}
