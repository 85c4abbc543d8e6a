package link

import "slices"

// This file scores many pairs of one vertex. Their paths are counted from that vertex at once,
// so that a score takes the time of a row of the graph and not of a row for each neighbour.

// around has the paths of two edges from a vertex.
type around struct {
	l3      *l3
	started bool
	u       uint32
	counts  []float64 // of the paths to each vertex
	sums    []float64 // of 1/√d of their inner vertices
	touched []uint32  // vertices that paths lead to
}

// start counts the paths from a vertex.
func (a *around) start(u uint32) {
	if a.started && u == a.u {
		return
	}
	for _, y := range a.touched {
		a.counts[y], a.sums[y] = 0, 0
	}
	a.started, a.u, a.touched = true, u, a.touched[:0]
	g := a.l3.g
	for _, x := range g.Neighbors(u) {
		root := a.l3.root(g.Degree(x))
		for _, y := range g.Neighbors(x) {
			if y == u {
				continue
			}
			if a.counts[y] == 0 {
				a.touched = append(a.touched, y)
			}
			a.counts[y]++
			a.sums[y] += root
		}
	}
}

// score returns a function that scores pairs of the vertex with others to which it has no edge,
// nil for scorers that are not sums over paths. It is that of New, but for rounding of l3.
func (a *around) score(name string) func(u, v uint32) float64 {
	g := a.l3.g
	switch {
	case name == "l3":
		return func(_, v uint32) float64 {
			sum := 0.0
			for _, y := range g.Neighbors(v) {
				sum += a.sums[y] * a.l3.root(g.Degree(y))
			}
			return sum
		}
	case pathWeights(name) != nil:
		weigh := pathWeights(name)
		return func(_, v uint32) float64 {
			triples := 0.0
			for _, y := range g.Neighbors(v) {
				triples += a.counts[y]
			}
			return weigh(int64(a.counts[v]), int64(triples))
		}
	case summedBy(name) != nil && summedBy(name).counts:
		finish := summedBy(name).finish
		if finish == nil {
			return nil
		}
		return func(u, v uint32) float64 { return finish(a.counts[v], g.Degree(u), g.Degree(v)) }
	}
	return nil
}

// around returns a copy of b, for one goroutine, and a function that sets the vertex u. The copy
// scores only pairs of u with vertices to which u has no edge.
func (b *Bound) around() (of *Bound, from func(u uint32)) {
	other := *b
	other.scorers = slices.Clone(b.scorers)
	var a *around
	for i, t := range b.m.terms {
		if b.kinds[i] != byScorer || t.vectors {
			continue
		}
		if a == nil {
			n := b.g.Vertices()
			a = &around{l3: newL3(b.g), counts: make([]float64, n), sums: make([]float64, n)}
		}
		if score := a.score(t.name); score != nil {
			other.scorers[i] = score
		}
	}
	if a == nil {
		return &other, func(uint32) {}
	}
	return &other, a.start
}

// Scoring returns how a Predictor finds the likeliest links by the model. Those of a model of
// one scorer of the graph are found as those of the scorer, which has its own candidates.
func (b *Bound) Scoring() Scoring {
	if name := b.m.Heuristic(); name != "" {
		if score, err := New(name, b.g, nil); err == nil { // no error is possible after Bind
			s := NewScoring(name, score)
			s.Of = func(x float64) float64 { return b.m.probability(b.m.bias + b.m.terms[0].part(x)) }
			return s
		}
	}
	s := Scoring{Score: b.Score, HigherIsLikelier: true}
	if slices.ContainsFunc(b.m.terms, func(t term) bool { return t.name == "l3" || pathWeights(t.name) != nil }) {
		s.around = b.around
	}
	return s
}
