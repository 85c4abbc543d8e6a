package link

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// measures computes columns of pairs. It is safe for concurrent use.
type measures struct {
	g       *csr.Graph
	vectors []*vec.Matrix
	columns []column
	kinds   []kind
	squares [][]float32 // of the norms, of each embedding that a column reads
	reads   []bool      // whether a column reads the embedding
	label   []uint32    // component of each vertex; nil where all are in one, or no column needs it
	shares  []share     // of each vertex; nil where no column needs the common neighbours
	roots   []uint32    // of each vertex
	steps   []int64     // entries of the rows of the neighbours of each vertex
	dense   bool        // see isDense
	recent  *recent
	common  bool // a column needs the common neighbours
	paths   bool // a column needs paths of three edges
	around  sync.Pool
}

// values are the columns of one pair; there is room for all of them.
type values [24 + 4*mostEmbeddings]float64

// newMeasures checks the vectors, and prepares what columns need. It takes O(n + m) and 28 bytes for
// each vertex, 12 without columns of common neighbours, and 4 for each vector.
func newMeasures(g *csr.Graph, vectors []*vec.Matrix, columns []column) (*measures, error) {
	if g == nil {
		return nil, fmt.Errorf("model: %w", ErrNeedsGraph)
	}
	m := &measures{g: g, vectors: vectors, columns: columns, squares: make([][]float32, len(vectors)), reads: make([]bool, len(vectors))}
	for _, v := range vectors {
		if v == nil {
			return nil, fmt.Errorf("model: %w", ErrNeedsEmbedding)
		}
		if v.Rows > g.Vertices() {
			return nil, fmt.Errorf("%d vectors for a graph of %d vertices: %w", v.Rows, g.Vertices(), ErrDimension)
		}
	}
	for _, c := range columns {
		m.kinds = append(m.kinds, kindOf(c.name))
		switch {
		case c.of >= len(vectors):
			return nil, fmt.Errorf("model: %w", ErrNeedsEmbedding)
		case c.of >= 0 && !m.reads[c.of]:
			m.reads[c.of] = true
			m.squares[c.of] = squaresOf(vectors[c.of])
		case c.name == sameComponent:
			if found := g.Components(); found.Count() > 1 {
				m.label = found.Label
			}
		case c.name == recentNeighbors:
			var err error
			if m.recent, err = newRecent(undirected(g)); err != nil {
				return nil, err
			}
		case c.name == "katz", c.name == "local_path", c.name == "l3", c.name == l3PerDegrees:
			m.paths = true
		case c.of < 0 && c.single() && c.name != "preferential_attachment":
			m.common = true
		}
	}
	if m.common {
		m.shares = sharesOf(g)
	}
	m.roots = rootsOf(g)
	m.steps, m.dense = countSteps(g, false, false), isDense(g)
	m.around.New = func() any { return m.newAround() }
	return m, nil
}

func squaresOf(x *vec.Matrix) []float32 {
	list := make([]float32, x.Rows)
	for v := range list {
		row := x.Row(v)
		list[v] = vec.Dot(row, row)
	}
	return list
}

// kind is what set computes for a column.
type kind uint8

const (
	byCommonNeighbors kind = iota
	byJaccard
	bySorensen
	byLHN
	byHubPromoted
	byHubDepressed
	byAdamicAdar
	byResourceAllocation
	byRecentNeighbors
	byDegrees
	byKatz
	byLocalPath
	byL3
	byL3PerDegrees
	byLowerDegree
	byHigherDegree
	bySameComponent
	byCosine
	byL2
	byDot
	byProbability
)

func kindOf(name string) kind {
	return map[string]kind{
		"common_neighbors": byCommonNeighbors, "jaccard": byJaccard, "sorensen": bySorensen, "lhn": byLHN, "hub_promoted": byHubPromoted, "hub_depressed": byHubDepressed,
		"adamic_adar": byAdamicAdar, "resource_allocation": byResourceAllocation, recentNeighbors: byRecentNeighbors, "preferential_attachment": byDegrees,
		"katz": byKatz, "local_path": byLocalPath, "l3": byL3, l3PerDegrees: byL3PerDegrees, lowerDegree: byLowerDegree, higherDegree: byHigherDegree,
		sameComponent: bySameComponent, "cosine": byCosine, "l2": byL2, "dot": byDot, "probability": byProbability,
	}[name]
}

