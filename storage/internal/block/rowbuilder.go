package block

import (
	"heavytail/storage/csr"
	"heavytail/storage/internal/fault"
)

// RowBuilder builds the rows of a graph from blocks of arcs in ascending order.
type RowBuilder struct {
	offsets []int64
	targets []uint32  // its capacity is the expected number of arcs
	weights []float32 // nil if none is expected
	times   []int64   // nil if none is expected
	source  uint32    // row that is being built
	last    Arc

	vertices []uint32 // row of each slot, NoVertex for empty slots; nil if slots and rows are the same

	weighted, timed uint64 // arcs still expected with a weight other than 1, or with a timestamp
}

// NewRowBuilder prepares the rows of a graph with n vertices and the given numbers of edges, of
// weights other than 1 and of timestamps. vertices is the row of each slot, or nil.
func NewRowBuilder(edges, weighted, timed uint64, n int, vertices []uint32) *RowBuilder {
	b := &RowBuilder{vertices: vertices, offsets: make([]int64, n+1), targets: make([]uint32, 0, 2*edges), weighted: 2 * weighted, timed: 2 * timed}
	if weighted > 0 {
		b.weights = make([]float32, 0, 2*edges)
	}
	if timed > 0 {
		b.times = make([]int64, 0, 2*edges)
	}
	return b
}

// AddColumns adds the weights and timestamps of a block whose arcs were added.
func (b *RowBuilder) AddColumns(block *ArcBlock) error {
	if b.weights != nil {
		if len(block.weights) == 0 {
			for range block.Arcs {
				b.weights = append(b.weights, 1)
			}
		}
		b.weights = append(b.weights, block.weights...)
	}
	if b.times != nil {
		if len(block.times) == 0 {
			for range block.Arcs {
				b.times = append(b.times, csr.NoTime)
			}
		}
		b.times = append(b.times, block.times...)
	}
	weighted, timed := CountValues(block.weights, block.times)
	if weighted > b.weighted || timed > b.timed {
		return fault.Record("more edges with weights or timestamps than the catalogue says")
	}
	b.weighted -= weighted
	b.timed -= timed
	return nil
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

// Add adds the arcs of the next block. It may overwrite block.
func (b *RowBuilder) Add(block []Arc) error {
	n := uint32(len(b.offsets) - 1)
	if len(b.targets) > 0 && block[0] <= b.last {
		return fault.Record("arc blocks do not ascend")
	}
	b.last = block[len(block)-1]
	if len(block) > cap(b.targets)-len(b.targets) {
		return fault.Record("more arcs than the catalogue says")
	}
	if b.vertices != nil {
		if err := ToVertices(block, b.vertices); err != nil {
			return err
		}
	}
	if last := block[len(block)-1].Source(); last >= n {
		return fault.Record("arc of vertex %d of %d", last, n)
	}
	for _, a := range block {
		if a.Target() >= n {
			return fault.Record("arc to vertex %d of %d", a.Target(), n)
		}
		for b.source < a.Source() {
			b.source++
			b.offsets[b.source] = int64(len(b.targets))
		}
		b.targets = append(b.targets, a.Target())
	}
	return nil
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

// Finish returns the graph once all arcs were added.
func (b *RowBuilder) Finish() (*csr.Graph, error) {
	if len(b.targets) != cap(b.targets) {
		return nil, fault.Record("%d arcs where the catalogue says %d", len(b.targets), cap(b.targets))
	}
	if b.weighted != 0 || b.timed != 0 {
		return nil, fault.Record("fewer edges with weights or timestamps than the catalogue says")
	}
	for v := int(b.source) + 1; v < len(b.offsets); v++ {
		b.offsets[v] = int64(len(b.targets))
	}
	return &csr.Graph{Offsets: b.offsets, Targets: b.targets, Weights: b.weights, Times: b.times}, nil
}
