package query

import (
	"context"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/measure"
	"heavytail/query/parser"
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
	Key    string  `json:"vertex"`
	Length float64 `json:"length"` // length of the path up to the vertex
}

// PathResult is the answer of ShortestPath.
type PathResult struct {
	Steps   []PathStep `json:"steps"` // vertices from From to To; empty if no path joins them
	Notices []Notice   `json:"notices,omitempty"`
}

var showPath = &statement[*parser.Path, PathRequest, storage.GraphInfo, PathResult]{
	help: Help{
		Statement: "PATH", Syntax: "PATH FROM vertex TO vertex [IN graph] [BY WEIGHT]",
		Summary: "finds a path with the fewest edges between two vertices, or BY WEIGHT the path with the smallest sum of weights; the result has no rows if there is no path",
		Columns: "step, vertex, length",
		Example: "PATH FROM 'alice' TO 'bob' IN social",
	},
	bind: func(b *binder, s *parser.Path) PathRequest {
		return PathRequest{
			Graph: b.markGraph(s.Graph, s), ByWeight: s.ByWeight,
			From: b.vertexKey(partKey(0), s.From), To: b.vertexKey(partKey(1), s.To),
		}
	},
	resolve: func(c *call, req PathRequest) (storage.GraphInfo, error) {
		info, err := c.graphOrOnly(req.Graph)
		for i, key := range []string{req.From, req.To} {
			if err == nil {
				err = c.CheckVertex(info, key, partKey(i))
			}
		}
		return info, err
	},
	plan: func(req PathRequest, graph storage.GraphInfo) *plan.Plan {
		how := "of the fewest edges, by breadth-first search"
		if req.ByWeight {
			how = "of the smallest sum of weights, by Dijkstra's algorithm"
		}
		return plan.Result("path", "from "+fault.QuoteKey(req.From)+" to "+fault.QuoteKey(req.To)+", "+how, session.GraphPlan(graph))
	},
	run:   runPath,
	rows:  pathRows,
	reads: true,
}

// ShortestPath returns a shortest path between two vertices. Of several shortest paths it returns
// the first one in lexicographic order of the vertices, which are ordered as they came into the
// graph.
func (db *DB) ShortestPath(ctx context.Context, req PathRequest) (PathResult, error) {
	return showPath.answer(ctx, db, req)
}

func runPath(c *call, req PathRequest, graph storage.GraphInfo) (r PathResult, err error) {
	view, err := c.Graph(graph.Name, fault.Graph)
	if err != nil {
		return r, err
	}
	var ends [2]uint32
	for i, key := range []string{req.From, req.To} {
		if ends[i], err = c.Vertex(view, key, partKey(i)); err != nil {
			return r, err
		}
	}
	// See measure.ShortestPath.
	bytes := 33 * int64(graph.Vertices)
	if req.ByWeight && graph.Weighted {
		bytes += 16 * graph.Edges
	}
	release, err := c.db.cache.Reserve(bytes, "searching graph "+fault.Name(graph.Name))
	if err != nil {
		return r, err
	}
	defer release()
	var found measure.Path
	var failed error // not err, which a return sets while the search may still run
	joined := false
	if err := c.Await(func() {
		found, joined, failed = measure.ShortestPath(c.Ctx, view.Graph, ends[0], ends[1], req.ByWeight)
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

func pathRows(req PathRequest, r PathResult) *Rows {
	table := make([][]Value, len(r.Steps))
	for i, s := range r.Steps {
		table[i] = []Value{int64(i), s.Key, s.Length}
		if !req.ByWeight {
			table[i][2] = int64(s.Length)
		}
	}
	length := always(storage.Integer)
	if req.ByWeight {
		length = always(storage.Float)
	}
	return rowsOf([]string{"step", "vertex", "length"}, table).typed("step", always(storage.Integer)).typed("length", length)
}
