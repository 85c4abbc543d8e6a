package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage/vec"
	"iter"
)

// NearestForRequest asks for the vertices nearest to each of many query vertices.
type NearestForRequest struct {
	K         int    // number of vertices to find for each query vertex; at least 1
	Embedding string // name of the embedding to search
	// Path is a file with the key of a query vertex on each line, or CSV under the header
	// key, plain or compressed; "-" is Options.Input. Empty means every vertex that has a
	// vector.
	Path   string
	Metric index.Metric // index.L2 by default
	Exact  bool         // do not use an index
	// Where decides which vertices may be in the result; nil admits all. It is called from
	// one goroutine, before the first search, twice for each vertex: once as linked to the
	// query vertex and once as not linked.
	Where func(where.Candidate) bool
	// Attributes are the attributes that Where reads; they are loaded.
	Attributes []string

	condition string // the text of Where, for the plan
}

var nearestFor = &engine.Statement[*parser.NearestFor, NearestForRequest, search, *engine.Stream[NearestRow]]{
	Help: nearestHelp(),
	Bind: func(b *engine.Binder, s *parser.NearestFor) (req NearestForRequest) {
		req.Exact = s.Exact
		req.K, req.Path = b.Size(fault.Number, s.Count), keysFile(b, s.Each)
		req.Embedding, req.Metric = space(b, s.Using)
		where := searchWhere(b, s.Where, req.Embedding, true)
		req.Where, req.Attributes, req.condition = where.Admits, where.Attributes, exprText(s.Where)
		return req
	},
	Resolve: func(c *engine.Call, req NearestForRequest) (search, error) {
		if err := cmp.Or(checkCount(req.K), checkKeys(c, req.Path)); err != nil {
			return search{}, err
		}
		return resolveSearch(c, question{
			embedding: req.Embedding, metric: req.Metric, exact: req.Exact, scope: scope{k: req.K},
			where: req.Where, attributes: req.Attributes, condition: req.condition,
		})
	},
	Plan: func(req NearestForRequest, s search) *plan.Plan {
		from := "every vertex with a vector"
		if req.Path != "" {
			from = "the vertices of " + fault.Quote(session.InputName(req.Path))
		}
		return plan.Result("nearest", fmt.Sprintf("%d by %s of each, streamed in the order of the queries", req.K, req.Metric),
			s.planFrom(from+", itself left out"))
	},
	Run: func(c *engine.Call, req NearestForRequest, s search) (*engine.Stream[NearestRow], error) {
		b, err := openNearestBatches(c, req.Path, s)
		if err != nil {
			return nil, err
		}
		return engine.StreamOf(c, b.each), nil
	},
	Rows: func(req NearestForRequest, answer *engine.Stream[NearestRow]) *rows.Rows {
		return answer.Rows([]string{"source", "rank", "target", measureName(req.Metric)}, func(r NearestRow) []rows.Value {
			return []rows.Value{r.Source, int64(r.Rank), r.Vertex, r.by(req.Metric)}
		})
	},
	Reads: true,
}

// EachNearest iterates over the vertices nearest to each query vertex. Query vertices come
// in the order of the graph or of the file, and their answers, which are those of Nearest,
// nearest first, with ties in the order in which the vertices came into the graph. The
// searches are made in batches on all workers, by scans (see index.Exact.SearchBatch) or
// by an index of the embedding; the memory does not depend on the number of queries. An
// error is yielded last, with an empty row. The call begins when the iteration begins.
func (s *vectorsService) EachNearest(ctx context.Context, req NearestForRequest) iter.Seq2[NearestRow, error] {
	return engine.Iterate(func() (*engine.Stream[NearestRow], error) { return nearestFor.Answer(ctx, s.db, req) })
}

// NearestRow is one of the vertices nearest to a query vertex.
type NearestRow struct {
	Source string `json:"source"` // the query vertex
	Rank   int    `json:"rank"`   // 1 is the nearest
	Neighbor
}

// nearestBatches answers many queries, a batch at a time.
type nearestBatches struct {
	loadedSearch
	call    *engine.Call
	queries queryVertices
	k       int // number of answers for each query
	rows    int // number of vertices that have a vector
	// One of these two finds the answers; the other is nil.
	exact *index.Batches
	graph *index.HNSW
	// For each vertex, whether it may be an answer to a query vertex that it is not
	// linked to, and to one that it is linked to. Both are nil if all vertices may be
	// answers.
	unlinked, linked []bool
}

// nearestBatches loads the data that the batches of a search share. The queries are the
// keys of a file, or all vertices if path is empty.
func openNearestBatches(c *engine.Call, path string, s search) (*nearestBatches, error) {
	b := &nearestBatches{call: c}
	if err := c.Consistent(func() (err error) { b.loadedSearch, err = load(c, s); return err }); err != nil {
		return nil, err
	}
	b.rows = min(b.space.Matrix.Rows, b.space.Graph.Graph.Vertices())
	b.k = min(s.k, max(1, b.rows))
	b.queries = queryVertices{call: c, graph: b.space.Graph, path: path, rows: b.rows, verb: "nearest"}
	var err error
	if b.index != nil {
		if b.graph, err = hnsw(c, b.space, b.metric, b.index); err != nil {
			return nil, err
		}
	}
	if b.graph == nil {
		exact, err := b.space.Searcher(b.metric)
		if err != nil {
			return nil, err
		}
		b.exact = exact.Batches()
	}
	if s.where == nil {
		return b, nil
	}
	return b, b.admit(s.where)
}

