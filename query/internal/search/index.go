package search

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/storage"
)

// IndexFor finds the index that a search of an embedding can use, with many for one of many queries. It returns nil
// if there is none, or if a scan is as fast; slow is whether there is one that takes longer than a scan.
func IndexFor(c *engine.Call, e storage.EmbeddingInfo, metric index.Metric, many bool) (found *storage.IndexInfo, slow bool, err error) {
	if 4*int64(e.Vertices)*int64(e.Dim) < c.DB.Opts.IndexBytes {
		return nil, false, nil
	}
	scanIsFaster := index.ScanIsFaster
	if many {
		scanIsFaster = index.BatchIsFaster
	}
	info, _, err := c.DB.Store.Index(c.Ctx, e, metric.String())
	switch {
	case err == nil && scanIsFaster(info.Vectors, info.Compared) && !c.DB.Opts.GraphOnly:
		return nil, true, nil
	case err == nil:
		return &info, false, nil
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrConflict):
		return nil, false, nil // the loaded vectors have no index
	case errors.Is(err, storage.ErrCorrupt):
		noticeDamage(c, e, err)
		return nil, false, nil
	}
	return nil, false, err
}

// noticeDamage gives a notice that a search could not use the index.
func noticeDamage(c *engine.Call, e storage.EmbeddingInfo, err error) {
	c.Notice("the index of embedding %s cannot be used, so all vectors were scanned: %v; create it again", fault.Name(e.Name), err)
}

// Hnsw loads the index of a space, and returns nil, with a notice, where it is
// damaged or does not fit into memory.
func Hnsw(c *engine.Call, s *session.Space, metric index.Metric, info *storage.IndexInfo) (*index.HNSW, error) {
	key := session.CacheKey{
		Kind: "index", Name: s.Info.Name, ID: uint64(s.Info.Created.UnixNano()), Version: s.Info.Generation,
		Graph: uint64(metric), Made: info.Created.UnixNano(),
	}
	value, hit, err := c.Pin(key, 2*info.Bytes, "the index of embedding "+fault.Name(s.Info.Name), func(ctx context.Context) (any, error) {
		_, r, err := c.DB.Store.Index(ctx, s.Info, metric.String())
		if err != nil {
			return nil, err
		}
		return index.ReadHNSW(bufio.NewReader(r), s.Indexed())
	})
	var limit *fault.LimitError
	switch {
	case err == nil:
		s.IndexHit = hit
		return value.(*index.HNSW), nil
	case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrNotFound):
		c.Notice("the index of embedding %s was dropped during the search, so all vectors were scanned", fault.Name(s.Info.Name))
		return nil, nil
	case errors.Is(err, index.ErrFormat), errors.Is(err, index.ErrMismatch), errors.Is(err, storage.ErrCorrupt), errors.As(err, &limit):
		noticeDamage(c, s.Info, err)
		return nil, nil
	}
	return nil, err
}

// RecallText describes a recall, with the lowest of a single search if it is known.
func RecallText(mean, lowest, poor float64) string {
	return fmt.Sprintf("recall %.4g, lowest %.2g, %.3g %% of queries below 0.5", mean, lowest, 100*poor)
}
