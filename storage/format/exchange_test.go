package format_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
	"heavytail/storage/format/internal/writing"
)

// exchangeWriters are the writers of formats of other programs that hold vertices, edges
// and attributes.
var exchangeWriters = map[format.Layout]func(context.Context, io.Writer, format.Graph) error{
	format.LayoutGraphML: graphtext.WriteGraphML, format.LayoutGEXF: graphtext.WriteGEXF, format.LayoutJSON: graphtext.WriteNodeLink,
}

// settled is a sample without the columns that have no values, in the order of their
// names.
func settled(s *sample) *sample {
	out := *s
	out.columns, out.values = settledColumns(s.columns, s.values)
	out.edgeColumns, out.edgeValues = settledColumns(s.edgeColumns, s.edgeValues)
	return &out
}

func settledColumns(columns []format.Column, rows [][]*string) (kept []format.Column, values [][]*string) {
	var order []int
	for i := range columns {
		if slices.ContainsFunc(rows, func(row []*string) bool { return row[i] != nil }) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(columns[a].Name, columns[b].Name) })
	for _, i := range order {
		kept = append(kept, columns[i])
	}
	for _, row := range rows {
		var picked []*string
		for _, i := range order {
			picked = append(picked, row[i])
		}
		values = append(values, picked)
	}
	return kept, values
}

// What is written is read back: keys, types, missing values and edges.
func TestExchange_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := samples().Draw(r, "graph")
		for layout, write := range exchangeWriters {
			var text bytes.Buffer
			err := write(context.Background(), &text, s.graph())
			refused := slices.ContainsFunc(s.columns, func(c format.Column) bool { return c.Name == "id" }) || slices.ContainsFunc(s.edgeColumns, func(c format.Column) bool { return writing.MemberFault(c.Name) != "" })
			if layout == format.LayoutJSON && errors.Is(err, format.ErrValue) && refused {
				continue // the names of the key and of the ends
			}
			if err != nil {
				r.Fatalf("%s: %v", layout, err)
			}
			written := text.String()
			got, err := collect([]byte(written), format.Options{})
			if err != nil {
				r.Fatalf("%s: %v from\n%s", layout, err, written)
			}
			got.weighted, got.timed = s.weighted, s.timed
			if got, want := settled(got).text(true, true), settled(s).text(true, true); got != want {
				r.Fatalf("%s: read\n%swant\n%sfrom\n%s", layout, got, want, written)
			}
		}
		roundTripGML(r, s)
	})
}

// roundTripGML writes and reads a graph as GML, under names that it can have.
func roundTripGML(r *rapid.T, s *sample) {
	named, want := *s, *s
	named.columns, want.columns, want.values = gmlColumns(s.columns, s.values)
	named.edgeColumns, want.edgeColumns, want.edgeValues = gmlColumns(s.edgeColumns, s.edgeValues)
	var text bytes.Buffer
	if err := graphtext.WriteGML(context.Background(), &text, named.graph()); err != nil {
		r.Fatalf("GML: %v", err)
	}
	written := text.String()
	got, err := collect([]byte(written), format.Options{})
	if err != nil {
		r.Fatalf("GML: %v from\n%s", err, written)
	}
	got.weighted, got.timed = s.weighted, s.timed
	if got, want := settled(got).text(true, true), settled(&want).text(true, true); got != want {
		r.Fatalf("GML: read\n%swant\n%sfrom\n%s", got, want, written)
	}
}

// gmlColumns returns columns with names of GML, and these with the values as GML has them: booleans are integers.
func gmlColumns(columns []format.Column, rows [][]*string) (named, want []format.Column, values [][]*string) {
	named = slices.Clone(columns)
	for i := range named {
		named[i].Name = "c" + string(rune('a'+i))
	}
	want = slices.Clone(named)
	for i := range want {
		if want[i].Type == format.Boolean {
			want[i].Type = format.Integer
		}
	}
	for _, row := range rows {
		row = slices.Clone(row)
		for i, value := range row {
			switch {
			case value == nil:
			case columns[i].Type == format.Boolean:
				row[i] = word(map[string]string{"true": "1", "false": "0"}[*value])
			case columns[i].Type == format.Float:
				row[i] = word(realOfGML(*value))
			}
		}
		values = append(values, row)
	}
	return named, want, values
}

