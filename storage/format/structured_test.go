package format_test

import (
	"strings"
	"testing"

	"heavytail/storage/format"
)

const (
	ambiguous = "ends := 'id' or ends := 'index' decides"
	asPlaces  = "ends of links read as places of nodes, counted from 0: "
	decided   = "; ends := 'id' reads them as ids"
)

// The ends of links are ids or places of nodes, as the content decides; what can be both is an
// error.
func TestRead_NodeLinkEnds(t *testing.T) {
	t.Parallel()
	links := func(ends string) string {
		var b strings.Builder
		for i, end := range strings.Fields(ends) {
			b.WriteString([]string{`, {"source": `, `, "target": `}[i%2] + end + []string{"", "}"}[i%2])
		}
		return strings.TrimPrefix(b.String(), ", ")
	}
	nodes := func(ids string) string {
		var list []string
		for _, id := range strings.Fields(ids) {
			if id == "-" {
				list = append(list, "{}")
			} else {
				list = append(list, `{"id": `+id+`}`)
			}
		}
		return strings.Join(list, ", ")
	}
	for _, c := range []struct {
		name, ids, ends, want string // edges
		asked                 format.Ends
		err, remark           string
	}{
		{name: "texts", ids: `"a" "b"`, ends: `"a" "b" "b" "c"`, want: "a>b b>c"},
		{name: "the place of each as its id", ids: "0 1 2", ends: "0 1 2 1 5 0", want: "0>1 2>1 5>0"},
		{name: "the same as texts", ids: `"0" "1"`, ends: `0 1`, want: "0>1"},
		{name: "ids that are a permutation", ids: "2 0 1", ends: "0 1 1 2", want: "0>1 1>2"},
		{name: "ids from 1", ids: "1 2 3", ends: "1 2 3 1", want: "1>2 3>1"},
		{name: "places and ids from 1", ids: "1 2 3", ends: "0 1 1 2", err: ambiguous},
		{name: "asked for as places", ids: "1 2 3", ends: "0 1 1 2", asked: format.EndsIndex, want: "1>2 2>3"},
		{name: "asked for as ids", ids: "1 2 3", ends: "0 1 1 2", asked: format.EndsID, want: "0>1 1>2"},
		{name: "places of texts", ids: `"a" "b" "c"`, ends: "0 1 1 2", want: "a>b b>c", remark: asPlaces + "4" + decided},
		{name: "places of large numbers", ids: "17 18 19", ends: "0 1", want: "17>18", remark: asPlaces + "2" + decided},
		{name: "places, then a text", ids: `"a" "b"`, ends: `0 1 "a" 0`, err: ambiguous},
		{name: "places, then too large", ids: `"a" "b"`, ends: `0 1 1 2`, err: ambiguous},
		{name: "places of texts that look like them", ids: `"1" "0"`, ends: "0 1", err: ambiguous},
		{name: "places of texts, of which one looks like one", ids: `"1" "b" "c"`, ends: "0 1", want: "1>b", remark: asPlaces + "2" + decided},
		{name: "places, then an id", ids: "7 1 8", ends: "0 2 1 2", err: ambiguous},
		{name: "a place outside", ids: `"a" "b"`, ends: "0 2", asked: format.EndsIndex, err: "no place among 2 nodes"},
		{name: "no ids", ids: "- -", ends: "0 1", want: "0>1", remark: "nodes without an id, which have their place as key: 2"},
		{name: "no ids, texts as ends", ids: "- -", ends: `"a" "b"`, err: "the nodes have no id"},
		{name: "numbers in two forms", ids: "2 3.0 2.5", ends: "2.0 3 2.50 2e0", want: "2>3 2.5>2"},
		{name: "1 and a text", ids: `1 "1"`, ends: "1 1", err: "would be one vertex"},
		{name: "01 is no number", ids: `1 "01"`, ends: `1 "01"`, want: "1>01"},
	} {
		for _, order := range []string{"nodes first", "links first"} {
			text := `{"nodes": [` + nodes(c.ids) + `], "links": [` + links(c.ends) + `]}`
			if order == "links first" {
				text = `{"links": [` + links(c.ends) + `], "nodes": [` + nodes(c.ids) + `]}`
			}
			if order == "links first" && strings.Contains(c.ends, `"`) {
				continue // a text as an end decides then
			}
			got, stats, err := transcript(t, strings.NewReader(text), format.Options{Layout: format.LayoutJSON, Ends: c.asked})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s, %s: %v, want %s", c.name, order, err, c.err)
				}
				continue
			}
			var edges []string
			for line := range strings.Lines(got) {
				if edge, ok := strings.CutPrefix(line, "edge "); ok {
					edges = append(edges, strings.TrimSpace(edge))
				}
			}
			if err != nil || strings.Join(edges, " ") != c.want || remarksOf(stats) != c.remark {
				t.Errorf("%s, %s: %q, remarks %q, %v", c.name, order, edges, remarksOf(stats), err)
			}
		}
	}
}

