package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/rowtext"
)

// edgesOf reads a text and returns its edges, sorted, as "source target weight time".
func edgesOf(t *testing.T, text []byte, opts format.Options) ([]string, format.ReadStats, error) {
	t.Helper()
	var edges []string
	stats, err := graphfile.Read(t.Context(), bytes.NewReader(text), opts, format.Handler{Edge: func(e format.Edge) error {
		line := fmt.Sprintf("%s %s", e.Source, e.Target)
		if e.Weighted {
			line += fmt.Sprintf(" %v", e.Weight)
		}
		if e.Timed {
			line += fmt.Sprintf(" @%d", e.Time)
		}
		edges = append(edges, line)
		return nil
	}})
	slices.Sort(edges)
	return edges, stats, err
}

// remarks returns the kinds of remarks of a read, with their counts.
func remarks(stats format.ReadStats) string {
	var list []string
	for _, r := range stats.Remarks {
		list = append(list, fmt.Sprintf("%s: %d", r.What, r.Count))
	}
	return strings.Join(list, "; ")
}

// The same edges are read from every combination of a separator, a header, a line end and a
// compression.
func TestRead_Kinds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	type header struct {
		name, line string // S is the separator
		opts       format.EdgeListOptions
		columns    int
		blanks     bool // also where blanks separate
	}
	headers := []header{
		{"none", "", format.EdgeListOptions{Weight: "3"}, 3, true},
		{"FALSE", "", format.EdgeListOptions{Weight: "3", Header: format.HeaderNone}, 3, true},
		{"known", "sourceStargetSweight", format.EdgeListOptions{}, 3, true},
		{"known, one a time", "fromStoSweightStime", format.EdgeListOptions{}, 4, true},
		{"words above numbers", "protein1Sprotein2Scombined_score", format.EdgeListOptions{Weight: "3"}, 3, true},
		{"words above numbers, weight by name", "leftSrightSweight", format.EdgeListOptions{}, 3, true},
		{"words that occur nowhere else", "whoSwhom", format.EdgeListOptions{}, 2, true},
		{"TRUE", "aSb", format.EdgeListOptions{Header: format.HeaderNames}, 2, true},
		{"known words", "followerSfollowee", format.EdgeListOptions{}, 2, false},
		{"comment", "# source target weight time", format.EdgeListOptions{}, 4, true},
		{"comment of other words", "% one other weight", format.EdgeListOptions{}, 3, true},
	}
	compressions := map[string]func([]byte) []byte{
		"plain": bytes.Clone, "gzip": func(text []byte) []byte { return gzipped(t, text) }, "zstd": func(text []byte) []byte { return zstdped(t, text) },
	}
	for _, h := range headers {
		var rows [][]string
		var want []string
		for i := range 40 {
			row := []string{fmt.Sprintf("k%d", random.IntN(12)), fmt.Sprintf("k%d", random.IntN(12)), fmt.Sprintf("%d.5", i), fmt.Sprint(1000 + i)}[:h.columns]
			line := row[0] + " " + row[1]
			if h.columns > 2 {
				line += " " + row[2]
			}
			if h.columns > 3 {
				line += " @" + row[3]
			}
			rows, want = append(rows, row), append(want, line)
		}
		slices.Sort(want)
		for _, sep := range []string{" ", "\t", ",", ";", "|"} {
			if sep == " " && !h.blanks {
				continue
			}
			for _, end := range []string{"\n", "\r\n", "\r"} {
				var text strings.Builder
				if h.line != "" {
					line := h.line
					if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "%") {
						line = strings.ReplaceAll(line, "S", sep)
					}
					text.WriteString(line + end)
				}
				for _, row := range rows {
					text.WriteString(strings.Join(row, sep) + end)
				}
				for _, whole := range []string{text.String(), tokens.ByteOrderMark + text.String(), strings.TrimSuffix(text.String(), end)} {
					for name, compress := range compressions {
						opts := format.Options{EdgeListOptions: h.opts}
						got, stats, err := edgesOf(t, compress([]byte(whole)), opts)
						if err != nil || !slices.Equal(got, want) {
							t.Fatalf("header %s, separator %q, line end %q, %s: %v, %d edges of %d, stats %+v\n%s", h.name, sep, end, name, err, len(got), len(want), stats, whole[:60])
						}
						if taken := stats.Header != ""; taken != (h.line != "") {
							t.Errorf("header %s, separator %q: header %q", h.name, sep, stats.Header)
						}
					}
				}
			}
		}
	}
}

