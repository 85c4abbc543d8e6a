package query

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// VerticesRequest asks for the vertices of a graph that meet a condition.
type VerticesRequest struct {
	Graph string               // may be empty where the file has one graph
	Where func(Candidate) bool // nil admits all; it is called from one goroutine
	// Attributes are those that Where reads and that the answer has, in this
	// order.
	Attributes []string
	Limit      int // most answers; 0 is all
}

// NeighborsRequest asks for the neighbours of a vertex that meet a condition.
type NeighborsRequest struct {
	Graph      string               // may be empty where the file has one graph
	Vertex     string               // by its key
	Where      func(Candidate) bool // as in VerticesRequest
	Attributes []string             // as in VerticesRequest
	Limit      int                  // as in VerticesRequest
}

// VertexRow is a vertex with its degree and the attributes of the request.
type VertexRow struct {
	Key    string
	Degree int
	Values []storage.Value // missing where the vertex has none
}

// NeighborRow is a neighbour with what the edge to it has.
type NeighborRow struct {
	VertexRow
	Weight float64 // 1 where none was given
	Time   int64
	Timed  bool // the edge has a time
}

// VerticesResult is the answer of Vertices: vertices in the order in which they
// came into the graph.
type VerticesResult struct {
	Vertices []VertexRow
	Notices  []Notice
}

// NeighborsResult is the answer of Neighbors, in the same order.
type NeighborsResult struct {
	Neighbors []NeighborRow
	Notices   []Notice
}

// VertexDescription is what DESCRIBE VERTEX tells.
type VertexDescription struct {
	Key        string
	Graph      storage.GraphInfo
	Degree     int
	Strength   float64 // sum of the weights of its edges
	Times      int     // edges with a time
	First      int64   // the earliest time, where there is one
	Last       int64   // the latest
	Attributes []storage.NamedValue
	Notices    []Notice
}

// Vertices returns the vertices of a graph that meet a condition.
func (db *DB) Vertices(ctx context.Context, req VerticesRequest) (VerticesResult, error) {
	c, err := db.begin(ctx, "SHOW VERTICES")
	if err != nil {
		return VerticesResult{}, err
	}
	defer c.end()
	result, err := c.vertices(req)
	return result, c.wrap(err)
}

// Neighbors returns the neighbours of a vertex that meet a condition.
func (db *DB) Neighbors(ctx context.Context, req NeighborsRequest) (NeighborsResult, error) {
	c, err := db.begin(ctx, "SHOW NEIGHBORS")
	if err != nil {
		return NeighborsResult{}, err
	}
	defer c.end()
	result, err := c.neighbors(req)
	return result, c.wrap(err)
}

// DescribeVertex tells the degree of a vertex, what its edges have, and its
// attributes. The graph may be empty where the file has one.
func (db *DB) DescribeVertex(ctx context.Context, graph, vertex string) (VertexDescription, error) {
	c, err := db.begin(ctx, "DESCRIBE VERTEX")
	if err != nil {
		return VertexDescription{}, err
	}
	defer c.end()
	d, err := c.describeVertex(graph, vertex)
	return d, c.wrap(err)
}

// vertexScan is a request for vertices whose names are resolved.
type vertexScan struct {
	graph   *graphView
	columns *columnSet
	where   func(Candidate) bool
	limit   int

	of     bool   // only neighbours of vertex
	vertex uint32 // whose neighbours

	looked int64 // vertices that each has looked at
}

// resolveVertices checks a request and finds what it names.
func (c *call) resolveVertices(req VerticesRequest) (*vertexScan, error) {
	if req.Limit < 0 {
		return nil, mistake(partLimit, "the limit is %d, and must not be negative", req.Limit)
	}
	graph, err := c.graphOr(req.Graph)
	if err != nil {
		return nil, err
	}
	s := &vertexScan{where: req.Where, limit: req.Limit}
	s.graph, s.columns, err = c.columns(graph, req.Attributes, partGraph)
	return s, err
}

// resolveNeighbors checks a request and finds what it names.
func (c *call) resolveNeighbors(req NeighborsRequest) (*vertexScan, error) {
	s, err := c.resolveVertices(VerticesRequest{Graph: req.Graph, Where: req.Where, Attributes: req.Attributes, Limit: req.Limit})
	if err != nil {
		return nil, err
	}
	s.of = true
	s.vertex, err = c.vertex(s.graph, req.Vertex, partVertex)
	return s, err
}

// graphOr returns the name of a graph, or of the only one of the file.
func (c *call) graphOr(graph string) (string, error) {
	if graph != "" {
		return graph, nil
	}
	return c.onlyGraph(partGraph)
}

// each calls f with every vertex that the scan is for, in ascending order.
func (s *vertexScan) each(ctx context.Context, f func(v uint32) error) error {
	const often = 1 << 12 // vertices between two looks at the context, well below a millisecond
	g := s.graph.Graph
	n := g.Vertices()
	if s.of {
		n = g.Degree(s.vertex)
	}
	found := 0
	for i := range n {
		if i%often == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		s.looked++
		v := uint32(i)
		if s.of {
			v = g.Neighbors(s.vertex)[i]
		}
		if s.where != nil && !s.where(Candidate{Degree: g.Degree(v), Linked: s.of, graph: s.graph, vertex: v, columns: s.columns}) {
			continue
		}
		if err := f(v); err != nil {
			return err
		}
		if found++; found == s.limit {
			break
		}
	}
	return nil
}

// row describes one vertex.
func (s *vertexScan) row(v uint32) VertexRow {
	row := VertexRow{Key: s.graph.Key(v), Degree: s.graph.Graph.Degree(v)}
	for i := range s.columns.names {
		row.Values = append(row.Values, s.columns.at(i, v))
	}
	return row
}

