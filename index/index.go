package index

import (
	"context"
	"errors"
	"fmt"

	"heavytail/index/internal/base"
)

// Metric is the distance or similarity by which a search ranks.
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
	return 0, fmt.Errorf("metric %q: %w", name, ErrMetric)
}

// MarshalText returns the name, so that a metric is readable in JSON.
func (m Metric) MarshalText() ([]byte, error) {
	if m > Dot {
		return nil, fmt.Errorf("metric %d: %w", uint8(m), ErrMetric)
	}
	return []byte(m.String()), nil
}

// UnmarshalText is the inverse of MarshalText.
func (m *Metric) UnmarshalText(name []byte) (err error) {
	*m, err = ParseMetric(string(name))
	return err
}

// Hit is one result of a search.
type Hit struct {
	Vertex uint32
	// Distance is the Euclidean distance under L2 (the root, not the square),
	// the similarity under Cosine and Dot.
	Distance float32
}

// Vertices returns the vertices of hits, in their order.
func Vertices(hits []Hit) []uint32 {
	list := make([]uint32, len(hits))
	for i, h := range hits {
		list[i] = h.Vertex
	}
	return list
}

// VertexLists returns the vertices of the hits of several queries.
func VertexLists(answers [][]Hit) [][]uint32 {
	lists := make([][]uint32, len(answers))
	for i, hits := range answers {
		lists[i] = Vertices(hits)
	}
	return lists
}

// SearchOptions are common to all searches. The zero value searches all
// vertices with all processors.
type SearchOptions struct {
	// Filter reports whether a vertex may be a result; nil admits all. It
	// applies during the search, so that k admissible results are found where
	// there are k, and is called only for vertices near enough to matter.
	// Several goroutines call it at the same time, and it must always return
	// the same answer for a vertex.
	Filter func(vertex uint32) bool

	// FilterOf is a filter that depends on the query, for [Exact.SearchBatch]: query is a
	// row of the queries. A vertex must pass both. Searches for one query ignore it.
	FilterOf func(query int, vertex uint32) bool

	vertices []uint32   // of Batches.Nearest: the vertices whose vectors are the queries
	sieve    forcedRows // for tests: SearchBatch by a sieve without regard to costs

	// Ef is the number of candidates that a search of an [HNSW] keeps, at
	// least k: a larger Ef finds more of the nearest and takes longer. 0 is
	// the Ef of the index. Exact searches ignore it.
	Ef int

	// GraphOnly makes a search of an HNSW use the graph even where a scan of
	// all vectors is cheaper, to measure the recall of the graph.
	GraphOnly bool

	// Workers is the number of goroutines of a scan; 0 means GOMAXPROCS. Small scans use
	// one, because starting a second costs more than it saves.
	Workers int
}

// check returns an error for a negative number.
func (o *SearchOptions) check() error {
	return errors.Join(base.NotNegative("number of candidates (ef)", o.Ef), base.NotNegative("number of workers", o.Workers))
}

// Index answers nearest-neighbour queries over the rows of one matrix.
type Index interface {
	// Search returns the k nearest admissible vertices, nearest first, ties by
	// vertex. It returns fewer if there are fewer. query has Dim elements.
	// Errors: ErrK, ErrDimension, ErrNotFinite, ErrOption for a negative number, or that of
	// ctx; a nil ctx never ends, in all functions of the package.
	Search(ctx context.Context, query []float32, k int, opts SearchOptions) ([]Hit, error)
	Len() int       // number of vectors
	Dim() int       // their dimension
	Metric() Metric // the measure of nearness
}
