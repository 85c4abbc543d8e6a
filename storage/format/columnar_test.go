package format_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/writing"
)

func edgesColumnar(t failer, form format.Columnar, s *sample) []byte {
	var out bytes.Buffer
	if err := columnar.WriteEdges(context.Background(), &out, form, s.graph(), []columnar.Note{{Key: "graph", Text: "g"}}); err != nil {
		t.Fatalf("%v", err)
	}
	return out.Bytes()
}

func verticesColumnar(t failer, form format.Columnar, s *sample) []byte {
	var out bytes.Buffer
	if err := columnar.WriteVertices(context.Background(), &out, form, s.graph(), nil); err != nil {
		t.Fatalf("%v", err)
	}
	return out.Bytes()
}

// What is written is read back: edges with weights and times, vertices with the values and
// types of attributes, of any graph that the other formats are tested with.
func TestColumnar_RoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := samples().Draw(r, "graph")
		for i, c := range s.edgeColumns {
			if writing.MemberFault(c.Name) != "" {
				s.edgeColumns[i].Name = "an end or an id"
			}
		}
		for i, c := range s.edgeColumns {
			if slices.ContainsFunc(s.edgeColumns[:i], func(other format.Column) bool { return other.Name == c.Name }) {
				return
			}
		}
		for _, form := range format.Columnars() {
			got, stats, err := shortWeights(t, edgesColumnar(r, form, s))
			if err != nil || got != s.text(false, true) || stats.Layout != map[format.Columnar]format.Layout{format.Parquet: format.LayoutParquet, format.Arrow: format.LayoutArrow, format.ArrowStream: format.LayoutArrow}[form] {
				r.Fatalf("%s: %v, read\n%s\nwant\n%s", form, err, got, s.text(false, true))
			}
			got, _, err = transcript(t, bytes.NewReader(verticesColumnar(r, form, s)), format.Options{Layout: format.LayoutVertices})
			if got = strings.TrimPrefix(got, "columns\n"); err != nil || got != s.text(true, false) {
				r.Fatalf("%s: %v, read\n%s\nwant\n%s", form, err, got, s.text(true, false))
			}
		}
	})
}

// shortWeights reads edges as transcript does, but with the shortest decimals that give
// their weights: a text has these, and a columnar file the 32 bits.
func shortWeights(t testing.TB, data []byte) (string, format.ReadStats, error) {
	var out strings.Builder
	var vertices, edges int64
	h := transcriber(t, &out, &vertices, &edges)
	edge := h.Edge
	h.Edge = func(e format.Edge) error {
		e.Weight, _ = strconv.ParseFloat(strconv.FormatFloat(e.Weight, 'g', -1, 32), 64)
		return edge(e)
	}
	stats, err := graphfile.Read(context.Background(), bytes.NewReader(data), format.Options{}, h)
	return out.String(), stats, err
}

func TestColumnar_Vectors(t *testing.T) {
	if err := columnar.ReadVectors(t.Context(), strings.NewReader("a 1"), "feather", format.VectorOptions{}, format.VectorHandler{}); !errors.Is(err, format.ErrLibrary) {
		t.Errorf("a format that is none: %v", err)
	}
	for _, form := range format.Columnars() {
		vectorsColumnar(t, form)
	}
}

