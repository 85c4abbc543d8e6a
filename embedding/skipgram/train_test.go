package skipgram

import (
	"context"
	"fmt"
	"testing"

	"heavytail/embedding/walk"
	"heavytail/storage/csr"
	"heavytail/storage/realgraph"
)

// walks is the corpus of a graph.
func walks(t testing.TB, g *csr.Graph, o walk.Options) Corpus {
	t.Helper()
	w, err := walk.New(context.Background(), g, o, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := g.Vertices()
	return Corpus{Vertices: n, Walks: n * w.Options().Walks, Append: func(dst []uint32, i int) []uint32 {
		return w.Append(dst, uint32(i%n*7919%n), i/n)
	}}
}

func BenchmarkTrain(b *testing.B) {
	for _, name := range []string{"ego-facebook"} {
		g := realgraph.Load(b, name)
		c := walks(b, g, walk.Options{})
		for _, parts := range []int{1, 2, 4, 8} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("graph=%s/parts=%d/workers=%d", name, parts, workers), func(b *testing.B) {
					for b.Loop() {
						_, s, err := Train(context.Background(), c, Options{Partitions: parts, Workers: workers})
						if err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(s.VisitsPerSecond/1e3, "kvisits/s")
						b.ReportMetric(s.Loss[0], "loss")
						b.ReportMetric(float64(s.Pairs)/float64(s.Visits), "pairs/visit")
					}
				})
			}
		}
	}
}
