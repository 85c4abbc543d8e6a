// Package sample makes random graphs, keys and values for the tests of the store.
// Equal arguments give equal data.
package sample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"heavytail/storage/csr"
)

// Graph is a graph of n vertices and at most m edges, with heavy-tailed degrees.
func Graph(n, m int, seed uint64) *csr.Graph {
	random := rand.New(rand.NewPCG(seed, 1))
	edges := make([]csr.Edge, m)
	for i := range edges {
		x := random.Float64()
		edges[i] = csr.Edge{U: uint32(x * x * x * float64(n)), V: uint32(random.IntN(n))}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		panic(err)
	}
	return g
}

// Directed gives each edge of g one direction, or one of four both; one in so many of the directed
// edges has a weight and a timestamp, 0 gives none.
func Directed(g *csr.Graph, weighted, timed int) *csr.Directed {
	random := rand.New(rand.NewPCG(4, 4))
	rows := make([][]uint32, g.Vertices())
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			if ways := random.IntN(4); u < v {
				if ways != 1 {
					rows[u] = append(rows[u], v)
				}
				if ways <= 1 {
					rows[v] = append(rows[v], u)
				}
			}
		}
	}
	out := csr.Rows{Offsets: make([]int64, len(rows)+1)}
	for u, row := range rows {
		slices.Sort(row)
		for range row {
			weight, time := float32(1), int64(csr.NoTime)
			if weighted > 0 && random.IntN(weighted) == 0 {
				weight = random.Float32() + 0.5
			}
			if timed > 0 && random.IntN(timed) == 0 {
				time = 1_700_000_000 + random.Int64N(1e7)
			}
			if weighted > 0 {
				out.Weights = append(out.Weights, weight)
			}
			if timed > 0 {
				out.Times = append(out.Times, time)
			}
		}
		out.Targets = append(out.Targets, row...)
		out.Offsets[u+1] = int64(len(out.Targets))
	}
	return csr.NewDirected(out)
}

// Keys are n distinct keys of all lengths.
func Keys(n int) [][]byte {
	random := rand.New(rand.NewPCG(9, 9))
	keys := make([][]byte, n)
	for i := range n {
		switch i % 4 {
		case 0:
			keys[i] = fmt.Appendf(nil, "%d", i)
		case 1:
			keys[i] = fmt.Appendf(nil, "prefix/%0*d", 1+random.IntN(30), i)
		case 2:
			keys[i] = []byte(strings.Repeat("ø", 1+random.IntN(500)) + fmt.Sprint(i))
		default:
			keys[i] = fmt.Appendf(nil, "%d€", i)
		}
	}
	return keys
}

// WithValues gives one in so many edges of a copy of g a weight and a timestamp;
// 0 gives none.
func WithValues(g *csr.Graph, weighted, timed int) *csr.Graph {
	random := rand.New(rand.NewPCG(3, 3))
	out := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	if weighted > 0 {
		out.Weights = make([]float32, len(g.Targets))
	}
	if timed > 0 {
		out.Times = make([]int64, len(g.Targets))
	}
	next := make([]int64, g.Vertices()) // of the arcs back, which come in the same order
	for u := range uint32(g.Vertices()) {
		for at := g.Offsets[u]; at < g.Offsets[u+1]; at++ {
			v := g.Targets[at]
			back := g.Offsets[v] + next[v]
			next[v]++
			weight, time := float32(1), int64(csr.NoTime)
			if weighted > 0 && random.IntN(weighted) == 0 {
				weight = random.Float32() + 0.5
			}
			if timed > 0 && random.IntN(timed) == 0 {
				time = []int64{1_700_000_000 + random.Int64N(1e7), math.MaxInt64, math.MinInt64 + 1, 0, random.Int64()}[random.IntN(5)]
			}
			if out.Weights != nil && u < v {
				out.Weights[at], out.Weights[back] = weight, weight
			}
			if out.Times != nil && u < v {
				out.Times[at], out.Times[back] = time, time
			}
		}
	}
	return out
}

// Value is a value of the type of this name, sometimes missing (nil), often one of
// few: a string, int64, float64 or bool.
func Value(random *rand.Rand, kind string) any {
	if random.IntN(4) == 0 {
		return nil
	}
	few := random.IntN(2) == 0
	switch kind {
	case "text":
		switch {
		case few:
			return []string{"", "a", "Bern", "a text longer than eight bytes", "é"}[random.IntN(5)]
		case random.IntN(100) == 0:
			return strings.Repeat("long ", 1+random.IntN(3000))
		}
		return fmt.Sprint("text ", random.IntN(1e6))
	case "integer":
		if few {
			return int64(random.IntN(5))
		}
		return int64(random.Uint64() >> random.IntN(64))
	case "float":
		if few {
			return float64(random.IntN(3)) / 2
		}
		return random.NormFloat64() * math.Pow(10, float64(random.IntN(600)-300))
	}
	return few
}
