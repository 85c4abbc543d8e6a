package graphs

import (
	"context"
	"io"
	"slices"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/textfile"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
)

// DeleteVerticesRequest asks to delete vertices with their edges: the vertices
// with given keys, or all that meet a condition.
type DeleteVerticesRequest struct {
	Graph string
	Keys  []string // keys that do not exist are counted as missing
	// Where, if not nil, is used instead of Keys: all vertices for which it
	// returns true are deleted. It is called from one goroutine.
	Where      func(where.Candidate) bool
	Attributes []string // that Where reads, as in vectors.NearestRequest

	condition parser.Expr // of Where, for its text; may be nil
}

var deleteVertex = &engine.Statement[*parser.DeleteVertices, DeleteVerticesRequest, storage.GraphInfo, WriteResult]{
	Help: help.Statement{
		Statement: "DELETE VERTEX",
		Summary:   "deletes vertices with their edges; those that do not exist are counted as missing",
		Words:     "remove node erase",
		Columns:   "graph, deleted, missing, edges_deleted, version",
	},
	When:    func(s *parser.DeleteVertices) bool { return s.Where == nil },
	Bind:    bindDeleteVertices,
	Resolve: resolveDeleteVertices,
	Plan: func(req DeleteVerticesRequest, _ storage.GraphInfo) *plan.Plan {
		return writePlan("delete", fault.Count(int64(len(req.Keys)), "vertex")+" with edges", req.Graph)
	},
	Run: func(c *engine.Call, req DeleteVerticesRequest, _ storage.GraphInfo) (WriteResult, error) {
		return changeBatched(c, req.Graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			return tx.DeleteVertices(req.Graph, req.Keys)
		})
	},
	Rows: writeRows[DeleteVerticesRequest]("deleted", "missing", "edges_deleted"),
}

var deleteVertices = &engine.Statement[*parser.DeleteVertices, DeleteVerticesRequest, storage.GraphInfo, WriteResult]{
	Help: help.Statement{
		Statement: "DELETE VERTICES",
		Summary:   "deletes all vertices that meet a condition, with their edges",
		Words:     "remove nodes prune isolated",
		Columns:   "graph, deleted, missing, edges_deleted, version",
	},
	Bind:    bindDeleteVertices,
	Resolve: resolveDeleteVertices,
	Plan: func(req DeleteVerticesRequest, graph storage.GraphInfo) *plan.Plan {
		return writePlan("delete", "vertices with their edges", req.Graph, scan.Plan(graph, req.condition, req.Attributes))
	},
	Run: func(c *engine.Call, req DeleteVerticesRequest, _ storage.GraphInfo) (WriteResult, error) {
		return changeWhere(c, verticesWhere(c, req.Graph, req.Where, req.Attributes), func(tx *storage.Tx, _ *session.Graph, keys []string) (storage.WriteStats, error) {
			return tx.DeleteVertices(req.Graph, keys)
		})
	},
	Rows: writeRows[DeleteVerticesRequest]("deleted", "missing", "edges_deleted"),
}

// DeleteVertices deletes vertices with their edges.
func (s *Service) DeleteVertices(ctx context.Context, req DeleteVerticesRequest) (WriteResult, error) {
	if req.Where == nil {
		return deleteVertex.Answer(ctx, s.db, req)
	}
	return deleteVertices.Answer(ctx, s.db, req)
}

func bindDeleteVertices(b *engine.Binder, s *parser.DeleteVertices) DeleteVerticesRequest {
	req := DeleteVerticesRequest{Graph: b.Name(fault.Graph, s.Graph), condition: s.Where}
	info := b.Graph(req.Graph)
	condition := conditions.Compile(b.Values, s.Where, info, conditions.ToNothing)
	req.Where, req.Attributes = condition.Admits, condition.Attributes
	req.Keys = b.VertexKeys(s.Keys)
	return req
}

func resolveDeleteVertices(c *engine.Call, req DeleteVerticesRequest) (storage.GraphInfo, error) {
	return changedWhere(c, req.Graph, req.Attributes)
}

var deleteEdge = &engine.Statement[*parser.DeleteEdges, edgesRequest, engine.Nothing, WriteResult]{
	Help: help.Statement{
		Statement: "DELETE EDGE",
		Summary:   "deletes edges; their vertices stay",
		Words:     "remove link unlink",
		Columns:   "graph, deleted, missing, version",
	},
	When:    func(s *parser.DeleteEdges) bool { return s.Where == nil },
	Bind:    func(b *engine.Binder, s *parser.DeleteEdges) edgesRequest { return pairs(b, s.Graph, s.Pairs) },
	Resolve: checkEdges,
	Plan:    planEdges("delete"),
	Run:     changeEdges((*storage.Tx).DeleteEdges),
	Rows:    writeRows[edgesRequest]("deleted", "missing"),
}

