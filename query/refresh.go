package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	methods "heavytail/embedding" // embedding is a type of this package
	"heavytail/embedding/job"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// RefreshRequest asks for an embedding to be brought up to date with its graph.
type RefreshRequest struct {
	Embedding string
	// Tolerance is the residual, relative to the largest eigenvalue, up to which
	// a spectral embedding does without a full solve; 0 is
	// embedding.RefreshTolerance.
	Tolerance float64
}

// RefreshKind says how an embedding was brought up to date.
type RefreshKind string

// The kinds.
const (
	RefreshNone        RefreshKind = "none"        // no edge had changed; nothing was stored
	RefreshIncremental RefreshKind = "incremental" // from the rows before and what has changed
	RefreshFull        RefreshKind = "full"        // as EMBED would
)

// RefreshResult is the answer of Refresh.
type RefreshResult struct {
	job.Refreshed
	Kind    RefreshKind
	Notices []Notice
}

// Refresh brings an embedding up to date with its graph, from what the change log
// says if it can, and stores the result as the next generation. The generation
// before stays, as name@generation. Who reads it finishes on it. Indexes follow in
// the same job, built anew where more than a fifth of the vectors changed; until
// then searches do without them.
func (db *DB) Refresh(ctx context.Context, req RefreshRequest) (RefreshResult, error) {
	c, err := db.begin(ctx, "REFRESH")
	if err != nil {
		return RefreshResult{}, err
	}
	defer c.end()
	result, err := c.refresh(req)
	return result, c.wrap(err)
}

// present returns an embedding that is not a past generation, and its graph.
func (c *call) present(embedding string) (storage.EmbeddingInfo, *graphView, error) {
	info, err := c.embeddingInfo(embedding, partEmbedding)
	if err != nil {
		return info, nil, err
	}
	if info.Past {
		e := mistake(partEmbedding, "%s is a generation that was replaced", quote(embedding))
		e.Hint = "name the embedding without the number"
		e.Err = storage.ErrInvalid
		return info, nil, e
	}
	graph, err := c.graph(info.Graph, partEmbedding)
	return info, graph, err
}

// resolveRefresh checks a request and finds what it names.
func (c *call) resolveRefresh(req RefreshRequest) (storage.EmbeddingInfo, *graphView, error) {
	if err := c.writable(); err != nil {
		return storage.EmbeddingInfo{}, nil, err
	}
	if !(req.Tolerance >= 0 && req.Tolerance <= 0.5) {
		return storage.EmbeddingInfo{}, nil, mistake(partOption("tolerance"), "option tolerance is %v, and must be from 0 to 0.5", req.Tolerance)
	}
	return c.present(req.Embedding)
}

func (c *call) refresh(req RefreshRequest) (RefreshResult, error) {
	info, graph, err := c.resolveRefresh(req)
	if err != nil {
		return RefreshResult{}, err
	}
	var result RefreshResult
	err = c.asJob(refreshSpec(req, info, graph), func(methods.Checkpoints) (err error) {
		result, err = c.storeRefreshed(req)
		return err
	})
	result.Notices = c.notices
	return result, err
}

// freshen brings an embedding up to date, and waits for the job that has it.
func (c *call) freshen(embedding string) error {
	for {
		clear(c.graphs) // whoever had the embedding may have stored another one
		clear(c.spaces)
		info, graph, err := c.present(embedding)
		if err != nil {
			return err
		}
		changes, err := c.db.store.Changes(c.ctx, info.Graph, info.GraphVersion)
		if err != nil {
			return err
		}
		if !changes.EdgesChanged && graph.Info.Version >= info.GraphVersion {
			return nil
		}
		other := c.db.runner.holder(embedding)
		if other == nil {
			_, err = c.refresh(RefreshRequest{Embedding: embedding})
			if other = c.db.runner.holder(embedding); other == nil || !errors.Is(err, storage.ErrConflict) {
				return err
			}
		}
		if _, err := c.waitFor(other); err != nil {
			return err
		}
	}
}

// storeRefreshed computes the next generation of an embedding and stores it.
func (c *call) storeRefreshed(req RefreshRequest) (RefreshResult, error) {
	var result RefreshResult
	err := c.settled(func() error {
		info, graph, err := c.present(req.Embedding)
		if err != nil {
			return err
		}
		indexes, before, err := c.keepIndexes(info.Name)
		if err != nil {
			return err
		}
		same, err := sameRows(graph, info)
		if err != nil {
			return err
		}
		stop := c.watch.start(stepSolve)
		result.Refreshed, err = job.Refresh(c.ctx, c.db.store, graph.Snapshot, job.RefreshRequest{
			Name: info.Name, Tolerance: req.Tolerance, Workers: c.workers(), Progress: c.meter.update,
			Computed: func(from storage.EmbeddingInfo, rows *vec.Matrix) ([]storage.NewIndex, error) {
				return c.followIndexes(indexes, before, rows, same && from.Generation == info.Generation)
			},
		})
		stop(int64(result.Touched), result.Reason)
		return err
	})
	if err != nil {
		return RefreshResult{}, err
	}
	switch {
	case result.To.Generation == result.From.Generation:
		result.Kind = RefreshNone
	case result.Full:
		result.Kind = RefreshFull
	default:
		result.Kind = RefreshIncremental
	}
	// What the call has loaded is of the generation before.
	clear(c.spaces)
	c.noteMethod(result.To)
	c.jobResult("%s, generation %d", result.Kind, result.To.Generation)
	return result, nil
}

