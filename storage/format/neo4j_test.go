package format_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/rowtext"
)

func TestRead_Neo4j(t *testing.T) {
	t.Parallel()
	vertices := format.Options{Layout: format.LayoutVertices}
	for _, c := range []struct {
		name, text, want string
		opts             format.Options
	}{
		{name: "edges", text: ":START_ID,role,weight:double,:END_ID,:TYPE,time:datetime\na,\"x\",2.5,b,KNOWS,1970-01-01T00:00:09Z\nb,,,c,LIKES,\n", want: "edge columns role:\ndirected\nedge columns role: :TYPE:text\nedge a>b*2.5@9 \"x\" \"KNOWS\"\nedge b>c - \"LIKES\"\n"},
		{name: "edges of a group", text: "p:START_ID(Person),:END_ID(Person)\n1,2\n", want: "directed\nedge 1>2\n"},
		{name: "edges of two groups by number", text: ":START_ID(Person),:END_ID(Film)\n1,2\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Source: "1", Target: "2"}}, want: "directed\nedge 1>2\n"},
		{name: "edges with arrays", text: ":START_ID,:END_ID,weight:float[]\n1,2,1;2\n", want: "directed\nedge 1>2\n"},
		{name: "vertices", opts: vertices, text: "name,id:ID(Person),:LABEL,age:int,born:date{timezone:UTC},ok:boolean,x:double,zip:string,old:IGNORE\nAnn,a,Person;Boss,7,1970-01-02,true,1e3,\"\",9\n,b,,,,,,,\n",
			want: "columns name: :LABEL:text age:integer born:text ok:boolean x:float zip:text\nvertex a \"Ann\" \"Person;Boss\" \"7\" \"1970-01-02\" \"true\" \"1e3\" \"\"\nvertex b - - - - - - -\n"},
		{name: "chosen vertices", opts: format.Options{Layout: format.LayoutVertices, Columns: []string{"age"}}, text: ":ID,tags:string[],age:long\n1,a;b,3\n", want: "columns age:integer\nvertex 1 \"3\"\n"},
	} {
		got, _, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%swant\n%s", c.name, err, got, c.want)
		}
	}
	for _, c := range []struct {
		text, want string
		opts       format.Options
	}{
		{text: ":START_ID(Person),:END_ID(Film)\n1,2\n", want: `1:1: the ends of edges are of two groups, "Person" and "Film"`},
		{text: ":ID,name\n1,a\n", want: "1:1: the header has :ID: this is a table of vertices"},
		{text: ":START_ID,:END_ID\n1,2\n", opts: vertices, want: "this is a table of edges"},
		{text: ":ID,tags:string[]\n1,a;b\n", opts: vertices, want: `column "tags" is an array (string[])`},
		{text: "a:ID,b:ID\n1,2\n", opts: vertices, want: "columns 1 and 2 are both IDs"},
		{text: ":ID,age:int\n1,x\n", opts: vertices, want: `"age": "x" is no integer`},
	} {
		_, err := graphfile.Read(t.Context(), strings.NewReader(c.text), c.opts, format.Handler{})
		var line *format.LineError
		if !errors.As(err, &line) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// Files of Neo4j are read back: edges, keys, types and missing values.
func TestCSVOptions_Neo4j(t *testing.T) {
	t.Parallel()
	neo4j := rowtext.CSVOptions{Neo4j: true}
	rapid.Check(t, func(r *rapid.T) {
		s := samples().Draw(r, "graph")
		s.directed = true // as all edges of Neo4j are
		for i, column := range s.columns {
			if column.Name == ":LABEL" {
				for _, values := range s.values {
					values[i] = nil // an empty label is none
				}
			}
		}
		for i, column := range s.edgeColumns {
			if column == (format.Column{Name: ":TYPE", Type: format.Text}) { // a column that is there from its first value on
				s.edgeColumns[i].Name = "no type of an edge"
			}
		}
		for _, c := range []struct {
			layout          format.Layout
			vertices, edges bool
			write           func(context.Context, io.Writer, format.Graph, rowtext.CSVOptions) error
		}{{format.LayoutEdges, false, true, rowtext.WriteCSV}, {format.LayoutVertices, true, false, rowtext.WriteVertices}} {
			var text bytes.Buffer
			if err := c.write(context.Background(), &text, s.graph(), neo4j); err != nil {
				r.Fatal(err)
			}
			written := text.String()
			got, _, err := transcript(t, strings.NewReader(written), format.Options{Layout: c.layout})
			if want := s.text(c.vertices, c.edges); err != nil || strings.TrimPrefix(got, "columns\n") != want {
				r.Fatalf("%s: %v, read\n%swant\n%sfrom\n%s", c.layout, err, got, want, written)
			}
		}
	})
	s := sample{keys: []string{"a"}, columns: []format.Column{{Name: ":LABEL", Type: format.Text}, {Name: "vertex", Type: format.Integer}}, values: [][]*string{{nil, nil}}}
	var text bytes.Buffer
	if err := rowtext.WriteVertices(t.Context(), &text, s.graph(), neo4j); err != nil || text.String() != ":ID,:LABEL,vertex:long\na,,\n" {
		t.Errorf("%v: %q", err, text.String())
	}
	related := sample{
		keys: []string{"a", "b"}, values: make([][]*string, 2), directed: true,
		edges:       []format.NumberedEdge{{Source: 0, Target: 1}, {Source: 1, Target: 0}, {Source: 0, Target: 0}},
		edgeColumns: []format.Column{{Name: "since", Type: format.Integer}, {Name: ":TYPE", Type: format.Text}},
		edgeValues:  [][]*string{{word("7"), word("KNOWS")}, {nil, word("A,B")}, {nil, nil}},
	}
	text.Reset()
	if err := rowtext.WriteCSV(t.Context(), &text, related.graph(), neo4j); err != nil || text.String() != ":START_ID,:END_ID,:TYPE,since:long\na,b,KNOWS,7\nb,a,\"A,B\",\na,a,EDGE,\n" {
		t.Errorf("%v: %q", err, text.String())
	}
	if got, err := collect(text.Bytes(), format.Options{}); err != nil || got.text(true, true) != related.text(true, true) {
		t.Errorf("%v\n%s", err, got.text(true, true))
	}
}
