package generate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"heavytail/storage/csr"
)

// Model is a random graph with its parameters.
type Model interface {
	// Validate reports all faults of the parameters at once. Each wraps
	// ErrOptions.
	Validate() error
	// Bytes is the memory that Generate takes at its peak, the graph included:
	// an expectation where the number of edges is random. It means nothing for
	// parameters that are not valid.
	Bytes() int64
	// Generate makes the graph. The same parameters give the same graph, on
	// every machine. Progress, if not nil, hears of the stage "generating" how
	// many of its units are done, at most some 20 times a second and from one
	// goroutine; units are vertices of two passes or edges. The error is one of
	// Validate or the plain ctx.Err(), wrapped.
	Generate(ctx context.Context, progress Progress) (*csr.Graph, error)
}

// Progress is told how far Generate is.
type Progress func(stage string, done, total int64)

var (
	_ Model = PreferentialAttachment{}
	_ Model = Vazquez{}
	_ Model = ErdosRenyi{}
	_ Model = StochasticBlock{}
	_ Model = WattsStrogatz{}
)

// maxArcs bounds what is asked of memory: 4 bytes for each of the two arcs of
// an edge. 2^36 arcs are 256 GiB; where an int has 32 bits, slices end earlier.
// Callers with less memory look at Bytes.
const maxArcs = min(1<<36, math.MaxInt/4)

// maxVertices is the most that a graph can have: a vertex is a uint32, and its
// offset takes 8 bytes.
const maxVertices = min(math.MaxUint32, math.MaxInt/16)

// faults collects what is wrong with the parameters of a model.
type faults struct {
	model string
	list  []error
}

func (f *faults) add(format string, args ...any) {
	f.list = append(f.list, fmt.Errorf("%w: %s: "+format, append([]any{ErrOptions, f.model}, args...)...))
}

// check adds a fault unless what should hold does.
func (f *faults) check(holds bool, format string, args ...any) {
	if !holds {
		f.add(format, args...)
	}
}

// vertices checks the number of vertices and tells whether it can be used.
func (f *faults) vertices(n, least int) bool {
	switch {
	case n < least:
		f.add("n (%d) must be at least %d", n, least)
	case n > maxVertices:
		f.add("n (%d) exceeds the %d vertices of a graph", n, int64(maxVertices))
	default:
		return true
	}
	return false
}

// probability checks that p is one, and tells whether it is.
func (f *faults) probability(name string, p float64) bool {
	ok := p >= 0 && p <= 1 // false for NaN
	f.check(ok, "%s (%v) must be from 0 to 1", name, p)
	return ok
}

// edges checks the number of edges that is expected.
func (f *faults) edges(expected float64) {
	f.check(2*expected <= maxArcs, "about %.4g edges are asked for, the most are %d", expected, int64(maxArcs/2))
}

func (f *faults) err() error { return errors.Join(f.list...) }

// bytesOf is the memory of a model with the given bytes per vertex and edge. It
// does not overflow for parameters that are valid.
func bytesOf(n int, edges, perVertex, perEdge float64) int64 {
	return int64(perVertex*float64(n) + perEdge*edges)
}

// pairs returns the number of pairs of n vertices.
func pairs(n int) float64 { return float64(n) * (float64(n) - 1) / 2 }

// deviations is how many standard deviations above the expected number of edges
// there is room for before a slice has to grow.
const deviations = 6

// room returns the capacity for a binomial number of edges, of which a share p
// of all is taken.
func room(all, p float64) int {
	expected := all * p
	return int(min(all, expected+deviations*math.Sqrt(expected*(1-p))+deviations))
}