// Files of other people, each read as what it is or refused by name.
func TestRead_Cases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file    string
		opts    format.Options
		edges   string
		remarks string
		err     string
	}{
		{file: "one-percent.edges", err: "2:1: a matrix of 3 rows and 5 columns is no adjacency matrix of a graph: its rows and columns number different vertices"},
		{file: "words-header.txt", edges: "9606.P1 9606.P2, 9606.P1 9606.P3"},
		{file: "square.csv", err: "1:1: this looks like a square matrix of 4 columns: format := 'matrix' reads it as one, and format := 'edges' as a list of edges"},
		{file: "square.csv", opts: format.Options{Layout: format.LayoutAdjacency}, edges: "1 2 1, 1 4 1, 2 1 1, 2 3 1, 3 2 1, 4 1 1", remarks: "square of numbers read as an adjacency matrix: 1"},
		{file: "square.csv", opts: format.Options{Layout: format.LayoutMatrix}, edges: "1 2 1, 1 4 1, 2 1 1, 2 3 1, 3 2 1, 4 1 1"},
		{file: "braces.edgelist", edges: "a b 3.5, b c 2"},
		{file: "returns.txt", edges: "a b, b c"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		c.opts.Name = c.file
		edges, stats, err := edgesOf(t, text, c.opts)
		if c.err != "" {
			if err == nil || err.Error() != c.file+":"+c.err {
				t.Errorf("%s: %v, want %s", c.file, err, c.err)
			}
			continue
		}
		if err != nil || strings.Join(edges, ", ") != c.edges || remarks(stats) != c.remarks {
			t.Errorf("%s: %v, %q, remarks %q", c.file, err, edges, remarks(stats))
		}
	}
}

