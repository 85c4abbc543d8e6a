package generate

import (
	"context"
	"fmt"

	"heavytail/storage/csr"
)

// StochasticBlock is the stochastic block model (Holland, Laskey and Leinhardt,
// "Stochastic blockmodels: first steps", 1983): vertices belong to blocks, and
// the probability of an edge, independent of all others, depends on the blocks
// of its end points alone. Vertices are numbered block by block.
type StochasticBlock struct {
	Sizes []int   // vertices of each block, at least 1
	In    float64 // probability of an edge within a block
	Out   float64 // probability of an edge between two blocks
	// Matrix, if not nil, is the probability of an edge between each two blocks
	// instead of In and Out: symmetric, a row and a column for each block.
	Matrix [][]float64
	Seed   uint64 // the same seed gives the same graph on every machine
}

var _ Model = StochasticBlock{}

// Vertices returns the sum of the sizes, or a number above the limit of a graph.
func (s StochasticBlock) Vertices() int {
	n := 0
	for _, size := range s.Sizes {
		if size > maxVertices-n {
			return maxVertices + 1 // above the limit: the exact number might overflow
		}
		n += max(size, 0)
	}
	return n
}

// Blocks returns the block of every vertex of the graph.
func (s StochasticBlock) Blocks() []uint32 {
	blocks := make([]uint32, 0, s.Vertices())
	for b, size := range s.Sizes {
		for range size {
			blocks = append(blocks, uint32(b))
		}
	}
	return blocks
}

// Validate reports all faults of the parameters, but only the first one of the sizes and the first
// one of the matrix. Each wraps ErrOptions.
func (s StochasticBlock) Validate() error {
	f := faults{model: "stochastic block"}
	f.check(len(s.Sizes) > 0, "sizes", "empty", "one number for each block")
	for b, size := range s.Sizes {
		if size < 1 {
			f.add("sizes", fmt.Sprintf("number %d", b+1), size, "at least 1")
			break
		}
	}
	if n := s.Vertices(); len(f.list) == 0 && n > maxVertices {
		f.add("sizes", "the sum", "too large", "at most %d", int64(maxVertices))
	}
	f.probability("p_in", s.In)
	f.probability("p_out", s.Out)
	if s.Matrix != nil {
		f.check(s.In == 0, "p_in", s.In, "0 where a matrix is given")
		f.check(s.Out == 0, "p_out", s.Out, "0 where a matrix is given")
		s.checkMatrix(&f)
	}
	if len(f.list) == 0 {
		f.edges(s.edges())
	}
	return f.err()
}

// checkMatrix reports the first fault of the shape or of an entry.
func (s StochasticBlock) checkMatrix(f *faults) {
	if len(s.Matrix) != len(s.Sizes) {
		f.add("matrix", "the number of rows", len(s.Matrix), "%d, the number of blocks", len(s.Sizes))
		return
	}
	for a, row := range s.Matrix {
		if len(row) != len(s.Sizes) {
			f.add("matrix", fmt.Sprintf("the length of row %d", a+1), len(row), "%d, the number of blocks", len(s.Sizes))
			return
		}
	}
	for a, row := range s.Matrix {
		for b, p := range row {
			entry := fmt.Sprintf("entry %d of row %d", b+1, a+1)
			if !f.entry("matrix", entry, p) {
				return
			}
			if p != s.Matrix[b][a] {
				f.add("matrix", entry, p, "%v, as entry %d of row %d", s.Matrix[b][a], a+1, b+1)
				return
			}
		}
	}
}

func (s StochasticBlock) edges() float64 {
	sum := 0.0
	s.eachBlock(func(b, begin, end int) {
		size := float64(end - begin)
		sum += s.within(b) * pairs(end-begin)
		for _, e := range s.strips(b, begin) {
			sum += e.p * size * float64(e.end-e.begin)
		}
	})
	return sum
}

// eachBlock calls f with every block and its vertices [begin, end).
func (s StochasticBlock) eachBlock(f func(b, begin, end int)) {
	begin := 0
	for b, size := range s.Sizes {
		f(b, begin, begin+size)
		begin += size
	}
}

// within is the probability of an edge within block b.
func (s StochasticBlock) within(b int) float64 {
	if s.Matrix != nil {
		return s.Matrix[b][b]
	}
	return s.In
}

// strip is a range of earlier vertices to which the vertices of a block have edges with equal
// probability.
type strip struct {
	begin, end int
	p          float64
}

// strips returns the strips of block b, whose first vertex is given. Without a matrix all earlier
// blocks are one strip, so many small blocks cost no more than a few large ones.
func (s StochasticBlock) strips(b, begin int) []strip {
	if s.Matrix == nil {
		return []strip{{0, begin, s.Out}}
	}
	var list []strip
	at := 0
	for a, size := range s.Sizes[:b] {
		if p := s.Matrix[b][a]; len(list) > 0 && list[len(list)-1].p == p {
			list[len(list)-1].end = at + size
		} else {
			list = append(list, strip{at, at + size, p})
		}
		at += size
	}
	return list
}

// Bytes is the memory that Generate takes, see [Model].
func (s StochasticBlock) Bytes() int64 {
	return bytesOf(s.Vertices(), s.edges(), 16, 24)
}

// Generate makes the graph in expected O(vertices + edges + entries of Matrix) time.
func (s StochasticBlock) Generate(ctx context.Context, progress Progress) (*csr.Graph, error) {
	return grown(ctx, progress, "stochastic block", s, 0, s.draw)
}

func (s StochasticBlock) draw(w *work) (*csr.Graph, error) {
	expected := s.edges()
	w.expect(int64(expected))
	d := blockDraw{w: w, random: newRandom(s.Seed), edges: make([]csr.Edge, 0, room(max(expected*2, 1), 0.5))}
	s.eachBlock(func(b, begin, end int) {
		for _, e := range s.strips(b, begin) {
			d.strip(begin, end, e)
		}
		d.within(begin, end, s.within(b))
	})
	if d.err != nil {
		return nil, d.err
	}
	return fromEdges(w, s.Vertices(), d.edges)
}

// blockDraw collects the edges of the model. After an error it draws no more.
type blockDraw struct {
	w      *work
	random *random
	edges  []csr.Edge
	err    error
}

func (d *blockDraw) add(u, v int) bool {
	d.edges = append(d.edges, csr.Edge{U: uint32(u), V: uint32(v)})
	d.err = d.w.add(2, min(int64(len(d.edges)), d.w.total))
	return d.err == nil
}

// strip draws the edges between the vertices [begin, end) and those of a strip.
func (d *blockDraw) strip(begin, end int, e strip) {
	if d.err == nil {
		d.err = d.w.add(1, min(int64(len(d.edges)), d.w.total))
	}
	width, jump := uint64(e.end-e.begin), newJumps(e.p)
	if width == 0 || d.err != nil {
		return
	}
	all := uint64(end-begin) * width
	for at := jump.next(d.random); at < all; at += 1 + jump.next(d.random) {
		if !d.add(e.begin+int(at%width), begin+int(at/width)) {
			return
		}
	}
}

// within draws the edges among the vertices [begin, end).
func (d *blockDraw) within(begin, end int, p float64) {
	if d.err != nil {
		return
	}
	jump := newJumps(p)
	u := jump.next(d.random)
	for v := range end - begin {
		for u < uint64(v) {
			if !d.add(begin+int(u), begin+v) {
				return
			}
			u += 1 + jump.next(d.random)
		}
		u -= uint64(v)
		if d.err = d.w.add(1, min(int64(len(d.edges)), d.w.total)); d.err != nil {
			return
		}
	}
}
