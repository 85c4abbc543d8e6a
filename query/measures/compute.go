package measures

import (
	"context"
	"slices"
	"time"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/query/algorithms"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/job"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// ComputeRequest asks for a measure of the vertices of a graph.
type ComputeRequest struct {
	Graph   string
	Measure string // such as "pagerank"; List lists them
	// Settings are the options of the measure by name, such as "damping": 0.85. An
	// option that is left out takes its default.
	Settings map[string]any
	From     []string // keys of the vertices to start from, for measures that accept them
	// As is the attribute to store the values in; empty to return them.
	As        string
	Overwrite bool // replace the attribute As if it exists
}

// ComputeResult is the answer of Compute.
type ComputeResult struct {
	Graph   string `json:"graph"`
	Measure string `json:"measure"`
	// Vertices are the values, if they are not stored, in the order in which the
	// vertices came into the graph.
	Vertices []VertexValue `json:"vertices,omitempty"`

	Attribute string  `json:"attribute,omitempty"` // in which the values are stored
	Count     int     `json:"count"`               // vertices
	Min       float64 `json:"min"`
	Mean      float64 `json:"mean"`
	Max       float64 `json:"max"`
	Seconds   float64 `json:"seconds"` // to compute and store

	// Iterations and Residual describe the run of an iterative measure. Sources is the
	// number of vertices from which paths were computed; if they are not all vertices,
	// Error bounds the error of every value with a probability of 0.99.
	Iterations int           `json:"iterations,omitempty"`
	Residual   float64       `json:"residual,omitempty"`
	Sources    int           `json:"sources,omitempty"`
	Error      float64       `json:"error,omitempty"`
	Notices    []rows.Notice `json:"notices,omitempty"`
}

// VertexValue is a vertex with a value.
type VertexValue struct {
	Key   string        `json:"vertex"`
	Value storage.Value `json:"value"`
}

// computable is what the names in a ComputeRequest refer to.
type computable struct {
	measure Measure
	options options
	graph   storage.GraphInfo
	workers int
}

// kindCompute is the statement, and attributeTarget begins the target of its job.
const (
	kindCompute     = "COMPUTE"
	attributeTarget = "attribute "
)

var computeStatement = &engine.Statement[*parser.Compute, ComputeRequest, computable, ComputeResult]{
	Help: help.Statement{
		Statement: kindCompute,
		Summary:   "computes a measure of every vertex, such as pagerank or community, and stores it with AS as an attribute",
		Detail:    "It is then for use in WHERE, BY and SHOW VERTICES. SHOW MEASURES lists the measures. With AS, a computation of more than two seconds becomes a job",
		Words:     "centrality algorithm analytics communities clusters importance ranking",
		Columns:   "vertex, value; with AS: attribute, measure, vertices, min, mean, max, seconds; in the background those of SHOW JOBS",
	},
	Schema:  computeSchema,
	Bind:    bindCompute,
	Resolve: resolveCompute,
	Plan: func(req ComputeRequest, found computable) *plan.Plan {
		detail := "values of all vertices"
		if req.As != "" {
			detail = "attribute " + fault.Name(req.As)
		}
		return plan.Result("measure", detail, plan.Measured(plan.Solve, "compute", found.call().String(), session.GraphPlan(found.graph)))
	},
	Run: runCompute,
	Rows: func(req ComputeRequest, r ComputeResult) *rows.Rows {
		if req.As != "" {
			return cells.RowsOf([]string{"attribute", "measure", "vertices", "min", "mean", "max", "seconds"},
				[][]rows.Value{{r.Attribute, r.Measure, int64(r.Count), r.Min, r.Mean, r.Max, r.Seconds}})
		}
		table := lists.Map(r.Vertices, func(v VertexValue) []rows.Value { return []rows.Value{v.Key, cells.CellOf(v.Value)} })
		m, _ := findMeasure(req.Measure) // which has been computed
		return cells.RowsOf([]string{"vertex", "value"}, table).Typed("value", cells.OrNull(m.Type))
	},
	Job: func(c *engine.Call, req ComputeRequest, found computable) (job.Spec, error) {
		if req.As == "" {
			return job.Spec{}, fault.New(fault.Statement, "a job in the background stores its values and returns no rows").
				WithRemedy("name the attribute for the values with AS")
		}
		return found.spec(req), nil
	},
	Reads: true, // without AS; resolve checks the others
}

func computeSchema() option.Schema[ComputeRequest] {
	return option.Schema[ComputeRequest]{
		option.Bool("overwrite", "replace an attribute that exists", func(r *ComputeRequest) *bool { return &r.Overwrite }),
	}
}

// Compute computes a measure of all vertices of a graph, and stores it as an attribute or
// returns the values. If the values are returned and there are more than Options.MaxRows,
// the error is a *fault.LimitError. The values belong to the version of the graph that was
// read: if the graph has changed meanwhile, new vertices have no value, and Attributes
// reports how much the graph has changed since.
func (s *Service) Compute(ctx context.Context, req ComputeRequest) (ComputeResult, error) {
	return computeStatement.Answer(ctx, s.db, req)
}

// StartCompute is Compute in the background, as vectors.Service.StartEmbed is Embed. The request must have
// an attribute.
func (s *Service) StartCompute(ctx context.Context, req ComputeRequest) (storage.JobInfo, error) {
	return computeStatement.Start(ctx, s.db, req)
}

func bindCompute(b *engine.Binder, s *parser.Compute) (req ComputeRequest) {
	req.Measure, req.Graph = b.Name(fault.Method, s.Measure.Name), b.Name(fault.Graph, s.Graph)
	b.Mark(fault.Statement, s)
	b.Background = s.Background
	given := b.Given(s.Measure.Options)
	m, err := findMeasure(req.Measure)
	b.Fail(err)
	_, err = m.bind(given) // here, because other options may have the same names
	b.Fail(err)
	req.Settings = map[string]any{}
	for _, g := range given {
		req.Settings[g.Name] = g.Value
	}
	req.From = b.VertexKeys(s.From)
	req.As = b.NameOrNone(engine.PartAttribute, s.As)
	engine.Bind(b, kindCompute, computeSchema(), s.Options, &req)
	return req
}

func resolveCompute(c *engine.Call, req ComputeRequest) (found computable, err error) {
	found.workers = c.DB.Opts.Workers
	if found.measure, err = findMeasure(req.Measure); err != nil {
		return found, err
	}
	if found.options, err = found.measure.bind(bind.SortedSettings(req.Settings)); err != nil {
		return found, err
	}
	if found.graph, err = c.GraphInfo(req.Graph, fault.Graph); err != nil {
		return found, err
	}
	if len(req.From) > 0 && !found.measure.From {
		return found, fault.New(engine.PartKey(0), "measure %s does not accept FROM", found.measure.Name)
	}
	for i, key := range req.From {
		if err := c.CheckVertex(found.graph, key, engine.PartKey(i)); err != nil {
			return found, err
		}
	}
	return found, checkStored(c, req, found)
}

// readsDirection reports whether a measure uses the direction of the edges.
func (f computable) readsDirection() bool {
	return f.graph.Directed && f.measure.Directed != "" && !f.measure.weak && !f.options.labels
}

// read loads what the measure reads of a graph, and says so if that is the undirected view.
func (f computable) read(c *engine.Call) (*session.Graph, *csr.Directed, error) {
	if f.readsDirection() {
		return c.Directed(f.graph.Name, fault.Graph)
	}
	view, err := c.Graph(f.graph.Name, fault.Graph)
	if err == nil && !f.measure.weak {
		c.NoteView(f.graph)
	}
	return view, nil, err
}

// checkStored refuses an attribute that cannot be written.
func checkStored(c *engine.Call, req ComputeRequest, found computable) error {
	if req.As == "" {
		return nil
	}
	if err := c.Writable(); err != nil {
		return err
	}
	if err := (storage.Attribute{Name: req.As, Type: found.measure.Type}).Validate(); err != nil {
		return engine.NameMistake(err, engine.PartAttribute)
	}
	if _, exists := session.AttributeOf(found.graph, req.As); exists && !req.Overwrite {
		return fault.New(engine.PartAttribute, "graph %s already has an attribute %s", fault.Name(req.Graph), fault.Quote(req.As)).
			WithRemedy("choose another name, or say WITH (overwrite := TRUE) to replace it").WithErr(storage.ErrExists)
	}
	return nil
}

// call is the measure with the options that differ from their defaults.
func (f computable) call() parser.Call {
	set := f.measure.schema.Differing(f.options, f.measure.defaults)
	return parser.Call{Name: parser.Ident{Name: f.measure.Name}, Options: engine.Options(set)}
}

// settings are the options of the measure; of an undirected graph without the direction.
func (f computable) settings() []storage.Setting {
	return slices.DeleteFunc(f.measure.schema.Settings(f.options), func(s storage.Setting) bool { return s.Name == "direction" && !f.graph.Directed })
}

func (f computable) spec(req ComputeRequest) job.Spec {
	text := parser.Compute{Measure: f.call(), Graph: parser.Ident{Name: req.Graph}, As: &parser.Ident{Name: req.As}, Options: engine.Given(computeSchema(), req)}
	for _, key := range req.From {
		text.From = append(text.From, parser.String{Value: key})
	}
	n := int64(f.graph.Vertices)
	computing, all := f.measure.bytes(measuredOn{f.options, n, f.edges(), int64(f.workers), f.graph.Weighted, f.readsDirection()})
	column := 17*n + session.StoringBytes(8*n) // of what is then stored
	checkpoint := f.checkpointBytes()
	return job.Spec{
		Kind: kindCompute, Text: parser.Text(&text), Target: attributeTarget + fault.Name(req.Graph) + "." + fault.Name(req.As), Graph: f.graph,
		Options: f.settings(), Memory: max(computing+checkpoint, column),
		Allocates: all + checkpoint + column + 1<<20, // and the record of the job
		Result:    8 * n,
		Purpose:   f.purpose(),
	}
}

// checkpointBytes is the memory of writing a checkpoint, which only jobs of more than two seconds do:
// those whose searches read more than 2²⁸ vertices and neighbours.
func (f computable) checkpointBytes() int64 {
	n, sources := int64(f.graph.Vertices), int64(f.options.sources)
	if sources == 0 {
		sources = n // all, or chosen during the computation
	}
	if f.measure.saved == 0 || sources/f.measure.atOnce < 1<<28/max(n+2*f.edges(), 1) {
		return 0
	}
	return session.StoringBytes(f.measure.saved * n)
}

// edges is the number of edges that the measure reads.
func (f computable) edges() int64 {
	if f.readsDirection() {
		return f.graph.Arcs
	}
	return f.graph.Edges
}

func (f computable) purpose() string {
	return "computing " + f.measure.Name + " of graph " + fault.Name(f.graph.Name)
}

func runCompute(c *engine.Call, req ComputeRequest, found computable) (r ComputeResult, err error) {
	if req.As == "" {
		if err := c.CheckRows(found.graph.Vertices); err != nil {
			return r, err
		}
		release, err := c.DB.Cache.Reserve(found.spec(req).Bytes(), found.purpose())
		if err != nil {
			return r, err
		}
		defer release()
		r, err = computeMeasure(c, req, found, embedding.Checkpoints{})
		r.Notices = c.Notices
		return r, err
	}
	r, err = engine.InJob(c, found.spec(req), func(checkpoints embedding.Checkpoints) (ComputeResult, error) {
		return computeMeasure(c, req, found, checkpoints)
	})
	r.Notices = c.Notices
	return r, err
}

// computeMeasure computes a measure, and stores it where an attribute is named.
func computeMeasure(c *engine.Call, req ComputeRequest, found computable, checkpoints embedding.Checkpoints) (ComputeResult, error) {
	began := time.Now()
	view, directed, err := found.read(c)
	if err != nil {
		return ComputeResult{}, err
	}
	values, err := valuesOf(c, view, directed, req, found, checkpoints)
	if err != nil {
		return ComputeResult{}, measureMistake(found.measure, err)
	}
	r := ComputeResult{
		Graph: req.Graph, Measure: found.measure.Name, Attribute: req.As, Count: view.Graph.Vertices(),
		Iterations: values.scores.Iterations, Residual: values.scores.Residual, Sources: values.scores.Sources, Error: values.scores.Error,
	}
	r.summarise(values)
	for _, n := range values.notices {
		c.Notice("%s", n)
	}
	if req.As != "" {
		err = storeMeasure(c, view, req, found, values)
	} else {
		for v := range r.Count {
			r.Vertices = append(r.Vertices, VertexValue{view.Key(uint32(v)), values.value(v)})
		}
	}
	r.Seconds = time.Since(began).Seconds()
	return r, err
}

func valuesOf(c *engine.Call, view *session.Graph, directed *csr.Directed, req ComputeRequest, found computable, checkpoints embedding.Checkpoints) (measured, error) {
	m := measuring{
		Context: c.Ctx, Work: algorithms.Work{Workers: c.Workers(), Progress: c.Meter.Update}, Checkpoints: checkpoints,
		options: found.options, g: view.Graph, d: directed,
	}
	for i, key := range req.From {
		v, err := c.Vertex(view, key, engine.PartKey(i))
		if err != nil {
			return measured{}, err
		}
		m.from = append(m.from, v)
	}
	stop := c.Watch.Start(plan.Solve)
	var values measured
	var err error
	if found.measure.saved > 0 {
		values, err = found.measure.run(m)
	} else if waited := c.Await(func() { values, err = found.measure.run(m) }); waited != nil {
		return measured{}, waited // some measures do not check the context; they take a second for a hundred million edges
	}
	note := ""
	if values.scores.Iterations > 0 {
		note = fault.Count(int64(values.scores.Iterations), "iteration")
	}
	stop(int64(view.Graph.Vertices()), note)
	return values, err
}

// summarise computes the smallest, mean and largest value.
func (r *ComputeResult) summarise(values measured) {
	sum := 0.0
	for v := range r.Count {
		x := values.value(v).Float()
		if v == 0 {
			r.Min, r.Max = x, x
		}
		r.Min, r.Max = min(r.Min, x), max(r.Max, x)
		sum += x
	}
	r.Mean = min(max(sum/float64(max(1, r.Count)), r.Min), r.Max) // rounding can move the mean outside the range
}

func storeMeasure(c *engine.Call, view *session.Graph, req ComputeRequest, found computable, values measured) error {
	column := storage.NewColumn(storage.Attribute{Name: req.As, Type: found.measure.Type}, view.Graph.Vertices())
	for v := range view.Graph.Vertices() {
		if err := column.Set(uint32(v), values.value(v)); err != nil {
			return err
		}
	}
	made := &storage.Computed{
		Method: found.measure.Name, Options: found.settings(),
		GraphVersion: view.Info.Version, Created: time.Now(),
	}
	for _, key := range req.From {
		made.Options = append(made.Options, storage.Setting{Name: entries.FromSetting, Value: key})
	}
	return c.DB.Store.Update(c.Ctx, func(tx *storage.Tx) error {
		_, err := tx.PutColumn(view.Snapshot, column, made, req.Overwrite)
		return err
	})
}
