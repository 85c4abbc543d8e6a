package query

import (
	"context"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/job"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file is EVALUATE PARAMETERS: the studies of parameters in the paper's
// figure 3, and of those that it does not have.

// EvaluateParametersRequest asks how the reconstruction of a graph depends on the
// options of an embedding method.
type EvaluateParametersRequest struct {
	Graph string
	// Method and Settings are what is varied, as in EmbedRequest.
	Method   string
	Settings map[string]any
	// Vary is what takes other values, one option at a time; nil is
	// DefaultVariations of the method.
	Vary []Variation

	Grid      evaluate.Grid      // which radii are tried of each embedding
	Points    int                // how many; 0 is the default of evaluate.ReconstructOptions
	Criterion evaluate.Criterion // what makes one the best
}

// Variation is an option of a method with the values that it takes.
type Variation struct {
	Option string // a number
	Values []float64
}

// ParameterPoint is the best reconstruction with one value of one option.
type ParameterPoint struct {
	Option string
	Value  float64
	evaluate.ReconstructionPoint
}

// EvaluateParametersResult is the answer of EvaluateParameters.
type EvaluateParametersResult struct {
	Points  []ParameterPoint // in the order of the request
	Notices []Notice
}

// DefaultVariations are the options of a method that are worth a study, each with
// values over the range in which reconstructions of real graphs change. There are
// none of an unknown method.
func DefaultVariations(method string) []Variation {
	all := []Variation{
		{"dim", []float64{10, 25, 50, 100, 150, 200, 250}},
		{"beta", []float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3}},
		{"scale", []float64{0, 0.125, 0.25, 0.375, 0.5, 0.75, 1}},
		{"row_scale", []float64{0, 0.125, 0.25, 0.375, 0.5, 0.75}},
	}
	found, err := findMethod(method)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(v Variation) bool {
		return !slices.ContainsFunc(found.Options, func(o OptionInfo) bool { return o.Name == v.Option })
	})
}

// EvaluateParameters embeds a graph with one option after the other at each of
// its values, and measures the best reconstruction from every embedding, as
// EvaluateReconstruction does. One solve serves all values of dim, scale and
// row_scale. It stores nothing.
func (db *DB) EvaluateParameters(ctx context.Context, req EvaluateParametersRequest) (EvaluateParametersResult, error) {
	c, err := db.begin(ctx, "EVALUATE PARAMETERS")
	if err != nil {
		return EvaluateParametersResult{}, err
	}
	defer c.end()
	result, err := c.evaluateParameters(req, sortedSettings(req.Settings))
	return result, c.wrap(err)
}

// study is a request whose names are resolved.
type study struct {
	embedding // with the options that stay
	axes      []job.Axis
}

// resolveEvaluateParameters checks a request and finds what it names.
func (c *call) resolveEvaluateParameters(req EvaluateParametersRequest, given []setting) (*study, error) {
	if req.Points < 0 || req.Points > maxPoints {
		return nil, mistake(partOption("points"), "points is %d, and must be from 0 to %d", req.Points, maxPoints)
	}
	s := &study{}
	var err error
	if s.method, err = findMethod(req.Method); err != nil {
		return nil, err
	}
	if s.settings, s.options, err = methodOptions(s.method, given); err != nil {
		return nil, err
	}
	if req.Vary == nil {
		req.Vary = DefaultVariations(req.Method)
	}
	for _, v := range req.Vary {
		if err := checkVariation(s.method, v); err != nil {
			return nil, err
		}
		s.axes = append(s.axes, job.Axis{Option: v.Option, Values: v.Values})
	}
	info, err := c.graphInfo(req.Graph, partGraph)
	if err != nil {
		return nil, err
	}
	if info.Vertices == 0 {
		return nil, mistake(partGraph, "graph %s has no vertices to embed", quote(req.Graph))
	}
	s.graph, err = c.graph(req.Graph, partGraph)
	return s, err
}

// checkVariation refuses options that the method does not have, and values that
// they do not take.
func checkVariation(method Method, v Variation) error {
	if len(v.Values) == 0 {
		return mistake(partOption(v.Option), "option %s has no values to take", v.Option)
	}
	for _, value := range v.Values {
		given := setting{v.Option, value}
		i := slices.IndexFunc(method.Options, func(o OptionInfo) bool { return o.Name == v.Option })
		if i >= 0 && method.Options[i].Type == "int" && value == float64(int64(value)) {
			given.value = int64(value)
		}
		if _, _, err := methodOptions(method, []setting{given}); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) evaluateParameters(req EvaluateParametersRequest, given []setting) (EvaluateParametersResult, error) {
	s, err := c.resolveEvaluateParameters(req, given)
	if err != nil {
		return EvaluateParametersResult{}, err
	}
	embed := job.Request{Method: req.Method, Options: s.options, Workers: c.db.opts.Workers, Progress: c.meter.update}
	bytes, err := job.VaryBytes(s.graph.Graph, embed, s.axes)
	if err != nil {
		return EvaluateParametersResult{}, err
	}
	release, err := c.db.cache.reserve(bytes, "a study of graph "+name(req.Graph))
	if err != nil {
		return EvaluateParametersResult{}, err
	}
	defer release()
	stop := c.watch.start(stepSolve)
	var result EvaluateParametersResult
	err = job.Vary(c.ctx, s.graph.Graph, embed, s.axes, func(axis, value int, rows *vec.Matrix) error {
		best, err := c.bestReconstruction(s.graph.Graph, rows, req)
		result.Points = append(result.Points, ParameterPoint{s.axes[axis].Option, s.axes[axis].Values[value], best})
		return err
	})
	if err != nil {
		return EvaluateParametersResult{}, err
	}
	stop(int64(len(result.Points)), count(int64(len(result.Points)), "embedding"))
	result.Notices = c.notices
	return result, nil
}

// bestReconstruction measures the reconstructions from the rows of an embedding
// and returns the best.
func (c *call) bestReconstruction(g *csr.Graph, rows *vec.Matrix, req EvaluateParametersRequest) (evaluate.ReconstructionPoint, error) {
	best, points, err := evaluate.ReconstructSweep(c.ctx, g, rows, evaluate.ReconstructOptions{
		Grid: req.Grid, Points: req.Points, Criterion: req.Criterion, BestLaw: true,
		Workers: c.db.opts.Workers, Progress: c.meter.update, MaxBytes: 1 << 28,
	})
	if err != nil {
		return evaluate.ReconstructionPoint{}, err
	}
	return points[best], nil
}
