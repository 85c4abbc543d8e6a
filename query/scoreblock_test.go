package query

import (
	"math"
	"testing"

	"heavytail/storage/csr"
)

// TestScoring_Scores compares blocks of pairs with single pairs, for scorers that know
// different vertices.
func TestScoring_Scores(t *testing.T) {
	product := func(u, v uint32) float64 { return float64(u * v) }
	products := func(pairs []csr.Edge, out []float64) {
		for i, e := range pairs {
			out[i] = product(e.U, e.V)
		}
	}
	s := &scoring{scorers: []boundScorer{{score: product, batch: products, rows: 9}, {score: product, batch: products, rows: 5}}}
	for size := range scoreBlock + 1 {
		var block pairBlock
		for i := range uint32(size) {
			block.add(i%10, i*7%8, i%3 > 0)
		}
		scores := make([]float64, 2*size)
		var got, want tally
		s.scores(&block, scores, &got)
		for i, e := range block.pairs[:size] {
			found, newer := block.found[i], false
			for j, scorer := range s.scorers {
				expected := math.NaN()
				if found && e.U < scorer.rows && e.V < scorer.rows {
					expected = scorer.score(e.U, e.V)
				} else {
					newer = true
				}
				if x := scores[2*i+j]; x != expected && !(math.IsNaN(x) && math.IsNaN(expected)) {
					t.Fatalf("pair %d of %d: scorer %d gave %v, expected %v", i, size, j, x, expected)
				}
			}
			if !found {
				want.missing++
			} else if newer {
				want.newer++
			}
		}
		if got != want {
			t.Fatalf("%d pairs: %+v, expected %+v", size, got, want)
		}
	}
}
