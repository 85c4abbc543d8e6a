package format_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/internal/compress"
)

// transcript reads a text and returns all that the handler received, an item a
// line: "columns name:type…", "vertex key value…" ("-" is a missing value) and
// "edge source>target*weight@time value…", below "edge columns name:type…" if edges have attributes. "directed" is above
// the edges of a directed graph, of which those in both directions end in "both".
func transcript(t testing.TB, r io.Reader, opts format.Options) (string, format.ReadStats, error) {
	t.Helper()
	var out strings.Builder
	vertices, edges := int64(0), int64(0)
	stats, err := graphfile.Read(context.Background(), r, opts, transcriber(t, &out, &vertices, &edges))
	if stats.Vertices != vertices || stats.Edges != edges {
		t.Errorf("%d vertices, %d edges, stats %+v", vertices, edges, stats)
	}
	return out.String(), stats, err
}

// transcriber returns a handler that writes what it receives, and counts it.
func transcriber(t testing.TB, out *strings.Builder, vertices, edges *int64) format.Handler {
	var columns, edgeColumns []format.Column
	directed, passed := false, false
	take := func(what string, columns *[]format.Column) func([]format.Column) error {
		return func(c []format.Column) error {
			for i, earlier := range *columns {
				if len(c) < len(*columns) || c[i].Name != earlier.Name {
					t.Errorf("columns %v, then %v", columns, c)
					break
				}
			}
			*columns = append([]format.Column{}, c...)
			out.WriteString(what)
			for _, c := range *columns {
				fmt.Fprintf(out, " %s:%s", c.Name, c.Type)
			}
			out.WriteByte('\n')
			return nil
		}
	}
	list := func(columns []format.Column, values [][]byte) {
		if len(values) != len(columns) {
			t.Errorf("%d values, %d columns", len(values), len(columns))
		}
		for i, value := range values {
			if value == nil {
				out.WriteString(" -")
				continue
			}
			fmt.Fprintf(out, " %q", value)
			if reason := typed.Fault(columns[i].Type, value); reason != "" {
				t.Errorf("value %q of %v: %s", value, columns[i], reason)
			}
		}
	}
	return format.Handler{
		Direction: func(d bool) error {
			if passed || *edges > 0 {
				t.Errorf("direction %v behind %d edges, passed %v", d, *edges, passed)
			}
			if directed, passed = d, true; d {
				out.WriteString("directed\n")
			}
			return nil
		},
		Columns:     take("columns", &columns),
		EdgeColumns: take("edge columns", &edgeColumns),
		Vertex: func(key []byte, values [][]byte) error {
			*vertices++
			fmt.Fprintf(out, "vertex %s", key)
			list(columns, values)
			out.WriteByte('\n')
			return nil
		},
		Edge: func(e format.Edge) error {
			*edges++
			fmt.Fprintf(out, "edge %s", edgeText(e))
			list(edgeColumns, e.Values)
			if e.Both && directed {
				out.WriteString(" both")
			}
			out.WriteByte('\n')
			return nil
		},
	}
}

