package storage

import (
	"testing"

	"heavytail/.ci/realgraph"
)

// BenchmarkLists reads all edges of ego-twitter from the file, whose pages are in memory.
func BenchmarkLists(b *testing.B) {
	db := newStore(b, nil)
	if _, err := db.PutGraph(b.Context(), "g", PutGraphRequest{Graph: realgraph.Load(b, "ego-twitter")}); err != nil {
		b.Fatal(err)
	}
	lists, err := db.Lists(b.Context(), "g")
	if err != nil {
		b.Fatal(err)
	}
	arcs := 0
	for b.Loop() {
		arcs = 0
		if err := lists.Each(b.Context(), func(sources, _ []uint32, _ []float32) error {
			arcs += len(sources)
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	if int64(arcs) != 2*lists.Info.Edges {
		b.Fatalf("%d arcs of %d edges", arcs, lists.Info.Edges)
	}
	b.ReportMetric(float64(arcs)*float64(b.N)/b.Elapsed().Seconds(), "arcs/s")
}
