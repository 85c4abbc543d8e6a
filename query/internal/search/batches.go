package search

import (
	"cmp"
	"errors"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/plan"
	"heavytail/query/where"
	"heavytail/storage/vec"
)

// NearestBatch is the largest number of queries in a batch: so many that package index searches
// for vertices together whose vectors are near to each other.
const NearestBatch = 4096

// NearestBatches answers many queries, a batch at a time.
type NearestBatches struct {
	Many
	queries QueryVertices
	K       int // number of answers for each query
	rows    int // number of vertices that have a vector
	// For each vertex, whether it may be an answer to a query vertex that it is not
	// linked to, and to one that it is linked to. Both are nil if all vertices may be
	// answers.
	unlinked, linked []bool
}

// OpenNearestBatches loads the data that the batches of a search share. The queries are the
// keys of a file, or all vertices if path is empty, of which only some are answered.
func OpenNearestBatches(c *engine.Call, path string, some engine.RowRange, s Search) (*NearestBatches, error) {
	b := &NearestBatches{Many: Many{Loaded: Loaded{Call: c}}}
	if err := c.Consistent(func() error { return b.load(s) }); err != nil {
		return nil, err
	}
	b.rows = min(b.Space.Matrix.Rows, b.Space.Graph.Graph.Vertices())
	b.K = min(s.K, max(1, b.rows))
	b.queries = QueryVertices{Call: c, Graph: b.Space.Graph, Path: path, Range: some, Rows: b.rows, Verb: "nearest"}
	if err := b.Open(); err != nil || s.Where == nil {
		return b, err
	}
	return b, b.admit(s.Where)
}

// admit evaluates the condition of the request once for every vertex, before the
// searches.
func (b *NearestBatches) admit(admits func(where.Candidate) bool) error {
	const often = 1 << 12 // vertices between two checks of the context, about a millisecond
	b.unlinked, b.linked = make([]bool, b.rows), make([]bool, b.rows)
	for v := range b.rows {
		if v%often == 0 {
			if err := b.Call.Ctx.Err(); err != nil {
				return err
			}
		}
		b.unlinked[v] = admits(where.NewCandidate(b.Space.Graph, b.Columns, uint32(v), false))
		b.linked[v] = admits(where.NewCandidate(b.Space.Graph, b.Columns, uint32(v), true))
	}
	return nil
}

// admits reports whether v may be an answer to the query vertex u.
func (b *NearestBatches) admits(u, v uint32) bool {
	if v == u || int(v) >= b.rows {
		return false
	}
	if b.unlinked == nil || b.unlinked[v] == b.linked[v] {
		return b.unlinked == nil || b.unlinked[v]
	}
	return b.linked[v] == b.Space.Graph.Graph.HasEdge(u, v)
}

// Hits calls f with the answers of all queries, in their order.
func (b *NearestBatches) Hits(f func(u uint32, hits []index.Hit) error) error {
	c := b.Call
	size := BatchOf(NearestBatch, b.batchBytes)
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
	err = b.queries.Batches(size, func(vertices []uint32) error { return b.answer(vertices, f) })
	if err != nil {
		return err
	}
	stop(b.queries.done, "")
	b.queries.Note()
	return nil
}

func (b *NearestBatches) batchBytes(size int) int64 {
	return index.BatchBytes(size, b.K, b.Space.Matrix.Dim, b.Call.Workers())
}

// keptBytes is the memory that a scan of many queries may use in addition to that of each batch.
func (b *NearestBatches) keptBytes(purpose string) (int64, error) {
	if b.Exact == nil {
		return 0, nil
	}
	m := b.Space.Matrix
	if b.queries.Path != "" || !b.queries.Range.All() { // perhaps of few
		return index.BatchesBytes(m.Rows, m.Dim), nil
	}
	release, err := b.Call.DB.Cache.Reserve(index.GroupingBytes(m.Rows), purpose)
	if err != nil {
		return 0, err
	}
	defer release()
	return b.Exact.Bytes(b.Call.Workers()), nil
}

func (b *NearestBatches) answer(queries []uint32, f func(u uint32, hits []index.Hit) error) error {
	answers, err := b.Nearest(queries, b.K, b.admits)
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

// Many finds the vertices nearest to each of many others, by the index of a search or by scans.
type Many struct {
	Loaded
	// Open sets one of these two; the other is nil.
	Exact *index.Batches
	Graph *index.HNSW
}

// Open prepares for many searches. Afterwards the index of the search is the one that they use.
func (m *Many) Open() (err error) {
	if m.Index != nil {
		if m.Graph, err = Hnsw(m.Call, m.Space, m.Metric, m.Index); err != nil || m.Graph != nil {
			return err
		}
		m.Index = nil
	}
	exact, err := m.Space.Searcher(m.Metric)
	if err == nil {
		m.Exact = exact.Batches()
	}
	return err
}

// Nearest finds the k nearest of each of some vertices, among those that admits accepts for it. By an
// index each is searched in one goroutine.
func (m *Many) Nearest(vertices []uint32, k int, admits func(u, v uint32) bool) ([][]index.Hit, error) {
	c, space := m.Call, m.Space
	if m.Exact != nil {
		return m.Exact.Nearest(c.Ctx, vertices, k, c.Workers(), admits)
	}
	answers, failed := make([][]index.Hit, len(vertices)), make([]error, len(vertices))
	vec.Parallel(len(vertices), 1, c.Workers(), func(i, _, _ int) {
		u := vertices[i]
		opts := space.InRows(index.SearchOptions{
			Workers: 1, GraphOnly: c.DB.Opts.GraphOnly,
			Filter: func(v uint32) bool { return admits(u, v) },
		})
		answers[i], failed[i] = m.Graph.Search(c.Ctx, space.Matrix.Row(int(u)), k, opts)
		space.ToVertices(answers[i])
	})
	return answers, cmp.Or(c.Ctx.Err(), errors.Join(failed...))
}

// CheckCount returns an Error for a number of neighbours below 1.
func CheckCount(k int) error {
	if k < 1 {
		return fault.New(fault.Number, "the number of neighbours is %d, and must be at least 1", k)
	}
	return nil
}
