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
		return changeWhere(c, req.Graph, req.Where, req.Attributes, func(tx *storage.Tx, keys []string) (storage.WriteStats, error) {
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
	const batch = 1 << 16 // takes some megabytes, and is large enough that most blocks are written only once
	var total storage.WriteStats
	edges := make([]storage.Edge, 0, batch)
	flush := func() error {
		stats, err := tx.DeleteEdges(graph, edges)
		total.Deleted += stats.Deleted
		total.Missing += stats.Missing
		total.Version = stats.Version
		edges = edges[:0]
		return err
	}
	read, err := format.ReadPairs(c.Ctx, in, opts, func(source, target []byte) error {
		edges = append(edges, storage.Edge{Source: string(source), Target: string(target)})
		if len(edges) < batch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	textfile.NoteComments(c, read.LateComments)
	if read.Skipped > 0 && read.FirstSkipped != nil {
		c.Notice("%s skipped, the first: %v", fault.Count(read.Skipped, "bad line"), read.FirstSkipped)
	}
	return total, err
}

func deleteEdgesFileSchema() option.Schema[DeleteEdgesFileRequest] {
	type request = DeleteEdgesFileRequest
	return slices.Concat(
		endFields(func(r *request) *string { return &r.Source }, func(r *request) *string { return &r.Target }),
		textfile.PairsFields(func(r *request) *format.HeaderMode { return &r.Header }, func(r *request) *string { return &r.Separator }),
		option.Schema[request]{skipField(func(r *request) *bool { return &r.SkipBad })},
	)
}
