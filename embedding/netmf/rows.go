package netmf

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// width is the number of rows of the matrix that are computed together: the columns of a
// block of vectors, one for each vertex, that takes the steps of the walk.
const width = eigen.Width

// steps is the matrix P = D⁻¹A of a graph with the factors of NetMF.
type steps struct {
	g       *csr.Graph // with weights only where these are used and not all equal
	inverse []float64  // 1 over the degree; 0 for vertices without edges
	order   []uint32   // the vertices with edges, component by component and ascending within each
	place   []uint32   // of each vertex in order; undefined for vertices without edges
	window  int        // T
	factor  float64    // vol(G)/(b·T)
	workers int

	components *csr.Components
	twins      twins
}

// newSteps prepares the walks on a graph with options after defaults.
func newSteps(g *csr.Graph, o Options) *steps {
	if g = g.WithoutEqualWeights(); o.IgnoreWeights && g.Weighted() {
		g = &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	}
	n := g.Vertices()
	s := &steps{g: g, inverse: make([]float64, n), place: make([]uint32, n), window: o.Window, workers: workersOf(o.Workers)}
	volume := 0.0
	for v := range s.inverse {
		degree := float64(g.Degree(uint32(v)))
		if g.Weighted() {
			degree = 0
			for _, w := range g.WeightsOf(uint32(v)) {
				degree += float64(w)
			}
		}
		if degree > 0 {
			s.inverse[v] = 1 / degree
			volume += degree
		}
	}
	s.factor = volume / (float64(o.Negative) * float64(o.Window))
	s.components = g.Components()
	for _, component := range s.components.Vertices() {
		for _, v := range component {
			if s.inverse[v] > 0 {
				s.place[v] = uint32(len(s.order))
				s.order = append(s.order, v)
			}
		}
	}
	s.twins = s.findTwins()
	return s
}

