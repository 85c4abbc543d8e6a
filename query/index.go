package query

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/rows"
	"strings"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/job"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
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
// of these searches that found less than half. If Spread is false, an earlier version
// built the index, and Lowest and Poor are unknown.
type IndexInfo = storage.IndexInfo

var createIndex = &engine.Statement[*parser.CreateIndex, CreateIndexRequest, storage.EmbeddingInfo, IndexInfo]{
	Help: help.Statement{
		Statement: "CREATE INDEX", Syntax: "CREATE INDEX ON embedding [WITH (option := value, …)] [IN BACKGROUND]",
		Summary: "builds an index (HNSW) of the vectors, used by NEAREST and WITHIN for large embeddings (from Options.IndexBytes); recall is the fraction of the 10 nearest that it finds, the mean over searches for 100 of the vectors; lowest is the fraction that the worst of these searches finds, poor the fraction of them that find less than half. REFRESH of the embedding updates the index, or removes it if scans take less time than its searches; a full run of EMBED rebuilds it with the same parameters",
		Columns: "embedding, metric, vectors, m, ef_construction, ef, recall, lowest, poor, bytes, seconds, created; in the background those of SHOW JOBS",
		Example: "CREATE INDEX ON spec WITH (metric := 'cosine', ef := 100)",
	},
	Options: indexOptions,
	Bind:    bindCreateIndex,
	Resolve: resolveCreateIndex,
	Plan: func(req CreateIndexRequest, e storage.EmbeddingInfo) *plan.Plan {
		vectors := plan.Measured("embedding "+e.Name, "embedding", fmt.Sprintf("%s, generation %d, %d × %d",
			fault.Name(e.Name), e.Generation, e.Vertices, e.Dim))
		return plan.Result("index", fmt.Sprintf("of embedding %s by %s", fault.Name(e.Name), req.Metric),
			plan.Measured(plan.Store, "store", "links, without the vectors",
				plan.Measured(plan.Solve, "hnsw", "links between near vectors, and the recall of searches", vectors)))
	},
	Run: func(c *engine.Call, req CreateIndexRequest, e storage.EmbeddingInfo) (IndexInfo, error) {
		return engine.InJob(c, indexSpec(req, e), func(embeddings.Checkpoints) (IndexInfo, error) { return storeIndex(c, req) })
	},
	Table: func(_ CreateIndexRequest, info IndexInfo) [][]rows.Value { return [][]rows.Value{indexRow(info)} },
	Job: func(_ *engine.Call, req CreateIndexRequest, e storage.EmbeddingInfo) (job.Spec, error) {
		return indexSpec(req, e), nil
	},
}

