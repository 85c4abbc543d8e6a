package vectors

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/jsonnull"
	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/job"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// VerifyRequest asks how much an embedding differs from a full run.
type VerifyRequest struct {
	Embedding string
	Sample    int    // number of vertices and edges to compare; 0 is 1000
	Seed      uint64 // of the sample
}

// VerifyMeasure is one measure of an embedding and of a full run.
type VerifyMeasure struct {
	Name   string  `json:"name"`
	Stored float64 `json:"stored"`
	Full   float64 `json:"full"`
}

// VerifyResult is the answer of Verify.
type VerifyResult struct {
	storage.EmbeddingInfo
	// Measures are the overlap of the ten nearest neighbours with those of the full
	// run and, for spectral methods, the median and the largest principal angle
	// between the two subspaces, in degrees. Then follow, for each of the two
	// embeddings, Pearson's and Spearman's correlation of the degrees of its best
	// reconstruction with those of the graph, over the same sample of the vertices in
	// graphs of more than four times Sample (evaluate.ReconstructSample), and how well
	// distances separate edges from other pairs.
	Measures []VerifyMeasure `json:"measures"`
	Seconds  float64         `json:"verify_seconds"` // time of the full run
	Notices  []rows.Notice   `json:"notices,omitempty"`
}

var verify = &engine.Statement[*parser.Verify, VerifyRequest, session.Entry, VerifyResult]{
	Help: help.Statement{
		Statement: "VERIFY",
		Summary:   "computes an embedding in full, stores nothing, and compares it with the stored one",
		Detail:    "It compares nearest neighbours, the angles in degrees between the subspaces (spectral methods), reconstruction, and how well distances separate edges from other pairs",
		Words:     "check drift quality compare incremental",
		Columns:   "measure, stored, full; in the background those of SHOW JOBS, whose result has them",
	},
	Schema: verifySchema,
	Bind: func(b *engine.Binder, s *parser.Verify) VerifyRequest {
		b.Background = s.Background
		req := VerifyRequest{Embedding: b.Name(fault.Embedding, s.Embedding)}
		engine.Bind(b, parser.Heading(s), verifySchema(), s.Options, &req)
		return req
	},
	Resolve: resolveVerify,
	Plan: func(_ VerifyRequest, found session.Entry) *plan.Plan {
		return plan.Result("comparison", "neighbours, reconstruction and edges of both", found.Plan(),
			plan.Measured(plan.Solve, "method", found.Info.Method+" in full", session.GraphPlan(found.Graph)))
	},
	Run: runVerify,
	Table: func(_ VerifyRequest, r VerifyResult) [][]rows.Value {
		return lists.Map(r.Measures, func(m VerifyMeasure) []rows.Value {
			return []rows.Value{m.Name, cells.Number(m.Stored), cells.Number(m.Full)}
		})
	},
	Job:   verifyJob,
	Reads: true,
}

const (
	verifySample = 1000 // VerifyRequest.Sample by default

	// verifyRows is the number of vertices, for each one of the sample, whose degrees are reconstructed.
	// All pairs of 76,000 vertices would take ten times as long as the rest of VERIFY.
	verifyRows = 2
)

func verifySchema() option.Schema[VerifyRequest] {
	return option.Schema[VerifyRequest]{
		option.Int("sample", "number of vertices whose nearest neighbours are compared; ten times as many edges are compared with pairs without an edge, and the degrees of twice as many vertices with those of the reconstruction",
			func(r *VerifyRequest) *int { return &r.Sample }).OrElse(verifySample).Between(0, math.MaxInt32),
		option.Seed("seed of the sample", func(r *VerifyRequest) *uint64 { return &r.Seed }),
	}
}

// Verify computes an embedding in full on its graph as it is now, stores nothing,
// and compares the two. The embedding must be up to date. It takes a full run and
// the distances of twice Sample vertices from all others, in both embeddings if
// the vectors differ.
func (s *Service) Verify(ctx context.Context, req VerifyRequest) (VerifyResult, error) {
	return verify.Answer(ctx, s.db, req)
}

// StartVerify is Verify in the background, as StartEmbed is Embed. The measures
// are the result of the job.
func (s *Service) StartVerify(ctx context.Context, req VerifyRequest) (storage.JobInfo, error) {
	return verify.Start(ctx, s.db, req)
}

func resolveVerify(c *engine.Call, req VerifyRequest) (session.Entry, error) {
	found, err := c.Present(req.Embedding, fault.Embedding)
	if err == nil {
		err = entries.CheckComputed(found.Info)
	}
	if err == nil {
		err = entries.CheckCurrent(req.Embedding, found.Behind, asItIsNow)
	}
	return found, err
}

// asItIsNow is why an embedding of an older version of the graph cannot be verified.
const asItIsNow = ", and a full run would be of the graph as it is now"

