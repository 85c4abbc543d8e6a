package spectral

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
)

// Lists are the adjacency lists of a simple undirected graph that are read in order, again
// for each product with its matrix, so that its edges need not be in memory. storage.Lists
// are those of a graph in a file.
type Lists interface {
	// Vertices returns the number of vertices, at most 2³² − 2.
	Vertices() int
	// Weighted reports whether the edges have weights.
	Weighted() bool
	// Each calls f with runs of arcs until all were read: the arc sources[i] → targets[i]
	// has weights[i], or weights is nil. Every edge is two arcs. Arcs are in ascending order
	// of their sources, and of their targets for one source. The slices are valid during
	// the call. An error of f ends Each, which returns it. Each runs in a goroutine of its
	// own, one at a time, and gives the same arcs each time.
	Each(ctx context.Context, f func(sources, targets []uint32, weights []float32) error) error
}

// ListStats describe how SolveLists read its edges.
type ListStats struct {
	Readings int   // of all lists; a product of DP-Spectral with a block of 16 vectors takes two
	Bytes    int64 // of edges in memory: the two buffers, and the edges of small components
}

// reader reads the edges of a graph for the matrices of its parts.
type reader struct {
	lists      Lists
	bytes      int64 // most bytes of edges in memory
	weighted   bool  // the lists have weights, which are used
	shape      *csr.Graph
	components *csr.Components
	small      *csr.Graph // of loadSmall, once it was called
	buffers    [2]piece
	stats      ListStats
}

