package format_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/format/vectorfile"
)

// sample is a graph held in maps, to be written and compared with what is read.
type sample struct {
	keys            []string
	columns         []format.Column
	values          [][]*string // by vertex, then by column
	edges           []format.NumberedEdge
	edgeColumns     []format.Column
	edgeValues      [][]*string // by edge, then by column
	weighted, timed bool
	directed        bool
}

func (s *sample) graph() format.Graph {
	return format.Graph{
		Vertices: len(s.keys),
		Key:      appendKeys(s.keys),
		Edges:    slices.Values(s.edges),
		Weighted: s.weighted,
		Timed:    s.timed,
		Columns:  s.columns,
		Value: func(dst []byte, column int, v uint32) ([]byte, bool) {
			value := s.values[v][column]
			if value == nil {
				return dst, false
			}
			return append(dst, *value...), true
		},
		Directed:    s.directed,
		EdgeColumns: s.edgeColumns,
		EdgeValue: func(dst []byte, column, edge int) ([]byte, bool) {
			value := s.edgeValues[edge][column]
			if value == nil {
				return dst, false
			}
			return append(dst, *value...), true
		},
	}
}

// text says what a reader should find, in the form of transcript.
func (s *sample) text(vertices, edges bool) string {
	var out strings.Builder
	name := func(what string, columns []format.Column) {
		if len(columns) == 0 {
			return
		}
		out.WriteString(what)
		for _, c := range columns {
			fmt.Fprintf(&out, " %s:%s", c.Name, c.Type)
		}
		out.WriteByte('\n')
	}
	list := func(columns []format.Column, row []*string) {
		for i := range columns {
			if value := row[i]; value == nil {
				out.WriteString(" -")
			} else if columns[i].Type == format.Float && decimal.IsInteger([]byte(*value)) {
				fmt.Fprintf(&out, " %q", *value+".0")
			} else {
				fmt.Fprintf(&out, " %q", *value)
			}
		}
		out.WriteByte('\n')
	}
	if vertices {
		name("columns", s.columns)
	}
	if edges {
		name("edge columns", s.edgeColumns)
	}
	if vertices {
		for v, key := range s.keys {
			fmt.Fprintf(&out, "vertex %s", key)
			list(s.columns, s.values[v])
		}
	}
	if edges {
		if s.directed {
			out.WriteString("directed\n")
		}
		for i, e := range s.edges {
			edge := format.Edge{Source: []byte(s.keys[e.Source]), Target: []byte(s.keys[e.Target]), Weight: 1, Time: e.Time, Timed: e.Timed && s.timed}
			if s.weighted {
				edge.Weighted = true
				edge.Weight, _ = strconv.ParseFloat(strconv.FormatFloat(float64(e.Weight), 'g', -1, 32), 64)
			}
			fmt.Fprintf(&out, "edge %s", edgeText(edge))
			if len(s.edgeColumns) == 0 {
				out.WriteByte('\n')
				continue
			}
			list(s.edgeColumns, s.edgeValues[i])
		}
	}
	return out.String()
}

