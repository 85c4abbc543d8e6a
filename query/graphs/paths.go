package graphs

import (
	"context"

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
)

// PathsRequest asks for the shortest paths between two vertices.
type PathsRequest struct {
	PathRequest
	K int // number of paths
}

// PathsResult is the answer of ShortestPaths.
type PathsResult struct {
	Paths   [][]PathStep  `json:"paths"` // the shortest first
	Notices []rows.Notice `json:"notices,omitempty"`
}

var showPaths = &engine.Statement[*parser.Paths, PathsRequest, storage.GraphInfo, PathsResult]{
	Help: help.Statement{
		Statement: "PATHS",
		Summary:   "finds the n shortest paths between two vertices",
		Detail:    "No path comes to a vertex twice, and the shortest is first: it has the fewest edges, or BY WEIGHT the smallest sum of weights; of equal paths the first is the one whose vertices came into the graph first. There are fewer rows if there are fewer paths",
		Words:     "shortest simple paths k yen alternative routes loopless",
		Columns:   "path, step, vertex, length",
	},
	Schema: pathsSchema,
	Bind: func(b *engine.Binder, s *parser.Paths) PathsRequest {
		req := PathsRequest{
			PathRequest: PathRequest{
				Graph: b.MarkGraph(s.Graph, s), ByWeight: s.ByWeight,
				From: b.VertexKey(engine.PartKey(0), s.From), To: b.VertexKey(engine.PartKey(1), s.To),
			},
			K: b.Size(fault.Number, s.Count),
		}
		engine.Bind(b, "PATHS", pathsSchema(), s.Options, &req)
		return req
	},
	Resolve: func(c *engine.Call, req PathsRequest) (storage.GraphInfo, error) {
		if req.K < 1 {
			return storage.GraphInfo{}, fault.New(fault.Number, "%d paths: the number must be at least 1", req.K)
		}
		return resolvePath(c, req.PathRequest)
	},
	Plan: func(req PathsRequest, graph storage.GraphInfo) *plan.Plan {
		how := "of the fewest edges"
		if req.ByWeight {
			how = "of the smallest sums of weights"
		}
		return plan.Result("paths", fault.Count(int64(req.K), "path")+" from "+fault.QuoteKey(req.From)+" to "+fault.QuoteKey(req.To)+", "+how+", by the algorithm of Yen and Lawler", session.GraphPlan(graph))
	},
	Run:   runPaths,
	Rows:  pathsRows,
	Reads: true,
}

func pathsSchema() option.Schema[PathsRequest] {
	return option.Schema[PathsRequest]{
		directionField(DirectionOut, func(r *PathsRequest) *Direction { return &r.Direction }),
	}
}

// ShortestPaths returns the K shortest paths between two vertices that come to no vertex twice, or all if
// there are fewer, by ascending length. Paths of the same length are in lexicographic order of the
// vertices, as in ShortestPath.
func (s *Service) ShortestPaths(ctx context.Context, req PathsRequest) (PathsResult, error) {
	return showPaths.Answer(ctx, s.db, req)
}

func runPaths(c *engine.Call, req PathsRequest, graph storage.GraphInfo) (r PathsResult, err error) {
	byWeight := req.ByWeight && graph.Weighted
	view, directed, err := pathGraph(c, graph, req.Direction)
	if err != nil {
		return r, err
	}
	ends, err := pathEnds(c, req.PathRequest, view)
	if err != nil {
		return r, err
	}
	bytes := 50 * int64(graph.Vertices) // see algorithms.ShortestPaths
	if byWeight {
		bytes += 16 * graph.Count()
	}
	release, err := c.DB.Cache.Reserve(bytes, "searching graph "+fault.Name(graph.Name))
	if err != nil {
		return r, err
	}
	defer release()
	var paths []algorithms.Path // not the results, which a return sets while the search may still run
	var failed error
	if err := c.Await(func() {
		if directed != nil {
			paths, failed = algorithms.DirectedShortestPaths(c.Ctx, directed, ends[0], ends[1], req.K, byWeight)
		} else {
			paths, failed = algorithms.ShortestPaths(c.Ctx, view.Graph, ends[0], ends[1], req.K, byWeight)
		}
	}); err != nil {
		return r, err
	}
	if failed != nil {
		return r, failed
	}
	if len(paths) == 0 {
		if err := noPath(c, req.PathRequest, graph); err != nil {
			return r, err
		}
	}
	steps := 0
	for _, found := range paths {
		steps += len(found.Vertices)
		r.Paths = append(r.Paths, stepsOf(view, found))
	}
	if err := c.CheckRows(steps); err != nil {
		return PathsResult{}, err
	}
	r.Notices = c.Notices
	return r, nil
}

func pathsRows(req PathsRequest, r PathsResult) *rows.Rows {
	table := [][]rows.Value{}
	for i, steps := range r.Paths {
		for j, s := range steps {
			table = append(table, []rows.Value{int64(i + 1), int64(j), s.Vertex, req.length(s)})
		}
	}
	return cells.RowsOf([]string{"path", "step", "vertex", "length"}, table).Typed("path", cells.Always(storage.Integer)).
		Typed("step", cells.Always(storage.Integer)).Typed("length", cells.Always(req.lengthType()))
}
