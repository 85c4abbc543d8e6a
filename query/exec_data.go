package query

import (
	"context"
	"iter"

	"heavytail/query/parser"
	"heavytail/storage"
)

// This file runs the bound statements that change vertices and edges, and those
// that show vertices.

type dropAttributeOp struct{ graph, attribute string }

func (o *dropAttributeOp) exec(c *call) (*Rows, error) {
	return none(), c.dropAttribute(o.graph, o.attribute)
}

type insertVerticesOp struct {
	graph    string
	vertices []storage.Vertex
}

func (o *insertVerticesOp) exec(c *call) (*Rows, error) {
	r, err := c.insertVertices(o.graph, o.vertices)
	return r.rows("inserted", "updated", "unchanged"), err
}

type updateVerticesOp struct {
	req   UpdateVerticesRequest
	where parser.Expr     // of req.Where, for its text; may be nil
	set   []parser.Option // for their text
}

func (o *updateVerticesOp) exec(c *call) (*Rows, error) {
	r, err := c.updateVertices(o.req)
	return r.rows("updated", "unchanged"), err
}

type deleteVerticesOp struct {
	req   DeleteVerticesRequest
	where parser.Expr // of req.Where, for its text; may be nil
}

func (o *deleteVerticesOp) exec(c *call) (*Rows, error) {
	r, err := c.deleteVertices(o.req)
	return r.rows("deleted", "missing", "edges_deleted"), err
}

// edgeVerb is what a statement does to edges.
type edgeVerb uint8

const (
	insertVerb edgeVerb = iota
	updateVerb
	deleteVerb
)

type edgesOp struct {
	verb  edgeVerb
	graph string
	edges []storage.Edge
}

func (o *edgesOp) exec(c *call) (*Rows, error) {
	switch o.verb {
	case insertVerb:
		r, err := c.insertEdges(o.graph, o.edges)
		return r.rows("inserted", "updated", "unchanged", "vertices"), err
	case updateVerb:
		r, err := c.updateEdges(o.graph, o.edges)
		return r.rows("updated", "unchanged"), err
	default:
		r, err := c.deleteEdges(o.graph, o.edges)
		return r.rows("deleted", "missing"), err
	}
}

type deleteEdgesFileOp struct{ req DeleteEdgesFileRequest }

func (o *deleteEdgesFileOp) exec(c *call) (*Rows, error) {
	r, err := c.deleteEdgesFile(o.req)
	return r.rows("deleted", "missing"), err
}

// rows is the one row of a change: the graph, some of the counts, and the
// version of the graph.
func (r WriteResult) rows(counts ...string) *Rows {
	all := map[string]int64{
		"inserted": r.Inserted, "updated": r.Updated, "deleted": r.Deleted, "unchanged": r.Unchanged,
		"missing": r.Missing, "vertices": r.NewVertices, "edges_deleted": r.EdgesDeleted,
	}
	columns, row := []string{"graph"}, []Value{r.Graph}
	for _, n := range counts {
		columns, row = append(columns, n), append(row, all[n])
	}
	return rowsOf(append(columns, "version"), [][]Value{append(row, int64(r.Version))})
}

type showVerticesOp struct {
	req   VerticesRequest
	found *vertexScan
	where parser.Expr // of req.Where, for its text; may be nil
}

func (o *showVerticesOp) exec(c *call) (*Rows, error) {
	s := o.found
	columns := append([]string{"vertex", "degree"}, s.columns.names...)
	return c.streamVertices(columns, s, func(v uint32) []Value { return s.values([]Value{s.graph.Key(v), int64(s.graph.Graph.Degree(v))}, v) }), nil
}

type showNeighborsOp struct {
	req   NeighborsRequest
	found *vertexScan
	where parser.Expr // of req.Where, for its text; may be nil
}

func (o *showNeighborsOp) exec(c *call) (*Rows, error) {
	s := o.found
	columns := []string{"vertex", "degree"}
	weighted, timed := s.graph.Graph.Weights != nil, s.graph.Graph.Times != nil
	if weighted {
		columns = append(columns, "weight")
	}
	if timed {
		columns = append(columns, "time")
	}
	return c.streamVertices(append(columns, s.columns.names...), s, func(v uint32) []Value {
		n := s.neighbor(v)
		row := []Value{n.Key, int64(n.Degree)}
		if weighted {
			row = append(row, n.Weight)
		}
		if timed && n.Timed {
			row = append(row, n.Time)
		} else if timed {
			row = append(row, nil)
		}
		return s.values(row, v)
	}), nil
}

// streamVertices returns rows that are made while they are read, so that a long
// list takes no memory. They keep what the call has loaded until they end.
func (c *call) streamVertices(columns []string, s *vertexScan, row func(v uint32) []Value) *Rows {
	c.streaming = true
	stop := c.watch.start(stepScan)
	rows := newRows(columns, s.stream(c.ctx, row, func(n int64) { stop(n, s.scanned()) }))
	end := rows.stop
	rows.stop = func() {
		end()
		c.release()
	}
	return rows
}

// stream yields a row for every vertex of the scan, and calls done with their
// number at the end.
func (s *vertexScan) stream(ctx context.Context, row func(v uint32) []Value, done func(n int64)) iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		n := int64(0)
		err := s.each(ctx, func(v uint32) error {
			n++
			if !yield(row(v), nil) {
				return errStopped
			}
			return nil
		})
		done(n)
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

type showAttributesOp struct{ graph storage.GraphInfo }

func (o *showAttributesOp) exec(c *call) (*Rows, error) {
	list, err := c.attributes(o.graph.Name)
	table := make([][]Value, len(list))
	for i, a := range list {
		table[i] = []Value{a.Name, a.Type.String(), int64(a.Vertices), int64(a.Missing)}
	}
	return rowsOf([]string{"attribute", "type", "vertices", "missing"}, table), err
}

type describeVertexOp struct {
	graph  storage.GraphInfo
	vertex string
}

func (o *describeVertexOp) exec(c *call) (*Rows, error) {
	d, err := c.describeVertex(o.graph.Name, o.vertex)
	return rowsOf([]string{"property", "value"}, d.rows()), err
}

// rows is the table of DESCRIBE VERTEX.
func (d VertexDescription) rows() [][]Value {
	table := [][]Value{{"vertex", d.Key}, {"graph", d.Graph.Name}, {"degree", int64(d.Degree)}}
	if d.Graph.Weighted {
		table = append(table, []Value{"strength", d.Strength})
	}
	if d.Times > 0 {
		table = append(table, []Value{"edges with a time", int64(d.Times)}, []Value{"first time", d.First}, []Value{"last time", d.Last})
	}
	for _, a := range d.Attributes {
		table = append(table, []Value{"attribute " + a.Name, cellOf(a.Value)})
	}
	return table
}

// cellOf is a value of an attribute as a cell; nil where it is missing.
func cellOf(v storage.Value) Value {
	switch v.Type() {
	case storage.Text:
		return v.Text()
	case storage.Integer:
		return v.Integer()
	case storage.Float:
		return v.Float()
	case storage.Boolean:
		return v.Boolean()
	}
	return nil
}