func TestRead_Headers(t *testing.T) {
	t.Parallel()
	named := "first line taken as the names of the columns, because its words occur nowhere else: 1"
	edge := "first line taken as an edge, although its keys occur nowhere else: 1"
	for _, c := range []struct {
		text    string
		opts    format.EdgeListOptions
		edges   string
		remarks string
		err     string
	}{
		{text: "user,item\nu1,i1\nu1,i2\n", edges: "u1 i1, u1 i2"},
		{text: "head,relation,tail\na,knows,b\nb,likes,c\n", edges: "a b, b c"},
		{text: "id,name,age\n1,Alice,30\n2,Bob,25\n", err: "the header names no two ends of edges"},
		{text: "movieId,title,genres\n1,Toy Story (1995),Adventure\n2,Jumanji (1995),Children\n3,Heat,Crime\n", err: "the header names no two ends of edges"},
		{text: "movieId,tag\n1,fun\n2,fun\n3,old\n", edges: "1 fun, 2 fun, 3 old"},
		{text: "id,name\n1,Alice\n2,Bob\n", err: "the header names no two ends of edges"},
		{text: ",name,age\n1,Alice,30\n2,Bob,25\n", err: "column 1 is empty"},
		{text: "id,from,to,x\n1,a,b,5\n2,b,c,6\n", edges: "a b, b c"},
		{text: "id,x,y,z\n1,a,b,5\n2,b,c,6\n", opts: format.EdgeListOptions{Source: "x", Target: "y"}, edges: "a b, b c"},
		{text: "node,friend\n1,2\n1,3\n", edges: "1 2, 1 3"},
		{text: "who,whom\na,b\nb,c\n", edges: "a b, b c", remarks: named},
		{text: "who,whom\na,b\nb,c\n", opts: format.EdgeListOptions{Header: format.HeaderNone}, edges: "a b, b c, who whom"},
		{text: "who,whom\na,b\nwho,c\nb,c\n", edges: "a b, b c, who c, who whom"},
		{text: "who,whom\na,b\nc,d\n", edges: "a b, c d, who whom", remarks: edge},
		{text: "who,whom\na,b\n", edges: "a b, who whom"},
		{text: "who whom\na b\nb c\n", edges: "a b, b c, who whom", remarks: edge},
		{text: "who whom\na b\nb c\n", opts: format.EdgeListOptions{Header: format.HeaderNames}, edges: "a b, b c"},
		{text: "user item\nu i\n", edges: "u i", remarks: named},
		{text: "user item\nu item\n", edges: "u item, user item"},
		{text: "a b\nb c\nc d\n", edges: "a b, b c, c d"},
		{text: "9606.P1 9606.P2\n9606.P1 9606.P3\n9606.P4 9606.P3\n", edges: "9606.P1 9606.P2, 9606.P1 9606.P3, 9606.P4 9606.P3"},
		{text: "a b 1\nc d 2\n", edges: "a b, c d"},
		{text: "x y\n1 2\n", edges: "1 2"},
		{text: "ada 1\nbob 2\n", edges: "ada 1, bob 2"},
		{text: "ada bob\ncyd 2\n", edges: "ada bob, cyd 2"},
		{text: "one,two,when\na,b,2020-01-01\nb,c,NA\n", edges: "a b, b c"},
		{text: "source,target,label\n#x,b,1\n", edges: "#x b"},
		{text: "one,two,label\n#x,b,1\nc,d,2\n", edges: "#x b, c d"},
		{text: "one,two,label\n#\xe7,b,1\nc,d,2\n", err: "is not valid UTF-8"},
		{text: "sep=;\na;b\nb;c\n", edges: "a b, b c"},
		{text: "a,b,x;y\nb,c,z\n", edges: "a b, b c"},
		{text: "a;b;x,y\nb;c;z\n", edges: "a b, b c"},
		{text: "1,5;2,5\n", edges: "1,5 2,5"},
		{text: "1 2 0,5\n", edges: "1 2"},
		{text: "a\tb\t0,5\n", edges: "a b"},
		{text: "Smith, J;Doe, A\n", err: "both commas and semicolons could separate the columns; say which"},
		{text: "x|y,z\n", err: "both commas and bars could separate the columns; say which"},
		{text: "a b|c d\n", err: "both blanks and '|' could separate the columns"},
		{text: "Ada B;Cyd D\n", edges: "Ada B Cyd D"},
		{text: "a | b\n", edges: "a b"},
		{text: "(0, 1) (0, 2) {}\n(0, 2) (1, 2) {}\n", err: "a comma inside brackets could separate"},
		{text: "(a, b)\n(b, c)\n", err: "a comma inside brackets could separate"},
		{text: "a,[b, c]\nb,c\n", err: "a comma inside brackets could separate"},
		{text: "((a,b),c);\n", err: "a comma inside brackets could separate"},
		{text: "a,[b\nb,(c\n", edges: "a [b, b (c"},
		{text: "(a, b)\n(b, c)\n", opts: format.EdgeListOptions{Separator: "comma"}, edges: "(a b), (b c)"},
		{text: "\"(a\",b\n", edges: "(a b"},
		{text: "f(x),[g]\n", edges: "f(x) [g]"},
		{text: "(0,1)\t(0,2)\n", edges: "(0,1) (0,2)"},
		{text: "a b\rb c\nc d\n", err: "carriage return inside a line"},
		{text: "a knows b\nb likes d\n", edges: "a knows, b likes", remarks: "third column of texts left out: 1"},
		{text: "a\tr1\tb\na\tr2\tc\nb\tr3\td\nc\tr4\te\n", edges: "a r1, a r2, b r3, c r4", remarks: "third column of texts left out: 1"},
		{text: "a b x\nb c y\nc d z\n", edges: "a b, b c, c d"},
		{text: "u1 i1 good\nu2 i2 bad\nu2 i1 good\n", edges: "u1 i1, u2 i1, u2 i2"},
		{text: "u1 r1 v1\nu2 r1 v2\n", edges: "u1 r1, u2 r1", remarks: "third column of texts left out: 1"},
		{text: "\"a\"\tb\n", edges: "\"a\" b"},
		{text: "a knows b\nb knows c\nc likes d\nd knows e\n", edges: "a knows, b knows, c likes, d knows", remarks: "third column of texts left out: 1"},
		{text: "a b {'weight': 2, 'x': [1, {'y': '}'}], \"time\": 7}\n", edges: "a b 2 @7", remarks: "attributes of edges left out: 1"},
		{text: "a,b,{'weight': 2}\nb,c,{}\n", edges: "a b 2, b c"},
		{text: "a b {'weight': None, 'cost': 3}\n", edges: "a b", remarks: "attributes of edges left out: 1; weights taken as missing: 1"},
		{text: "a b {'weight': 1, 'cost': 3}\n", opts: format.EdgeListOptions{Weight: "cost"}, edges: "a b 3", remarks: "attributes of edges left out: 1"},
		{text: "a b {'weight': 1}\n", opts: format.EdgeListOptions{Weight: format.NoColumn}, edges: "a b", remarks: "attributes of edges left out: 1"},
		{text: "a {}\n{x} {y}\n", edges: "a {}, {x} {y}"},
		{text: "\"x y\",{}\n", edges: "x y {}"},
		{text: "a b {x}\n", edges: "a b"},
	} {
		c.opts.Name = "g"
		edges, stats, err := edgesOf(t, []byte(c.text), format.Options{EdgeListOptions: c.opts, Layout: format.LayoutEdges})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || !errors.Is(err, format.ErrSyntax) {
				t.Errorf("%q: %v, want %s", c.text, err, c.err)
			}
			continue
		}
		if err != nil || strings.Join(edges, ", ") != c.edges || remarks(stats) != c.remarks {
			t.Errorf("%q: %v, edges %q, remarks %q", c.text, err, edges, remarks(stats))
		}
	}
}

