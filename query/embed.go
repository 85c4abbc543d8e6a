package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heavytail/embedding"
	"heavytail/embedding/run"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/job"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// EmbedRequest asks for an embedding of a graph.
type EmbedRequest struct {
	Graph string
	Name  string // of the embedding; one of that name on the same graph is replaced
	// Using is the method with its options, such as DPWalker{Dim: 128, Beta: new(1.5)}.
	Using MethodOptions
	// Method, such as "dp_spectral", and Settings, the options of the method by name,
	// such as "dim": 200, are an alternative to Using, for programs that choose methods
	// while they run; DB.Methods lists them. An option that is left out takes its
	// default.
	Method   string
	Settings map[string]any
	// Stateless stores the vectors without the state that a refresh continues from,
	// so that each refresh runs in full.
	Stateless bool
}

// EmbedResult is the answer of Embed.
type EmbedResult struct {
	storage.EmbeddingInfo
	WorstResidual float64  `json:"worst_residual"` // the largest of Residuals; 0 if there are none
	Notices       []Notice `json:"notices,omitempty"`
}

var embed = &statement[*parser.Embed, EmbedRequest, chosen, EmbedResult]{
	help: Help{
		Statement: "EMBED", Syntax: "EMBED graph USING method[(option := value, …)] AS embedding [WITH (option := value)] [IN BACKGROUND]",
		Summary: "computes a vector for every vertex. An embedding of that name is replaced when the new one is complete, and its indexes are rebuilt; models and predictions that use it must then be computed again, unless the vectors are the same. A run of more than two seconds becomes a job, which can be resumed after it was stopped",
		Columns: "embedding, method, dim, vertices, seconds, residual; in the background those of SHOW JOBS",
		Example: "EMBED social USING dp_spectral(dim := 200, beta := 0.5) AS spec",
	},
	options: embedOptions,
	bind:    bindEmbed,
	resolve: func(c *call, req EmbedRequest) (found chosen, err error) {
		if found.configured, err = configureEmbed(req.Method, req.Settings, req.Using); err != nil {
			return found, err
		}
		if found.generation, err = c.nextGeneration(req.Name, req.Graph); err != nil {
			return found, err
		}
		return c.reads(found, req.Graph)
	},
	plan: func(req EmbedRequest, found chosen) *plan.Plan {
		return plan.Result("embedding", fmt.Sprintf("%s, generation %d", fault.Name(req.Name), found.generation),
			plan.Measured(plan.Solve, "method", found.text().String(), found.inputs()...))
	},
	run: func(c *call, req EmbedRequest, found chosen) (result EmbedResult, err error) {
		graph, spec, err := embedJob(c, req, found)
		if err != nil {
			return result, err
		}
		result, err = inJob(c, spec, func(checkpoints embedding.Checkpoints) (EmbedResult, error) {
			return c.storeEmbedding(graph, run.Request{Name: req.Name, Method: found.method.Name, Options: found.options, Stateless: req.Stateless, Checkpoints: checkpoints})
		})
		result.Notices = c.Notices
		return result, err
	},
	table: func(_ EmbedRequest, r EmbedResult) [][]Value {
		return [][]Value{{r.Name, r.Method, int64(r.Dim), int64(r.Vertices), r.Seconds, when(len(r.Residuals) > 0, r.WorstResidual)}}
	},
	job: func(c *call, req EmbedRequest, found chosen) (job.Spec, error) {
		_, spec, err := embedJob(c, req, found)
		return spec, err
	},
}

func embedOptions() []OptionInfo {
	return []OptionInfo{{Name: "state", Type: "bool", Default: "TRUE",
		Doc: "store the state that REFRESH continues from; without it, REFRESH always computes the embedding in full"}}
}

// Embed computes an embedding and stores it with its provenance. An embedding of that
// name is replaced when the new one is complete; a call that is reading the old one
// continues with it. Its indexes are rebuilt from the new vectors, with their
// parameters; models that were trained on it must be trained again, and predictions
// from it materialized again, which a notice says before the work begins
// (Notice.Early). If the vectors are the same, bit for bit, the embedding keeps its
// generation, indexes, models and predictions.
func (db *DB) Embed(ctx context.Context, req EmbedRequest) (EmbedResult, error) {
	return embed.answer(ctx, db, req)
}

