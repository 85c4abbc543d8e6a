package query

import (
	"math"

	"heavytail/index"
	"heavytail/query/parser"
)

// This file is the search for what is near to several vertices.

// resolveExamples is resolveSearch for several vertices. What is sought rests on
// vectors in memory.
func (c *call) resolveExamples(req NearestRequest) (*search, error) {
	if req.Vertex != "" || req.Vector != nil {
		return nil, mistake(partVector, "several vertices are sought, and another vertex or a vector besides")
	}
	s, err := c.resolveSearch(req.Embedding, req.Metric, req.Examples[0], nil, req.Attributes, req.Exact, false)
	if err != nil {
		return nil, err
	}
	sum := make([]float64, len(s.vector))
	add(sum, s.vector, req.Metric)
	for i, key := range req.Examples[1:] {
		at := partExample(i + 1)
		v, err := c.vertex(s.space.graph, key, at)
		if err != nil {
			return nil, err
		}
		row, err := s.space.row(v, key, at)
		if err != nil {
			return nil, err
		}
		s.others = append(s.others, v)
		add(sum, row, req.Metric)
	}
	s.vector = make([]float32, len(sum))
	for i, x := range sum {
		s.vector[i] = float32(x / float64(len(req.Examples)))
	}
	return s, nil
}

// partExample is one of several vertices; the first is sought as one alone is.
func partExample(i int) part {
	if i == 0 {
		return partVertex
	}
	return partKey(i)
}

// examples are the keys of several vertices.
func (b *binder) examples(values []parser.Value) ([]string, error) {
	var keys []string
	for i, v := range values {
		key, err := b.vertexKey(partExample(i), v)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// from says in a plan what is sought.
func (s *search) from() string {
	switch {
	case !s.byKey:
		return "a vector"
	case len(s.others) == 0:
		return "vertex " + quoteKey(s.key) + ", itself left out"
	}
	return "the middle of " + count(int64(len(s.others)+1), "vertex") + ", themselves left out"
}

// add adds a vector to a sum, under cosine at length 1, where it has one.
func add(sum []float64, row []float32, metric index.Metric) {
	scale := 1.0
	if metric == index.Cosine {
		squares := 0.0
		for _, x := range row {
			squares += float64(x) * float64(x)
		}
		if squares > 0 {
			scale = 1 / math.Sqrt(squares)
		}
	}
	for i, x := range row {
		sum[i] += scale * float64(x)
	}
}
