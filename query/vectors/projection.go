package vectors

import (
	"context"

	methods "heavytail/embedding"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/vec"
)

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
