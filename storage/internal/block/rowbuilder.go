package block

import (
	"heavytail/storage/csr"
	"heavytail/storage/internal/fault"
	"heavytail/storage/vec"
)

// RowBuilder builds the rows of a graph from its blocks of arcs, which ascend. The blocks are
// cut into runs, which may be added at the same time.
type RowBuilder struct {
	Runs []RowRun // in the order of the blocks

	offsets []int64
	targets []uint32
	weights []float32 // nil if none is expected
	times   []int64   // nil if none is expected

	back *backColumns // of a directed graph; nil for an undirected one

	vertices []uint32 // row of each slot, NoVertex for empty slots; nil if slots and rows are the same

	expected arcCounts
}

// arcCounts counts what the entries of the list of arcs have.
type arcCounts struct {
	weighted, timed uint64 // weights other than 1, and timestamps, of both directions
	out, in         uint64 // edges to the target and back, of a directed graph
}

// RowRun takes the blocks of one run. It belongs to one goroutine, and shares nothing that it
// changes with other runs.
type RowRun struct {
	builder *RowBuilder
	lo      int // of its arcs among all
	targets []uint32
	weights []float32
	times   []int64

	next, below Arc    // the arcs that may follow are in [next, below)
	first, last uint32 // rows of the first arc and of the last one so far

	back  backColumns // of a directed graph
	found arcCounts
}

// ArcRun is some blocks of arcs that follow each other.
type ArcRun struct {
	Blocks      []Sealed
	Arcs        int // that the blocks declare
	From, Below Arc // all arcs are in [From, Below)
}

// NewRowBuilder prepares the rows of a graph with n vertices and the given numbers of edges.
// vertices is the row of each slot, or nil.
func NewRowBuilder(runs []ArcRun, count Counts, n int, vertices []uint32) (*RowBuilder, error) {
	arcs := 0
	for _, r := range runs {
		arcs += r.Arcs
	}
	if uint64(arcs) != 2*count.Edges { // before memory is taken for them
		return nil, fault.Record("%d arcs where the catalogue says %d", arcs, 2*count.Edges)
	}
	b := &RowBuilder{
		offsets: vec.Zeros[int64](n + 1), targets: vec.Zeros[uint32](arcs), vertices: vertices,
		expected: arcCounts{2 * count.Weighted, 2 * count.Timed, count.Arcs, count.Arcs}, Runs: make([]RowRun, len(runs)),
	}
	if count.Weighted > 0 {
		b.weights = vec.Zeros[float32](arcs)
	}
	if count.Timed > 0 {
		b.times = vec.Zeros[int64](arcs)
	}
	if count.Directed {
		b.back = newBackColumns(arcs, count)
	}
	lo := 0
	for i, run := range runs {
		hi := lo + run.Arcs
		r := &b.Runs[i]
		*r = RowRun{builder: b, lo: lo, targets: b.targets[lo:lo:hi], next: run.From, below: run.Below}
		if b.weights != nil {
			r.weights = b.weights[lo:lo:hi]
		}
		if b.times != nil {
			r.times = b.times[lo:lo:hi]
		}
		if b.back != nil {
			r.back = b.back.part(lo, hi)
		}
		lo = hi
	}
	return b, nil
}

// Add adds the arcs of the next block with their weights and timestamps. It may overwrite them.
func (r *RowRun) Add(block *ArcBlock) error {
	arcs, n := block.Arcs, uint32(len(r.builder.offsets)-1)
	if err := block.Is(r.builder.back != nil); err != nil {
		return err
	}
	end := arcs[len(arcs)-1]
	if arcs[0] < r.next || end >= r.below {
		return fault.Record("arc blocks do not ascend")
	}
	r.next = end + 1
	if len(arcs) > cap(r.targets)-len(r.targets) {
		return fault.Record("more arcs than the blocks declare")
	}
	if r.builder.vertices != nil {
		if err := ToVertices(arcs, r.builder.vertices); err != nil {
			return err
		}
	}
	if last := arcs[len(arcs)-1].Source(); last >= n {
		return fault.Record("arc of vertex %d of %d", last, n)
	}
	if len(r.targets) == 0 {
		r.first, r.last = arcs[0].Source(), arcs[0].Source()
	}
	for _, a := range arcs {
		if a.Target() >= n {
			return fault.Record("arc to vertex %d of %d", a.Target(), n)
		}
		for r.last < a.Source() {
			r.last++
			r.builder.offsets[r.last] = int64(r.lo + len(r.targets))
		}
		r.targets = append(r.targets, a.Target())
	}
	if block.directed {
		return r.addValues(block.values)
	}
	return r.addColumns(block)
}

