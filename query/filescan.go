package query

import (
	"errors"
	"slices"

	"heavytail/index"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/storage"
)

// This file answers searches by a scan of the vectors in the file, so that the first
// answers after opening a file need not wait until the vectors and the graph are
// loaded.

// errMoved ends a search in the file if the file by now has a different version
// of the graph or generation of the embedding.
var errMoved = errors.New("the embedding or its graph was replaced")

// searchFile answers a search in the file. It returns errMoved if the graph
// or the embedding has changed since the search was resolved.
func (c *call) searchFile(s search) (SearchResult, error) {
	info, graph := s.entry.Info, s.entry.Graph
	result := SearchResult{Metric: s.metric, Embedding: EmbeddingState{Name: info.Name, Generation: info.Generation, GraphVersion: info.GraphVersion}}
	stop := c.Watch.Start(plan.Scan)
	var vector []float32
	err := c.db.store.ViewRows(c.Ctx, info.Name, func(v *storage.RowView) (err error) {
		if session.EmbeddingKey(v.Info) != session.EmbeddingKey(info) || v.Graph.ID != graph.ID || v.Graph.Version != graph.Version {
			return errMoved
		}
		opts := index.SearchOptions{Workers: c.fileWorkers(info)}
		if vector, opts.Filter, err = s.aimFile(v); err != nil {
			return err
		}
		x, err := s.fileScan(s.metric, info.Dim, info.Vertices, vector, opts)
		if err != nil {
			return err
		}
		if err := v.Scan(opts.Workers, x.Add); err != nil {
			return err
		}
		hits, err := c.checked(x.Hits(), s.limit)
		if err != nil {
			return err
		}
		vertices := make([]uint32, len(hits))
		for i, h := range hits {
			vertices[i] = h.Vertex
		}
		keys, err := v.Keys(vertices)
		for i, key := range keys {
			result.Neighbors = append(result.Neighbors, neighbor(s.metric, key, hits[i]))
		}
		return err
	})
	if err != nil {
		return SearchResult{}, err
	}
	c.noticeZero(s.metric, vector)
	c.noticeFew(s, len(result.Neighbors))
	c.db.cache.CountScan(session.EmbeddingKey(info))
	stop(int64(len(result.Neighbors)), scanned(info.Vertices)+" in the file")
	result.Notices = c.Notices
	return result, nil
}

// aimFile returns the query vector of a search in the file, and the filter of its
// vertices; nil admits all. A condition of such a search reads only linked, so the
// neighbours of the query vertex decide it, and the graph is not loaded.
func (s search) aimFile(v *storage.RowView) (vector []float32, filter func(uint32) bool, err error) {
	admits := func(linked bool) bool { return s.where == nil || s.where(Candidate{Linked: linked}) }
	linked, others := admits(true), admits(false)
	if len(s.vertices) == 0 {
		if !others {
			filter = func(uint32) bool { return false }
		}
		return s.vector, filter, nil
	}
	vertex, err := v.Vertex(s.vertices[0])
	if err != nil {
		return nil, nil, err
	}
	if vector, err = v.Row(vertex); err != nil {
		return nil, nil, err
	}
	var neighbors []uint32 // not needed if they are treated as all others
	if linked != others {
		if neighbors, err = v.Neighbors(vertex); err != nil {
			return nil, nil, err
		}
	}
	return vector, func(u uint32) bool {
		if u == vertex {
			return false
		}
		if _, found := slices.BinarySearch(neighbors, u); found {
			return linked
		}
		return others
	}, nil
}

// fileWorkers is the number of goroutines that scan an embedding in the file:
// one for less than half a megabyte, because waking a second goroutine would
// take as long as the scan.
func (c *call) fileWorkers(info storage.EmbeddingInfo) int {
	if session.VectorBytes(info.Vertices, info.Dim) < 1<<19 {
		return 1
	}
	return c.db.opts.Workers
}