// values appends the attributes of a vertex to a row of a table.
func (s *vertexScan) values(row []Value, v uint32) []Value {
	for i := range s.columns.names {
		row = append(row, cellOf(s.columns.at(i, v)))
	}
	return row
}

// scanned says in PROFILE how much a scan looked at.
func (s *vertexScan) scanned() string {
	return count(s.looked, "vertex") + " looked at"
}

// neighbor describes one neighbour of the vertex.
func (s *vertexScan) neighbor(v uint32) NeighborRow {
	row := NeighborRow{VertexRow: s.row(v), Weight: 1}
	g := s.graph.Graph
	i, _ := slices.BinarySearch(g.Neighbors(s.vertex), v)
	at := g.Offsets[s.vertex] + int64(i)
	if g.Weights != nil {
		row.Weight = float64(g.Weights[at])
	}
	if g.Times != nil && g.Times[at] != csr.NoTime {
		row.Time, row.Timed = g.Times[at], true
	}
	return row
}

func (c *call) vertices(req VerticesRequest) (VerticesResult, error) {
	s, err := c.resolveVertices(req)
	if err != nil {
		return VerticesResult{}, err
	}
	var r VerticesResult
	err = s.each(c.ctx, func(v uint32) error {
		r.Vertices = append(r.Vertices, s.row(v))
		return c.checkRows(len(r.Vertices))
	})
	r.Notices = c.notices
	return r, err
}

func (c *call) neighbors(req NeighborsRequest) (NeighborsResult, error) {
	s, err := c.resolveNeighbors(req)
	if err != nil {
		return NeighborsResult{}, err
	}
	var r NeighborsResult
	err = s.each(c.ctx, func(v uint32) error {
		r.Neighbors = append(r.Neighbors, s.neighbor(v))
		return c.checkRows(len(r.Neighbors))
	})
	r.Notices = c.notices
	return r, err
}

// checkRows refuses an answer that is too long to be held in memory.
func (c *call) checkRows(n int) error {
	if n <= c.db.opts.MaxRows {
		return nil
	}
	return &LimitError{What: "the answer", Need: int64(n), Limit: int64(c.db.opts.MaxRows), Unit: "rows", Field: "MaxRows"}
}

func (c *call) describeVertex(graph, vertex string) (VertexDescription, error) {
	graph, err := c.graphOr(graph)
	if err != nil {
		return VertexDescription{}, err
	}
	// Neither the graph nor a column is loaded for a single vertex.
	d := VertexDescription{Key: vertex}
	info, stored, edges, err := c.db.store.VertexEdges(c.ctx, graph, vertex)
	if err != nil {
		return VertexDescription{}, c.vertexMistake(graph, vertex, err)
	}
	for _, e := range edges {
		d.add(e)
	}
	d.Graph, d.Attributes, d.Notices = info, stored.Values, c.notices
	return d, nil
}

// vertexMistake turns what the store says of a vertex that is not there into an
// Error.
func (c *call) vertexMistake(graph, key string, err error) error {
	var missing *storage.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	if missing.Kind == "graph" {
		_, err := c.graphInfo(graph, partGraph)
		return err
	}
	return c.unknownVertex(graph, key, partVertex)
}

// unknownVertex is the error for a key that a graph does not have.
func (c *call) unknownVertex(graph, key string, at part) error {
	const most = 1000 // keys that are looked at, which takes a few milliseconds
	unknown := mistake(at, "vertex %s is not in graph %s", quoteKey(key), name(graph))
	unknown.Err = &storage.NotFoundError{Kind: "vertex", Name: key}
	if _, err := strconv.ParseInt(key, 10, 64); err == nil || key == "" {
		return unknown // a number near by is not what was meant
	}
	_, size := utf8.DecodeRuneInString(key)
	known, err := c.db.store.Keys(c.ctx, graph, key[:size], most)
	if err != nil {
		return err
	}
	if nearest, ok := parser.Suggest(key, known); ok {
		unknown.Hint = "did you mean " + quoteKey(nearest) + "?"
	}
	return unknown
}

// add counts one edge.
func (d *VertexDescription) add(e storage.Edge) {
	d.Degree++
	d.Strength += e.Weight
	if !e.Timed {
		return
	}
	if d.Times == 0 || e.Time < d.First {
		d.First = e.Time
	}
	if d.Times == 0 || e.Time > d.Last {
		d.Last = e.Time
	}
	d.Times++
}

// AttributeSummary is an attribute as SHOW ATTRIBUTES lists it.
type AttributeSummary struct {
	storage.Attribute
	Vertices int // that have a value
	Missing  int // that have none
}

// Attributes lists the attributes of a graph, which may be left empty where the
// file has one, in the order in which they came.
func (db *DB) Attributes(ctx context.Context, graph string) ([]AttributeSummary, error) {
	c, err := db.begin(ctx, "SHOW ATTRIBUTES")
	if err != nil {
		return nil, err
	}
	defer c.end()
	list, err := c.attributes(graph)
	return list, c.wrap(err)
}

func (c *call) attributes(graph string) ([]AttributeSummary, error) {
	graph, err := c.graphOr(graph)
	if err != nil {
		return nil, err
	}
	info, err := c.graphInfo(graph, partGraph)
	if err != nil {
		return nil, err
	}
	list := make([]AttributeSummary, len(info.Attributes))
	for i, a := range info.Attributes {
		list[i] = AttributeSummary{a, info.Values[i], info.Vertices - info.Values[i]}
	}
	return list, nil
}