func indexOptions() []help.Option {
	return []help.Option{
		{Name: "metric", Type: "text", Default: "'l2'", Choices: lists.Map(index.Metrics(), index.Metric.String), Doc: "the metric of the searches that use the index"},
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
func (s *vectorsService) CreateIndex(ctx context.Context, req CreateIndexRequest) (IndexInfo, error) {
	return createIndex.Answer(ctx, s.db, req)
}

// StartCreateIndex is CreateIndex in the background, as StartEmbed is Embed.
func (s *vectorsService) StartCreateIndex(ctx context.Context, req CreateIndexRequest) (storage.JobInfo, error) {
	return createIndex.Start(ctx, s.db, req)
}

func bindCreateIndex(b *engine.Binder, s *parser.CreateIndex) CreateIndexRequest {
	b.Background = s.Background
	req := CreateIndexRequest{Embedding: b.Name(fault.Embedding, s.Embedding)}
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

func resolveCreateIndex(c *engine.Call, req CreateIndexRequest) (storage.EmbeddingInfo, error) {
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
	options := engine.OptionList{engine.Option("metric", req.Metric.String())}
	options.Add(req.M != 0, "m", int64(req.M))
	options.Add(req.EfConstruction != 0, "ef_construction", int64(req.EfConstruction))
	options.Add(req.Ef != 0, "ef", int64(req.Ef))
	options.Add(req.Seed != 0, "seed", int64(req.Seed))
	text := parser.CreateIndex{Embedding: parser.Ident{Name: req.Embedding}, Options: options}
	return job.Spec{
		Kind: "CREATE INDEX", Text: text.String(), Target: req.Embedding, KeepsVectors: true,
		Graph:  storage.GraphInfo{Name: info.Graph, ID: info.GraphID, Version: info.GraphVersion},
		Memory: build + session.StoringBytes(build), Beside: session.VectorBytes(info.Vertices, info.Dim),
		Allocates: build + 3*session.StoringBytes(build)/2, // the build leaves no garbage, and each transaction its records
		Purpose:   "the index",
	}
}

var dropIndex = &engine.Statement[*parser.DropIndex, string, engine.Nothing, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP INDEX", Syntax: "DROP INDEX ON embedding",
		Summary: "removes all indexes of an embedding",
		Example: "DROP INDEX ON spec",
	},
	Bind: func(b *engine.Binder, s *parser.DropIndex) string { return b.Name(fault.Embedding, s.Embedding) },
	Resolve: func(c *engine.Call, embedding string) (engine.Nothing, error) {
		if _, err := c.EmbeddingInfo(embedding, fault.Embedding); err != nil {
			return engine.Nothing{}, err
		}
		list, err := c.DB.Store.Indexes(c.Ctx, embedding)
		if err == nil && len(list) == 0 {
			return engine.Nothing{}, fault.New(fault.Embedding, "embedding %s has no index", fault.Name(embedding)).
				WithErr(&storage.NotFoundError{Kind: "index of embedding", Name: embedding})
		}
		return engine.Nothing{}, engine.NotDamage(err) // a damaged index can still be dropped
	},
	Plan: func(embedding string, _ engine.Nothing) *plan.Plan {
		return plan.Result("drop index", "all of embedding "+fault.Name(embedding))
	},
	Run: func(c *engine.Call, embedding string, _ engine.Nothing) (engine.Nothing, error) {
		_, err := c.DB.Store.DropIndexes(c.Ctx, embedding, "")
		return engine.Nothing{}, err
	},
}

// DropIndex removes all indexes of an embedding.
func (s *vectorsService) DropIndex(ctx context.Context, embedding string) error {
	return engine.ErrorOf(dropIndex.Answer(ctx, s.db, embedding))
}

func indexRow(x IndexInfo) []rows.Value {
	number := func(name string) rows.Value { return parameter(x.Parameters, name) }
	return []rows.Value{
		x.Embedding, x.Metric, int64(x.Vectors), number("m"), number("ef_construction"), number("ef"),
		x.Recall, cells.When(x.Spread, x.Lowest), cells.When(x.Spread, x.Poor), x.Bytes, x.Seconds, cells.Timestamp(x.Created),
	}
}

func settingsText(list []storage.Setting) string {
	return strings.Join(lists.Map(list, func(s storage.Setting) string { return s.Name + " " + s.Value }), ", ")
}

// Indexes lists the indexes of the file by embedding and metric. One whose entry is
// damaged is left out, with a notice.
func (s *vectorsService) Indexes(ctx context.Context) ([]IndexInfo, error) {
	return engine.InCall(ctx, s.db, "SHOW INDEXES", indexes)
}

func indexes(c *engine.Call) ([]IndexInfo, error) {
	list, err := c.DB.Store.Indexes(c.Ctx, "")
	return list, c.Rest(err, "an index", "DROP INDEX or CREATE INDEX replaces it")
}

func (r CreateIndexRequest) options() index.HNSWOptions {
	return index.HNSWOptions{M: r.M, EfConstruction: r.EfConstruction, Ef: r.Ef, Seed: r.Seed}
}

func storeIndex(c *engine.Call, req CreateIndexRequest) (IndexInfo, error) {
	v, _, _, err := c.Vectors(req.Embedding, fault.Embedding)
	if err != nil {
		return IndexInfo{}, err
	}
	opts := req.options()
	began := time.Now()
	stop := c.Watch.Start(plan.Solve)
	opts.Workers, opts.Progress = c.Workers(), c.Meter.Update
	h, err := index.NewHNSW(c.Ctx, v.Matrix, req.Metric, opts)
	if err != nil {
		return IndexInfo{}, err
	}
	recall, err := measureRecall(c.Ctx, h, req.Ef)
	if err != nil {
		return IndexInfo{}, err
	}
	text := recallText(recall.Mean, true, recall.Lowest, recall.Poor)
	stop(int64(h.Live()), text)
	c.Job.Result("%s", text)
	n := newIndex(h, recall, time.Since(began))
	if index.ScanIsFaster(h.Live(), n.Info.Compared) {
		c.Notice("half of the searches of this index compare more than %d of %s, which takes longer than a scan: NEAREST and WITHIN scan instead, and are exact; DROP INDEX removes it, and so does a REFRESH that changes the vectors",
			n.Info.Compared[len(n.Info.Compared)/2], fault.Count(int64(h.Live()), "vector"))
	}
	defer c.Watch.Start(plan.Store)(int64(h.Live()), "")
	return c.DB.Store.PutIndex(c.Ctx, v.Info, n.Info, n.Write)
}

// indexFor finds the index that a search of an embedding can use. It returns nil
// if there is none, or if a scan is as fast; slow is whether there is one that takes longer than a scan.
func indexFor(c *engine.Call, e storage.EmbeddingInfo, metric index.Metric) (found *storage.IndexInfo, slow bool, err error) {
	if 4*int64(e.Vertices)*int64(e.Dim) < c.DB.Opts.IndexBytes {
		return nil, false, nil
	}
	info, _, err := c.DB.Store.Index(c.Ctx, e, metric.String())
	switch {
	case err == nil && index.ScanIsFaster(info.Vectors, info.Compared) && !c.DB.Opts.GraphOnly:
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

// hnsw loads the index of a space, and returns nil, with a notice, where it is
// damaged or does not fit into memory.
func hnsw(c *engine.Call, s *session.Space, metric index.Metric, info *storage.IndexInfo) (*index.HNSW, error) {
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
