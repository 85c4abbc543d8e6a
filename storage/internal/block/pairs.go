package block

import (
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Counts are what the catalogue says of the edges of a graph.
type Counts struct {
	Directed bool
	Edges    uint64 // of the undirected view
	Arcs     uint64 // edges of a directed graph
	Weighted uint64 // edges, of a directed graph arcs, with a weight other than 1
	Timed    uint64 // likewise with a timestamp
}

// Pairs are the rows of a directed graph as they are stored: the row of a vertex has every vertex
// that an edge joins with it, in either direction, with the values of both.
type Pairs struct {
	// Rows are the targets, and the weights and timestamps of the edges to them: 0 and csr.NoTime where
	// there is none. Weights and timestamps are nil where the graph has none.
	Rows csr.Graph
	backColumns
}

// backColumns are the columns that only the rows of a directed graph have.
type backColumns struct {
	ways    []byte    // bit 0: an edge leads to the target, bit 1: one leads back
	weights []float32 // of the edges back
	times   []int64
}

func newBackColumns(arcs int, count Counts) *backColumns {
	c := &backColumns{ways: vec.Zeros[byte](arcs)}
	if count.Weighted > 0 {
		c.weights = vec.Zeros[float32](arcs)
	}
	if count.Timed > 0 {
		c.times = vec.Zeros[int64](arcs)
	}
	return c
}

// part is the empty part of the columns from lo to hi.
func (c *backColumns) part(lo, hi int) backColumns {
	p := backColumns{ways: c.ways[lo:lo:hi]}
	if c.weights != nil {
		p.weights = c.weights[lo:lo:hi]
	}
	if c.times != nil {
		p.times = c.times[lo:lo:hi]
	}
	return p
}

// Undirected returns the undirected view, as csr.Directed does. It overwrites p.
func (p *Pairs) Undirected() *csr.Graph {
	for i, w := range p.weights {
		p.Rows.Weights[i] = min(p.Rows.Weights[i]+w, math.MaxFloat32)
	}
	for i, t := range p.times {
		p.Rows.Times[i] = max(p.Rows.Times[i], t)
	}
	return &p.Rows
}

// Directed returns the graph. It takes O(n + m).
func (p *Pairs) Directed() *csr.Directed {
	return &csr.Directed{Out: p.rows(1, p.Rows.Weights, p.Rows.Times), In: p.rows(2, p.weights, p.times)}
}

// rows returns the rows of one direction, with its columns.
func (p *Pairs) rows(way byte, weights []float32, times []int64) csr.Rows {
	n := p.Rows.Vertices()
	r := csr.Rows{Offsets: vec.Zeros[int64](n + 1)}
	count := 0
	for v := range n {
		for _, ways := range p.ways[p.Rows.Offsets[v]:p.Rows.Offsets[v+1]] {
			count += int(OneIf(ways&way != 0))
		}
		r.Offsets[v+1] = int64(count)
	}
	r.Targets = vec.Zeros[uint32](count)
	if weights != nil {
		r.Weights = vec.Zeros[float32](count)
	}
	if times != nil {
		r.Times = vec.Zeros[int64](count)
	}
	at := 0
	for i, ways := range p.ways {
		if ways&way == 0 {
			continue
		}
		r.Targets[at] = p.Rows.Targets[i]
		if weights != nil {
			r.Weights[at] = weights[i]
		}
		if times != nil {
			r.Times[at] = times[i]
		}
		at++
	}
	return r
}

// Mirrored reports whether the entry at one index of the rows says the same of two vertices as the
// entry at another index, in the row of the other vertex.
func (p *Pairs) Mirrored(at, other int64) bool {
	same := p.ways[at] == p.ways[other]>>1|p.ways[other]<<1&2
	if p.weights != nil {
		same = same && p.Rows.Weights[at] == p.weights[other] && p.weights[at] == p.Rows.Weights[other]
	}
	if p.times != nil {
		same = same && p.Rows.Times[at] == p.times[other] && p.times[at] == p.Rows.Times[other]
	}
	return same
}

// DirectedEncoder divides the arcs of a directed graph into blocks and encodes them like
// EncodeDirected.
type DirectedEncoder struct {
	At      int64 // next arc, among those of all rows of the undirected view
	graph   *csr.Directed
	source  uint32
	out, in int64      // next entries of the rows of the source
	window  []ArcValue // arcs from At on
}

// NewDirectedEncoder starts at arc number at, which must be the start of a block or the end of the
// graph. It takes the time of counting these.
func NewDirectedEncoder(d *csr.Directed, at int64) *DirectedEncoder {
	e := &DirectedEncoder{graph: d}
	for e.At < at {
		e.fill(int(min(at-e.At, MaxBlockArcs)))
		e.At += int64(len(e.window))
		e.window = e.window[:0]
	}
	return e
}

// Next returns the key and the unsealed record of the next block, with as many arcs as fit, or nil
// at the end of the graph.
func (e *DirectedEncoder) Next() (key, record []byte) {
	e.fill(MaxBlockArcs)
	if len(e.window) == 0 {
		return nil, nil
	}
	key = Key64(uint64(e.window[0].Arc))
	record, count := EncodeDirected(e.window, MaxBlock)
	e.window = append(e.window[:0], e.window[count:]...)
	e.At += int64(count)
	return key, record
}

// fill extends the window to so many arcs, or to the end of the graph.
func (e *DirectedEncoder) fill(most int) {
	out, in := &e.graph.Out, &e.graph.In
	for n := uint32(e.graph.Vertices()); len(e.window) < most; {
		for e.source < n && e.out == out.Offsets[e.source+1] && e.in == in.Offsets[e.source+1] {
			e.source++
		}
		if e.source == n {
			return
		}
		to, from := uint32(math.MaxUint32), uint32(math.MaxUint32)
		if e.out < out.Offsets[e.source+1] {
			to = out.Targets[e.out]
		}
		if e.in < in.Offsets[e.source+1] {
			from = in.Targets[e.in]
		}
		v := ArcValue{Arc: NewArc(e.source, min(to, from))}
		if to <= from {
			v.Weight, v.Time = valuesAt(out, e.out)
			e.out++
		}
		if from <= to {
			v.Back, v.BackTime = valuesAt(in, e.in)
			e.in++
		}
		e.window = append(e.window, v)
	}
}

// valuesAt returns the weight and the timestamp of an entry of rows.
func valuesAt(r *csr.Rows, at int64) (weight float32, time int64) {
	weight, time = 1, csr.NoTime
	if r.Weights != nil {
		weight = r.Weights[at]
	}
	if r.Times != nil {
		time = r.Times[at]
	}
	return weight, time
}
