package algorithms

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// arc is one of a directed graph, with its weight.
type arc struct {
	from, to uint32
	weight   float32
}

// directedOf is the graph of arcs, of which the last of two between the same vertices counts.
func directedOf(n int, weighted bool, arcs ...arc) *csr.Directed {
	weights := map[[2]uint32]float32{}
	for _, a := range arcs {
		weights[[2]uint32{a.from, a.to}] = a.weight
	}
	out := csr.Rows{Offsets: make([]int64, n+1)}
	for u := range uint32(n) {
		for v := range uint32(n) {
			if w, there := weights[[2]uint32{u, v}]; there && u != v {
				out.Targets = append(out.Targets, v)
				if weighted {
					out.Weights = append(out.Weights, w)
				}
			}
		}
		out.Offsets[u+1] = int64(len(out.Targets))
	}
	return csr.NewDirected(out)
}

// arcsOf lists the arcs of a graph.
func arcsOf(d *csr.Directed) (list []arc) {
	for u := range uint32(d.Vertices()) {
		for i, v := range d.Out.Neighbors(u) {
			list = append(list, arc{u, v, float32(lengthOf(d.Out.WeightsOf(u), i))})
		}
	}
	return list
}

// directedSamples are random directed graphs of up to 40 vertices, half of them with weights: dense and
// sparse ones, without arcs, without cycles, cycles, stars in both directions, and pairs of arcs only.
func directedSamples(t *testing.T) []*csr.Directed {
	t.Helper()
	var list []*csr.Directed
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 11))
		n := int(seed) % 41
		var arcs []arc
		for range n * r.IntN(6) / 2 {
			a := arc{uint32(r.IntN(n)), uint32(r.IntN(n)), float32(1+r.IntN(8)) / 4}
			switch seed % 6 {
			case 0: // a way leads only to larger vertices
				a.from, a.to = min(a.from, a.to), max(a.from, a.to)
			case 1: // two ends of each pair
				arcs = append(arcs, arc{a.to, a.from, float32(1 + r.IntN(3))})
			case 2: // a hub
				if r.IntN(2) == 0 {
					a.from = 0
				} else {
					a.to = 0
				}
			case 3: // cycles through many vertices
				a.to = (a.from + 1 + uint32(r.IntN(2))) % uint32(n)
			}
			arcs = append(arcs, a)
		}
		list = append(list, directedOf(n, seed%12 < 6, arcs...))
	}
	for _, d := range list {
		if err := d.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func TestReciprocity_Naive(t *testing.T) {
	for i, d := range directedSamples(t) {
		arcs, mutual := arcsOf(d), 0
		for _, a := range arcs {
			if slices.ContainsFunc(arcs, func(b arc) bool { return a.from == b.to && a.to == b.from }) {
				mutual++
			}
		}
		got := Reciprocity(d)
		if want := float64(mutual) / float64(len(arcs)); got != want && !(math.IsNaN(got) && len(arcs) == 0) {
			t.Errorf("graph %d: %v, want %v", i, got, want)
		}
	}
}

func TestOutDegree_Naive(t *testing.T) {
	for i, d := range directedSamples(t) {
		for _, side := range []*csr.Directed{d, d.Reversed()} {
			degrees, strengths := make([]int64, d.Vertices()), make([]float64, d.Vertices())
			for _, a := range arcsOf(side) {
				degrees[a.from]++
				strengths[a.from] += float64(a.weight)
			}
			if got := OutDegree(side); !slices.Equal(got, degrees) {
				t.Errorf("graph %d: %v, want %v", i, got, degrees)
			}
			if got, err := OutStrength(side, Work{}); err != nil || !slices.Equal(got, strengths) {
				t.Errorf("graph %d: %v, want %v, %v", i, got, strengths, err)
			}
		}
	}
}
