package query

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/index"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/job"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file has CREATE INDEX, DROP INDEX and the list of SHOW INDEXES, and finds the
// index that a search uses.

// CreateIndexRequest asks for an index of the vectors of an embedding, which
// makes NEAREST and WITHIN faster and may miss some of their answers. Zeros are
// the defaults of index.HNSWOptions, but for Ef.
type CreateIndexRequest struct {
	Embedding      string
	Metric         index.Metric // only searches with this metric use the index
	M              int
	EfConstruction int
	// Ef is the number of candidates that a search keeps. 0 chooses the smallest
	// power of two from 16 to 512 with which searches find 99 % of the 10
	// nearest.
	Ef   int
	Seed uint64
}

// IndexInfo describes an index. Recall is the fraction of the 10 nearest vertices that
// searches with its ef found when it was built, as the mean over 100 of the vectors;
// Lowest is the fraction that the worst of these searches found, and Poor the fraction
// of these searches that found less than half.
type IndexInfo = storage.IndexInfo

var createIndex = &statement[*parser.CreateIndex, CreateIndexRequest, storage.EmbeddingInfo, IndexInfo]{
	help: Help{
		Statement: "CREATE INDEX", Syntax: "CREATE INDEX ON embedding [WITH (option := value, …)] [IN BACKGROUND]",
		Summary: "builds an index (HNSW) of the vectors, used by NEAREST and WITHIN for large embeddings (from Options.IndexBytes); recall is the fraction of the 10 nearest that it finds, the mean over searches for 100 of the vectors; lowest is the fraction that the worst of these searches finds, poor the fraction of them that find less than half. REFRESH of the embedding updates the index, or removes it if scans take less time than its searches; a full run of EMBED rebuilds it with the same parameters",
		Columns: "embedding, metric, vectors, m, ef_construction, ef, recall, lowest, poor, bytes, seconds, created; in the background those of SHOW JOBS",
		Example: "CREATE INDEX ON spec WITH (metric := 'cosine', ef := 100)",
	},
	options: indexOptions,
	bind:    bindCreateIndex,
	resolve: resolveCreateIndex,
	plan: func(req CreateIndexRequest, e storage.EmbeddingInfo) *plan.Plan {
		vectors := plan.Measured("embedding "+e.Name, "embedding", fmt.Sprintf("%s, generation %d, %d × %d",
			fault.Name(e.Name), e.Generation, e.Vertices, e.Dim))
		return plan.Result("index", fmt.Sprintf("of embedding %s by %s", fault.Name(e.Name), req.Metric),
			plan.Measured(plan.Store, "store", "links, without the vectors",
				plan.Measured(plan.Solve, "hnsw", "links between near vectors, and the recall of searches", vectors)))
	},
	run: func(c *call, req CreateIndexRequest, e storage.EmbeddingInfo) (IndexInfo, error) {
		return inJob(c, indexSpec(req, e), func(embeddings.Checkpoints) (IndexInfo, error) { return c.storeIndex(req) })
	},
	table: func(_ CreateIndexRequest, info IndexInfo) [][]Value { return [][]Value{indexRow(info)} },
	job: func(_ *call, req CreateIndexRequest, e storage.EmbeddingInfo) (job.Spec, error) {
		return indexSpec(req, e), nil
	},
}

func indexOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "metric", Type: "text", Default: "'l2'", Choices: ofEach(index.Metrics(), index.Metric.String), Doc: "the metric of the searches that use the index"},
		{Name: "m", Type: "int", Default: "16", Doc: "links of a vertex, 2 to 100; more links raise the recall in many dimensions and take more space"},
		{Name: "ef_construction", Type: "int", Default: "100", Doc: "candidates that links are chosen from, up to 10000; the build time is about proportional to this number"},
		{Name: "ef", Type: "int", Default: "0", Doc: "candidates that a search keeps; more raise the recall and the time; 0 chooses the smallest power of two up to 512 with a recall of 99 % of the 10 nearest"},
		{Name: "seed", Type: "int", Default: "0", Doc: "the same seed gives the same index"},
	}
}

// CreateIndex builds an index and stores it with the embedding; an index with the
// same metric is replaced. Vertices that are deleted later are left out of answers.
// A refresh of the embedding updates the index, or removes it if scans take less
// time than its searches, which the notices of CreateIndex say; a full run of Embed
// rebuilds it.
func (db *DB) CreateIndex(ctx context.Context, req CreateIndexRequest) (IndexInfo, error) {
	return createIndex.answer(ctx, db, req)
}

// StartCreateIndex is CreateIndex in the background, as StartEmbed is Embed.
func (db *DB) StartCreateIndex(ctx context.Context, req CreateIndexRequest) (storage.JobInfo, error) {
	return createIndex.start(ctx, db, req)
}