// DeleteEdges deletes edges, which are identified by their ends alone; their
// vertices stay.
func (s *Service) DeleteEdges(ctx context.Context, graph string, edges []storage.Edge) (WriteResult, error) {
	return deleteEdge.Answer(ctx, s.db, edgesRequest{graph, edges})
}

// DeleteEdgesWhereRequest asks to delete the edges of a graph that meet a condition; their vertices stay.
type DeleteEdgesWhereRequest struct {
	Graph          string
	Where          func(where.EdgeCandidate) bool // as in EdgesRequest; it must not be nil
	Attributes     []string                       // as in EdgesRequest
	EdgeAttributes []string                       // as in EdgesRequest

	condition parser.Expr // of Where, for its text; may be nil
}

var deleteEdges = &engine.Statement[*parser.DeleteEdges, DeleteEdgesWhereRequest, storage.GraphInfo, WriteResult]{
	Help: help.Statement{
		Statement: "DELETE EDGES",
		Summary:   "deletes all edges that meet a condition of SHOW EDGES; their vertices stay",
		Detail:    "WHERE weight > 0 admits all of them",
		Words:     "remove links prune threshold sparsify weak old",
		Columns:   "graph, deleted, missing, version",
	},
	Bind: func(b *engine.Binder, s *parser.DeleteEdges) DeleteEdgesWhereRequest {
		req := DeleteEdgesWhereRequest{Graph: b.Name(fault.Graph, s.Graph), condition: s.Where}
		condition := conditions.CompileEdges(b.Values, s.Where, b.Graph(req.Graph))
		req.Where, req.Attributes, req.EdgeAttributes = condition.Admits, condition.Attributes, condition.OfEdges
		return req
	},
	Resolve: func(c *engine.Call, req DeleteEdgesWhereRequest) (storage.GraphInfo, error) {
		info, err := changedWhere(c, req.Graph, req.Attributes)
		switch {
		case err != nil:
			return info, err
		case req.Where == nil:
			return info, fault.New(fault.Where, "no condition says which edges to delete")
		}
		return info, session.CheckEdgeAttributes(info, fault.Graph, req.EdgeAttributes...)
	},
	Plan: func(req DeleteEdgesWhereRequest, graph storage.GraphInfo) *plan.Plan {
		return writePlan("delete", "edges", req.Graph, scan.PlanOf("all edges", session.GraphPlan(graph), graph, req.condition, req.Attributes))
	},
	Run:  runDeleteEdges,
	Rows: writeRows[DeleteEdgesWhereRequest]("deleted", "missing"),
}

// DeleteEdgesWhere deletes the edges that meet a condition, in one transaction.
func (s *Service) DeleteEdgesWhere(ctx context.Context, req DeleteEdgesWhereRequest) (WriteResult, error) {
	return deleteEdges.Answer(ctx, s.db, req)
}

func runDeleteEdges(c *engine.Call, req DeleteEdgesWhereRequest, graph storage.GraphInfo) (WriteResult, error) {
	find := func() ([][2]uint32, *session.Graph, error) {
		s, err := newEdgeScan(c, graph, req.Where, req.Attributes, req.EdgeAttributes)
		if err != nil {
			return nil, nil, err
		}
		stop := c.Watch.Start(plan.Scan)
		var list [][2]uint32
		err = s.each(c.Ctx, 0, func(p edgePlace) error {
			e := s.edges.edge(p)
			list = append(list, [2]uint32{e.Source, e.Target})
			return nil
		})
		stop(int64(len(list)), s.scanned())
		return list, s.Graph, err
	}
	return changeWhere(c, changed[[2]uint32]{req.Graph, find, 8, "edge"}, func(tx *storage.Tx, g *session.Graph, list [][2]uint32) (storage.WriteStats, error) {
		d := edgeDeletion{tx: tx, graph: req.Graph}
		for _, e := range list {
			if err := d.add(g.Key(e[0]), g.Key(e[1])); err != nil {
				return d.total, err
			}
		}
		err := d.flush()
		return d.total, err
	})
}

// edgeDeletion deletes edges in a transaction, a batch at a time.
type edgeDeletion struct {
	tx    *storage.Tx
	graph string
	batch []storage.Edge
	total storage.WriteStats
}

func (d *edgeDeletion) add(source, target string) error {
	const most = 1 << 16 // takes some megabytes, and is large enough that most blocks are written only once
	if d.batch = append(d.batch, storage.Edge{Source: source, Target: target}); len(d.batch) < most {
		return nil
	}
	return d.flush()
}