const gexfPeople = `<?xml version='1.0' encoding='utf-8'?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">
<meta lastmodifieddate="2026-01-01"><creator>Gephi</creator></meta>
<graph defaultedgetype="directed" mode="static">
<attributes class="node"><attribute id="0" title="age" type="integer"/><attribute id="1" title="ok" type="boolean"><default>true</default></attribute></attributes>
<attributes class="edge"><attribute id="0" title="time" type="long"/></attributes>
<nodes count="3">
<node id="a"><attvalues><attvalue for="0" value="7"/></attvalues><viz:color r="1" g="2" b="3"/></node>
<node id="b" label="b"/>
<node id="c" label="Cyd"><attvalues><attvalue for="1" value="False"/></attvalues></node>
</nodes>
<edges><edge id="0" source="a" target="b" weight="2.5"><attvalues><attvalue for="0" value="9"/></attvalues></edge><edge source="b" target="c"/></edges>
</graph></gexf>`

func TestRead_GEXF(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		opts             format.Options
	}{
		{name: "Gephi", text: gexfPeople, want: "columns age:integer ok:boolean label:text\nvertex a \"7\" \"true\" -\nvertex b - \"true\" -\nvertex c - \"false\" \"Cyd\"\nedge a>b*2.5@9\nedge b>c\n"},
		{name: "chosen", text: gexfPeople, opts: format.Options{Columns: []string{"age"}, EdgeListOptions: format.EdgeListOptions{Weight: "none", Time: "none"}}, want: "columns age:integer\nvertex a \"7\"\nvertex b -\nvertex c -\nedge a>b\nedge b>c\n"},
		{name: "a declared label", text: `<gexf><graph><attributes class="node"><attribute id="x" title="label" type="string"/></attributes><nodes><node id="1" label="other"><attvalues><attvalue for="x" value="own"/></attvalues></node></nodes></graph></gexf>`, want: "columns label:text\nvertex 1 \"own\"\n"},
		{name: "no nodes", text: `<gexf><graph><edges><edge source="1" target="2"/></edges></graph></gexf>`, want: "vertex 1\nvertex 2\nedge 1>2\n"},
	} {
		got, err := collect([]byte(c.text), c.opts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if want, err := transcriptOf(got), error(nil); want != c.want || err != nil {
			t.Errorf("%s:\n%swant\n%s", c.name, want, c.want)
		}
	}
	stats, err := graphfile.Read(t.Context(), strings.NewReader(gexfPeople), format.Options{}, format.Handler{})
	if err != nil || !stats.Directed || stats.Layout != format.LayoutGEXF || stats.Vertices != 3 || stats.Weighted != 1 || stats.Timed != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// transcriptOf lists a sample whose edges may lack weights, which are then 1.
func transcriptOf(s *sample) string {
	vertices := s.text(true, false)
	var edges strings.Builder
	for _, e := range s.edges {
		one := &sample{keys: s.keys, edges: []format.NumberedEdge{e}, weighted: e.Weight != 1, timed: e.Timed}
		edges.WriteString(one.text(false, true))
	}
	return vertices + edges.String()
}

func TestRead_NodeLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		opts             format.Options
	}{
		{name: "networkx", text: `{"directed": true, "multigraph": false, "graph": {"name": [1, {}]}, "nodes": [{"age": 7, "id": "a"}, {"id": 2, "age": 1.5, "zip": "007", "more": {"x": [1, "y", null], "z": {}}}, {"id": "c\nd", "age": null, "ok": false}],
			"edges": [{"source": "a", "target": 2, "weight": 2.5, "time": "2024-02-29"}, {"source": "c\nd", "target": "a"}]}`,
			want: "columns age:float zip:text more:text ok:boolean\nvertex a \"7.0\" - - -\nvertex 2 \"1.5\" \"007\" \"{\\\"x\\\":[1,\\\"y\\\",null],\\\"z\\\":{}}\" -\nvertex c\nd - - - \"false\"\nedge a>2*2.5@1709164800\nedge c\nd>a\n"},
		{name: "d3, links first, places for ids", text: `{"links":[{"source":1,"target":0,"value":3}],"nodes":[{"name":"Myriel","group":1},{"name":"Napoleon","group":"x"}]}`,
			want: "columns name:text group:text\nvertex 0 \"Myriel\" \"1\"\nvertex 1 \"Napoleon\" \"x\"\nedge 1>0*3\n"},
		{name: "chosen", text: `{"nodes":[{"id":1,"x":1,"y":"2"}],"links":[{"source":1,"target":2,"cost":3,"weight":"x"}]}`, opts: format.Options{Columns: []string{"y"}, EdgeListOptions: format.EdgeListOptions{Weight: "cost"}},
			want: "columns y:text\nvertex 1 \"2\"\nvertex 2 -\nedge 1>2*3\n"},
		{name: "large integers are texts", text: `{"nodes":[{"id":1,"x":9223372036854775808,"y":1e400}]}`, want: "columns x:text y:text\nvertex 1 \"9223372036854775808\" \"1e400\"\n"},
		{name: "skipped", text: `{"nodes":[{"id":true},{"id":"ok"}],"links":[{"source":"ok"},{"source":"ok","target":"b","weight":-1}]}`, opts: format.Options{EdgeListOptions: format.EdgeListOptions{SkipBad: true}}, want: "vertex ok\n"},
		{name: "a byte order mark", text: "\ufeff{\"nodes\":[]}", opts: format.Options{}, want: ""},
	} {
		opts := c.opts
		opts.Layout = format.LayoutJSON
		got, err := collect([]byte(c.text), opts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if list := transcriptOf(got); list != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, list, c.want)
		}
		slow := iotest.OneByteReader(strings.NewReader(c.text))
		if stats, err := graphfile.Read(t.Context(), slow, opts, format.Handler{}); err != nil || stats.Bytes+3 < int64(len(c.text)) || stats.Directed != (c.name == "networkx") {
			t.Errorf("%s byte by byte: %+v, %v", c.name, stats, err)
		}
	}
}

