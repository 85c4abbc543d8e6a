package vectors

import (
	"heavytail/index"
	"heavytail/query/catalogue"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/search"
	"heavytail/query/rows"
	"heavytail/storage"
)

// Neighbor is one answer of a search. The metric of the search decides which of
// the two numbers is set and orders the answers; the other one is 0.
type Neighbor struct {
	Vertex     string  `json:"vertex"`
	Distance   float64 `json:"distance"`   // the Euclidean distance, under index.L2
	Similarity float64 `json:"similarity"` // the cosine or the dot product, under index.Cosine and index.Dot
}

// SearchResult is the answer of Nearest and Within: the nearest vertex first,
// ties in the order in which the vertices came into the graph.
type SearchResult struct {
	Neighbors []Neighbor               `json:"neighbors"`
	Metric    index.Metric             `json:"metric"`
	Embedding catalogue.EmbeddingState `json:"embedding"` // the vectors that were searched
	// Index is the index that was searched; nil if all vectors were scanned,
	// so that the answer is exact.
	Index   *storage.IndexInfo `json:"index,omitempty"`
	Notices []rows.Notice      `json:"notices,omitempty"`
}

func (r SearchResult) rows() *rows.Rows {
	return cells.RowsOf([]string{"vertex", measureName(r.Metric)}, lists.Map(r.Neighbors, func(n Neighbor) []rows.Value {
		return []rows.Value{n.Vertex, n.By(r.Metric)}
	}))
}

// measureName is the column of the number that a search under a metric is ordered by.
func measureName(m index.Metric) string {
	if m.Similarity() {
		return "similarity"
	}
	return "distance"
}

// By is the number that a search under a metric is ordered by.
func (n Neighbor) By(m index.Metric) float64 {
	if m.Similarity() {
		return n.Similarity
	}
	return n.Distance
}

func neighbor(metric index.Metric, vertex string, h index.Hit) Neighbor {
	if metric.Similarity() {
		return Neighbor{Vertex: vertex, Similarity: float64(h.Distance)}
	}
	return Neighbor{Vertex: vertex, Distance: float64(h.Distance)}
}

func find(c *engine.Call, s search.Search) (SearchResult, error) {
	f, err := search.Run(c, s)
	if err != nil {
		return SearchResult{}, err
	}
	neighbors := make([]Neighbor, len(f.Hits))
	for i, h := range f.Hits {
		neighbors[i] = neighbor(s.Metric, f.Keys[i], h)
	}
	return SearchResult{Neighbors: neighbors, Metric: s.Metric, Embedding: f.State, Index: f.Index, Notices: c.Notices}, nil
}
