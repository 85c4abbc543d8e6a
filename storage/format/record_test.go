package format_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
	"heavytail/storage/format/rowtext"
)

// strangeKeys are keys that need quotes, references or care in some format.
var strangeKeys = []string{
	"a\nb", "a\rb", "a\r\nb", "\n", "\r", "\n\n", "tab\there", `say "hi"`, `"`, `""`, "a,b", " leading", "\tleading", "trailing ", "#1\n#2",
	"Zürich\n北京", "\u2028", "a\n\"b\",c", "source\ntarget", "plain",
}

// TestWrite_LineBreaks reads keys with line breaks back from CSV and GraphML, and
// the CSV by a reader that shares nothing with ours.
func TestWrite_LineBreaks(t *testing.T) {
	s := &sample{keys: strangeKeys, values: make([][]*string, len(strangeKeys))}
	for v := range strangeKeys[1:] {
		s.edges = append(s.edges, format.NumberedEdge{Source: uint32(v), Target: uint32(v + 1), Weight: 1})
	}
	for name, c := range map[string]struct {
		write    func(*bytes.Buffer) error
		layout   format.Layout
		vertices bool
	}{
		"edges": {func(out *bytes.Buffer) error { return rowtext.WriteEdges(t.Context(), out, s.graph()) }, format.LayoutEdges, false},
		"CSV": {func(out *bytes.Buffer) error {
			return rowtext.WriteCSV(t.Context(), out, s.graph(), rowtext.CSVOptions{})
		}, format.LayoutEdges, false},
		"GraphML": {func(out *bytes.Buffer) error { return graphtext.WriteGraphML(t.Context(), out, s.graph()) }, format.LayoutGraphML, true},
		"table": {func(out *bytes.Buffer) error {
			return rowtext.WriteVertices(t.Context(), out, s.graph(), rowtext.CSVOptions{})
		}, format.LayoutVertices, true},
	} {
		var text bytes.Buffer
		if err := c.write(&text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		written := text.String()
		var vertices []string
		var edges [][2]string
		_, err := graphfile.Read(t.Context(), &text, format.Options{Layout: c.layout}, format.Handler{
			Vertex: func(key []byte, _ [][]byte) error { vertices = append(vertices, string(key)); return nil },
			Edge: func(e format.Edge) error {
				edges = append(edges, [2]string{string(e.Source), string(e.Target)})
				return nil
			},
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.vertices && !slices.Equal(vertices, strangeKeys) {
			t.Errorf("%s: vertices %q", name, vertices)
		}
		if c.layout == format.LayoutVertices {
			continue
		}
		var want [][2]string
		for _, e := range s.edges {
			want = append(want, [2]string{strangeKeys[e.Source], strangeKeys[e.Target]})
		}
		if !slices.Equal(edges, want) {
			t.Errorf("%s: edges %q", name, edges)
		}
		if c.layout != format.LayoutEdges {
			continue
		}
		rows, err := csv.NewReader(strings.NewReader(written)).ReadAll()
		if err != nil || len(rows) != len(want)+1 {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		for i, row := range rows[1:] {
			for j, key := range row {
				// encoding/csv reads "\r\n" in quotes as "\n".
				if other := strings.ReplaceAll(want[i][j], "\r\n", "\n"); key != other {
					t.Errorf("%s: encoding/csv reads %q, want %q", name, key, other)
				}
			}
		}
	}
}

func TestReadEdgeList_Records(t *testing.T) {
	for _, c := range []struct {
		name, text, edges string
		opts              format.EdgeListOptions
		skipped           int64
		first             string
	}{
		{name: "an ignored column", text: "a,b,\"one\ntwo\n\n# three\"\nc,d\n", edges: "a>b c>d"},
		{name: "two fields", text: "\"1\n2\",\"3\n4\"\n5,x", edges: "1\n2>3\n4 5>x"},
		{name: "the first line", text: "\"a\nb\",c\nd,e\n", edges: "a\nb>c d>e"},
		{name: "a header", text: "\"first\nname\",source,target\nx,a,b\n", edges: "a>b"},
		{name: "CRLF", text: "a,\"b\r\nc\"\r\nd,e\r\n", edges: "a>b\r\nc d>e"},
		{name: "semicolons", text: "\"a\nb\";c\n", opts: format.EdgeListOptions{Separator: ";"}, edges: "a\nb>c"},
		{name: "words that begin with quotes", text: "\"a b\nc\" d\n", edges: "\"a>b c\">d"},
		{name: "a torn quote costs its line", text: "a,b\n\"c,d\ne,f\n\"g\",h\n", opts: format.EdgeListOptions{SkipBad: true}, edges: "a>b e>f g>h", skipped: 1, first: "2:1: a quoted field is not closed"},
		{name: "two torn quotes", text: "a,b\n\"c,d\n\"e,f\ng,h\n", opts: format.EdgeListOptions{SkipBad: true}, edges: "a>b g>h", skipped: 2, first: "2:1: a quoted field is not closed"},
		{name: "a quote that is never closed", text: "a,b\nc,\"d\ne,f\n", opts: format.EdgeListOptions{SkipBad: true}, edges: "a>b e>f", skipped: 1, first: "2:3: a quoted field is not closed"},
		{name: "a record that is too long", text: "a,b\n\"4567\n9\nc,2\n", opts: format.EdgeListOptions{SkipBad: true, MaxLine: 7}, edges: "a>b c>2", skipped: 2, first: "2:1: a quoted field is not closed"},
		{name: "a line of a record that is too long", text: "a,b\n\"4\n123456789\n1\",2\n3,4\n", opts: format.EdgeListOptions{SkipBad: true, MaxLine: 7}, edges: "a>b 1\">2 3>4", skipped: 2, first: "2:1: a quoted field is not closed"},
		{name: "the place of a fault", text: "a,b\n\"c\nd\",\n", opts: format.EdgeListOptions{SkipBad: true}, edges: "a>b", skipped: 1, first: "3:4: column 2 is empty"},
		{name: "a carriage return", text: "a,b\n\"c\nd\",e\rf\n", opts: format.EdgeListOptions{SkipBad: true}, edges: "a>b", skipped: 1, first: "3:5: carriage return inside a line"},
	} {
		for _, size := range []int{1, 5, len(c.text)} {
			edges, stats, err := readAll(t, chunkReader{strings.NewReader(c.text), size}, c.opts)
			if got := strings.Join(edges, " "); err != nil || got != c.edges || stats.Skipped != c.skipped || stats.Lines != int64(strings.Count(strings.TrimSuffix(c.text, "\n"), "\n")+1) {
				t.Errorf("%s: %v, edges %q, want %q; stats %+v", c.name, err, got, c.edges, stats)
			}
			if c.skipped > 0 && stats.FirstSkipped.Error() != "input:"+c.first {
				t.Errorf("%s: skipped %v", c.name, stats.FirstSkipped)
			}
		}
	}
}
