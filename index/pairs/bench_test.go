package pairs

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

// joinSets returns inputs for benchmarks of passes over all pairs: overlapping clusters;
// clusters so far apart that tile products cannot decide the pairs within a cluster; and rows
// of many lengths in a few directions, most of which projections decide.
func joinSets(n int) []struct {
	name string
	m    *vec.Matrix
} {
	return []struct {
		name string
		m    *vec.Matrix
	}{
		{"near", indextest.Clustered(n, 200, 100, 1, 1)},
		{"far", indextest.Clustered(n, 200, 10, 300, 1)},
		{"rays", indextest.Rays(n, 200, 40)},
	}
}

// radiiFor returns radii that contain about the given fractions of all pairs.
func radiiFor(b *testing.B, m *vec.Matrix, shares ...float64) []float64 {
	d := sample(b, m, 1<<18, 1)
	var radii []float64
	for _, share := range shares {
		radii = append(radii, d[min(len(d)-1, int(share*float64(len(d))))])
	}
	return radii
}

// BenchmarkJoin reports the rate of the join, its fraction of the rate of the micro-kernel alone
// in as many goroutines, and the fraction of pairs that were measured again.
func BenchmarkJoin(b *testing.B) {
	for _, n := range []int{4000, 20_000} {
		if n > 4000 && testing.Short() {
			b.Log("-short: 4000 rows only")
			return
		}
		for _, set := range joinSets(n) {
			radius := radiiFor(b, set.m, 10/float64(n))[0]
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("n=%d/dim=200/set=%s/workers=%d", n, set.name, workers), func(b *testing.B) {
					checkRows(b, set.m, radius)
					peak := indextest.TileRate(200) * float64(workers)
					var found, again int64
					for b.Loop() {
						var err error
						found = 0
						again, err = join(context.Background(), set.m, radius, 0, set.m.Rows, Options{Workers: workers}, func(_ uint32, neighbors []uint32) error {
							found += int64(len(neighbors))
							return nil
						})
						if err != nil {
							b.Fatal(err)
						}
					}
					rate := 2 * float64(pairs(n)) * 200 * float64(b.N) / b.Elapsed().Seconds() / 1e9
					b.ReportMetric(rate, "GFLOP/s")
					b.ReportMetric(100*rate/peak, "%tile")
					b.ReportMetric(float64(found), "pairs")
					b.ReportMetric(100*float64(again)/float64(pairs(n)), "%again")
				})
			}
		}
	}
}

// checkRows compares some rows of the join with the distances in full precision.
func checkRows(b *testing.B, m *vec.Matrix, radius float64) {
	err := Join(context.Background(), m, radius, Options{}, func(u uint32, neighbors []uint32) error {
		if u%997 != 0 {
			return nil
		}
		var want []uint32
		for v := int(u) + 1; v < m.Rows; v++ {
			if float64(vec.L2Squared(m.Row(int(u)), m.Row(v))) <= radius*radius {
				want = append(want, uint32(v))
			}
		}
		if !slices.Equal(neighbors, want) {
			return fmt.Errorf("row %d has %d neighbours, brute force %d", u, len(neighbors), len(want))
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkNewSweep counts pairs up to the radius that contains a twentieth or half of them.
func BenchmarkNewSweep(b *testing.B) {
	const n, count = 8000, 128
	m := indextest.Clustered(n, 200, 100, 1, 1)
	for _, share := range []float64{0.05, 0.5} {
		b.Run(fmt.Sprintf("n=%d/dim=200/radii=%d/share=%v", n, count, share), func(b *testing.B) {
			shares := make([]float64, count)
			for i := range shares {
				shares[i] = share * float64(i+1) / count
			}
			radii := radiiFor(b, m, shares...)
			var s *Sweep
			for b.Loop() {
				var err error
				if s, err = NewSweep(context.Background(), m, radii, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			// The sweep and the join must agree.
			for _, i := range []int{0, count - 1} {
				var edges int64
				err := Join(context.Background(), m, radii[i], Options{}, func(_ uint32, neighbors []uint32) error {
					edges += int64(len(neighbors))
					return nil
				})
				if err != nil || edges != s.Edges[i] {
					b.Fatalf("radius %v: %d pairs by the sweep, %d by the join (%v)", radii[i], s.Edges[i], edges, err)
				}
			}
			b.ReportMetric(float64(pairs(n))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpairs/s")
		})
	}
}
