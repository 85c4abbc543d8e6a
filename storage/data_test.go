package storage

import (
	"context"
	"testing"
	"time"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/repeat"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
)

// The counts are those of the folder's README.
func TestImport_RealGraphs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file     string
		vertices int
		edges    int64
		short    bool
	}{
		{"ego-facebook.txt.gz", 4039, 88234, true},
		{"ca-GrQc.txt.gz", 5242, 14484, true},
		{"ego-twitter.txt.gz", 81306, 1342296, false},
		{"dp-spectral-PA2000.txt.gz", 2000, 19945, true},
		{"dblp.txt.gz", 51264, 127968, false},
		{"cora.txt", 2708, 5278, true},
		{"blogcatalog.csv.gz", 10312, 333983, false},
		{"soc-Epinions1.txt.gz", 75879, 405740, false},
		{"dblp-2010.txt.gz", 300647, 807700, false},
		{"sx-mathoverflow.txt.gz", 24818, 187986, false},
		{"CollegeMsg.txt.gz", 1899, 13838, true},
	} {
		t.Run(c.file, func(t *testing.T) {
			if !c.short && repeat.Times(1) == 1 {
				t.Skip("a large graph, which the step repeat imports")
			}
			ctx := context.Background()
			r, size, err := atomicfile.Open(realgraph.Path(t, c.file))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			db := newStore(t, nil)
			stats, err := db.Import(ctx, "g", r, ImportOptions{Format: format.Options{EdgeListOptions: format.EdgeListOptions{Name: c.file, Size: size}}})
			if err != nil {
				t.Fatal(err)
			}
			if stats.Vertices != c.vertices || stats.Edges != c.edges {
				t.Errorf("%d vertices and %d edges, want %d and %d", stats.Vertices, stats.Edges, c.vertices, c.edges)
			}
			if sum := stats.Added + stats.Duplicates + stats.SelfLoops; sum != stats.ReadStats.Edges && !stats.CountsHeader {
				t.Errorf("%d edges accounted for, %d read", sum, stats.ReadStats.Edges)
			}
			start := time.Now()
			s, err := db.Snapshot(ctx, "g")
			if err != nil {
				t.Fatal(err)
			}
			snap := time.Since(start)
			report := checkStore(t, db)
			t.Logf("import %.3f s (%.2f M edges/s), snapshot %v, file %d bytes, %.2f bytes per edge in use", stats.Seconds,
				float64(stats.ReadStats.Edges)/stats.Seconds/1e6, snap.Round(10*time.Microsecond), report.Bytes, float64(report.Pages*4096)/float64(s.Graph.Edges()))
		})
	}
}