func (d *edgeDeletion) flush() error {
	stats, err := d.tx.DeleteEdges(d.graph, d.batch)
	d.total.Deleted += stats.Deleted
	d.total.Missing += stats.Missing
	d.total.Version = stats.Version
	d.batch = d.batch[:0]
	return err
}

// DeleteEdgesFileRequest asks to delete the edges that a file lists.
type DeleteEdgesFileRequest struct {
	Graph string
	// Path is a text file of two columns, as in links.ScoreRequest; "-" is
	// Options.Input.
	Path      string
	Header    format.HeaderMode
	Separator string
	// Source and Target are the columns of the ends, by name or number, and
	// SkipBad leaves bad lines out, as in ImportRequest.
	Source, Target string
	SkipBad        bool
}

var deleteEdgesFile = &engine.Statement[*parser.DeleteEdgesFile, DeleteEdgesFileRequest, engine.Nothing, WriteResult]{
	Help: help.Statement{
		Statement: "DELETE EDGES FILE",
		Summary:   "deletes the edges of a file of pairs, plain or compressed",
		Words:     "remove links bulk",
		Columns:   "graph, deleted, missing, version",
	},
	Schema: deleteEdgesFileSchema,
	Bind: func(b *engine.Binder, s *parser.DeleteEdgesFile) DeleteEdgesFileRequest {
		req := DeleteEdgesFileRequest{Graph: b.Name(fault.Graph, s.Graph), Path: b.Text(fault.File, s.File)}
		engine.Bind(b, parser.Heading(s), deleteEdgesFileSchema(), s.Options, &req)
		return req
	},
	Resolve: func(c *engine.Call, req DeleteEdgesFileRequest) (engine.Nothing, error) {
		if err := c.CheckGraph(req.Graph); err != nil {
			return engine.Nothing{}, err
		}
		columns := ImportRequest{Source: req.Source, Target: req.Target, Header: req.Header, Separator: req.Separator}
		if err := columns.check(); err != nil {
			return engine.Nothing{}, err
		}
		return engine.Nothing{}, c.CheckInput(req.Path, fault.File)
	},
	Plan: func(req DeleteEdgesFileRequest, _ engine.Nothing) *plan.Plan {
		return writePlan("delete", "edges", req.Graph, plan.Step("pairs", fault.Quote(session.InputName(req.Path))))
	},
	Run:  runDeleteEdgesFile,
	Rows: writeRows[DeleteEdgesFileRequest]("deleted", "missing"),
}

// DeleteEdgesFile deletes the edges of a file in one transaction; other writers
// wait while the file is read.
func (s *Service) DeleteEdgesFile(ctx context.Context, req DeleteEdgesFileRequest) (WriteResult, error) {
	return deleteEdgesFile.Answer(ctx, s.db, req)
}

func runDeleteEdgesFile(c *engine.Call, req DeleteEdgesFileRequest, _ engine.Nothing) (WriteResult, error) {
	return change(c, req.Graph, func(tx *storage.Tx) (storage.WriteStats, error) {
		in, size, err := c.OpenInput(req.Path, fault.File)
		if err != nil {
			return storage.WriteStats{}, err
		}
		defer in.Close()
		opts := format.EdgeListOptions{
			Name: session.InputName(req.Path), Size: size, Header: req.Header, Separator: req.Separator,
			Source: req.Source, Target: req.Target, SkipBad: req.SkipBad, Progress: c.Meter.Update,
		}
		return deleteEdgesOf(c, tx, req.Graph, in, opts)
	})
}

// deleteEdgesOf deletes the edges that a reader lists, a batch at a time.
func deleteEdgesOf(c *engine.Call, tx *storage.Tx, graph string, in io.Reader, opts format.EdgeListOptions) (storage.WriteStats, error) {
	d := edgeDeletion{tx: tx, graph: graph}
	read, err := graphfile.ReadPairs(c.Ctx, in, opts, func(source, target []byte) error {
		return d.add(string(source), string(target))
	})
	if err == nil {
		err = d.flush()
	}
	textfile.NoteComments(c, read.LateComments)
	if read.Skipped > 0 && read.FirstSkipped != nil {
		c.Notice("%s skipped, the first: %v", fault.Count(read.Skipped, "bad line"), read.FirstSkipped)
	}
	return d.total, err
}

func deleteEdgesFileSchema() option.Schema[DeleteEdgesFileRequest] {
	type request = DeleteEdgesFileRequest
	return slices.Concat(
		endFields(func(r *request) *string { return &r.Source }, func(r *request) *string { return &r.Target }),
		textfile.PairsFields(func(r *request) *format.HeaderMode { return &r.Header }, func(r *request) *string { return &r.Separator }),
		option.Schema[request]{skipField(func(r *request) *bool { return &r.SkipBad })},
	)
}
