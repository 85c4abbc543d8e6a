package csr

import (
	"fmt"
	"math"
	"slices"

	"heavytail/storage/vec"
)

// Rows are the arcs of a directed graph of n vertices by one of their ends, in compressed
// sparse rows. Rows are strictly ascending; there are no self-loops and no parallel arcs. They
// take 8 bytes per vertex and 4 bytes per arc, 4 more per arc with weights and 8 more with
// timestamps.
type Rows struct {
	Offsets []int64   // len n+1; row v is Targets[Offsets[v]:Offsets[v+1]]
	Targets []uint32  // the other ends, ascending within a row
	Weights []float32 // weight of each entry of Targets; nil where all are 1
	Times   []int64   // timestamp of each entry of Targets, NoTime where an arc has none; nil where none has one
}

// RowsOf returns the rows of n vertices with the given arcs, which must be distinct and without self-loops,
// in any order. It takes O(n + m) time, the sort of each row, and 8 bytes per vertex of working memory.
func RowsOf(n int, arcs []Edge) Rows {
	r := Rows{Offsets: make([]int64, n+1), Targets: vec.Zeros[uint32](len(arcs))}
	for _, a := range arcs {
		r.Offsets[a.U+1]++
	}
	for v := range n {
		r.Offsets[v+1] += r.Offsets[v]
	}
	next := slices.Clone(r.Offsets)
	for _, a := range arcs {
		r.Targets[next[a.U]] = a.V
		next[a.U]++
	}
	for v := range uint32(n) {
		slices.Sort(r.Neighbors(v))
	}
	return r
}

// Vertices returns n.
func (r *Rows) Vertices() int { return max(0, len(r.Offsets)-1) }

// Degree returns the number of arcs in the row of v.
func (r *Rows) Degree(v uint32) int { return int(r.Offsets[v+1] - r.Offsets[v]) }

// Neighbors returns the other ends of the row of v in ascending order. The slice aliases the
// rows and must not be written.
func (r *Rows) Neighbors(v uint32) []uint32 {
	lo, hi := r.Offsets[v], r.Offsets[v+1]
	return r.Targets[lo:hi:hi]
}

// WeightsOf returns the weights of the row of v, in the order of Neighbors, or nil where there
// are none. The slice aliases the rows and must not be written.
func (r *Rows) WeightsOf(v uint32) []float32 {
	if r.Weights == nil {
		return nil
	}
	lo, hi := r.Offsets[v], r.Offsets[v+1]
	return r.Weights[lo:hi:hi]
}

// Directed is an immutable simple directed graph of n vertices, numbered from 0 to n-1. An arc
// from u to v is v in row u of Out, and u in row v of In, with the same weight and timestamp.
// Both arcs between two vertices can exist and differ. It takes 16 bytes per vertex and 8 bytes
// per arc, 8 more per arc with weights and 16 more with timestamps. It is safe for concurrent use.
type Directed struct {
	Out Rows // arcs by source
	In  Rows // arcs by target
}

// NewDirected is the directed graph with the given rows by source, which it keeps. It takes
// O(n + m).
func NewDirected(out Rows) *Directed { return &Directed{Out: out, In: transposed(&out)} }

// Vertices returns n.
func (d *Directed) Vertices() int { return d.Out.Vertices() }

// Arcs returns the number of arcs.
func (d *Directed) Arcs() int64 { return int64(len(d.Out.Targets)) }

// Pairs returns the number of edges of the undirected view. It takes O(n + m).
func (d *Directed) Pairs() int64 {
	both := int64(0)
	for v := range uint32(d.Vertices()) {
		out, in := d.Out.Neighbors(v), d.In.Neighbors(v)
		for len(out) > 0 && len(in) > 0 {
			switch {
			case out[0] < in[0]:
				out = out[1:]
			case out[0] > in[0]:
				in = in[1:]
			default:
				both++
				out, in = out[1:], in[1:]
			}
		}
	}
	return d.Arcs() - both/2
}

// Weighted reports whether the graph has weights; without them each is 1.
func (d *Directed) Weighted() bool { return d.Out.Weights != nil }

// HasArc reports whether there is an arc from u to v. It takes O(log d), d the lower of the out-degree of u
// and the in-degree of v.
func (d *Directed) HasArc(u, v uint32) bool { return HasArc(&d.Out, &d.In, u, v) }

// HasArc is Directed.HasArc for the arcs by source and by target.
func HasArc(out, in *Rows, u, v uint32) bool {
	row, other := out.Neighbors(u), v
	if sources := in.Neighbors(v); len(sources) < len(row) {
		row, other = sources, u
	}
	_, found := slices.BinarySearch(row, other)
	return found
}

// Before returns the graph of the arcs whose time is before one, and of those without a time. It takes O(n + m).
func (d *Directed) Before(time int64) *Directed { return NewDirected(d.Out.Before(time)) }

// Before returns the rows of the arcs whose time is before one, and of those without a time.
func (r *Rows) Before(time int64) Rows {
	n := Rows{Offsets: make([]int64, 1, len(r.Offsets))}
	for v := range uint32(r.Vertices()) {
		for at := r.Offsets[v]; at < r.Offsets[v+1]; at++ {
			if r.Times != nil && r.Times[at] >= time {
				continue
			}
			n.Targets = append(n.Targets, r.Targets[at])
			if r.Weights != nil {
				n.Weights = append(n.Weights, r.Weights[at])
			}
			if r.Times != nil {
				n.Times = append(n.Times, r.Times[at])
			}
		}
		n.Offsets = append(n.Offsets, int64(len(n.Targets)))
	}
	return n
}

