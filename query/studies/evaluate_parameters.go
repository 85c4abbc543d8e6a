package studies

import (
	"context"
	"slices"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/session"
	"heavytail/query/internal/sweep"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file has EVALUATE PARAMETERS: the studies of parameters in figure 3 of
// the paper, and studies of further parameters.

// EvaluateParametersRequest asks how the reconstruction of a graph depends on the
// options of an embedding method.
type EvaluateParametersRequest struct {
	Graph string
	// Using, or Method and Settings, is the method whose options are varied, as
	// in vectors.EmbedRequest.
	Using    vectors.MethodOptions
	Method   string
	Settings map[string]any
	// Vary has the options to vary, one at a time, with their values; nil is
	// DefaultVariations of the method.
	Vary []Variation

	Grid      evaluate.Grid      // the radii to try for each embedding
	Points    int                // number of radii; 0 is the default of evaluate.ReconstructOptions
	Criterion evaluate.Criterion // the measure that decides which radius is best

	studied [len(studiedOptions)][]float64 // Vary as the statement has it
}

// Variation is an option of a method with the values that it takes.
type Variation struct {
	Option string // name of a numeric option
	Values []float64
}

// ParameterPoint is the best reconstruction with one value of one option.
type ParameterPoint struct {
	Option string  `json:"option"`
	Value  float64 `json:"value"`
	evaluate.ReconstructionPoint
	// Null is the null of the rows: the best of vectors of the same lengths in random
	// directions.
	Null evaluate.ReconstructionPoint `json:"null"`
}

// EvaluateParametersResult is the answer of EvaluateParameters.
type EvaluateParametersResult struct {
	Points  []ParameterPoint `json:"points"` // in the order of the request
	Notices []rows.Notice    `json:"notices,omitempty"`
}

// DefaultVariations are the options of a method that are worth a study, each with
// values over the range in which reconstructions of real graphs change. It is nil
// for an unknown method.
func DefaultVariations(method string) []Variation {
	all := []Variation{
		{"dim", []float64{10, 25, 50, 100, 150, 200, 250}},
		{"beta", []float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3}},
		{"scale", []float64{0, 0.125, 0.25, 0.375, 0.5, 0.75, 1}},
		{"row_scale", []float64{0, 0.125, 0.25, 0.375, 0.5, 0.75}},
	}
	found, err := methods.Find(method)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(v Variation) bool {
		// One solve serves all values of row_scale, but walks would be trained again for each.
		return v.Option == "row_scale" && found.Walks || !slices.ContainsFunc(found.Options, func(o option.Info) bool { return o.Name == v.Option })
	})
}

var evaluateParameters = &engine.Statement[*parser.EvaluateParameters, EvaluateParametersRequest, study, EvaluateParametersResult]{
	Help: help.Statement{
		Statement: "EVALUATE PARAMETERS",
		Summary:   "varies the options of a method one at a time, embeds the graph with each value, and measures the best reconstruction",
		Detail:    "Without values it tries the usual values of all options. It stores nothing. " + sweep.Reading,
		Words:     "grid search sensitivity hyperparameters sweep parameters",
		Columns:   "option, value, " + sweep.EvaluationColumns,
	},
	Schema:  parametersSchema,
	Bind:    bindEvaluateParameters,
	Resolve: resolveEvaluateParameters,
	Plan: func(req EvaluateParametersRequest, s study) *plan.Plan {
		axes := lists.Map(s.axes, func(axis run.Axis) string {
			return axis.Option + " at " + fault.Count(int64(len(axis.Values)), "value")
		})
		return plan.Result("evaluation", "the best reconstruction for each value, by "+sweep.Criteria()[req.Criterion],
			plan.Measured(plan.Solve, "method", s.Text().String()+", "+strings.Join(axes, ", "), session.GraphPlan(s.graph)))
	},
	Run: runEvaluateParameters,
	Table: func(_ EvaluateParametersRequest, r EvaluateParametersResult) [][]rows.Value {
		return lists.Map(r.Points, func(p ParameterPoint) []rows.Value {
			return append([]rows.Value{p.Option, p.Value}, sweep.EvaluationRow(p.ReconstructionPoint, &p.Null)...)
		})
	},
	Reads: true,
}

// studiedOptions are the options that a study can vary, with a description of their values.
var studiedOptions = [...]struct{ name, doc string }{
	{"dim", "numbers of coordinates"},
	{"beta", "degree penalties"},
	{"scale", "powers of the eigenvalues"},
	{"row_scale", "powers of the degrees"},
}

func parametersSchema() option.Schema[EvaluateParametersRequest] {
	type request = EvaluateParametersRequest
	var schema option.Schema[request]
	for i, o := range studiedOptions {
		schema = append(schema, option.Numbers(o.name, "comma-separated "+o.doc+" to try", func(r *request) *[]float64 { return &r.studied[i] }))
	}
	tried := sweep.Fields("each", func(r *request) *evaluate.Grid { return &r.Grid }, func(r *request) *int { return &r.Points },
		func(r *request) *evaluate.Criterion { return &r.Criterion }, nil)
	return append(schema, tried[:len(tried)-1]...) // the answer has the best point of each
}

