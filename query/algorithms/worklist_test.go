package algorithms

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWorklist_NoneWantsToMove holds the end of moves in batches to its definition: once
// all vertices were visited and none moved, none gains by going elsewhere. Gains are
// computed from the edges.
func TestWorklist_NoneWantsToMove(t *testing.T) {
	t.Parallel()
	for i, g := range samples(t) {
		at := newLevel(g, Work{}, false)
		factor := 1 / math.Max(1, sumOf(at.mass.out))
		community := identity(g.Vertices())
		l := &leiden{rng: rand.New(rand.NewPCG(uint64(i), 1)), factor: factor}
		for moved, times := true, 0; moved; times++ {
			var err error
			if moved, err = l.move(t.Context(), at, community, math.MaxInt); err != nil || times == 50 {
				t.Fatal(times, err)
			}
		}
		for v := range uint32(g.Vertices()) {
			gain := func(c uint32) (sum float64) {
				for u := range uint32(g.Vertices()) {
					if u != v && community[u] == c {
						sum -= factor * at.mass.out[v] * at.mass.out[u]
					}
				}
				weights := g.WeightsOf(v)
				for j, u := range g.Neighbors(v) {
					if community[u] == c {
						sum += lengthOf(weights, j)
					}
				}
				return sum
			}
			own := gain(community[v])
			for c := range uint32(g.Vertices()) {
				if other := gain(c); other > own+1e-9 { // of an empty community it is 0
					t.Fatalf("graph %d: vertex %d gains %v in %d, and %v in its own %d", i, v, other, c, own, community[v])
				}
			}
		}
	}
}

// TestLabelPropagation_NoneWantsToMove has vertices keep one of the labels of the largest
// weight.
func TestLabelPropagation_NoneWantsToMove(t *testing.T) {
	t.Parallel()
	for i, g := range samples(t) {
		c, err := LabelPropagation(t.Context(), g, LabelOptions{Seed: uint64(i)})
		if err != nil || c.Iterations == maxRounds {
			t.Fatal(c.Iterations, err)
		}
		for v := range uint32(g.Vertices()) {
			sums := make([]float64, g.Vertices())
			weights := g.WeightsOf(v)
			for j, u := range g.Neighbors(v) {
				sums[c.Label[u]] += lengthOf(weights, j)
			}
			if most := slices.Max(sums); sums[c.Label[v]] != most {
				t.Fatalf("graph %d: vertex %d has a label of weight %v, another has %v", i, v, sums[c.Label[v]], most)
			}
		}
	}
}
