package query

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"heavytail/index"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
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
	Where func(Candidate) bool
	// Attributes are the attributes that Where reads; they are loaded.
	Attributes []string

	condition string // the text of Where, for the plan
}

var nearestFor = &statement[*parser.NearestFor, NearestForRequest, search, *stream[NearestRow]]{
	help: nearestHelp(),
	bind: func(b *binder, s *parser.NearestFor) (req NearestForRequest) {
		req.Exact = s.Exact
		req.K, req.Path = b.Size(fault.Number, s.Count), b.keysFile(s.Each)
		req.Embedding, req.Metric = b.space(s.Using)
		where := b.searchWhere(s.Where, req.Embedding, true)
		req.Where, req.Attributes, req.condition = where.Admits, where.Attributes, exprText(s.Where)
		return req
	},
	resolve: func(c *call, req NearestForRequest) (search, error) {
		if err := cmp.Or(checkCount(req.K), c.checkKeys(req.Path)); err != nil {
			return search{}, err
		}
		return c.resolveSearch(question{
			embedding: req.Embedding, metric: req.Metric, exact: req.Exact, scope: scope{k: req.K},
			where: req.Where, attributes: req.Attributes, condition: req.condition,
		})
	},
	plan: func(req NearestForRequest, s search) *plan.Plan {
		from := "every vertex with a vector"
		if req.Path != "" {
			from = "the vertices of " + fault.Quote(session.InputName(req.Path))
		}
		return plan.Result("nearest", fmt.Sprintf("%d by %s of each, streamed in the order of the queries", req.K, req.Metric),
			s.planFrom(from+", itself left out"))
	},
	run: func(c *call, req NearestForRequest, s search) (*stream[NearestRow], error) {
		b, err := c.nearestBatches(req.Path, s)
		if err != nil {
			return nil, err
		}
		return streamOf(c, b.each), nil
	},
	rows: func(req NearestForRequest, answer *stream[NearestRow]) *Rows {
		return answer.rows([]string{"source", "rank", "target", measureName(req.Metric)}, func(r NearestRow) []Value {
			return []Value{r.Source, int64(r.Rank), r.Vertex, r.by(req.Metric)}
		})
	},
	reads: true,
}

// EachNearest iterates over the vertices nearest to each query vertex. Query vertices come
// in the order of the graph or of the file, and their answers, which are those of Nearest,
// nearest first, with ties in the order in which the vertices came into the graph. The
// searches are made in batches on all workers, by scans (see index.Exact.SearchBatch) or
// by an index of the embedding; the memory does not depend on the number of queries. An
// error is yielded last, with an empty row. The call begins when the iteration begins.
func (db *DB) EachNearest(ctx context.Context, req NearestForRequest) iter.Seq2[NearestRow, error] {
	return iterate(func() (*stream[NearestRow], error) { return nearestFor.answer(ctx, db, req) })
}
