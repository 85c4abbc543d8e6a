package query

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/index"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// This file is CREATE INDEX, DROP INDEX and SHOW INDEXES, and finds the index
// that a search uses.

// How the recall of an index is measured, and how much of it is asked for where
// ef is not given.
const (
	recallK       = 10
	recallQueries = 100
	recallWanted  = 0.99
)

// CreateIndexRequest asks for an index of the vectors of an embedding, which
// makes NEAREST and WITHIN faster and may miss some of their answers. Zeros are
// the defaults of index.HNSWOptions, but for Ef.
type CreateIndexRequest struct {
	Embedding      string
	Metric         index.Metric // searches by other metrics do not use it
	M              int
	EfConstruction int
	// Ef is how many candidates a search keeps. 0 is the least power of two from
	// 16 to 512 with which searches find 99 % of the 10 nearest.
	Ef   int
	Seed uint64
}

// IndexInfo describes an index. Recall is the share of the 10 nearest vertices
// that searches with its ef found when it was built, as the mean over 100 of the
// vectors.
type IndexInfo = storage.IndexInfo

// CreateIndex builds an index and stores it beside the embedding; one of the
// same metric is replaced. It belongs to the vectors as they are: vertices that are
// deleted later are left out of answers, when the embedding is refreshed the index
// follows, and when it is computed again it goes.
func (db *DB) CreateIndex(ctx context.Context, req CreateIndexRequest) (IndexInfo, error) {
	c, err := db.begin(ctx, "CREATE INDEX")
	if err != nil {
		return IndexInfo{}, err
	}
	defer c.end()
	info, err := c.createIndex(req)
	return info, c.wrap(err)
}

// DropIndex removes all indexes of an embedding.
func (db *DB) DropIndex(ctx context.Context, embedding string) error {
	c, err := db.begin(ctx, "DROP INDEX")
	if err != nil {
		return err
	}
	defer c.end()
	return c.wrap(c.dropIndex(embedding))
}

// Indexes lists the indexes of the file by embedding and metric. One whose entry is
// damaged is left out, with a notice.
func (db *DB) Indexes(ctx context.Context) ([]IndexInfo, error) {
	c, err := db.begin(ctx, "SHOW INDEXES")
	if err != nil {
		return nil, err
	}
	defer c.end()
	list, err := c.indexes()
	return list, c.wrap(err)
}

func (c *call) indexes() ([]IndexInfo, error) {
	list, err := c.db.store.Indexes(c.ctx, "")
	if errors.Is(err, storage.ErrCorrupt) && c.ctx.Err() == nil {
		c.notice("an index is not listed, and DROP INDEX or CREATE INDEX replaces it: %v", plainly(err))
		err = nil
	}
	return list, err
}

// options returns the parameters of an index.
func (r CreateIndexRequest) options() index.HNSWOptions {
	return index.HNSWOptions{M: r.M, EfConstruction: r.EfConstruction, Ef: r.Ef, Seed: r.Seed}
}

// resolveCreateIndex checks a request.
func (c *call) resolveCreateIndex(req CreateIndexRequest) (storage.EmbeddingInfo, error) {
	if err := c.writable(); err != nil {
		return storage.EmbeddingInfo{}, err
	}
	info, err := c.embeddingInfo(req.Embedding, partEmbedding)
	if err != nil {
		return info, err
	}
	if info.Vertices == 0 {
		return info, mistake(partEmbedding, "embedding %s has no vectors", name(req.Embedding))
	}
	if req.Metric > index.Dot {
		return info, mistake(partMetric, "unknown metric %d", req.Metric)
	}
	if err := req.options().Validate(); err != nil {
		e := mistake(partEmbedding, "%v", err)
		e.Err = err
		return info, e
	}
	return info, nil
}

func (c *call) createIndex(req CreateIndexRequest) (IndexInfo, error) {
	info, err := c.resolveCreateIndex(req)
	if err != nil {
		return IndexInfo{}, err
	}
	var result IndexInfo
	err = c.asJob(indexSpec(req, info), func(embeddings.Checkpoints) (err error) {
		result, err = c.storeIndex(req)
		return err
	})
	return result, err
}

// storeIndex builds an index and stores it.
func (c *call) storeIndex(req CreateIndexRequest) (IndexInfo, error) {
	v, _, _, err := c.vectors(req.Embedding, partEmbedding)
	if err != nil {
		return IndexInfo{}, err
	}
	opts := req.options()
	began := time.Now()
	stop := c.watch.start(stepSolve)
	opts.Workers, opts.Progress = c.workers(), c.meter.update
	h, err := index.NewHNSW(c.ctx, v.matrix, req.Metric, opts)
	if err != nil {
		return IndexInfo{}, err
	}
	recall, err := measureRecall(c.ctx, h, req.Ef)
	if err != nil {
		return IndexInfo{}, err
	}
	stop(int64(h.Live()), fmt.Sprintf("recall %.4f", recall))
	c.jobResult("recall %.4f", recall)
	n := newIndex(h, recall, time.Since(began))
	defer c.watch.start(stepStore)(int64(h.Live()), "")
	return c.db.store.PutIndex(c.ctx, v.info, n.Info, n.Write)
}

