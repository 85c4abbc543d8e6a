package format_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/format/vectorfile"
	"heavytail/storage/internal/compress"
)

const benchEdges = 200_000

// report adds edges per second to a benchmark that read or wrote benchEdges a turn.
func report(b *testing.B) {
	b.ReportMetric(float64(b.N)*benchEdges/b.Elapsed().Seconds(), "edges/s")
}

// BenchmarkReadEdgeList compares, on the same text, the whole reader (with its
// SHA-256 and its goroutine), the reader of pairs (the same without SHA-256),
// the parser alone, and encoding/csv at its fastest.
func BenchmarkReadEdgeList(b *testing.B) {
	readers := []struct {
		name string
		read func(text []byte, separator byte) (int64, error)
	}{
		{"own", func(text []byte, _ byte) (int64, error) {
			stats, err := rowtext.ReadEdgeList(context.Background(), bytes.NewReader(text), format.EdgeListOptions{}, func(format.Edge) error { return nil })
			return stats.Edges, err
		}},
		{"pairs", func(text []byte, _ byte) (int64, error) {
			stats, err := graphfile.ReadPairs(context.Background(), bytes.NewReader(text), format.EdgeListOptions{}, func(_, _ []byte) error { return nil })
			return stats.Edges, err
		}},
		{"parser", func(text []byte, _ byte) (int64, error) {
			p := rowtext.Lines(format.Options{}.WithDefaults(), format.Handler{Edge: func(format.Edge) error { return nil }})
			for block := range slices.Chunk(text, compress.BlockBytes) {
				if err := p.Block(block); err != nil {
					return 0, err
				}
			}
			return p.Stats.Edges, p.Finish()
		}},
		{"csv", readCSV},
	}
	for _, separator := range []byte("\t,") {
		text := numbers(benchEdges, separator)
		for _, r := range readers {
			b.Run(fmt.Sprintf("separator=%q/reader=%s", separator, r.name), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if edges, err := r.read(text, separator); edges != benchEdges || err != nil {
						b.Fatal(edges, err)
					}
				}
				report(b)
			})
		}
	}
}

// readCSV counts the lines of a text that have two columns.
func readCSV(text []byte, separator byte) (edges int64, err error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.ReuseRecord, r.FieldsPerRecord = rune(separator), true, 2
	for {
		if _, err := r.Read(); errors.Is(err, io.EOF) {
			return edges, nil
		} else if err != nil {
			return edges, err
		}
		edges++
	}
}

// BenchmarkReadUnusual reads lines that need the slow path of the parser.
func BenchmarkReadUnusual(b *testing.B) {
	for _, form := range []string{"é%d ü%d\n", "%d, %d\n", "\"%d\",\"%d\"\n"} {
		var text []byte
		for i := range benchEdges {
			text = fmt.Appendf(text, form, i, 7*i)
		}
		b.Run(fmt.Sprintf("line=%q", fmt.Sprintf(form, 1, 2)), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				stats, err := graphfile.ReadPairs(context.Background(), bytes.NewReader(text), format.EdgeListOptions{}, func(_, _ []byte) error { return nil })
				if stats.Edges != benchEdges || err != nil {
					b.Fatal(stats, err)
				}
			}
			report(b)
		})
	}
}

// BenchmarkReadCompressed reports bytes of text, not of the compressed input.
func BenchmarkReadCompressed(b *testing.B) {
	text := numbers(benchEdges, '\t')
	for _, c := range []struct {
		name string
		data []byte
	}{{"none", text}, {"gzip", gzipped(b, text)}, {"zstd", zstdped(b, text)}} {
		b.Run("compression="+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				stats, err := rowtext.ReadEdgeList(context.Background(), bytes.NewReader(c.data), format.EdgeListOptions{}, func(format.Edge) error { return nil })
				if stats.Edges != benchEdges || err != nil {
					b.Fatal(stats, err)
				}
			}
			report(b)
		})
	}
}

// countingWriter counts what is written.
type countingWriter struct{ n int64 }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.n += int64(len(p))
	return len(p), nil
}

func BenchmarkWriteEdgeList(b *testing.B) {
	key := func(dst []byte, v uint32) []byte { return strconv.AppendUint(dst, uint64(v), 10) }
	var out countingWriter
	for b.Loop() {
		out.n = 0
		err := rowtext.WriteEdgeList(context.Background(), &out, benchEdges, key, func(yield func(u, v uint32) bool) {
			for v := range uint32(benchEdges) {
				if !yield(v, benchEdges-1-v) {
					return
				}
			}
		})
		if err != nil || out.n < 10*benchEdges {
			b.Fatal(out.n, err)
		}
	}
	b.SetBytes(out.n)
	report(b)
}

func BenchmarkWriteWord2Vec(b *testing.B) {
	const rows, dim = 1000, 200
	key := func(dst []byte, v uint32) []byte { return strconv.AppendUint(dst, uint64(v), 10) }
	values := make([]float32, dim)
	for i := range values {
		values[i] = 1 / (float32(i) - 99.7)
	}
	var out countingWriter
	for b.Loop() {
		out.n = 0
		err := vectorfile.WriteWord2Vec(context.Background(), &out, rows, dim, key, func(int) []float32 { return values })
		if err != nil || out.n < 5*rows*dim {
			b.Fatal(out.n, err)
		}
	}
	b.SetBytes(out.n)
	b.ReportMetric(float64(b.N)*rows*dim/b.Elapsed().Seconds(), "values/s")
}

// BenchmarkRead reads the other layouts: edges with weights and times, and the other
// formats that Read detects.
func BenchmarkRead(b *testing.B) {
	const head = "<graphml><key id='d0' for='node' attr.name='x' attr.type='int'/><graph>\n"
	for _, c := range []struct {
		name, head, form string
		opts             format.Options
	}{
		{"weights", "source,target,weight\n", "%d,%d,0.25\n", format.Options{}},
		{"weights and times", "# source target weight time\n", "%d %d 2 1700000000\n", format.Options{}},
		{"attributes", "source,target,since:integer,kind\n", "%d,%d,2024,text\n", format.Options{}},
		{"dates", "source,target,date\n", "%d,%d,2024-01-02T03:04:05Z\n", format.Options{}},
		{"adjacency", "", "%d %d\n", format.Options{Layout: format.LayoutAdjacency}},
		{"vertices", "key,x,y\n", "%d,%d,text\n", format.Options{Layout: format.LayoutVertices}},
		{"matrix", "%%MatrixMarket matrix coordinate real general\n1400000 1400000 200000\n", "%d %d 0.5\n", format.Options{}},
		{"graphml", head, "<node id='%d'><data key='d0'>%d</data></node>\n", format.Options{}},
	} {
		text := []byte(c.head)
		for i := range benchEdges {
			text = fmt.Appendf(text, c.form, i+1, 7*i+1)
		}
		if c.name == "graphml" {
			text = append(text, "</graph></graphml>"...)
		}
		b.Run("layout="+c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				h := format.Handler{EdgeColumns: func([]format.Column) error { return nil }}
				stats, err := graphfile.Read(context.Background(), bytes.NewReader(text), c.opts, h)
				if max(stats.Edges, stats.Vertices) < benchEdges || err != nil {
					b.Fatal(stats, err)
				}
			}
			report(b)
		})
	}
}
