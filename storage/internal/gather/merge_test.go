package gather

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/sample"
)

// foldModel is the expected result for the occurrences of one edge, implemented
// independently: all weights and timestamps in order, 0 and csr.NoTime for none.
func foldModel(how Repeated, known bool, weights []float32, times []int64) (float32, int64) {
	var given []float64
	for i, w := range weights {
		written := float64(w)
		if how == RepeatedSum || how == RepeatedCount { // decimals are added as they were written
			written, _ = strconv.ParseFloat(strconv.FormatFloat(written, 'g', -1, 32), 64)
		}
		switch {
		case known && i == 0:
			given = append(given, written)
		case how == RepeatedCount, how == RepeatedSum && w == 0:
			given = append(given, 1)
		case w != 0:
			given = append(given, written)
		}
	}
	weight := 1.0
	if len(given) > 0 {
		switch how {
		case RepeatedFirst:
			weight = given[0]
		case RepeatedMin:
			weight = slices.Min(given)
		case RepeatedMax:
			weight = slices.Max(given)
		case RepeatedSum, RepeatedCount:
			weight = 0
			for _, w := range given {
				weight += w
			}
		default:
			weight = given[len(given)-1]
		}
	}
	times = slices.DeleteFunc(slices.Clone(times), func(t int64) bool { return t == csr.NoTime })
	switch {
	case len(times) == 0:
		return float32(weight), csr.NoTime
	case how == RepeatedFirst:
		return float32(weight), times[0]
	}
	return float32(weight), times[len(times)-1]
}

// Edges with weights and timestamps are merged, with each other and with those of a graph,
// as in the model, under every policy.
func TestMergeGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: merges again and again")
	}
	const n = 60
	for seed := range 24 {
		random := rand.New(rand.NewPCG(uint64(seed), 3))
		how := Repeats()[seed%len(Repeats())]
		var base *csr.Graph
		if seed%4 > 0 {
			base = sample.WithValues(sample.Graph(n-10, 200, uint64(seed)), []int{0, 0, 3, 3}[seed%4], []int{0, 0, 0, 2}[seed%4])
		}
		type occurrences struct {
			known   bool
			weights []float32
			times   []int64
		}
		want := make(map[block.Arc]*occurrences)
		note := func(u, v uint32, known bool, weight float32, time int64) {
			a := block.NewArc(min(u, v), max(u, v))
			if want[a] == nil {
				want[a] = &occurrences{known: known}
			}
			want[a].weights = append(want[a].weights, weight)
			want[a].times = append(want[a].times, time)
		}
		if base != nil {
			eachArc(base, func(u, v uint32, weight float32, time int64) {
				if u < v {
					note(u, v, true, weight, time)
				}
			})
		}
		// Every second time the buffer is so small that most edges go to temporary files.
		list := testList(t, how, int64(seed%2))
		loops := int64(0)
		for range 500 {
			u, v := uint32(random.IntN(n)), uint32(random.IntN(n))
			e := format.Edge{Source: fmt.Append(nil, u), Target: fmt.Append(nil, v), Weight: 1}
			weight, time := float32(0), int64(csr.NoTime)
			if seed%3 > 0 && random.IntN(2) == 0 {
				weight = 1 + random.Float32()
				e.Weight, e.Weighted = float64(weight), true
			}
			if seed%5 > 1 && random.IntN(3) == 0 {
				time = random.Int64N(100)
				e.Time, e.Timed = time, true
			}
			if u == v {
				loops++
			} else {
				note(u, v, false, weight, time)
			}
			if err := list.addEdge(e); err != nil {
				t.Fatal(err)
			}
		}
		// The keys are the numbers of the model.
		number := make([]uint32, list.names.Keys.Len())
		for v := range number {
			fmt.Sscan(string(list.names.Keys.At(uint32(v))), &number[v])
		}
		g := settled(t, list.buffer, n, number, base)
		if spilled := len(list.buffer.runs) > 0; spilled != (seed%2 > 0) {
			t.Fatalf("seed %d: spilled %t", seed, spilled)
		}
		if list.SelfLoops != loops || list.Edges != 500 {
			t.Fatalf("%d edges, %d loops, want %d", list.Edges, list.SelfLoops, loops)
		}
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		arcs := 0
		eachArc(g, func(u, v uint32, weight float32, time int64) {
			arcs++
			o := want[block.NewArc(min(u, v), max(u, v))]
			if o == nil {
				t.Fatalf("seed %d, %s: edge (%d, %d) was not read", seed, how, u, v)
			}
			if wantWeight, wantTime := foldModel(how, o.known, o.weights, o.times); weight != wantWeight || time != wantTime {
				t.Errorf("seed %d, %s: edge (%d, %d) has %v, %d; want %v, %d", seed, how, u, v, weight, time, wantWeight, wantTime)
			}
		})
		if arcs != 2*len(want) {
			t.Errorf("seed %d, %s: %d arcs of %d edges", seed, how, arcs, len(want))
		}
	}
}

// eachArc calls f with every arc of a graph.
func eachArc(g *csr.Graph, f func(u, v uint32, weight float32, time int64)) {
	for u := range uint32(g.Vertices()) {
		for at := g.Offsets[u]; at < g.Offsets[u+1]; at++ {
			f(u, g.Targets[at], valueAt(g.Weights, at, 1), valueAt(g.Times, at, csr.NoTime))
		}
	}
}