// checkDropIndex refuses to drop what is not there.
func (c *call) checkDropIndex(embedding string) error {
	if err := c.writable(); err != nil {
		return err
	}
	if _, err := c.embeddingInfo(embedding, partEmbedding); err != nil {
		return err
	}
	list, err := c.db.store.Indexes(c.ctx, embedding)
	if err == nil && len(list) == 0 {
		e := mistake(partEmbedding, "embedding %s has no index", name(embedding))
		e.Err = &storage.NotFoundError{Kind: "index of embedding", Name: embedding}
		return e
	}
	if errors.Is(err, storage.ErrCorrupt) {
		return nil // what is damaged can still be dropped
	}
	return err
}

func (c *call) dropIndex(embedding string) error {
	if err := c.checkDropIndex(embedding); err != nil {
		return err
	}
	_, err := c.db.store.DropIndexes(c.ctx, embedding, "")
	return err
}

// indexFor finds the index that a search of a space can use, and returns nil where
// there is none, or where a scan is as fast.
func (c *call) indexFor(s *space, metric index.Metric) (*storage.IndexInfo, error) {
	if 4*int64(len(s.matrix.Data)) < c.db.opts.IndexBytes {
		return nil, nil
	}
	info, _, err := c.db.store.Index(c.ctx, s.info, metric.String())
	switch {
	case err == nil:
		return &info, nil
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrConflict):
		return nil, nil // of the vectors at hand there is none
	case errors.Is(err, storage.ErrCorrupt):
		c.noticeDamage(s, err)
		return nil, nil
	}
	return nil, err
}

// noticeDamage says that a search goes without its index.
func (c *call) noticeDamage(s *space, err error) {
	c.notice("the index of embedding %s cannot be used, so all vectors were scanned: %v; create it again", name(s.info.Name), err)
}

// hnsw loads the index of a space, and returns nil, with a notice, where it is
// damaged or does not fit into memory.
func (c *call) hnsw(s *space, metric index.Metric, info *storage.IndexInfo) (*index.HNSW, error) {
	key := cacheKey{
		kind: "index", name: s.info.Name, id: uint64(s.info.Created.UnixNano()), version: s.info.Generation,
		graph: uint64(metric), made: info.Created.UnixNano(),
	}
	value, hit, err := c.hold(key, 2*info.Bytes, "the index of embedding "+name(s.info.Name), func(ctx context.Context) (any, error) {
		_, r, err := c.db.store.Index(ctx, s.info, metric.String())
		if err != nil {
			return nil, err
		}
		return index.ReadHNSW(bufio.NewReader(r), s.indexed())
	})
	var limit *LimitError
	switch {
	case err == nil:
		s.indexHit = hit
		return value.(*index.HNSW), nil
	case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrNotFound):
		c.notice("the index of embedding %s was dropped meanwhile, so all vectors were scanned", name(s.info.Name))
		return nil, nil
	case errors.Is(err, index.ErrFormat), errors.Is(err, index.ErrMismatch), errors.Is(err, storage.ErrCorrupt), errors.As(err, &limit):
		c.noticeDamage(s, err)
		return nil, nil
	}
	return nil, err
}

// indexed returns the rows that an index of the space is of: those stored, also
// where vertices were deleted since.
func (m *matched) indexed() *vec.Matrix {
	if m.stored != nil {
		return m.stored.matrix
	}
	return m.matrix
}

// inRows makes options of a search among vertices those of one among the rows of
// an index, where these differ: rows of deleted vertices are no answers.
func (m *matched) inRows(opts index.SearchOptions) index.SearchOptions {
	if m.stored == nil {
		return opts
	}
	filter := opts.Filter
	opts.Filter = func(row uint32) bool {
		v := m.vertices[row]
		return v != storage.NoRow && (filter == nil || filter(v))
	}
	return opts
}

// toVertices turns the rows that such a search found into vertices. Both have the
// same order, so that ties remain where they are.
func (m *matched) toVertices(hits []index.Hit) {
	if m.stored == nil {
		return
	}
	for i, h := range hits {
		hits[i].Vertex = m.vertices[h.Vertex]
	}
}

// deleted counts the rows of an index whose vertices are no longer there.
func (m *matched) deleted() int { return m.indexed().Rows - m.matrix.Rows }