// A header below which a table of edges has lines that look like comments, in any order.
func TestRead_HeldComments(t *testing.T) {
	t.Parallel()
	_, stats, err := edgesOf(t, []byte("one,two\n#a,b\nc,d\n# prose\n"), format.Options{})
	if err != nil || stats.Edges != 2 || stats.Comments != 2 || stats.LateComments != 1 {
		t.Errorf("no header: %v, %+v", err, stats)
	}
	_, stats, err = edgesOf(t, []byte("one,two\n#1,2\n3,4\n5,4\n6,7\n# prose\n"), format.Options{EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNames}})
	if err != nil || stats.Edges != 4 || stats.Comments != 1 || stats.LateComments != 0 {
		t.Errorf("a header: %v, %+v", err, stats)
	}
}

// A square matrix gives the edges of the same matrix in Matrix Market, whatever names it has.
func TestRead_Matrices(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	for n := 3; n < 40; n += 4 {
		entries, market := make([][]string, n), ""
		count := 0
		for i := range n {
			entries[i] = make([]string, n)
			for j := range n {
				entries[i][j] = "0"
				if i != j && random.IntN(3) == 0 {
					entries[i][j] = fmt.Sprint(random.IntN(9) + 1)
					market += fmt.Sprintf("%d %d %s\n", i+1, j+1, entries[i][j])
					count++
				}
			}
		}
		market = fmt.Sprintf("%%MatrixMarket matrix coordinate real general\n%d %d %d\n%s", n, n, count, market)
		want, stats, err := edgesOf(t, []byte(market), format.Options{})
		if err != nil || stats.Layout != format.LayoutMatrixMarket {
			t.Fatal(err, stats.Layout)
		}
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint(i + 1)
		}
		for _, sep := range []string{" ", "\t", ",", ";", "|"} {
			bare, header, labelled, corner := "", strings.Join(names, sep)+"\n", strings.Join(names, sep)+"\n", "x"+sep+strings.Join(names, sep)+"\n"
			for i, row := range entries {
				line := strings.Join(row, sep) + "\n"
				bare, header = bare+line, header+line
				labelled, corner = labelled+names[i]+sep+line, corner+names[i]+sep+line
			}
			for name, c := range map[string]struct {
				text string
				opts format.Options
			}{
				"bare":                  {bare, format.Options{Layout: format.LayoutMatrix}},
				"bare, as adjacency":    {bare, format.Options{Layout: format.LayoutAdjacency}},
				"header":                {header, format.Options{Layout: format.LayoutMatrix, EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNames}}},
				"names on both":         {labelled, format.Options{}},
				"names and a corner":    {corner, format.Options{}},
				"names, as adjacency":   {corner, format.Options{Layout: format.LayoutAdjacency}},
				"names, of that ending": {corner, format.Options{EdgeListOptions: format.EdgeListOptions{Name: "g.adj"}}},
			} {
				got, stats, err := edgesOf(t, []byte(c.text), c.opts)
				if err != nil || !slices.Equal(got, want) || stats.Layout != format.LayoutMatrix || stats.Vertices != int64(n) {
					t.Errorf("%d rows, separator %q, %s: %v, %d edges of %d, layout %s", n, sep, name, err, len(got), len(want), stats.Layout)
				}
			}
			if _, _, err := edgesOf(t, []byte(bare), format.Options{}); err == nil || !strings.Contains(err.Error(), "square matrix") {
				t.Errorf("%d rows, separator %q: %v, want a question", n, sep, err)
			}
		}
	}
	for text, want := range map[string]string{
		"a,b\n1,0\n":           "1: the matrix has 2 columns and 1 rows",
		"1,0\n0,1\n1,1\n":      "3:1: the matrix has 2 columns, and here is one more row",
		"1,0\n0,1\n0,1,1\n":    "3:1: the matrix has 2 columns, and here is one more row",
		"1,0,0\n0,1\n":         "2:1: the matrix has 3 columns, and this row 2",
		",a,b\na,0,1\nc,0,1\n": `3:1: the header has no column for row "c"`,
		",a,b\na,0,1\na,0,1\n": `3:1: row "a" is there twice`,
		",a,a\na,0,1\na,0,1\n": `1:1: columns 1 and 2 are both called "a"`,
		"0,-1\n1,0\n":          `1:1: weight "-1" is not a positive decimal number that a float32 can hold`,
		"":                     "",
	} {
		if _, _, err := edgesOf(t, []byte(text), format.Options{Layout: format.LayoutMatrix}); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	// Squares that are lists of edges, or adjacency lists.
	for text, layout := range map[string]format.Layout{
		"1 2 0.5\n2 3 0.7\n3 1 0.2\n":                 format.LayoutEdges,
		"source,target,weight\n0,1,1\n1,0,1\n0,1,0\n": format.LayoutEdges,
		"0 1\n1 0\n": format.LayoutEdges,
	} {
		if _, stats, err := edgesOf(t, []byte(text), format.Options{}); err != nil && !strings.Contains(err.Error(), "weight") || stats.Layout != layout {
			t.Errorf("%q: %v, layout %s", text, err, stats.Layout)
		}
	}
	if edges, stats, err := edgesOf(t, []byte("0 1 2\n1 0 3\n2 3 0\n"), format.Options{Layout: format.LayoutAdjacency}); err != nil || len(edges) != 6 || remarks(stats) != "square of numbers read as adjacency lists: 1" {
		t.Errorf("%q, %v, %q", edges, err, remarks(stats))
	}
}

