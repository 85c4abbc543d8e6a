package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heavytail/embedding"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Method is an embedding method to search, one of the names of package
// embedding, with the options that all of its trials have.
type Method struct {
	Name     string
	Spectral embedding.SpectralOptions // of a method that solves for eigenvectors
	Walks    embedding.WalkOptions     // of a method that learns from walks
	Placing  *Placing                  // of any other method; nil for these
	// Held has the names of the parameters that keep their values in the options. The
	// search varies the other names of Parameters.
	Held []string
}

// Names of the methods whose vectors a [Placing] computes.
const (
	MethodUnitBall = "unit_ball"
	MethodProNE    = "prone"
	MethodFastRP   = "fastrp"
	MethodNetMF    = "netmf"
)

// Placing computes the vectors of a method that is not of package embedding.
type Placing struct {
	Defaults map[string]float64 // of the Parameters of the method
	// Embed computes the vectors with values of the parameters that are searched, in full or
	// as in the survey. It reports how far it is by calling progress, which is never nil, from
	// one goroutine.
	Embed func(ctx context.Context, g *csr.Graph, options []Option, full bool, workers int, progress func(about string)) (*vec.Matrix, error)
	// Seconds estimates the time that Embed takes; it must return the same value on every
	// machine.
	Seconds func(vertices, edges int64, full bool) float64
}

// Parameters returns the names of the parameters of a method that are searched, or nil if
// there is no method of this name.
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
	least, most float64   // limits of a refinement
	step        float64   // first step of a refinement
	finest      float64   // last step of a refinement
	solved      bool      // a different value needs a different solve
	geometric   bool      // steps are factors: a step of 1 doubles or halves the value
	whole       bool      // values are whole numbers
	// length is true if the time of a training is proportional to the values. The default is
	// the largest of them, and the only one of the survey.
	length bool
}

// directions returns the signs of steps, in the order in which they are tried.
func (a axis) directions() [2]float64 {
	if a.length {
		return [2]float64{-1, 1}
	}
	return [2]float64{1, -1}
}

// moved returns the value that is a step away. It is short, since people read and type it.
func (a axis) moved(x, step float64) float64 {
	if a.geometric {
		x *= math.Exp2(step)
	} else {
		x += step
	}
	x = min(a.most, max(a.least, x))
	if a.whole {
		return math.Round(x)
	}
	return math.Round(x*1e5) / 1e5
}

// shape is one way to search the parameters of a method: the numeric axes, for one choice
// of the parameters that are not numbers. A method may have several shapes.
type shape struct {
	fixed []Option // parameters that are not numbers
	axes  []axis
}

// maxAxes is the number of axes that a point has room for.
const maxAxes = 6

// point is a value for each axis of a branch.
type point [maxAxes]float64

// chosen is the value of an axis of dp_spectral for the choice of [Penalty] or [RowScale].
const chosen = -1

func scaleAxes() []axis {
	return []axis{
		{name: "scale", coarse: []float64{0, 0.25, 0.5, 1}, most: 4, step: 0.125, finest: 0.03},
		{name: "row_scale", coarse: []float64{0, 0.25, 0.5, 0.75}, most: 4, step: 0.125, finest: 0.03},
	}
}

// rowAxes are how rows are scaled after they were computed.
func rowAxes(solved bool) []axis {
	return []axis{
		{name: "row_norm", coarse: []float64{0, 1}, most: 1, step: 0.25, finest: 0.1, solved: solved},
		{name: "row_scale", coarse: []float64{0, 0.2}, most: 4, step: 0.1, finest: 0.02, solved: solved},
	}
}