// samples draws graphs whose keys, names and texts are made of pieces that mean
// something to some format.
func samples() *rapid.Generator[*sample] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"source", "target", "weight", "key", "id", "u", "a", "1", "20", "007", "-5", "1.5", "1e3", "true", "é", "北", "#", "%", ",", ";", "|", "\"", "\"\"", "'", "\\", ":text", ":integer",
			" ", "\t", "\n", "\r", "\ufeff", "\u00a0", "\u2028", "\x7f", "<", ">", "&", "&amp;", "]]>", "=1", "none",
		}),
		rapid.StringN(1, 3, -1),
	)
	text := rapid.Map(rapid.SliceOfN(piece, 1, 4), func(pieces []string) string { return strings.Join(pieces, "") })
	key := text.Filter(func(s string) bool { return writing.CheckKey([]byte(s)) == "" && inXML(s) })
	edgeName := rapid.OneOf(key, rapid.SampledFrom([]string{"source", "target", "id", "key", "label", "value", "w", "date", "ts", "Timestamp", "Weight", ":TYPE", "x:ID", ":START_ID", "since", "type:integer"})).
		Filter(func(s string) bool { return s != "weight" && s != "time" })
	long := rapid.OneOf(text, rapid.SampledFrom([]string{"", "\n", "a\r\nb", "\r", "1\n", "\"\n\"", "#\n"})).
		Filter(func(s string) bool { return inXML(s) && !fault.OfEncoding([]byte(s)).Found() })
	value := func(t *rapid.T, kind format.Type) *string {
		var v string
		switch rapid.IntRange(0, 3).Draw(t, "missing") {
		case 0:
			return nil
		default:
			switch kind {
			case format.Integer:
				v = strconv.FormatInt(rapid.Int64().Draw(t, "integer"), 10)
			case format.Float:
				v = strconv.FormatFloat(rapid.OneOf(rapid.Float64Range(-1e9, 1e9), rapid.SampledFrom([]float64{0, 1, 2, -3, math.MaxFloat64, math.SmallestNonzeroFloat64})).Draw(t, "float"), 'g', -1, 64)
			case format.Boolean:
				v = strconv.FormatBool(rapid.Bool().Draw(t, "boolean"))
			default:
				v = long.Draw(t, "text")
			}
		}
		return &v
	}
	return rapid.Custom(func(t *rapid.T) *sample {
		s := &sample{
			keys:     rapid.SliceOfNDistinct(key, 1, 5, rapid.ID[string]).Draw(t, "keys"),
			weighted: rapid.Bool().Draw(t, "weighted"),
			timed:    rapid.Bool().Draw(t, "timed"),
			directed: rapid.Bool().Draw(t, "directed"),
		}
		draw := func(name *rapid.Generator[string], what string) (columns []format.Column) {
			for _, name := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID[string]).Draw(t, what) {
				columns = append(columns, format.Column{Name: name, Type: rapid.SampledFrom([]format.Type{format.Text, format.Integer, format.Float, format.Boolean}).Draw(t, "type")})
			}
			return columns
		}
		fill := func(columns []format.Column) []*string {
			row := make([]*string, len(columns))
			for i, c := range columns {
				row[i] = value(t, c.Type)
			}
			return row
		}
		s.columns, s.edgeColumns = draw(key, "names"), draw(edgeName, "names of attributes of edges")
		for range s.keys {
			s.values = append(s.values, fill(s.columns))
		}
		vertex := rapid.Uint32Range(0, uint32(len(s.keys)-1))
		s.edges = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) format.NumberedEdge {
			return format.NumberedEdge{
				Source: vertex.Draw(t, "u"), Target: vertex.Draw(t, "v"),
				Weight: cmp.Or(rapid.Float32Range(0, math.MaxFloat32).Draw(t, "weight"), 1),
				Time:   max(rapid.Int64().Draw(t, "time"), math.MinInt64+1), Timed: rapid.Bool().Draw(t, "timed"),
			}
		}), 0, 5).Draw(t, "edges")
		for i := range s.edges {
			if !s.edges[i].Timed {
				s.edges[i].Time = 0
			}
			s.edgeValues = append(s.edgeValues, fill(s.edgeColumns))
		}
		return s
	})
}

// TestWrite_RoundTrip reads back, with the zero options, what every writer of
// graphs wrote.
func TestWrite_RoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := samples().Draw(r, "graph")
		for name, write := range map[string]func(*bytes.Buffer) error{
			"edges": func(out *bytes.Buffer) error { return rowtext.WriteEdges(context.Background(), out, s.graph()) },
			"CSV": func(out *bytes.Buffer) error {
				return rowtext.WriteCSV(context.Background(), out, s.graph(), rowtext.CSVOptions{})
			},
		} {
			var text bytes.Buffer
			if err := write(&text); err != nil {
				r.Fatalf("%s: %v", name, err)
			}
			want := *s
			want.directed = s.directed && name != "CSV" // which does not say it
			written := text.String()
			got, err := collect(text.Bytes(), format.Options{})
			if err != nil {
				r.Fatalf("%s: %v from\n%q", name, err, written)
			}
			got.weighted, got.timed = s.weighted, s.timed
			if got.text(false, true) != want.text(false, true) {
				r.Fatalf("%s: read\n%swant\n%sfrom\n%q", name, got.text(false, true), want.text(false, true), written)
			}
		}
		var text bytes.Buffer
		if err := graphtext.WriteGraphML(context.Background(), &text, s.graph()); err != nil {
			r.Fatalf("%v", err)
		}
		written := text.String()
		if got, _, err := transcript(t, &text, format.Options{}); err != nil || got != s.text(true, true) {
			r.Fatalf("error %v, read\n%swant\n%sfrom\n%q", err, got, s.text(true, true), written)
		}
		checkTable(r, s)
	})
}