// Words for missing values are no weights and no times.
func TestRead_MissingMeasures(t *testing.T) {
	t.Parallel()
	for _, word := range decimal.MissingWords {
		for _, word := range []string{word, strings.ToUpper(word)} {
			edges, stats, err := edgesOf(t, []byte("source,target,weight,time\na,b,"+word+",5\nb,c,2,"+word+"\n"), format.Options{})
			if err != nil || strings.Join(edges, ", ") != "a b @5, b c 2" || remarks(stats) != "weights taken as missing: 1; times taken as missing: 1" {
				t.Errorf("%q: %v, %q, %q", word, err, edges, remarks(stats))
			}
		}
	}
}

func TestRead_TimeUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		time, unit string
		want       int64
		dated, cut bool
	}{
		{"1217567877.0", "", 1217567877, false, false},
		{"1217567877.9", "", 1217567877, false, true},
		{"-1.5", "", -2, false, true},
		{"1.217567877e9", "", 1217567877, false, false},
		{"1217567877", "s", 1217567877, true, false},
		{"1217567877.0", "s", 1217567877, true, false},
		{"1217567877999", "ms", 1217567877, true, true},
		{"1217567877000", "ms", 1217567877, true, false},
		{"-1", "ms", -1, true, true},
		{"1217567877000001", "us", 1217567877, true, true},
		{"1217567877000000000", "ns", 1217567877, true, false},
		{"2008-08-01", "ms", 1217548800, true, false},
		{"2008-08-01T00:00:00.5Z", "", 1217548800, true, true},
		{"7", "none", 7, false, false},
	} {
		var got format.Edge
		stats, err := graphfile.Read(t.Context(), strings.NewReader("source,target,time\na,b,"+c.time+"\n"), format.Options{EdgeListOptions: format.EdgeListOptions{TimeUnit: c.unit}}, format.Handler{Edge: func(e format.Edge) error { got = e; return nil }})
		if err != nil || got.Time != c.want || got.Dated != c.dated || (len(stats.Remarks) > 0) != c.cut {
			t.Errorf("%s in %q: %v, %+v, %q", c.time, c.unit, err, got, remarks(stats))
		}
	}
	if err := (format.EdgeListOptions{TimeUnit: "minutes"}).Validate(); !errors.Is(err, format.ErrOptions) {
		t.Errorf("minutes: %v", err)
	}
	for _, text := range []string{"1e300", "12:30", "1.2.3", "9007199254740994e1"} {
		if _, _, err := edgesOf(t, []byte("source,target,time\na,b,"+text+"\n"), format.Options{}); !errors.Is(err, format.ErrSyntax) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Files that are no texts, and texts of another kind, are refused by what they are, in every layout of lines, also where bad
// lines are skipped.
func TestRead_BinaryFiles(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"\x80\x04\x95\x10\x00": "a pickle of Python", "a\x00 \x00b\x00\n\x00": "UTF-16 without",
		strings.Repeat("x", 257) + "ustar\x0000": "a tar archive",
	}
	texts["SQLite format 3\x00\x00\x01\x02\xff"] = "this is a SQLite database, and no text; export a table of edges as CSV"
	texts["\r\n <!DOCTYPE HTML x y\nx y\n"] = "this is a web page, which is not read; the download may have failed"
	for text, want := range texts {
		for _, layout := range []format.Layout{"", format.LayoutEdges, format.LayoutAdjacency, format.LayoutMatrix, format.LayoutVertices, format.LayoutMETIS, format.LayoutPajek, format.LayoutMatrixMarket} {
			_, _, err := edgesOf(t, []byte(text), format.Options{Layout: layout, EdgeListOptions: format.EdgeListOptions{SkipBad: true}})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q as %q: %v, want %s", text, layout, err, want)
			}
		}
	}
}

