package format_test

import (
	"errors"
	"strings"
	"testing"

	"heavytail/storage/format"
)

func TestRead_GML(t *testing.T) {
	t.Parallel()
	newman := "Creator \"Mark Newman on Sat Jul 22\"\ngraph\n[\n  directed 1\n  node\n  [\n    id 1\n    label \"Beaver\"\n    value 2.5\n  ]\n" +
		"  node\n  [\n    id 2\n    label \"Gr\xfcn &amp; &#252; &lt;\"\n    graphics [ x 1 y [ z 2 ] ]\n  ]\n  edge\n  [\n    source 2\n    target 1\n    value 3\n    kind \"x\"\n  ]\n]\n"
	for _, c := range []struct {
		name, text, want, remarks string
		opts                      format.Options
	}{
		{name: "as Newman has it", text: newman, want: "columns value:\nvertex Beaver \"2.5\"\nvertex Grün & ü < -\nedge columns kind:\ndirected\nedge Grün & ü <>Beaver*3 \"x\"\ncolumns value:float\nedge columns kind:text\n",
			remarks: "elements left out: 1 (graphics), the first in line 15\n" +
				"texts that are not UTF-8 read as ISO-8859-1: 1, the first in line 14"},
		{name: "ids asked for", text: newman, opts: format.Options{Key: "id", EdgeListOptions: format.EdgeListOptions{Weight: "none"}, Columns: []string{"label"}},
			want: "columns label:\nvertex 1 \"Beaver\"\nvertex 2 \"Grün & ü <\"\nedge columns value:\nedge columns value: kind:\ndirected\nedge 2>1 \"3\" \"x\"\ncolumns label:text\nedge columns value:integer kind:text\n"},
		{name: "labels missing", text: "graph [ node [ id 5 ] node [ id 7.0 label 3 ] edge [ source 5 target 7 ] edge [ source 7 target 9 ] ]",
			want: "columns label:\nvertex 5 -\nvertex 7 \"3\"\nedge 5>7\nedge 7>9\ncolumns label:integer\n", remarks: "ids taken as keys, as labels are missing or not unique: 1; key := 'label' needs unique ones"},
		{name: "ids that are no numbering", text: "graph [ node [ id 5 label \"a\" ] node [ id 7 label \"b\" ] edge [ source 5 target 7 ] ]",
			want: "columns id:\nvertex a \"5\"\nvertex b \"7\"\nedge a>b\ncolumns id:integer\n"},
		{name: "another attribute as key, comments, lists", text: "# c [\ngraph [ # \"x\n node [ id 0 name \"a\" t 1 t \"q\" u 1 ] node [ id 1 name \"b\" u 1.5 v NAN ] edge [ source 0 target 1 weight +INF ] ]", opts: format.Options{Key: "name"},
			want:    "columns t:\ncolumns t: u:\nvertex a \"1\" \"1\"\nvertex b - \"1.5\"\nedge a>b\ncolumns t:integer u:float\n",
			remarks: "further values of the same name left out: 1 (t), the first in line 3\nvalues taken as missing in attributes of numbers or booleans: 2 (NAN, +INF), the first in line 3"},
		{name: "a graph without nodes", text: "graph []", want: ""},
		{name: "attributes of the graph, nodes below edges", text: "Version 1\nname \"x\"\ngraph [ comment \"c\" node [ id 0 label \"a\" ] edge [ source 0 target 0 ] node [ id 1 label \"b\" ] ]", opts: format.Options{Layout: format.LayoutGML},
			want: "vertex a\nedge a>a\nvertex b\n", remarks: "attributes of the graph left out: 2 (name, comment), the first in line 2"},
	} {
		got, stats, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || stats.Layout != format.LayoutGML {
			t.Errorf("%s: %s, %v", c.name, stats.Layout, err)
			continue
		}
		if got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
		if c.remarks != "" && remarksOf(stats) != c.remarks {
			t.Errorf("%s: remarks\n%s\nwant\n%s", c.name, remarksOf(stats), c.remarks)
		}
	}
}

// remarksOf returns the remarks of a read, a line each.
func remarksOf(stats format.ReadStats) string {
	var lines []string
	for _, r := range stats.Remarks {
		lines = append(lines, r.String())
	}
	return strings.Join(lines, "\n")
}

func TestRead_GMLErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		opts       format.Options
		kind       error
	}{
		{text: "", want: "g:1:1: expected a graph in GML, found the end"},
		{text: "graph [", want: "expected a key or the end of a list"},
		{text: "graph 1", want: "expected a list in brackets as graph"},
		{text: "graph [ ] ]", want: "a bracket that closes nothing"},
		{text: "graph [ ] graph [ ]", want: "a second graph"},
		{text: "graph [ node [ id 1 graph [ ] ] ]", want: "a graph inside a node"},
		{text: "graph [ node [ label \"a\" ] ]", want: "the element node has no id"},
		{text: "graph [\n node [ id 1 label \"a ] ]", want: "g:2:20: a text in quotes is not closed"},
		{text: "graph [ node [ id 0 label \"1\" ] node [ id 2 label \"b\" ] edge [ source 0 target 1 ] ]", want: "no node has the id \"1\", which is the label of another node"},
		{text: "graph [ node [ id 0 label \"a\" ] node [ id 0 label \"b\" ] ]", want: "two nodes have the id \"0\""},
		{text: "graph [ node [ id 0 label \"a\" ] edge [ source 0 target 1 ] node [ id 1 label \"b\" ] ]", want: "a node below an edge"},
		{text: "graph [ node [ id 0 ] ]", opts: format.Options{Key: "label"}, want: "the element node has no label"},
		{text: "graph [ edge [ source 0 ] ]", want: "an edge needs a source and a target"},
		{text: "graph [ edge [ source 0 target 1 value -1 ] ]", want: "weight \"-1\""},
		{text: "graph [ node [ id 0 1x 2 ] ]", want: "expected a key of GML"},
		{text: "graph [ node [ id ] ]", want: "expected a value of \"id\""},
		{text: "graph [ node [ id 0 ] ]", opts: format.Options{Columns: []string{"age"}}, want: "no member is called \"age\""},
		{text: strings.Repeat("a [ ", 100), want: "nested more than", kind: format.ErrLimit},
		{text: "graph [\n\n\n]", opts: format.Options{EdgeListOptions: format.EdgeListOptions{MaxLines: 2}}, want: "limit of 2 lines", kind: format.ErrLimit},
		{text: "graph [ a \"" + strings.Repeat("x", 100) + "\" ]", opts: format.Options{EdgeListOptions: format.EdgeListOptions{MaxLine: 50}}, want: "limit of 50 bytes", kind: format.ErrLimit},
	} {
		c.opts.Name, c.opts.Layout = "g", format.LayoutGML
		if c.kind == nil {
			c.kind = format.ErrSyntax
		}
		_, _, err := transcript(t, strings.NewReader(c.text), c.opts)
		var line *format.LineError
		if !errors.As(err, &line) || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzReadGML(f *testing.F) {
	f.Add([]byte("graph [ node [ id 1 label \"a\" x 1.5 ] node [ id 2 label \"b&amp;\" ] edge [ source 1 target 2 value 3 ] ]"), false)
	f.Add([]byte("Creator \"x\"\ngraph\n[\n node\n [\n id 1\n g [ x 1 ]\n ]\n edge [ source 1 target \"q\" ] ]"), true)
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutGML, text, skip) })
}