// set writes the columns of a pair with some common neighbours and paths.
func (m *measures) set(x []float64, u, v uint32, s pairSums) {
	du, dv := m.g.Degree(u), m.g.Degree(v)
	n := float64(s.common)
	of, product := -1, 0.0
	x = x[:len(m.kinds)]
	for i, k := range m.kinds {
		if k >= byCosine && m.columns[i].of != of {
			of = m.columns[i].of
			product = float64(vec.Dot(m.vectors[of].Row(int(u)), m.vectors[of].Row(int(v))))
		}
		switch k {
		case byCommonNeighbors:
			x[i] = n
		case byJaccard:
			x[i] = jaccard(n, du, dv)
		case bySorensen:
			x[i] = sorensen(n, du, dv)
		case byLHN:
			x[i] = lhn(n, du, dv)
		case byHubPromoted:
			x[i] = hubPromoted(n, du, dv)
		case byHubDepressed:
			x[i] = hubDepressed(n, du, dv)
		case byAdamicAdar:
			x[i] = s.adamicAdar
		case byResourceAllocation:
			x[i] = s.resource
		case byRecentNeighbors:
			x[i] = m.recent.score(u, v)
		case byDegrees:
			x[i] = PreferentialAttachment(m.g, u, v)
		case byKatz:
			x[i] = katzSum(s.common, s.triples)
		case byLocalPath:
			x[i] = localPathSum(s.common, s.triples)
		case byL3:
			x[i] = s.l3.float()
		case byL3PerDegrees:
			x[i] = 0
			if l3 := s.l3.float(); l3 > 0 {
				x[i] = l3 / math.Sqrt(float64(du)*float64(dv))
			}
		case byLowerDegree:
			x[i] = float64(min(du, dv))
		case byHigherDegree:
			x[i] = float64(max(du, dv))
		case bySameComponent:
			x[i] = 1
			if m.label != nil && m.label[u] != m.label[v] {
				x[i] = 0
			}
		case byCosine:
			x[i] = m.cosine(of, u, v, product)
		case byL2:
			x[i] = m.l2(of, u, v, product)
		case byDot:
			if x[i] = product; math.IsInf(product, 0) || math.IsNaN(product) {
				x[i] = Dot(m.vectors[of].Row(int(u)), m.vectors[of].Row(int(v)))
			}
		case byProbability:
			x[i] = 1 / (1 + math.Exp(m.l2(of, u, v, product)))
		}
	}
}

// ahead is the number of pairs whose lists and vectors are prefetched.
const ahead = 4

// fetch prefetches what the columns of a pair read: its vectors, and the row of a vertex.
func (m *measures) fetch(rows *vec.RowList, e csr.Edge) {
	if m.common || m.paths {
		vec.FetchList(m.g.Neighbors(e.U))
		vec.FetchList(m.g.Neighbors(e.V))
	}
	for i, v := range m.vectors {
		if m.reads[i] {
			rows.Reset(v.Dim)
			rows.Add(v.Row(int(e.U)))
			rows.Add(v.Row(int(e.V)))
			rows.Fetch(0)
		}
	}
}

// l2 is L2 computed from the norms and the product. If the distance is short compared with
// the norms, it is computed from the coordinates, because squares would cancel.
func (m *measures) l2(of int, u, v uint32, product float64) float64 {
	squares := float64(m.squares[of][u]) + float64(m.squares[of][v])
	if left := squares - 2*product; left > 0.02*squares && left > tiny && squares < huge {
		return math.Sqrt(left)
	}
	return L2(m.vectors[of].Row(int(u)), m.vectors[of].Row(int(v)))
}

// cosine is Cosine with the norms and the product at hand.
func (m *measures) cosine(of int, u, v uint32, product float64) float64 {
	uu, vv := float64(m.squares[of][u]), float64(m.squares[of][v])
	if !(min(uu, vv) > tiny && max(uu, vv) < huge) {
		return Cosine(m.vectors[of].Row(int(u)), m.vectors[of].Row(int(v)))
	}
	return max(-1, min(1, product/math.Sqrt(uu*vv)))
}

