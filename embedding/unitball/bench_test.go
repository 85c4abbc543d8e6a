package unitball

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/repeat"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
	"heavytail/storage/vec"
)

// BenchmarkUnitBall places published graphs and checks the number of wrong pairs. The metrics
// are wrong pairs, passes, precision and recall.
//
//	HEAVYTAIL_DATA=… go test ./embedding/unitball -run - -bench UnitBall -benchtime 1x
//
// Graphs that take minutes are placed only with HEAVYTAIL_REPEAT=20.
func BenchmarkUnitBall(b *testing.B) {
	for _, c := range []struct {
		file  string
		dim   int
		wrong int64 // upper limit; -1 for none
		long  bool
	}{
		{"cora.txt", 64, 0, false},
		{"ca-GrQc.txt.gz", 64, 0, false},
		{"CollegeMsg.txt.gz", 64, 0, false},
		{"ego-facebook.txt.gz", 64, 0, false},
		{"dblp.txt.gz", 64, 0, true},
		{"blogcatalog.csv.gz", 128, -1, true},
		{"preferential attachment", 128, -1, true},
		{"ego-twitter.txt.gz", 128, -1, true},
	} {
		name, _, _ := strings.Cut(c.file, ".")
		b.Run(name, func(b *testing.B) {
			if c.long && !repeat.Long() {
				b.Skip("it takes minutes: set HEAVYTAIL_REPEAT=20")
			}
			g := published(b, c.file)
			began := processorSeconds()
			for b.Loop() {
				_, stats, err := Embed(b.Context(), g, Options{Dim: c.dim, Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				if wrong := stats.Wrong.Pairs(); c.wrong >= 0 && wrong > c.wrong {
					b.Errorf("%d wrong pairs", wrong)
				}
				b.ReportMetric(float64(stats.Wrong.Pairs()), "wrong")
				b.ReportMetric(float64(stats.Passes), "passes")
				b.ReportMetric(float64(stats.Joins), "joins")
				b.ReportMetric(stats.Wrong.Precision(), "precision")
				b.ReportMetric(stats.Wrong.Recall(), "recall")
			}
			b.ReportMetric((processorSeconds()-began)/float64(b.N), "processor-s")
		})
	}
}

// published reads a list of edges; further columns of a line are ignored.
func published(tb testing.TB, file string) *csr.Graph {
	tb.Helper()
	if file == "preferential attachment" {
		g, err := generate.PreferentialAttachment{N: 10_000, M: 40, Seed: 1}.Generate(tb.Context(), nil)
		if err != nil {
			tb.Fatal(err)
		}
		return g
	}
	f, err := os.Open(realgraph.Path(tb, file))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			tb.Fatal(err)
		}
	}
	ids := map[string]uint32{}
	id := func(text string) uint32 {
		v, ok := ids[text]
		if !ok {
			v = uint32(len(ids))
			ids[text] = v
		}
		return v
	}
	var edges []csr.Edge
	for lines := bufio.NewScanner(r); lines.Scan(); {
		ends := strings.FieldsFunc(lines.Text(), func(r rune) bool { return strings.ContainsRune(" ,\t\r", r) })
		if len(ends) < 2 || strings.HasPrefix(ends[0], "#") || ends[0] == ends[1] {
			continue
		}
		edges = append(edges, csr.Edge{U: id(ends[0]), V: id(ends[1])})
	}
	g, err := csr.FromEdges(len(ids), edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// BenchmarkRefresh changes a thousandth of the edges and refreshes a placement without wrong
// pairs. The metric full is the processor time of the full run, as a multiple of that of the
// refresh.
func BenchmarkRefresh(b *testing.B) {
	for _, file := range []string{"ca-GrQc.txt.gz", "ego-facebook.txt.gz"} {
		name, _, _ := strings.Cut(file, ".")
		b.Run(name, func(b *testing.B) {
			g := published(b, file)
			o := Options{Dim: 64, Seed: 1}
			began := processorSeconds()
			rows, _, err := Embed(b.Context(), g, o)
			if err != nil {
				b.Fatal(err)
			}
			full := processorSeconds() - began
			after, touched := changed(b, g, int(g.Edges()/2000), 0) // half of them removed, half of them new
			old, added := grow(rows, after.Vertices())
			var refreshed *vec.Matrix
			b.ResetTimer()
			began = processorSeconds()
			for b.Loop() {
				rows, stats, refresh, err := Refresh(b.Context(), after, o, nil, old, added, touched, 0)
				if err != nil {
					b.Fatal(err)
				}
				refreshed = rows
				if stats.Wrong.Pairs() != 0 || refresh.Full {
					b.Errorf("%d wrong pairs, %+v", stats.Wrong.Pairs(), refresh)
				}
				b.ReportMetric(float64(stats.Passes), "passes")
				b.ReportMetric(float64(len(touched)), "touched")
			}
			each := (processorSeconds() - began) / float64(b.N)
			b.ReportMetric(each, "processor-s")
			b.ReportMetric(full/each, "full")
			if wrong, err := Check(b.Context(), after, refreshed, 0); err != nil || wrong.Pairs() != 0 {
				b.Errorf("the join of all pairs finds %+v, %v", wrong, err)
			}
		})
	}
}