// workersOf returns the number of goroutines for the option Workers.
func workersOf(workers int) int {
	if workers <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

// sparse is the symmetric matrix log max(M, 1) of the vertices in steps.order: all entries
// above 0, also those below the diagonal, in parts of width rows. Twins have one row.
type sparse struct {
	n       int
	row     []uint32 // of each vertex, in parts
	parts   []part
	entries int64 // of the matrix, where each of several twins has its row
	workers int
}

// of returns the entries of the row of a vertex.
func (m *sparse) of(i int) (targets []uint32, values []float32) {
	p, at := &m.parts[m.row[i]/width], m.row[i]%width
	return p.targets[p.start[at]:p.start[at+1]], p.values[p.start[at]:p.start[at+1]]
}

// part has consecutive rows of a sparse matrix: row i is start[i]:start[i+1] of targets and
// values, ascending.
type part struct {
	start   [width + 1]int
	targets []uint32
	values  []float32
}

// partBytes is the memory of a part without its entries.
const partBytes = 8*(width+1) + 48

// matrix computes all rows. It returns false if there are more than limit entries.
// progress receives the number of vertices whose rows are in a finished part, from several
// goroutines; it may be nil.
func (s *steps) matrix(ctx context.Context, limit int64, progress func(done int)) (*sparse, bool, error) {
	m := &sparse{n: len(s.order), row: s.twins.row, workers: s.workers}
	count := len(s.twins.first)
	m.parts = make([]part, (count+width-1)/width)
	free := make(chan *scratch, s.workers)
	for range s.workers {
		free <- nil
	}
	var entries atomic.Int64
	vec.Parallel(count, width, s.workers, func(at, lo, hi int) {
		if ctx.Err() != nil || entries.Load() > limit {
			return
		}
		c := <-free
		defer func() { free <- c }()
		if c == nil {
			c = newScratch(s.g.Vertices())
		}
		if c.rows(ctx, s, s.twins.first[lo:hi]) != nil {
			return
		}
		m.parts[at] = c.part()
		vertices := 0
		for i := lo; i < hi; i++ {
			vertices += int(s.twins.count[i])
			entries.Add(int64(s.twins.count[i]) * int64(len(c.targets[i-lo])))
		}
		if progress != nil {
			progress(vertices)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	m.entries = entries.Load()
	return m, m.entries <= limit, nil
}

// scratch is the memory of one goroutine that computes rows.
type scratch struct {
	x, y, sum []float32 // width columns for each vertex; 0 outside of reached
	seen      []uint64  // set of reached
	reached   []uint32  // vertices within the steps taken of those of the block
	arcs      int64     // read by the last call of rows
	targets   [width][]uint32
	values    [width][]float32
}

func newScratch(n int) *scratch {
	return &scratch{x: vec.Zeros[float32](n * width), y: vec.Zeros[float32](n * width), sum: vec.Zeros[float32](n * width), seen: make([]uint64, (n+63)/64)}
}

// sumError is above the relative error of an entry of M, a sum of float32. Entries of 1,
// such as all of a star for 10 steps, must not become entries above 1.
const sumError = 2e-6

// scratchBytes is the memory of a scratch of n vertices, without rows.
func scratchBytes(n int64) int64 { return n*(3*4*width+4) + n/8 }

func (c *scratch) reach(v uint32) {
	if bit := uint64(1) << (v % 64); c.seen[v/64]&bit == 0 {
		c.seen[v/64] |= bit
		c.reached = append(c.reached, v)
	}
}

// rows sets targets and values to the rows of the given vertices, at most width.
func (c *scratch) rows(ctx context.Context, s *steps, vertices []uint32) error {
	defer c.clear()
	for i, v := range vertices {
		c.reach(v)
		c.x[int(v)*width+i] = 1
	}
	// After r steps, column i of x is column v of Pʳ for the i-th vertex v.
	expanded := 0
	c.arcs = 0
	for range s.window {
		if err := ctx.Err(); err != nil {
			return err
		}
		for end := len(c.reached); expanded < end; expanded++ {
			for _, u := range s.g.Neighbors(c.reached[expanded]) {
				c.reach(u)
			}
		}
		for _, v := range c.reached {
			s.step(c.y[int(v)*width:][:width], c.x, int(v))
			c.arcs += int64(s.g.Degree(v))
		}
		c.x, c.y = c.y, c.x
		for _, v := range c.reached {
			at := int(v) * width
			sum, x := (*[width]float32)(c.sum[at:]), (*[width]float32)(c.x[at:])
			for i := range sum {
				sum[i] += x[i]
			}
		}
	}
	// M = vol/(b·T) · Σ Pʳ · D⁻¹ is symmetric, so that its column v is its row.
	var factor [width]float64
	for i, v := range vertices {
		factor[i] = s.factor * s.inverse[v]
	}
	for i := range width {
		c.targets[i], c.values[i] = c.targets[i][:0], c.values[i][:0]
	}
	slices.Sort(c.reached) // ascending, as the places within a component are
	for _, v := range c.reached {
		for i, x := range (*[width]float32)(c.sum[int(v)*width:]) {
			if m := factor[i] * float64(x); m > 1+sumError {
				c.targets[i], c.values[i] = append(c.targets[i], s.place[v]), append(c.values[i], float32(math.Log(m)))
			}
		}
	}
	return nil
}

// sumRun is the number of terms that are added in float32. Sums of such runs are added in
// float64: thousands of equal terms, such as a hub has for the leaves of a star, all round
// in the same direction.
const sumRun = 32

// step sets dst to row v of P·x.
func (s *steps) step(dst, x []float32, v int) {
	var total [width]float64
	for lo, hi := s.g.Offsets[v], s.g.Offsets[v+1]; lo < hi; lo += sumRun {
		var part [width]float32
		run := s.g.Targets[lo:min(lo+sumRun, hi)]
		if s.g.Weighted() {
			for i, u := range run {
				vec.Axpy(float32(float64(s.g.Weights[lo+int64(i)])*s.inverse[v]), x[int(u)*width:][:width], part[:])
			}
		} else {
			vec.GatherSum(part[:], x, width, run)
		}
		for i, x := range part {
			total[i] += float64(x)
		}
	}
	factor := s.inverse[v]
	if s.g.Weighted() {
		factor = 1 // every term already contains inverse[v]
	}
	for i, x := range total {
		dst[i] = float32(x * factor)
	}
}

// clear prepares the scratch for other vertices; targets and values stay.
func (c *scratch) clear() {
	for _, v := range c.reached {
		at := int(v) * width
		clear(c.x[at : at+width])
		clear(c.y[at : at+width])
		clear(c.sum[at : at+width])
		c.seen[v/64] = 0
	}
	c.reached = c.reached[:0]
}

// part returns a copy of the rows, which takes no more memory than they need.
func (c *scratch) part() part {
	var p part
	for i, list := range c.targets {
		p.start[i+1] = p.start[i] + len(list)
	}
	p.targets, p.values = make([]uint32, p.start[width]), make([]float32, p.start[width])
	for i := range width {
		copy(p.targets[p.start[i]:], c.targets[i])
		copy(p.values[p.start[i]:], c.values[i])
	}
	return p
}

// Size is the order of the matrix.
func (m *sparse) Size() int { return m.n }

// Apply sets y to alpha·N·x + beta·x + gamma·y for blocks of width columns.
func (m *sparse) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	vec.Parallel(m.n, width, m.workers, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			var sum [width]float32
			targets, values := m.of(i)
			for j, u := range targets {
				vec.Axpy(values[j], x[int(u)*width:][:width], sum[:])
			}
			row := i * width
			to, from := (*[width]float32)(y[row:]), (*[width]float32)(x[row:])
			if gamma == 0 {
				for j, product := range sum {
					to[j] = alpha*product + beta*from[j]
				}
				continue
			}
			for j, product := range sum {
				to[j] = alpha*product + beta*from[j] + gamma*to[j]
			}
		}
	})
	return ctx.Err()
}

// twins groups vertices that have the same neighbours with the same weights, as the leaves of a hub do.
// Row v of Pʳ is row v of P times Pʳ⁻¹, so that their rows of M are equal, and equal bit by bit as
// computed: from the first step on the same numbers are added in the same order. One row is computed
// for all of them. Without this, a star of n leaves takes n²·T/16 sums of 16 numbers.
type twins struct {
	row   []uint32 // of each vertex in steps.order: the number of its group
	first []uint32 // the first vertex of each group, in the order of steps.order
	count []uint32 // vertices of each group
}

// findTwins takes O(n log n + m) and 16 bytes per vertex while it works. Vertices whose lists have the
// same hash by chance may stay apart, which costs time and changes no result.
func (s *steps) findTwins() twins {
	type hashed struct {
		hash uint64
		at   uint32 // in order
	}
	list := make([]hashed, len(s.order))
	for i, v := range s.order {
		hash := uint64(s.g.Degree(v))
		for _, u := range s.g.Neighbors(v) {
			hash = mix(hash, uint64(u))
		}
		if s.g.Weighted() {
			for _, w := range s.g.WeightsOf(v) {
				hash = mix(hash, uint64(math.Float32bits(w)))
			}
		}
		list[i] = hashed{hash, uint32(i)}
	}
	slices.SortFunc(list, func(a, b hashed) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	t := twins{row: make([]uint32, len(list))}
	lead := 0 // the place in the list of the first with the present hash
	for i, l := range list {
		if l.hash != list[lead].hash {
			lead = i
		}
		if t.row[l.at] = l.at; s.same(s.order[list[lead].at], s.order[l.at]) {
			t.row[l.at] = list[lead].at // which is below
		}
	}
	for i, first := range t.row { // places become numbers
		if int(first) == i {
			t.row[i] = uint32(len(t.first))
			t.first, t.count = append(t.first, s.order[i]), append(t.count, 0)
		} else {
			t.row[i] = t.row[first]
		}
		t.count[t.row[i]]++
	}
	return t
}

// same reports whether two vertices have the same neighbours with the same weights.
func (s *steps) same(u, v uint32) bool {
	return slices.Equal(s.g.Neighbors(u), s.g.Neighbors(v)) && slices.Equal(s.g.WeightsOf(u), s.g.WeightsOf(v))
}

func mix(hash, x uint64) uint64 {
	high, low := bits.Mul64(hash^x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return high ^ low
}
