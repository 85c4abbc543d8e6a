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

// Neighbor is one answer of a search.
type Neighbor struct {
	Vertex string  `json:"vertex"`
	Value  float64 `json:"value"` // by which the answers are ordered: the Euclidean distance under index.L2, else the cosine or the dot product
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

	stream *engine.Stream[NearestRow] // of many query vertices, in place of the other fields
}

// NearestRow is one of the vertices nearest to a query vertex.
type NearestRow struct {
	Source string `json:"source"` // the query vertex
	Rank   int    `json:"rank"`   // 1 is the nearest
	Neighbor
}

func (r SearchResult) rows() *rows.Rows {
	return cells.RowsOf([]string{"vertex", measureName(r.Metric)}, lists.Map(r.Neighbors, func(n Neighbor) []rows.Value {
		return []rows.Value{n.Vertex, n.Value}
	}))
}

// measureName is the column of the number that a search under a metric is ordered by.
func measureName(m index.Metric) string {
	if m.Similarity() {
		return "similarity"
	}
	return "distance"
}

func find(c *engine.Call, s search.Search) (SearchResult, error) {
	f, err := search.Run(c, s)
	if err != nil {
		return SearchResult{}, err
	}
	neighbors := make([]Neighbor, len(f.Hits))
	for i, h := range f.Hits {
		neighbors[i] = Neighbor{f.Keys[i], float64(h.Distance)}
	}
	return SearchResult{Neighbors: neighbors, Metric: s.Metric, Embedding: f.State, Index: f.Index, Notices: c.Notices}, nil
}