// EvaluateParameters varies one option after the other, embeds the graph with
// each value, and measures the best reconstruction from every embedding, as
// vectors.Service.EvaluateReconstruction does. One solve serves all values of dim, scale and
// row_scale. It stores nothing.
func (s *Service) EvaluateParameters(ctx context.Context, req EvaluateParametersRequest) (EvaluateParametersResult, error) {
	return evaluateParameters.Answer(ctx, s.db, req)
}

// study is a request whose names are resolved.
type study struct {
	methods.Configured // with the options that are not varied
	graph              storage.GraphInfo
	axes               []run.Axis
}

func bindEvaluateParameters(b *engine.Binder, s *parser.EvaluateParameters) EvaluateParametersRequest {
	req := EvaluateParametersRequest{Graph: b.Name(fault.Graph, s.Graph), Method: s.Method.Name.Name}
	req.Settings = methods.Bind(b, s.Method)
	engine.Bind(b, parser.Heading(s), parametersSchema(), s.Options, &req)
	for i, o := range studiedOptions {
		if values := req.studied[i]; values != nil {
			req.Vary = append(req.Vary, Variation{o.name, values})
		}
	}
	return req
}

func resolveEvaluateParameters(c *engine.Call, req EvaluateParametersRequest) (s study, err error) {
	if s.Configured, err = methods.Configure(req.Method, req.Settings, req.Using); err != nil {
		return s, err
	}
	if req.Vary == nil {
		req.Vary = DefaultVariations(s.Method.Name)
	}
	for _, v := range req.Vary {
		if err := checkVariation(s.Method, v); err != nil {
			return s, err
		}
		s.axes = append(s.axes, run.Axis{Option: v.Option, Values: v.Values})
	}
	if s.graph, err = entries.Embeddable(c, req.Graph); err == nil {
		err = s.CheckDirection(s.graph)
	}
	return s, err
}

// checkVariation returns an Error for an unknown option of the method, or a
// value that the option does not accept.
func checkVariation(method run.Method, v Variation) error {
	if len(v.Values) == 0 {
		return fault.OfOption(v.Option, "has no values to take")
	}
	for _, value := range v.Values {
		given := option.Given{Name: v.Option, Value: value}
		i := slices.IndexFunc(method.Options, func(o option.Info) bool { return o.Name == v.Option })
		if i >= 0 && method.Options[i].Type == "int" && value == float64(int64(value)) {
			given.Value = int64(value)
		}
		if _, err := methods.Options(method.Name, []option.Given{given}); err != nil {
			return err
		}
	}
	return nil
}

func runEvaluateParameters(c *engine.Call, req EvaluateParametersRequest, s study) (result EvaluateParametersResult, err error) {
	graph, directed, err := s.Load(c, req.Graph, fault.Graph)
	if err != nil {
		return result, err
	}
	s.NoteView(c, graph.Info)
	g := graph.Graph
	embed := run.Request{Method: s.Method.Name, Options: s.Options, Directed: directed, Workers: c.DB.Opts.Workers, Progress: c.Meter.Update}
	bytes, err := run.VaryBytes(g, embed, s.axes)
	if err != nil {
		return result, err
	}
	release, err := c.DB.Cache.Reserve(bytes, "a study of graph "+fault.Name(req.Graph))
	if err != nil {
		return result, err
	}
	defer release()
	stop := c.Watch.Start(plan.Solve)
	err = run.Vary(c.Ctx, g, embed, s.axes, func(axis, value int, vectors *vec.Matrix) error {
		best, null, err := bestReconstruction(c, g, vectors, req)
		if err != nil {
			return err
		}
		p := ParameterPoint{s.axes[axis].Option, s.axes[axis].Values[value], best, null}
		if !evaluate.Plausible(g, best.Edges) {
			c.Notice("%s := %v: %s", p.Option, p.Value, sweep.Implausible(best.Edges, g.Edges()))
		}
		result.Points = append(result.Points, p)
		return nil
	})
	if err != nil {
		return result, err
	}
	stop(int64(len(result.Points)), fault.Count(int64(len(result.Points)), "embedding"))
	result.Notices = c.Notices
	return result, nil
}

// bestReconstruction measures the reconstructions from the rows of an embedding
// and returns the best, and the null of the rows.
func bestReconstruction(c *engine.Call, g *csr.Graph, rows *vec.Matrix, req EvaluateParametersRequest) (best, null evaluate.ReconstructionPoint, err error) {
	opts := evaluate.ReconstructOptions{
		Grid: req.Grid, Points: req.Points, Criterion: req.Criterion, BestLaw: true,
		Workers: c.DB.Opts.Workers, Progress: c.Meter.Update, MaxBytes: 1 << 28,
	}
	at, points, err := evaluate.ReconstructSweep(c.Ctx, g, rows, opts)
	if err != nil {
		return best, null, err
	}
	null, err = evaluate.ReconstructNull(c.Ctx, g, rows, sweep.ForNull(c, opts))
	return points[at], null, err
}
