package query

import (
	"context"
	"io"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/where"
	"heavytail/query/parser"
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
	Where      func(Candidate) bool
	Attributes []string // that Where reads, as in NearestRequest

	condition parser.Expr // of Where, for its text; may be nil
}

var deleteVertex = &statement[*parser.DeleteVertices, DeleteVerticesRequest, storage.GraphInfo, WriteResult]{
	help: Help{
		Statement: "DELETE VERTEX", Syntax: "DELETE VERTEX vertex, … FROM graph",
		Summary: "deletes vertices with their edges; those that do not exist are counted as missing",
		Columns: "graph, deleted, missing, edges_deleted, version",
		Example: "DELETE VERTEX 'alice', 'bob' FROM social",
	},
	when:    func(s *parser.DeleteVertices) bool { return s.Where == nil },
	bind:    bindDeleteVertices,
	resolve: resolveDeleteVertices,
	plan: func(req DeleteVerticesRequest, _ storage.GraphInfo) *plan.Plan {
		return writePlan("delete", fault.Count(int64(len(req.Keys)), "vertex")+" with edges", req.Graph)
	},
	run: func(c *call, req DeleteVerticesRequest, _ storage.GraphInfo) (WriteResult, error) {
		return c.change(req.Graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			return tx.DeleteVertices(req.Graph, req.Keys)
		})
	},
	rows: writeRows[DeleteVerticesRequest]("deleted", "missing", "edges_deleted"),
}

var deleteVertices = &statement[*parser.DeleteVertices, DeleteVerticesRequest, storage.GraphInfo, WriteResult]{
	help: Help{
		Statement: "DELETE VERTICES", Syntax: "DELETE VERTICES FROM graph WHERE condition",
		Summary: "deletes all vertices that meet a condition, with their edges",
		Columns: "graph, deleted, missing, edges_deleted, version",
		Example: "DELETE VERTICES FROM social WHERE degree = 0",
	},
	bind:    bindDeleteVertices,
	resolve: resolveDeleteVertices,
	plan: func(req DeleteVerticesRequest, graph storage.GraphInfo) *plan.Plan {
		return writePlan("delete", "vertices with their edges", req.Graph, scanPlan(graph, req.condition, req.Attributes))
	},
	run: func(c *call, req DeleteVerticesRequest, _ storage.GraphInfo) (WriteResult, error) {
		return c.changeWhere(req.Graph, req.Where, req.Attributes, func(tx *storage.Tx, keys []string) (storage.WriteStats, error) {
			return tx.DeleteVertices(req.Graph, keys)
		})
	},
	rows: writeRows[DeleteVerticesRequest]("deleted", "missing", "edges_deleted"),
}

// DeleteVertices deletes vertices with their edges.
func (db *DB) DeleteVertices(ctx context.Context, req DeleteVerticesRequest) (WriteResult, error) {
	if req.Where == nil {
		return deleteVertex.answer(ctx, db, req)
	}
	return deleteVertices.answer(ctx, db, req)
}

func bindDeleteVertices(b *binder, s *parser.DeleteVertices) DeleteVerticesRequest {
	req := DeleteVerticesRequest{Graph: b.name(fault.Graph, s.Graph), condition: s.Where}
	info := b.graph(req.Graph)
	condition := where.Compile(b.Values, s.Where, info, where.ToNothing)
	req.Where, req.Attributes = condition.Admits, condition.Attributes
	req.Keys = b.vertexKeys(s.Keys)
	return req
}

func resolveDeleteVertices(c *call, req DeleteVerticesRequest) (storage.GraphInfo, error) {
	return c.changedWhere(req.Graph, req.Attributes)
}

var deleteEdge = &statement[*parser.DeleteEdges, edgesRequest, nothing, WriteResult]{
	help: Help{
		Statement: "DELETE EDGE", Syntax: "DELETE EDGE | EDGES (vertex, vertex), … FROM graph",
		Summary: "deletes edges; their vertices stay",
		Columns: "graph, deleted, missing, version",
		Example: "DELETE EDGE ('alice', 'bob'), ('carol', 'dave') FROM social",
	},
	bind:    func(b *binder, s *parser.DeleteEdges) edgesRequest { return b.pairs(s.Graph, s.Pairs) },
	resolve: (*call).resolveEdges,
	plan:    planEdges("delete"),
	run:     changeEdges((*storage.Tx).DeleteEdges),
	rows:    writeRows[edgesRequest]("deleted", "missing"),
}