// verifyJob describes the job that compares an embedding with a full run. It writes
// no embedding. First it takes the memory of a full run, about four times the vectors; then that
// of the new vectors and of measuring the reconstruction of either.
func verifyJob(_ *engine.Call, req VerifyRequest, found session.Entry) (job.Spec, error) {
	text := parser.Verify{Embedding: parser.Ident{Name: found.Info.Name}, Options: engine.Given(verifySchema(), req)}
	vectors := session.VectorBytes(found.Info.Vertices, found.Info.Dim)
	measuring := evaluate.ReconstructSampleBytes(found.Info.Vertices, found.Info.Dim, found.Graph.Edges, verifyRows*cmp.Or(req.Sample, verifySample), evaluate.ReconstructOptions{})
	return job.Spec{
		Kind: "VERIFY", Text: parser.Text(&text), Graph: found.Graph, Options: found.Info.Options,
		Memory: max(4*vectors, vectors+measuring), Beside: vectors, Purpose: "verifying embedding " + fault.Name(found.Info.Name),
	}, nil
}

func runVerify(c *engine.Call, req VerifyRequest, found session.Entry) (result VerifyResult, err error) {
	req.Embedding = found.Info.Name
	spec, err := verifyJob(c, req, found)
	if err != nil {
		return result, err
	}
	result, err = engine.InJob(c, spec, func(embedding.Checkpoints) (VerifyResult, error) {
		_, directed, err := methods.Stored(found.Info).Load(c, found.Info.Graph, fault.Embedding)
		if err != nil {
			return VerifyResult{}, err
		}
		s, err := search.SettledSpace(c, req.Embedding)
		if err == nil {
			err = entries.CheckCurrent(req.Embedding, s.Behind, asItIsNow) // the graph may have changed meanwhile
		}
		if err != nil {
			return VerifyResult{}, err
		}
		return verifyInFull(c, req, s, directed)
	})
	result.Notices = c.Notices
	return result, err
}

// verifyInFull compares an embedding with a full run.
func verifyInFull(c *engine.Call, req VerifyRequest, s *session.Space, directed *csr.Directed) (VerifyResult, error) {
	req.Sample = cmp.Or(req.Sample, verifySample)
	result := VerifyResult{EmbeddingInfo: s.Info}
	stop := c.Watch.Start(plan.Solve)
	began := c.Watch.Now()
	full, err := run.Again(c.Ctx, c.DB.Store, s.Graph.Snapshot, s.Info, run.Request{Directed: directed, Workers: c.Workers(), Progress: c.Meter.Update})
	if err != nil {
		return VerifyResult{}, err
	}
	result.Seconds = c.Watch.Now().Sub(began).Seconds()
	stop(int64(full.Rows), "")
	if result.Measures, err = compare(c, req, s, full); err != nil {
		return VerifyResult{}, err
	}
	texts := lists.Map(result.Measures, func(m VerifyMeasure) string {
		return fmt.Sprintf("%s %.4g, in full %.4g", m.Name, m.Stored, m.Full)
	})
	c.Job.Result("%s", strings.Join(texts, "; "))
	return result, nil
}

func compare(c *engine.Call, req VerifyRequest, s *session.Space, full *vec.Matrix) ([]VerifyMeasure, error) {
	equal := slices.Equal(s.Matrix.Data, full.Data) // as after EMBED; then nothing is measured twice
	overlap := 1.0
	if !equal {
		var err error
		if overlap, err = evaluate.Overlap(c.Ctx, s.Matrix, full, 10, req.Sample, req.Seed, c.Workers()); err != nil {
			return nil, err
		}
	}
	list := []VerifyMeasure{{"overlap at 10", overlap, 1}}
	if len(s.Info.Eigenvalues) > 0 {
		angles, err := embedding.Angles(c.Ctx, s.Matrix, full, c.Workers())
		if err != nil {
			return nil, err
		}
		if n := len(angles); n > 0 {
			list = append(list, VerifyMeasure{"median angle", angles[n/2] * 180 / math.Pi, 0}, VerifyMeasure{"largest angle", angles[n-1] * 180 / math.Pi, 0})
		}
	}
	var best [2]evaluate.ReconstructionPoint
	var auc [2]float64
	for i, m := range []*vec.Matrix{s.Matrix, full} {
		if i > 0 && equal {
			best[i], auc[i] = best[0], auc[0]
			break
		}
		at, points, err := evaluate.ReconstructSample(c.Ctx, s.Graph.Graph, m, verifyRows*req.Sample, evaluate.ReconstructOptions{Workers: c.Workers(), Seed: req.Seed, Progress: c.Meter.Update})
		if err != nil {
			return nil, err
		}
		best[i] = points[at]
		if auc[i], err = evaluate.EdgeAUC(c.Ctx, s.Graph.Graph, m, 10*req.Sample, req.Seed); err != nil {
			return nil, err
		}
	}
	return append(list, VerifyMeasure{"pearson", best[0].Pearson, best[1].Pearson},
		VerifyMeasure{"spearman", best[0].Spearman, best[1].Spearman}, VerifyMeasure{"f1", best[0].F1, best[1].F1}, VerifyMeasure{"h3", best[0].H3, best[1].H3}, VerifyMeasure{"edge auc", auc[0], auc[1]}), nil
}

// MarshalJSON writes null for a figure that is not defined.
func (m VerifyMeasure) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(m) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (m *VerifyMeasure) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, m) }
