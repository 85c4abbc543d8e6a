package format

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestRead_FindsLayout(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       Layout
	}{
		{"a b\n", "", LayoutEdges}, {"a b\n", "x.csv", LayoutEdges}, {"", "x.mtx", LayoutMatrixMarket}, {"a b\n", "x.adjlist", LayoutAdjacency}, {"a b\n", "x.ADJLIST.gz", LayoutAdjacency},
		{"%%matrixMARKET matrix", "x.txt", LayoutMatrixMarket}, {"\ufeff<?xml version", "x.mtx", LayoutGraphML}, {"\n <graphml", "", LayoutGraphML}, {"a", "x.graphml.zst", LayoutGraphML},
		{"<gexf xmlns", "", LayoutGEXF}, {"<?xml version='1.0'?>\n<gexf", "x.xml", LayoutGEXF}, {"a", "x.gexf.gz", LayoutGEXF}, {"a", "x.gexf.bz2", LayoutGEXF}, {"a", "x.gexf.xz", LayoutGEXF},
		{"{ \"nodes\"", "-", LayoutJSON}, {"{\"a b\n", "x.txt", LayoutEdges}, {"[", "x.json", LayoutJSON}, {"{a b\n", "", LayoutEdges},
		{"<a b\n", "", LayoutEdges}, {"%%Matrix", "", LayoutEdges},
	} {
		if got, err := findLayout([]byte(c.text), c.name); got != c.want || err != nil {
			t.Errorf("%q, %s: %s, want %s; %v", c.text, c.name, got, c.want, err)
		}
	}
	for _, name := range []string{"x.avro", "x.yaml.gz", "x.csv.7z", "x.csv.GZ", "g.v2"} {
		_, err := Read(t.Context(), strings.NewReader("a b\n"), Options{EdgeListOptions: EdgeListOptions{Name: name}}, Handler{})
		var ending *EndingError
		if !errors.As(err, &ending) || !errors.Is(err, ErrEnding) || !slices.Contains(ending.Known, ".csv") {
			t.Errorf("%s: %v", name, err)
		}
		opts := Options{Layout: LayoutEdges, EdgeListOptions: EdgeListOptions{Name: name}}
		if stats, err := Read(t.Context(), strings.NewReader("a b\n"), opts, Handler{}); err != nil || stats.Edges != 1 {
			t.Errorf("%s as edges: %v", name, err)
		}
	}
	for _, name := range []string{"", "-", "x", "/tmp/a.b/x", ".hidden", "facebook_combined.txt.gz", "g.EDGES", "g.tsv.zst", "n.ncol"} {
		if got, err := findLayout([]byte("a b\n"), name); got != LayoutEdges || err != nil {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
}
