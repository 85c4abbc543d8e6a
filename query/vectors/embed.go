package vectors

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/run"
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
	"heavytail/storage/csr"
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
	// while they run; Methods lists them. An option that is left out takes its
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
	WorstResidual float64       `json:"worst_residual"` // the largest of Residuals; 0 if there are none
	Notices       []rows.Notice `json:"notices,omitempty"`
}

var embed = &engine.Statement[*parser.Embed, EmbedRequest, chosen, EmbedResult]{
	Help: help.Statement{
		Statement: "EMBED",
		Summary:   "computes a vector for every vertex and stores the vectors as an embedding",
		Detail:    "An embedding of that name is replaced when the new one is complete, and its indexes are rebuilt; models and predictions that use it must then be computed again, unless the vectors are the same. A run of more than two seconds becomes a job, which can be resumed after it was stopped",
		Words:     "embedding embeddings node2vec deepwalk vectors representation learning latent dimensionality reduction word2vec fit train features gensim karateclub",
		Columns:   "embedding, method, dim, vertices, seconds, residual; in the background those of SHOW JOBS",
	},
	Schema: embedSchema,
	Bind:   bindEmbed,
	Resolve: func(c *engine.Call, req EmbedRequest) (found chosen, err error) {
		if found.Configured, err = methods.ConfigureEmbed(req.Method, req.Settings, req.Using); err != nil {
			return found, err
		}
		if found.generation, err = entries.NextGeneration(c, req.Name, req.Graph); err != nil {
			return found, err
		}
		return reads(c, found, req.Graph)
	},
	Plan: func(req EmbedRequest, found chosen) *plan.Plan {
		return plan.Result("embedding", fmt.Sprintf("%s, generation %d", fault.Name(req.Name), found.generation),
			plan.Measured(plan.Solve, "method", found.Text().String(), found.inputs()...))
	},
	Run: func(c *engine.Call, req EmbedRequest, found chosen) (result EmbedResult, err error) {
		graph, directed, spec, err := embedJob(c, req, found)
		if err != nil {
			return result, err
		}
		result, err = engine.InJob(c, spec, func(checkpoints embedding.Checkpoints) (EmbedResult, error) {
			return StoreEmbedding(c, graph, run.Request{Name: req.Name, Method: found.Method.Name, Options: found.Options, Directed: directed, Stateless: req.Stateless, Checkpoints: checkpoints})
		})
		result.Notices = c.Notices
		return result, err
	},
	Table: func(_ EmbedRequest, r EmbedResult) [][]rows.Value {
		return [][]rows.Value{{r.Name, r.Method, int64(r.Dim), int64(r.Vertices), r.Seconds, cells.When(len(r.Residuals) > 0, r.WorstResidual)}}
	},
	Job: func(c *engine.Call, req EmbedRequest, found chosen) (job.Spec, error) {
		_, _, spec, err := embedJob(c, req, found)
		return spec, err
	},
}

func embedSchema() option.Schema[EmbedRequest] {
	return option.Schema[EmbedRequest]{option.Unless("state", "store the state that REFRESH continues from; without it, REFRESH always computes the embedding in full",
		func(r *EmbedRequest) *bool { return &r.Stateless })}
}

// Embed computes an embedding and stores it with its provenance. An embedding of that
// name is replaced when the new one is complete; a call that is reading the old one
// continues with it. Its indexes are rebuilt from the new vectors, with their
// parameters; models that were trained on it must be trained again, and predictions
// from it materialized again, which a notice says before the work begins
// (Notice.Early). If the vectors are the same, bit for bit, the embedding keeps its
// generation, indexes, models and predictions.
func (s *Service) Embed(ctx context.Context, req EmbedRequest) (EmbedResult, error) {
	return embed.Answer(ctx, s.db, req)
}

// StartEmbed is Embed in the background: it returns as soon as the request is
// checked and queued. At most Options.BackgroundJobs run at a time; the rest wait
// in a queue.
func (s *Service) StartEmbed(ctx context.Context, req EmbedRequest) (storage.JobInfo, error) {
	return embed.Start(ctx, s.db, req)
}

func bindEmbed(b *engine.Binder, s *parser.Embed) EmbedRequest {
	b.Background = s.Background
	req := EmbedRequest{Graph: b.Name(fault.Graph, s.Graph), Name: b.Name(fault.Embedding, s.Embedding)}
	req.Method, req.Settings = s.Method.Name.Name, methods.Bind(b, s.Method)
	engine.Bind(b, parser.Heading(s), embedSchema(), s.Options, &req)
	return req
}