func vectorsColumnar(t *testing.T, form format.Columnar) {
	t.Helper()
	keys := []string{"a b", "ü\n", "c"}
	rows := [][]float32{{1, -2, 0.1}, {3, 4, 5}, {1e30, 0, -1e-30}}
	var out bytes.Buffer
	row := func(i int) []float32 { return rows[i] }
	if err := columnar.WriteVectors(t.Context(), &out, form, 3, 3, appendKeys(keys), row, nil); err != nil {
		t.Fatal(err)
	}
	var got vectors
	if err := columnar.ReadVectors(t.Context(), bytes.NewReader(out.Bytes()), form, format.VectorOptions{}, got.handler()); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		for j, x := range got.row(i) {
			if got.keys[i] != key || x != rows[i][j] {
				t.Errorf("row %d: %q %v", i, got.keys[i], got.row(i))
			}
		}
	}
	for name, opts := range map[string]format.VectorOptions{"column \"id\": it is an integer, and a vector is": {Vector: "id"}, "no column is called": {Key: "keys"}, "exceeds the limit": {MaxDim: 2}} {
		if err := columnar.ReadVectors(t.Context(), bytes.NewReader(out.Bytes()), form, opts, got.handler()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// foreignFile is a file as other programs write it; TestForeign of package parquet writes it.
func foreignFile(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/foreign.parquet")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParquet_Foreign(t *testing.T) {
	data := foreignFile(t)
	skip := format.EdgeListOptions{Name: "x.parquet", SkipBad: true}
	columns := skip
	columns.Weight, columns.Time = "score", "at"
	reversed := skip
	reversed.Source, reversed.Target, reversed.Time = "To", "From", "5"
	for name, c := range map[string]struct {
		opts    format.Options
		want    string
		skipped int64
	}{
		"known pair": {format.Options{EdgeListOptions: skip}, "edge columns score:float at:text day:text\nedge a>18446744073709551615 \"2.5\" \"2023-11-14T22:13:20.5Z\" \"2022-01-08\"\nedge b>7 - \"1969-12-31T23:59:59.999999Z\" \"1969-12-31\"\nedge b>8 \"0.0\" \"1970-01-01T00:00:00Z\" \"1970-01-01\"\n", 1},
		"named":      {format.Options{EdgeListOptions: columns}, "edge columns day:text\nedge a>18446744073709551615*2.5@1700000000 \"2022-01-08\"\nedge b>7@-1 \"1969-12-31\"\n", 2},
		"reversed":   {format.Options{EdgeListOptions: reversed}, "edge columns score:float at:text\nedge 18446744073709551615>a@1641600000 \"2.5\" \"2023-11-14T22:13:20.5Z\"\nedge 7>b@-86400 - \"1969-12-31T23:59:59.999999Z\"\nedge 8>b@0 \"0.0\" \"1970-01-01T00:00:00Z\"\n", 1},
		"vertices": {format.Options{EdgeListOptions: format.EdgeListOptions{SkipBad: true}, Layout: format.LayoutVertices, Key: "From", Columns: []string{"score", "at", "day"}},
			"columns score:float at:text day:text\n" +
				`vertex a "2.5" "2023-11-14T22:13:20.5Z" "2022-01-08"` + "\n" + `vertex b - "1969-12-31T23:59:59.999999Z" "1969-12-31"` + "\n" + `vertex b "0.0" "1970-01-01T00:00:00Z" "1970-01-01"` + "\n", 1},
	} {
		got, stats, err := transcript(t, bytes.NewReader(data), c.opts)
		if err != nil || stats.Skipped != c.skipped || got != c.want {
			t.Errorf("%s: %v, %d skipped, read\n%s\nwant\n%s", name, err, stats.Skipped, got, c.want)
		}
	}
}

// Decimals, as DuckDB has for numbers that a query writes with a point, are numbers.
func TestParquet_Decimals(t *testing.T) {
	data, err := os.ReadFile("testdata/decimals.parquet")
	if err != nil {
		t.Fatal(err)
	}
	want := "edge a>1*2.5\nedge b>2*0.07\nedge b>3*10000\n"
	if got, _, err := transcript(t, bytes.NewReader(data), format.Options{}); err != nil || got != want {
		t.Errorf("%v, read\n%s\nwant\n%s", err, got, want)
	}
}

func TestParquet_Refused(t *testing.T) {
	data := foreignFile(t)
	var noColumns bytes.Buffer
	if err := columnfile.NewWriter(columnfile.Parquet, &noColumns, nil, nil, columnfile.WriteOptions{}).Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    io.Reader
		opts format.Options
		want string
		kind error
	}{
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{Name: "x.parquet"}}, `x.parquet: row 4: column "From": key "" is empty`, format.ErrSyntax},
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "scor"}}, `no column is called "scor"; there are "From", "To"`, format.ErrSyntax},
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{Source: "tags"}}, `column "tags": it is a list of texts, and the source of an edge is`, format.ErrSyntax},
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{Source: "From", Target: "To", Weight: "tags"}}, `column "tags": it is a list of texts, and a weight is a number`, format.ErrSyntax},
		{bytes.NewReader(data), format.Options{Layout: format.LayoutVertices}, `column "tags": it is a list of texts, and no attribute can hold it`, format.ErrSyntax},
		{bytes.NewReader(data), format.Options{Layout: format.LayoutVertices, Columns: []string{"no"}}, `no column is called "no"`, format.ErrSyntax},
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{Separator: "tab"}}, "no use for a separator", format.ErrOptions},
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{MaxLines: 2}}, "more than 2 rows", format.ErrLimit},
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{MaxBytes: 10}}, "exceed the limit of 10 bytes", format.ErrLimit},
		{bytes.NewReader(data[:len(data)-9]), format.Options{}, "is probably cut off", format.ErrDamaged},
		{bytes.NewReader(data[:4]), format.Options{}, "too short for Parquet", format.ErrDamaged},
		{strings.NewReader("a,b\n"), format.Options{EdgeListOptions: format.EdgeListOptions{Name: "x.parquet"}}, "too short for Parquet", format.ErrDamaged},
		{io.MultiReader(bytes.NewReader(data)), format.Options{}, "not from a stream", format.ErrSyntax},
		{io.MultiReader(bytes.NewReader(data)), format.Options{Layout: format.LayoutParquet}, "not from a stream", format.ErrSyntax},
		{bytes.NewReader(noColumns.Bytes()), format.Options{}, "the file has no columns", format.ErrSyntax},
		{bytes.NewReader(noColumns.Bytes()), format.Options{Layout: format.LayoutVertices}, "the file has no columns", format.ErrSyntax},
		{strings.NewReader("\x1f\x8b" + string(data)), format.Options{EdgeListOptions: format.EdgeListOptions{Name: "x.parquet.gz"}}, "another compression", format.ErrSyntax},
	} {
		_, _, err := transcript(t, c.r, c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.kind) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A file of Arrow is refused for the same reasons, and one that another program has named like a text is found.
func TestArrow_Refused(t *testing.T) {
	data, stream := edgesColumnar(t, format.Arrow, people()), edgesColumnar(t, format.ArrowStream, people())
	var noColumns bytes.Buffer
	if err := columnfile.NewWriter(columnfile.Arrow, &noColumns, nil, nil, columnfile.WriteOptions{}).Close(); err != nil {
		t.Fatal(err)
	}
	named := func(name string) format.Options {
		return format.Options{EdgeListOptions: format.EdgeListOptions{Name: name}}
	}
	for _, c := range []struct {
		r    io.Reader
		opts format.Options
		want string
		kind error
	}{
		{bytes.NewReader(data[:len(data)-9]), named("x.feather"), "x.feather: the file does not end with ARROW1, and is probably cut off", format.ErrDamaged},
		{bytes.NewReader(data[:6]), format.Options{}, "too short for Arrow", format.ErrDamaged},
		{bytes.NewReader(stream[:4]), format.Options{}, "the file ends in a message, and is probably cut off", format.ErrDamaged},
		{strings.NewReader("a,b and more than that\n"), named("x.arrow"), "does not begin with ARROW1", format.ErrDamaged},
		{bytes.NewReader(noColumns.Bytes()), format.Options{}, "the file has no columns", format.ErrSyntax},
		{io.MultiReader(bytes.NewReader(data)), format.Options{}, "Arrow is read from a file, not from a stream", format.ErrSyntax},
		{io.MultiReader(bytes.NewReader(stream)), format.Options{}, "Arrow stream is read from a file", format.ErrSyntax},
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{Separator: "tab"}}, "no use for a separator", format.ErrOptions},
		{bytes.NewReader(data), format.Options{EdgeListOptions: format.EdgeListOptions{MaxBytes: 10}}, "more than 10 bytes", format.ErrLimit},
		{strings.NewReader("FEA1\x00\x00\x00\x00 and more"), named("x.csv"), "a Feather file of version 1", format.ErrSyntax},
	} {
		_, _, err := transcript(t, c.r, c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.kind) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, name := range []string{"", "x.csv", "x.arrow", "x.arrows", "x.feather"} {
		for _, data := range [][]byte{data, stream} {
			if _, stats, err := transcript(t, bytes.NewReader(data), named(name)); err != nil || stats.Edges != 2 || stats.Layout != format.LayoutArrow {
				t.Errorf("%s: %+v, %v", name, stats, err)
			}
		}
	}
}

