package vectors

import (
	"context"
	"errors"
	"fmt"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/indexes"
	"heavytail/query/internal/job"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// RefreshRequest asks for an embedding to be brought up to date with its graph.
type RefreshRequest struct {
	Embedding string
	// Tolerance is the largest residual, relative to the largest eigenvalue,
	// with which an incremental refresh of a spectral embedding is accepted;
	// above it the embedding is solved in full. 0 is embedding.RefreshTolerance.
	Tolerance float64
}

// RefreshResult is the answer of Refresh.
type RefreshResult struct {
	run.Refreshed
	Kind    catalogue.RefreshKind `json:"kind"`
	Notices []rows.Notice         `json:"notices,omitempty"`
}

// staleness is what the names in a RefreshRequest refer to.
type staleness struct {
	session.Entry
	changes storage.ChangeSet // changes of the graph since the embedding was computed
}

var refresh = &engine.Statement[*parser.Refresh, RefreshRequest, staleness, RefreshResult]{
	Help: help.Statement{
		Statement: "REFRESH",
		Summary:   "brings an embedding up to date with its graph and stores the result as the next generation",
		Detail:    "It works from the changes where possible, and otherwise computes in full. kind is none, incremental, or full if more than half of the vertices were computed in full; drift is the distance that vertices moved, relative to their norms",
		Words:     "update incremental dynamic stale online new vertices",
		Columns:   "embedding, kind, generation, versions, touched, residual, mean_drift, max_drift, seconds, reason; in the background those of SHOW JOBS",
	},
	Schema: refreshSchema,
	Bind: func(b *engine.Binder, s *parser.Refresh) RefreshRequest {
		b.Background = s.Background
		req := RefreshRequest{Embedding: b.Name(fault.Embedding, s.Embedding)}
		engine.Bind(b, parser.Heading(s), refreshSchema(), s.Options, &req)
		return req
	},
	Resolve: func(c *engine.Call, req RefreshRequest) (found staleness, err error) {
		return findStaleness(c, req.Embedding)
	},
	Plan: planRefresh,
	Run:  runRefresh,
	Table: func(_ RefreshRequest, r RefreshResult) [][]rows.Value {
		drifted := r.Kind != catalogue.RefreshNone && !r.Full
		return [][]rows.Value{{
			r.To.Name, string(r.Kind), int64(r.To.Generation), int64(r.Versions), int64(r.Touched),
			cells.When(drifted && r.Refined > 0, r.Residual), cells.When(drifted, r.MeanDrift), cells.When(drifted, r.MaxDrift), r.Seconds, r.Reason,
		}}
	},
	Job: refreshJob,
}

func refreshSchema() option.Schema[RefreshRequest] {
	return option.Schema[RefreshRequest]{
		option.Float("tolerance", "residual of an eigenpair, relative to the largest eigenvalue, above which a spectral embedding is solved in full",
			func(r *RefreshRequest) *float64 { return &r.Tolerance }).OrElse(embedding.RefreshTolerance).
			Where("above 0 and at most 0.5", func(v any) bool { return v.(float64) > 0 && v.(float64) <= 0.5 }),
	}
}

// Refresh brings an embedding up to date with its graph, from the change log where
// possible, and stores the result as the next generation. The previous generation
// is kept as name@generation, and a call that is reading it continues with it. The
// same job updates the indexes, or rebuilds them if more than a fifth of the
// vectors changed; until then searches do not use an index. It removes an index that
// no search uses because scans take less.
func (s *Service) Refresh(ctx context.Context, req RefreshRequest) (RefreshResult, error) {
	return refresh.Answer(ctx, s.db, req)
}

// StartRefresh is Refresh in the background, as StartEmbed is Embed.
func (s *Service) StartRefresh(ctx context.Context, req RefreshRequest) (storage.JobInfo, error) {
	return refresh.Start(ctx, s.db, req)
}

// staleness returns the entry of an embedding, and the changes of its graph since.
func findStaleness(c *engine.Call, embedding string) (s staleness, err error) {
	if s.Entry, err = c.Present(embedding, fault.Embedding); err != nil {
		return s, err
	}
	if err := entries.CheckComputed(s.Info); err != nil {
		return s, err
	}
	s.changes, err = c.DB.Store.Changes(c.Ctx, s.Info.Graph, s.Info.GraphVersion)
	return s, err
}

func planRefresh(req RefreshRequest, found staleness) *plan.Plan {
	graph := session.GraphPlan(found.Graph)
	if !found.changes.EdgesChanged {
		return plan.Result("embedding", fmt.Sprintf("%s, generation %d, as it is: no edge changed", fault.Name(req.Embedding), found.Info.Generation), graph)
	}
	what := fmt.Sprintf("from generation %d and %s of %s", found.Info.Generation, fault.Count(int64(len(found.changes.Touched)), "touched vertex"), fault.Count(int64(found.changes.Versions), "version"))
	switch {
	case found.Info.Stateless:
		what = "in full: the embedding is stored without the state that a refresh needs"
	case found.changes.All:
		what = "in full: the change log does not say which vertices changed"
	case methods.Stored(found.Info).Follows():
		what = "in full: " + embedding.ReasonFollows
	case found.Info.StateBytes == 0:
		what = "in full: no state is stored with the vectors"
	}
	return plan.Result("embedding", fmt.Sprintf("%s, generation %d", fault.Name(req.Embedding), found.Info.Generation+1),
		plan.Measured(plan.Solve, "method", what, graph))
}

// refreshJob describes the job that brings an embedding up to date. It first
// gives a notice of what the job will invalidate.
func refreshJob(c *engine.Call, req RefreshRequest, found staleness) (job.Spec, error) {
	if err := noteFullRefresh(c, found); err != nil {
		return job.Spec{}, err
	}
	name := found.Info.Name
	text := parser.Refresh{Embedding: parser.Ident{Name: name}, Options: engine.Given(refreshSchema(), req)}
	return job.Spec{
		Kind: "REFRESH", Text: parser.Text(&text), Target: name, Graph: found.Graph, Options: found.Info.Options,
		Memory: refreshBytes(found.Info.Method, found.Graph.Vertices, found.Info.Dim), Beside: session.VectorBytes(found.Info.Vertices, found.Info.Dim), Purpose: "refreshing embedding " + fault.Name(name),
	}, nil
}

// refreshBytes estimates the memory of a refresh beside the stored vectors: that of the method, and then
// the vectors, with a copy of the old ones in the order of the present vertices, while they are stored.
func refreshBytes(method string, vertices, dim int) int64 {
	vectors := session.VectorBytes(vertices, dim)
	return max(run.RefreshBytes(method, vectors), methods.StoringBytes(method, vectors, 2))
}

// noteFullRefresh gives the notice of entries.NoteReplaced before a refresh that can only
// run in full.
func noteFullRefresh(c *engine.Call, s staleness) error {
	if !s.changes.EdgesChanged || !s.changes.All && !s.Info.Stateless && s.Info.StateBytes > 0 {
		return nil
	}
	d, err := entries.DependentsOf(c, s.Info.Name)
	if text := d.String(); err == nil && text != "" {
		c.Early("embedding %s can only be refreshed in full; unless the new vectors are the same: %s", fault.Name(s.Info.Name), text)
	}
	return err
}

func runRefresh(c *engine.Call, req RefreshRequest, found staleness) (result RefreshResult, err error) {
	req.Embedding = found.Info.Name
	spec, err := refreshJob(c, req, found)
	if err != nil {
		return result, err
	}
	result, err = engine.InJob(c, spec, func(embedding.Checkpoints) (RefreshResult, error) { return storeRefreshed(c, req, found.Entry) })
	result.Notices = c.Notices
	return result, err
}

// freshen brings an embedding up to date, after waiting for a job that writes it; embedding is
// its name in the catalogue.
func freshen(c *engine.Call, embedding string) error {
	for {
		clear(c.Graphs) // the job may have stored a new generation
		clear(c.Spaces)
		found, err := findStaleness(c, embedding)
		if err != nil {
			return err
		}
		if !found.changes.EdgesChanged && found.Graph.Version >= found.Info.GraphVersion {
			return nil
		}
		other := c.DB.Runner.Holder(embedding)
		if other == nil {
			if err := c.Writable(); err != nil {
				return err
			}
			_, err = runRefresh(c, RefreshRequest{Embedding: embedding}, found)
			if other = c.DB.Runner.Holder(embedding); other == nil || !errors.Is(err, storage.ErrConflict) {
				return err
			}
		}
		if _, err := other.Wait(c.Call); err != nil {
			return err
		}
	}
}

// storeRefreshed computes the next generation of an embedding and stores it. If
// the graph or the embedding changes meanwhile, it starts again from the new
// versions.
func storeRefreshed(c *engine.Call, req RefreshRequest, from session.Entry) (RefreshResult, error) {
	var result RefreshResult
	err := c.Consistent(func() error {
		refreshed, err := refreshFrom(c, req, from.Info)
		if errors.Is(err, storage.ErrConflict) {
			now, err := c.Present(req.Embedding, fault.Embedding)
			if err != nil {
				return err
			}
			from = now
		}
		result.Refreshed = refreshed
		return err
	})
	if err != nil {
		return RefreshResult{}, err
	}
	switch {
	case result.To.Generation == result.From.Generation:
		result.Kind = catalogue.RefreshNone
	case result.Mostly():
		result.Kind = catalogue.RefreshFull
	default:
		result.Kind = catalogue.RefreshIncremental
	}
	// The call has loaded the previous generation.
	clear(c.Spaces)
	methods.Note(c, result.To)
	if !result.To.Coordinates.Equal(result.From.Coordinates) {
		if err := entries.NoteRetrain(c, result.To); err != nil {
			return RefreshResult{}, err
		}
	}
	c.Job.Result("%s, generation %d: %s", result.Kind, result.To.Generation, result.Reason)
	return result, nil
}

// refreshFrom runs the refresh of an embedding from the given entry.
func refreshFrom(c *engine.Call, req RefreshRequest, info storage.EmbeddingInfo) (run.Refreshed, error) {
	graph, directed, err := methods.Stored(info).Load(c, info.Graph, fault.Embedding)
	if err != nil {
		return run.Refreshed{}, err
	}
	kept, before, err := indexes.Keep(c, info.Name)
	if err != nil {
		return run.Refreshed{}, err
	}
	same, err := indexes.SameRows(graph, info)
	if err != nil {
		return run.Refreshed{}, err
	}
	stop := c.Watch.Start(plan.Solve)
	result, err := run.Refresh(c.Ctx, c.DB.Store, graph.Snapshot, run.RefreshRequest{
		Name: info.Name, Tolerance: req.Tolerance, Directed: directed, Workers: c.Workers(), Progress: c.Meter.Update,
		Computed: func(from storage.EmbeddingInfo, rows *vec.Matrix) ([]storage.NewIndex, error) {
			var was *vec.Matrix
			if before != nil && same && from.Generation == info.Generation {
				was = before.Matrix
			}
			return indexes.Follow(c, info.Name, kept, was, rows)
		},
	})
	stop(int64(result.Touched), result.Reason)
	return result, err
}

// RefreshIn is Refresh inside of a call of another statement.
func RefreshIn(c *engine.Call, req RefreshRequest) (RefreshResult, error) {
	return refresh.Inside(c, req)
}