func shapes(method string) []shape {
	alpha := axis{name: "alpha", coarse: []float64{0.025, 0.05, 0.1}, least: 0.001, most: 0.2, step: 1, finest: 0.25, solved: true, geometric: true}
	walks := axis{name: "walks", least: 1, step: 1, finest: 1, solved: true, geometric: true, whole: true, length: true}
	common := axis{name: "common", coarse: []float64{0, 1}, most: 1, step: 1, finest: 0.5, solved: true}
	walk := func(axes ...axis) []shape {
		return []shape{{nil, slices.Concat(rowAxes(false), []axis{walks}, axes, []axis{alpha})}}
	}
	switch method {
	case embedding.MethodDPSpectral:
		penalty := func(normalization embedding.Normalization, coarse ...float64) shape {
			beta := axis{name: "beta", coarse: coarse, most: 4, step: 0.2, finest: 0.04, solved: true}
			return shape{[]Option{{"normalization", normalization.String()}}, append([]axis{beta, common}, scaleAxes()...)}
		}
		return []shape{
			penalty(embedding.Degree, 0, 0.25, 0.5, 0.75, 1),
			penalty(embedding.Strength, 0, 0.5, 1, 1.5, 2),
		}
	case embedding.MethodLaplacianEigenmaps:
		return []shape{{nil, scaleAxes()}}
	case MethodUnitBall:
		return []shape{{nil, []axis{{name: "margin", coarse: []float64{0.025, 0.05, 0.1}, least: 0.005, most: 0.5, step: 0.02, finest: 0.01, solved: true}}}}
	case MethodProNE:
		mu := axis{name: "mu", coarse: []float64{0, 0.2}, least: -2, most: 4, step: 0.2, finest: 0.1, solved: true}
		return []shape{{nil, append(rowAxes(true), mu)}}
	case MethodFastRP:
		beta := axis{name: "beta", coarse: []float64{-0.5, -0.25, 0}, least: -4, most: 4, step: 0.25, finest: 0.1, solved: true}
		return []shape{{nil, append(rowAxes(true), beta)}}
	case MethodNetMF:
		return []shape{{nil, rowAxes(true)}}
	case embedding.MethodDPWalker:
		beta := axis{name: "beta", coarse: []float64{0.25, 0.5, 1}, most: 6, step: 0.25, finest: 0.1, solved: true}
		return walk(beta, common)
	case embedding.MethodDeepWalk:
		return walk()
	case embedding.MethodNode2Vec:
		bias := func(name string) axis {
			return axis{name: name, coarse: []float64{0.25, 1, 4}, least: 0.01, most: 100, step: 1, finest: 0.25, solved: true, geometric: true}
		}
		return walk(bias("p"), bias("q"))
	}
	return nil
}

// branch is one shape of a method.
type branch struct {
	method Method
	shape
	home bool // the fixed options are those of the method: its defaults are in this branch
}