// around has the paths of two edges from a vertex, so that all pairs of that vertex take a row of
// the graph each. It is for one goroutine.
type around struct {
	m       *measures
	started bool
	u       uint32
	to      []pathsTo // each vertex; nil before the first start
	touched []uint32  // vertices that paths lead to
	ends    []float64 // see likeliest; nil until it is needed
	full    bool      // count paths although no column needs them, for likeliest
	marked  []uint32  // see single; nil until it is needed
	times   []uint32  // see grouped; nil until it is needed
	order   []uint64  // likewise
}

// pathsTo are the paths of two edges to a vertex.
type pathsTo struct {
	count  uint32
	linked bool   // the vertex of around has an edge to it
	roots  uint64 // sum of the roots of the middles
}

func (m *measures) newAround() *around { return &around{m: m} }

// start counts the paths from a vertex. It takes O(Σ d(x)) over its neighbours x.
func (a *around) start(u uint32) {
	if a.started && u == a.u {
		return
	}
	g := a.m.g
	if a.to == nil {
		a.to = make([]pathsTo, g.Vertices())
	}
	if a.started {
		for _, x := range g.Neighbors(a.u) {
			a.to[x] = pathsTo{}
		}
		for _, y := range a.touched {
			a.to[y] = pathsTo{}
		}
	}
	a.started, a.u, a.touched = true, u, a.touched[:0]
	row := g.Neighbors(u)
	for _, x := range row {
		a.to[x].linked = true
	}
	if !a.m.paths && !a.full {
		return
	}
	for _, x := range row {
		root := uint64(a.m.roots[x])
		for _, y := range g.Neighbors(x) {
			to := &a.to[y]
			if to.count == 0 {
				a.touched = append(a.touched, y)
			}
			to.count++
			to.roots += root
		}
	}
	a.to[u].count, a.to[u].roots = 0, 0 // no path comes back
}

// pairSums are the common neighbours and paths of three edges of a pair.
type pairSums struct {
	common, triples      int64
	l3                   fixed
	adamicAdar, resource float64
}

// pair adds up the paths to a vertex over its row, ascending, so that the sums are the same from both
// ends. As in all heuristics, an edge between the two counts for nothing.
func (a *around) pair(v uint32) (s pairSums) {
	if v == a.u || !a.m.common && !a.m.paths {
		return s
	}
	linked, roots, degree := a.to[v].linked, uint64(0), int64(0)
	for _, y := range a.m.g.Neighbors(v) {
		if y == a.u {
			continue
		}
		to := &a.to[y]
		if to.linked {
			s.addCommon(a.m, y)
		}
		s.triples += int64(to.count)
		s.l3.add(to.roots, a.m.roots[y])
		roots += uint64(a.m.roots[y])
		degree++
	}
	if linked && a.m.paths { // paths over the edge itself
		s.triples -= degree
		s.l3.sub(roots, a.m.roots[v])
	}
	return s
}

// addCommon adds a common neighbour.
func (s *pairSums) addCommon(m *measures, x uint32) {
	s.common++
	if m.shares != nil {
		s.adamicAdar += m.shares[x].adamicAdar
		s.resource += m.shares[x].resource
	}
}

// sums are those of a pair of any two vertices: by the paths of the vertex of a if it is one of them,
// otherwise by single.
func (a *around) sums(u, v uint32) pairSums {
	if a.started && (a.u == u || a.u == v) {
		return a.pair(u ^ v ^ a.u)
	}
	from, to := a.m.source(u, v)
	return a.single(from, to)
}

// single adds up the paths of one pair from u, whose neighbours have fewer edges in all, with a mark for
// each neighbour of v, its root. It writes nothing of the paths, so it takes less time than start for one pair.
// No branch depends on whether a vertex is a neighbour of v, which a processor could not predict. The sums are those of pair.
func (a *around) single(u, v uint32) (s pairSums) {
	m := a.m
	if u == v || !m.common && !m.paths {
		return s
	}
	if a.marked == nil {
		a.marked = make([]uint32, m.g.Vertices())
	}
	row, marked := m.g.Neighbors(v), a.marked
	for _, y := range row {
		marked[y] = m.roots[y]
	}
	marked[u] = 0
	for _, x := range m.g.Neighbors(u) {
		if marked[x] != 0 {
			s.addCommon(m, x)
		}
		if x == v || !m.paths {
			continue
		}
		roots, none := uint64(0), uint64(0)
		around := m.g.Neighbors(x)
		for _, y := range around {
			root := uint64(marked[y])
			roots += root
			none += (root - 1) >> 63
		}
		s.triples += int64(len(around)) - int64(none)
		s.l3.add(roots, m.roots[x])
	}
	for _, y := range row {
		marked[y] = 0
	}
	return s
}

