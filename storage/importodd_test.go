package storage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/format"
)

// oddGraph is a graph in the making of a file as other programs write it.
type oddGraph struct {
	nodes int
	edges [][2]int // by the numbers of nodes; one may be nodes, which none declares

	edgeValue  bool // each edge has an attribute that is not read
	infinite   bool // the first node has a value that is not finite
	again      bool // the first node is declared a second time
	graphValue bool // the graph has an attribute
}

// oddForm writes a graph in one format.
type oddForm struct {
	layout   format.Layout
	node     func(v int, score string) string
	edge     func(u, v int, value bool) string
	whole    func(graphValue bool, nodes, edges []string) string
	infinity string // a value that is not finite
}

func choose(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

var oddForms = []oddForm{
	{
		layout: format.LayoutGraphML, infinity: `<data key="s">INF</data>`,
		node: func(v int, score string) string { return fmt.Sprintf(`<node id="v%d">%s</node>`, v, score) },
		edge: func(u, v int, value bool) string {
			return fmt.Sprintf(`<edge source="v%d" target="v%d">%s</edge>`, u, v, choose(value, `<data key="k">x</data>`))
		},
		whole: func(graph bool, nodes, edges []string) string {
			return `<graphml><key id="s" for="node" attr.name="score" attr.type="double"/><key id="k" for="edge" attr.name="kind"/><key id="g" for="graph" attr.name="note"/><graph edgedefault="undirected">` +
				choose(graph, `<data key="g">n</data>`) + strings.Join(nodes, "") + strings.Join(edges, "") + "</graph></graphml>"
		},
	},
	{
		layout: format.LayoutGEXF, infinity: `<attvalues><attvalue for="s" value="NaN"/></attvalues>`,
		node: func(v int, score string) string { return fmt.Sprintf(`<node id="v%d">%s</node>`, v, score) },
		edge: func(u, v int, value bool) string {
			return fmt.Sprintf(`<edge source="v%d" target="v%d"%s/>`, u, v, choose(value, ` kind="x"`))
		},
		whole: func(_ bool, nodes, edges []string) string {
			return `<gexf><graph><attributes class="node"><attribute id="s" title="score" type="double"/></attributes><nodes>` +
				strings.Join(nodes, "") + "</nodes><edges>" + strings.Join(edges, "") + "</edges></graph></gexf>"
		},
	},
	{
		layout: format.LayoutJSON, infinity: `, "score": -Infinity`,
		node: func(v int, score string) string { return fmt.Sprintf(`{"id": "v%d"%s}`, v, score) },
		edge: func(u, v int, value bool) string {
			return fmt.Sprintf(`{"source": "v%d", "target": "v%d"%s}`, u, v, choose(value, `, "kind": [1]`))
		},
		whole: func(graph bool, nodes, edges []string) string {
			return `{"graph": {` + choose(graph, `"note": "n"`) + `}, "nodes": [` + strings.Join(nodes, ",") + `], "links": [` + strings.Join(edges, ",") + "]}"
		},
	},
	{
		layout: format.LayoutGML, infinity: "score +INF",
		node: func(v int, score string) string { return fmt.Sprintf("node [ id \"v%d\" %s ]", v, score) },
		edge: func(u, v int, value bool) string {
			return fmt.Sprintf("edge [ source \"v%d\" target \"v%d\" %s ]", u, v, choose(value, "kind 5"))
		},
		whole: func(graph bool, nodes, edges []string) string {
			return "graph [" + choose(graph, " note 3 ") + strings.Join(nodes, "\n") + strings.Join(edges, "\n") + "]"
		},
	},
}

// TestImport_OddFiles imports graphs with what a graph here cannot hold, in each format: the graph
// is the right one, and each of these things is named in a remark, and nothing else is.
func TestImport_OddFiles(t *testing.T) {
	t.Parallel()
	db := newStore(t, nil)
	graphs := 0
	rapid.Check(t, func(r *rapid.T) {
		o := oddGraph{nodes: rapid.IntRange(1, 4).Draw(r, "nodes")}
		end := rapid.IntRange(0, o.nodes)
		for range rapid.IntRange(0, 4).Draw(r, "edges") {
			o.edges = append(o.edges, [2]int{end.Draw(r, "source"), end.Draw(r, "target")})
		}
		yes := rapid.Bool()
		o.edgeValue, o.infinite, o.again, o.graphValue = yes.Draw(r, "edge value"), yes.Draw(r, "infinite"), yes.Draw(r, "again"), yes.Draw(r, "graph value")
		for _, form := range oddForms {
			graphs++
			name := fmt.Sprint("g", graphs)
			text := o.text(form)
			stats, err := db.Import(context.Background(), name, strings.NewReader(text), ImportOptions{Format: format.Options{Layout: form.layout}})
			if err != nil {
				r.Fatalf("%v from %s", err, text)
			}
			snapshot, err := db.Snapshot(context.Background(), name)
			if err != nil {
				r.Fatal(err)
			}
			var keys []string
			for v := range snapshot.Graph.Vertices() {
				keys = append(keys, snapshot.Key(uint32(v)))
			}
			if wantKeys, wantEdges := o.want(); !slices.Equal(keys, wantKeys) || snapshot.Graph.Edges() != wantEdges {
				r.Fatalf("%s: vertices %q, want %q, %d edges, want %d, from %s", form.layout, keys, wantKeys, snapshot.Graph.Edges(), wantEdges, text)
			}
			var kinds []string
			for _, remark := range stats.Remarks {
				kinds = append(kinds, fmt.Sprintf("%s %d %s", strings.Fields(remark.What)[0]+strings.Fields(remark.What)[2], remark.Count, strings.Join(remark.Names, ",")))
			}
			if want := o.remarks(form); !slices.Equal(kinds, want) {
				r.Fatalf("%s: remarks %q, want %q, from %s", form.layout, kinds, want, text)
			}
		}
	})
}

func (o oddGraph) text(form oddForm) string {
	var nodes, edges []string
	for v := range o.nodes {
		nodes = append(nodes, form.node(v, choose(o.infinite && v == 0, form.infinity)))
	}
	if o.again {
		nodes = append(nodes, form.node(0, ""))
	}
	for _, e := range o.edges {
		edges = append(edges, form.edge(e[0], e[1], o.edgeValue))
	}
	return form.whole(o.graphValue, nodes, edges)
}

// want returns the keys of the vertices and the number of edges.
func (o oddGraph) want() (keys []string, edges int64) {
	n, seen := o.nodes, map[[2]int]bool{}
	for _, e := range o.edges {
		n = max(n, e[0]+1, e[1]+1)
		if e[0] != e[1] {
			seen[[2]int{min(e[0], e[1]), max(e[0], e[1])}] = true
		}
	}
	for v := range n {
		keys = append(keys, fmt.Sprint("v", v))
	}
	return keys, int64(len(seen))
}

// remarks returns what is to be named, in the order of the readers and then of the import.
func (o oddGraph) remarks(form oddForm) (list []string) {
	add := func(yes bool, text string, args ...any) {
		if yes {
			list = append(list, fmt.Sprintf(text, args...))
		}
	}
	word := map[format.Layout]string{format.LayoutGraphML: "INF", format.LayoutGEXF: "NaN", format.LayoutJSON: "-Infinity", format.LayoutGML: "+INF"}[form.layout]
	add(o.edgeValue && len(o.edges) > 0 && form.layout == format.LayoutGEXF, "attributesedges %d kind", len(o.edges)) // a kind of parallel edges
	add(o.graphValue && form.layout != format.LayoutGEXF, "attributesthe 1 note")
	add(o.infinite, "valuesas 1 %s", word)
	add(o.again, "verticesagain 1 v0")
	keys, _ := o.want()
	add(len(keys) > o.nodes, "endsedges 1 v%d", o.nodes)
	return list
}

// TestImport_OwnVertices counts ends that no node declares only where they are new.
func TestImport_OwnVertices(t *testing.T) {
	t.Parallel()
	db := newStore(t, nil)
	importText(t, db, "g", "b z\n")
	stats, err := db.Import(context.Background(), "g", strings.NewReader(`{"nodes": [{"id": "a"}], "links": [{"source": "a", "target": "b"}, {"source": "a", "target": "c\n"}]}`), ImportOptions{})
	if r := remarkOf(stats, "ends of edges that no element declares, taken as new vertices"); err != nil || r.Count != 1 || r.Names[0] != `"c\n"` {
		t.Errorf("%v, %v", stats.Remarks, err)
	}
	stats, err = db.Import(context.Background(), "h", strings.NewReader(`{"links": [{"source": "a", "target": "b"}]}`), ImportOptions{})
	if err != nil || len(stats.Remarks) != 0 {
		t.Errorf("only links: %v, %v", stats.Remarks, err)
	}
}

// TestImport_FilesOfOthers imports files of public reports.
func TestImport_FilesOfOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, edges, err string }{
		{file: "f3-node-link-index.json", edges: "k-l 1; l-m 1; "},
		{file: "f6-degree-attribute.graphml", edges: "a-b 1; "},
		{file: "f7-xml-in-data.graphml", edges: "a-b 1; "},
		{file: "f8-inf-nan.gexf", edges: "0-1 1; "},
		{file: "f9-dynamic.gexf", edges: "v-w 1 @1235865600; "},
		{file: "f10-edge-attributes.graphml", edges: "a-b 1; "},
		{file: "f11-json-1-and-text-1.json", err: `the number 1 and the text "1" are ids of two nodes`},
		{file: "f11-json-numbers.json", edges: "2-3 1; "},
	} {
		text, err := os.ReadFile(filepath.Join("format", "testdata", "structured", c.file))
		if err != nil {
			t.Fatal(err)
		}
		db := newStore(t, nil)
		_, err = db.Import(context.Background(), "g", strings.NewReader(string(text)), ImportOptions{Format: format.Options{EdgeListOptions: format.EdgeListOptions{Name: c.file}}})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.file, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.file, err)
		default:
			if got := edgeTexts(t, db); got != c.edges {
				t.Errorf("%s: %s, want %s", c.file, got, c.edges)
			}
		}
	}
}
