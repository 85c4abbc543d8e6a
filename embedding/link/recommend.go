package link

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file has recommendations to a sample of vertices with held-out links: models are
// chosen by how well they order the candidates of a vertex.

// The size of the sample. Half of the intervals of MAP are then below 0.03.
const (
	sampleVertices   = 1000
	sampleCandidates = 3 << 20 // of all vertices together, about
	leastVertices    = 50      // even if they have more candidates
	mostCandidates   = 1 << 17 // a vertex with more is not in the sample
	listLength       = 10      // of recommendations, whose average precision is measured
)

// sample has vertices with held-out links.
type sample struct {
	t        *table
	held     *csr.Graph // of the held-out links
	vertices []uint32
	near     [][]uint32 // further candidates of each; nil for none
}

// newSample draws vertices with held-out links, evenly spaced by number.
func newSample(t *table, hidden []csr.Edge) (*sample, error) {
	s := &sample{t: t}
	var err error
	if s.held, err = csr.FromEdges(t.b.g.Vertices(), hidden); err != nil {
		return nil, err
	}
	var all []uint32
	for v := range uint32(t.b.g.Vertices()) {
		if s.held.Degree(v) > 0 && s.bound(v) <= mostCandidates {
			all = append(all, v)
		}
	}
	pick := func(count int) (list []uint32, candidates int) {
		for i := range count {
			v := all[i*len(all)/count]
			list = append(list, v)
			candidates += s.bound(v)
		}
		return list, candidates
	}
	count := min(len(all), sampleVertices)
	list, candidates := pick(count)
	if candidates > sampleCandidates {
		list, _ = pick(max(min(count, leastVertices), int(float64(count)*sampleCandidates/float64(candidates))))
	}
	s.vertices = list
	if t.opts.Near != nil && t.m.dim > 0 {
		s.near, err = t.opts.Near(s.vertices)
	}
	return s, err
}

// bound is an upper bound of the number of vertices two edges from v.
func (s *sample) bound(v uint32) int {
	steps := 0
	for _, x := range s.t.b.g.Neighbors(v) {
		steps += s.t.b.g.Degree(x)
	}
	return min(steps, s.t.b.g.Vertices())
}

type recommended struct {
	s          *sample
	u          uint32
	candidates []uint32    // ascending
	rows       *vec.Matrix // their columns, as in training
	scratch    []float32
	b          *Bound // computes their scores
}

// set writes the columns of the pair of u and v.
func (r *recommended) set(v uint32, row []float32) {
	r.s.t.set(r.b, row, r.u, v, r.scratch)
	r.s.t.complete(row)
}

// each calls f for every vertex of the sample, from several goroutines.
func (s *sample) each(f func(i int, r *recommended)) error {
	workspaces := s.t.workspaces()
	vec.Parallel(len(s.vertices), 4, s.t.opts.Workers, func(_, lo, hi int) {
		in := workspaces.Get().(*workspace)
		defer workspaces.Put(in)
		for i := lo; i < hi && s.t.ctx.Err() == nil; i++ {
			r := &recommended{s: s, u: s.vertices[i], scratch: in.scratch, b: in.b}
			in.from(r.u)
			r.candidates = s.candidates(i, in.seen)
			r.rows = vec.NewMatrix(len(r.candidates), s.t.x.Dim)
			for j, v := range r.candidates {
				r.set(v, r.rows.Row(j))
			}
			f(i, r)
		}
	})
	return s.t.ctx.Err()
}

// candidates returns the vertices that a Predictor would score for vertex i of the sample:
// those two edges apart and near ones. seen is all false before and after.
func (s *sample) candidates(i int, seen []bool) []uint32 {
	g, u := s.t.b.g, s.vertices[i]
	list := append([]uint32{u}, g.Neighbors(u)...)
	adjacent := len(list)
	for _, v := range list {
		seen[v] = true
	}
	add := func(vertices []uint32) {
		for _, v := range vertices {
			if !seen[v] {
				seen[v] = true
				list = append(list, v)
			}
		}
	}
	for _, x := range g.Neighbors(u) {
		add(g.Neighbors(x))
	}
	if s.near != nil {
		add(s.near[i])
	}
	for _, v := range list {
		seen[v] = false
	}
	list = list[adjacent:]
	slices.Sort(list)
	return list
}

// precisions returns the average precision of the recommendations to each vertex of the
// sample, by each of several functions.
func (s *sample) precisions(functions []linear) ([][]float64, error) {
	of := make([][]float64, len(s.vertices))
	err := s.each(func(i int, r *recommended) {
		of[i] = make([]float64, len(functions))
		for j, f := range functions {
			of[i][j] = r.averagePrecision(f)
		}
	})
	return of, err
}

