package vectors

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
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

var nearestFor = &engine.Statement[*parser.NearestFor, NearestForRequest, search.Search, *engine.Stream[NearestRow]]{
	Help: nearestHelp(),
	Bind: func(b *engine.Binder, s *parser.NearestFor) (req NearestForRequest) {
		req.Exact = s.Exact
		req.K, req.Path = b.Size(fault.Number, s.Count), search.KeysFile(b, s.Each)
		req.Embedding, req.Metric = search.Space(b, s.Using)
		where := search.SearchWhere(b, s.Where, req.Embedding, true)
		req.Where, req.Attributes, req.condition = where.Admits, where.Attributes, search.ExprText(s.Where)
		return req
	},
	Resolve: func(c *engine.Call, req NearestForRequest) (search.Search, error) {
		if err := cmp.Or(search.CheckCount(req.K), search.CheckKeys(c, req.Path)); err != nil {
			return search.Search{}, err
		}
		return search.ResolveSearch(c, search.Question{
			Embedding: req.Embedding, Metric: req.Metric, Exact: req.Exact, Scope: search.Scope{K: req.K},
			Where: req.Where, Attributes: req.Attributes, Condition: req.condition,
		})
	},
	Plan: func(req NearestForRequest, s search.Search) *plan.Plan {
		from := "every vertex with a vector"
		if req.Path != "" {
			from = "the vertices of " + fault.Quote(session.InputName(req.Path))
		}
		return plan.Result("nearest", fmt.Sprintf("%d by %s of each, streamed in the order of the queries", req.K, req.Metric),
			s.PlanFrom(from+", itself left out"))
	},
	Run: func(c *engine.Call, req NearestForRequest, s search.Search) (*engine.Stream[NearestRow], error) {
		b, err := search.OpenNearestBatches(c, req.Path, s)
		if err != nil {
			return nil, err
		}
		return engine.StreamOf(c, func(f func(NearestRow) error) error { return nearestRows(b, f) }), nil
	},
	Rows: func(req NearestForRequest, answer *engine.Stream[NearestRow]) *rows.Rows {
		return answer.Rows([]string{"source", "rank", "target", measureName(req.Metric)}, func(r NearestRow) []rows.Value {
			return []rows.Value{r.Source, int64(r.Rank), r.Vertex, r.Value}
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
func (s *Service) EachNearest(ctx context.Context, req NearestForRequest) iter.Seq2[NearestRow, error] {
	return engine.Iterate(func() (*engine.Stream[NearestRow], error) { return nearestFor.Answer(ctx, s.db, req) })
}

// NearestRow is one of the vertices nearest to a query vertex.
type NearestRow struct {
	Source string `json:"source"` // the query vertex
	Rank   int    `json:"rank"`   // 1 is the nearest
	Neighbor
}

// nearestRows calls f with the answers of all queries.
func nearestRows(b *search.NearestBatches, f func(NearestRow) error) error {
	g := b.Space.Graph
	return b.Hits(func(u uint32, hits []index.Hit) error {
		source := g.Key(u)
		for rank, h := range hits {
			if err := f(NearestRow{source, rank + 1, Neighbor{g.Key(h.Vertex), float64(h.Distance)}}); err != nil {
				return err
			}
		}
		return nil
	})
}
