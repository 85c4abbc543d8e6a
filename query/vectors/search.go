package vectors

import (
	"errors"
	"slices"

	"heavytail/index"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
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
	if s.InFile {
		result, err := searchFile(c, s)
		if !errors.Is(err, search.ErrMoved) {
			return result, err
		}
	}
	var l search.LoadedSearch
	if err := c.Consistent(func() (err error) { l, err = search.Load(c, s); return err }); err != nil {
		return SearchResult{}, err
	}
	search.NoticeZero(c, s.Metric, l.Vector)
	hits, err := search.SearchIndex(c, &l.Searcher, s.Scope, l.Vector, l.Options(c, s.Where))
	if err == nil {
		err = orderHits(c, &l, s.Question, hits)
	}
	if err == nil {
		hits, err = search.Checked(c, hits, s.Limit)
	}
	if err != nil {
		return SearchResult{}, err
	}
	search.NoticeFew(c, s, len(hits))
	return searchResult(c, &l.Searcher, hits), nil
}

// orderHits sorts what a search has found as SHOW VERTICES sorts vertices, if it is to be
// sorted.
func orderHits(c *engine.Call, l *search.LoadedSearch, q search.Question, hits []index.Hit) error {
	if q.OrderBy == "" {
		return nil
	}
	order, err := search.VertexOrder(c, l.Space.Graph, l.Columns, q.OrderBy, q.Descending)
	if err == nil {
		slices.SortFunc(hits, func(a, b index.Hit) int { return order(a.Vertex, b.Vertex) })
	}
	return err
}

// searchResult converts the vertices of hits to keys.
func searchResult(c *engine.Call, s *search.Searcher, hits []index.Hit) SearchResult {
	neighbors := lists.Map(hits, func(h index.Hit) Neighbor { return neighbor(s.Metric, s.Space.Graph.Key(h.Vertex), h) })
	state := search.StateOf(s.Space)
	for _, h := range hits {
		if s.Space.Behind > 0 && s.Space.Changed(h.Vertex) {
			state.Changed++
		}
	}
	if state.Changed > 0 {
		c.Notice("%d of the %s shown changed since", state.Changed, fault.Count(int64(len(hits)), "vertex"))
	}
	return SearchResult{Neighbors: neighbors, Metric: s.Metric, Embedding: state, Index: s.Index, Notices: c.Notices}
}

// searchFile answers a search in the file. It returns search.ErrMoved if the graph
// or the embedding has changed since the search was resolved.
func searchFile(c *engine.Call, s search.Search) (SearchResult, error) {
	info, graph := s.Entry.Info, s.Entry.Graph
	result := SearchResult{Metric: s.Metric, Embedding: catalogue.EmbeddingState{Name: info.Name, Generation: info.Generation, GraphVersion: info.GraphVersion}}
	stop := c.Watch.Start(plan.Scan)
	var vector []float32
	how, cost := "", 0
	err := c.DB.Store.ViewRows(c.Ctx, info.Name, func(v *storage.RowView) (err error) {
		if session.EmbeddingKey(v.Info) != session.EmbeddingKey(info) || v.Graph.ID != graph.ID || v.Graph.Version != graph.Version {
			return search.ErrMoved
		}
		var hits []index.Hit
		if hits, vector, how, cost, err = search.HitsInFile(c, v, &s); err != nil {
			return err
		}
		result.Index = s.Index
		if hits, err = search.Checked(c, hits, s.Limit); err != nil {
			return err
		}
		keys, err := v.Keys(index.Vertices(hits))
		for i, key := range keys {
			result.Neighbors = append(result.Neighbors, neighbor(s.Metric, key, hits[i]))
		}
		return err
	})
	if err != nil {
		return SearchResult{}, err
	}
	search.NoticeZero(c, s.Metric, vector)
	search.NoticeFew(c, s, len(result.Neighbors))
	c.DB.Cache.CountScan(session.EmbeddingKey(info), cost)
	stop(int64(len(result.Neighbors)), how)
	result.Notices = c.Notices
	return result, nil
}