// failer is a test of any kind.
type failer interface {
	Fatalf(format string, args ...any)
}

// checkTable writes the vertices and reads them back. A type that the table does not
// state must follow from the values.
func checkTable(r failer, s *sample) {
	var text bytes.Buffer
	if err := rowtext.WriteVertices(context.Background(), &text, s.graph(), rowtext.CSVOptions{}); err != nil {
		r.Fatalf("%v", err)
	}
	written := text.String()
	var columns []format.Column
	var looks []format.Type
	var rows [][]string
	_, err := graphfile.Read(context.Background(), &text, format.Options{Layout: format.LayoutVertices}, format.Handler{
		Columns: func(c []format.Column) error {
			columns, looks = slices.Clone(c), make([]format.Type, len(c))
			return nil
		},
		Vertex: func(key []byte, values [][]byte) error {
			row := []string{string(key)}
			for i, value := range values {
				if value == nil {
					row = append(row, "-")
					continue
				}
				looks[i] = looks[i].Or(format.TypeOf(value))
				row = append(row, strconv.Quote(string(value)))
			}
			rows = append(rows, row)
			return nil
		},
	})
	if err != nil {
		r.Fatalf("%v from\n%s", err, written)
	}
	var got sample
	for _, row := range rows {
		got.keys = append(got.keys, row[0])
	}
	if !slices.Equal(got.keys, s.keys) {
		r.Fatalf("keys %q from\n%s", got.keys, written)
	}
	for i, c := range columns {
		if c.Type == format.Untyped {
			c.Type = looks[i]
		}
		if c != s.columns[i] {
			r.Fatalf("column %v, want %v, from\n%s", c, s.columns[i], written)
		}
	}
	for v, row := range rows {
		var want strings.Builder
		for i, value := range s.values[v] {
			switch {
			case value == nil:
				want.WriteString(" -")
			case s.columns[i].Type == format.Float && decimal.IsInteger([]byte(*value)):
				fmt.Fprintf(&want, " %q", *value+".0")
			default:
				fmt.Fprintf(&want, " %q", *value)
			}
		}
		if got := strings.Join(append([]string{""}, row[1:]...), " "); got != want.String() {
			r.Fatalf("vertex %d: %s, want %s, from\n%s", v, got, want.String(), written)
		}
	}
}

func word(s string) *string { return &s }

func people() *sample {
	return &sample{
		keys:    []string{"ada", "bob m", "=cyd"},
		columns: []format.Column{{Name: "age", Type: format.Integer}, {Name: "zip", Type: format.Text}, {Name: "score", Type: format.Float}, {Name: "ok", Type: format.Boolean}, {Name: "note", Type: ""}},
		values: [][]*string{
			{word("41"), word("007"), word("2"), word("true"), word("@x")},
			{nil, nil, word("0.5"), nil, word("a,\"b\"\nc")},
			{word("-7"), word("12"), nil, word("false"), nil},
		},
		edges:    []format.NumberedEdge{{Source: 0, Target: 1, Weight: 0.1, Time: 5, Timed: true}, {Source: 2, Target: 0, Weight: 3}},
		weighted: true, timed: true,
	}
}

