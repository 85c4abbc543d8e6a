package vectors

import (
	"context"
	"fmt"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/indexes"
	"heavytail/query/internal/job"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
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

var createIndex = &engine.Statement[*parser.CreateIndex, CreateIndexRequest, storage.EmbeddingInfo, storage.IndexInfo]{
	Help: help.Statement{
		Statement: "CREATE INDEX",
		Summary:   "builds an index (HNSW) of the vectors of an embedding, which NEAREST and WITHIN use",
		Detail:    "They use it for large embeddings (from Options.IndexBytes). recall is the fraction of the 10 nearest that it finds, the mean over searches for 100 of the vectors; lowest is the fraction that the worst of these searches finds, poor the fraction of them that find less than half. REFRESH of the embedding updates the index, or removes it if scans take less time than its searches; a full run of EMBED rebuilds it with the same parameters",
		Words:     "hnsw ann approximate nearest faiss speed knn vector index",
		Columns:   "embedding, metric, vectors, m, ef_construction, ef, recall, lowest, poor, bytes, seconds, created; in the background those of SHOW JOBS",
	},
	Schema:  indexSchema,
	Bind:    bindCreateIndex,
	Resolve: resolveCreateIndex,
	Plan: func(req CreateIndexRequest, e storage.EmbeddingInfo) *plan.Plan {
		vectors := plan.Measured("embedding "+e.Name, "embedding", fmt.Sprintf("%s, generation %d, %d × %d",
			fault.Name(e.Name), e.Generation, e.Vertices, e.Dim))
		return plan.Result("index", fmt.Sprintf("of embedding %s by %s", fault.Name(e.Name), req.Metric),
			plan.Measured(plan.Store, "store", "links, without the vectors",
				plan.Measured(plan.Solve, "hnsw", "links between near vectors, and the recall of searches", vectors)))
	},
	Run: func(c *engine.Call, req CreateIndexRequest, e storage.EmbeddingInfo) (storage.IndexInfo, error) {
		return engine.InJob(c, indexSpec(req, e), func(embeddings.Checkpoints) (storage.IndexInfo, error) { return storeIndex(c, req) })
	},
	Table: func(_ CreateIndexRequest, info storage.IndexInfo) [][]rows.Value {
		return [][]rows.Value{entries.IndexRow(info)}
	},
	Job: func(_ *engine.Call, req CreateIndexRequest, e storage.EmbeddingInfo) (job.Spec, error) {
		return indexSpec(req, e), nil
	},
}

func indexSchema() option.Schema[CreateIndexRequest] {
	type request = CreateIndexRequest
	return option.Schema[request]{
		option.Enum("metric", "the metric of the searches that use the index", lists.Map(index.Metrics(), index.Metric.String), func(r *request) *index.Metric { return &r.Metric }).Always(),
		option.Int("m", "links of a vertex, 2 to 100; more links raise the recall in many dimensions and take more space", func(r *request) *int { return &r.M }).OrElse(16).Between(2, 100),
		option.Int("ef_construction", "candidates that links are chosen from, up to 10000; the more, the longer a build takes", func(r *request) *int { return &r.EfConstruction }).OrElse(100).Between(1, 10_000),
		option.Int("ef", "candidates that a search keeps; more raise the recall and the time; 0 chooses the smallest power of two up to 512 with a recall of 99 % of the 10 nearest", func(r *request) *int { return &r.Ef }).Between(0, 1<<31),
		option.Seed("the same seed gives the same index", func(r *request) *uint64 { return &r.Seed }),
	}
}

// CreateIndex builds an index and stores it with the embedding; an index with the
// same metric is replaced. Vertices that are deleted later are left out of answers.
// A refresh of the embedding updates the index, or removes it if scans take less
// time than its searches, which the notices of CreateIndex say; a full run of Embed
// rebuilds it.
func (s *Service) CreateIndex(ctx context.Context, req CreateIndexRequest) (storage.IndexInfo, error) {
	return createIndex.Answer(ctx, s.db, req)
}

// StartCreateIndex is CreateIndex in the background, as StartEmbed is Embed.
func (s *Service) StartCreateIndex(ctx context.Context, req CreateIndexRequest) (storage.JobInfo, error) {
	return createIndex.Start(ctx, s.db, req)
}

func bindCreateIndex(b *engine.Binder, s *parser.CreateIndex) CreateIndexRequest {
	b.Background = s.Background
	req := CreateIndexRequest{Embedding: b.Name(fault.Embedding, s.Embedding)}
	engine.Bind(b, parser.Heading(s), indexSchema(), s.Options, &req)
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
	if err := req.options().Validate(); err != nil {
		return info, fault.New(fault.Embedding, "%v", err).WithErr(err)
	}
	return info, nil
}

// indexSpec is the job that builds an index. While it runs, no other job may
// replace the vectors of the embedding. Its memory is that of the build and of writing the links,
// without the vectors.
func indexSpec(req CreateIndexRequest, info storage.EmbeddingInfo) job.Spec {
	build := req.options().Bytes(info.Vertices, info.Dim)
	text := parser.CreateIndex{Embedding: parser.Ident{Name: info.Name}, Options: engine.Given(indexSchema(), req)}
	return job.Spec{
		Kind: "CREATE INDEX", Text: parser.Text(&text), Target: info.Name, KeepsVectors: true,
		Graph:  storage.GraphInfo{Name: info.Graph, ID: info.GraphID, Version: info.GraphVersion},
		Memory: build + session.StoringBytes(build), Beside: session.VectorBytes(info.Vertices, info.Dim),
		Allocates: build + 3*session.StoringBytes(build)/2, // the build leaves no garbage, and each transaction its records
		Purpose:   "the index",
	}
}

var dropIndex = &engine.Statement[*parser.DropIndex, string, engine.Nothing, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP INDEX",
		Summary:   "removes all indexes of an embedding",
		Words:     "delete remove hnsw",
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
func (s *Service) DropIndex(ctx context.Context, embedding string) error {
	return engine.ErrorOf(dropIndex.Answer(ctx, s.db, embedding))
}

// Indexes lists the indexes of the file by embedding and metric. One whose entry is
// damaged is left out, with a notice.
func (s *Service) Indexes(ctx context.Context) ([]storage.IndexInfo, error) {
	return engine.InCall(ctx, s.db, "SHOW INDEXES", entries.Indexes)
}

func (r CreateIndexRequest) options() index.HNSWOptions {
	return index.HNSWOptions{M: r.M, EfConstruction: r.EfConstruction, Ef: r.Ef, Seed: r.Seed}
}

func storeIndex(c *engine.Call, req CreateIndexRequest) (storage.IndexInfo, error) {
	v, _, _, err := c.Vectors(req.Embedding, fault.Embedding)
	if err != nil {
		return storage.IndexInfo{}, err
	}
	opts := req.options()
	began := time.Now()
	stop := c.Watch.Start(plan.Solve)
	opts.Workers, opts.Progress = c.Workers(), c.Meter.Update
	h, err := index.NewHNSW(c.Ctx, v.Matrix, req.Metric, opts)
	if err != nil {
		return storage.IndexInfo{}, err
	}
	recall, err := indexes.MeasureRecall(c.Ctx, h, req.Ef)
	if err != nil {
		return storage.IndexInfo{}, err
	}
	text := search.RecallText(recall.Mean, recall.Lowest, recall.Poor)
	stop(int64(h.Live()), text)
	c.Job.Result("%s", text)
	n := indexes.NewIndex(h, recall, time.Since(began))
	if index.ScanIsFaster(h.Live(), n.Info.Compared) {
		c.Notice("half of the searches of this index compare more than %d of %s, which takes longer than a scan: NEAREST and WITHIN scan instead, and are exact; DROP INDEX removes it, and so does a REFRESH that changes the vectors",
			n.Info.Compared[len(n.Info.Compared)/2], fault.Count(int64(h.Live()), "vector"))
	}
	defer c.Watch.Start(plan.Store)(int64(h.Live()), "")
	return c.DB.Store.PutIndex(c.Ctx, v.Info, n.Info, n.Write)
}