// What the readers leave out of files of other programs is counted and named.
func TestRead_LeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want, remarks string
		opts                      format.Options
	}{
		{name: "yEd", text: "<graphml>\n<key id='g' for='node' yfiles.type='nodegraphics'/><key id='e' for='edge' yfiles.type='edgegraphics'/><key id='x' for='node' attr.name='x' attr.type='int'/>\n" +
			"<graph edgedefault='directed'>\n<desc>d</desc><node id='a'><port name='p'/><data key='g'><y:N><y:G/></y:N></data><data key='x'>NaN</data></node>\n" +
			"<edge source='a' target='b' sourceport='p' directed='false'><data key='e'><y:L/></data></edge></graph></graphml>",
			want: "columns x:integer\nvertex a -\ndirected\nedge a>b both\n",
			remarks: "values taken as missing in attributes of numbers or booleans: 1 (NaN), the first in line 4\n" +
				"data of other programs left out: 2 (nodegraphics, edgegraphics), the first in line 4\nelements left out: 3 (desc, port, sourceport), the first in line 4"},
		{name: "elements inside text", text: "<graphml><key id='x' for='node' attr.name='x'/><graph><node id='a'><data key='x'> <b>1</b> </data></node><node id='b'><data key='x'>see <i>q</i>!</data></node></graph></graphml>",
			want: "columns x:text\nvertex a -\nvertex b \"see !\"\n", remarks: "elements inside of data left out: 2 (x), the first in line 1"},
		{name: "Latin-1 and entities", text: "<?xml version='1.0' encoding='ISO-8859-1'?><graphml><graph><node id='\xfcber'/><node id='&#233;'/></graph></graphml>", want: "vertex über\nvertex é\n"},
		{name: "declined", text: `{"links": [{"source": "a", "target": "b", "weight": 2, "time": 3}]}`, opts: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "none", Time: "none"}}, want: "edge a>b\n"},
		{name: "JSON of Python", text: "{\"multigraph\": true, \"graph\": {\"name\": \"x\", \"void\": null}, \"nodes\": [{\"id\": \"NaN\", \"x\": NaN},\n{\"id\": \"\\\\\\\"Infinity\", \"x\": [Infinity, 1], \"y\": null}], \"links\": [{\"source\": \"NaN\", \"target\": \"b\", \"weight\": -Infinity, \"key\": 0}]}",
			want:    "columns x:\nvertex NaN -\ncolumns x: y:\nvertex \\\"Infinity \"[null,1]\" -\nedge NaN>b\ncolumns x:text y:\n",
			remarks: "keys of parallel edges left out: 1 (key), the first in line 2; an edge is stored once\nattributes of the graph left out: 2 (name, void), the first in line 1\nvalues taken as missing in attributes of numbers or booleans: 2 (NaN, -Infinity), the first in line 1"},
		{name: "Cytoscape", text: `{"data": [], "elements": {"nodes": [{"data": {"id": "a", "n": 1}, "position": {"x": 1}}], "edges": [{"data": {"id": "e", "source": "a", "target": "b"}}]}}`,
			want: "columns n:\nvertex a \"1\"\nedge a>b\ncolumns n:integer\n", remarks: "attributes of edges left out: 1 (id), the first in line 1; the options weight and time take one each\nelements left out: 1 (position), the first in line 1"},
		{name: "JSON Graph Format and vis.js", text: `{"graph": {"directed": true, "nodes": [{"id": "a"}], "edges": [{"from": "a", "to": "b"}]}}`, want: "vertex a\ndirected\nedge a>b\n"},
		{name: "dynamic GEXF", text: "<gexf><graph mode='dynamic'><nodes><node id='a' start='1'/><node id='b'><spells><spell start='1'/></spells></node></nodes><edges>" +
			"<edge source='a' target='b' start='2009-03-01T00:00:00.000' end='2009-04-01'/><edge source='a' target='c'><spells><spell start='5' end='6'/><spell start='7'/></spells></edge><edge source='a' target='d' start='-Infinity' type='directed'/></edges></graph></gexf>", opts: format.Options{Directed: format.Undirected},
			want:    "vertex a\nvertex b\nedge a>b@1235865600\nedge a>c@5\nedge a>d\n",
			remarks: "times left out: 6 (start of nodes, spells of nodes, end of edges, spells of edges, -Infinity), the first in line 1\nedges whose direction is not that of the graph: 1 (type=directed), the first in line 1; graphs are undirected"},
		{name: "the end as time", text: "<gexf><graph><edges><edge source='a' target='b' start='1' end='2'/></edges></graph></gexf>", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Time: "end"}},
			want: "edge a>b@2\n", remarks: "times left out: 1 (start of edges), the first in line 1"},
		{name: "no time", text: "<gexf><graph><edges><edge source='a' target='b' start='1' end='2'/></edges></graph></gexf>", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Time: "none"}}, want: "edge a>b\n"},
		{name: "an attribute as time", text: "<gexf><graph><attributes class='edge'><attribute id='0' title='time' type='long'/></attributes><edges><edge source='a' target='b' start='1'><attvalues><attvalue for='0' value='9'/></attvalues></edge></edges></graph></gexf>",
			want: "edge a>b@9\n", remarks: "times left out: 1 (start of edges), the first in line 1"},
	} {
		got, stats, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || got != c.want || remarksOf(stats) != c.remarks {
			t.Errorf("%s: %v, got\n%swant\n%sremarks\n%s\nwant\n%s", c.name, err, got, c.want, remarksOf(stats), c.remarks)
		}
	}
	for text, want := range map[string]string{
		`{"nodes": {"a": {}}}`: "expected an array as the member nodes", `{"id": 1, "children": []}`: "trees of nodes", `{"graphs": [{}]}`: "a list of graphs",
		`{"elements": [{"data": {"id": 1}}]}`: "not as one list", `{"nodes": [{"id": null}]}`: "must be a text or a number", `{"x": {"nodes": []}, "nodes": []}`: "nodes twice",
	} {
		if _, _, err := transcript(t, strings.NewReader(text), format.Options{Layout: format.LayoutJSON}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