func TestWrite_Texts(t *testing.T) {
	s := people()
	numbers := &sample{keys: []string{"1", "2"}, values: make([][]*string, 2), edges: s.edges[:1], timed: true}
	words := &sample{keys: []string{"a", "b", "c"}, values: make([][]*string, 3), edges: s.edges, weighted: true, timed: true}
	digits := &sample{keys: []string{"a"}, columns: []format.Column{{Name: "zip", Type: format.Text}, {Name: "none", Type: format.Integer}, {Name: "x:text", Type: format.Text}, {Name: "empty", Type: format.Text}}, values: [][]*string{{word("12"), nil, word("b"), word("")}}}
	for name, c := range map[string]struct {
		write func(*bytes.Buffer) error
		want  string
	}{
		"words":       {func(out *bytes.Buffer) error { return rowtext.WriteEdges(t.Context(), out, words.graph()) }, "# source target weight time\na b 0.1 5\nc a 3\n"},
		"words, time": {func(out *bytes.Buffer) error { return rowtext.WriteEdges(t.Context(), out, numbers.graph()) }, "# source target time\n1 2 5\n"},
		"edges":       {func(out *bytes.Buffer) error { return rowtext.WriteEdges(t.Context(), out, s.graph()) }, "source,target,weight,time\nada,bob m,0.1,5\n=cyd,ada,3,\n"},
		"CSV": {func(out *bytes.Buffer) error {
			return rowtext.WriteCSV(t.Context(), out, numbers.graph(), rowtext.CSVOptions{})
		}, "source,target,time\n1,2,5\n"},
		"spreadsheet": {func(out *bytes.Buffer) error {
			return rowtext.WriteCSV(t.Context(), out, s.graph(), rowtext.CSVOptions{Spreadsheet: true})
		}, "source,target,weight,time\nada,bob m,0.1,5\n'=cyd,ada,3,\n"},
		"vertices": {func(out *bytes.Buffer) error {
			return rowtext.WriteVertices(t.Context(), out, s.graph(), rowtext.CSVOptions{})
		},
			"vertex,age,zip,score,ok,note\nada,41,007,2.0,true,@x\nbob m,,,0.5,,\"a,\"\"b\"\"\nc\"\n=cyd,-7,12,,false,\n"},
		"vertices, spreadsheet": {func(out *bytes.Buffer) error {
			return rowtext.WriteVertices(t.Context(), out, s.graph(), rowtext.CSVOptions{Spreadsheet: true})
		}, "vertex,age,zip,score,ok,note\nada,41,007,2.0,true,'@x\nbob m,,,0.5,,\"a,\"\"b\"\"\nc\"\n'=cyd,-7,12,,false,\n"},
		"vertices, types given": {func(out *bytes.Buffer) error {
			return rowtext.WriteVertices(t.Context(), out, digits.graph(), rowtext.CSVOptions{})
		},
			"vertex,zip:text,none:integer,x:text:text,empty:text\na,12,,b,\"\"\n"},
		"keys": {func(out *bytes.Buffer) error {
			return vectorfile.WriteKeys(t.Context(), out, 2, appendKeys([]string{"a b", "é,#"}))
		}, "a b\né,#\n"},
		"keys, quoted": {func(out *bytes.Buffer) error {
			return vectorfile.WriteKeys(t.Context(), out, 2, appendKeys([]string{"a ", "b"}))
		}, "vertex\n\"a \"\nb\n"},
		"keys, line breaks": {func(out *bytes.Buffer) error {
			return vectorfile.WriteKeys(t.Context(), out, 2, appendKeys([]string{"a\nb", "b"}))
		}, "vertex\n\"a\nb\"\nb\n"},
		"keys, the other name": {func(out *bytes.Buffer) error {
			return vectorfile.WriteKeys(t.Context(), out, 2, appendKeys([]string{"vertex", "b"}))
		}, "vertex\nvertex\nb\n"},
		"keys, the name": {func(out *bytes.Buffer) error {
			return vectorfile.WriteKeys(t.Context(), out, 2, appendKeys([]string{"key", "b"}))
		}, "vertex\nkey\nb\n"},
		"word2vec, 1 row": {func(out *bytes.Buffer) error {
			return vectorfile.WriteWord2VecBinary(t.Context(), out, 1, 2, appendKeys([]string{"é"}), func(int) []float32 { return []float32{1, -2} })
		}, "1 2\né \x00\x00\x80?\x00\x00\x00\xc0\n"},
	} {
		var out bytes.Buffer
		if err := c.write(&out); err != nil || out.String() != c.want {
			t.Errorf("%s: %v, wrote\n%q\nwant\n%q", name, err, out.String(), c.want)
		}
	}
}

func TestWriteGraphML_Text(t *testing.T) {
	var out bytes.Buffer
	if err := graphtext.WriteGraphML(t.Context(), &out, people().graph()); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "graphml.xsd\">\n")
	want := `  <key id="d0" for="node" attr.name="age" attr.type="long"/>
  <key id="d1" for="node" attr.name="zip" attr.type="string"/>
  <key id="d2" for="node" attr.name="score" attr.type="double"/>
  <key id="d3" for="node" attr.name="ok" attr.type="boolean"/>
  <key id="d4" for="node" attr.name="note" attr.type="string"/>
  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>
  <key id="time" for="edge" attr.name="time" attr.type="long"/>
<graph edgedefault="undirected">
<node id="ada"><data key="d0">41</data><data key="d1">007</data><data key="d2">2.0</data><data key="d3">true</data><data key="d4">@x</data></node>
<node id="bob m"><data key="d2">0.5</data><data key="d4">a,&quot;b&quot;&#10;c</data></node>
<node id="=cyd"><data key="d0">-7</data><data key="d1">12</data><data key="d3">false</data></node>
<edge source="ada" target="bob m"><data key="weight">0.1</data><data key="time">5</data></edge>
<edge source="=cyd" target="ada"><data key="weight">3</data></edge>
</graph>
</graphml>
`
	if got != want {
		t.Errorf("wrote\n%s\nwant\n%s", got, want)
	}
}

