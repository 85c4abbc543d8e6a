package format_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
)

// structuredGraph has attributes, weights and edges from each vertex to three others. Its keys are
// words, or numbers, which in JSON need a look at what the ends of links are.
func structuredGraph() format.Graph {
	const n = 10_000
	return format.Graph{
		Vertices: n, Weighted: true, Columns: []format.Column{{Name: "age", Type: format.Integer}, {Name: "city", Type: format.Text}},
		Key: func(dst []byte, v uint32) []byte { return strconv.AppendUint(append(dst, 'v'), uint64(v), 10) },
		Value: func(dst []byte, column int, v uint32) ([]byte, bool) {
			if column == 0 {
				return strconv.AppendUint(dst, uint64(v%90), 10), true
			}
			return append(dst, "Bern"...), true
		},
		Edges: func(yield func(format.NumberedEdge) bool) {
			for v := range uint32(n) {
				for _, step := range []uint32{1, 7, 5000} {
					if !yield(format.NumberedEdge{Source: v, Target: (v + step) % n, Weight: 0.5}) {
						return
					}
				}
			}
		},
	}
}

// One line for every reader of a format that has an element for each vertex and each edge.
func BenchmarkReadStructured(b *testing.B) {
	texts := map[string][]byte{"json of numbers": numberedLinks()}
	for name, write := range structuredWriters {
		var out bytes.Buffer
		if err := write(context.Background(), &out, structuredGraph()); err != nil {
			b.Fatal(err)
		}
		texts[name] = out.Bytes()
	}
	for _, name := range []string{"graphml", "gexf", "json", "json of numbers", "gml"} {
		text := texts[name]
		if text == nil {
			continue
		}
		b.Run("format="+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				stats, err := graphfile.Read(context.Background(), bytes.NewReader(text), format.Options{}, format.Handler{})
				if stats.Edges != 30_000 || stats.Vertices != 10_000 || err != nil {
					b.Fatal(stats, err)
				}
			}
		})
	}
}

// numberedLinks is JSON with numbers as ids, which are not the places of the nodes.
func numberedLinks() []byte {
	const n = 10_000
	text := []byte(`{"nodes": [`)
	for v := range n {
		text = fmt.Appendf(text, "{\"id\": %d},\n", n-1-v)
	}
	text = append(bytes.TrimSuffix(text, []byte(",\n")), `], "links": [`...)
	for v := range n {
		for _, step := range []int{1, 7, 5000} {
			text = fmt.Appendf(text, "{\"source\": %d, \"target\": %d},\n", v, (v+step)%n)
		}
	}
	return append(bytes.TrimSuffix(text, []byte(",\n")), "]}"...)
}

var structuredWriters = map[string]func(context.Context, io.Writer, format.Graph) error{
	"graphml": graphtext.WriteGraphML, "gexf": graphtext.WriteGEXF, "json": graphtext.WriteNodeLink, "gml": graphtext.WriteGML,
}
