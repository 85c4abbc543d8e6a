package query

import (
	"errors"
	"fmt"
	"slices"

	"heavytail/index"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/storage"
)

// This file answers searches by an index in the file or by a scan of the vectors in the
// file, so that the first answers after opening a file need not wait until the vectors,
// the index and the graph are loaded.

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
	how, cost := "", 0
	err := c.db.store.ViewRows(c.Ctx, info.Name, func(v *storage.RowView) (err error) {
		if session.EmbeddingKey(v.Info) != session.EmbeddingKey(info) || v.Graph.ID != graph.ID || v.Graph.Version != graph.Version {
			return errMoved
		}
		opts := index.SearchOptions{Workers: c.fileWorkers(info)}
		degrees := fileDegrees{view: v}
		if vector, opts.Filter, err = s.aimFile(v, &degrees); err != nil {
			return err
		}
		var hits []index.Hit
		if s.index != nil {
			if hits, how, err = c.searchPlace(v, &s, vector, opts); err == nil {
				err = degrees.err
			}
			if err != nil {
				return err
			}
			if s.index == nil && s.readsDegrees() { // a scan would read those of all vertices
				return errMoved
			}
			cost = 1
		}
		if result.Index = s.index; s.index == nil {
			x, err := s.fileScan(s.metric, info.Dim, info.Vertices, vector, opts)
			if err != nil {
				return err
			}
			if err := v.Scan(opts.Workers, x.Add); err != nil {
				return err
			}
			hits, how, cost = x.Hits(), scanned(info.Vertices)+" in the file"+how, scanCost
		}
		if hits, err = c.checked(hits, s.limit); err != nil {
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
	c.db.cache.CountScan(session.EmbeddingKey(info), cost)
	stop(int64(len(result.Neighbors)), how)
	result.Notices = c.Notices
	return result, nil
}

// searchPlace answers a search by its index in the file, and describes it for PROFILE. It
// sets s.index to nil if the vectors must be scanned instead; then it describes why.
func (c *call) searchPlace(v *storage.RowView, s *search, vector []float32, opts index.SearchOptions) (hits []index.Hit, how string, err error) {
	info := s.index
	s.index = nil
	opts.GraphOnly = c.db.opts.graphOnly
	stream, err := v.Index(s.metric.String())
	if errors.Is(err, storage.ErrNotFound) {
		return nil, "", nil // dropped since the search was resolved
	}
	var a index.Answer
	if err == nil {
		var x *index.View
		if x, err = index.NewView(stream, stream.Info.Bytes, v.Info.Dim, v.Info.Vertices, v.ReadRow); err == nil {
			a, err = s.walk(c.Ctx, x, vector, opts)
		}
	}
	switch {
	case errors.Is(err, index.ErrFormat), errors.Is(err, index.ErrMismatch), errors.Is(err, storage.ErrCorrupt):
		c.noticeDamage(v.Info, err)
		return nil, "", nil
	case err != nil:
		return nil, "", err
	case a.Exact != "":
		return nil, ", as " + a.Exact, nil
	}
	s.index = info
	how = fmt.Sprintf("%d of %s compared at ef %d, %s, index in the file", a.Scored, fault.Count(int64(stream.Info.Vectors), "vector"), a.Ef,
		recallText(info.Recall, info.Spread, info.Lowest, info.Poor))
	return a.Hits, how, nil
}

// aimFile returns the query vector of a search in the file, and the filter of its
// vertices; nil admits all. A condition of such a search reads only linked, which the
// neighbours of the query vertex decide, and degrees, so that the graph is not loaded.
func (s search) aimFile(v *storage.RowView, degrees *fileDegrees) (vector []float32, filter func(uint32) bool, err error) {
	admits := func(linked bool) bool { return s.where == nil || s.where(Candidate{Linked: linked}) }
	linked, others := admits(true), admits(false)
	if len(s.vertices) == 0 {
		if s.readsDegrees() {
			filter = func(u uint32) bool { return s.where(Candidate{Degree: degrees.of(u)}) }
		} else if !others {
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
	if linked != others || s.readsDegrees() {
		if neighbors, err = v.Neighbors(vertex); err != nil {
			return nil, nil, err
		}
	}
	return vector, func(u uint32) bool {
		if u == vertex {
			return false
		}
		_, found := slices.BinarySearch(neighbors, u)
		switch {
		case s.readsDegrees():
			return s.where(Candidate{Degree: degrees.of(u), Linked: found})
		case found:
			return linked
		}
		return others
	}, nil
}

// fileDegrees reads degrees in the file.
type fileDegrees struct {
	view *storage.RowView
	err  error // the first error; after it nothing more is read
}

// of returns the degree of a vertex, or 0 after an error.
func (d *fileDegrees) of(u uint32) int {
	if d.err != nil {
		return 0
	}
	var neighbors []uint32
	neighbors, d.err = d.view.Neighbors(u)
	return len(neighbors)
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
