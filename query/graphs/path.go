package graphs

import (
	"context"

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
)

// PathRequest asks for a shortest path between two vertices.
type PathRequest struct {
	Graph    string // may be empty if the file has only one graph
	From, To string // by their keys
	ByWeight bool   // the weights are the lengths of the edges; otherwise every edge has the length 1
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
	Bind: func(b *engine.Binder, s *parser.Path) PathRequest {
		return PathRequest{
			Graph: b.MarkGraph(s.Graph, s), ByWeight: s.ByWeight,
			From: b.VertexKey(engine.PartKey(0), s.From), To: b.VertexKey(engine.PartKey(1), s.To),
		}
	},
	Resolve: func(c *engine.Call, req PathRequest) (storage.GraphInfo, error) {
		info, err := c.GraphOrOnly(req.Graph)
		for i, key := range []string{req.From, req.To} {
			if err == nil {
				err = c.CheckVertex(info, key, engine.PartKey(i))
			}
		}
		return info, err
	},
	Plan: func(req PathRequest, graph storage.GraphInfo) *plan.Plan {
		how := "of the fewest edges, by breadth-first search"
		if req.ByWeight {
			how = "of the smallest sum of weights, by Dijkstra's algorithm"
		}
		return plan.Result("path", "from "+fault.QuoteKey(req.From)+" to "+fault.QuoteKey(req.To)+", "+how, session.GraphPlan(graph))
	},
	Run:   runPath,
	Rows:  pathRows,
	Reads: true,
}

// ShortestPath returns a shortest path between two vertices. Of several shortest paths it returns
// the first one in lexicographic order of the vertices, which are ordered as they came into the
// graph.
func (s *Service) ShortestPath(ctx context.Context, req PathRequest) (PathResult, error) {
	return showPath.Answer(ctx, s.db, req)
}

func runPath(c *engine.Call, req PathRequest, graph storage.GraphInfo) (r PathResult, err error) {
	view, err := c.Graph(graph.Name, fault.Graph)
	if err != nil {
		return r, err
	}
	var ends [2]uint32
	for i, key := range []string{req.From, req.To} {
		if ends[i], err = c.Vertex(view, key, engine.PartKey(i)); err != nil {
			return r, err
		}
	}
	// See algorithms.ShortestPath.
	bytes := 33 * int64(graph.Vertices)
	if req.ByWeight && graph.Weighted {
		bytes += 16 * graph.Edges
	}
	release, err := c.DB.Cache.Reserve(bytes, "searching graph "+fault.Name(graph.Name))
	if err != nil {
		return r, err
	}
	defer release()
	var found algorithms.Path
	var failed error // not err, which a return sets while the search may still run
	joined := false
	if err := c.Await(func() {
		found, joined, failed = algorithms.ShortestPath(c.Ctx, view.Graph, ends[0], ends[1], req.ByWeight)
	}); err != nil {
		return r, err
	}
	if failed != nil {
		return r, failed
	}
	if !joined {
		c.Notice("no path joins %s and %s: they are in different components", fault.QuoteKey(req.From), fault.QuoteKey(req.To))
	}
	for i, v := range found.Vertices {
		r.Steps = append(r.Steps, PathStep{view.Key(v), found.Lengths[i]})
	}
	r.Notices = c.Notices
	return r, nil
}

func pathRows(req PathRequest, r PathResult) *rows.Rows {
	table := make([][]rows.Value, len(r.Steps))
	for i, s := range r.Steps {
		table[i] = []rows.Value{int64(i), s.Vertex, s.Length}
		if !req.ByWeight {
			table[i][2] = int64(s.Length)
		}
	}
	length := cells.Always(storage.Integer)
	if req.ByWeight {
		length = cells.Always(storage.Float)
	}
	return cells.RowsOf([]string{"step", "vertex", "length"}, table).Typed("step", cells.Always(storage.Integer)).Typed("length", length)
}