// DeleteEdges deletes edges, which are identified by their ends alone; their
// vertices stay.
func (db *DB) DeleteEdges(ctx context.Context, graph string, edges []storage.Edge) (WriteResult, error) {
	return deleteEdge.answer(ctx, db, edgesRequest{graph, edges})
}

// DeleteEdgesFileRequest asks to delete the edges that a file lists.
type DeleteEdgesFileRequest struct {
	Graph string
	// Path is a text file of two columns, as in ScoreFileRequest; "-" is
	// Options.Input.
	Path      string
	Header    format.HeaderMode
	Separator string
	// Source and Target are the columns of the ends, by name or number, and
	// SkipBad leaves bad lines out, as in ImportRequest.
	Source, Target string
	SkipBad        bool
}

var deleteEdgesFile = &statement[*parser.DeleteEdgesFile, DeleteEdgesFileRequest, nothing, WriteResult]{
	help: Help{
		Statement: "DELETE EDGES FILE", Syntax: "DELETE EDGES FILE 'file' FROM graph [WITH (option := value, …)]",
		Summary: "deletes the edges of a file of pairs, plain or compressed",
		Columns: "graph, deleted, missing, version",
		Example: "DELETE EDGES FILE 'gone.csv' FROM social",
	},
	options: edgePairsOptions,
	bind: func(b *binder, s *parser.DeleteEdgesFile) DeleteEdgesFileRequest {
		req := DeleteEdgesFileRequest{Graph: b.name(fault.Graph, s.Graph), Path: b.Text(fault.File, s.File)}
		set := b.Settings("DELETE EDGES FILE", edgePairsOptions(), s.Options)
		req.Header, req.Separator = b.header(set), set.Text("separator")
		req.Source, req.Target, req.SkipBad = set.Text("source"), set.Text("target"), set.Text("on_error") == "skip"
		return req
	},
	resolve: func(c *call, req DeleteEdgesFileRequest) (nothing, error) {
		if err := c.checkGraph(req.Graph); err != nil {
			return nothing{}, err
		}
		columns := ImportRequest{Source: req.Source, Target: req.Target, Header: req.Header, Separator: req.Separator}
		if err := columns.check(); err != nil {
			return nothing{}, err
		}
		return nothing{}, c.CheckInput(req.Path, fault.File)
	},
	plan: func(req DeleteEdgesFileRequest, _ nothing) *plan.Plan {
		return writePlan("delete", "edges", req.Graph, plan.Step("pairs", fault.Quote(session.InputName(req.Path))))
	},
	run:  runDeleteEdgesFile,
	rows: writeRows[DeleteEdgesFileRequest]("deleted", "missing"),
}

// DeleteEdgesFile deletes the edges of a file in one transaction; other writers
// wait while the file is read.
func (db *DB) DeleteEdgesFile(ctx context.Context, req DeleteEdgesFileRequest) (WriteResult, error) {
	return deleteEdgesFile.answer(ctx, db, req)
}

func runDeleteEdgesFile(c *call, req DeleteEdgesFileRequest, _ nothing) (WriteResult, error) {
	return c.change(req.Graph, func(tx *storage.Tx) (storage.WriteStats, error) {
		in, size, err := c.OpenInput(req.Path, fault.File)
		if err != nil {
			return storage.WriteStats{}, err
		}
		defer in.Close()
		opts := format.EdgeListOptions{
			Name: session.InputName(req.Path), Size: size, Header: req.Header, Separator: req.Separator,
			Source: req.Source, Target: req.Target, SkipBad: req.SkipBad, Progress: c.Meter.Update,
		}
		return c.deleteEdgesOf(tx, req.Graph, in, opts)
	})
}

// deleteEdgesOf deletes the edges that a reader lists, a batch at a time.
func (c *call) deleteEdgesOf(tx *storage.Tx, graph string, in io.Reader, opts format.EdgeListOptions) (storage.WriteStats, error) {
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
	c.noteComments(read.LateComments)
	if read.Skipped > 0 && read.FirstSkipped != nil {
		c.Notice("%s skipped, the first: %v", fault.Count(read.Skipped, "bad line"), read.FirstSkipped)
	}
	return total, err
}