func (r *RowRun) addColumns(block *ArcBlock) error {
	weighted, timed := CountValues(block.weights, block.times)
	if (weighted > 0 && r.weights == nil) || (timed > 0 && r.times == nil) {
		return fault.Record("more edges with weights or timestamps than the catalogue says")
	}
	r.found.weighted += weighted
	r.found.timed += timed
	if r.weights != nil {
		r.weights = appendColumn(r.weights, block.weights, 1, len(block.Arcs))
	}
	if r.times != nil {
		r.times = appendColumn(r.times, block.times, csr.NoTime, len(block.Arcs))
	}
	return nil
}

// addValues adds the columns of a block of a directed graph.
func (r *RowRun) addValues(values []ArcValue) error {
	for _, v := range values {
		out, in := OneIf(v.Weight != 0), OneIf(v.Back != 0)
		r.found.out += out
		r.found.in += in
		r.found.weighted += OneIf(v.Weight != 0 && v.Weight != 1) + OneIf(v.Back != 0 && v.Back != 1)
		if out == 0 {
			v.Time = csr.NoTime
		}
		if in == 0 {
			v.BackTime = csr.NoTime
		}
		r.found.timed += OneIf(v.Time != csr.NoTime) + OneIf(v.BackTime != csr.NoTime)
		r.back.ways = append(r.back.ways, byte(out|in<<1))
		if r.weights != nil {
			r.weights, r.back.weights = append(r.weights, v.Weight), append(r.back.weights, v.Back)
		}
		if r.times != nil {
			r.times, r.back.times = append(r.times, v.Time), append(r.back.times, v.BackTime)
		}
	}
	if (r.found.weighted > 0 && r.weights == nil) || (r.found.timed > 0 && r.times == nil) {
		return fault.Record("more edges with weights or timestamps than the catalogue says")
	}
	return nil
}

// appendColumn appends the n values of a block, which are all the same if it stores none.
func appendColumn[T any](column, values []T, same T, n int) []T {
	if len(values) > 0 {
		return append(column, values...)
	}
	for range n {
		column = append(column, same)
	}
	return column
}

// CountValues counts the weights that are not 1 and the timestamps.
func CountValues(weights []float32, times []int64) (weighted, timed uint64) {
	for _, w := range weights {
		if w != 1 {
			weighted++
		}
	}
	for _, t := range times {
		if t != csr.NoTime {
			timed++
		}
	}
	return weighted, timed
}

// ToVertices replaces slots with vertices, which does not change the order.
func ToVertices(block []Arc, vertices []uint32) error {
	for i, a := range block {
		u, v := uint32(NoVertex), uint32(NoVertex)
		if int(a.Source()) < len(vertices) && int(a.Target()) < len(vertices) {
			u, v = vertices[a.Source()], vertices[a.Target()]
		}
		if u == NoVertex || v == NoVertex {
			return fault.Record("arc (%d, %d) of an empty slot", a.Source(), a.Target())
		}
		block[i] = NewArc(u, v)
	}
	return nil
}

// Finish returns the graph, which is undirected, once all arcs of all runs were added.
func (b *RowBuilder) Finish() (*csr.Graph, error) {
	row := 0 // rows up to this one have their offset
	var found arcCounts
	for i := range b.Runs {
		r := &b.Runs[i]
		if len(r.targets) != cap(r.targets) {
			return nil, fault.Record("%d arcs where the blocks declare %d", len(r.targets), cap(r.targets))
		}
		found.weighted += r.found.weighted
		found.timed += r.found.timed
		found.out += r.found.out
		found.in += r.found.in
		if len(r.targets) > 0 {
			b.begin(row, int(r.first), r.lo)
			row = int(r.last)
		}
	}
	if found != b.expected {
		return nil, fault.Record("other numbers of edges, weights or timestamps than the catalogue says")
	}
	b.begin(row, len(b.offsets)-1, len(b.targets))
	return &csr.Graph{Offsets: b.offsets, Targets: b.targets, Weights: b.weights, Times: b.times}, nil
}

// FinishPairs is Finish for a directed graph.
func (b *RowBuilder) FinishPairs() (*Pairs, error) {
	g, err := b.Finish()
	if err != nil {
		return nil, err
	}
	return &Pairs{Rows: *g, backColumns: *b.back}, nil
}

// begin sets the offsets of the rows in (after, last].
func (b *RowBuilder) begin(after, last, offset int) {
	for v := after + 1; v <= last; v++ {
		b.offsets[v] = int64(offset)
	}
}
