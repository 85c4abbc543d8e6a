package graphs

import (
	"cmp"
	"context"
	"slices"

	"heavytail/embedding/option"
	"heavytail/query/algorithms"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// PathRequest asks for a shortest path between two vertices.
type PathRequest struct {
	Graph    string // may be empty if the file has only one graph
	From, To string // by their keys
	// Direction is that in which a path follows the edges of a directed graph: out along them, which is the
	// default, in against them, or both. An undirected graph has none.
	Direction Direction
	ByWeight  bool // the weights are the lengths of the edges; otherwise every edge has the length 1
}

// PathStep is a vertex of a path.
type PathStep struct {
	Vertex string  `json:"vertex"`
	Length float64 `json:"length"` // length of the path up to the vertex
}

// PathResult is the answer of ShortestPath.
type PathResult struct {
	Steps   []PathStep    `json:"steps"` // vertices from From to To; empty if no path joins them
	Notices []rows.Notice `json:"notices,omitempty"`
}

var showPath = &engine.Statement[*parser.Path, PathRequest, storage.GraphInfo, PathResult]{
	Help: help.Statement{
		Statement: "PATH",
		Summary:   "finds a path with the fewest edges between two vertices, or BY WEIGHT one with the smallest sum of weights",
		Detail:    "The result has no rows if there is no path",
		Words:     "shortest path dijkstra bfs route distance between reach reachable hops",
		Columns:   "step, vertex, length",
	},
	Schema: pathSchema,
	Bind: func(b *engine.Binder, s *parser.Path) PathRequest {
		req := PathRequest{
			Graph: b.MarkGraph(s.Graph, s), ByWeight: s.ByWeight,
			From: b.VertexKey(engine.PartKey(0), s.From), To: b.VertexKey(engine.PartKey(1), s.To),
		}
		engine.Bind(b, parser.Heading(s), pathSchema(), s.Options, &req)
		return req
	},
	Resolve: resolvePath,
	Plan: func(req PathRequest, graph storage.GraphInfo) *plan.Plan {
		how := "of the fewest edges, by breadth-first search from both ends"
		if req.ByWeight {
			how = "of the smallest sum of weights, by Dijkstra's algorithm"
		}
		return plan.Result("path", "from "+fault.QuoteKey(req.From)+" to "+fault.QuoteKey(req.To)+", "+how, session.GraphPlan(graph))
	},
	Run:   runPath,
	Rows:  pathRows,
	Reads: true,
}

func resolvePath(c *engine.Call, req PathRequest) (storage.GraphInfo, error) {
	info, err := c.GraphOrOnly(req.Graph)
	if err == nil {
		err = req.Direction.check(info)
	}
	for i, key := range []string{req.From, req.To} {
		if err == nil {
			err = c.CheckVertex(info, key, engine.PartKey(i))
		}
	}
	return info, err
}

// ShortestPath returns a shortest path between two vertices. Of several shortest paths it returns
// the first one in lexicographic order of the vertices, which are ordered as they came into the
// graph.
func (s *Service) ShortestPath(ctx context.Context, req PathRequest) (PathResult, error) {
	return showPath.Answer(ctx, s.db, req)
}

func pathSchema() option.Schema[PathRequest] {
	return option.Schema[PathRequest]{directionField(DirectionOut, func(r *PathRequest) *Direction { return &r.Direction })}
}

func runPath(c *engine.Call, req PathRequest, graph storage.GraphInfo) (r PathResult, err error) {
	req.ByWeight = req.ByWeight && graph.Weighted
	view, found, err := findPath(c, req, graph)
	if err != nil {
		return r, err
	}
	r.Steps = stepsOf(view, found)
	if found.Vertices == nil {
		err = noPath(c, req, graph)
	}
	r.Notices = c.Notices
	return r, err
}

func findPath(c *engine.Call, req PathRequest, graph storage.GraphInfo) (view *session.Graph, found algorithms.Path, err error) {
	known := false
	if !req.ByWeight {
		if found, known, err = readPath(c, req, graph); err != nil {
			return nil, found, err
		}
	}
	view, d, err := pathGraph(c, graph, req.Direction)
	if err == nil && !known {
		found, err = searchPath(c, req, view, d)
	}
	return view, found, err
}

// pathGraph loads what ways in a direction need: of a directed graph, unless its direction is ignored, the
// rows along which they lead.
func pathGraph(c *engine.Call, graph storage.GraphInfo, along Direction) (*session.Graph, *csr.Directed, error) {
	if !graph.Directed || along == DirectionBoth {
		view, err := c.Graph(graph.Name, fault.Graph)
		return view, nil, err
	}
	view, directed, err := c.Directed(graph.Name, fault.Graph)
	if err == nil && along == DirectionIn {
		directed = directed.Reversed()
	}
	return view, directed, err
}

// noPath gives a notice of why no path was found, which takes another search where edges have a direction.
func noPath(c *engine.Call, req PathRequest, graph storage.GraphInfo) error {
	why := "they are in different components"
	if graph.Directed && req.Direction != DirectionBoth {
		req.ByWeight, req.Direction = false, DirectionBoth
		if c.Graphs[graph.Name].Vertices != nil {
			c.Forget(graph.Name) // a part, of another search
		}
		_, found, err := findPath(c, req, graph)
		if err != nil {
			return err
		}
		if found.Vertices != nil {
			why = "direction := 'both' follows the edges in either direction"
		}
	}
	c.Notice("no path joins %s and %s: %s", fault.QuoteKey(req.From), fault.QuoteKey(req.To), why)
	return nil
}

func stepsOf(view *session.Graph, found algorithms.Path) (steps []PathStep) {
	for i, v := range found.Vertices {
		steps = append(steps, PathStep{view.Key(v), found.Lengths[i]})
	}
	return steps
}

// readPath searches in the file, which takes less than loading the graph where few vertices are between
// the ends. The call then sees the part that was read; the path has the numbers of this part. known is
// false if the graph must be loaded.
func readPath(c *engine.Call, req PathRequest, graph storage.GraphInfo) (found algorithms.Path, known bool, err error) {
	var path []uint32
	err = c.ReadPart(graph, nil, func(v *storage.GraphView, p *storage.GraphPart) error {
		from, err := v.Vertex(req.From)
		if err != nil {
			return err
		}
		to, err := v.Vertex(req.To)
		if err != nil {
			return err
		}
		rows := algorithms.PathRows{Vertices: graph.Vertices, Read: func(vertices []uint32) error { return p.Read(vertices...) }}
		rows.Neighbors, rows.Back = partRows(p, graph, cmp.Or(req.Direction, DirectionOut))
		if path, err = algorithms.FewestEdges(c.Ctx, rows, from, to); err != nil {
			return err
		}
		known = true
		p.DropRows() // the answer has keys alone
		p.Name(append(path, from, to)...)
		return nil
	})
	if err != nil || !known {
		return found, false, err
	}
	part := c.Graphs[graph.Name].Vertices
	for i, v := range path {
		at, _ := slices.BinarySearch(part, v)
		found.Vertices, found.Lengths = append(found.Vertices, uint32(at)), append(found.Lengths, float64(i))
	}
	return found, true, nil
}

// searchPath searches in memory, along the edges of d if that is not nil. Path.Vertices is nil if no path joins the ends.
func searchPath(c *engine.Call, req PathRequest, view *session.Graph, d *csr.Directed) (found algorithms.Path, err error) {
	ends, err := pathEnds(c, req, view)
	if err != nil {
		return found, err
	}
	bytes := 9 * int64(view.Info.Vertices) // see algorithms.FewestEdges
	if req.ByWeight {
		bytes = 33*int64(view.Info.Vertices) + 16*view.Info.Edges // see algorithms.ShortestPath
	}
	release, err := c.DB.Cache.Reserve(bytes, "searching graph "+fault.Name(view.Info.Name))
	if err != nil {
		return found, err
	}
	defer release()
	var path algorithms.Path // not the results, which a return sets while the search may still run
	var failed error
	if err := c.Await(func() {
		if d == nil {
			path, _, failed = algorithms.ShortestPath(c.Ctx, view.Graph, ends[0], ends[1], req.ByWeight)
			return
		}
		path, _, failed = algorithms.DirectedShortestPath(c.Ctx, d, ends[0], ends[1], req.ByWeight)
	}); err != nil {
		return found, err
	}
	return path, failed
}

func pathEnds(c *engine.Call, req PathRequest, view *session.Graph) (ends [2]uint32, err error) {
	for i, key := range []string{req.From, req.To} {
		if ends[i], err = c.Vertex(view, key, engine.PartKey(i)); err != nil {
			return ends, err
		}
	}
	return ends, nil
}

func pathRows(req PathRequest, r PathResult) *rows.Rows {
	table := make([][]rows.Value, len(r.Steps))
	for i, s := range r.Steps {
		table[i] = []rows.Value{int64(i), s.Vertex, req.length(s)}
	}
	return cells.RowsOf([]string{"step", "vertex", "length"}, table).Typed("step", cells.Always(storage.Integer)).Typed("length", cells.Always(req.lengthType()))
}

// length is that of a step, a number of edges unless weights are lengths.
func (r PathRequest) length(s PathStep) rows.Value {
	if r.ByWeight {
		return s.Length
	}
	return int64(s.Length)
}

func (r PathRequest) lengthType() storage.Type {
	if r.ByWeight {
		return storage.Float
	}
	return storage.Integer
}
