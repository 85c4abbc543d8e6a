package link

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file has what models are learned from: the columns of pairs.

// linear is a linear function of the columns of a training, one weight for each.
type linear []float64

func (f linear) at(row []float32) float64 {
	sum := 0.0
	for j, w := range f {
		if w != 0 {
			sum += w * float64(row[j])
		}
	}
	return sum
}

// plus returns f + factor·g.
func (f linear) plus(factor float64, g linear) linear {
	sum := make(linear, len(f))
	for j, w := range f {
		sum[j] = w + factor*g[j]
	}
	return sum
}

// table has the columns of all pairs to learn from, links first: the scorers, on their curves,
// the sums of the features over all coordinates, and whether the vectors are not comparable.
type table struct {
	ctx      context.Context
	opts     TrainOptions
	m        *Model  // all terms and planes, without weights
	b        *Bound  // of m
	grade    []grade // of the terms
	features []Feature
	x        *vec.Matrix
	means    []float64 // of the columns, over pairs whose vectors are comparable
	linked   []bool
}

func newTable(ctx context.Context, g *csr.Graph, vectors *vec.Matrix, pairs Pairs, opts TrainOptions) (*table, error) {
	if min(len(pairs.Links), len(pairs.Others)) < leastLinks {
		return nil, fmt.Errorf("links to learn from: %d, other pairs: %d, and at least %d of each are needed: %w", len(pairs.Links), len(pairs.Others), leastLinks, ErrTooFew)
	}
	scorers, features, err := opts.Terms.resolve()
	if err != nil {
		return nil, err
	}
	t := &table{ctx: ctx, opts: opts, features: features, m: &Model{}}
	named := func(s Scorer) bool {
		return slices.ContainsFunc(scorers, func(o Scorer) bool { return o.Name == s.Name })
	}
	for _, s := range Scorers() {
		switch {
		case named(s):
			t.grade = append(t.grade, always)
		case opts.Terms.Heuristics != nil || s.NeedsEmbedding || NeedsTimes(s.Name) && !Timed(g) || s.Name == "sorensen":
			continue
		default:
			t.grade = append(t.grade, gradeOf(s.Name))
		}
		t.m.terms = append(t.m.terms, term{name: s.Name, curve: curveOf(s), vectors: s.NeedsEmbedding})
	}
	if opts.Terms.NeedsEmbedding() {
		if vectors == nil {
			return nil, fmt.Errorf("model: %w", ErrNeedsEmbedding)
		}
		t.m.dim = vectors.Dim
		for _, f := range features {
			t.m.planes = append(t.m.planes, plane{name: f.Name, weights: make([]float32, f.Width(vectors.Dim))})
		}
	}
	if t.b, err = t.m.Bind(g, vectors); err != nil {
		return nil, err
	}
	t.measure(pairs)
	return t, ctx.Err()
}

// grade says in which trials of several terms a scorer is.
type grade uint8

const (
	always  grade = iota
	byL3          // in those with l3
	byPaths       // in those with all paths
	alone         // in none
)

// gradeOf is the grade of a scorer of the graph that is not one of [DefaultHeuristics].
func gradeOf(scorer string) grade {
	switch scorer {
	case "l3":
		return byL3
	case "katz", recentNeighbors:
		return byPaths
	}
	return alone
}

func (t *table) graded(of grade) []int {
	var list []int
	for i, g := range t.grade {
		if g == of {
			list = append(list, i)
		}
	}
	return list
}

// apart is the last column: 1 where the vectors of a pair are not comparable.
func (t *table) apart() int { return len(t.m.terms) + len(t.m.planes) }

func (t *table) measure(pairs Pairs) {
	all := slices.Concat(pairs.Links, pairs.Others)
	t.linked = make([]bool, len(all))
	for i := range pairs.Links {
		t.linked[i] = true
	}
	t.x = vec.NewMatrix(len(all), t.apart()+1)
	const block = 256
	workspaces := t.workspaces()
	vec.Parallel(len(all), block, t.opts.Workers, func(_, lo, hi int) {
		in := workspaces.Get().(*workspace)
		defer workspaces.Put(in)
		for i := lo; i < hi && t.ctx.Err() == nil; i++ {
			u, v := all[i].U, all[i].V
			if du, dv := t.b.g.Degree(u), t.b.g.Degree(v); du > dv { // fewer paths begin at v
				u, v = v, u
			}
			in.from(u)
			t.set(in.b, t.x.Row(i), u, v, in.scratch)
		}
	})
	t.average()
	for i := range all {
		t.complete(t.x.Row(i))
	}
}

// workspace is the working memory of one goroutine that writes columns.
type workspace struct {
	b       *Bound // scores pairs of the vertex of from
	from    func(u uint32)
	scratch []float32 // has room for the values of a feature
	seen    []bool    // of vertices, all false
}

func (t *table) workspaces() *sync.Pool {
	return &sync.Pool{New: func() any {
		r := &workspace{scratch: make([]float32, t.widest()), seen: make([]bool, t.b.g.Vertices())}
		r.b, r.from = t.b.around()
		return r
	}}
}

// widest is the largest number of values of a feature.
func (t *table) widest() int {
	widest := 0
	for _, p := range t.m.planes {
		widest = max(widest, len(p.weights))
	}
	return widest
}

// set writes the values of all columns, whose scores b computes. scratch has room for the
// values of a feature.
func (t *table) set(b *Bound, dst []float32, u, v uint32, scratch []float32) {
	var x values
	b.measure(&x, u, v, true)
	for i, term := range t.m.terms {
		dst[i] = float32(term.curve.at(x[i]))
	}
	if !b.comparable(u, v) {
		dst[t.apart()] = 1
		return
	}
	for i, p := range t.m.planes {
		values := scratch[:len(p.weights)]
		t.features[i].Set(values, b.vectors.Row(int(u)), b.vectors.Row(int(v)))
		sum := 0.0
		for _, x := range values {
			sum += float64(x)
		}
		dst[len(t.m.terms)+i] = float32(sum)
	}
}

func (t *table) needsVectors(j int) bool {
	return j >= len(t.m.terms) && j != t.apart() || j < len(t.m.terms) && t.m.terms[j].vectors
}

// average computes the means of the columns over the pairs whose vectors are comparable.
func (t *table) average() {
	count := 0.0
	t.means = make([]float64, t.x.Dim)
	for i := range t.linked {
		if row := t.x.Row(i); row[t.apart()] == 0 {
			count++
			for j, x := range row {
				t.means[j] += float64(x)
			}
		}
	}
	for j := range t.means {
		t.means[j] /= max(1, count)
	}
}

// complete sets, for a pair whose vectors are not comparable, all columns that are computed
// from vectors to their means.
func (t *table) complete(row []float32) {
	if row[t.apart()] == 0 {
		return
	}
	for j := range row {
		if t.needsVectors(j) {
			row[j] = float32(t.means[j])
		}
	}
}