// branches returns the branches of a method to search. A held parameter has only one value.
func (m Method) branches() ([]*branch, error) {
	list := shapes(m.Name)
	if list == nil {
		return nil, fmt.Errorf("%w: %q is not a method that can be tuned", ErrOptions, m.Name)
	}
	for _, name := range m.Held {
		if !slices.Contains(Parameters(m.Name), name) {
			return nil, fmt.Errorf("%w: %q is not a searched parameter of %s", ErrOptions, name, m.Name)
		}
	}
	if m.Placing == nil && slices.Contains([]string{MethodUnitBall, MethodProNE, MethodFastRP, MethodNetMF}, m.Name) {
		return nil, fmt.Errorf("%w: %s has nothing that computes its vectors", ErrOptions, m.Name)
	}
	if err := errors.Join(m.Spectral.Validate(), m.Walks.Validate()); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	var branches []*branch
	for _, shape := range list {
		b := &branch{method: m}
		held := true // the fixed options of the shape are those of the method
		for _, o := range shape.fixed {
			if slices.Contains(m.Held, o.Name) && m.Spectral.Normalization != embedding.Auto {
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
		b.home = b.method.Spectral.Normalization == m.Spectral.Normalization ||
			m.Spectral.Normalization == embedding.Auto && b.method.Spectral.Normalization == embedding.Strength
		for _, a := range shape.axes {
			if !slices.Contains(m.Held, a.name) {
				b.axes = append(b.axes, a)
			}
		}
		for i, x := range b.standard() {
			if i < len(b.axes) && b.axes[i].length {
				b.axes[i].coarse, b.axes[i].most = []float64{x}, x
			}
		}
		branches = append(branches, b)
	}
	return branches, nil
}

func normalization(value any) embedding.Normalization {
	if value == embedding.Degree.String() {
		return embedding.Degree
	}
	return embedding.Strength
}

// standard returns the point of the defaults of the method, for a branch at home.
func (b *branch) standard() (p point) {
	m := b.method
	s, w := m.Spectral.WithDefaults(m.Name), m.Walks.WithDefaults(m.Name)
	of := map[string]float64{
		"row_norm": *w.RowNorm, "row_scale": *w.RowScale, "walks": float64(w.Walks), "beta": *w.Beta, "common": *w.Common, "alpha": w.Alpha, "p": w.P, "q": w.Q,
	}
	if m.spectral() {
		of = map[string]float64{"scale": *s.Scale, "row_scale": *s.RowScale}
		if m.Name == embedding.MethodDPSpectral {
			for name, x := range map[string]*float64{"beta": m.Spectral.Beta, "common": m.Spectral.Common, "row_scale": m.Spectral.RowScale} {
				if of[name] = chosen; x != nil {
					of[name] = *x
				}
			}
		}
	}
	if m.Placing != nil {
		of = m.Placing.Defaults
	}
	for i, a := range b.axes {
		p[i] = of[a.name]
	}
	return p
}

// steps reports whether a fraction of the first steps is not too fine on all axes.
func (b *branch) steps(share float64) bool {
	return slices.ContainsFunc(b.axes, func(a axis) bool { return a.step*share >= a.finest })
}

// spectral reports whether the method solves for eigenvectors.
func (m Method) spectral() bool {
	return m.Name == embedding.MethodDPSpectral || m.Name == embedding.MethodLaplacianEigenmaps
}

func (b *branch) options(p point) []Option {
	list := slices.Clone(b.fixed)
	for i, a := range b.axes {
		if b.method.Name == embedding.MethodDPSpectral && p[i] == chosen {
			list = append(list, Option{a.name, "auto"})
			continue
		}
		list = append(list, Option{a.name, p[i]})
	}
	return list
}

func (b *branch) at(p point) (embedding.SpectralOptions, embedding.WalkOptions) {
	s, w := b.method.Spectral, b.method.Walks
	for i, a := range b.axes {
		x := p[i]
		to := &x // nil for what the method chooses
		if b.method.Name == embedding.MethodDPSpectral && x == chosen {
			to = nil
		}
		switch a.name {
		case "beta":
			s.Beta, w.Beta = to, to
		case "scale":
			s.Scale = to
		case "row_scale":
			s.RowScale, w.RowScale = to, to
		case "row_norm":
			w.RowNorm = to
		case "common":
			s.Common, w.Common = to, to
		case "walks":
			w.Walks = int(x)
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

// moved returns the point that is a step away on an axis. A training of half the length has
// twice the learning rate, if this is searched; the package documentation has the reason.
func (b *branch) moved(p point, i int, step float64) point {
	a, x := b.axes[i], p[i]
	if x < a.least { // chosen
		x = a.coarse[len(a.coarse)/2]
	}
	p[i] = a.moved(x, step)
	if rate := slices.IndexFunc(b.axes, func(a axis) bool { return a.name == "alpha" }); a.length && rate >= 0 {
		p[rate] = b.axes[rate].moved(p[rate], math.Log2(x/p[i]))
	}
	return p
}

// length is the value of the axis on which the time of a training depends, or 0.
func (b *branch) length(p point) float64 {
	if i := slices.IndexFunc(b.axes, func(a axis) bool { return a.length }); i >= 0 {
		return p[i]
	}
	return 0
}

// solve is the part of a point that determines the solve: two points with the
// same solve differ only in scales.
func (b *branch) solve(p point) point {
	for i, a := range b.axes {
		if !a.solved {
			p[i] = 0
		}
	}
	return p
}

// scales is the part of a point that solve leaves out.
func (b *branch) scales(p point) point {
	for i, a := range b.axes {
		if a.solved {
			p[i] = 0
		}
	}
	return p
}

// grid lists the points of the survey, those of one solve one after the other. The point
// with the middle value of every axis comes first; the other points are ordered by their
// number of steps from it. Points near the middle are most likely to be good, and limits
// cut off the end of the list.
func (b *branch) grid() [][]point {
	type candidate struct {
		point
		away int
	}
	outer, inner := []candidate{{}}, []candidate{{}}
	for i, a := range b.axes {
		to := &inner
		if a.solved {
			to = &outer
		}
		var next []candidate
		for _, p := range *to {
			for step, x := range middleFirst(a.coarse) {
				q := candidate{p.point, p.away + step}
				q.point[i] = x
				next = append(next, q)
			}
		}
		slices.SortStableFunc(next, func(p, q candidate) int { return cmp.Compare(p.away, q.away) })
		*to = next
	}
	var groups [][]point
	for _, o := range outer {
		var group []point
		for _, p := range inner {
			for i, a := range b.axes {
				if a.solved {
					p.point[i] = o.point[i]
				}
			}
			group = append(group, p.point)
		}
		groups = append(groups, group)
	}
	return groups
}

// middleFirst orders ascending values by their distance from the middle value.
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