func TestWriteNPY(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {1, 3}, {70, 200}, {1234567, 0}} {
		rows, dim := shape[0], shape[1]
		var out bytes.Buffer
		row := make([]float32, dim)
		for i := range row {
			row[i] = float32(i) / 7
		}
		if err := vectorfile.WriteNPY(t.Context(), &out, rows, dim, func(int) []float32 { return row }); err != nil {
			t.Fatal(err)
		}
		data := out.Bytes()
		if !bytes.HasPrefix(data, []byte("\x93NUMPY\x01\x00")) {
			t.Fatalf("begins with %q", data[:8])
		}
		start := 10 + int(data[8]) + int(data[9])<<8
		want := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, dim)
		if start%64 != 0 || len(data) != start+4*rows*dim || strings.TrimRight(string(data[10:start]), " \n") != want || data[start-1] != '\n' {
			t.Errorf("%v: the values begin at %d of %d, header %q", shape, start, len(data), data[10:start])
		}
		for i := range rows * dim {
			at := start + 4*i
			bits := uint32(data[at]) | uint32(data[at+1])<<8 | uint32(data[at+2])<<16 | uint32(data[at+3])<<24
			if math.Float32frombits(bits) != row[i%dim] {
				t.Fatalf("value %d is %v", i, math.Float32frombits(bits))
			}
		}
	}
}

