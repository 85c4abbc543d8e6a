package vectors

import (
	"context"
	"fmt"

	methods "heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/index/pairs"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/internal/sweep"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// This file has EVALUATE RECONSTRUCTION: it measures the same as RECONSTRUCT
// … AUTO, and in addition the power law of the degrees.

// EvaluateReconstructionRequest asks how well an embedding reconstructs its graph.
type EvaluateReconstructionRequest struct {
	Embedding string
	Grid      evaluate.Grid      // which radii are tried
	Points    int                // number of radii; 0 is the default of evaluate.ReconstructOptions
	Criterion evaluate.Criterion // the measure that decides which radius is best
	Laws      bool               // fit a power law to the degrees of every point, not only of the best

	all bool // the table has every point, not only the best
}

// EvaluateReconstructionResult is the answer of EvaluateReconstruction.
type EvaluateReconstructionResult struct {
	// Points are all measured reconstructions, by ascending radius. The best one has
	// the power law of its degrees; with Laws or the criterion ByKS every one has.
	Points []evaluate.ReconstructionPoint `json:"points"`
	Best   int                            `json:"best"` // index in Points of the best by the criterion
	// Null is the null of the rows: the best of vectors of the same lengths in random
	// directions.
	Null    *evaluate.ReconstructionPoint `json:"null,omitempty"`
	Notices []rows.Notice                 `json:"notices,omitempty"`
}

// sweep converts the request to one of RECONSTRUCT for the same measurements.
func (req EvaluateReconstructionRequest) sweep() ReconstructRequest {
	return ReconstructRequest{
		Embedding: req.Embedding, Auto: true, Grid: req.Grid, Points: req.Points, Criterion: req.Criterion,
		laws: req.Laws, bestLaw: true,
	}
}

var evaluateReconstruction = &engine.Statement[*parser.EvaluateReconstruction, EvaluateReconstructionRequest, swept, EvaluateReconstructionResult]{
	Help: help.Statement{
		Statement: "EVALUATE RECONSTRUCTION",
		Summary:   "measures how well an embedding reconstructs the degrees and edges of its graph, at the best of many distances",
		Detail:    sweep.Reading,
		Words:     "reconstruction quality paper pearson spearman f1 benchmark",
		Columns:   sweep.EvaluationColumns,
	},
	Schema: evaluateReconstructionSchema,
	Bind: func(b *engine.Binder, s *parser.EvaluateReconstruction) EvaluateReconstructionRequest {
		req := EvaluateReconstructionRequest{Embedding: b.Name(fault.Embedding, s.Embedding)}
		engine.Bind(b, parser.Heading(s), evaluateReconstructionSchema(), s.Options, &req)
		req.Laws = req.all
		return req
	},
	Resolve: func(c *engine.Call, req EvaluateReconstructionRequest) (swept, error) {
		return resolveReconstruct(c, req.sweep())
	},
	Plan: func(req EvaluateReconstructionRequest, found swept) *plan.Plan {
		return plan.Result("evaluation", "degree correlations, power law, precision, recall, f1 and h3, and the null of the rows", found.plan(radiiText(req.Grid, req.Criterion)))
	},
	Run: runEvaluateReconstruction,
	Table: func(req EvaluateReconstructionRequest, r EvaluateReconstructionResult) [][]rows.Value {
		return sweep.Rows(r.Points, r.Best, r.Null, req.all, sweep.EvaluationRow)
	},
	Reads: true,
}

func evaluateReconstructionSchema() option.Schema[EvaluateReconstructionRequest] {
	type request = EvaluateReconstructionRequest
	return sweep.Fields("it", func(r *request) *evaluate.Grid { return &r.Grid }, func(r *request) *int { return &r.Points },
		func(r *request) *evaluate.Criterion { return &r.Criterion }, func(r *request) *bool { return &r.all })
}

// EvaluateReconstruction measures the reconstructions of a graph from an
// embedding over a range of radii, as Reconstruct does with Auto, and fits a
// power law to the degrees. It stores nothing.
func (s *Service) EvaluateReconstruction(ctx context.Context, req EvaluateReconstructionRequest) (EvaluateReconstructionResult, error) {
	return evaluateReconstruction.Answer(ctx, s.db, req)
}

func runEvaluateReconstruction(c *engine.Call, req EvaluateReconstructionRequest, found swept) (EvaluateReconstructionResult, error) {
	r, err := runReconstruct(c, req.sweep(), found)
	return EvaluateReconstructionResult{Points: r.Points, Best: r.Best, Null: r.Null, Notices: r.Notices}, err
}

// ReconstructedDegreesResult is the answer of ReconstructedDegrees.
type ReconstructedDegreesResult struct {
	Graph string                       `json:"graph"` // the graph that was embedded
	Point evaluate.ReconstructionPoint `json:"point"`
	// Null is the null of the rows, as in EvaluateReconstructionResult.
	Null    *evaluate.ReconstructionPoint `json:"null,omitempty"`
	Degrees []graphs.DegreeCount          `json:"degrees"` // degrees of the reconstruction, ascending
	Notices []rows.Notice                 `json:"notices,omitempty"`
}

// ReconstructedDegrees returns the degrees of a reconstruction from an embedding,
// as Reconstruct finds it with Auto, without making its edges.
func (s *Service) ReconstructedDegrees(ctx context.Context, req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
	return engine.InCall(ctx, s.db, "RECONSTRUCT", func(c *engine.Call) (ReconstructedDegreesResult, error) { return reconstructedDegrees(c, req) })
}

func reconstructedDegrees(c *engine.Call, req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
	found, err := resolveReconstruct(c, req.sweep())
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	swept, err := runEvaluateReconstruction(c, req, found)
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	s, err := c.Space(req.Embedding, fault.Embedding)
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	point := swept.Points[swept.Best]
	sweeper, err := pairs.NewSweep(c.Ctx, s.Matrix, []float64{point.Radius}, pairs.Options{Workers: c.DB.Opts.Workers, Progress: c.Meter.Update})
	if err != nil {
		return ReconstructedDegreesResult{}, fmt.Errorf("degrees: %w", err)
	}
	return ReconstructedDegreesResult{Graph: s.Info.Graph, Point: point, Null: swept.Null, Degrees: graphs.CountDegrees(sweeper.Degrees(0, nil)), Notices: c.Notices}, nil
}

// ProjectionRequest asks for an embedding in two dimensions, for a drawing.
type ProjectionRequest struct {
	Embedding string
	Attribute string // of the vertices, whose values distinguish the vertices; "" for none
	// All projects all components of the graph. Without it, if the embedding has
	// placed the components apart, only the largest component is projected,
	// because the distances between components would hide everything else.
	All bool
}

// ProjectionResult is the answer of Projection.
type ProjectionResult struct {
	Vertices []ProjectedVertex `json:"vertices"` // in the order in which they came into the graph
	Share    [2]float64        `json:"share"`    // fractions of the variance of all coordinates that X and Y have
	LeftOut  int               `json:"left_out"` // number of vertices of other components
	Notices  []rows.Notice     `json:"notices,omitempty"`
}

// ProjectedVertex is a vertex with its first two principal components.
type ProjectedVertex struct {
	Vertex string        `json:"vertex"`
	Degree int           `json:"degree"`
	Value  storage.Value `json:"value"` // value of the attribute; missing if the vertex has none
	X      float64       `json:"x"`
	Y      float64       `json:"y"`
}

// Projection returns the vectors of an embedding in two dimensions, as
// methods.Project does. Vertices that are newer than the embedding are left
// out.
func (s *Service) Projection(ctx context.Context, req ProjectionRequest) (ProjectionResult, error) {
	return engine.InCall(ctx, s.db, "PROJECTION", func(c *engine.Call) (ProjectionResult, error) { return projection(c, req) })
}

func projection(c *engine.Call, req ProjectionRequest) (ProjectionResult, error) {
	var s *session.Space
	var columns *session.ColumnSet
	err := c.Consistent(func() (err error) {
		if s, err = c.Space(req.Embedding, fault.Embedding); err != nil || req.Attribute == "" {
			return err
		}
		_, columns, err = c.Columns(s.Info.Graph, []string{req.Attribute}, fault.Option("attribute"))
		return err
	})
	if err != nil {
		return ProjectionResult{}, err
	}
	release, err := c.DB.Cache.Reserve(8*int64(len(s.Matrix.Data))+64*int64(s.Matrix.Rows), "projecting embedding "+fault.Name(req.Embedding))
	if err != nil {
		return ProjectionResult{}, err
	}
	defer release()
	chosen := projected(c, s, req.All)
	p, err := methods.Project(c.Ctx, rowsAt(s.Matrix, chosen), c.DB.Opts.Workers)
	if err != nil {
		return ProjectionResult{}, err
	}
	result := ProjectionResult{Share: p.Share, LeftOut: s.Matrix.Rows - len(chosen)}
	if result.LeftOut > 0 {
		c.Notice("%s of smaller components left out", fault.Count(int64(result.LeftOut), "vertex"))
	}
	for i, v := range chosen {
		at := ProjectedVertex{Vertex: s.Graph.Key(v), Degree: s.Graph.Graph.Degree(v), X: p.X[i], Y: p.Y[i]}
		if columns != nil {
			at.Value = columns.At(0, v)
		}
		result.Vertices = append(result.Vertices, at)
	}
	result.Notices = c.Notices
	return result, nil
}

// projected are the vertices to project, ascending.
func projected(c *engine.Call, s *session.Space, all bool) []uint32 {
	var label []uint32
	if apart := engine.ValueOf(s.Info.Options, "components") == methods.Apart.String(); apart && !all {
		label = s.Graph.Graph.Components().Label
	}
	var chosen []uint32
	for v := range uint32(s.Matrix.Rows) {
		if label == nil || label[v] == 0 {
			chosen = append(chosen, v)
		}
	}
	return chosen
}

// rowsAt returns some rows of a matrix, in ascending order; it returns the
// matrix itself if they are all rows.
func rowsAt(m *vec.Matrix, rows []uint32) *vec.Matrix {
	if len(rows) == m.Rows {
		return m
	}
	some := vec.NewMatrix(len(rows), m.Dim)
	for i, v := range rows {
		copy(some.Row(i), m.Row(int(v)))
	}
	return some
}
