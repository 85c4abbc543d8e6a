package vectors

import (
	"context"
	"fmt"
	"math"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/search"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
)

// WithinRequest asks for all vertices within a distance of a vertex or a
// vector.
type WithinRequest struct {
	Embedding string // name of the embedding to search
	Vertex    string // key of the query vertex, as in NearestRequest
	Vector    []float32
	Metric    index.Metric
	Exact     bool // do not use an index
	// Radius is the largest distance, or the lowest similarity under
	// index.Cosine and index.Dot.
	Radius float64
	// Epsilon, if not 0, is used instead of Radius: the lowest edge
	// probability 1/(1+e^distance), above 0 and at most 0.5, and only with
	// index.L2.
	Epsilon float64
	Where   func(where.Candidate) bool // as in NearestRequest
	// Attributes are the attributes that Where reads, as in NearestRequest.
	Attributes []string
	Limit      int // largest number of vertices to return, the first in the order; 0 for all
	// OrderBy is an attribute, or degree or key, by which the vertices are sorted, as in
	// NearestRequest. Empty for the nearest first.
	OrderBy    string
	Descending bool

	// The texts of Where and of the threshold, for the plan.
	condition, threshold string
	reads                conditions.Reads // what Where reads
}

var withinRadius = &engine.Statement[*parser.Within, WithinRequest, search.Search, SearchResult]{
	Help: help.Statement{
		Statement: "WITHIN",
		Summary:   "finds all vertices within a distance, or with an edge probability of at least a given one",
		Detail:    "The probability is 1/(1+e^distance). The nearest is first, or the order that of ORDER BY, with vertices without a value last; LIMIT keeps the first n",
		Words:     "radius range search similarity threshold ball",
		Columns:   "vertex, distance (l2) or similarity (cosine and dot)",
	},
	Bind:    bindWithin,
	Resolve: resolveWithin,
	Plan:    planWithin,
	Run:     func(c *engine.Call, _ WithinRequest, s search.Search) (SearchResult, error) { return find(c, s) },
	Empty:   func(_ WithinRequest, s search.Search) SearchResult { return SearchResult{Metric: s.Metric} },
	Rows:    func(_ WithinRequest, r SearchResult) *rows.Rows { return r.rows() },
	Reads:   true,
}

// Within returns all vertices within a distance of a vertex or a vector. It scans
// all vectors once and is exact, unless the embedding is large and has an index
// for the metric; a search by an index finds about the fraction IndexInfo.Recall
// of them.
func (s *Service) Within(ctx context.Context, req WithinRequest) (SearchResult, error) {
	return withinRadius.Answer(ctx, s.db, req)
}

func bindWithin(b *engine.Binder, s *parser.Within) (req WithinRequest) {
	req.Exact, req.threshold = s.Exact, fmt.Sprint(s.Threshold)
	req.Radius, req.Epsilon = threshold(b, s.Threshold)
	req.Vertex, req.Vector = search.Target(b, s.Of)
	req.Embedding, req.Metric = search.Space(b, s.Using)
	var condition conditions.Condition
	condition, req.condition = search.TakeWhere(b, req.Embedding, req.Vector == nil)
	req.Where, req.Attributes, req.reads = condition.Admits, condition.Attributes, condition.Reads
	req.OrderBy, req.Descending = search.TakeOrder(b, req.Embedding)
	req.Limit = b.TakeLimit()
	return req
}

func resolveWithin(c *engine.Call, req WithinRequest) (s search.Search, err error) {
	q := search.Question{
		Embedding: req.Embedding, Vector: req.Vector, Metric: req.Metric, Exact: req.Exact,
		Where: req.Where, Attributes: req.Attributes, Condition: req.condition, Reads: req.reads, Limit: req.Limit, OrderBy: req.OrderBy, Descending: req.Descending,
	}
	if q.Vertices, err = search.QueryVertex(req.Vertex, req.Vector); err != nil {
		return s, err
	}
	if s, err = search.ResolveSearch(c, q); err != nil {
		return s, err
	}
	if err := engine.CheckLimit(req.Limit); err != nil {
		return s, err
	}
	if req.Epsilon != 0 && req.Metric != index.L2 {
		return s, fault.New(fault.Threshold, "EPSILON cannot be used with %s", req.Metric).
			WithRemedy("use RADIUS with the lowest similarity")
	}
	s.Radius, err = resolveThreshold(req.Radius, req.Epsilon, req.Metric)
	return s, err
}

func planWithin(req WithinRequest, s search.Search) *plan.Plan {
	bound := "distance at most"
	if req.Metric.Similarity() {
		bound = req.Metric.String() + " at least"
	}
	detail := fmt.Sprintf("%s %.6g (%s), ties by vertex", bound, s.Radius, req.threshold)
	if req.OrderBy != "" {
		detail += ", then " + engine.OrderText(req.OrderBy, req.Descending)
	}
	detail = scan.Limited(detail, req.Limit)
	return plan.Result("within", detail, s.Plan())
}

func threshold(b *engine.Binder, t parser.Threshold) (radius, epsilon float64) {
	if t.Kind == parser.Auto {
		b.Mark(fault.Threshold, t)
		return 0, 0
	}
	value := b.Value(fault.Threshold, t.Value)
	x, ok := value.(float64)
	if n, isInt := value.(int64); isInt {
		x, ok = float64(n), true
	}
	switch {
	case !ok:
		b.Fail(bind.Unexpected(fault.Threshold, value, "a number"))
	case t.Kind == parser.Radius:
		return x, 0
	case x == 0: // 0 means no epsilon in a request
		_, err := index.EpsilonToRadius(0)
		b.Fail(fault.New(fault.Threshold, "epsilon is 0, and must be above 0 and at most 0.5").WithErr(err))
	}
	return 0, x
}

// resolveThreshold returns the radius that a radius or an epsilon stands for.
func resolveThreshold(radius, epsilon float64, metric index.Metric) (float64, error) {
	if epsilon != 0 {
		r, err := index.EpsilonToRadius(epsilon)
		if err != nil {
			return 0, fault.New(fault.Threshold, "epsilon is %v, and must be above 0 and at most 0.5", epsilon).WithErr(err)
		}
		return r, nil
	}
	switch {
	case metric == index.L2 && radius < 0:
		return 0, fault.New(fault.Threshold, "the radius is %v, and must be 0 or more", radius).WithErr(index.ErrRadius)
	case math.IsNaN(radius) || math.IsInf(radius, 0):
		return 0, fault.New(fault.Threshold, "the radius is %v, and must be a finite number", radius).WithErr(index.ErrRadius)
	}
	return radius, nil
}