func TestRead_Adjacency(t *testing.T) {
	opts := format.Options{Layout: format.LayoutAdjacency}
	for _, c := range []struct {
		name, text string
		opts       format.Options
		want       string
	}{
		{name: "empty", text: "# nothing\n\n", want: ""},
		{name: "as networkx writes it", text: "#x.py\n# GMT\na b c\nb c\nc\nlone\n", want: "vertex a\nedge a>b\nedge a>c\nvertex b\nedge b>c\nvertex c\nvertex lone\n"},
		{name: "tabs, spaces in keys", text: "lone one\nada l\tbob m\tcyd\r\n", want: "vertex lone\nedge lone>one\nvertex ada\nedge ada>l\nedge ada>bob\nedge ada>m\nedge ada>cyd\n"},
		{name: "tabs given", text: "lone one\nada l\tbob m\tcyd\r\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Separator: "tab"}}, want: "vertex lone one\nvertex ada l\nedge ada l>bob m\nedge ada l>cyd\n"},
		{name: "a vertex alone does not decide", text: "lone\na,\"b \"\"c\"\"\",d e\n", want: "vertex lone\nvertex a\nedge a>b \"c\"\nedge a>d e\n"},
		{name: "loops and repeats", text: "1 1 2 2\n", want: "vertex 1\nedge 1>1\nedge 1>2\nedge 1>2\n"},
		{name: "names", text: "v neighbours\n1 2\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNames}}, want: "vertex 1\nedge 1>2\n"},
		{name: "skipped", text: "1,2\n3,,4\n5,6\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{SkipBad: true}}, want: "vertex 1\nedge 1>2\nvertex 5\nedge 5>6\n"},
	} {
		c.opts.Layout = opts.Layout
		got, stats, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || got != c.want {
			t.Errorf("%s: error %v, got\n%swant\n%s", c.name, err, got, c.want)
		}
		if stats.Layout != format.LayoutAdjacency || stats.SHA256 == [32]byte{} {
			t.Errorf("%s: stats %+v", c.name, stats)
		}
	}
}

func TestRead_Matrix(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opts       format.Options
		want       string
	}{
		{name: "pattern", text: "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n\n3 3 1\n2 1\n", want: "vertex 1\nvertex 2\nvertex 3\nedge 2>1\n"},
		{name: "real", text: "%%matrixmarket MATRIX Coordinate Real General\r\n2 2 2\r\n 1 2 0.5 \r\n2\t1 5e-1\r\n", want: "vertex 1\nvertex 2\ndirected\nedge 1>2*0.5\nedge 2>1*0.5\n"},
		{name: "integer", text: "%%MatrixMarket matrix coordinate integer general\n2 2 1\n01 02 +7\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{SkipBad: true}}, want: "vertex 1\nvertex 2\ndirected\n"},
		{name: "integer, leading zeros", text: "%%MatrixMarket matrix coordinate integer general\n2 2 1\n01 02 7\n", want: "vertex 1\nvertex 2\ndirected\nedge 1>2*7\n"},
		{name: "without weights", text: "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -7\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: format.NoColumn}}, want: "vertex 1\nvertex 2\ndirected\nedge 1>2\n"},
		{name: "no vertices", text: "%%MatrixMarket matrix coordinate real general\n0 0 0\n", want: "directed\n"},
	} {
		got, stats, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || got != c.want || stats.Layout != format.LayoutMatrixMarket {
			t.Errorf("%s: error %v, got\n%swant\n%s", c.name, err, got, c.want)
		}
	}
}

func TestRead_Table(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opts       format.Options
		want       string
	}{
		{name: "types and missing values", text: "key,age:integer,city,zip:text,x:y\na,41,Bern,\"\",\"\"\nb,,,,1\nc\n", want: "columns age:integer city: zip:text x:y:\nvertex a \"41\" \"Bern\" \"\" -\nvertex b - - - \"1\"\nvertex c - - - -\n"},
		{name: "quotes and line breaks", text: "id;note\r\n1;\"a;\"\"b\"\"\r\n\n# c\"\r\n\"2;x\";' y '\n", want: "columns note:\nvertex 1 \"a;\\\"b\\\"\\r\\n\\n# c\"\nvertex 2;x \"' y '\"\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{Separator: ";"}}},
		{name: "semicolons found", text: "id;note\n1;2\n", want: "columns note:\nvertex 1 \"2\"\n"},
		{name: "tabs", text: "name\tid\nada l\t7\n", want: "columns name:\nvertex 7 \"ada l\"\n"},
		{name: "no key name: the first column", text: "person,age\nada,3\n", want: "columns age:\nvertex ada \"3\"\n"},
		{name: "an index without a name", text: ",age\nada,3\n", want: "columns age:\nvertex ada \"3\"\n"},
		{name: "key given", text: "a,b\n1,2\n", opts: format.Options{Key: "b"}, want: "columns a:\nvertex 2 \"1\"\n"},
		{name: "key by number", text: "id,b,c\n1,2,3\n", opts: format.Options{Key: "2", Columns: []string{"c"}}, want: "columns c:\nvertex 2 \"3\"\n"},
		{name: "choice", text: "id,x,x,y\n1,2,3,4\n", opts: format.Options{Columns: []string{"Y"}}, want: "columns y:\nvertex 1 \"4\"\n"},
		{name: "no attribute", text: "key\n\"a b\"\nc d\n", want: "columns\nvertex a b\nvertex c d\n"},
		{name: "comments and empty lines", text: "\n# people\nkey,x\n\n# c\n \na,1\n", want: "columns x:\nvertex # c -\nvertex a \"1\"\n"},
		{name: "BOM, no last line end", text: "\ufeff\"key\",x\na,1", want: "columns x:\nvertex a \"1\"\n"},
		{name: "skipped", text: "key,x:integer\na,1\nb,z\n,3\nd,4,5\ne,\"5\" 6\nf,6\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{SkipBad: true}}, want: "columns x:integer\nvertex a \"1\"\nvertex f \"6\"\n"},
	} {
		c.opts.Layout = format.LayoutVertices
		got, _, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || got != c.want {
			t.Errorf("%s: error %v, got\n%swant\n%s", c.name, err, got, c.want)
		}
		for _, size := range []int{1, 3} {
			if again, _, err := transcript(t, chunkReader{strings.NewReader(c.text), size}, c.opts); err != nil || again != got {
				t.Errorf("%s in pieces: error %v, got\n%s", c.name, err, again)
			}
		}
	}
}

const graphMLHead = `<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">`

func TestRead_GraphML(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opts       format.Options
		want       string
	}{
		{name: "plain", text: `<graphml><graph edgedefault="undirected"><node id="a"/><node id="b c"></node><edge source="a" target="b c"/></graph></graphml>`, want: "vertex a\nvertex b c\nedge a>b c\n"},
		{name: "all types, defaults, missing", text: graphMLHead + `
<!-- c --><desc>x</desc>
<key id="d0" for="node" attr.name="age" attr.type="int"><default>7</default></key>
<key id="d1" for="all" attr.name="x" attr.type="double"/><key id="d2" for="node" attr.name="ok" attr.type="boolean"/>
<key id="d3" for="node" attr.name="note" attr.type="string"/><key id="d4" for="edge" attr.name="weight" attr.type="double"><default>2</default></key>
<key id="d5" for="edge" attr.name="time" attr.type="long"/><key id="y" for="node" yfiles.type="nodegraphics"/>
<graph edgedefault="directed"><data key="d9">z</data>
<node id="a"><data key="d0"> 41 </data><data key="d1">1e3</data><data key="d2">True</data><data key="d3"> a &lt;<![CDATA[<b>]]> </data><data key="y"><y:Node><y:X/></y:Node></data></node>
<node id="b"><data key="d2">0</data><data key="d1"/><data key="d3"></data></node>
<edge id="e" source="a" target="b" directed="true"><data key="d4">0.5</data><data key="d5">-3</data><data key="d1">9</data></edge>
<edge source="b" target="a"/>
</graph></graphml>`, want: "columns age:integer x:float ok:boolean note:text\nedge columns x:float\n" +
			"vertex a \"41\" \"1e3\" \"true\" \" a <<b> \"\nvertex b \"7\" - \"false\" \"\"\ndirected\nedge a>b*0.5@-3 \"9\"\nedge b>a*2 -\n"},
		{name: "two keys of a name, as networkx writes mixed types", text: `<graphml><key id="d0" for="node" attr.name="x" attr.type="long"/><key id="d1" for="node" attr.name="x" attr.type="double"/><key id="w0" for="edge" attr.name="weight" attr.type="long"/><key id="w1" for="edge" attr.name="weight" attr.type="double"/>` +
			`<graph><node id="1"><data key="d0">1</data></node><node id="2"><data key="d1">1.5</data></node><edge source="1" target="2"><data key="w1">2.5</data></edge><edge source="1" target="1"><data key="w0">2</data></edge></graph></graphml>`,
			want: "columns x:float\nvertex 1 \"1\"\nvertex 2 \"1.5\"\nedge 1>2*2.5\nedge 1>1*2\n"},
		{name: "chosen", text: `<graphml><key id="a" for="node" attr.name="x"/><key id="b" for="node" attr.name="y"/><key id="c" for="edge" attr.name="cost"/><key id="d" for="edge" attr.name="weight"/><graph><node id="1"><data key="a">1</data><data key="b">2</data></node><edge source="1" target="2"><data key="c">3</data><data key="d">x</data></edge></graph></graphml>`,
			opts: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "cost"}, Columns: []string{"y"}}, want: "columns y:text\nvertex 1 \"2\"\nedge 1>2*3\n"},
		{name: "skipped", text: `<graphml><key id="a" for="node" attr.name="x" attr.type="int"/><graph><node id="1"><data key="a">z</data></node><node/><node id="2"><data key="q">1</data></node><node id="3"/><edge source="3"/><edge source="3" target="4"/></graph></graphml>`,
			opts: format.Options{EdgeListOptions: format.EdgeListOptions{SkipBad: true}}, want: "columns x:integer\nvertex 3 -\nedge 3>4\n"},
		{name: "character references", text: `<!DOCTYPE graphml><graphml><graph><node id="&#x5317;&quot;&#38;"/></graph></graphml>`, want: "vertex 北\"&\n"},
	} {
		got, stats, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil || got != c.want || stats.Layout != format.LayoutGraphML || stats.Bytes != int64(len(c.text)) {
			t.Errorf("%s: error %v, stats %+v, got\n%swant\n%s", c.name, err, stats, got, c.want)
		}
	}
}

// laughs is the XML bomb "billion laughs": ten entities, each of which repeats the previous
// one ten times.
const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">` +
	`<!ENTITY lol3 "&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;">]><graphml>&lol3;</graphml>`

// TestRead_Bombs reads small compressed files that decompress to large ones.
func TestRead_Bombs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: decompresses megabytes of each format")
	}
	for layout, text := range map[format.Layout]string{
		format.LayoutAdjacency:    strings.Repeat("\n", 3<<20),
		format.LayoutVertices:     "key,x\na,\"" + strings.Repeat("\n", 3<<20),
		format.LayoutMatrixMarket: "%%MatrixMarket matrix coordinate real general\n" + strings.Repeat("%\n", 3<<19),
		format.LayoutGraphML:      "<graphml>" + strings.Repeat("<a/>", 3<<18),
	} {
		for _, data := range [][]byte{gzipped(t, []byte(text)), zstdped(t, []byte(text))} {
			_, stats, err := transcript(t, bytes.NewReader(data), format.Options{Layout: layout, EdgeListOptions: format.EdgeListOptions{MaxBytes: 1 << 20}})
			if !errors.Is(err, format.ErrLimit) || stats.Bytes > 2<<20 {
				t.Errorf("%s: %v after %d bytes", layout, err, stats.Bytes)
			}
		}
	}
}

