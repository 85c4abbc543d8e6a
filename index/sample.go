package index

import (
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/storage/vec"
)

// SampleDistances returns the Euclidean distances of random pairs of distinct
// rows, drawn with replacement, ascending; or of all pairs, if there are not
// more than asked for. Quantiles of it are radii for [NewSweep]. The same seed
// gives the same sample. It costs one random access to two rows per pair, and
// 8 bytes.
//
// A distance r is given such that r² ≥ vec.L2Squared of its pair, so that the
// pair it came from is within the radius r.
func SampleDistances(m *vec.Matrix, pairsWanted int, seed uint64) []float64 {
	total := pairs(m.Rows)
	if total == 0 || pairsWanted <= 0 {
		return nil
	}
	var distances []float64
	if total <= int64(pairsWanted) {
		distances = make([]float64, 0, total)
		for u := range m.Rows {
			for v := u + 1; v < m.Rows; v++ {
				distances = append(distances, reaching(vec.L2Squared(m.Row(u), m.Row(v))))
			}
		}
	} else {
		distances = make([]float64, pairsWanted)
		// One generator per block, so that blocks can be drawn at the same time.
		vec.Parallel(pairsWanted, 1<<14, 0, func(block, lo, hi int) {
			random := rand.New(rand.NewPCG(seed, uint64(block)))
			for i := lo; i < hi; i++ {
				u, v := random.IntN(m.Rows), random.IntN(m.Rows-1)
				if v >= u {
					v++
				}
				distances[i] = reaching(vec.L2Squared(m.Row(u), m.Row(v)))
			}
		})
	}
	slices.Sort(distances)
	return distances
}

// reaching returns the least radius whose square is not below the squared
// distance.
func reaching(squared float32) float64 {
	r := math.Sqrt(float64(squared))
	for r*r < float64(squared) {
		r = math.Nextafter(r, math.Inf(1))
	}
	return r
}
