package link

import (
	"fmt"
	"math"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Bound is a model on a graph and the vectors of its vertices: what Bind returns. It
// scores pairs. Its methods are safe for concurrent use and panic if a vertex is out
// of range of the graph or the vectors. A vertex without edges scores 0 for
// neighbourhoods, and its vector is not used; a pair of equal vertices is scored
// like any other.
type Bound struct {
	m       *Model
	g       *csr.Graph
	vectors *vec.Matrix
	kinds   []kind                      // of the terms
	scorers []func(u, v uint32) float64 // of each term without code of its own here
	common  []contribution              // of each vertex, nil where no term needs it
	lists   *common                     // finds common neighbours, nil with common
	squares []float32                   // of the norms, nil where no term needs them
	// multiplies says that a term needs the scalar product.
	multiplies bool
	// label is the component of each vertex, 0 the largest; nil where the model needs
	// no vectors or all vertices are in one.
	label []uint32
	// products and differences are the weights of hadamard and l1, zeros where the
	// model has only the other; nil without both.
	products, differences []float32
	offset                float64 // of both
	zeros                 []float32
	others                []int // planes of the other terms
}

type kind uint8

const (
	byScorer kind = iota
	byCommonNeighbors
	byJaccard
	byAdamicAdar
	byResourceAllocation
	byDegrees
	byDistance
	byCosine
	byProduct
)

func kindOf(name string) kind {
	return map[string]kind{
		"common_neighbors": byCommonNeighbors, "jaccard": byJaccard, "adamic_adar": byAdamicAdar, "resource_allocation": byResourceAllocation,
		"preferential_attachment": byDegrees, "l2": byDistance, "cosine": byCosine, "dot": byProduct,
	}[name]
}

// contribution is what a common neighbour adds to adamic_adar and resource_allocation.
type contribution struct{ adamicAdar, resource float64 }

// values are the scores of a pair, one for each term; there is room for all scorers.
type values [20]float64

// Bind binds the model to a graph and the vectors of its vertices. vectors may be nil
// where NeedsEmbedding is false, and may lack those of the last vertices, which came
// later. It takes O(n + m) time and up to 24 bytes for each vertex. Errors are
// ErrNeedsGraph, ErrNeedsEmbedding and ErrDimension.
func (m *Model) Bind(g *csr.Graph, vectors *vec.Matrix) (*Bound, error) {
	switch {
	case g == nil:
		return nil, fmt.Errorf("model: %w", ErrNeedsGraph)
	case m.dim > 0 && vectors == nil:
		return nil, fmt.Errorf("model: %w", ErrNeedsEmbedding)
	case m.dim > 0 && (vectors.Dim != m.dim || vectors.Rows > g.Vertices()):
		return nil, fmt.Errorf("%d vectors of %d coordinates for a graph of %d vertices and a model of %d coordinates: %w",
			vectors.Rows, vectors.Dim, g.Vertices(), m.dim, ErrDimension)
	}
	b := &Bound{m: m, g: g, vectors: vectors, scorers: make([]func(u, v uint32) float64, len(m.terms))}
	if m.dim > 0 {
		if c := g.Components(); c.Count() > 1 {
			b.label = c.Label
		}
	}
	for i, t := range m.terms {
		k := kindOf(t.name)
		b.kinds = append(b.kinds, k)
		switch k {
		case byCommonNeighbors, byJaccard, byAdamicAdar, byResourceAllocation:
			b.tabulateShares()
		case byDistance, byCosine:
			b.tabulateSquares()
			b.multiplies = true
		case byProduct:
			b.multiplies = true
		case byScorer:
			var err error
			if b.scorers[i], err = New(t.name, g, vectors); err != nil {
				return nil, err
			}
		}
	}
	b.bindPlanes()
	return b, nil
}

// tabulateShares prepares what depends on the degree of a common neighbour alone.
func (b *Bound) tabulateShares() {
	if b.common != nil {
		return
	}
	b.lists = newCommon(b.g)
	b.common = make([]contribution, b.g.Vertices())
	for v := range b.common {
		if d := float64(b.g.Degree(uint32(v))); d > 1 { // no other is common to two
			b.common[v] = contribution{1 / math.Log(d), 1 / d}
		}
	}
}

// tabulateSquares prepares the squared norms, as Cosine has them.
func (b *Bound) tabulateSquares() {
	if b.squares != nil {
		return
	}
	b.squares = make([]float32, b.vectors.Rows)
	for v := range b.squares {
		b.squares[v] = vec.Dot(b.vectors.Row(v), b.vectors.Row(v))
	}
}

func (b *Bound) bindPlanes() {
	if len(b.m.planes) == 0 {
		return
	}
	b.zeros = make([]float32, b.m.dim)
	b.products, b.differences = b.zeros, b.zeros
	for i, p := range b.m.planes {
		switch p.name {
		case "hadamard":
			b.products = p.weights
			b.offset += p.offset
		case "l1":
			b.differences = p.weights
			b.offset += p.offset
		default:
			b.others = append(b.others, i)
		}
	}
	if len(b.others) == len(b.m.planes) {
		b.products, b.differences = nil, nil
	}
}

// Score returns the probability of a pair, from 0 to 1. It does not depend on the
// order of the two. It takes O(dim + degrees).
func (b *Bound) Score(u, v uint32) float64 { return b.m.probability(b.logOdds(u, v)) }

// Batch writes the probability of each pair to out. It panics unless out is as long as
// pairs. It prefetches the lists and vectors of later pairs, which is faster where they
// do not fit into the cache of the processor. The scores equal those of Score to the bit.
func (b *Bound) Batch(pairs []csr.Edge, out []float64) {
	f := fetcher{wanted: b.comparable}
	if b.common != nil {
		f.lists = b.g
	}
	if b.m.dim > 0 {
		f.vectors = b.vectors
	}
	f.each(pairs, out, func(e csr.Edge) float64 { return b.Score(e.U, e.V) })
}

// logOdds returns those before calibration.
func (b *Bound) logOdds(u, v uint32) float64 {
	var x values
	comparable := b.comparable(u, v)
	b.measure(&x, u, v, comparable)
	sum := b.m.bias
	for i := range b.m.terms {
		if t := &b.m.terms[i]; comparable || !t.vectors {
			sum += t.part(x[i])
		}
	}
	if !comparable {
		return sum + b.m.apart
	}
	if b.products != nil {
		sum += float64(vec.PairSum(b.products, b.differences, b.vectors.Row(int(u)), b.vectors.Row(int(v)))) - b.offset
	}
	for _, i := range b.others {
		sum += b.plane(i, u, v)
	}
	return sum
}

// comparable reports whether the vectors of a pair can be compared.
func (b *Bound) comparable(u, v uint32) bool {
	return b.label == nil || b.label[u]|b.label[v] == 0
}

// measure computes the score of each term, and those of vectors only where wanted. Each is as that of New: to the bit, but for l2, which has
// a relative error of up to 1e-5.
func (b *Bound) measure(x *values, u, v uint32, wanted bool) {
	var n int
	var sum contribution
	if b.common != nil {
		n, sum = b.commonNeighbors(u, v)
	}
	product := 0.0
	if b.multiplies && wanted {
		product = float64(vec.Dot(b.vectors.Row(int(u)), b.vectors.Row(int(v))))
	}
	for i, k := range b.kinds {
		if b.m.terms[i].vectors && !wanted {
			continue
		}
		switch k {
		case byCommonNeighbors:
			x[i] = float64(n)
		case byJaccard:
			x[i] = jaccard(float64(n), b.g.Degree(u), b.g.Degree(v))
		case byAdamicAdar:
			x[i] = sum.adamicAdar
		case byResourceAllocation:
			x[i] = sum.resource
		case byDegrees:
			x[i] = PreferentialAttachment(b.g, u, v)
		case byDistance:
			x[i] = b.l2(u, v, product)
		case byProduct:
			if x[i] = product; math.IsInf(product, 0) || math.IsNaN(product) {
				x[i] = Dot(b.vectors.Row(int(u)), b.vectors.Row(int(v)))
			}
		case byCosine:
			x[i] = b.cosine(u, v, product)
		default:
			x[i] = b.scorers[i](u, v)
		}
	}
}

// l2 is L2 computed from the norms and the product. If the distance is short compared with
// the norms, it is computed from the coordinates, because squares would cancel.
func (b *Bound) l2(u, v uint32, product float64) float64 {
	squares := float64(b.squares[u]) + float64(b.squares[v])
	if left := squares - 2*product; left > 0.02*squares && left > tiny && squares < huge {
		return math.Sqrt(left)
	}
	return L2(b.vectors.Row(int(u)), b.vectors.Row(int(v)))
}

// cosine is Cosine with the norms and the product at hand.
func (b *Bound) cosine(u, v uint32, product float64) float64 {
	uu, vv := float64(b.squares[u]), float64(b.squares[v])
	if !(min(uu, vv) > tiny && max(uu, vv) < huge) {
		return Cosine(b.vectors.Row(int(u)), b.vectors.Row(int(v)))
	}
	return max(-1, min(1, product/math.Sqrt(uu*vv)))
}

// commonNeighbors counts the common neighbours and adds what each contributes, in ascending order.
func (b *Bound) commonNeighbors(u, v uint32) (n int, sum contribution) {
	if u == v {
		return 0, contribution{}
	}
	m := b.lists.scratch.Get().(*marks)
	found := b.lists.list(m, u, v)
	for _, w := range found {
		sum.adamicAdar += b.common[w].adamicAdar
		sum.resource += b.common[w].resource
	}
	b.lists.scratch.Put(m)
	return len(found), sum
}

// part is what a value of the scorer adds to the log-odds.
func (t *term) part(value float64) float64 { return t.weight*t.curve.at(value) - t.offset }

// plane is what a feature adds to the log-odds of a pair.
func (b *Bound) plane(i int, u, v uint32) float64 {
	p := &b.m.planes[i]
	x, y := b.vectors.Row(int(u)), b.vectors.Row(int(v))
	sum := 0.0
	switch p.name {
	case "hadamard":
		sum = float64(vec.PairSum(p.weights, b.zeros, x, y))
	case "l1":
		sum = float64(vec.PairSum(b.zeros, p.weights, x, y))
	case "l2":
		y = y[:len(x)]
		for j, w := range p.weights[:len(x)] {
			d := x[j] - y[j]
			sum += float64(w * (d * d))
		}
	case "cosine":
		sum = float64(p.weights[0]) * Cosine(x, y)
	}
	return sum - p.offset
}

// fits reports whether every feature of a model is one that plane knows.
func fits(name string) bool {
	return slices.Contains([]string{"hadamard", "l1", "l2", "cosine"}, name)
}
