package graphfile

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/format"
)

func TestRead_FindsLayout(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       format.Layout
	}{
		{"a b\n", "", format.LayoutEdges}, {"a b\n", "x.csv", format.LayoutEdges}, {"", "x.mtx", format.LayoutMatrixMarket}, {"a b\n", "x.adjlist", format.LayoutAdjacency}, {"a b\n", "x.ADJLIST.gz", format.LayoutAdjacency},
		{"%%matrixMARKET matrix", "x.txt", format.LayoutMatrixMarket}, {"\ufeff<?xml version", "x.mtx", format.LayoutGraphML}, {"\n <graphml", "", format.LayoutGraphML}, {"a", "x.graphml.zst", format.LayoutGraphML},
		{"<gexf xmlns", "", format.LayoutGEXF}, {"<?xml version='1.0'?>\n<gexf", "x.xml", format.LayoutGEXF}, {"a", "x.gexf.gz", format.LayoutGEXF}, {"a", "x.gexf.bz2", format.LayoutGEXF}, {"a", "x.gexf.xz", format.LayoutGEXF},
		{"{ \"nodes\"", "-", format.LayoutJSON}, {"{\"a b\n", "x.txt", format.LayoutEdges}, {"[", "x.json", format.LayoutJSON}, {"{a b\n", "", format.LayoutEdges},
		{"<a b\n", "", format.LayoutEdges}, {"%%Matrix", "", format.LayoutEdges},
	} {
		if got, err := findLayout([]byte(c.text), c.name); got != c.want || err != nil {
			t.Errorf("%q, %s: %s, want %s; %v", c.text, c.name, got, c.want, err)
		}
	}
	for _, name := range []string{"x.avro", "x.yaml.gz", "x.csv.7z", "x.csv.GZ", "g.v2"} {
		_, err := Read(t.Context(), strings.NewReader("a b\n"), format.Options{EdgeListOptions: format.EdgeListOptions{Name: name}}, format.Handler{})
		var ending *format.EndingError
		if !errors.As(err, &ending) || !errors.Is(err, format.ErrEnding) || !slices.Contains(ending.Known, ".csv") {
			t.Errorf("%s: %v", name, err)
		}
		opts := format.Options{Layout: format.LayoutEdges, EdgeListOptions: format.EdgeListOptions{Name: name}}
		if stats, err := Read(t.Context(), strings.NewReader("a b\n"), opts, format.Handler{}); err != nil || stats.Edges != 1 {
			t.Errorf("%s as edges: %v", name, err)
		}
	}
	for _, name := range []string{"", "-", "x", "/tmp/a.b/x", ".hidden", "facebook_combined.txt.gz", "g.EDGES", "g.tsv.zst", "n.ncol"} {
		if got, err := findLayout([]byte("a b\n"), name); got != format.LayoutEdges || err != nil {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
}
