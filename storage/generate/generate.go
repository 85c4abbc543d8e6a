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
	// Validate reports all faults of the parameters at once. Each is an
	// *OptionError.
	Validate() error
	// Bytes is the memory that Generate takes at its peak, the graph included:
	// an expectation where the number of edges is random. It means nothing for
	// parameters that are not valid.
	Bytes() int64
	// Generate makes the graph. The same parameters give the same graph, on
	// every machine. Progress, if not nil, receives the stage "generating" with how
	// many of its units are done, at most some 20 times a second and from one
	// goroutine; units are vertices of two passes or edges. The error is one of
	// Validate or the plain ctx.Err(), wrapped.
	Generate(ctx context.Context, progress Progress) (*csr.Graph, error)
}

// Progress receives how far Generate is.
type Progress func(stage string, done, total int64)

// maxArcs bounds what is asked of memory: 4 bytes for each of the two arcs of
// an edge. 2^36 arcs are 256 GiB; where an int has 32 bits, slices end earlier.
// Callers with less memory look at Bytes.
const maxArcs = min(1<<36, math.MaxInt/4)

// maxVertices is the most that a graph can have: a vertex is a uint32, and its
// offset takes 8 bytes.
const maxVertices = min(math.MaxUint32, math.MaxInt/16)

// faults collects what is wrong with the options of a model.
type faults struct {
	model string
	list  []error
}

// add adds a fault of an option, or of a part of one.
func (f *faults) add(option, part string, found any, allowed string, args ...any) {
	f.list = append(f.list, &OptionError{f.model, option, part, found, fmt.Sprintf(allowed, args...)})
}

// check adds a fault of an option unless what should hold does.
func (f *faults) check(holds bool, option string, found any, allowed string, args ...any) {
	if !holds {
		f.add(option, "", found, allowed, args...)
	}
}

// vertices checks the number of vertices, and reports whether it can be used.
func (f *faults) vertices(n, least int) bool {
	f.check(n >= least, "n", n, "at least %d", least)
	f.check(n <= maxVertices, "n", n, "at most %d", int64(maxVertices))
	return least <= n && n <= maxVertices
}

// probability checks that an option is one, and reports whether it is.
func (f *faults) probability(option string, p float64) bool { return f.entry(option, "", p) }

// entry is probability for a part of an option.
func (f *faults) entry(option, part string, p float64) bool {
	ok := p >= 0 && p <= 1 // false for NaN
	if !ok {
		f.add(option, part, p, "from 0 to 1")
	}
	return ok
}

// edges checks the number of edges that is expected.
func (f *faults) edges(expected float64) {
	if 2*expected > maxArcs {
		f.add("", "the expected number of edges", fmt.Sprintf("%.4g", expected), "at most %d", int64(maxArcs/2))
	}
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

// room returns the capacity for a binomial number of edges, of which a fraction p
// of all is taken.
func room(all, p float64) int {
	expected := all * p
	return int(min(all, expected+deviations*math.Sqrt(expected*(1-p))+deviations))
}