// A row group is full after 64 MiB, a batch after 4, and a cancelled write or read ends.
func TestColumnar_Cancelled(t *testing.T) {
	for _, form := range format.Columnars() {
		cancelledColumnar(t, form)
	}
}

func cancelledColumnar(t *testing.T, form format.Columnar) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &sample{keys: []string{"a", "b"}, values: make([][]*string, 2)}
	g := s.graph()
	g.Edges = func(yield func(format.NumberedEdge) bool) {
		for i := 0; yield(format.NumberedEdge{Source: 0, Target: 1, Weight: 1}); i++ {
			if i == 100_000 {
				cancel()
			}
		}
	}
	if err := columnar.WriteEdges(ctx, io.Discard, form, g, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("writing: %v", err)
	}
	many := &sample{keys: []string{"a", "b"}, values: make([][]*string, 2), edges: make([]format.NumberedEdge, 100_000)}
	ctx, cancel = context.WithCancel(t.Context())
	read := 0
	_, err := graphfile.Read(ctx, bytes.NewReader(edgesColumnar(t, form, many)), format.Options{}, format.Handler{Edge: func(format.Edge) error {
		if read++; read == 10 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || read > 2*writing.CheckEvery {
		t.Errorf("reading: %v after %d edges", err, read)
	}
}

// FuzzReadColumnar reads files that may be damaged as edges, vertices and vectors.
func FuzzReadColumnar(f *testing.F) {
	s := people()
	for _, form := range format.Columnars() {
		f.Add(edgesColumnar(f, form, s))
		f.Add(verticesColumnar(f, form, s))
		var out bytes.Buffer
		if err := columnar.WriteVectors(f.Context(), &out, form, 2, 2, appendKeys([]string{"a", "b"}), func(int) []float32 { return []float32{1, 2} }, nil); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := format.EdgeListOptions{MaxBytes: 1 << 20, MaxLines: 10_000}
		for _, layout := range []format.Layout{format.LayoutParquet, format.LayoutArrow, format.LayoutVertices} {
			graphfile.Read(t.Context(), bytes.NewReader(data), format.Options{Layout: layout, EdgeListOptions: limits}, format.Handler{})
		}
		for _, form := range []format.Columnar{format.Parquet, format.Arrow} {
			var got vectors
			columnar.ReadVectors(t.Context(), bytes.NewReader(data), form, format.VectorOptions{MaxBytes: 1 << 20, MaxDim: 100}, got.handler())
		}
	})
}

// A file is read as one that OpenFile opens.
func TestColumnar_OpenFile(t *testing.T) {
	for _, form := range format.Columnars() {
		openFileColumnar(t, form)
	}
}

func openFileColumnar(t *testing.T, form format.Columnar) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.data")
	if err := os.WriteFile(path, edgesColumnar(t, form, people()), 0o600); err != nil {
		t.Fatal(err)
	}
	in, _, err := atomicfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, stats, err := transcript(t, in, format.Options{}); err != nil || stats.Edges != 2 || stats.SHA256 == [32]byte{} {
		t.Errorf("%+v, %v", stats, err)
	}
}