// StartEmbed is Embed in the background: it returns as soon as the request is
// checked and queued. At most Options.BackgroundJobs run at a time; the rest wait
// in a queue.
func (db *DB) StartEmbed(ctx context.Context, req EmbedRequest) (storage.JobInfo, error) {
	return embed.start(ctx, db, req)
}

func bindEmbed(b *binder, s *parser.Embed) EmbedRequest {
	b.background = s.Background
	req := EmbedRequest{Graph: b.name(fault.Graph, s.Graph), Name: b.name(fault.Embedding, s.Embedding)}
	req.Method, req.Settings = s.Method.Name.Name, b.method(s.Method)
	state, stated := b.Settings("EMBED", embedOptions(), s.Options)["state"]
	req.Stateless = stated && !state.(bool)
	return req
}

// nextGeneration returns the generation that an embedding of a graph will have
// under a name, which must be free or that of an embedding of the same graph.
func (c *call) nextGeneration(embedding, graph string) (uint64, error) {
	if embedding == "" {
		return 0, fault.New(fault.Embedding, "the embedding has no name")
	}
	if err := storage.CheckEmbeddingName(embedding); err != nil {
		return 0, nameMistake(err, fault.Embedding)
	}
	old, err := c.db.store.EmbeddingInfo(c.Ctx, embedding)
	switch {
	case err == nil && old.Graph != graph:
		return 0, fault.New(fault.Embedding, "embedding %s exists and belongs to graph %s", fault.Quote(embedding), fault.Name(old.Graph)).
			WithRemedy("drop it first, or choose another name").WithErr(storage.ErrExists)
	case err == nil:
		return old.Generation + 1, nil
	case !errors.Is(err, storage.ErrNotFound):
		return 0, err
	}
	return 1, nil
}

// embedJob loads the graph of a request, and describes the job that embeds it. It
// first gives a notice of what the job will invalidate.
func embedJob(c *call, req EmbedRequest, found chosen) (*session.Graph, job.Spec, error) {
	if err := c.noteReplaced(req.Name); err != nil {
		return nil, job.Spec{}, err
	}
	graph, err := c.Graph(req.Graph, fault.Graph)
	if err != nil {
		return nil, job.Spec{}, err
	}
	text := parser.Embed{Graph: parser.Ident{Name: req.Graph}, Method: found.text(), Embedding: parser.Ident{Name: req.Name}}
	if req.Stateless {
		text.Options = append(text.Options, option("state", false))
	}
	options, _ := run.Settings(found.method.Name, found.options) // the settings have been checked, so there is no error
	spec := found.spec(graph)
	spec.Kind, spec.Text, spec.Target, spec.Options, spec.Purpose = "EMBED", text.String(), req.Name, options, found.purpose(req.Graph)
	return graph, spec, nil
}

func (c *call) storeEmbedding(g *session.Graph, req run.Request) (EmbedResult, error) {
	stop := c.Watch.Start(plan.Solve)
	before, err := c.db.store.EmbeddingInfo(c.Ctx, req.Name)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return EmbedResult{}, err
	}
	req.Workers, req.Progress = c.workers(), c.Meter.Update
	req.Computed = func(rows *vec.Matrix) ([]storage.NewIndex, error) {
		indexes, err := c.indexesOf(req.Name)
		if err != nil {
			return nil, err
		}
		return c.followIndexes(req.Name, indexes, nil, rows)
	}
	info, err := run.Embed(c.Ctx, c.db.store, g.Snapshot, req)
	if err != nil {
		return EmbedResult{}, nameMistake(err, fault.Embedding)
	}
	switch {
	case info.Generation == before.Generation:
		c.Notice("the vectors are the same as those of embedding %s, which keeps its generation, indexes, models and predictions", fault.Name(req.Name))
	case before.Generation > 0:
		if err := c.noteRetrain(info); err != nil {
			return EmbedResult{}, err
		}
	}
	c.noteMethod(info)
	stop(int64(info.Vertices), fault.Count(int64(info.Iterations), "iteration"))
	result := EmbedResult{EmbeddingInfo: info}
	if len(info.Residuals) > 0 {
		result.WorstResidual = slices.Max(info.Residuals)
	}
	return result, nil
}
