package query

import (
	"errors"
	"iter"
	"math"

	"heavytail/embedding/evaluate"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file runs bound statements: each calls the typed method of its meaning
// and lays the result out as rows.

// exec runs an operation and hands over its notices.
func (c *call) exec(op operation) (*Rows, error) {
	rows, err := op.exec(c)
	if err != nil {
		return nil, err
	}
	rows.notices = c.notices
	return rows, nil
}

// none is the result of statements that only do something.
func none() *Rows { return rowsOf(nil, nil) }

type createGraphOp struct{ graph string }

func (o *createGraphOp) exec(c *call) (*Rows, error) {
	_, err := c.createGraph(o.graph)
	return none(), err
}

type dropGraphOp struct {
	graph   string
	cascade bool
}

func (o *dropGraphOp) exec(c *call) (*Rows, error) {
	return none(), c.dropGraph(o.graph, o.cascade)
}

type dropEmbeddingOp struct{ embedding string }

func (o *dropEmbeddingOp) exec(c *call) (*Rows, error) {
	return none(), c.dropEmbedding(o.embedding)
}

type describeGraphOp struct {
	req  DescribeGraphRequest
	info storage.GraphInfo
}

func (o *describeGraphOp) exec(c *call) (*Rows, error) {
	d, err := c.describeGraph(o.req)
	return rowsOf([]string{"property", "value"}, d.rows()), err
}

type describeEmbeddingOp struct{ info storage.EmbeddingInfo }

func (o *describeEmbeddingOp) exec(c *call) (*Rows, error) {
	d, err := c.describeEmbedding(o.info.Name)
	return rowsOf([]string{"property", "value"}, d.rows()), err
}

type showOp struct{ what parser.Listing }

func (o *showOp) exec(c *call) (*Rows, error) { return c.show(o.what) }

type embedOp struct {
	req   EmbedRequest
	given []setting
	found *embedding
	text  string // the method in the language

	background bool
}

func (o *embedOp) exec(c *call) (*Rows, error) {
	if o.background && c.job == nil {
		return c.queued(o)
	}
	r, err := c.embed(o.req, o.given)
	if err != nil {
		return nil, err
	}
	var residual Value
	if len(r.Residuals) > 0 {
		residual = r.WorstResidual
	}
	return rowsOf([]string{"embedding", "method", "dim", "vertices", "seconds", "residual"},
		[][]Value{{r.Name, r.Method, int64(r.Dim), int64(r.Vertices), r.Seconds, residual}}), nil
}

type nearestOp struct {
	req   NearestRequest
	found *search
	where parser.Expr // of req.Where, for its text; may be nil
}

func (o *nearestOp) exec(c *call) (*Rows, error) {
	r, err := c.nearest(o.req)
	return r.rows(), err
}

type withinOp struct {
	req       WithinRequest
	found     *search
	where     parser.Expr // of req.Where, for its text; may be nil
	threshold parser.Threshold
}

func (o *withinOp) exec(c *call) (*Rows, error) {
	r, err := c.within(o.req)
	return r.rows(), err
}

// rows is the table of NEAREST and WITHIN.
func (r SearchResult) rows() *Rows {
	table := make([][]Value, len(r.Neighbors))
	for i, n := range r.Neighbors {
		table[i] = []Value{n.Vertex, n.Distance}
	}
	measure := "distance"
	if r.Metric.Similarity() {
		measure = "similarity"
	}
	return rowsOf([]string{"vertex", measure}, table)
}

type reconstructOp struct {
	req       ReconstructRequest
	found     *reconstruction
	threshold parser.Threshold
	sweep     bool // show all points
}

func (o *reconstructOp) exec(c *call) (*Rows, error) {
	r, err := c.reconstruct(o.req)
	if err != nil {
		return nil, err
	}
	columns := []string{"epsilon", "radius", "edges", "pearson", "spearman", "kendall", "precision", "recall"}
	return pointRows(columns, r.Points, r.Best, o.sweep, pointRow), nil
}

// pointRows is the table of the best point of a sweep, or of all of them.
func pointRows(columns []string, points []evaluate.ReconstructionPoint, best int, all bool, row func(evaluate.ReconstructionPoint) []Value) *Rows {
	if !all {
		points = points[best : best+1]
	}
	table := make([][]Value, len(points))
	for i, p := range points {
		table[i] = row(p)
	}
	return rowsOf(columns, table)
}

func pointRow(p evaluate.ReconstructionPoint) []Value {
	return []Value{p.Epsilon, p.Radius, p.Edges, number(p.Pearson), number(p.Spearman), number(p.Kendall), number(p.Precision), number(p.Recall)}
}

// number is a float, or nil where it is not defined.
func number(x float64) Value {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

type scoreOp struct {
	req   ScoreRequest
	found *scoring
}

func (o *scoreOp) exec(c *call) (*Rows, error) {
	r, err := c.score(o.req)
	if err != nil {
		return nil, err
	}
	table := make([][]Value, len(r.Pairs))
	for i, p := range r.Pairs {
		table[i] = p.row()
	}
	return rowsOf(o.found.rowColumns(), table), nil
}

// rowColumns are the columns of SCORE.
func (s *scoring) rowColumns() []string {
	return append([]string{"source", "target"}, s.columns()...)
}

func (p ScoredPair) row() []Value {
	row := make([]Value, 0, 2+len(p.Scores))
	row = append(row, p.Source, p.Target)
	for _, x := range p.Scores {
		row = append(row, number(x))
	}
	return row
}

type scoreFileOp struct {
	req   ScoreFileRequest
	found *scoring
}

func (o *scoreFileOp) exec(c *call) (*Rows, error) {
	if o.req.Into != "" {
		r, err := c.scoreFile(o.req)
		return rowsOf([]string{"file", "pairs", "missing", "seconds"},
			[][]Value{{o.req.Into, r.Pairs, r.Missing, r.Seconds}}), err
	}
	// The rows are scored while they are read. They keep what the call has
	// loaded until they end.
	c.streaming = true
	var rows *Rows
	rows = newRows(o.found.rowColumns(), o.stream(c, func() { rows.notices = c.notices }))
	stop := rows.stop
	rows.stop = func() {
		stop()
		c.release()
	}
	return rows, nil
}

// stream scores a file pair by pair, and calls done when it has ended.
func (o *scoreFileOp) stream(c *call, done func()) iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		req := o.req
		req.Each = func(p ScoredPair) error {
			if !yield(p.row(), nil) {
				return errStopped
			}
			return nil
		}
		_, err := c.scoreFileBy(o.found, req)
		done()
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, c.wrap(err))
		}
	}
}

type helpOp struct {
	topic []string
	table *helpTable
}

func (o *helpOp) exec(*call) (*Rows, error) { return rowsOf(o.table.columns, o.table.rows), nil }

type explainOp struct {
	inner   operation
	profile bool
}

// exec shows the plan of the statement; PROFILE first runs it and reads all its
// rows.
func (o *explainOp) exec(c *call) (*Rows, error) {
	plan := o.inner.plan()
	if !o.profile {
		return plan.explainRows(), nil
	}
	rows, err := o.inner.exec(c)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	n := int64(0)
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	c.stop(n, "")
	return plan.profileRows(c.watch), nil
}