// grouped calls f with the number of each pair, pairs of one vertex after the other, so that the vertex is
// started if that takes less time. The vertex is the first of a pair; in a graph with many paths it is that end of
// which the paths, divided by the number of its pairs, are fewer. The sums of a pair do not depend on that.
func (a *around) grouped(pairs []csr.Edge, f func(i int)) {
	m := a.m
	if m.dense && a.times == nil {
		a.times = make([]uint32, m.g.Vertices())
	}
	if m.dense {
		for _, e := range pairs {
			a.times[e.U]++
			a.times[e.V]++
		}
	}
	a.order = a.order[:0]
	for i, e := range pairs {
		end := e.U
		if m.dense && m.steps[e.V]*int64(a.times[e.U]) < m.steps[e.U]*int64(a.times[e.V]) {
			end = e.V
		}
		a.order = append(a.order, uint64(end)<<32|uint64(i))
	}
	slices.Sort(a.order)
	if m.dense {
		for _, e := range pairs {
			a.times[e.U], a.times[e.V] = 0, 0
		}
	}
	var rows vec.RowList
	for at := 0; at < len(a.order); {
		u, end, alone := uint32(a.order[at]>>32), at, int64(0)
		for ; end < len(a.order) && uint32(a.order[end]>>32) == u; end++ {
			e := pairs[uint32(a.order[end])]
			alone += min(m.steps[e.U], m.steps[e.V])
		}
		const writes = 3 // a step of start takes as long as so many of single
		if writes*m.steps[u] < alone {
			a.start(u)
		}
		for ; at < end; at++ {
			if next := at + ahead; next < len(a.order) {
				m.fetch(&rows, pairs[uint32(a.order[next])])
			}
			f(int(uint32(a.order[at])))
		}
	}
}

// likeliest returns the vertices without an edge to the vertex of a, at most so many, that have most
// paths by l3 + resource_allocation, the first one with most; ties by vertex. keep, if not nil, says
// which vertices count. Only vertices from a number on count. It takes O(m) at most.
func (a *around) likeliest(most int, from uint32, keep func(v uint32) bool) []uint32 {
	if a.ends == nil {
		a.ends = make([]float64, a.m.g.Vertices())
	}
	g := a.m.g
	var reached []uint32
	add := func(v uint32, x float64) {
		if a.ends[v] == 0 {
			reached = append(reached, v)
		}
		a.ends[v] += x
	}
	for _, y := range a.touched {
		var roots fixed
		if roots.add(a.to[y].roots, a.m.roots[y]); roots != (fixed{}) {
			part := roots.float()
			for _, v := range startingAt(g.Neighbors(y), from) {
				add(v, part)
			}
		}
	}
	for _, x := range g.Neighbors(a.u) {
		part := 1 / float64(g.Degree(x))
		for _, v := range startingAt(g.Neighbors(x), from) {
			add(v, part)
		}
	}
	t := &top{most: most, higher: true}
	for _, v := range reached {
		if x := a.ends[v]; t.wants(x) && v != a.u && !a.to[v].linked && (keep == nil || keep(v)) {
			t.offer(PredictedLink{a.u, v, x})
		}
		a.ends[v] = 0
	}
	links := t.sorted()
	list := make([]uint32, len(links))
	for i, l := range links {
		list[i] = l.V
	}
	return list
}

// source is the end of a pair whose paths take fewer steps.
func (m *measures) source(u, v uint32) (from, to uint32) {
	if m.steps[u] < m.steps[v] || m.steps[u] == m.steps[v] && u < v {
		return u, v
	}
	return v, u
}

// needsTimes reports whether a column needs the times of edges.
func needsTimes(columns []column) bool {
	return slices.ContainsFunc(columns, func(c column) bool { return NeedsTimes(c.name) })
}

// startingAt returns the part of a row with the vertices from a number on.
func startingAt(row []uint32, from uint32) []uint32 {
	if from == 0 {
		return row
	}
	at, _ := slices.BinarySearch(row, from)
	return row[at:]
}