func bindCreateIndex(b *binder, s *parser.CreateIndex) CreateIndexRequest {
	b.background = s.Background
	req := CreateIndexRequest{Embedding: b.name(fault.Embedding, s.Embedding)}
	set := b.Settings("CREATE INDEX", indexOptions(), s.Options)
	if text := set.Text("metric"); text != "" {
		metric, err := index.ParseMetric(text)
		b.Fail(err)
		req.Metric = metric
	}
	req.M = int(b.Within(set, "m", 2, 100))
	req.EfConstruction = int(b.Within(set, "ef_construction", 1, 10_000))
	req.Ef = int(b.Within(set, "ef", 0, 1<<31))
	req.Seed = set.Seed()
	return req
}

func resolveCreateIndex(c *call, req CreateIndexRequest) (storage.EmbeddingInfo, error) {
	info, err := c.EmbeddingInfo(req.Embedding, fault.Embedding)
	if err != nil {
		return info, err
	}
	if info.Vertices == 0 {
		return info, fault.New(fault.Embedding, "embedding %s has no vectors", fault.Name(req.Embedding))
	}
	if req.Metric > index.Dot {
		return info, fault.New(fault.Metric, "unknown metric %d", req.Metric)
	}
	if err := req.options().Validate(); err != nil {
		return info, fault.New(fault.Embedding, "%v", err).WithErr(err)
	}
	return info, nil
}

// indexSpec is the job that builds an index. While it runs, no other job may
// replace the vectors of the embedding. Its memory is that of the build and of writing the links,
// without the vectors.
func indexSpec(req CreateIndexRequest, info storage.EmbeddingInfo) job.Spec {
	build := req.options().Bytes(info.Vertices)
	options := optionList{option("metric", req.Metric.String())}
	options.add(req.M != 0, "m", int64(req.M))
	options.add(req.EfConstruction != 0, "ef_construction", int64(req.EfConstruction))
	options.add(req.Ef != 0, "ef", int64(req.Ef))
	options.add(req.Seed != 0, "seed", int64(req.Seed))
	text := parser.CreateIndex{Embedding: parser.Ident{Name: info.Name}, Options: options}
	return job.Spec{
		Kind: "CREATE INDEX", Text: text.String(), Target: info.Name, KeepsVectors: true,
		Graph:  storage.GraphInfo{Name: info.Graph, ID: info.GraphID, Version: info.GraphVersion},
		Memory: build + session.StoringBytes(build), Beside: session.VectorBytes(info.Vertices, info.Dim),
		Allocates: build + 3*session.StoringBytes(build)/2, // the build leaves no garbage, and each transaction its records
		Purpose:   "the index",
	}
}

var dropIndex = &statement[*parser.DropIndex, string, nothing, nothing]{
	help: Help{
		Statement: "DROP INDEX", Syntax: "DROP INDEX ON embedding",
		Summary: "removes all indexes of an embedding",
		Example: "DROP INDEX ON spec",
	},
	bind: func(b *binder, s *parser.DropIndex) string { return b.name(fault.Embedding, s.Embedding) },
	resolve: func(c *call, embedding string) (nothing, error) {
		if _, err := c.EmbeddingInfo(embedding, fault.Embedding); err != nil {
			return nothing{}, err
		}
		list, err := c.db.store.Indexes(c.Ctx, embedding)
		if err == nil && len(list) == 0 {
			return nothing{}, fault.New(fault.Embedding, "embedding %s has no index", fault.Name(embedding)).
				WithErr(&storage.NotFoundError{Kind: "index of embedding", Name: embedding})
		}
		return nothing{}, notDamage(err) // a damaged index can still be dropped
	},
	plan: func(embedding string, _ nothing) *plan.Plan {
		return plan.Result("drop index", "all of embedding "+fault.Name(embedding))
	},
	run: func(c *call, embedding string, _ nothing) (nothing, error) {
		_, err := c.db.store.DropIndexes(c.Ctx, embedding, "")
		return nothing{}, err
	},
}

// DropIndex removes all indexes of an embedding.
func (db *DB) DropIndex(ctx context.Context, embedding string) error {
	return errorOf(dropIndex.answer(ctx, db, embedding))
}

func indexRow(x IndexInfo) []Value {
	number := func(name string) Value { return parameter(x.Parameters, name) }
	return []Value{
		x.Embedding, x.Metric, int64(x.Vectors), number("m"), number("ef_construction"), number("ef"),
		x.Recall, x.Lowest, x.Poor, x.Bytes, x.Seconds, timestamp(x.Created),
	}
}

func settingsText(list []storage.Setting) string {
	return strings.Join(ofEach(list, func(s storage.Setting) string { return s.Name + " " + s.Value }), ", ")
}

