package storage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"heavytail/storage/csr"
	"heavytail/storage/internal/tree"
)

// largeStore is the path of a store of some 600 MB: graphs of a quarter
// million vertices and four million edges each, by random ends, which is what
// takes the most pages.
var largeStore = sync.OnceValues(func() (path string, err error) {
	dir, err := os.MkdirTemp("", "heavytail-bench")
	if err != nil {
		return "", err
	}
	const n, m, graphs = 1 << 18, 4_000_000, 24
	random := rand.New(rand.NewPCG(7, 8))
	edges := make([]csr.Edge, m)
	for i := range edges {
		edges[i] = csr.Edge{U: random.Uint32N(n), V: random.Uint32N(n)}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "large")
	db, err := Open(path, nil)
	if err != nil {
		return "", err
	}
	defer db.Close()
	for i := range graphs {
		if _, err := db.PutGraph(context.Background(), fmt.Sprintf("g%d", i), PutGraphRequest{Graph: g}); err != nil {
			return "", err
		}
	}
	return path, nil
})

// BenchmarkOpen_Large opens a large file and writes to it for the first time,
// with the file in memory and, where it may empty the cache, without.
func BenchmarkOpen_Large(b *testing.B) {
	if testing.Short() {
		b.Skip("makes a file of some hundred megabytes")
	}
	path, err := largeStore()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(filepath.Dir(path)) })
	info, err := os.Stat(path) // just written, so it is in memory
	if err != nil {
		b.Fatal(err)
	}
	gigabytes := float64(info.Size()) / 1e9
	for _, cache := range []string{"warm", "cold"} {
		b.Run("cache="+cache, func(b *testing.B) {
			var open, write time.Duration
			rounds := 0
			for b.Loop() {
				if cache == "cold" && !dropCaches() {
					b.Skip("may not empty the page cache")
				}
				start := time.Now()
				db, err := Open(path, nil)
				if err != nil {
					b.Fatal(err)
				}
				open += time.Since(start)
				start = time.Now()
				name := fmt.Sprint("new ", time.Now().UnixNano())
				if _, err := db.CreateGraph(context.Background(), name); err != nil {
					b.Fatal(err)
				}
				write += time.Since(start)
				rounds++
				if err := db.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(open.Seconds()*1e3/float64(rounds), "ms/open")
			b.ReportMetric(write.Seconds()*1e3/float64(rounds)/gigabytes, "ms/write/GB")
			b.ReportMetric(gigabytes, "GB")
		})
	}
	benchmarkReleased(b, path)
}

// dropCaches empties the page cache of the machine, if it may.
func dropCaches() bool {
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0) == nil
}

// benchmarkReleased measures what a read and a write cost at the store at path after
// it was let go, where nobody used it meanwhile, and where somebody wrote to it.
func benchmarkReleased(b *testing.B, path string) {
	ctx := context.Background()
	for _, disturbed := range []bool{false, true} {
		b.Run(fmt.Sprintf("released/disturbed=%t", disturbed), func(b *testing.B) {
			var stores []*DB
			for range 2 {
				db, err := Open(path, released(b))
				if err != nil {
					b.Fatal(err)
				}
				defer db.Close()
				stores = append(stores, db)
			}
			write := func(db *DB) {
				if _, err := db.CreateGraph(ctx, fmt.Sprint("new ", time.Now().UnixNano())); err != nil {
					b.Fatal(err)
				}
			}
			write(stores[0])
			var read, written time.Duration
			rounds := 0
			for b.Loop() {
				if disturbed {
					write(stores[1])
				}
				idle(b, stores[0])
				time.Sleep(tree.Breather)
				start := time.Now()
				if _, err := stores[0].Graph(ctx, "g0"); err != nil {
					b.Fatal(err)
				}
				read += time.Since(start)
				start = time.Now()
				write(stores[0])
				written += time.Since(start)
				rounds++
			}
			b.ReportMetric(read.Seconds()*1e3/float64(rounds), "ms/read")
			b.ReportMetric(written.Seconds()*1e3/float64(rounds), "ms/write")
		})
	}
}