// newReader reads all lists once, for the offsets of the rows and the components.
func newReader(ctx context.Context, lists Lists, bytes int64, opts Options) (*reader, error) {
	n := lists.Vertices()
	r := &reader{lists: lists, bytes: bytes, weighted: lists.Weighted() && !opts.IgnoreWeights}
	offsets, sets := make([]int64, n+1), csr.NewSets(n)
	next := uint64(0) // the least arc that may follow
	r.stats.Readings++
	err := lists.Each(ctx, func(sources, targets []uint32, weights []float32) error {
		if len(sources) != len(targets) || weights != nil && len(weights) != len(targets) {
			return fmt.Errorf("%w: %d sources, %d targets and %d weights", ErrLists, len(sources), len(targets), len(weights))
		}
		for i, u := range sources {
			v := targets[i]
			if int(u) >= n || int(v) >= n || u == v {
				return fmt.Errorf("%w: arc (%d, %d) of %d vertices", ErrLists, u, v, n)
			}
			if arc := uint64(u)<<32 | uint64(v); arc < next {
				return fmt.Errorf("%w: arc (%d, %d) is not in ascending order", ErrLists, u, v)
			} else {
				next = arc + 1
			}
			offsets[u+1]++
			sets.Join(u, v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for v := range n {
		offsets[v+1] += offsets[v]
	}
	r.shape, r.components = &csr.Graph{Offsets: offsets}, sets.Components()
	return r, nil
}

// entryBytes is the size of an entry of a matrix.
func (r *reader) entryBytes() int64 {
	if r.weighted {
		return 8
	}
	return 4
}

// selection are the vertices of a part.
type selection struct {
	label []uint32 // the part of each vertex; nil if no arc is left out
	part  uint32
	local []uint32 // the number in the part of each vertex; nil if it is the same
	n     int
}

// choose sets to to the entries of the part among those of a run.
func (s selection) choose(to *piece, sources, targets []uint32, weights []float32) error {
	to.targets, to.weights = to.targets[:0], to.weights[:0]
	if s.local == nil && int(slices.Max(targets)) < s.n { // all of them, as they are
		to.targets, to.weights = append(to.targets, targets...), append(to.weights, weights...)
		return nil
	}
	for i, v := range targets {
		if s.label != nil && s.label[sources[i]] != s.part {
			continue
		}
		if s.local != nil && int(v) < len(s.local) {
			v = s.local[v]
		}
		if int(v) >= s.n {
			return fmt.Errorf("%w: an arc leads to vertex %d, outside of its part", ErrLists, targets[i])
		}
		to.targets = append(to.targets, v)
		if weights != nil {
			to.weights = append(to.weights, weights[i])
		}
	}
	return nil
}

// part returns the matrix of the vertices in list, which are those with label part, or with
// an edge if label is nil. local has the place of each in the list.
func (r *reader) part(ctx context.Context, list, local, label []uint32, part uint32) (matrix, error) {
	m, s := matrix{shape: r.shape, weighted: r.weighted, scratch: new(sync.Pool)}, selection{n: len(list)}
	if len(list) < r.shape.Vertices() {
		s.label, s.part, s.local = label, part, local
		offsets := make([]int64, len(list)+1)
		for i, v := range list {
			offsets[i+1] = offsets[i] + int64(r.shape.Degree(v))
		}
		m.shape = &csr.Graph{Offsets: offsets}
	}
	m.pieces = func(ctx context.Context, use func(p piece) error) error { return r.read(ctx, s, r.weighted, use) }
	if !r.weighted {
		return m, nil
	}
	equal, err := m.equalWeights(ctx)
	if equal { // as WithoutEqualWeights
		m.weighted = false
		m.pieces = func(ctx context.Context, use func(p piece) error) error { return r.read(ctx, s, false, use) }
	}
	return m, err
}

// errUnequal ends a reading that compares weights.
var errUnequal = errors.New("weights differ")

// equalWeights reports whether all weights are equal.
func (m matrix) equalWeights(ctx context.Context) (bool, error) {
	first := float32(0)
	err := m.pieces(ctx, func(p piece) error {
		for _, w := range p.weights {
			if first == 0 {
				first = w
			}
			if w != first {
				return errUnequal
			}
		}
		return nil
	})
	if errors.Is(err, errUnequal) {
		return false, nil
	}
	return err == nil, err
}

// loadSmall returns the graph with the edges of the components from number first on. Other
// vertices have no edges in it. Buffers are smaller by its size.
func (r *reader) loadSmall(ctx context.Context, first int) (*csr.Graph, error) {
	if first >= r.components.Count() {
		return r.shape, nil // nobody reads its edges
	}
	if r.small != nil {
		return r.small, nil
	}
	n, small := r.shape.Vertices(), func(v uint32) bool { return int(r.components.Label[v]) >= first }
	g := &csr.Graph{Offsets: make([]int64, n+1)}
	for v := range n {
		g.Offsets[v+1] = g.Offsets[v]
		if small(uint32(v)) {
			g.Offsets[v+1] += int64(r.shape.Degree(uint32(v)))
		}
	}
	entries := g.Offsets[n]
	if need := entries * r.entryBytes(); need > r.bytes/2 {
		return nil, fmt.Errorf("%w: the memory for edges (%d bytes) must be at least %d, twice the edges of the small components, which are loaded together", base.ErrOptions, r.bytes, 2*need)
	}
	g.Targets = make([]uint32, 0, entries)
	if r.weighted {
		g.Weights = make([]float32, 0, entries)
	}
	if entries == 0 {
		r.small = g
		return g, nil
	}
	err := r.each(ctx, func(sources, targets []uint32, weights []float32) error {
		for i, u := range sources {
			if small(u) {
				g.Targets = append(g.Targets, targets[i])
				if r.weighted {
					g.Weights = append(g.Weights, weights[i])
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.small = g
	r.bytes -= entries * r.entryBytes()
	r.stats.Bytes += entries * r.entryBytes()
	return g, nil
}

// each is Each of the lists. It returns an error if they are not those of the first
// reading, as far as the first and last arc of each run and the number of arcs show.
func (r *reader) each(ctx context.Context, f func(sources, targets []uint32, weights []float32) error) error {
	r.stats.Readings++
	n, at, all := r.shape.Vertices(), int64(0), r.shape.Offsets[r.shape.Vertices()]
	changed := func() error {
		return fmt.Errorf("%w: they are not those of the first reading, of %d arcs", ErrLists, all)
	}
	inRow := func(v uint32, at int64) bool {
		return int(v) < n && r.shape.Offsets[v] <= at && at < r.shape.Offsets[v+1]
	}
	err := r.lists.Each(ctx, func(sources, targets []uint32, weights []float32) error {
		count := len(sources)
		if count == 0 {
			return nil
		}
		if len(targets) != count || r.weighted && len(weights) != count || !inRow(sources[0], at) || !inRow(sources[count-1], at+int64(count)-1) {
			return changed()
		}
		at += int64(count)
		return f(sources, targets, weights)
	})
	if err == nil && at != all {
		err = changed()
	}
	return err
}

// read calls use with the entries of a part, in pieces, while the next piece is read.
func (r *reader) read(ctx context.Context, s selection, weighted bool, use func(p piece) error) error {
	r.allocate()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	free, full := make(chan *piece, len(r.buffers)), make(chan *piece)
	for i := range r.buffers {
		free <- &r.buffers[i]
	}
	var failed error // of fill
	go func() {
		defer close(full)
		failed = r.fill(ctx, s, weighted, free, full)
	}()
	var err error // of use
	for p := range full {
		if err == nil {
			filled := *p
			if !weighted {
				filled.weights = nil
			}
			if err = use(filled); err != nil {
				cancel()
			}
		}
		free <- p // there is room for all
	}
	if err != nil {
		return err
	}
	return failed
}

// allocate makes the buffers, once.
func (r *reader) allocate() {
	if r.buffers[0].targets != nil {
		return
	}
	room := min(r.bytes/int64(len(r.buffers))/r.entryBytes(), max(r.shape.Offsets[r.shape.Vertices()], 1))
	for i := range r.buffers {
		r.buffers[i].targets = make([]uint32, 0, room)
		if r.weighted {
			r.buffers[i].weights = make([]float32, 0, room)
		}
	}
	r.stats.Bytes += int64(len(r.buffers)) * room * r.entryBytes()
}

// fill reads the entries of a part into free pieces and sends those that are full, and
// the last one.
func (r *reader) fill(ctx context.Context, s selection, weighted bool, free <-chan *piece, full chan<- *piece) error {
	at := int64(0) // entries of the part
	var p *piece
	take := func() error {
		select {
		case p = <-free:
			p.at, p.targets, p.weights = at, p.targets[:0], p.weights[:0]
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	send := func() error {
		select {
		case full <- p:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := take(); err != nil {
		return err
	}
	var chosen piece // of a run
	err := r.each(ctx, func(sources, targets []uint32, weights []float32) error {
		if !weighted {
			weights = nil
		}
		if err := s.choose(&chosen, sources, targets, weights); err != nil {
			return err
		}
		for targets, weights = chosen.targets, chosen.weights; len(targets) > 0; {
			if len(p.targets) == cap(p.targets) {
				if err := send(); err != nil {
					return err
				}
				if err := take(); err != nil {
					return err
				}
			}
			count := min(len(targets), cap(p.targets)-len(p.targets))
			p.targets, targets = append(p.targets, targets[:count]...), targets[count:]
			if weighted {
				p.weights, weights = append(p.weights, weights[:count]...), weights[count:]
			}
			at += int64(count)
		}
		return nil
	})
	if err != nil || len(p.targets) == 0 {
		return err
	}
	return send()
}
