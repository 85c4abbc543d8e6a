package index

import (
	"context"
	"fmt"
)

// Metric is the measure of nearness of a search.
type Metric uint8

const (
	L2     Metric = iota // Euclidean distance, smaller is nearer
	Cosine               // cosine of the angle, larger is nearer
	Dot                  // scalar product, larger is nearer
)

// Metrics returns all metrics in the order of their numbers.
func Metrics() []Metric { return []Metric{L2, Cosine, Dot} }

// String returns the name used in the language: l2, cosine or dot.
func (m Metric) String() string {
	switch m {
	case L2:
		return "l2"
	case Cosine:
		return "cosine"
	case Dot:
		return "dot"
	}
	return fmt.Sprintf("Metric(%d)", uint8(m))
}

// Similarity reports whether larger values are nearer.
func (m Metric) Similarity() bool { return m != L2 }

// ParseMetric is the inverse of String. Any other name is [ErrMetric].
func ParseMetric(name string) (Metric, error) {
	for _, m := range Metrics() {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("index: metric %q: %w", name, ErrMetric)
}

// Hit is one answer of a search.
type Hit struct {
	Vertex uint32
	// Distance is the Euclidean distance under L2 (the root, not the square),
	// the similarity under Cosine and Dot.
	Distance float32
}

// SearchOptions is shared by all searches. The zero value searches all vertices
// with all processors.
type SearchOptions struct {
	// Filter tells which vertices may be answers; nil admits all. It is asked
	// during the search, so that k admissible answers are found where there are
	// k, and only about vertices near enough to matter. It is called from
	// several goroutines at a time and must give the same answer every time.
	Filter func(vertex uint32) bool

	// Ef is how many candidates a search of an [HNSW] keeps, at least k: the more,
	// the more of the nearest it finds and the longer it takes. 0 is the value
	// that the index was built with. Exact searches do not look at it.
	Ef int

	// GraphOnly makes a search of an HNSW stay in its graph even where a scan of
	// all rows is cheaper, to measure what the graph finds.
	GraphOnly bool

	// Workers is the number of goroutines of a scan; 0 means GOMAXPROCS. Small scans use
	// one, because starting a second costs more than it saves.
	Workers int
}

// Index answers nearest-neighbour queries over the rows of one matrix.
type Index interface {
	// Search returns the k nearest admissible vertices, nearest first, ties by
	// vertex. It returns fewer if there are fewer. query has Dim elements.
	// Errors: ErrK, ErrDimension, ErrNotFinite, or that of ctx.
	Search(ctx context.Context, query []float32, k int, opts SearchOptions) ([]Hit, error)
	Len() int       // number of vectors
	Dim() int       // their dimension
	Metric() Metric // the measure of nearness
}

var _ Index = (*Exact)(nil)
