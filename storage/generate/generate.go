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
	// Bytes is the peak memory of Generate including the graph; the expected value if the number of
	// edges is random. It is undefined for invalid parameters.
	Bytes() int64
	// Generate makes the graph. The same parameters give the same graph, on every machine.
	// Progress, if not nil, receives the stage "generating" and the number of units done, about 20
	// times a second at most and from one goroutine. A unit is a vertex of one of two passes, or an
	// edge. The error wraps an error of Validate or ctx.Err().
	Generate(ctx context.Context, progress Progress) (*csr.Graph, error)
}

// Progress receives the progress of Generate.
type Progress func(stage string, done, total int64)

// maxArcs limits the memory of a graph: each edge has two arcs of 4 bytes. 2^36 arcs take 256 GiB;
// the limit is lower if an int has 32 bits. Callers with less memory check Bytes.
const maxArcs = min(1<<36, math.MaxInt/4)

// maxVertices is the largest number of vertices: a vertex is a uint32, and its offset takes 8
// bytes.
const maxVertices = min(math.MaxUint32, math.MaxInt/16)

// faults collects the faults of the options of a model.
type faults struct {
	model string
	list  []error
}

// add adds a fault of an option, or of a part of one.
func (f *faults) add(option, part string, found any, allowed string, args ...any) {
	f.list = append(f.list, &OptionError{f.model, option, part, found, fmt.Sprintf(allowed, args...)})
}

// check adds a fault of an option if a condition does not hold.
func (f *faults) check(holds bool, option string, found any, allowed string, args ...any) {
	if !holds {
		f.add(option, "", found, allowed, args...)
	}
}

// vertices checks the number of vertices and reports whether it is valid.
func (f *faults) vertices(n, least int) bool {
	f.check(n >= least, "n", n, "at least %d", least)
	f.check(n <= maxVertices, "n", n, "at most %d", int64(maxVertices))
	return least <= n && n <= maxVertices
}

// probability checks that an option is a probability, and reports whether it is.
func (f *faults) probability(option string, p float64) bool { return f.entry(option, "", p) }

// entry checks a part of an option as probability does a whole option.
func (f *faults) entry(option, part string, p float64) bool {
	ok := p >= 0 && p <= 1 // false for NaN
	if !ok {
		f.add(option, part, p, "from 0 to 1")
	}
	return ok
}

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

// edgeSetBytes is the memory of a [csr.EdgeSet] for each edge.
const edgeSetBytes = 12

func pairs(n int) float64 { return float64(n) * (float64(n) - 1) / 2 }

// deviations is the number of standard deviations above the expected number of edges that a slice
// has room for before it grows.
const deviations = 6

// room returns the capacity for a binomial number of edges: each pair is an edge with probability
// p.
func room(all, p float64) int {
	expected := all * p
	return int(min(all, expected+deviations*math.Sqrt(expected*(1-p))+deviations))
}
