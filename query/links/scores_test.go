package links

import (
	"math"
	"strconv"
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
	s := &loadedScoring{Scorers: []boundScorer{{Score: product, Batch: products, Rows: 9}, {Score: product, Batch: products, Rows: 5}}}
	for size := range scoreBlock + 1 {
		block := newPairBlock(size)
		for i := range uint32(size) {
			block.Add(i%10, i*7%8, i%3 > 0)
		}
		scores := make([]float64, 2*size)
		var got, want tally
		s.Scores(block, scores, &got)
		for i, e := range block.Pairs[:size] {
			found, newer := block.Found[i], false
			for j, scorer := range s.Scorers {
				expected := math.NaN()
				if found && e.U < scorer.Rows && e.V < scorer.Rows {
					expected = scorer.Score(e.U, e.V)
				} else {
					newer = true
				}
				if x := scores[2*i+j]; x != expected && !(math.IsNaN(x) && math.IsNaN(expected)) {
					t.Fatalf("pair %d of %d: scorer %d gave %v, expected %v", i, size, j, x, expected)
				}
			}
			if !found {
				want.Missing++
			} else if newer {
				want.Newer++
			}
		}
		if got != want {
			t.Fatalf("%d pairs: %+v, expected %+v", size, got, want)
		}
	}
}

// TestAppendScore compares numbers with strconv.
func TestAppendScore(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 999_999, 1e6, -999_999, 1e21, 0.1, 1. / 3, 5e-324, math.Inf(1), 1e300, 123456.5} {
		if got, want := string(appendScore(nil, x)), strconv.FormatFloat(x, 'g', -1, 64); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
}