// embedJob loads the graph of a request, and describes the job that embeds it. It
// first gives a notice of what the job will invalidate.
func embedJob(c *engine.Call, req EmbedRequest, found chosen) (*session.Graph, *csr.Directed, job.Spec, error) {
	if err := entries.NoteReplaced(c, req.Name); err != nil {
		return nil, nil, job.Spec{}, err
	}
	graph, directed, err := found.Load(c, req.Graph, fault.Graph)
	if err != nil {
		return nil, nil, job.Spec{}, err
	}
	found.NoteView(c, graph.Info)
	text := parser.Embed{Graph: parser.Ident{Name: req.Graph}, Method: found.Text(), Embedding: parser.Ident{Name: req.Name}, Options: engine.Given(embedSchema(), req)}
	options, _ := run.Settings(found.Method.Name, found.Options) // the settings have been checked, so there is no error
	spec := found.spec(graph)
	spec.Result = found.StoredBytes(graph.Info.Vertices, req.Stateless)
	spec.Kind, spec.Text, spec.Target, spec.Options, spec.Purpose = "EMBED", parser.Text(&text), req.Name, options, found.purpose(req.Graph)
	return graph, directed, spec, nil
}

// StoreEmbedding computes an embedding of a graph in a job, and stores it with the indexes of the
// one that it replaces.
func StoreEmbedding(c *engine.Call, g *session.Graph, req run.Request) (EmbedResult, error) {
	stop := c.Watch.Start(plan.Solve)
	before, err := c.DB.Store.EmbeddingInfo(c.Ctx, req.Name)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return EmbedResult{}, err
	}
	req.Workers, req.Progress = c.Workers(), c.Meter.Update
	req.Computed = func(rows *vec.Matrix) ([]storage.NewIndex, error) {
		kept, err := entries.IndexesOf(c, req.Name)
		if err != nil {
			return nil, err
		}
		return indexes.Follow(c, req.Name, kept, nil, rows)
	}
	info, err := run.Embed(c.Ctx, c.DB.Store, g.Snapshot, req)
	if err != nil {
		return EmbedResult{}, engine.NameMistake(err, fault.Embedding)
	}
	switch {
	case info.Generation == before.Generation:
		c.Notice("the vectors are the same as those of embedding %s, which keeps its generation, indexes, models and predictions", fault.Name(req.Name))
	case before.Generation > 0:
		if err := entries.NoteRetrain(c, info); err != nil {
			return EmbedResult{}, err
		}
	}
	methods.Note(c, info)
	stop(int64(info.Vertices), fault.Count(int64(info.Iterations), "iteration"))
	result := EmbedResult{EmbeddingInfo: info}
	if len(info.Residuals) > 0 {
		result.WorstResidual = slices.Max(info.Residuals)
	}
	return result, nil
}

// This file resolves what EMBED and ESTIMATE EMBED read: the graph, and the embedding with
// whose vectors a method begins.

// chosen is what the names in an EmbedRequest refer to.
type chosen struct {
	methods.Configured
	graph      storage.GraphInfo
	start      session.Entry // with whose vectors the computation begins; zero for none
	generation uint64        // generation of the result; 0 if nothing is stored
}

// reads resolves what the computation reads.
func reads(c *engine.Call, found chosen, graph string) (chosen, error) {
	var err error
	if found.graph, err = entries.Embeddable(c, graph); err == nil {
		err = found.CheckDirection(found.graph)
	}
	if err == nil {
		found.start, err = startOf(c, found)
	}
	return found, err
}

// startOf returns the entry of the embedding to begin with, which must be one of the graph.
// A job that continues from a checkpoint does not read it any more.
func startOf(c *engine.Call, found chosen) (session.Entry, error) {
	name := found.StartEmbedding()
	if name == "" {
		return session.Entry{}, nil
	}
	start, err := c.Entry(name, fault.Option(storage.SettingStart))
	if err == nil && start.Graph.ID != found.graph.ID {
		err = fault.OfOption(storage.SettingStart, "is %s, which belongs to graph %s, not %s", fault.Quote(name), fault.Name(start.Graph.Name), fault.Name(found.graph.Name)).
			WithErr(errors.Join(fault.ErrInvalid, storage.ErrInvalid))
	}
	if c.Continues && err != nil && (errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrInvalid)) {
		return session.Entry{}, nil
	}
	return start, err
}

// inputs are the steps that load what the computation reads.
func (f chosen) inputs() []*plan.Plan {
	list := []*plan.Plan{session.GraphPlan(f.graph)}
	if f.start.Info.Name != "" {
		from := f.start.Plan()
		list = append(list, &plan.Plan{Step: from.Step, Detail: from.Detail}) // measured with the method
	}
	return list
}

// purpose says what the memory of the computation is for, and which methods take less
// where the memory of this one grows with pairs of vertices.
func (f chosen) purpose(graph string) string {
	text := "embedding graph " + fault.Name(graph)
	if instead := run.Instead(f.Method.Name); instead != "" {
		text += fmt.Sprintf(" by %s (%s take less)", f.Method.Name, instead)
	}
	return text
}

// spec has the memory of the job.
func (f chosen) spec(g *session.Graph) job.Spec {
	spec := job.Spec{Graph: g.Info, Memory: f.bytes(g)}
	if run.GivesBack(g.Info.Vertices, f.Method.Name, f.Options) {
		spec.Allocates = spec.Memory
	}
	return spec
}

// bytes estimates the memory of the computation: that of the method, and the vectors to begin
// with and their projection.
func (f chosen) bytes(g *session.Graph) int64 {
	return f.Configured.Bytes(g) + 2*session.VectorBytes(f.start.Info.Vertices, f.start.Info.Dim)
}