func TestRead_Malformed(t *testing.T) {
	mm := "%%MatrixMarket matrix coordinate "
	for _, c := range []struct {
		layout     format.Layout
		text, want string
		opts       format.Options
		kind       error
	}{
		{layout: format.LayoutAdjacency, text: "a,b\nc,,d\n", want: "g:2:3: column 2 is empty"},
		{layout: format.LayoutAdjacency, text: "a b\x00\n", want: "g:1:4: NUL byte; is this a text file?"},
		{layout: format.LayoutAdjacency, text: "a " + strings.Repeat("k", 1025) + "\n", want: "g:1:3: key \"" + strings.Repeat("k", 40) + "\"… has 1025 bytes, the limit is 1024", kind: format.ErrLimit},
		{layout: format.LayoutAdjacency, text: "a,\"b\nc\n", want: "g:1:3: a quoted field is not closed"},

		{layout: format.LayoutMatrixMarket, text: "", want: "g:1:1: expected \"%%MatrixMarket matrix coordinate\", found nothing"},
		{layout: format.LayoutMatrixMarket, text: "1 2\n", want: `g:1:1: expected "%%MatrixMarket matrix coordinate", a field and a symmetry; found "1 2"`},
		{layout: format.LayoutMatrixMarket, text: "%%MatrixMarket matrix array real general\n", want: `g:1:1: only sparse matrices, in the coordinate format, are read as graphs; found "%%MatrixMarket matrix array real general"`},
		{layout: format.LayoutMatrixMarket, text: mm + "complex general\n", want: `g:1:1: only fields pattern, real and integer can be weights of edges; found "%%MatrixMarket matrix coordinate complex"…`},
		{layout: format.LayoutMatrixMarket, text: mm + "real skew-symmetric\n", want: `g:1:1: a skew-symmetric matrix has negative entries, which no edge can have as weight; found "%%MatrixMarket matrix coordinate real sk"…`},
		{layout: format.LayoutMatrixMarket, text: mm + "real hermitian\n", want: `g:1:1: only general and symmetric matrices are read as graphs; found "%%MatrixMarket matrix coordinate real he"…`},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n", want: "g:2:1: expected the numbers of rows, columns and entries, found the end"},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n3 3\n", want: `g:2:1: expected the numbers of rows, columns and entries, found "3 3"`},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n3 -3 1\n", want: `g:2:1: expected the numbers of rows, columns and entries, found "3 -3 1"`},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n3 4 1\n", want: "g:2:1: a matrix of 3 rows and 4 columns is no adjacency matrix of a graph: its rows and columns number different vertices"},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n4000000000 4000000000 0\n", want: "g:2:1: 4000000000 vertices exceed the limit of 100000000", kind: format.ErrLimit},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n2 2 1\n1 3 1\n", want: `g:3:3: "3" is not a number from 1 to 2`},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n2 2 1\n0 1 1\n", want: `g:3:1: "0" is not a number from 1 to 2`},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n2 2 1\n1 2 0\n", want: `g:3:5: weight "0" is not a positive decimal number that a float32 can hold`},
		{layout: format.LayoutMatrixMarket, text: mm + "integer general\n2 2 1\n1 2 1.5\n", want: `g:3:5: weight "1.5" is not a positive decimal number that a float32 can hold`},
		{layout: format.LayoutMatrixMarket, text: mm + "real general\n2 2 1\n1 2\n", want: `g:3:1: expected 3 numbers, found "1 2"`},
		{layout: format.LayoutMatrixMarket, text: mm + "pattern general\n2 2 1\n1 2 3\n", want: `g:3:1: expected 2 numbers, found "1 2 3"`},
		{layout: format.LayoutMatrixMarket, text: mm + "pattern general\n2 2 1\n1 2\n2 1\n", want: `g:4:1: the size line declares 1 entries, and here is one more`},
		{layout: format.LayoutMatrixMarket, text: mm + "pattern general\n\n2 2 2\n1 2\n", want: `g:3:1: the size line declares 2 entries, but 1 follow`},

		{layout: format.LayoutVertices, text: "", want: "g:1:1: expected a header of column names, found none"},
		{layout: format.LayoutVertices, text: "key,x,x:text\n", opts: format.Options{Columns: []string{"x"}}, want: `g:1:1: columns 2 and 3 are both called "x"`},
		{layout: format.LayoutVertices, text: "a,b\n", opts: format.Options{Key: "c"}, want: `g:1:1: no column is called "c"; there are "a", "b"`},
		{layout: format.LayoutVertices, text: "a,b\n", opts: format.Options{Key: "3"}, want: "g:1:1: there is no column 3 for the key; the header names 2"},
		{layout: format.LayoutVertices, text: "a,b\n", opts: format.Options{Columns: []string{"c"}}, want: `g:1:1: no column is called "c"; there are "a", "b"`},
		{layout: format.LayoutVertices, text: "a,b,c\n", opts: format.Options{MaxColumns: 2}, want: "g:1:1: 3 columns exceed the limit of 2", kind: format.ErrLimit},
		{layout: format.LayoutVertices, text: "1,2\n3,4,5\n", want: "g:2:5: the first line has 2 columns, and here is one more"},
		{layout: format.LayoutVertices, text: "1,2\n", opts: format.Options{Columns: []string{"a", "b"}}, want: "g:1:1: 2 names for the 1 columns beside the key, and there is no header"},
		{layout: format.LayoutVertices, text: "a,2\n", opts: format.Options{Key: "id", EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNone}}, want: `g:1:1: no column is called "id", as there is no header`},
		{layout: format.LayoutVertices, text: "1,2\n", opts: format.Options{Key: "3"}, want: "g:1:1: there is no column 3 for the key; the first line has 2"},
		{layout: format.LayoutVertices, text: "key,x\nä,1,2\n", want: "g:2:5: the header names 2 columns, and here is one more"},
		{layout: format.LayoutVertices, text: "key,x\n,1\n", want: "g:2:1: column 1 is empty"},
		{layout: format.LayoutVertices, text: "x,key\n1\n", want: "g:2:1: the line ends before the column of the key"},
		{layout: format.LayoutVertices, text: "key,x\n\"a\nb\"c,1\n", want: "g:3:3: text after the closing quote of a field"},
		{layout: format.LayoutVertices, text: "key,x\na,\"1\n2\",\"3\"\n", want: "g:3:4: the header names 2 columns, and here is one more"},
		{layout: format.LayoutVertices, text: "key,x\na,1\nb,\"2\nc,3\n", want: "g:3:1: a quoted field of the record that begins here is not closed"},
		{layout: format.LayoutVertices, text: "key,x\na,\"1\"2\n", want: "g:2:6: text after the closing quote of a field"},
		{layout: format.LayoutVertices, text: "key,x\na,1\r2\n", want: "g:2:4: carriage return inside a line"},
		{layout: format.LayoutVertices, text: "key,x\na,\"\n\x00\"\n", want: "g:3:1: NUL byte; is this a text file?"},
		{layout: format.LayoutVertices, text: "key,x\na,\xff\n", want: "g:2:3: byte 0xff is not valid UTF-8"},
		{layout: format.LayoutVertices, text: "key,x:integer\na,1.5\n", want: `g:2:3: "x": "1.5" is no integer`},
		{layout: format.LayoutVertices, text: "key,x:boolean\na,yes\n", want: `g:2:3: "x": "yes" is no boolean`},
		{layout: format.LayoutVertices, text: "key,x\na,12345\n", opts: format.Options{MaxValue: 4}, want: `g:2:3: value "12345" has 5 bytes, the limit is 4`, kind: format.ErrLimit},
		{layout: format.LayoutVertices, text: "key,x\na,\"23456\n8901\"\n", opts: format.Options{EdgeListOptions: format.EdgeListOptions{MaxLine: 10}}, want: "g:2:1: the record exceeds the limit of 10 bytes", kind: format.ErrLimit},

		{layout: format.LayoutGraphML, text: "", want: "g:1:1: expected a graph in GraphML, found the end"},
		{layout: format.LayoutGraphML, text: "a b\n", want: "g:2:1: expected a graph in GraphML, found the end"},
		{layout: format.LayoutGraphML, text: "<gexf/>", want: `g:1:1: expected the element graphml, found "gexf"`},
		{layout: format.LayoutGraphML, text: "<graphml/>", want: "g:1:11: expected an element graph inside graphml, found its end"},
		{layout: format.LayoutGraphML, text: "<graphml>\n<graph>\n<node id=\"a\"></edge></graph></graphml>", want: "g:3:21: not well-formed XML: element <node> closed by </edge>"},
		{layout: format.LayoutGraphML, text: "<graphml><graph>", want: "g:1:17: not well-formed XML: unexpected EOF"},
		{layout: format.LayoutGraphML, text: "<graphml><graph><node id=\"&lol;\"/>", want: "g:1:32: not well-formed XML: invalid character entity &lol;"},
		{layout: format.LayoutGraphML, text: "<!DOCTYPE g [<!ENTITY a \"b\">]><graphml/>", want: "g:1:1: a document type with declarations is not read"},
		{layout: format.LayoutGraphML, text: `<?xml version="1.0" encoding="ebcdic"?><graphml/>`, want: "g:1:40: the encoding ebcdic is not read; convert the text to UTF-8"},
		{layout: format.LayoutGraphML, text: "<graphml>\x00", want: "g:1:11: not well-formed XML: illegal character code U+0000"},
		{layout: format.LayoutGraphML, text: "<graphml><graph>\n<node/></graph></graphml>", want: "g:2:1: the element node has no id"},
		{layout: format.LayoutGraphML, text: "<graphml><graph><edge source=\"a\"/></graph></graphml>", want: "g:1:17: the element edge has no target"},
		{layout: format.LayoutGraphML, text: "<graphml><graph><node id=\"a\"><graph/></node></graph></graphml>", want: "g:1:30: a graph inside a node is not read"},
		{layout: format.LayoutGraphML, text: "<graphml><graph><graph/></graph></graphml>", want: "g:1:17: a graph inside a graph is not read"},
		{layout: format.LayoutGraphML, text: "<graphml><node id=\"a\"/></graphml>", want: "g:1:10: the element node is outside a graph"},
		{layout: format.LayoutGraphML, text: laughs, want: "g:1:22: a document type with declarations is not read"},
		{layout: format.LayoutGraphML, text: "<!DOCTYPE graphml SYSTEM \"http://example.com/g.dtd\"><graphml>&lol9;</graphml>", want: "g:1:68: not well-formed XML: invalid character entity &lol9;"},
		{layout: format.LayoutGraphML, text: "<graphml><graph><hyperedge/></graph></graphml>", want: "g:1:17: hyperedges are not read: an edge has two ends"},
		{layout: format.LayoutGraphML, text: "<graphml><graph/><graph/></graphml>", want: "g:1:18: a second graph; put every graph into a file of its own"},
		{layout: format.LayoutGraphML, text: "<graphml><graph/><key id=\"a\"/></graphml>", want: "g:1:18: a key is declared after the graph"},
		{layout: format.LayoutGraphML, text: "<graphml><key id=\"a\"/><key id=\"a\"/></graphml>", want: `g:1:23: key "a" is declared twice`},
		{layout: format.LayoutGraphML, text: "<graphml><key id=\"a\" attr.type=\"date\"/></graphml>", want: `g:1:10: key "a" has the unknown type "date"`},
		{layout: format.LayoutGraphML, text: "<graphml><key id=\"a\"/><key id=\"b\"/></graphml>", opts: format.Options{MaxColumns: 1}, want: "g:1:23: more than 1 keys are declared", kind: format.ErrLimit},
		{layout: format.LayoutGraphML, text: "<graphml><graph><node id=\"a\"><data key=\"k\"/></node></graph></graphml>", want: `g:1:30: the key "k" of data is not declared`},
		{layout: format.LayoutGraphML, text: "<graphml><key id=\"k\" attr.name=\"x\" attr.type=\"int\"/><graph><node id=\"a\"><data key=\"k\">1.5</data></node></graph></graphml>", want: `g:1:73: "x": "1.5" is no integer`},
		{layout: format.LayoutGraphML, text: "<graphml><key id=\"k\" attr.name=\"x\"/><graph><node id=\"a\"><data key=\"k\">12345</data></node></graph></graphml>", opts: format.Options{MaxValue: 4}, want: `g:1:71: a value exceeds the limit of 4 bytes`, kind: format.ErrLimit},
		{layout: format.LayoutGraphML, text: "<graphml><key id=\"k\" attr.name=\"w\"/><graph><edge source=\"a\" target=\"b\"><data key=\"k\">-1</data></edge></graph></graphml>", want: `g:1:44: weight "-1" is not a positive decimal number that a float32 can hold`},
		{layout: format.LayoutGraphML, text: "<graphml>\n\n<graph/></graphml>", opts: format.Options{EdgeListOptions: format.EdgeListOptions{MaxLines: 2}}, want: "g:3:1: the text exceeds the limit of 2 lines", kind: format.ErrLimit},
		{layout: format.LayoutGraphML, text: strings.Repeat("<graphml>", 100), want: "g:1:577: elements are nested more than 64 deep", kind: format.ErrLimit},
	} {
		c.opts.Name, c.opts.Layout = "g", c.layout
		_, _, err := transcript(t, strings.NewReader(c.text), c.opts)
		if c.kind == nil {
			c.kind = format.ErrSyntax
		}
		if err == nil || err.Error() != c.want || !errors.Is(err, c.kind) {
			t.Errorf("%s %.60q\nerror %v\nwant  %s", c.layout, c.text, err, c.want)
		}
	}
}

