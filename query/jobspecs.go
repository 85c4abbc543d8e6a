package query

import (
	"context"
	"fmt"
	"strings"

	"heavytail/embedding/job"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file says what each kind of job does, as asJob and the background need it,
// and starts them in the background.

// jobOperation is an operation that can run in the background.
type jobOperation interface {
	operation
	spec(c *call) jobSpec
}

// StartEmbed is Embed in the background: it returns when the request is found to
// be one that can run. At most Options.BackgroundJobs run at a time, and others
// wait for them.
func (db *DB) StartEmbed(ctx context.Context, req EmbedRequest) (storage.JobInfo, error) {
	return db.start(ctx, "EMBED", func(c *call) (jobOperation, error) {
		given := sortedSettings(req.Settings)
		found, err := c.resolveEmbed(req, given)
		return &embedOp{req: req, given: given, found: found}, err
	})
}

// StartTune is Tune in the background, as StartEmbed is Embed.
func (db *DB) StartTune(ctx context.Context, req TuneRequest) (storage.JobInfo, error) {
	return db.start(ctx, "TUNE", func(c *call) (jobOperation, error) {
		methods := req.calls()
		found, err := c.resolveTune(req, methods)
		return &tuneOp{req: req, methods: methods, found: found}, err
	})
}

// StartRefresh is Refresh in the background, as StartEmbed is Embed.
func (db *DB) StartRefresh(ctx context.Context, req RefreshRequest) (storage.JobInfo, error) {
	return db.start(ctx, "REFRESH", func(c *call) (jobOperation, error) {
		info, graph, err := c.resolveRefresh(req)
		return &refreshOp{req: req, info: info, graph: graph}, err
	})
}

// StartVerify is Verify in the background, as StartEmbed is Embed. The measures
// are the result of the job.
func (db *DB) StartVerify(ctx context.Context, req VerifyRequest) (storage.JobInfo, error) {
	return db.start(ctx, "VERIFY", func(c *call) (jobOperation, error) {
		found, err := c.resolveVerify(req)
		return &verifyOp{req: req, found: found}, err
	})
}

// StartCreateIndex is CreateIndex in the background, as StartEmbed is Embed.
func (db *DB) StartCreateIndex(ctx context.Context, req CreateIndexRequest) (storage.JobInfo, error) {
	return db.start(ctx, "CREATE INDEX", func(c *call) (jobOperation, error) {
		info, err := c.resolveCreateIndex(req)
		return &createIndexOp{req: req, info: info}, err
	})
}

// StartTrainModel is TrainModel in the background, as StartEmbed is Embed.
func (db *DB) StartTrainModel(ctx context.Context, req TrainModelRequest) (storage.JobInfo, error) {
	return db.start(ctx, kindTrain, func(c *call) (jobOperation, error) {
		found, err := c.resolveTrainModel(req)
		return &trainModelOp{req: req, found: found}, err
	})
}

// start runs what resolve has checked in the background.
func (db *DB) start(ctx context.Context, statement string, resolve func(c *call) (jobOperation, error)) (storage.JobInfo, error) {
	c, err := db.begin(ctx, statement)
	if err != nil {
		return storage.JobInfo{}, err
	}
	defer c.end()
	op, err := resolve(c)
	c.writes = false // the job will
	if err != nil {
		return storage.JobInfo{}, c.wrap(err)
	}
	info, err := c.startJobOf(op)
	return info, c.wrap(err)
}

// startJobOf queues an operation that was checked, if the memory it takes is there.
func (c *call) startJobOf(op jobOperation) (storage.JobInfo, error) {
	spec := op.spec(c)
	release, err := c.db.cache.reserve(spec.memory, spec.purpose)
	if err != nil {
		return storage.JobInfo{}, err
	}
	release() // to be taken again when its turn comes
	return c.inBackground(spec.info())
}

// queued is the answer of an operation in the background.
func (c *call) queued(op jobOperation) (*Rows, error) {
	info, err := c.startJobOf(op)
	return jobRows([]storage.JobInfo{info}), err
}

// option writes an option with a checked value.
func option(name string, value any) parser.Option {
	return parser.Option{Name: parser.Ident{Name: name}, Value: literal(value)}
}

// literal writes the value of a checked setting in the language.
func literal(v any) parser.Value {
	switch v := v.(type) {
	case int64:
		return parser.Int{Value: v}
	case float64:
		return parser.Float{Value: v}
	case bool:
		return parser.Bool{Value: v}
	}
	return parser.String{Value: fmt.Sprint(v)}
}

// methodText writes a method with checked options.
func methodText(method string, options []job.Option) parser.Call {
	call := parser.Call{Name: parser.Ident{Name: method}}
	for _, o := range options {
		call.Options = append(call.Options, option(o.Name, o.Value))
	}
	return call
}

func (o *embedOp) spec(*call) jobSpec { return o.found.spec(o.req) }

// spec is the job that computes an embedding.
func (e *embedding) spec(req EmbedRequest) jobSpec {
	text := parser.Embed{Graph: parser.Ident{Name: req.Graph}, Method: methodText(req.Method, e.options), Embedding: parser.Ident{Name: req.Name}}
	if req.Stateless {
		text.Options = append(text.Options, option("state", false))
	}
	options, _ := job.Settings(req.Method, e.options) // they have been checked
	return jobSpec{
		kind: "EMBED", text: text.String(), target: req.Name, graph: e.graph.Info, options: options,
		memory: e.bytes(), purpose: "embedding graph " + name(req.Graph),
	}
}

func (o *tuneOp) spec(c *call) jobSpec { return o.found.spec(o.req, c.sweepBytes()) }

// spec is the job that searches and computes the best embedding.
func (t *tuning) spec(req TuneRequest, sweep int64) jobSpec {
	text := parser.Tune{
		Graph: parser.Ident{Name: req.Graph}, For: parser.Goal(strings.ToUpper(string(req.Goal))), Embedding: parser.Ident{Name: req.Name},
		Options: req.options(),
	}
	var options []storage.Setting
	for _, m := range t.methods {
		text.Methods = append(text.Methods, methodText(m.method.Name, m.given))
		own, _ := job.Settings(m.method.Name, m.given) // they have been checked
		for _, o := range own {
			options = append(options, storage.Setting{Name: m.method.Name + " " + o.Name, Value: o.Value})
		}
	}
	return jobSpec{
		kind: "TUNE", text: text.String(), target: req.Name, graph: t.graph.Info, options: options,
		memory: t.bytes(req.Goal, sweep), purpose: "tuning an embedding of graph " + name(req.Graph),
	}
}

// options writes the options of a request.
func (r TuneRequest) options() []parser.Option {
	var list []parser.Option
	add := func(given bool, name string, value any) {
		if given {
			list = append(list, option(name, value))
		}
	}
	add(r.Budget > 0, "budget", r.Budget.String())
	add(r.Trials > 0, "trials", int64(r.Trials))
	add(r.Criterion != "", "criterion", r.Criterion)
	add(r.Attribute != "", "attribute", r.Attribute)
	add(r.Separator != "", "separator", r.Separator)
	add(r.Share > 0, "share", r.Share)
	add(r.Goal == ForLinks, "latest", r.Latest)
	add(r.Seed != 0, "seed", int64(r.Seed))
	return list
}

func (o *refreshOp) spec(*call) jobSpec { return refreshSpec(o.req, o.info, o.graph) }

// refreshSpec is the job that brings an embedding up to date.
func refreshSpec(req RefreshRequest, info storage.EmbeddingInfo, graph *graphView) jobSpec {
	text := parser.Refresh{Embedding: parser.Ident{Name: req.Embedding}}
	if req.Tolerance > 0 {
		text.Options = append(text.Options, option("tolerance", req.Tolerance))
	}
	return jobSpec{
		kind: "REFRESH", text: text.String(), target: req.Embedding, graph: graph.Info, options: info.Options,
		// The rows before and after; from one to the other a spectral method has an
		// enriched basis and its products, and one that walks its nodes, twice.
		memory: 8 * vectorBytes(graph.Info.Vertices, info.Dim), purpose: "refreshing embedding " + name(req.Embedding),
	}
}

func (o *verifyOp) spec(*call) jobSpec { return verifySpec(o.req, o.found) }

// verifySpec is the job that compares an embedding with a full run. It writes none.
func verifySpec(req VerifyRequest, s *space) jobSpec {
	text := parser.Verify{Embedding: parser.Ident{Name: req.Embedding}}
	if req.Sample > 0 {
		text.Options = append(text.Options, option("sample", int64(req.Sample)))
	}
	if req.Seed != 0 {
		text.Options = append(text.Options, option("seed", int64(req.Seed)))
	}
	return jobSpec{
		kind: "VERIFY", text: text.String(), graph: s.graph.Info, options: s.info.Options,
		memory: 4 * vectorBytes(s.matrix.Rows, s.matrix.Dim), purpose: "verifying embedding " + name(req.Embedding),
	}
}

func (o *createIndexOp) spec(*call) jobSpec { return indexSpec(o.req, o.info) }

// indexSpec is the job that builds an index. It keeps the rows that it is of from
// being replaced, but does not replace them itself.
func indexSpec(req CreateIndexRequest, info storage.EmbeddingInfo) jobSpec {
	text := parser.CreateIndex{Embedding: parser.Ident{Name: req.Embedding}, Options: []parser.Option{option("metric", req.Metric.String())}}
	for _, o := range []struct {
		name  string
		value int64
	}{{"m", int64(req.M)}, {"ef_construction", int64(req.EfConstruction)}, {"ef", int64(req.Ef)}, {"seed", int64(req.Seed)}} {
		if o.value != 0 {
			text.Options = append(text.Options, option(o.name, o.value))
		}
	}
	return jobSpec{
		kind: "CREATE INDEX", text: text.String(), target: req.Embedding, beside: true,
		graph:  storage.GraphInfo{Name: info.Graph, ID: info.GraphID, Version: info.GraphVersion},
		memory: req.options().Bytes(info.Vertices), purpose: "the index",
	}
}