// VerifyRequest asks how far an embedding is from a full run.
type VerifyRequest struct {
	Embedding string
	Sample    int    // vertices and edges that are looked at; 0 is 1000
	Seed      uint64 // of the sample
}

// VerifyMeasure is one measure of an embedding and of a full run.
type VerifyMeasure struct {
	Name         string
	Stored, Full float64
}

// VerifyResult is the answer of Verify.
type VerifyResult struct {
	storage.EmbeddingInfo
	// Measures are the overlap of the ten nearest neighbours with those of the full
	// run and, for spectral methods, the median and the largest of the principal
	// angles between both, in degrees; then, of each by itself, Pearson's and
	// Spearman's correlation of the degrees of the best reconstruction with those
	// of the graph, and how well distances tell edges from other pairs.
	Measures []VerifyMeasure
	Seconds  float64 // that the full run took
	Notices  []Notice
}

// Verify computes an embedding in full on its graph as it is now, stores nothing,
// and compares the two. The embedding must be up to date. It takes a full run and
// two sweeps of reconstructions.
func (db *DB) Verify(ctx context.Context, req VerifyRequest) (VerifyResult, error) {
	c, err := db.begin(ctx, "VERIFY")
	if err != nil {
		return VerifyResult{}, err
	}
	defer c.end()
	var result VerifyResult
	err = c.settled(func() error {
		result, err = c.verify(req)
		return err
	})
	return result, c.wrap(err)
}

// resolveVerify finds what a request names.
func (c *call) resolveVerify(req VerifyRequest) (*space, error) {
	if req.Sample < 0 {
		return nil, mistake(partOption("sample"), "option sample is %d, and must not be negative", req.Sample)
	}
	if _, _, err := c.present(req.Embedding); err != nil {
		return nil, err
	}
	s, err := c.space(req.Embedding, partEmbedding)
	if err == nil && s.behind > 0 {
		e := mistake(partEmbedding, "embedding %s is %s behind its graph, and a full run would be of the graph as it is now", quote(req.Embedding), count(int64(s.behind), "version"))
		e.Hint = "REFRESH it first"
		return nil, e
	}
	return s, err
}

func (c *call) verify(req VerifyRequest) (VerifyResult, error) {
	s, err := c.resolveVerify(req)
	if err != nil {
		return VerifyResult{}, err
	}
	var result VerifyResult
	err = c.asJob(verifySpec(req, s), func(methods.Checkpoints) (err error) {
		result, err = c.verifyInFull(req, s)
		return err
	})
	result.Notices = c.notices
	return result, err
}

// verifyInFull compares an embedding with a full run.
func (c *call) verifyInFull(req VerifyRequest, s *space) (VerifyResult, error) {
	if req.Sample == 0 {
		req.Sample = 1000
	}
	result := VerifyResult{EmbeddingInfo: s.info}
	stop := c.watch.start(stepSolve)
	began := c.watch.now()
	full, err := job.Again(c.ctx, s.graph.Graph, s.info, c.workers(), c.meter.update)
	if err != nil {
		return VerifyResult{}, err
	}
	result.Seconds = c.watch.now().Sub(began).Seconds()
	stop(int64(full.Rows), "")
	if result.Measures, err = c.compare(req, s, full); err != nil {
		return VerifyResult{}, err
	}
	texts := make([]string, len(result.Measures))
	for i, m := range result.Measures {
		texts[i] = fmt.Sprintf("%s %.4g, in full %.4g", m.Name, m.Stored, m.Full)
	}
	c.jobResult("%s", strings.Join(texts, "; "))
	return result, nil
}

// GenerationInfo is a generation of an embedding as SHOW GENERATIONS lists it.
type GenerationInfo struct {
	storage.EmbeddingInfo
	// Refresh is how it came from the generation before; empty where EMBED made it.
	Refresh RefreshKind
	Behind  uint64 // versions of the graph since, without those that changed attributes only
}

// Generations lists the generations of an embedding that are kept, the oldest
// first. Past ones are addressed as name@generation.
func (db *DB) Generations(ctx context.Context, embedding string) ([]GenerationInfo, error) {
	c, err := db.begin(ctx, "SHOW GENERATIONS")
	if err != nil {
		return nil, err
	}
	defer c.end()
	list, err := c.generations(embedding)
	return list, c.wrap(err)
}

func (c *call) generations(embedding string) ([]GenerationInfo, error) {
	if _, err := c.embeddingInfo(embedding, partEmbedding); err != nil {
		return nil, err
	}
	infos, err := c.db.store.Generations(c.ctx, embedding)
	if err != nil {
		return nil, nameMistake(err, partEmbedding)
	}
	list := make([]GenerationInfo, len(infos))
	for i, info := range infos {
		list[i].EmbeddingInfo = info
		if at := slices.IndexFunc(info.Stats, func(s storage.Setting) bool { return s.Name == "refresh" }); at >= 0 {
			list[i].Refresh = RefreshKind(info.Stats[at].Value)
		}
		changes, err := c.db.store.Changes(c.ctx, info.Graph, info.GraphVersion)
		if err != nil {
			return nil, err
		}
		list[i].Behind = changes.Versions
	}
	return list, nil
}

// refreshTolerance is the default in the words of HELP.
const refreshTolerance = methods.RefreshTolerance