func TestWrite_Refused(t *testing.T) {
	one := func(key string, column format.Column, value string) format.Graph {
		s := &sample{keys: []string{key, "b"}, columns: []format.Column{column}, values: [][]*string{{word(value)}, {nil}}, edges: []format.NumberedEdge{{Source: 0, Target: 1, Weight: 1}}}
		return s.graph()
	}
	plain := format.Column{Name: "x", Type: format.Text}
	writeVertices := func(g format.Graph) error {
		return rowtext.WriteVertices(t.Context(), &bytes.Buffer{}, g, rowtext.CSVOptions{})
	}
	writeGraphML := func(g format.Graph) error { return graphtext.WriteGraphML(t.Context(), &bytes.Buffer{}, g) }
	for _, c := range []struct {
		graph    format.Graph
		csv, xml error // of WriteVertices and WriteGraphML
		says     string
	}{
		{one("a\x01", plain, "v"), nil, format.ErrKey, `key "a\x01": it holds U+0001, which XML cannot`},
		{one("a\ufffe", plain, "v"), nil, format.ErrKey, `key "a\ufffe": it holds U+FFFE, which XML cannot`},
		{one("", plain, "v"), format.ErrKey, format.ErrKey, `key "": it is empty`},
		{one("a\x00", plain, "v"), format.ErrKey, format.ErrKey, `key "a\x00": it holds a NUL`},
		{one("a\xff", plain, "v"), format.ErrKey, format.ErrKey, `not valid UTF-8`},
		{one("a", plain, "v\x02"), nil, format.ErrValue, `vertex "a", attribute "x": it holds U+0002, which XML cannot`},
		{one("a", plain, "v\x00"), format.ErrValue, format.ErrValue, `vertex "a", attribute "x": NUL byte`},
		{one("a", plain, "\xff"), format.ErrValue, format.ErrValue, `vertex "a", attribute "x": byte 0xff`},
		{one("a", format.Column{Name: "x", Type: format.Integer}, "1.5"), format.ErrValue, format.ErrValue, `"1.5" is no integer`},
		{one("a", format.Column{Name: "x", Type: format.Float}, "NaN"), format.ErrValue, format.ErrValue, `"NaN" is no float`},
		{one("a", format.Column{Name: "x", Type: format.Boolean}, ""), format.ErrValue, format.ErrValue, `"" is no boolean`},
		{one("a", format.Column{Name: "", Type: format.Text}, "v"), format.ErrValue, format.ErrValue, `attribute ""`},
		{one("a", format.Column{Name: "x\x03", Type: format.Text}, "v"), nil, format.ErrValue, `attribute "x\x03"`},
		{one("a", format.Column{Name: "x\x00", Type: format.Text}, "v"), format.ErrValue, format.ErrValue, `attribute "x\x00"`},
	} {
		if err := writeVertices(c.graph); !errors.Is(err, c.csv) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("CSV: %v, want %s", err, c.says)
		}
		if err := writeGraphML(c.graph); !errors.Is(err, c.xml) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("GraphML: %v, want %s", err, c.says)
		}
	}
	twice := one("a", plain, "v")
	twice.Columns = []format.Column{plain, plain}
	if err := writeVertices(twice); !errors.Is(err, format.ErrValue) {
		t.Errorf("one name twice: %v", err)
	}
	for _, weight := range []float32{0, -1, float32(math.NaN()), float32(math.Inf(1))} {
		s := &sample{keys: []string{"a", "b"}, values: make([][]*string, 2), edges: []format.NumberedEdge{{Source: 0, Target: 1, Weight: weight}}, weighted: true}
		for _, write := range []func(format.Graph) error{writeGraphML, func(g format.Graph) error { return rowtext.WriteEdges(t.Context(), &bytes.Buffer{}, g) }} {
			if err := write(s.graph()); !errors.Is(err, format.ErrValue) {
				t.Errorf("weight %v: %v", weight, err)
			}
		}
	}
	nan := func(int) []float32 { return []float32{float32(math.NaN())} }
	if err := vectorfile.WriteNPY(t.Context(), &bytes.Buffer{}, 1, 1, nan); !errors.Is(err, format.ErrNotFinite) {
		t.Errorf("npy: %v", err)
	}
	if err := vectorfile.WriteWord2VecBinary(t.Context(), &bytes.Buffer{}, 1, 1, appendKeys([]string{"a b"}), nan); !errors.Is(err, format.ErrKey) {
		t.Errorf("word2vec: %v", err)
	}
	if err := vectorfile.WriteWord2VecBinary(t.Context(), &bytes.Buffer{}, 1, 2, appendKeys([]string{"a"}), func(int) []float32 { return []float32{1} }); err == nil {
		t.Error("a row that is too short was written")
	}
	if err := vectorfile.WriteKeys(t.Context(), &bytes.Buffer{}, 1, appendKeys([]string{"a\x00"})); !errors.Is(err, format.ErrKey) {
		t.Errorf("keys: %v", err)
	}
}

// TestWrite_Errors passes on the errors of the writer and of the context.
func TestWrite_Errors(t *testing.T) {
	s := people()
	key := func(dst []byte, v uint32) []byte { return strconv.AppendUint(dst, uint64(v), 10) }
	row := []float32{1, 2}
	for name, write := range map[string]func(context.Context, *failingWriter) error{
		"edges": func(ctx context.Context, w *failingWriter) error { return rowtext.WriteEdges(ctx, w, s.graph()) },
		"CSV": func(ctx context.Context, w *failingWriter) error {
			return rowtext.WriteCSV(ctx, w, s.graph(), rowtext.CSVOptions{})
		},
		"vertices": func(ctx context.Context, w *failingWriter) error {
			return rowtext.WriteVertices(ctx, w, s.graph(), rowtext.CSVOptions{})
		},
		"GraphML": func(ctx context.Context, w *failingWriter) error { return graphtext.WriteGraphML(ctx, w, s.graph()) },
		"word2vec": func(ctx context.Context, w *failingWriter) error {
			return vectorfile.WriteWord2VecBinary(ctx, w, 9, 2, key, func(int) []float32 { return row })
		},
		"npy": func(ctx context.Context, w *failingWriter) error {
			return vectorfile.WriteNPY(ctx, w, 9, 2, func(int) []float32 { return row })
		},
		"keys": func(ctx context.Context, w *failingWriter) error { return vectorfile.WriteKeys(ctx, w, 9, key) },
	} {
		if err := write(t.Context(), &failingWriter{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := write(cancelled, &failingWriter{left: 1 << 20}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

// inXML reports whether XML has all characters of a text.
func inXML(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xfffe || r == 0xffff
	})
}
