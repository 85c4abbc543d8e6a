package format_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/vectorfile"
)

// TestRead_OtherPrograms reads files that networkx and scipy wrote
// (.ci/peers/golden.py makes them).
func TestRead_OtherPrograms(t *testing.T) {
	edges := "edge ada>bob*0.5\nedge ada>Zoë*0.001\nedge bob>Zoë*3\n"
	for _, c := range []struct {
		file string
		opts format.Options
		want string
	}{
		{file: "networkx.edgelist", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "3"}}, want: edges},
		{file: "networkx-tab.edgelist", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "3", Time: "4"}}, want: "edge ada>bob*0.5@1700000000\nedge ada>Zoë*0.001@0\nedge bob>Zoë*3@-5\n"},
		{file: "networkx.adjlist", want: "vertex ada\nedge ada>bob\nedge ada>Zoë\nvertex bob\nedge bob>Zoë\nvertex Zoë\nvertex lone\n"},
		{file: "networkx.graphml", want: `columns note:text ok:boolean score:float city:text age:integer
vertex ada - "true" "0.5" "Bern" "41"
vertex bob "a <b> & \"c\"\nd" - - - "7"
vertex Zoë - "false" "2.0" "北京" -
vertex lone - - - - -
edge ada>bob*0.5@1700000000
edge ada>Zoë*0.001@0
edge bob>Zoë*3@-5
`},
		{file: "networkx-mixed.graphml", want: "columns x:float\nvertex 1 \"1\"\nvertex 2 \"1.5\"\ndirected\nedge 1>2*2\nedge 2>1*2.5\n"},
		{file: "scipy-symmetric.mtx", want: "vertex 1\nvertex 2\nvertex 3\nvertex 4\nedge 2>1*0.5\nedge 3>1*0.001\nedge 3>2*3\n"},
		{file: "scipy-general.mtx", want: "vertex 1\nvertex 2\nvertex 3\ndirected\nedge 1>2*2\nedge 3>2*3\n"},
		{file: "scipy-pattern.mtx", want: "vertex 1\nvertex 2\nvertex 3\nvertex 4\ndirected\nedge 1>2\nedge 3>2\n"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		c.opts.Name = c.file
		got, _, err := transcript(t, bytes.NewReader(text), c.opts)
		if err != nil || got != c.want {
			t.Errorf("%s: error %v, read\n%swant\n%s", c.file, err, got, c.want)
		}
	}
}

// TestWriteNPY_AsNumpy writes the very bytes that numpy writes.
func TestWriteNPY_AsNumpy(t *testing.T) {
	want, err := os.ReadFile("testdata/numpy.npy")
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]float32{{1, -0.5, 1e-20}, {0.1, 3.4028235e38, 0}}
	var out bytes.Buffer
	if err := vectorfile.WriteNPY(t.Context(), &out, 2, 3, func(i int) []float32 { return rows[i] }); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("wrote %q, want %q", out.Bytes(), want)
	}
}