// Rows of any values get the narrowest type that holds the first of them.
func TestColumnarRows(t *testing.T) {
	for _, form := range format.Columnars() {
		anyRows(t, form)
	}
}

func anyRows(t *testing.T, form format.Columnar) {
	t.Helper()
	var out bytes.Buffer
	p := columnar.NewRows(&out, form, []string{"key", "n", "x", "ok", "mixed", "none"}, nil, []columnar.Note{{Key: "statement", Text: "SHOW"}})
	for _, row := range [][]any{
		{"a", int64(1), int64(2), true, int64(3), nil},
		{"b", nil, 2.5, false, "three", nil},
		{"c\n", int64(-1), nil, nil, 0.5, nil},
	} {
		if err := p.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	got, _, err := transcript(t, bytes.NewReader(out.Bytes()), format.Options{Layout: format.LayoutVertices})
	want := "columns n:integer x:float ok:boolean mixed:text none:text\n" +
		`vertex a "1" "2.0" "true" "3" -` + "\n" + `vertex b - "2.5" "false" "three" -` + "\nvertex c\n" + ` "-1" - - "0.5" -` + "\n"
	if err != nil || got != want {
		t.Errorf("%v, read\n%s\nwant\n%s", err, got, want)
	}
	late := columnar.NewRows(io.Discard, form, []string{"n"}, nil, nil)
	for range 10_000 {
		if err := late.Row([]any{int64(1)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := late.Row([]any{"one"}); !errors.Is(err, format.ErrValue) {
		t.Errorf("a text after integers: %v", err)
	}
}