// Lines that end in a carriage return alone, in every layout of lines.
func TestRead_Returns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		opts format.Options
	}{
		{"a b\nb c\n", format.Options{}},
		{"a b c\nd e\n", format.Options{Layout: format.LayoutAdjacency}},
		{"key,x\na,1\nb,2\n", format.Options{Layout: format.LayoutVertices}},
		{"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", format.Options{}},
		{"2 1\n2\n1\n", format.Options{Layout: format.LayoutMETIS}},
		{"*Vertices 2\n1 a\n2 b\n*Edges\n1 2\n", format.Options{Layout: format.LayoutPajek}},
		{"% sym unweighted\n1 2\n", format.Options{EdgeListOptions: format.EdgeListOptions{Name: "out.moreno"}}},
	} {
		want, _, err := transcript(t, strings.NewReader(c.text), c.opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{strings.ReplaceAll(c.text, "\n", "\r"), strings.TrimSuffix(strings.ReplaceAll(c.text, "\n", "\r"), "\r")} {
			if got, _, err := transcript(t, strings.NewReader(text), c.opts); err != nil || got != want {
				t.Errorf("%q: %v, %q, want %q", text, err, got, want)
			}
		}
	}
	long := strings.Repeat("a b\r", 20_000)
	if edges, _, err := edgesOf(t, []byte(long), format.Options{}); err != nil || len(edges) != 20_000 {
		t.Errorf("several blocks: %d, %v", len(edges), err)
	}
	if _, _, err := edgesOf(t, []byte(long+"c d\n"), format.Options{}); err == nil || !strings.Contains(err.Error(), "write one kind of line end") {
		t.Errorf("mixed: %v", err)
	}
}

