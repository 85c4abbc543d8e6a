package query

import (
	"math"

	"heavytail/index"
	"heavytail/query/internal/fault"
	"heavytail/query/parser"
)

// This file has searches with several query vertices.

// partExample is one of several query vertices; the first has the same part as
// a single query vertex.
func partExample(i int) fault.Part {
	if i == 0 {
		return fault.Vertex
	}
	return partKey(i)
}

// examples are the keys of several query vertices.
func (b *binder) examples(values []parser.Value) (keys []string) {
	for i, v := range values {
		keys = append(keys, b.vertexKey(partExample(i), v))
	}
	return keys
}

// centroid is the mean of vectors; under cosine they are first scaled to
// length 1.
func centroid(rows [][]float32, metric index.Metric) []float32 {
	sum := make([]float64, len(rows[0]))
	for _, row := range rows {
		add(sum, row, metric)
	}
	mean := make([]float32, len(sum))
	for i, x := range sum {
		mean[i] = float32(x / float64(len(rows)))
	}
	return mean
}

// add adds a vector to a sum; under cosine it is first scaled to length 1, and
// a zero vector adds nothing.
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
