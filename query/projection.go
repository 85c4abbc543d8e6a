package query

import (
	"context"
	"slices"

	methods "heavytail/embedding" // embedding is a type of this package
	"heavytail/storage"
	"heavytail/storage/vec"
)

// ProjectionRequest asks for an embedding in two dimensions, to be drawn.
type ProjectionRequest struct {
	Embedding string
	Attribute string // of the vertices, to tell them apart by; "" for none
	// All projects all components of the graph. Without it only the largest is, if
	// the embedding has placed the components apart: the distances between them
	// would hide everything else.
	All bool
}

// ProjectionResult is the answer of Projection.
type ProjectionResult struct {
	Vertices []ProjectedVertex // in the order in which they came into the graph
	Share    [2]float64        // of the variance of all coordinates that X and Y have
	LeftOut  int               // vertices of other components
	Notices  []Notice
}

// ProjectedVertex is a vertex with its first two principal components.
type ProjectedVertex struct {
	Key    string
	Degree int
	Value  storage.Value // of the attribute, missing where there is none
	X, Y   float64
}

// Projection returns the vectors of an embedding in two dimensions, as
// methods.Project does. Vertices that are newer than the embedding have none.
func (db *DB) Projection(ctx context.Context, req ProjectionRequest) (ProjectionResult, error) {
	c, err := db.begin(ctx, "PROJECTION")
	if err != nil {
		return ProjectionResult{}, err
	}
	defer c.end()
	result, err := c.projection(req)
	return result, c.wrap(err)
}

func (c *call) projection(req ProjectionRequest) (ProjectionResult, error) {
	var s *space
	var columns *columnSet
	err := c.settled(func() (err error) {
		if s, err = c.space(req.Embedding, partEmbedding); err != nil || req.Attribute == "" {
			return err
		}
		_, columns, err = c.columns(s.info.Graph, []string{req.Attribute}, partOption("attribute"))
		return err
	})
	if err != nil {
		return ProjectionResult{}, err
	}
	release, err := c.db.cache.reserve(8*int64(len(s.matrix.Data))+64*int64(s.matrix.Rows), "projecting embedding "+name(req.Embedding))
	if err != nil {
		return ProjectionResult{}, err
	}
	defer release()
	chosen := c.projected(s, req.All)
	p, err := methods.Project(c.ctx, rowsAt(s.matrix, chosen), c.db.opts.Workers)
	if err != nil {
		return ProjectionResult{}, err
	}
	result := ProjectionResult{Share: p.Share, LeftOut: s.matrix.Rows - len(chosen)}
	if result.LeftOut > 0 {
		c.notice("%s of smaller components left out", count(int64(result.LeftOut), "vertex"))
	}
	for i, v := range chosen {
		at := ProjectedVertex{Key: s.graph.Key(v), Degree: s.graph.Graph.Degree(v), X: p.X[i], Y: p.Y[i]}
		if columns != nil {
			at.Value = columns.at(0, v)
		}
		result.Vertices = append(result.Vertices, at)
	}
	result.Notices = c.notices
	return result, nil
}

// projected are the vertices to project, ascending.
func (c *call) projected(s *space, all bool) []uint32 {
	apart := slices.ContainsFunc(s.info.Options, func(o storage.Setting) bool {
		return o.Name == "components" && o.Value == methods.Apart.String()
	})
	var label []uint32
	if apart && !all {
		label = s.graph.Graph.Components().Label
	}
	var chosen []uint32
	for v := range uint32(s.matrix.Rows) {
		if label == nil || label[v] == 0 {
			chosen = append(chosen, v)
		}
	}
	return chosen
}

// rowsAt returns some rows of a matrix, ascending, without a copy where they are
// all.
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
