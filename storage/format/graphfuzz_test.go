package format_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/internal/compress"
)

// fuzzLimits are small, so that short texts reach them.
var fuzzLimits = format.Options{
	EdgeListOptions: format.EdgeListOptions{MaxLine: 400, MaxKey: 20, MaxBytes: 1 << 16, MaxLines: 1000},
	MaxValue:        30, MaxColumns: 6, MaxVertices: 1000,
}

// collect reads a text into a sample, the last values of a vertex that comes
// again. Types that the text does not give follow from the values.
func collect(text []byte, opts format.Options) (*sample, error) {
	s := &sample{}
	numbers := map[string]uint32{}
	number := func(key []byte) uint32 {
		v, ok := numbers[string(key)]
		if !ok {
			v = uint32(len(s.keys))
			numbers[string(key)] = v
			s.keys = append(s.keys, string(key))
			s.values = append(s.values, make([]*string, len(s.columns)))
		}
		return v
	}
	untyped, untypedEdges := map[int]bool{}, map[int]bool{}
	_, err := graphfile.Read(context.Background(), bytes.NewReader(text), opts, format.Handler{
		Direction: func(directed bool) error {
			s.directed = directed
			return nil
		},
		EdgeColumns: func(columns []format.Column) error {
			s.edgeColumns = slices.Clone(columns)
			for i, c := range columns {
				untypedEdges[i] = c.Type == format.Untyped
			}
			return nil
		},
		Columns: func(columns []format.Column) error {
			s.columns = slices.Clone(columns)
			for i, c := range columns {
				untyped[i] = c.Type == format.Untyped
			}
			return nil
		},
		Vertex: func(key []byte, values [][]byte) error {
			v := number(key)
			s.values[v] = append(s.values[v], make([]*string, len(values)-len(s.values[v]))...)
			for i, value := range values {
				s.values[v][i] = nil
				if value != nil {
					s.values[v][i] = word(string(value))
				}
			}
			return nil
		},
		Edge: func(e format.Edge) error {
			s.weighted, s.timed = s.weighted || e.Weighted, s.timed || e.Timed
			row := make([]*string, len(e.Values))
			for i, value := range e.Values {
				if value != nil {
					row[i] = word(string(value))
				}
			}
			one := format.NumberedEdge{Source: number(e.Source), Target: number(e.Target), Weight: float32(e.Weight), Time: e.Time, Timed: e.Timed}
			s.edges, s.edgeValues = append(s.edges, one), append(s.edgeValues, row)
			if e.Both && s.directed {
				one.Source, one.Target = one.Target, one.Source
				s.edges, s.edgeValues = append(s.edges, one), append(s.edgeValues, row)
			}
			return nil
		},
	})
	complete(s.columns, s.values, untyped)
	complete(s.edgeColumns, s.edgeValues, untypedEdges)
	return s, err
}

// complete adds the values of columns that were found later, and the types that follow from the values.
func complete(columns []format.Column, values [][]*string, untyped map[int]bool) {
	for v, row := range values {
		values[v] = append(row, make([]*string, len(columns)-len(row))...)
	}
	for i := range columns {
		for _, row := range values {
			if row[i] != nil && untyped[i] {
				columns[i].Type = columns[i].Type.Or(format.TypeOf([]byte(*row[i])))
			}
		}
		columns[i].Type = typed.OrText(columns[i].Type)
	}
}

// fuzzLayout checks what holds for every text in a layout: errors are of the documented
// kinds, a text that arrives in pieces gives the same as the whole text, and the graph is
// equal after it is written and read again.
func fuzzLayout(t *testing.T, layout format.Layout, text []byte, skip bool) {
	opts := fuzzLimits
	opts.Layout, opts.SkipBad = layout, skip
	whole, stats, err := transcript(t, bytes.NewReader(text), opts)
	checkReadError(t, err)
	if stats.Skipped > 0 && !skip || (stats.Skipped > 0) != (stats.FirstSkipped != nil) {
		t.Fatalf("stats %+v", stats)
	}
	if errors.Is(err, format.ErrDamaged) {
		return // the text looks compressed itself
	}
	opts.Layout = stats.Layout // a matrix may be found among adjacency lists
	lines := !slices.Contains([]format.Layout{format.LayoutGraphML, format.LayoutGEXF, format.LayoutJSON, format.LayoutGML}, layout)
	for _, size := range []int{1, 7} {
		if !lines || compress.IsUTF16(text) {
			break // pieces are in UTF-8
		}
		if pieces, pieceErr := inPieces(t, opts, text, size); pieces != whole || fmt.Sprint(pieceErr) != fmt.Sprint(err) {
			t.Fatalf("in pieces of %d:\n%s%v\nwhole:\n%s%v", size, pieces, pieceErr, whole, err)
		}
	}
	if err != nil {
		return
	}
	s, err := collect(text, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]format.Column{s.columns, s.edgeColumns} {
		for i, c := range columns {
			if slices.ContainsFunc(columns[:i], func(other format.Column) bool { return other.Name == c.Name }) {
				return // the caller gives them other names
			}
		}
	}
	checkTable(t, s)
	var out bytes.Buffer
	switch err := graphtext.WriteGraphML(context.Background(), &out, s.graph()); {
	case errors.Is(err, format.ErrKey) || errors.Is(err, format.ErrValue):
		return // of what XML cannot hold
	case err != nil:
		t.Fatal(err)
	}
	written := out.String()
	if got, _, err := transcript(t, &out, format.Options{}); err != nil || got != s.text(true, true) {
		t.Fatalf("error %v, read\n%swant\n%sfrom\n%s", err, got, s.text(true, true), written)
	}
}