// admit evaluates the condition of the request once for every vertex, before the
// searches.
func (b *nearestBatches) admit(admits func(where.Candidate) bool) error {
	const often = 1 << 12 // vertices between two checks of the context, about a millisecond
	b.unlinked, b.linked = make([]bool, b.rows), make([]bool, b.rows)
	for v := range b.rows {
		if v%often == 0 {
			if err := b.call.Ctx.Err(); err != nil {
				return err
			}
		}
		b.unlinked[v] = admits(where.NewCandidate(b.space.Graph, b.columns, uint32(v), false))
		b.linked[v] = admits(where.NewCandidate(b.space.Graph, b.columns, uint32(v), true))
	}
	return nil
}

// admits reports whether v may be an answer to the query vertex u.
func (b *nearestBatches) admits(u, v uint32) bool {
	if v == u || int(v) >= b.rows {
		return false
	}
	if b.unlinked == nil || b.unlinked[v] == b.linked[v] {
		return b.unlinked == nil || b.unlinked[v]
	}
	return b.linked[v] == b.space.Graph.Graph.HasEdge(u, v)
}

// each calls f with the answers of all queries.
func (b *nearestBatches) each(f func(NearestRow) error) error {
	g := b.space.Graph
	return b.hits(func(u uint32, hits []index.Hit) error {
		source := g.Key(u)
		for rank, h := range hits {
			if err := f(NearestRow{source, rank + 1, neighbor(b.metric, g.Key(h.Vertex), h)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// hits calls f with the answers of all queries, in their order.
func (b *nearestBatches) hits(f func(u uint32, hits []index.Hit) error) error {
	c := b.call
	size := batchOf(b.batchBytes)
	purpose := "the nearest of " + fault.Count(int64(size), "vertex")
	kept, err := b.keptBytes(purpose)
	if err != nil {
		return err
	}
	const rows = 2 << 20 // what finding the rows and writing them takes beside
	release, err := c.DB.Cache.ReserveWork(b.batchBytes(size)+kept+rows, purpose)
	if err != nil {
		return err
	}
	defer release()
	stop := c.Watch.Start(plan.Scan)
	err = b.queries.batches(size, func(vertices []uint32) error { return b.answer(vertices, f) })
	if err != nil {
		return err
	}
	stop(b.queries.done, "")
	b.queries.note()
	return nil
}

func (b *nearestBatches) batchBytes(size int) int64 {
	return index.BatchBytes(size, b.k, b.space.Matrix.Dim, b.call.Workers())
}

// keptBytes is the memory that a scan of many queries may use in addition to that of each batch.
func (b *nearestBatches) keptBytes(purpose string) (int64, error) {
	if b.exact == nil {
		return 0, nil
	}
	m := b.space.Matrix
	if b.queries.path != "" { // perhaps of few
		return index.BatchesBytes(m.Rows, m.Dim), nil
	}
	release, err := b.call.DB.Cache.Reserve(index.GroupingBytes(m.Rows), purpose)
	if err != nil {
		return 0, err
	}
	defer release()
	return b.exact.Bytes(b.call.Workers()), nil
}

func (b *nearestBatches) answer(queries []uint32, f func(u uint32, hits []index.Hit) error) error {
	answers, err := b.find(queries)
	if err != nil {
		return err
	}
	for i, u := range queries {
		if err := f(u, answers[i]); err != nil {
			return err
		}
	}
	return nil
}

// find answers a batch, by the index or by a scan of all vectors.
func (b *nearestBatches) find(queries []uint32) ([][]index.Hit, error) {
	if b.graph != nil {
		return walk(b.call, b.graph, b.space, queries, b.k, b.admits)
	}
	return b.exact.Nearest(b.call.Ctx, queries, b.k, b.call.Workers(), b.admits)
}

// walk finds the k nearest of each of some vertices by an index, each in one goroutine.
func walk(c *engine.Call, graph *index.HNSW, space *session.Space, vertices []uint32, k int, admits func(u, v uint32) bool) ([][]index.Hit, error) {
	answers, failed := make([][]index.Hit, len(vertices)), make([]error, len(vertices))
	vec.Parallel(len(vertices), 1, c.Workers(), func(i, _, _ int) {
		u := vertices[i]
		opts := space.InRows(index.SearchOptions{
			Workers: 1, GraphOnly: c.DB.Opts.GraphOnly,
			Filter: func(v uint32) bool { return admits(u, v) },
		})
		answers[i], failed[i] = graph.Search(c.Ctx, space.Matrix.Row(int(u)), k, opts)
		space.ToVertices(answers[i])
	})
	return answers, cmp.Or(c.Ctx.Err(), errors.Join(failed...))
}
