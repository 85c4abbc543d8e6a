package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// This file repeats the paper's Table 3: a linear regression on the difference of two
// vectors, which decides whether their vertices are linked. It is trained and tested on
// edges of the graph that was embedded and on as many pairs without an edge. The sign of the
// difference depends on the order of the two vertices, which the paper does not give.

// mostPairs is the number of edges of training and test together; the paper took about
// 1 % of all pairs.
const mostPairs = 15_000

// testPart of the pairs are tested, and the others are learned from.
const testPart = 3

// example is a pair of vertices with the sign that the regression has to find.
type example struct {
	u, v   int
	linked float64 // 1 or −1
}

// Orders of the two vertices of a pair: by their numbers, which are those of the file, or by
// chance.
const (
	ascending     = "ascending"
	inRandomOrder = "random"
)

// pairFigures returns precision, recall and F1 of an embedding of a graph, with the two
// vertices of the pairs in each order.
func (e *experiment) pairFigures(ctx context.Context, graph, vectorsName string) (columns []string, answer [][]any, err error) {
	var vectors [][]float32
	number := map[string]int{}
	for v, err := range e.db.Vectors().Each(ctx, vectorsName) {
		if err != nil {
			return nil, nil, err
		}
		number[v.Key] = len(vectors)
		vectors = append(vectors, v.Vector)
	}
	var listed entry
	if err := e.ask(ctx, step{statement: "SHOW EDGES IN " + graph}, &listed); err != nil {
		return nil, nil, err
	}
	edges := make([]example, len(listed.Rows))
	known := make(map[[2]int]bool, len(edges))
	for i, row := range listed.Rows {
		u, v := number[fmt.Sprint(row[0])], number[fmt.Sprint(row[1])]
		edges[i] = example{u, v, 1}
		known[[2]int{min(u, v), max(u, v)}] = true
	}
	for _, order := range []string{ascending, inRandomOrder} {
		random := rand.New(rand.NewPCG(1, 1))
		list := slices.Clone(edges)
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:min(len(list), mostPairs)]
		for range list {
			for {
				u, v := random.IntN(len(vectors)), random.IntN(len(vectors))
				if u != v && !known[[2]int{min(u, v), max(u, v)}] {
					list = append(list, example{u, v, -1})
					break
				}
			}
		}
		for i, x := range list {
			list[i].u, list[i].v = min(x.u, x.v), max(x.u, x.v)
			if order == inRandomOrder && random.IntN(2) > 0 {
				list[i].u, list[i].v = list[i].v, list[i].u
			}
		}
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		at := len(list) / testPart
		precision, recall := judge(vectors, list[:at], regression(vectors, list[at:]))
		answer = append(answer, []any{order, precision, recall, 2 * precision * recall / (precision + recall)})
	}
	return []string{"order", "precision", "recall", "f1"}, answer, nil
}

// predicted returns the value of a regression for a pair. The last weight is a constant.
func predicted(vectors [][]float32, x example, weights []float64) float64 {
	u, v := vectors[x.u], vectors[x.v]
	sum := weights[len(u)]
	for i := range u {
		sum += weights[i] * float64(u[i]-v[i])
	}
	return sum
}

// regression returns the weights of least squares, by conjugate gradients.
func regression(vectors [][]float32, list []example) []float64 {
	const passes, enough = 300, 1e-12
	k := len(vectors[0]) + 1
	weights, residuals := make([]float64, k), make([]float64, len(list))
	for i, x := range list {
		residuals[i] = x.linked
	}
	// gradient adds up the residuals of all pairs times their differences.
	gradient := func() []float64 {
		sum := make([]float64, k)
		for i, x := range list {
			u, v := vectors[x.u], vectors[x.v]
			for j := range u {
				sum[j] += residuals[i] * float64(u[j]-v[j])
			}
			sum[k-1] += residuals[i]
		}
		return sum
	}
	g := gradient()
	direction := slices.Clone(g)
	size := square(g)
	first := size
	for pass := 0; pass < passes && size > enough*first; pass++ {
		along := make([]float64, len(list))
		for i, x := range list {
			along[i] = predicted(vectors, x, direction)
		}
		by := size / square(along)
		for j := range weights {
			weights[j] += by * direction[j]
		}
		for i := range residuals {
			residuals[i] -= by * along[i]
		}
		g = gradient()
		last := size
		size = square(g)
		for j := range direction {
			direction[j] = g[j] + size/last*direction[j]
		}
	}
	return weights
}

func square(x []float64) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum
}

// judge returns precision and recall of a regression.
func judge(vectors [][]float32, list []example, weights []float64) (precision, recall float64) {
	var both, said, linked float64
	for _, x := range list {
		yes := predicted(vectors, x, weights) > 0
		if yes {
			said++
		}
		if x.linked > 0 {
			linked++
			if yes {
				both++
			}
		}
	}
	return both / max(1, said), both / max(1, linked)
}
