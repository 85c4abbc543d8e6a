package format_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
)

func TestRead_Collections(t *testing.T) {
	t.Parallel()
	none := format.Options{EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNone}}
	for _, c := range []struct {
		name, text, want string
		opts             format.Options
		n, m             int64
		directed         bool
	}{
		{name: "SNAP, directed", text: "# Directed graph (each unordered pair of nodes is saved once): CA-GrQc.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n7\t8\n8\t9\n", want: "edge 7>8\nedge 8>9\n", n: 3, m: 2, directed: true},
		{name: "directed, and no more", text: "# Directed graph\n7 8\n8 9\n", want: "directed\nedge 7>8\nedge 8>9\n", directed: true},
		{name: "SNAP, undirected", text: "# Undirected graph: x.txt\n# Nodes: 2 Edges: 1\n1 2\n", want: "edge 1>2\n", n: 2, m: 1},
		{name: "KONECT, unweighted", text: "% sym unweighted\n% 2 3 3\n1 2 1\n2 3 1 77\n", want: "edge 1>2\nedge 2>3@77\n", n: 3, m: 2},
		{name: "KONECT, weighted", text: "% asym posweighted\n1 2 2.5 7\n2 3\n3 1 4\n", want: "directed\nedge 1>2*2.5@7\nedge 2>3\nedge 3>1*4\n", directed: true},
		{name: "KONECT, without weights", text: "% sym weighted\n1 2 -1 7\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: format.NoColumn}}, want: "edge 1>2@7\n"},
		{name: "KONECT, both sides taken as one", text: "% bip unweighted\n% 1 2 9\n1 1\n", opts: none, want: "edge 1>1\n"},
		{name: "prose", text: "% sym matrix\n# nodes: many edges: few\n1 2\n", want: "edge 1>2\n"},
		{name: "below an edge", text: "1 2\n# Directed graph\n# Nodes: 3 Edges: 4\n", want: "edge 1>2\n"},
	} {
		c.opts.Name = "out.moreno_health"
		if !strings.HasPrefix(c.name, "KONECT") || c.opts.Header == format.HeaderNone {
			c.opts.Name = "x.txt"
		}
		got, stats, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || got != c.want || stats.DeclaredVertices != c.n || stats.DeclaredEdges != c.m || stats.Directed != c.directed {
			t.Errorf("%s: %v, %+v\n%swant\n%s", c.name, err, stats, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"% bip unweighted\n1 1\n": "1: the comment above says bip",
		"% sym signed\n1 2 -1\n":  `weight "-1"`,
	} {
		_, err := graphfile.Read(t.Context(), strings.NewReader(text), format.Options{}, format.Handler{})
		var line *format.LineError
		if !errors.As(err, &line) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What WriteMETIS writes is read back: the edges, between numbers.
func TestWriteMETIS_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(r, "vertices")
		weighted := rapid.Bool().Draw(r, "weighted")
		weights := make([][]float32, n)
		want := ""
		for v := range n {
			weights[v] = make([]float32, n)
		}
		for v := range n {
			want += "vertex " + metisKey(v) + "\n"
			for u := v + 1; u < n; u++ {
				w := float32(rapid.IntRange(0, 3).Draw(r, "weight"))
				weights[v][u], weights[u][v] = w, w
				if w > 0 {
					e := format.Edge{Source: []byte(metisKey(v)), Target: []byte(metisKey(u)), Weight: 1}
					if weighted {
						e.Weight, e.Weighted = float64(w), true
					}
					want += "edge " + edgeText(e) + "\n"
				}
			}
		}
		var text bytes.Buffer
		if err := graphtext.WriteMETIS(t.Context(), &text, format.Graph{Vertices: n, Weighted: weighted, Neighbors: neighborsOf(weights)}); err != nil {
			r.Fatal(err)
		}
		written := text.String()
		if got, _, err := transcript(t, strings.NewReader(written), format.Options{Layout: format.LayoutMETIS}); err != nil || got != want {
			r.Fatalf("%v: read\n%swant\n%sfrom\n%s", err, got, want, written)
		}
	})
	for _, weights := range [][][]float32{{{0, 0.5}, {0.5, 0}}, {{0, 1e30}, {1e30, 0}}, {{1}}} {
		err := graphtext.WriteMETIS(t.Context(), &bytes.Buffer{}, format.Graph{Vertices: len(weights), Weighted: true, Neighbors: neighborsOf(weights)})
		if !errors.Is(err, format.ErrValue) {
			t.Errorf("%v: %v", weights, err)
		}
	}
}

func metisKey(v int) string { return string(rune('1' + v)) }

// neighborsOf returns the rows of a matrix of weights, without those that are 0.
func neighborsOf(weights [][]float32) func(v uint32) ([]uint32, []float32) {
	return func(v uint32) (neighbors []uint32, found []float32) {
		for u, w := range weights[v] {
			if w > 0 {
				neighbors, found = append(neighbors, uint32(u)), append(found, w)
			}
		}
		return neighbors, found
	}
}
