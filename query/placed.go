package query

import (
	"errors"

	"heavytail/index"
	"heavytail/storage"
)

// This file answers searches from rows where they lie in the file, so that the
// first answers after opening a file wait neither for the vectors nor for the
// graph to be loaded.

// placedScans is how many searches read an embedding in the file before it is
// loaded. On 60,000 vectors of 200 dimensions loading takes as long as 15 scans in
// the file, and a scan in memory is a little faster: so whoever searches once does
// not wait, and whoever searches often has lost at most half.
const placedScans = 16

// placed resolves a search that can be answered in the file: a plain one, of an
// embedding that is not in memory and as new as its graph, without an index. It
// returns nil for others, and where a name is wrong, which is explained elsewhere.
func (c *call) placed(embedding string, metric index.Metric, vertex string, vector []float32, exact bool) (*search, error) {
	if c.spaces[embedding] != nil || (vector == nil) == (vertex == "") {
		return nil, nil
	}
	info, err := c.embeddingInfo(embedding, partEmbedding)
	if err != nil || info.Vertices == 0 || info.Dim == 0 {
		return nil, err
	}
	key := embeddingKey(info)
	bytes := vectorBytes(info.Vertices, info.Dim)
	if bytes <= c.db.cache.limit && c.db.cache.keep && !c.db.cache.fewScans(key, placedScans) {
		return nil, nil
	}
	if !exact && bytes >= c.db.opts.IndexBytes {
		if _, _, err := c.db.store.Index(c.ctx, info, metric.String()); !errors.Is(err, storage.ErrNotFound) {
			return nil, nil
		}
	}
	graph, err := c.db.store.Graph(c.ctx, info.Graph)
	if err != nil || graph.ID != info.GraphID || graph.Version != info.GraphVersion {
		return nil, nil
	}
	s := &search{metric: metric, vector: vector, byKey: vector == nil, key: vertex, placed: true}
	s.space = &space{
		matched: &matched{vectors: newVectors(info, nil)},
		graph:   &graphView{Snapshot: &storage.Snapshot{Info: graph}},
	}
	if s.byKey {
		_, err := c.db.store.VertexID(c.ctx, info.Graph, vertex)
		if errors.Is(err, storage.ErrNotFound) {
			return nil, nil
		}
		return s, err
	}
	return s, s.space.checkVector(vector, partVector)
}

// errMoved ends a search in the file that has found another version of the graph
// or generation of the embedding there.
var errMoved = errors.New("the embedding or its graph was replaced")

// runPlaced answers a search in the file. It is errMoved where what it was resolved
// with is not what the file has now.
func (c *call) runPlaced(s *search, scan func(vector []float32, opts index.SearchOptions) (*index.Scan, error)) (SearchResult, error) {
	result := SearchResult{Metric: s.metric}
	info, graph := s.space.info, s.space.graph.Info
	stop := c.watch.start(stepScan)
	var hits []index.Hit
	err := c.db.store.ViewRows(c.ctx, info.Name, func(v *storage.RowView) (err error) {
		if v.Info.Generation != info.Generation || !v.Info.Created.Equal(info.Created) ||
			v.Graph.ID != graph.ID || v.Graph.Version != graph.Version {
			return errMoved
		}
		opts := index.SearchOptions{Workers: c.placedWorkers(info)}
		if s.byKey {
			if s.vertex, err = v.Vertex(s.key); err != nil {
				return err
			}
			if s.vector, err = v.Row(s.vertex); err != nil {
				return err
			}
			opts.Filter = func(u uint32) bool { return u != s.vertex }
		}
		x, err := scan(s.vector, opts)
		if err != nil {
			return err
		}
		if err := v.Scan(opts.Workers, x.Add); err != nil {
			return err
		}
		if hits, err = c.checked(x.Hits(), s.limit); err != nil {
			return err
		}
		vertices := make([]uint32, len(hits))
		for i, h := range hits {
			vertices[i] = h.Vertex
		}
		keys, err := v.Keys(vertices)
		for i, key := range keys {
			result.Neighbors = append(result.Neighbors, Neighbor{Vertex: key, Distance: float64(hits[i].Distance)})
		}
		return err
	})
	if err != nil {
		return SearchResult{}, err
	}
	c.noticeZero(s)
	c.db.cache.countScan(embeddingKey(info))
	stop(int64(len(hits)), s.scanned()+" in the file")
	result.Embedding = s.space.state()
	return result, nil
}

// placedWorkers is how many goroutines scan an embedding in the file: below half a
// megabyte it takes as long to wake a second one.
func (c *call) placedWorkers(info storage.EmbeddingInfo) int {
	if vectorBytes(info.Vertices, info.Dim) < 1<<19 {
		return 1
	}
	return c.db.opts.Workers
}

// embeddingKey is the key of the vectors of an embedding in the cache.
func embeddingKey(info storage.EmbeddingInfo) cacheKey {
	return cacheKey{kind: "embedding", name: info.Name, id: uint64(info.Created.UnixNano()), version: info.Generation}
}
