package index

import (
	"context"
	"fmt"
	"testing"

	"heavytail/index/internal/indextest"
)

// BenchmarkExact_Search reports the rate at which one query reads the vectors.
func BenchmarkExact_Search(b *testing.B) {
	for _, n := range []int{4000, 100_000} {
		for _, metric := range Metrics() {
			b.Run(fmt.Sprintf("n=%d/dim=200/metric=%v/k=10", n, metric), func(b *testing.B) {
				m := indextest.Clustered(n, 200, 50, 0.3, 1)
				x, err := NewExact(m, metric)
				if err != nil {
					b.Fatal(err)
				}
				query := m.Row(n / 2)
				hits, err := x.Search(context.Background(), query, 10, SearchOptions{})
				if err != nil || len(hits) != 10 || (metric != Dot && hits[0].Vertex != uint32(n/2)) {
					b.Fatalf("%v, %v", hits, err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := x.Search(context.Background(), query, 10, SearchOptions{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(4*float64(len(m.Data))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			})
		}
	}
}
