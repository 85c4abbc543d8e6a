package storage

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

// syntheticEdges is the text of 3 million directed edges on 200,000 vertices
// whose degrees have a heavy tail: end points are drawn with density x^-1/2.
var syntheticEdges = sync.OnceValue(func() []byte {
	return syntheticText(func(*rand.Rand) string { return "" })
})

// syntheticValues gives these edges weights and times.
var syntheticValues = sync.OnceValue(func() []byte {
	return syntheticText(func(random *rand.Rand) string {
		return fmt.Sprintf(" %d %d", 1+random.IntN(5), 1_600_000_000+random.IntN(100_000_000))
	})
})

func syntheticText(values func(random *rand.Rand) string) []byte {
	const n, m = 200_000, 3_000_000
	random, other := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
	draw := func() int {
		x := random.Float64()
		return int(x * x * n)
	}
	var b bytes.Buffer
	for range m {
		fmt.Fprintf(&b, "%d %d%s\n", draw(), draw(), values(other))
	}
	return b.Bytes()
}

// BenchmarkImport measures an import from text in memory to a published graph
// on the disk, parsing included.
func BenchmarkImport(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchImport(b, syntheticEdges(), format.EdgeListOptions{}) })
	b.Run("values", func(b *testing.B) { benchImport(b, syntheticValues(), format.EdgeListOptions{Weight: "3", Time: "4"}) })
}

func benchImport(b *testing.B, text []byte, opts format.EdgeListOptions) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		db, err := Open(filepath.Join(b.TempDir(), "bench"), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		stats, err := db.Import(context.Background(), "g", bytes.NewReader(text), ImportOptions{Format: format.Options{EdgeListOptions: opts}})
		if err != nil || stats.ReadStats.Edges != 3_000_000 {
			b.Fatal(stats, err)
		}
		b.StopTimer()
		info, err := os.Stat(db.Path())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/float64(stats.Edges), "B/edge")
		b.ReportMetric(float64(stats.ReadStats.Edges)/stats.Seconds, "edges/s")
		db.Close()
		b.StartTimer()
	}
}

// benchStore is the store of the reading benchmarks: dblp-2010 if it is available, and the
// synthetic graph.
func benchStore(b *testing.B, graph string) *DB {
	b.Helper()
	db, err := Open(filepath.Join(b.TempDir(), "bench"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	if graph == "synthetic" {
		_, err = db.Import(context.Background(), graph, bytes.NewReader(syntheticEdges()), ImportOptions{})
	} else {
		r, size, openErr := atomicfile.Open(realgraph.Path(b, graph+".txt.gz"))
		if openErr != nil {
			b.Fatal(openErr)
		}
		defer r.Close()
		_, err = db.Import(context.Background(), graph, r, ImportOptions{Format: format.Options{EdgeListOptions: format.EdgeListOptions{Size: size}}})
	}
	if err != nil {
		b.Fatal(err)
	}
	return db
}

func BenchmarkSnapshot(b *testing.B) {
	for _, graph := range []string{"synthetic", "dblp-2010"} {
		b.Run("graph="+graph, func(b *testing.B) {
			db := benchStore(b, graph)
			b.ReportAllocs()
			for b.Loop() {
				s, err := db.Snapshot(context.Background(), graph)
				if err != nil || s.Graph.Edges() != s.Info.Edges {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	db := benchStore(b, "synthetic")
	path := db.Path()
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	for _, readOnly := range []bool{true, false} {
		b.Run(fmt.Sprintf("readonly=%t", readOnly), func(b *testing.B) {
			for b.Loop() {
				db, err := Open(path, &Options{ReadOnly: readOnly})
				if err != nil {
					b.Fatal(err)
				}
				db.Close()
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	db := benchStore(b, "synthetic")
	for b.Loop() {
		report, err := db.Check(context.Background(), nil)
		if err != nil || !report.OK() {
			b.Fatal(report, err)
		}
	}
}

func BenchmarkEmbedding(b *testing.B) {
	const n, dim = 81_306, 200
	db, err := Open(filepath.Join(b.TempDir(), "bench"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	putRing(b, db, "g", n)
	m := vec.NewMatrix(n, dim)
	for i := range m.Data {
		m.Data[i] = float32(i%1000) / 1000
	}
	b.Run("put", func(b *testing.B) {
		b.SetBytes(4 * n * dim)
		for b.Loop() {
			if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		b.SetBytes(4 * n * dim)
		for b.Loop() {
			_, got, err := db.Embedding(ctx, "e")
			if err != nil || got.Data[999] != m.Data[999] {
				b.Fatal(err)
			}
		}
	})
}