// repeated is a text without end.
type repeated struct {
	start, text string
	at          int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.at < len(r.start) {
			c := copy(p[n:], r.start[r.at:])
			r.at += c
			n += c
			continue
		}
		c := copy(p[n:], r.text[(r.at-len(r.start))%len(r.text):])
		r.at += c
		n += c
	}
	return n, nil
}

// TestRead_Endless reads texts that never end: a limit must stop each, soon.
func TestRead_Endless(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: reads endless input of each format")
	}
	limits := format.EdgeListOptions{MaxBytes: 2 << 20, MaxLine: 1 << 19}
	for name, c := range map[string]struct {
		layout format.Layout
		text   repeated
	}{
		"adjacency, one line":    {format.LayoutAdjacency, repeated{text: "abc "}},
		"table, one line":        {format.LayoutVertices, repeated{text: "abc,"}},
		"table, one record":      {format.LayoutVertices, repeated{start: "key,x\na,\"", text: "b\n"}},
		"matrix, one line":       {format.LayoutMatrixMarket, repeated{start: "%%MatrixMarket matrix coordinate real general\n1 1 1\n", text: "1 "}},
		"matrix, comments":       {format.LayoutMatrixMarket, repeated{start: "%%MatrixMarket matrix coordinate real general\n", text: "%\n"}},
		"GraphML, a tag":         {format.LayoutGraphML, repeated{start: "<graphml><graph><node ", text: `a="1" `}},
		"GraphML, a name":        {format.LayoutGraphML, repeated{start: "<graphml><", text: "a"}},
		"GraphML, an attribute":  {format.LayoutGraphML, repeated{start: "<graphml a=\"", text: "a"}},
		"GraphML, a comment":     {format.LayoutGraphML, repeated{start: "<graphml><!--", text: "a"}},
		"GraphML, a text":        {format.LayoutGraphML, repeated{start: "<graphml>", text: "a"}},
		"GraphML, CDATA":         {format.LayoutGraphML, repeated{start: "<graphml><![CDATA[", text: "a"}},
		"GraphML, a directive":   {format.LayoutGraphML, repeated{start: "<!DOCTYPE ", text: "<a>"}},
		"GraphML, pieces":        {format.LayoutGraphML, repeated{start: "<graphml><key id='k' attr.name='x'/><graph><node id='a'><data key='k'>", text: "a<!---->"}},
		"GraphML, deep":          {format.LayoutGraphML, repeated{start: "<graphml>", text: "<a>"}},
		"GraphML, deep in value": {format.LayoutGraphML, repeated{start: "<graphml><key id='k' attr.name='x'/><graph><node id='a'><data key='k'>", text: "<a>"}},
		"GraphML, keys":          {format.LayoutGraphML, repeated{start: "<graphml>", text: "<key id='a'/>"}},
	} {
		_, stats, err := transcript(t, &c.text, format.Options{Layout: c.layout, EdgeListOptions: limits})
		if !errors.Is(err, format.ErrLimit) && name != "GraphML, keys" || err == nil {
			t.Errorf("%s: %v", name, err)
		}
		if stats.Bytes > limits.MaxBytes+compress.BlockBytes {
			t.Errorf("%s: %d bytes were read", name, stats.Bytes)
		}
	}
}

