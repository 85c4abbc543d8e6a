package spectral

import (
	"context"
	"fmt"

	"heavytail/embedding/internal/base"
	"heavytail/storage/vec"
)

// MinListBytes is the least that SolveLists takes for edges in memory.
const MinListBytes = 1 << 10

// SolveLists is [Solve] for a graph whose edges are not in memory, with the same result, bit
// for bit. At most bytes bytes of edges are in memory at a time: one buffer that is
// multiplied while another one is filled. An entry takes 4 bytes, or 8 with weights, and an
// edge has two entries. A row that does not fit into a buffer, or that two buffers divide,
// is summed piece by piece in the order of its entries.
//
// What depends on the vertices stays in memory: the solver as Solve has it, and 20 bytes for
// each vertex, 8 of which are the offsets of the rows. So this saves much memory only for
// graphs with hundreds of edges per vertex.
//
// The largest component, and others of at least 2,000 vertices, are solved by reading
// all lists and leaving out other vertices. Smaller components are loaded together, and must
// fit into half of bytes.
//
// Errors are those of Solve and of Lists.Each, ErrLists, and ErrOptions if bytes is less than
// MinListBytes or too little for the small components.
func SolveLists(ctx context.Context, lists Lists, bytes int64, method string, opts Options) (*Eigenpairs, ListStats, error) {
	if err := opts.Validate(); err != nil {
		return nil, ListStats{}, err
	}
	if bytes < MinListBytes {
		return nil, ListStats{}, fmt.Errorf("%w: the memory for edges (%d bytes) must be at least %d", base.ErrOptions, bytes, MinListBytes)
	}
	r, err := newReader(ctx, lists, bytes, opts)
	if err != nil {
		return nil, ListStats{}, err
	}
	e, err := solveInput(ctx, input{g: r.shape, from: r}, method, opts)
	return e, r.stats, err
}

// EmbedLists is [Embed] for a graph whose edges are not in memory; see SolveLists.
func EmbedLists(ctx context.Context, lists Lists, bytes int64, method string, opts Options) (*vec.Matrix, *State, Stats, ListStats, error) {
	e, read, err := SolveLists(ctx, lists, bytes, method, opts)
	if err != nil {
		return nil, nil, Stats{}, read, err
	}
	opts = opts.WithDefaults(method)
	m, state := e.Embed(*opts.Scale, *opts.RowScale)
	return m, state, e.Stats, read, nil
}