// Keys and names that look like separators, dictionaries or missing values come back from every text.
func TestWrite_AmbiguousKeys(t *testing.T) {
	t.Parallel()
	keys := []string{"a;b", "c|d", "{x}", "{}", "{'weight': 2}", "NA", "sep=;", "x y", "1,5", "a{b", "who", "whom", "%MatrixMarket", "-"}
	s := &sample{keys: keys, values: make([][]*string, len(keys))}
	for v := range keys {
		for u := range v {
			s.edges = append(s.edges, format.NumberedEdge{Source: uint32(u), Target: uint32(v), Weight: 1})
		}
	}
	for start := range keys[1:] {
		part := *s
		part.edges = slices.Concat(s.edges[start:], s.edges[:start])
		for _, words := range []bool{false, true} {
			var text bytes.Buffer
			g := part.graph()
			write := func() error { return rowtext.WriteCSV(t.Context(), &text, g, rowtext.CSVOptions{}) }
			if words {
				write = func() error { return rowtext.WriteEdges(t.Context(), &text, g) }
			}
			if err := write(); err != nil {
				t.Fatal(err)
			}
			written := text.String()
			edges, _, err := edgesOf(t, []byte(written), format.Options{})
			if err != nil || len(edges) != len(part.edges) || !slices.Contains(edges, "c|d {}") && !slices.Contains(edges, "c|d {} 1") {
				t.Fatalf("%v, %d edges of %d: %q\n%s", err, len(edges), len(part.edges), edges, written)
			}
		}
	}
}

// A table of vertices whose first line may be none of names says so.
func TestRead_TableNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"key,city\na,bern\nb,zug\n": 0, "person,age\na,1\nb,2\n": 0, "alice,bern\nbob,zug\n": 1, "alice,30\nbob,41\n": 1,
		"person,2019,2020\na,1,2\n": 1, "person,city\n": 0, "a:ID,x\n1,y\n": 0, "person,city:text\na,b\n": 0,
		"person,city\n" + strings.Repeat("a,b\n", 100): 1, "person,city,n\n" + strings.Repeat("a,b,\n", 30) + "a,b,1\n": 0,
	} {
		_, stats, err := edgesOf(t, []byte(text), format.Options{Layout: format.LayoutVertices})
		count := int64(0)
		for _, r := range stats.Remarks {
			if r.What == "first line taken as the names of the columns" {
				count = r.Count
			}
		}
		if err != nil || count != want {
			t.Errorf("%q: %v, %v, want %d", text, err, stats.Remarks, want)
		}
	}
}

// Quotes between tabs are parts of the fields of a table, which a remark counts.
func TestRead_QuotesBetweenTabs(t *testing.T) {
	t.Parallel()
	for text, count := range map[string]int64{
		"key\tx\ty\na\t\"u \"\"v\"\"\"\t1\n\"b\"\t\"\"\t2\n": 3,
		"key\tx\na\t\"u\nb\t6\" nail\n":                      0,
		"key,x\na,\"u\"\n":                                   0,
	} {
		_, stats, err := edgesOf(t, []byte(text), format.Options{Layout: format.LayoutVertices})
		got := int64(0)
		for _, r := range stats.Remarks {
			if strings.HasPrefix(r.What, "fields in quotes between tabs") {
				got = r.Count
			}
		}
		if err != nil || got != count {
			t.Errorf("%q: %v, %d, want %d", text, err, got, count)
		}
	}
}