func TestRead_ExchangeErrors(t *testing.T) {
	t.Parallel()
	limited := format.Options{EdgeListOptions: format.EdgeListOptions{MaxKey: 3, MaxLine: 1000}, MaxValue: 5, MaxColumns: 2}
	for _, c := range []struct {
		layout format.Layout
		text   string
		want   string
		opts   format.Options
	}{
		{layout: format.LayoutGEXF, text: "<graphml/>", want: "g:1:1: expected the element gexf"},
		{layout: format.LayoutGEXF, text: "<gexf/>", want: "g:1:8: expected an element graph"},
		{layout: format.LayoutGEXF, text: "<gexf><graph><nodes>\n<node/></nodes></graph></gexf>", want: "g:2:1: the element node has no id"},
		{layout: format.LayoutGEXF, text: "<gexf><graph><nodes>\n<node id='a'><nodes/></node></nodes></graph></gexf>", want: "g:2:14: a graph inside a node"},
		{layout: format.LayoutGEXF, text: "<gexf><graph><nodes><node id='a'><attvalues>\n<attvalue for='x' value='1'/></attvalues></node></nodes></graph></gexf>", want: `g:2:1: the attribute "x" of a value is not declared`},
		{layout: format.LayoutGEXF, text: "<gexf><graph><attributes class='node'><attribute id='x' title='n' type='long'/></attributes><nodes><node id='a'><attvalues>\n<attvalue for='x' value='y'/></attvalues></node></nodes></graph></gexf>", want: `g:2:1: "n": "y" is no integer`},
		{layout: format.LayoutGEXF, text: "<gexf><graph><edges><edge source='a' target='b' weight='-1'/></edges></graph></gexf>", want: "weight \"-1\""},
		{layout: format.LayoutGEXF, text: "<gexf><graph/><graph/></gexf>", want: "a second graph"},
		{layout: format.LayoutGEXF, text: "<gexf><graph><nodes/><attributes/></graph></gexf>", want: "attributes are declared after"},
		{layout: format.LayoutGEXF, text: "<gexf><graph><nodes><node id='a' label='a long one'/></nodes></graph></gexf>", opts: limited, want: "the limit of 5 bytes"},
		{layout: format.LayoutJSON, text: "", want: "expected a graph in JSON, found the end"},
		{layout: format.LayoutJSON, text: "[]", want: "g:1:2: expected an object"},
		{layout: format.LayoutJSON, text: "{}", want: "expected the members nodes"},
		{layout: format.LayoutJSON, text: `{"nodes":[{"id":1},{"id":2}],"adjacency":[[{"id":2}],[{"id":1}]]}`, want: "adjacency lists in JSON are not read"},
		{layout: format.LayoutJSON, text: "{\"nodes\":\n [{\"id\": \"a\"},\n  1]}", want: "g:3:4: expected an object in the array nodes"},
		{layout: format.LayoutJSON, text: "{\"nodes\": {}}", want: "expected an array as the member nodes"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [{\"id\": [1]}]}", want: "the id of a node must be a text or a number"},
		{layout: format.LayoutJSON, text: "{\"nodes\": []}\n{}", want: "text after the graph"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [], \"nodes\": []}", want: "nodes twice"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [\n{\"id\": 1,, }]}", want: "g:2:10: not well-formed JSON"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [", want: "ends inside a value"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [{\"id\": \"\xff\"}]}", want: "not valid UTF-8"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [{\"id\": NaN}]}", want: "the id of a node must be a text or a number"},
		{layout: format.LayoutJSON, text: "{\"links\": [{\"source\": 1}]}", want: "a link needs a source and a target"},
		{layout: format.LayoutJSON, text: "{\"links\": [{\"source\": 1, \"target\": 2, \"weight\": 0}]}", want: "weight \"0\""},
		{layout: format.LayoutJSON, text: "{\"nodes\": [{\"id\": \"long key\"}]}", opts: limited, want: "the limit is 3"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [{\"id\": \"a\", \"x\": \"a long one\"}]}", opts: limited, want: "the limit of 5 bytes"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [{\"id\": \"a\", \"x\": 1, \"y\": 1, \"z\": 1}]}", opts: limited, want: "more than 2 attributes"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [{\"id\": \"a\", \"x\": \"" + strings.Repeat("y", 1<<20) + "\"}]}", opts: limited, want: "a text exceeds the limit"},
		{layout: format.LayoutJSON, text: strings.Repeat("{\"a\":", 100), want: "nested more than"},
		{layout: format.LayoutJSON, text: "{\"nodes\": [{\"id\": 1}]}", opts: format.Options{Columns: []string{"age"}}, want: `no member is called "age"`},
		{layout: format.LayoutJSON, text: "{\"links\": [{\"source\": 1, \"target\": 2}]}", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Time: "when"}}, want: `no member is called "when"`},
	} {
		opts := c.opts
		opts.Layout, opts.Name = c.layout, "g"
		_, err := graphfile.Read(t.Context(), strings.NewReader(c.text), opts, format.Handler{})
		var line *format.LineError
		if !errors.As(err, &line) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.90q: %v, want %s", c.layout, c.text, err, c.want)
		}
	}
}

func FuzzReadGEXF(f *testing.F) {
	f.Add([]byte(gexfPeople), true)
	f.Add([]byte("<gexf><graph><nodes><node id='&#10;' label='x'/></nodes><edges><edge source='&#10;' target='b' type='mutual'/></edges></graph></gexf>"), false)
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutGEXF, text, skip) })
}

func FuzzReadNodeLink(f *testing.F) {
	f.Add([]byte(`{"directed": true, "nodes": [{"id": "a", "x": 1.5, "y": [1, {"z": null}]}, {"id": 2, "x": "q"}], "links": [{"source": "a", "target": 2, "weight": 2, "time": 3}]}`), false)
	f.Add([]byte(`{"links":[{"source":1,"target":0,"value":3}],"nodes":[{"name":"\u00e9\ud800"},{}, 1]}`), true)
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutJSON, text, skip) })
}

// realOfGML returns a number with a sign only if it is negative, and digits on both sides of its point.
func realOfGML(number string) string {
	parts := regexp.MustCompile(`^([+-]?)(\d*)\.?(\d*)(?:[eE](.*))?$`).FindStringSubmatch(number)
	text := strings.TrimPrefix(parts[1], "+") + cmp.Or(parts[2], "0") + "." + cmp.Or(parts[3], "0")
	if parts[4] != "" {
		text += "E" + parts[4]
	}
	return text
}