// Reversed is the graph with every arc in the other direction. The rows alias those of d.
func (d *Directed) Reversed() *Directed { return &Directed{Out: d.In, In: d.Out} }

// transposed returns the same arcs by their other end: by counting, so rows ascend.
func transposed(r *Rows) Rows {
	n := r.Vertices()
	t := Rows{Offsets: make([]int64, n+1), Targets: vec.Zeros[uint32](len(r.Targets))}
	if r.Weights != nil {
		t.Weights = vec.Zeros[float32](len(r.Targets))
	}
	if r.Times != nil {
		t.Times = vec.Zeros[int64](len(r.Targets))
	}
	for _, v := range r.Targets {
		t.Offsets[v+1]++
	}
	for v := range n {
		t.Offsets[v+1] += t.Offsets[v]
	}
	next := append([]int64(nil), t.Offsets[:n]...)
	for u := range uint32(n) {
		for at := r.Offsets[u]; at < r.Offsets[u+1]; at++ {
			v := r.Targets[at]
			to := next[v]
			next[v]++
			t.Targets[to] = u
			if r.Weights != nil {
				t.Weights[to] = r.Weights[at]
			}
			if r.Times != nil {
				t.Times[to] = r.Times[at]
			}
		}
	}
	return t
}

// Undirected is the view of d for methods of undirected graphs: two vertices are adjacent if an
// arc leads from one to the other, in either direction. The weight of an edge is the sum of the
// weights of its arcs, as a float32 of at most the largest one, and its time is the latest; where
// d has no weights, neither has the view. It takes O(n + m).
func (d *Directed) Undirected() *Graph {
	n := d.Vertices()
	g := &Graph{Offsets: make([]int64, n+1)}
	for v := range uint32(n) {
		g.Offsets[v+1] = g.Offsets[v]
		d.merge(v, func(uint32, int64, int64) { g.Offsets[v+1]++ })
	}
	g.Targets = vec.Zeros[uint32](int(g.Offsets[n]))
	if d.Out.Weights != nil {
		g.Weights = vec.Zeros[float32](len(g.Targets))
	}
	if d.Out.Times != nil {
		g.Times = vec.Zeros[int64](len(g.Targets))
	}
	at := 0
	for v := range uint32(n) {
		d.merge(v, func(u uint32, out, in int64) {
			g.Targets[at] = u
			if g.Weights != nil {
				var w float32
				if out >= 0 {
					w = d.Out.Weights[out]
				}
				if in >= 0 {
					w = min(w+d.In.Weights[in], math.MaxFloat32)
				}
				g.Weights[at] = w
			}
			if g.Times != nil {
				g.Times[at] = NoTime
				if out >= 0 {
					g.Times[at] = d.Out.Times[out]
				}
				if in >= 0 {
					g.Times[at] = max(g.Times[at], d.In.Times[in])
				}
			}
			at++
		})
	}
	return g
}

// merge calls f for every vertex that an arc joins with v, in ascending order, with the indices of
// the arc from v in Out and of the arc to v in In; -1 where there is none.
func (d *Directed) merge(v uint32, f func(u uint32, out, in int64)) {
	i, j := d.Out.Offsets[v], d.In.Offsets[v]
	for i < d.Out.Offsets[v+1] || j < d.In.Offsets[v+1] {
		switch {
		case j == d.In.Offsets[v+1] || i < d.Out.Offsets[v+1] && d.Out.Targets[i] < d.In.Targets[j]:
			f(d.Out.Targets[i], i, -1)
			i++
		case i == d.Out.Offsets[v+1] || d.In.Targets[j] < d.Out.Targets[i]:
			f(d.In.Targets[j], -1, j)
			j++
		default:
			f(d.Out.Targets[i], i, j)
			i, j = i+1, j+1
		}
	}
}

// Validate checks everything that Directed says and reports the first fault. It takes O(n + m) time
// and the memory of one direction.
func (d *Directed) Validate() error {
	if err := d.Out.validate(); err != nil {
		return err
	}
	t := transposed(&d.Out)
	for v := range t.Vertices() {
		if len(d.In.Offsets) != len(t.Offsets) || d.In.Offsets[v+1] != t.Offsets[v+1] {
			return fmt.Errorf("%w: arcs to vertex %d differ from those by their sources", ErrInvalid, v)
		}
	}
	if !slices.Equal(t.Targets, d.In.Targets) || !slices.Equal(t.Weights, d.In.Weights) || !slices.Equal(t.Times, d.In.Times) {
		return fmt.Errorf("%w: arcs by target differ from those by source", ErrInvalid)
	}
	return nil
}

func (r *Rows) validate() error {
	// The shape of rows is that of a graph.
	if err := (&Graph{Offsets: r.Offsets, Targets: r.Targets, Weights: r.Weights, Times: r.Times}).validateShape(); err != nil {
		return err
	}
	n := r.Vertices()
	for v := range uint32(n) {
		row := r.Neighbors(v)
		for i, u := range row {
			switch {
			case int(u) >= n:
				return fmt.Errorf("%w: arc from vertex %d to %d of %d", ErrInvalid, v, u, n)
			case u == v:
				return fmt.Errorf("%w: self-loop at vertex %d", ErrInvalid, v)
			case i > 0 && row[i-1] >= u:
				return fmt.Errorf("%w: arcs from vertex %d are not ascending", ErrInvalid, v)
			}
		}
		for i, w := range r.WeightsOf(v) {
			if !(w > 0 && w <= math.MaxFloat32) { // false for NaN as well
				return fmt.Errorf("%w: arc (%d, %d) has weight %v", ErrInvalid, v, row[i], w)
			}
		}
	}
	return nil
}
