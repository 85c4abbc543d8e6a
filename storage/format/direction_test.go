package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
	"heavytail/storage/format/rowtext"
)

// directedTexts are texts with the edge from a to b, or from 1 to 2, that say that they are directed, and then the same that say that
// they are not; a format that cannot say one of them has an empty text.
var directedTexts = map[string][2]string{
	"g.graphml": {`<graphml><graph edgedefault="directed"><edge source="a" target="b"/></graph></graphml>`, `<graphml><graph edgedefault="undirected"><edge source="a" target="b"/></graph></graphml>`},
	"e.graphml": {`<graphml><graph edgedefault="undirected"><edge source="a" target="b" directed="true"/></graph></graphml>`, ""},
	"g.gexf":    {`<gexf><graph defaultedgetype="directed"><edges><edge source="a" target="b"/></edges></graph></gexf>`, `<gexf><graph><edges><edge source="a" target="b"/></edges></graph></gexf>`},
	"e.gexf":    {`<gexf><graph><edges><edge source="a" target="b" type="directed"/></edges></graph></gexf>`, `<gexf><graph><edges><edge source="a" target="b" type="undirected"/></edges></graph></gexf>`},
	"g.json":    {`{"directed": true, "nodes": [], "links": [{"source": "a", "target": "b"}]}`, `{"directed": false, "nodes": [], "links": [{"source": "a", "target": "b"}]}`},
	"i.json":    {`{"links": [{"source": 0, "target": 1}], "directed": true, "nodes": [{"id": "a"}, {"id": "b"}]}`, `{"graph": {"directed": false, "edges": [{"source": "a", "target": "b"}]}}`},
	"g.gml":     {"graph [ directed 1 node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] edge [ source 0 target 1 ] ]", "graph [ directed 0 node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] edge [ source 0 target 1 ] ]"},
	"g.net":     {"*Vertices 2\n*Arcs\n1 2\n", "*Vertices 2\n*Edges\n1 2\n"},
	"l.net":     {"*Vertices 2\n*Arcslist\n1 2\n", "*Vertices 2\n*Arcs\n*Edgeslist\n1 2\n"},
	"g.mtx":     {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n1 2\n"},
	"g.metis":   {"", "2 1\n2\n1\n"},
	"snap.txt":  {"# Directed graph\n# FromNodeId ToNodeId\na b\n", "# Undirected graph\na b\n"},
	"snap.csv":  {"# Directed graph\nsource,target\na,b\n", "# Undirected graph\nsource,target\na,b\n"},
	"out.x":     {"% asym unweighted\na b\n", "% sym unweighted\na b\n"},
	"g.lg":      {"2,1,d,g\n1,2\n", "2,1,u,g\n1,2\n"},
	"neo4j.csv": {":START_ID,:END_ID\na,b\n", ""},
}

// Each format passes what it says before the first edge, or at the end without one; the options decide otherwise.
func TestHandler_Direction(t *testing.T) {
	t.Parallel()
	read := func(name, text string, asked format.Direction) (passed []bool, both []bool, stats format.ReadStats) {
		opts := format.Options{EdgeListOptions: format.EdgeListOptions{Name: name}, Directed: asked}
		stats, err := graphfile.Read(t.Context(), strings.NewReader(text), opts, format.Handler{
			Direction: func(directed bool) error {
				if len(both) > 0 {
					t.Errorf("%s: behind an edge", name)
				}
				passed = append(passed, directed)
				return nil
			},
			Edge: func(e format.Edge) error { both = append(both, e.Both); return nil },
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return passed, both, stats
	}
	for name, texts := range directedTexts {
		for i, text := range texts {
			directed := i == 0
			if text == "" {
				continue
			}
			passed, both, stats := read(name, text, "")
			if !slices.Equal(passed, []bool{directed}) || !slices.Equal(both, []bool{!directed}) || stats.Directed != directed && name != "l.net" {
				t.Errorf("%s, %v: passed %v, both %v, %v", name, directed, passed, both, stats.Directed)
			}
			for _, asked := range []format.Direction{format.Directed, format.Undirected} {
				if passed, both, _ := read(name, text, asked); passed != nil || !slices.Equal(both, []bool{!directed}) {
					t.Errorf("%s, %v, asked for %s: passed %v, both %v", name, directed, asked, passed, both)
				}
			}
			end := strings.LastIndexAny(strings.TrimSuffix(text, "\n"), "\n")
			if lines := strings.HasPrefix(name, "snap") || strings.HasSuffix(name, ".net") || name == "out.x"; lines {
				if passed, _, _ := read(name, text[:end+1], ""); !slices.Equal(passed, []bool{directed}) {
					t.Errorf("%s without an edge, %v: passed %v", name, directed, passed)
				}
			}
		}
	}
	for name, text := range map[string]string{"g.txt": "a b\n", "g.csv": "source,target\na,b\n", "g.adjlist": "a b\n", "g.json": `{"nodes": [], "links": [{"source": "a", "target": "b"}]}`} {
		if passed, both, _ := read(name, text, ""); passed != nil || !slices.Equal(both, []bool{false}) {
			t.Errorf("%s: passed %v, both %v", name, passed, both)
		}
	}
	for _, header := range []format.HeaderMode{format.HeaderNone, format.HeaderNames, format.HeaderCounts} {
		var passed []bool
		opts := format.Options{EdgeListOptions: format.EdgeListOptions{Header: header}}
		_, err := graphfile.Read(t.Context(), strings.NewReader("# Directed graph\n2 1\n1 2\n"), opts, format.Handler{Direction: func(directed bool) error { passed = append(passed, directed); return nil }})
		if err != nil || !slices.Equal(passed, []bool{true}) {
			t.Errorf("header %v: %v, %v", header, passed, err)
		}
	}
	if passed, both, _ := read("m.gexf", `<gexf><graph defaultedgetype="directed"><edges><edge source="a" target="b" type="mutual"/><edge source="a" target="c"/><edge source="a" target="d" type="undirected"/></edges></graph></gexf>`, ""); fmt.Sprint(passed, both) != "[true] [true false true]" {
		t.Errorf("mixed: %v, %v", passed, both)
	}
}

// A text that calls an edge directed below others is refused, with the option that decides; where nobody asks for directions it is
// a remark, or nothing.
func TestHandler_LateDirection(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"g.graphml": `<graphml><graph edgedefault="undirected"><edge source="1" target="2"/><edge source="2" target="3" directed="true"/></graph></graphml>`,
		"g.gexf":    `<gexf><graph><edges><edge source="1" target="2"/><edge source="2" target="3" type="directed"/></edges></graph></gexf>`,
		"g.json":    `{"links": [{"source": "1", "target": "2"}, {"source": "2", "target": "3"}], "directed": true}`,
		"g.gml":     "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 1 target 2 ] edge [ source 2 target 3 ] directed 1 ]",
		"g.net":     "*Vertices 3\n*Edges\n1 2\n*Arcs\n2 3\n",
	} {
		for _, c := range []struct {
			asked format.Direction
			asks  bool
			late  bool
		}{{"", true, true}, {"", false, false}, {format.Directed, true, false}, {format.Undirected, true, false}} {
			h, edges := format.Handler{}, 0
			h.Edge = func(format.Edge) error { edges++; return nil }
			if c.asks {
				h.Direction = func(bool) error { return nil }
			}
			stats, err := graphfile.Read(t.Context(), strings.NewReader(text), format.Options{EdgeListOptions: format.EdgeListOptions{Name: name}, Directed: c.asked}, h)
			var line *format.LineError
			if c.late != (errors.As(err, &line) && strings.Contains(err.Error(), "directed := true")) || !c.late && (err != nil || edges != 2 || !stats.Directed) {
				t.Errorf("%s, %+v: %v, %d edges", name, c, err, edges)
			}
			turned := slices.ContainsFunc(stats.Remarks, func(r format.Remark) bool { return strings.HasPrefix(r.What, "edges whose direction") })
			if want := strings.HasSuffix(name, "l") && name != "g.gml" || name == "g.gexf"; !c.late && turned != (want && c.asked != format.Directed) {
				t.Errorf("%s, %+v: remarks %v", name, c, stats.Remarks)
			}
		}
	}
	var faults *format.OptionError
	if err := (format.Options{Directed: "both"}).Validate(); !errors.As(err, &faults) || faults.Option != "directed" {
		t.Errorf("%v", err)
	}
}

// Attributes of edges are read from each layout that has them, under their names and with their types; what is none of them is
// counted, and without a function for them the remark names them.
func TestHandler_EdgeColumns(t *testing.T) {
	t.Parallel()
	keys := `<graphml><key id="x" for="edge" attr.name="x" attr.type="int"><default>4</default></key><key id="y" for="all" attr.name="y" attr.type="string"/><key id="w" for="edge" attr.name="weight"/><key id="i" for="edge" attr.name="id"/>`
	for _, c := range []struct {
		name, text, want string
		opts             format.Options
		left             string // the remark without the function
	}{
		{name: "g.graphml", text: keys + `<graph><edge id="e" source="a" target="b"><data key="y"> a&#10;</data><data key="w">2</data></edge><edge source="b" target="c"><data key="x">NA</data><data key="i">7</data></edge></graph></graphml>`,
			want: "columns y:text\nedge columns x:integer y:text id:text\nedge a>b*2 \"4\" \" a\\n\" -\nedge b>c - - \"7\"\n", left: "attributes of edges left out: 3 (y, x, id), the first in line 1; the options weight and time take one each"},
		{name: "g.gexf", text: `<gexf><graph><attributes class="edge"><attribute id="0" title="since" type="double"/></attributes><edges><edge id="e" source="a" target="b" weight="2"><attvalues><attvalue for="0" value="1"/></attvalues></edge><edge source="b" target="c" label="é" thickness="3"/></edges></graph></gexf>`,
			want: "edge columns since:float\nedge a>b*2 \"1\"\nedge columns since:float label:\nedge b>c - \"é\"\nedge columns since:float label:text\n", left: "attributes of edges left out: 3 (since, label, thickness), the first in line 1; the options weight and time take one each"},
		{name: "g.json", text: `{"nodes": [], "links": [{"source": "a", "target": "b", "n": 1, "id": 3, "from": 4, "to": "x"}, {"source": "b", "target": "c", "n": 1.5, "list": [1, null], "ok": true, "none": null}]}`,
			want: "edge columns n:\nedge columns n: from:\nedge columns n: from: to:\nedge a>b \"1\" \"4\" \"x\"\nedge columns n: from: to: list:\nedge columns n: from: to: list: ok:\nedge columns n: from: to: list: ok: none:\nedge b>c \"1.5\" - - \"[1,null]\" \"true\" -\nedge columns n:float from:integer to:text list:text ok:boolean none:\n",
			left: "attributes of edges left out: 7 (n, id, from, to, list), the first in line 1; the options weight and time take one each"},
		{name: "held.json", text: `{"links": [{"source": 0, "target": 1, "n": 1}, {"source": 1, "target": 0, "m": "x"}], "nodes": [{}, {}]}`,
			want: "edge columns n:\nedge columns n: m:\nvertex 0\nvertex 1\nedge 0>1 \"1\" -\nedge 1>0 - \"x\"\nedge columns n:integer m:text\n", left: "attributes of edges left out: 2 (n, m), the first in line 1; the options weight and time take one each"},
		{name: "g.gml", text: "graph [ multigraph 1 node [ id 1 ] edge [ source 1 target 1 key 0 id 5 x 1 x 2 y \"&amp;\" ] edge [ source 1 target 1 key 1 x 2.5 ] ]",
			want: "vertex 1\nedge columns x:\nedge columns x: y:\nedge 1>1 \"1\" \"&\"\nedge 1>1 \"2.5\" -\nedge columns x:float y:text\n", left: "attributes of edges left out: 5 (id, x, y), the first in line 1; the options weight and time take one each"},
		{name: "g.net", text: "*Vertices 2\n*Edges\n1 2 1.5 l \"a b\" c\n2 1\n", want: "vertex 1\nvertex 2\nedge columns l:\nedge 1>2*1.5 \"a b\"\nedge 2>1 -\n"},
		{name: "g.csv", text: "source,id,target,since,kind:text,w,\na,1,b,7,\"\",2,x\nb,2,c,,NA,,\n", want: "edge columns since: kind:text\nedge a>b*2 \"7\" \"\"\nedge b>c - \"NA\"\n"},
		{name: "plain.csv", text: "source,target,n:integer,t\n1,2,-7,x\n1,3,NA,\n1,4,,y\n", want: "edge columns n:integer t:\nedge 1>2 \"-7\" \"x\"\nedge 1>3 - -\nedge 1>4 - \"y\"\n"},
		{name: "records.csv", text: "source,target,t\r\n\"a\",b,\"x,\"\"y\"\"\nz\"\r\n\"c\",d,\r\n", want: "edge columns t:\nedge a>b \"x,\\\"y\\\"\\nz\"\nedge c>d -\n"},
		{name: "tabs.tsv", text: "a\tb\tkind\n1\t2\tx\n2\t3\ty y\n3\t4\t\n", want: "edge columns kind:\nedge 1>2 \"x\"\nedge 2>3 \"y y\"\nedge 3>4 -\n"},
		{name: "comment.txt", text: "# FromNodeId ToNodeId Sign\n1 2 -1\n2 3 1\n3 4\n", want: "edge columns Sign:\nedge 1>2 \"-1\"\nedge 2>3 \"1\"\nedge 3>4 -\n"},
		{name: "bare.txt", text: "1 2 7\n", want: "edge 1>2\n"},
		{name: "declined.csv", text: "source,target,weight,value\na,b,x,3\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: format.NoColumn}}, want: "edge columns value:\nedge a>b \"3\"\n"},
		{name: "chosen.csv", text: "source,target,weight,cost\na,b,x,3\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "cost"}}, want: "edge a>b*3\n"},
		{name: "out.x", text: "% sym weighted\n1 2 3 4\n", want: "edge 1>2*3@4\n"},
		{name: "networkx.edgelist", text: "a b {'weight': 2.5, 'since': 2001, 'kind': \"it's\", 'ok': True, 'id': 3, 'none': None}\nb c {'kind': 'a\\n\\'\\xe9\\u5317\\U0001f600\\\\', 'since': 1e3, 'at': (1, {'x': '}'}), 'x': nan}\nc d {}\n",
			want: "edge columns since:\nedge columns since: kind:\nedge columns since: kind: ok:\nedge columns since: kind: ok: none:\nedge a>b*2.5 \"2001\" \"it's\" \"true\" -\n" +
				"edge columns since: kind: ok: none: at:\nedge columns since: kind: ok: none: at: x:\nedge b>c \"1e3\" \"a\\n'é北😀\\\\\" - - \"(1, {'x': '}'})\" -\nedge c>d - - - - - -\nedge columns since:float kind:text ok:boolean none: at:text x:float\n",
			left: "attributes of edges left out: 9 (since, kind, ok, id, none), the first in line 1"},
		{name: "data.json.txt", text: "a b {\"kind\": \"\\ud83d\\ude00\\/\", \"ok\": false, \"n\": null}\n", want: "edge columns kind:\nedge columns kind: ok:\nedge columns kind: ok: n:\nedge a>b \"😀/\" \"false\" -\nedge columns kind:text ok:boolean n:\n", left: "attributes of edges left out: 3 (kind, ok, n), the first in line 1"},
	} {
		c.opts.Name = c.name
		got, _, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, read\n%swant\n%s", c.name, err, got, c.want)
		}
		stats, err := graphfile.Read(t.Context(), strings.NewReader(c.text), c.opts, format.Handler{Edge: func(e format.Edge) error {
			if len(e.Values) > 0 {
				t.Errorf("%s: values nobody asked for", c.name)
			}
			return nil
		}})
		remark := ""
		for _, r := range stats.Remarks {
			if strings.HasPrefix(r.What, "attributes of edges") {
				remark = r.String()
			}
		}
		if err != nil || remark != c.left {
			t.Errorf("%s: %v, %q, want %q", c.name, err, remark, c.left)
		}
	}
	for text, want := range map[string]string{
		"source,target,n:integer\na,b,x\n":          "2:5: \"n\": \"x\" is no integer",
		"source,target,t\na,b,long text\n":          "the limit is 8",
		"source,target,a,b,c\n1,2,3,4,5\n":          "more than 2 attributes",
		"a b {'x': 'a long text'}\n":                "the limit of 8 bytes",
		"a b {'x': 1, 'y': 1, 'z': 1}\n":            "more than 2 attributes",
		"*Vertices 1\n*Edges\n1 1 1 x tttttttttt\n": "the limit of 8 bytes",
	} {
		opts := format.Options{MaxValue: 8, MaxColumns: 2, EdgeListOptions: format.EdgeListOptions{Name: "g"}}
		_, _, err := transcript(t, strings.NewReader(text), opts)
		var line *format.LineError
		if !errors.As(err, &line) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Writers refuse names of attributes that their format cannot hold, values of another type, and a direction that it does not have.
func TestWrite_RefusedEdges(t *testing.T) {
	t.Parallel()
	writers := map[string]func(format.Graph) error{
		"CSV": func(g format.Graph) error {
			return rowtext.WriteCSV(t.Context(), &bytes.Buffer{}, g, rowtext.CSVOptions{})
		},
		"GraphML": func(g format.Graph) error { return graphtext.WriteGraphML(t.Context(), &bytes.Buffer{}, g) },
		"GEXF":    func(g format.Graph) error { return graphtext.WriteGEXF(t.Context(), &bytes.Buffer{}, g) },
		"JSON":    func(g format.Graph) error { return graphtext.WriteNodeLink(t.Context(), &bytes.Buffer{}, g) },
		"GML":     func(g format.Graph) error { return graphtext.WriteGML(t.Context(), &bytes.Buffer{}, g) },
		"Parquet": func(g format.Graph) error {
			return columnar.WriteEdges(t.Context(), &bytes.Buffer{}, format.Parquet, g, nil)
		},
	}
	for _, c := range []struct {
		column  format.Column
		value   string
		refused string // the writers that refuse it
	}{
		{format.Column{Name: "x", Type: format.Integer}, "1.5", "CSV GML GEXF GraphML JSON Parquet"},
		{format.Column{Name: "x", Type: format.Text}, "a\x00", "CSV GML GEXF GraphML JSON Parquet"},
		{format.Column{Name: "x", Type: format.Text}, "a\x01", "GEXF GraphML"},
		{format.Column{Name: "weight", Type: format.Float}, "1", "CSV GML GEXF GraphML JSON Parquet"},
		{format.Column{Name: "time", Type: format.Text}, "1", "CSV GML GEXF GraphML JSON Parquet"},
		{format.Column{Name: "", Type: format.Text}, "1", "CSV GML GEXF GraphML JSON Parquet"},
		{format.Column{Name: "source", Type: format.Text}, "1", "GML JSON Parquet"},
		{format.Column{Name: "id", Type: format.Text}, "1", "GML JSON Parquet"},
		{format.Column{Name: "value", Type: format.Text}, "x", "GML"},
		{format.Column{Name: "date", Type: format.Text}, "x", "GML"},
		{format.Column{Name: "a b", Type: format.Text}, "x", "GML"},
	} {
		s := &sample{keys: []string{"a", "b"}, values: make([][]*string, 2), edges: []format.NumberedEdge{{Source: 0, Target: 1, Weight: 1}}, edgeColumns: []format.Column{c.column}, edgeValues: [][]*string{{word(c.value)}}}
		for name, write := range writers {
			if err, want := write(s.graph()), slices.Contains(strings.Fields(c.refused), name); want != errors.Is(err, format.ErrValue) || !want && err != nil {
				t.Errorf("%v, %q by %s: %v", c.column, c.value, name, err)
			}
		}
	}
	err := graphtext.WriteMETIS(t.Context(), &bytes.Buffer{}, format.Graph{Directed: true})
	if !errors.Is(err, format.ErrValue) {
		t.Errorf("METIS: %v", err)
	}
	s := &sample{keys: []string{"a", "b"}, values: make([][]*string, 2), edges: []format.NumberedEdge{{Source: 0, Target: 1, Weight: 1}}, edgeColumns: []format.Column{{Name: "x", Type: format.Boolean}}, edgeValues: [][]*string{{word("yes")}}}
	var value *format.ValueError
	if err := graphtext.WriteGML(t.Context(), &bytes.Buffer{}, s.graph()); !errors.As(err, &value) || value.Error() != `edge from "a" to "b", attribute "x": "yes" is no boolean` {
		t.Errorf("%v", err)
	}
}