func TestRead_Options(t *testing.T) {
	for _, opts := range []format.Options{
		{Layout: "tree"}, {MaxValue: -1}, {MaxColumns: -1}, {MaxColumns: 1 << 20}, {MaxVertices: -1}, {Key: "0"},
		{Layout: format.LayoutEdges, Key: "a"}, {Layout: format.LayoutEdges, Columns: []string{}}, {Layout: format.LayoutVertices, EdgeListOptions: format.EdgeListOptions{Weight: "3"}},
		{Layout: format.LayoutGraphML, EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNone}}, {Layout: format.LayoutAdjacency, EdgeListOptions: format.EdgeListOptions{Header: format.HeaderCounts}},
		{Layout: format.LayoutAdjacency, EdgeListOptions: format.EdgeListOptions{Time: "3"}}, {Layout: format.LayoutGraphML, Key: "a"}, {Layout: format.LayoutGraphML, EdgeListOptions: format.EdgeListOptions{Separator: ","}},
		{Layout: format.LayoutMatrixMarket, EdgeListOptions: format.EdgeListOptions{Source: "2"}},
	} {
		if _, err := graphfile.Read(t.Context(), strings.NewReader("a b\n"), opts, format.Handler{}); !errors.Is(err, format.ErrOptions) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	for _, name := range format.Layouts() {
		if got, err := format.ParseLayout(string(name)); err != nil || got != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// readGraph reads a text into lines of edges and vertices.
func readGraph(t *testing.T, text string, opts format.Options) (string, format.ReadStats, error) {
	t.Helper()
	var b strings.Builder
	stats, err := graphfile.Read(t.Context(), strings.NewReader(text), opts, format.Handler{
		Edge: func(e format.Edge) error {
			fmt.Fprintf(&b, "%s-%s %v;", e.Source, e.Target, e.Weight)
			return nil
		},
		Vertex: func(key []byte, _ [][]byte) error {
			fmt.Fprintf(&b, "(%s)", key)
			return nil
		},
	})
	return b.String(), stats, err
}

func TestRead_METIS(t *testing.T) {
	for text, want := range map[string]string{
		"% a path and a vertex alone\n4 2\n2\n1 3\n2\n\n":   "(1)1-2 1;(2)2-3 1;(3)(4)",
		"3 2 001\n2 5\n1 5 3 7\n2 7\n":                      "(1)1-2 5;(2)2-3 7;(3)",
		"3 2 11 2\n9 9 2 5\n9 9 1 5 3 0.5\n9 9 2 0.5\n\n\n": "(1)1-2 5;(2)2-3 0.5;(3)",
		"2 1 100\n7 2\n7 1\n":                               "(1)1-2 1;(2)",
	} {
		if got, _, err := readGraph(t, text, format.Options{Layout: format.LayoutMETIS}); got != want || err != nil {
			t.Errorf("%q: %s, want %s; %v", text, got, want, err)
		}
	}
	for text, reason := range map[string]string{
		"":                    "found no line",
		"a b\n":               "expected the numbers",
		"2\n1\n":              "expected the header",
		"3 2\n2\n1 3\n":       "2 lines follow",
		"2 1\n2\n1\n1\n":      "one more line",
		"2 1\n2\n\n":          "at both of its ends",
		"3 2\n2\n1\n\n":       "declares 2 edges",
		"2 1\n3\n1\n":         "from 1 to 2",
		"2 1 001\n2\n1\n":     "found 1 in all",
		"2 1 7\n2\n1\n":       "none of METIS's",
		"999999999999 1\n":    "more than the limit",
		"2 1 001\n2 0\n1 0\n": "weight",
	} {
		if _, _, err := readGraph(t, text, format.Options{Layout: format.LayoutMETIS}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, want %q", text, err, reason)
		}
	}
	// The same text as an adjacency list would be a different graph.
	text := "4 2\n2\n1 3\n2\n\n"
	if _, _, err := readGraph(t, text, format.Options{Layout: format.LayoutAdjacency}); err == nil || !strings.Contains(err.Error(), "METIS") {
		t.Errorf("%v", err)
	}
	if got, _, err := readGraph(t, "1 2\n2 1 3\n3 2\n", format.Options{Layout: format.LayoutAdjacency}); err != nil || !strings.HasPrefix(got, "(1)1-2 1;") {
		t.Errorf("%s, %v", got, err)
	}
}

// The keys of METIS come from a second file, in the order of the vertices.
func TestRead_METISKeys(t *testing.T) {
	t.Parallel()
	const text = "3 2\n2\n1 3\n2\n"
	for keys, want := range map[string]string{
		"a\nb\nc\n":                    "(a)a-b 1;(b)b-c 1;(c)",
		"key\na\n\"two\nlines\"\n2\n":  "(a)a-two\nlines 1;(two\nlines)two\nlines-2 1;(2)",
		"\ufeffa\r\nb\r\nc\r\n":        "(a)a-b 1;(b)b-c 1;(c)",
		"vertex\n\"a\"\nb\nkey\n":      "(a)a-b 1;(b)b-key 1;(key)",
		"\ufeffkey\r\na\r\nb\r\n2\r\n": "(a)a-b 1;(b)b-2 1;(2)",
		"a\nb\n":                       "declares 3 vertices, but the file of keys has 2",
		"a\nb\nc\nd\n":                 "the file of keys has 4",
		"b\na\nb\n":                    "vertices 1 and 3 have the same key",
		"a\n\nc\n":                     "the key is empty",
	} {
		read := func() (*format.KeyList, error) {
			return graphfile.ReadKeyList(t.Context(), strings.NewReader(keys), format.VectorOptions{})
		}
		got, _, err := readGraph(t, text, format.Options{Layout: format.LayoutMETIS, Keys: read, KeysName: "x.keys"})
		if err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v, want %s", keys, got, err, want)
		}
	}
	if _, _, err := readGraph(t, "1 2\n", format.Options{KeysName: "x.keys"}); err == nil || !strings.Contains(err.Error(), "no use for a file of keys") {
		t.Errorf("keys of a list of edges: %v", err)
	}
	if got, _, err := readGraph(t, "1 2\n", format.Options{Layout: format.LayoutEdges, Keys: func() (*format.KeyList, error) { panic("called") }}); err != nil || got == "" {
		t.Errorf("a list of edges: %v", err)
	}
}

// Files of Graphs.jl begin with a line that declares the numbers of vertices and edges.
func TestRead_GraphsJL(t *testing.T) {
	got, stats, err := readGraph(t, "3,2,u,graph\n1,2\n2,3\n", format.Options{})
	if got != "1-2 1;2-3 1;" || err != nil || stats.Header != "3,2,u,graph" || stats.DeclaredVertices != 3 || stats.CountsHeader {
		t.Errorf("%s, %+v, %v", got, stats, err)
	}
	if _, _, err := readGraph(t, "3,2,u,graph\n1,2\n", format.Options{}); err == nil || !strings.Contains(err.Error(), "declares 2 edges") {
		t.Error(err)
	}
	if got, _, err := readGraph(t, "3,2,x,graph\n1,2,y,z\n", format.Options{}); got != "3-2 1;1-2 1;" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

type brokenReader struct{ panics bool }

func (b brokenReader) Read(p []byte) (int, error) {
	if b.panics {
		panic("out of order")
	}
	return len(p) + 1, nil
}

// A panic of a reader, in a goroutine that the caller does not see, becomes an error.
func TestRead_BrokenReader(t *testing.T) {
	for _, panics := range []bool{true, false} {
		if _, err := graphfile.Read(t.Context(), brokenReader{panics}, format.Options{}, format.Handler{}); !errors.Is(err, format.ErrReader) {
			t.Errorf("panics %t: %v", panics, err)
		}
	}
}

// TestRead_Cancelled cancels every reader in the middle of its text.
func TestRead_Cancelled(t *testing.T) {
	for layout, text := range map[format.Layout]*repeated{
		format.LayoutEdges:        {text: "1 2\n"},
		format.LayoutAdjacency:    {text: "1 2\n"},
		format.LayoutVertices:     {start: "key,x\n", text: "1,2\n"},
		format.LayoutMatrixMarket: {start: "%%MatrixMarket matrix coordinate pattern general\n9 9 999999999\n", text: "1 2\n"},
		format.LayoutGraphML:      {start: "<graphml><graph>", text: "<node id='a'/>"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		count := func() error {
			if seen++; seen == 20_000 {
				cancel()
			}
			return nil
		}
		_, err := graphfile.Read(ctx, text, format.Options{Layout: layout}, format.Handler{Edge: func(format.Edge) error { return count() }, Vertex: func([]byte, [][]byte) error { return count() }})
		if !errors.Is(err, context.Canceled) || seen > 20_000+2*compress.BlockBytes {
			t.Errorf("%s: %v after %d", layout, err, seen)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	_, err := graphfile.Read(ctx, strings.NewReader("%%MatrixMarket matrix coordinate pattern general\n90000000 90000000 0\n"), format.Options{}, format.Handler{Vertex: func([]byte, [][]byte) error {
		if seen++; seen == 100 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || seen > 100_000 {
		t.Errorf("declared vertices: %v after %d", err, seen)
	}
}

// TestRead_HandlerErrors passes errors of every function on as they are.
func TestRead_HandlerErrors(t *testing.T) {
	stop := errors.New("enough")
	for layout, text := range map[format.Layout]string{
		format.LayoutEdges:        "a b\n",
		format.LayoutAdjacency:    "a b\n",
		format.LayoutVertices:     "key,x\na,1\n",
		format.LayoutMatrixMarket: "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
		format.LayoutGraphML:      "<graphml><key id='k' attr.name='x'/><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>",
	} {
		called := 0
		for _, h := range []format.Handler{
			{Edge: func(format.Edge) error { called++; return stop }},
			{Columns: func([]format.Column) error { called++; return stop }},
			{Vertex: func([]byte, [][]byte) error { called++; return stop }},
		} {
			before := called
			if _, err := graphfile.Read(t.Context(), bytes.NewReader([]byte(text)), format.Options{Layout: layout}, h); err != nil && err != stop || (err == stop) != (called > before) {
				t.Errorf("%s: %v", layout, err)
			}
		}
		if called == 0 {
			t.Errorf("%s: no function was called", layout)
		}
	}
}