// Indexes lists the indexes of the file by embedding and metric. One whose entry is
// damaged is left out, with a notice.
func (db *DB) Indexes(ctx context.Context) ([]IndexInfo, error) {
	return inCall(ctx, db, "SHOW INDEXES", (*call).indexes)
}

func (c *call) indexes() ([]IndexInfo, error) {
	list, err := c.db.store.Indexes(c.Ctx, "")
	return list, c.Rest(err, "an index", "DROP INDEX or CREATE INDEX replaces it")
}

func (r CreateIndexRequest) options() index.HNSWOptions {
	return index.HNSWOptions{M: r.M, EfConstruction: r.EfConstruction, Ef: r.Ef, Seed: r.Seed}
}

func (c *call) storeIndex(req CreateIndexRequest) (IndexInfo, error) {
	v, _, _, err := c.Vectors(req.Embedding, fault.Embedding)
	if err != nil {
		return IndexInfo{}, err
	}
	opts := req.options()
	began := time.Now()
	stop := c.Watch.Start(plan.Solve)
	opts.Workers, opts.Progress = c.workers(), c.Meter.Update
	h, err := index.NewHNSW(c.Ctx, v.Matrix, req.Metric, opts)
	if err != nil {
		return IndexInfo{}, err
	}
	recall, err := measureRecall(c.Ctx, h, req.Ef)
	if err != nil {
		return IndexInfo{}, err
	}
	text := recallText(recall.Mean, recall.Lowest, recall.Poor)
	stop(int64(h.Live()), text)
	c.job.Result("%s", text)
	n := newIndex(h, recall, time.Since(began))
	if index.ScanIsFaster(h.Live(), n.Info.Compared) {
		c.Notice("half of the searches of this index compare more than %d of %s, which takes longer than a scan: NEAREST and WITHIN scan instead, and are exact; DROP INDEX removes it, and so does a REFRESH that changes the vectors",
			n.Info.Compared[len(n.Info.Compared)/2], fault.Count(int64(h.Live()), "vector"))
	}
	defer c.Watch.Start(plan.Store)(int64(h.Live()), "")
	return c.db.store.PutIndex(c.Ctx, v.Info, n.Info, n.Write)
}

// indexFor finds the index that a search of an embedding can use. It returns nil
// if there is none, or if a scan is as fast; slow is whether there is one that takes longer than a scan.
func (c *call) indexFor(e storage.EmbeddingInfo, metric index.Metric) (found *storage.IndexInfo, slow bool, err error) {
	if 4*int64(e.Vertices)*int64(e.Dim) < c.db.opts.IndexBytes {
		return nil, false, nil
	}
	info, _, err := c.db.store.Index(c.Ctx, e, metric.String())
	switch {
	case err == nil && index.ScanIsFaster(info.Vectors, info.Compared) && !c.db.opts.graphOnly:
		return nil, true, nil
	case err == nil:
		return &info, false, nil
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrConflict):
		return nil, false, nil // the loaded vectors have no index
	case errors.Is(err, storage.ErrCorrupt):
		c.noticeDamage(e, err)
		return nil, false, nil
	}
	return nil, false, err
}

// noticeDamage gives a notice that a search could not use the index.
func (c *call) noticeDamage(e storage.EmbeddingInfo, err error) {
	c.Notice("the index of embedding %s cannot be used, so all vectors were scanned: %v; create it again", fault.Name(e.Name), err)
}

// hnsw loads the index of a space, and returns nil, with a notice, where it is
// damaged or does not fit into memory.
func (c *call) hnsw(s *session.Space, metric index.Metric, info *storage.IndexInfo) (*index.HNSW, error) {
	key := session.CacheKey{
		Kind: "index", Name: s.Info.Name, ID: uint64(s.Info.Created.UnixNano()), Version: s.Info.Generation,
		Graph: uint64(metric), Made: info.Created.UnixNano(),
	}
	value, hit, err := c.Pin(key, 2*info.Bytes, "the index of embedding "+fault.Name(s.Info.Name), func(ctx context.Context) (any, error) {
		_, r, err := c.db.store.Index(ctx, s.Info, metric.String())
		if err != nil {
			return nil, err
		}
		return index.ReadHNSW(bufio.NewReader(r), s.Indexed())
	})
	var limit *LimitError
	switch {
	case err == nil:
		s.IndexHit = hit
		return value.(*index.HNSW), nil
	case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrNotFound):
		c.Notice("the index of embedding %s was dropped during the search, so all vectors were scanned", fault.Name(s.Info.Name))
		return nil, nil
	case errors.Is(err, index.ErrFormat), errors.Is(err, index.ErrMismatch), errors.Is(err, storage.ErrCorrupt), errors.As(err, &limit):
		c.noticeDamage(s.Info, err)
		return nil, nil
	}
	return nil, err
}