// averagePrecision is that of the listLength best candidates by f, ties by vertex: the sum of
// the precisions at the ranks of held-out links, divided by as many as a list can have.
func (r *recommended) averagePrecision(f linear) float64 {
	type scored struct {
		v     uint32
		score float64
	}
	var list []scored
	for j, v := range r.candidates {
		c := scored{v, f.at(r.rows.Row(j))}
		if len(list) == listLength && c.score <= list[listLength-1].score {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, c, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.v, b.v))
		})
		list = slices.Insert(list, at, c)
		list = list[:min(len(list), listLength)]
	}
	best := make([]uint32, len(list))
	for i, c := range list {
		best[i] = c.v
	}
	return r.s.averagePrecision(r.u, best)
}

// averagePrecision is that of the best candidates of a vertex, at most listLength.
func (s *sample) averagePrecision(u uint32, best []uint32) float64 {
	held := s.held.Neighbors(u)
	found, sum := 0.0, 0.0
	for i, v := range best {
		if _, is := slices.BinarySearch(held, v); is {
			found++
			sum += found / float64(i+1)
		}
	}
	return sum / float64(min(len(held), listLength))
}

// heuristicPrecisions returns the average precision of the recommendations to each vertex by a
// scorer of the graph.
func (s *sample) heuristicPrecisions(name string) ([]float64, error) {
	g := s.t.b.g
	score, err := New(name, g, nil)
	if err != nil {
		return nil, err
	}
	p := NewPredictor(g, NewScoring(name, score), PredictOptions{})
	of, failed := make([]float64, len(s.vertices)), make([]error, len(s.vertices))
	vec.Parallel(len(s.vertices), 4, s.t.opts.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var links []PredictedLink
			links, _, failed[i] = p.For(s.t.ctx, s.vertices[i], nil, listLength)
			best := make([]uint32, len(links))
			for j, l := range links {
				best[j] = l.V
			}
			of[i] = s.averagePrecision(s.vertices[i], best)
		}
	})
	return of, errors.Join(failed...)
}

// The most pairs of a vertex that a conditional model learns from.
const (
	mostLinks  = 5   // held-out links
	mostOthers = 100 // candidates without a link
	farOthers  = 30  // vertices that are neither candidates nor linked
)

// choices draws pairs of each vertex of the sample. They depend on the number of the vertex
// and on no other vertex.
func (s *sample) choices() ([]choice, error) {
	list := make([]choice, len(s.vertices))
	err := s.each(func(i int, r *recommended) { list[i] = r.choice() })
	return list, err
}

func (r *recommended) choice() choice {
	const stream = 0x6c696e6b73 // distinguishes these numbers from others of the same seed
	random := rand.New(rand.NewPCG(uint64(r.u), stream))
	draw := func(list []int, most int) []int {
		for i := range min(len(list), most) {
			j := i + random.IntN(len(list)-i)
			list[i], list[j] = list[j], list[i]
		}
		return list[:min(len(list), most)]
	}
	var others, links []int
	for j, v := range r.candidates {
		if !r.s.held.HasEdge(r.u, v) {
			others = append(others, j)
		}
	}
	near := float64(len(others))
	others = draw(others, mostOthers)
	for _, v := range r.s.held.Neighbors(r.u) {
		links = append(links, int(v))
	}
	links = draw(links, mostLinks)
	var far []uint32
	n := r.s.t.b.g.Vertices()
	for range farOthers {
		v := uint32(random.IntN(n))
		if _, is := slices.BinarySearch(r.candidates, v); !is && v != r.u && !r.s.t.b.g.HasEdge(r.u, v) && !r.s.held.HasEdge(r.u, v) {
			far = append(far, v)
		}
	}
	c := choice{links: vec.NewMatrix(len(links), r.rows.Dim), others: vec.NewMatrix(len(others)+len(far), r.rows.Dim)}
	for i, v := range links {
		r.set(uint32(v), c.links.Row(i))
	}
	for i, j := range others {
		copy(c.others.Row(i), r.rows.Row(j))
		c.multiplicity = append(c.multiplicity, near/float64(len(others)))
	}
	for i, v := range far {
		r.set(v, c.others.Row(len(others)+i))
		c.multiplicity = append(c.multiplicity, float64(n-len(r.candidates))/float64(len(far)))
	}
	return c
}
