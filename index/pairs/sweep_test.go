package pairs

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"heavytail/index/internal/indextest"
	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// bruteSweep is the oracle: degrees and edges at every radius, from the distances of all pairs.
func bruteSweep(m *vec.Matrix, radii []float64) (degrees [][]uint32, edges []int64) {
	edges = make([]int64, len(radii))
	for range radii {
		degrees = append(degrees, make([]uint32, m.Rows))
	}
	for u := range m.Rows {
		for v := range u {
			d := float64(vec.L2Squared(m.Row(u), m.Row(v)))
			for i := len(radii) - 1; i >= 0 && d <= radii[i]*radii[i]; i-- {
				degrees[i][u]++
				degrees[i][v]++
				edges[i]++
			}
		}
	}
	return degrees, edges
}

func checkSweep(t *testing.T, m *vec.Matrix, radii []float64) {
	t.Helper()
	degrees, edges := bruteSweep(m, radii)
	for workers, directions := range map[int]int{1: 0, 2: 1, 5: 12} {
		s, err := NewSweep(context.Background(), m, radii, Options{Workers: workers, sieve: screen.Forced{Directions: directions}})
		if err != nil {
			t.Fatal(err)
		}
		var dst []uint32
		for i, r := range radii {
			if dst = s.Degrees(i, dst); !slices.Equal(dst, degrees[i]) || s.Edges[i] != edges[i] {
				t.Fatalf("radius %d of %d, %v, %d workers, %d directions: %d edges, brute force has %d", i, len(radii), r, workers, directions, s.Edges[i], edges[i])
			}
		}
	}
}

func TestNewSweep_BruteForce(t *testing.T) {
	for name, m := range indextest.Matrices() {
		t.Run(name, func(t *testing.T) {
			checkSweep(t, m, indextest.RadiiOf(m))
			checkSweep(t, m, nil)
			checkSweep(t, m, []float64{0})
			checkSweep(t, m, []float64{0, 0, 1e-30, 1, 1, 1e15, 1e160})
		})
	}
}

// TestNewSweep_ManyStripes has rows for many stripes, and more radii than distances between
// some of the radii.
func TestNewSweep_ManyStripes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: joins a large matrix")
	}
	m := indextest.Clustered(1700, 3, 9, 3, 4)
	d := sample(t, m, 20000, 9)
	var radii []float64
	for i := range 60 {
		radii = append(radii, d[len(d)*i/60])
	}
	checkSweep(t, m, radii)
}

func TestSampleDistances(t *testing.T) {
	m := indextest.Uniform(60, 4, 1)
	all := sample(t, m, 1770, 1)
	if len(all) != 1770 || !slices.IsSorted(all) {
		t.Fatalf("%d distances for all 1770 pairs", len(all))
	}
	for i, r := range all {
		if i%97 != 0 {
			continue
		}
		if _, edges := bruteSweep(m, []float64{r}); edges[0] < int64(i+1) {
			t.Fatalf("the radius %v of distance %d contains %d pairs", r, i, edges[0])
		}
	}
	some := sample(t, m, 1000, 1)
	if len(some) != 1000 || !slices.IsSorted(some) || !slices.Equal(some, sample(t, m, 1000, 1)) {
		t.Error("a sample is not sorted or not reproducible")
	}
	for _, r := range some {
		if _, found := slices.BinarySearch(all, r); !found {
			t.Fatalf("no pair has the distance %v", r)
		}
	}
	// The mean of a thousand draws is within five standard errors of the mean of all pairs.
	if a, b := mean1(all), mean1(some); math.Abs(a-b) > 5*0.25/math.Sqrt(1000) {
		t.Errorf("mean %v of the sample, %v of all", b, a)
	}
	for _, empty := range [][]float64{sample(t, indextest.Uniform(0, 2, 1), 10, 1), sample(t, indextest.Uniform(1, 2, 1), 10, 1), sample(t, m, 0, 1)} {
		if len(empty) != 0 {
			t.Error("a sample of nothing is not empty")
		}
	}
	// Several blocks of draws, the last one short.
	if many := sample(t, indextest.Uniform(500, 2, 1), 100_001, 1); len(many) != 100_001 || !slices.IsSorted(many) {
		t.Error("a large sample is not sorted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := SampleDistances(ctx, m, 1000, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func mean1(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}