// inPieces reads a text whose blocks have a size.
func inPieces(t testing.TB, opts format.Options, text []byte, size int) (string, error) {
	opts = opts.WithDefaults()
	var out strings.Builder
	var vertices, edges int64
	h := transcriber(t, &out, &vertices, &edges)
	if err := feed.RefuseBinary(text, opts.Name); err != nil {
		return "", err
	}
	if text = bytes.Clone(text); !bytes.Contains(text, []byte("\n")) && delimited.OutsideQuotes(bytes.TrimSuffix(text, []byte("\r")), '\r') {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	to := graphtext.Lines(context.Background(), opts, h)
	if to == nil {
		to = rowtext.Lines(opts, h)
	}
	for at := 0; at < len(text); at += size {
		if err := to.Block(bytes.Clone(text[at:min(at+size, len(text))])); err != nil {
			return out.String(), err
		}
	}
	err := to.Finish()
	return out.String(), err
}

// addFiles adds the files of testdata with an ending to the seeds.
func addFiles(f *testing.F, ending string) {
	files, err := filepath.Glob("testdata/*" + ending)
	if err != nil || len(files) == 0 {
		f.Fatalf("no files %s, %v", ending, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, false)
	}
}

func FuzzReadAdjacency(f *testing.F) {
	addFiles(f, ".adjlist")
	for _, text := range []string{"a,\"b\"\"c\",d\n", "1 2 3\n4\n", "a\tb c\n", "#\n\n", ",\n", "a,\n"} {
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutAdjacency, text, skip) })
}

func FuzzReadMatrix(f *testing.F) {
	for _, text := range []string{"0,1\n1,0\n", ",a,b\na,0,.5\nb,NA,0\n", "a b\n0 1\n1 0\n", "a b\na 0 1\nb 1 0\n", "x;a\ra;0", "0 1 2\n1 0 3\n2 3 0\n"} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutMatrix, text, skip) })
}

func FuzzReadTable(f *testing.F) {
	for _, text := range []string{
		"key,x:integer,y\na,1,\"p\r\nq\"\"\"\n", "id;n\n1;\"\n\"\n", "k\n\"#\"\n", "a\tid\n1\t2\n", "key,x:text,y:float,z:boolean\na,\"\",2,true\n", "key,x\n\"a\n\n", "key,,x\n", "key x\na b\nc\n", "key,x\na,007\nb,1\n",
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutVertices, text, skip) })
}

func FuzzReadMatrixMarket(f *testing.F) {
	addFiles(f, ".mtx")
	for _, text := range []string{"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 .5\n", "%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n"} {
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutMatrixMarket, text, skip) })
}

func FuzzReadGraphML(f *testing.F) {
	addFiles(f, ".graphml")
	for _, text := range []string{
		"<graphml><key id='k' for='node' attr.name='x' attr.type='int'><default>1</default></key><graph><node id='a'><data key='k'>2</data></node><node id='b'/><edge source='a' target='b'/></graph></graphml>",
		"<!DOCTYPE graphml><graphml><!-- c --><graph><node id='&#x10ffff;&lt;'><![CDATA[x]]></node></graph></graphml>",
		"<graphml>&\n",
		"<graphml><key id='w' for='edge' attr.name='weight'/><graph><edge source='a' target='b'><data key='w'> 2 </data></edge><x><y/></x></graph></graphml>",
	} {
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutGraphML, text, skip) })
}

// FuzzReadWeighted reads edge lists whose columns are chosen.
func FuzzReadWeighted(f *testing.F) {
	addFiles(f, ".edgelist")
	for _, text := range []string{"source,target,weight,time\na,b,2,\n", "# source target w ts\na b .5 7\n", "w,to,from,date\n1,a,b,2020-01-02\n", "a b 1e-3 +7\n", "who,whom,w\n#a,b,NA\nb,c,2\n", "a b {'weight': 2, 'x': ['}']}\n", "a b {'t': .5}\nc d\ne f {'u': 1}\ng h\n", "sep=;\na;b\n", "x y\r1 2\r", "a|b|1,5\n"} {
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutEdges, text, skip) })
}
