package format_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"heavytail/.ci/leaktest"
	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/internal/compress"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// readAll reads text and returns its edges as "source>target".
func readAll(t *testing.T, r io.Reader, opts format.EdgeListOptions) ([]string, format.ReadStats, error) {
	t.Helper()
	edges := []string{}
	stats, err := rowtext.ReadEdgeList(t.Context(), r, opts, func(e format.Edge) error {
		if e.Weight != 1 || e.Time != 0 || e.Timed {
			t.Errorf("weight %v, time %v of an edge without them", e.Weight, e.Time)
		}
		edges = append(edges, string(e.Source)+">"+string(e.Target))
		return nil
	})
	return edges, stats, err
}

func TestReadEdgeList_Forms(t *testing.T) {
	const bom = "\ufeff"
	for _, c := range []struct {
		name, text string
		opts       format.EdgeListOptions
		edges      string // separated by spaces
		stats      format.ReadStats
	}{
		{name: "empty", text: "", edges: ""},
		{name: "only comments", text: "# a\n% b\n\n", stats: format.ReadStats{Lines: 3, Comments: 2}},
		{name: "spaces", text: "1 2\n2 3\n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "runs of blanks", text: "  1 \t 2  \n\t2\t\t3\n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "no last line feed", text: "1 2\n2 3", edges: "1>2 2>3", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "CRLF", text: "1 2\r\n\r\n2 3\r\n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 3, Edges: 2}},
		{name: "lone CR at the end", text: "1 2\n2 3\r", edges: "1>2 2>3", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "BOM", text: bom + "1 2\n", edges: "1>2", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "BOM before a comment", text: bom + "# x\n1 2\n", edges: "1>2", stats: format.ReadStats{Lines: 2, Edges: 1, Comments: 1}},
		{name: "comments between", text: "1 2\n# 5 6\n  % 7 8\n2 3\n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 4, Edges: 2, Comments: 2}},
		{name: "keys of comments below a header", text: "source,target\n# made by x\n#a,b\n%a,#b\n#a,b,c\n", edges: "#a>b %a>#b", stats: format.ReadStats{Lines: 5, Edges: 2, Comments: 2, Header: "source,target"}},
		{name: "no keys of comments without a header", text: "1,2\n#a,b\n", edges: "1>2", stats: format.ReadStats{Lines: 2, Edges: 1, Comments: 1, LateComments: 1}},
		{name: "no keys of comments between blanks", text: "source target\n#a b\n# c d\n", edges: "", stats: format.ReadStats{Lines: 3, Comments: 2, LateComments: 1, Header: "source target"}},
		{name: "separators at the ends of lines", text: "source,target\na,b,\nc,d,,\n", edges: "a>b c>d", stats: format.ReadStats{Lines: 3, Edges: 2, IgnoredColumns: 2, Header: "source,target"}},
		{name: "more columns than a comment names", text: "# source target\n1 2 3\n", edges: "1>2", stats: format.ReadStats{Lines: 2, Edges: 1, Comments: 1, IgnoredColumns: 1, Header: "# source target"}},
		{name: "comment in Latin-1", text: "# caf\xe9\n1 2\n", edges: "1>2", stats: format.ReadStats{Lines: 2, Edges: 1, Comments: 1}},
		{name: "keys as written", text: "007 7\n-1 +1\n1.0 1e0\n", edges: "007>7 -1>+1 1.0>1e0", stats: format.ReadStats{Lines: 3, Edges: 3}},
		{name: "self-loops and repeats are kept", text: "1 1\n1 2\n2 1\n1 2\n", edges: "1>1 1>2 2>1 1>2", stats: format.ReadStats{Lines: 4, Edges: 4}},
		{name: "text keys", text: "ada bob\nbob cyd\n", edges: "ada>bob bob>cyd", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "UTF-8 keys", text: "Zoë 北京\n北京 Ωmega\n", edges: "Zoë>北京 北京>Ωmega", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "one text line", text: "ada bob", edges: "ada>bob", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "quotes are plain outside CSV", text: "\"a b\"\n", edges: `"a>b"`, stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "a hash inside a key", text: "a#1 b%2\n", edges: "a#1>b%2", stats: format.ReadStats{Lines: 1, Edges: 1}},

		{name: "tab, spaces in keys", text: "ada l\tbob m\ncyd n\tada l\t3\n", edges: "ada l>bob m cyd n>ada l", stats: format.ReadStats{Lines: 2, Edges: 2, IgnoredColumns: 1}},
		{name: "tab, blanks around", text: " ada \t bob \n", edges: "ada>bob", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "integers, tabs and spaces mixed", text: "1\t9\n3 4\n5 \t6\n", edges: "1>9 3>4 5>6", stats: format.ReadStats{Lines: 3, Edges: 3}},
		{name: "tab given", text: "1 2\t3 4\n", opts: format.EdgeListOptions{Separator: "tab"}, edges: "1 2>3 4", stats: format.ReadStats{Lines: 1, Edges: 1}},

		{name: "comma", text: "1,2\n2,3\n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "comma, blanks around", text: "1, 2\n2 ,\t3\n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "comma, quotes", text: "\"a,b\",\"say \"\"hi\"\"\"\n \"#c\" , d \n", edges: `a,b>say "hi" #c>d`, stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "comma, both quoted with quotes inside", text: "\"a\"\"b\",\"c\"\"d\"\n", edges: `a"b>c"d`, stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "comma, tab inside quotes", text: "\"a\tb\",c\n", edges: "a\tb>c", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "comma, quote inside a bare field", text: "5\"x,b\n", edges: `5"x>b`, stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "comma, further columns", text: "1,2,0.5,\n2,3\n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 2, Edges: 2, IgnoredColumns: 2}},
		{name: "semicolon given", text: "1;\"2;3\"\n", opts: format.EdgeListOptions{Separator: ";"}, edges: "1>2;3", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "bar given", text: "1|2\n", opts: format.EdgeListOptions{Separator: "|"}, edges: "1>2", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "keys that begin like bzip2", text: "BZh91 BZh\n", edges: "BZh91>BZh", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "whitespace given", text: "1,2 3\n", opts: format.EdgeListOptions{Separator: " "}, edges: "1,2>3", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "further columns", text: "1 2 7\n2 3 8 9 \n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 2, Edges: 2, IgnoredColumns: 2}},

		{name: "known names", text: "Source,Target,Weight\na,b,1\n", edges: "a>b", stats: format.ReadStats{Lines: 2, Edges: 1, Header: "Source,Target,Weight", Weighted: 1}},
		{name: "known names in quotes", text: "\"from\",\"to\"\na,b\n", edges: "a>b", stats: format.ReadStats{Lines: 2, Edges: 1, Header: `"from","to"`}},
		{name: "unknown names before integers", text: "person friend\n1 2\n2 3\n", edges: "1>2 2>3", stats: format.ReadStats{Lines: 3, Edges: 2, Header: "person friend"}},
		{name: "text before text", text: "person friend\nada bob\n", edges: "person>friend ada>bob", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "text before mixed", text: "ada bob\n1 bob\n", edges: "ada>bob 1>bob", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "mixed before integers", text: "ada 1\n1 2\n", edges: "ada>1 1>2", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "u v is an edge of a list", text: "u v\nv w\n", edges: "u>v v>w", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "u,v names the columns of CSV", text: "u,v\nx,w\n", edges: "x>w", stats: format.ReadStats{Lines: 2, Edges: 1, Header: "u,v"}},
		{name: "names in a comment", text: "# FromNodeId\tToNodeId\nfrom to\n1 2\n", edges: "from>to 1>2", stats: format.ReadStats{Lines: 3, Edges: 2, Comments: 1, Header: "# FromNodeId\tToNodeId"}},
		{name: "prose in a comment", text: "# from to what we know\nperson friend\n1 2\n", edges: "1>2", stats: format.ReadStats{Lines: 3, Edges: 1, Comments: 1, Header: "person friend"}},
		{name: "no header, given", text: "source target\n1 2\n", opts: format.EdgeListOptions{Header: format.HeaderNone}, edges: "source>target 1>2", stats: format.ReadStats{Lines: 2, Edges: 2}},
		{name: "names, given", text: "1 2\n2 3\n", opts: format.EdgeListOptions{Header: format.HeaderNames}, edges: "2>3", stats: format.ReadStats{Lines: 2, Edges: 1, Header: "1 2"}},
		{name: "counts, given", text: "3 2 \n1 2\n2 3\n", opts: format.EdgeListOptions{Header: format.HeaderCounts}, edges: "1>2 2>3", stats: format.ReadStats{Lines: 3, Edges: 2, Header: "3 2", DeclaredVertices: 3, DeclaredEdges: 2}},
		{name: "counts, given, none", text: "3 0\n", opts: format.EdgeListOptions{Header: format.HeaderCounts}, edges: "", stats: format.ReadStats{Lines: 1, Header: "3 0", DeclaredVertices: 3}},
		{name: "counts, found", text: "3 2\n1 2\n2 3\n", edges: "3>2 1>2 2>3", stats: format.ReadStats{Lines: 3, Edges: 3, CountsHeader: true, Header: "3 2", DeclaredVertices: 3, DeclaredEdges: 2}},
		{name: "counts that do not fit", text: "3 4\n1 2\n2 3\n", edges: "3>4 1>2 2>3", stats: format.ReadStats{Lines: 3, Edges: 3}},
		{name: "counts need two columns", text: "3 2 1\n1 2\n2 3\n", edges: "3>2 1>2 2>3", stats: format.ReadStats{Lines: 3, Edges: 3, IgnoredColumns: 1}},
		{name: "an edge to vertex 0 is no count", text: "5 0\n", edges: "5>0", stats: format.ReadStats{Lines: 1, Edges: 1}},
		{name: "counts, one skipped", text: "3 2\n1 2\nx\n", opts: format.EdgeListOptions{SkipBad: true}, edges: "3>2 1>2", stats: format.ReadStats{Lines: 3, Edges: 2, Skipped: 1, CountsHeader: true, Header: "3 2", DeclaredVertices: 3, DeclaredEdges: 2}},
		{name: "skipped above the separator", text: "Title\na,b\nc\nd,\ne,f\n", opts: format.EdgeListOptions{SkipBad: true}, edges: "a>b e>f", stats: format.ReadStats{Lines: 5, Edges: 2, Skipped: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			edges, stats, err := readAll(t, strings.NewReader(c.text), c.opts)
			if err != nil {
				t.Fatal(err)
			}
			// Keys with spaces make this join ambiguous in theory only.
			if got := strings.Join(edges, " "); got != c.edges {
				t.Errorf("edges %q, want %q", got, c.edges)
			}
			want := c.stats
			want.Layout = format.LayoutEdges
			want.Bytes = int64(len(c.text))
			want.SHA256 = sha256.Sum256([]byte(c.text))
			stats.FirstSkipped, stats.Ends = nil, want.Ends // have tests of their own
			if !reflect.DeepEqual(stats, want) {
				t.Errorf("stats\n%+v, want\n%+v", stats, want)
			}
		})
	}
}

func TestReadEdgeList_Malformed(t *testing.T) {
	long := strings.Repeat("k", 1025)
	for _, c := range []struct {
		name, text string
		opts       format.EdgeListOptions
		want       string
		kind       error
	}{
		{name: "one column", text: "1 2\n3\n", want: `g.txt:2:1: expected two columns separated by spaces or tabs, found only "3"`},
		{name: "one column of CSV", text: "1,2\n3 4\n", want: `g.txt:2:1: expected two columns separated by ',', found only "3 4"`},
		{name: "a long column is cut", text: strings.Repeat("x", 100) + "\n", want: `g.txt:1:1: expected two columns separated by spaces or tabs, found only "` + strings.Repeat("x", 40) + `"…`},
		{name: "escapes", text: "\x1b[2J\u202e\n", want: `g.txt:1:1: expected two columns separated by spaces or tabs, found only "\x1b[2J\u202e"`},
		{name: "first empty", text: "1,2\n,2\n", want: "g.txt:2:1: column 1 is empty"},
		{name: "second empty", text: "1,2\nä, \n", want: "g.txt:2:4: column 2 is empty"},
		{name: "empty in quotes", text: "1,\"\"\n", want: "g.txt:1:3: column 2 is empty"},
		{name: "tab first", text: "a\tb\n\tb\n", want: "g.txt:2:1: column 1 is empty"},
		{name: "invalid UTF-8", text: "1 2\nä\xff b\n", want: "g.txt:2:2: byte 0xff is not valid UTF-8"},
		{name: "invalid UTF-8 in an ignored column", text: "1 2 \xc3\n", want: "g.txt:1:5: byte 0xc3 is not valid UTF-8"},
		{name: "encoded surrogate", text: "1 \xed\xa0\x80\n", want: "g.txt:1:3: byte 0xed is not valid UTF-8"},
		{name: "NUL", text: "1 2\n3 \x004\n", want: "g.txt:2:3: NUL byte; is this a text file?"},
		{name: "unclosed quote", text: "1,2\na,\"b\nc,d\n", want: "g.txt:2:3: a quoted field is not closed"},
		{name: "text after quote", text: "\"a\"b,c\n", want: "g.txt:1:4: text after the closing quote of a field"},
		{name: "unclosed quote in an ignored column", text: "a,b,\"\n", want: "g.txt:1:5: a quoted field is not closed"},
		{name: "commas and tabs", text: "Smith, A\tDoe, B\n", want: "g.txt:1:1: both commas and tabs could separate the columns; say which"},
		{name: "commas and tabs, skipping", text: "Smith, A\tDoe, B\n", opts: format.EdgeListOptions{SkipBad: true}, want: "g.txt:1:1: both commas and tabs could separate the columns; say which"},
		{name: "row names of R", text: "from\tto\n1\ta\tb\n", want: "g.txt:2:5: the header names 2 columns, and here is one more"},
		{name: "row names of R, below a header of other names", text: "V1 V2\n1 7 8\n", want: "g.txt:2:5: the header names 2 columns, and here is one more"},
		{name: "more columns than the header later", text: "source,target,label\na,b,x\nSmith, John,b,\"x\"\n", want: "g.txt:3:15: the header names 3 columns, and here is one more"},
		{name: "more columns than the header, read out of order", text: "target,x,source\nb,1,a\nc,2,a,\nb,1,c,d\n", want: "g.txt:4:7: the header names 3 columns, and here is one more"},
		{name: "quotes between blanks", text: "\"from\" \"to\"\n\"1\" \"a\" \"b\"\n", want: "g.txt:1:1: the fields are in quotes, which columns separated by blanks do not have; write commas between them, or take the quotes as parts of the keys by the option separator, \"whitespace\""},
		{name: "quotes between tabs", text: "\"from\"\t\"to\"\n\"1\"\t\"a b\"\t\"b\"\n", want: "g.txt:1:1: the fields are in quotes, which columns separated by tabs do not have; write commas between them, or take the quotes as parts of the keys by the option separator, \"tab\""},
		{name: "long key", text: "1 2\n3 " + long + "\n", want: `g.txt:2:3: key "` + long[:40] + `"… has 1025 bytes, the limit is 1024`, kind: format.ErrLimit},
		{name: "long line", text: "1 2\n# 34567890\n", opts: format.EdgeListOptions{MaxLine: 9}, want: "g.txt:2:1: the line exceeds the limit of 9 bytes", kind: format.ErrLimit},
		{name: "long plain line", text: "1 2\n1 2 567890\n", opts: format.EdgeListOptions{MaxLine: 9}, want: "g.txt:2:1: the line exceeds the limit of 9 bytes", kind: format.ErrLimit},
		{name: "too many lines", text: "1 2\n\n3 4\n", opts: format.EdgeListOptions{MaxLines: 2}, want: "g.txt:3:1: the text exceeds the limit of 2 lines", kind: format.ErrLimit},
		{name: "too many plain lines", text: "1 2\n3 4\n5 6\n", opts: format.EdgeListOptions{MaxLines: 2}, want: "g.txt:3:1: the text exceeds the limit of 2 lines", kind: format.ErrLimit},
		{name: "too many bytes", text: "1 2\n3 4\n5 6\n", opts: format.EdgeListOptions{MaxBytes: 9}, want: "g.txt:3:1: the text exceeds the limit of 9 bytes", kind: format.ErrLimit},
		{name: "counts given, words found", text: "a b\n", opts: format.EdgeListOptions{Header: format.HeaderCounts}, want: `g.txt:1:1: expected the numbers of vertices and edges, found "a b"`},
		{name: "counts given, nothing found", text: "# x\n", opts: format.EdgeListOptions{Header: format.HeaderCounts}, want: "g.txt:1:1: expected the numbers of vertices and edges, found no data line"},
		{name: "counts given, wrong", text: "#\n3 2\n1 2\n", opts: format.EdgeListOptions{Header: format.HeaderCounts}, want: "g.txt:2:1: the header declares 2 edges, but 1 lines follow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opts.Name = "g.txt"
			_, stats, err := readAll(t, strings.NewReader(c.text), c.opts)
			if err == nil || err.Error() != c.want {
				t.Fatalf("error %v, want %s", err, c.want)
			}
			if c.kind == nil {
				c.kind = format.ErrSyntax
			}
			var line *format.LineError
			if !errors.As(err, &line) || !errors.Is(err, c.kind) {
				t.Errorf("error is a %T of kind %v", err, errors.Unwrap(err))
			}
			if stats.SHA256 != [32]byte{} {
				t.Error("a read that did not reach the end gives a hash")
			}
		})
	}
}

func TestReadEdgeList_SkipBad(t *testing.T) {
	text := "1 2\nonly\n3 \xff\n5 6\n# 7890123456789\n1234567 90123\n7 8\n1234567 90123456"
	opts := format.EdgeListOptions{Name: "g", SkipBad: true, MaxLine: 10}
	want := []string{"1>2", "5>6", "7>8"}
	for _, size := range []int{1, 3, 7, len(text)} {
		edges, stats, err := readAll(t, chunkReader{strings.NewReader(text), size}, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(edges, want) || stats.Skipped != 5 || stats.Lines != 8 {
			t.Errorf("edges %v, stats %+v", edges, stats)
		}
		if got := stats.FirstSkipped.Error(); got != `g:2:1: expected two columns separated by spaces or tabs, found only "only"` {
			t.Errorf("first skipped: %s", got)
		}
	}
}

// chunkReader returns at most size bytes a call.
type chunkReader struct {
	r    io.Reader
	size int
}

func (c chunkReader) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.size)]) }

// TestParser_BlocksAgree cuts text into blocks of every size: single bytes send
// every line through the careful way, large blocks most lines through the fast one.
func TestParser_BlocksAgree(t *testing.T) {
	pieces := []string{
		"1 2\n", "33 44\r\n", "5\t6\n", " 7 8 \n", "9 10 11\n", "9 10 11 \r\n", "12,13\n", "14,15,16\n", "14, 15\n", "\"a,b\",c\n", "a\"b,c\n", "\"a\nb\",c\n", "a,\"\r\n\"\r\n", "\"a\rb\",c\n", "\"a\n", "\",b\n", "\"a\"b\n",
		"\n", "\r\n", "# c\n", " % c\n", "ä b\n", "x\n", ",\n", "1,\n", "1,,2\n", "\x00 1\n", "1 \xff\n", "1\r2 3\n", "k\ty z\n", "a b#\n", "abcdefghij k\n", "1 2 345678901234567890\n", "1 2 456789012345\r\n", "1 2 4567890123456\n",
		"a b 1.5 7\n", "a,b,,7\n", "a b 0\n", "a,b,2,x\n", "source target weight\n", "w,u,v\n", "# source target time\n", "a\tb\t\t\n",
	}
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 2000
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		var text []byte
		for range 1 + random.IntN(8) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		if random.IntN(3) == 0 {
			text = text[:len(text)-1]
		}
		if random.IntN(4) == 0 {
			text = append([]byte("\ufeff"), text...)
		}
		opts := format.EdgeListOptions{
			Separator: []string{"", "", " ", ",", "tab"}[random.IntN(5)],
			SkipBad:   random.IntN(3) > 0,
			MaxKey:    8,
			MaxLine:   16,
			MaxLines:  []int64{0, 5}[random.IntN(2)],
			MaxBytes:  []int64{0, 30}[random.IntN(2)],
			Source:    []string{"", "", "1", "2"}[random.IntN(4)],
			Target:    []string{"", "", "3", "4"}[random.IntN(4)],
			Weight:    []string{"", "", "5", "w"}[random.IntN(4)],
			Time:      []string{"", "", format.NoColumn, "6"}[random.IntN(4)],
		}
		if opts.Validate() != nil {
			opts.Source, opts.Target = "", ""
		}
		whole := parseBlocks(text, len(text), opts)
		for size := 1; size < len(text); size++ {
			if got := parseBlocks(text, size, opts); got != whole {
				t.Fatalf("%q with %+v\nin blocks of %d:\n%s\nwhole:\n%s", text, opts, size, got, whole)
			}
		}
	}
}

// parseBlocks returns what the parser makes of text in blocks of a size.
func parseBlocks(text []byte, size int, opts format.EdgeListOptions) string {
	var out strings.Builder
	p := rowtext.Lines(format.Options{EdgeListOptions: opts}.WithDefaults(), format.Handler{Edge: func(e format.Edge) error {
		fmt.Fprintf(&out, "%q\n", edgeText(e))
		return nil
	}})
	var err error
	for at := 0; at < len(text) && err == nil; at += size {
		// A copy with its own end, so that reading beyond it would panic.
		err = p.Block(bytes.Clone(text[at:min(at+size, len(text))]))
	}
	if err == nil {
		err = p.Finish()
	}
	if err != nil {
		p.Stats.Bytes = 0 // counts whole blocks
	}
	first := p.Stats.FirstSkipped
	p.Stats.FirstSkipped = nil
	fmt.Fprintf(&out, "%v\n%+v\n", err, p.Stats)
	if first != nil {
		fmt.Fprintf(&out, "%v\n", first)
	}
	return out.String()
}

func TestReadEdgeList_ReaderError(t *testing.T) {
	broken := errors.New("broken disk")
	r := io.MultiReader(strings.NewReader("1 2\n3 4"), iotest.ErrReader(broken))
	edges, _, err := readAll(t, r, format.EdgeListOptions{Name: "g"})
	if !errors.Is(err, broken) || err.Error() != "reading g: broken disk" {
		t.Errorf("error %v", err)
	}
	if !reflect.DeepEqual(edges, []string{"1>2"}) {
		t.Errorf("edges %v: those of complete lines before the error were expected", edges)
	}
}

func TestReadEdgeList_NoProgress(t *testing.T) {
	_, _, err := readAll(t, chunkReader{strings.NewReader("1 2\n"), 0}, format.EdgeListOptions{})
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v", err)
	}
}

func TestReadEdgeList_YieldError(t *testing.T) {
	stop := errors.New("enough")
	for _, after := range []int{1, 2, 5000} {
		seen := 0
		stats, err := rowtext.ReadEdgeList(t.Context(), bytes.NewReader(numbers(10_000, ' ')), format.EdgeListOptions{}, func(format.Edge) error {
			if seen++; seen == after {
				return stop
			}
			return nil
		})
		if err != stop || seen != after || stats.Edges != int64(after) {
			t.Errorf("error %v after %d edges, stats %+v", err, seen, stats)
		}
	}
}

func TestReadEdgeList_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	_, err := rowtext.ReadEdgeList(ctx, bytes.NewReader(numbers(200_000, ' ')), format.EdgeListOptions{Name: "g"}, func(format.Edge) error {
		if seen++; seen == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || err.Error() != "reading g: context canceled" {
		t.Errorf("error %v", err)
	}
	if seen > compress.BlockBytes {
		t.Errorf("%d edges after the context was cancelled", seen)
	}
}

// TestReadEdgeList_CancelledWhileBlocked would hang if a Read that blocks forever also
// blocked the caller.
func TestReadEdgeList_CancelledWhileBlocked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer r.Close()
	go func() {
		w.Write(numbers(5*compress.BlockBytes, ' ')) // more than the first look at the format asks for
		cancel()
	}()
	_, err := rowtext.ReadEdgeList(ctx, r, format.EdgeListOptions{}, func(format.Edge) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestReadEdgeList_Progress(t *testing.T) {
	text := numbers(100_000, ' ')
	var last int64
	opts := format.EdgeListOptions{Size: int64(len(text)), Progress: func(stage string, done, total int64) {
		if stage != "reading" || done < last || done > total || total != int64(len(text)) {
			t.Errorf("%s %d of %d after %d", stage, done, total, last)
		}
		last = done
	}}
	if _, _, err := readAll(t, bytes.NewReader(text), opts); err != nil {
		t.Fatal(err)
	}
	if last != int64(len(text)) {
		t.Errorf("the last report is %d of %d", last, len(text))
	}
}

func TestReadEdgeList_Allocations(t *testing.T) {
	for _, text := range [][]byte{numbers(20_000, ' '), numbers(20_000, ','), bytes.Repeat([]byte("é ü\n"), 20_000), bytes.Repeat([]byte("a, \"b\"\"c\"\n"), 20_000)} {
		allocations := testing.AllocsPerRun(3, func() {
			p := rowtext.Lines(format.Options{}.WithDefaults(), format.Handler{Edge: func(format.Edge) error { return nil }})
			for at := 0; at < len(text); at += compress.BlockBytes {
				if err := p.Block(text[at:min(at+compress.BlockBytes, len(text))]); err != nil {
					t.Fatal(err)
				}
			}
		})
		if allocations > 600 { // of which most are for the first lines, which are kept to find a header
			t.Errorf("%.0f allocations for 20,000 lines like %q", allocations, text[:8])
		}
	}
}

func TestReadPairs(t *testing.T) {
	text := "3 2\nb a\na b\n"
	for _, header := range []format.HeaderMode{format.HeaderAuto, format.HeaderNone} {
		var pairs []string
		stats, err := graphfile.ReadPairs(t.Context(), strings.NewReader(text), format.EdgeListOptions{Header: header}, func(source, target []byte) error {
			pairs = append(pairs, string(source)+">"+string(target))
			return nil
		})
		if err != nil || stats.CountsHeader || stats.Edges != 3 {
			t.Errorf("stats %+v, error %v", stats, err)
		}
		if want := []string{"3>2", "b>a", "a>b"}; !reflect.DeepEqual(pairs, want) {
			t.Errorf("pairs %v, want %v", pairs, want)
		}
	}
	_, err := graphfile.ReadPairs(t.Context(), strings.NewReader(text), format.EdgeListOptions{Header: format.HeaderCounts}, nil)
	if !errors.Is(err, format.ErrOptions) {
		t.Errorf("counts header: %v", err)
	}
}

func TestEdgeListOptions_Validate(t *testing.T) {
	if err := (format.EdgeListOptions{}).Validate(); err != nil {
		t.Errorf("zero value: %v", err)
	}
	bad := format.EdgeListOptions{Separator: "::", Header: 9, MaxLine: -1, MaxKey: -2, MaxBytes: -3, MaxLines: -4, Size: -5}
	err := bad.Validate()
	if !errors.Is(err, format.ErrOptions) {
		t.Fatalf("error %v", err)
	}
	for _, word := range []string{"::", "header is 9", "-1", "-2", "-3", "-4", "-5"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in: %v", word, err)
		}
	}
	if err := (format.EdgeListOptions{MaxLine: math.MaxInt}).Validate(); !errors.Is(err, format.ErrOptions) {
		t.Errorf("the longest line: %v", err)
	}
	if _, err := rowtext.ReadEdgeList(t.Context(), strings.NewReader(""), bad, nil); !errors.Is(err, format.ErrOptions) {
		t.Errorf("ReadEdgeList: %v", err)
	}
}

func TestParseHeader(t *testing.T) {
	for _, name := range format.HeaderModes() {
		want := name
		switch name {
		case "true":
			want = "names"
		case "false":
			want = "none"
		}
		if mode, err := format.ParseHeader(name); err != nil || mode.String() != want {
			t.Errorf("%s: %v, %v", name, mode, err)
		}
	}
	if _, err := format.ParseHeader("maybe"); !errors.Is(err, format.ErrOptions) {
		t.Errorf("maybe: %v", err)
	}
}

// TestOptionError_Fields expects the option and its value in fields.
func TestOptionError_Fields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		options format.Options
		want    format.OptionError
		text    string
	}{
		{format.Options{EdgeListOptions: format.EdgeListOptions{MaxKey: -1}}, format.OptionError{Option: "max_key", Value: int64(-1), Allowed: "at least 0"},
			"invalid options: max_key is -1, and must be at least 0"},
		{format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "0"}}, format.OptionError{Option: "weight", Value: "0", Allowed: "the name of a column or a number from 1 to 65536"},
			`invalid options: weight is "0", and must be the name of a column or a number from 1 to 65536`},
		{format.Options{EdgeListOptions: format.EdgeListOptions{Source: "2"}}, format.OptionError{Option: "source", Value: "2", Conflict: "column 2 is asked for as source and as target"},
			"invalid options: column 2 is asked for as source and as target"},
		{format.Options{EdgeListOptions: format.EdgeListOptions{Source: "2", Target: "1", Time: "2"}}, format.OptionError{Option: "time", Value: "2", Conflict: "column 2 is asked for as source and as time"},
			"invalid options: column 2 is asked for as source and as time"},
		{format.Options{EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNone, Time: "sent"}}, format.OptionError{Option: "header", Value: "none", Conflict: `columns are called by their names, but the header is said to be "none"`},
			`invalid options: columns are called by their names, but the header is said to be "none"`},
		{format.Options{Layout: "sgf"}, format.OptionError{Option: "layout", Value: "sgf", Expected: []string{"auto", "edges", "adjacency", "matrix", "metis", "pajek", "vertices", "matrix_market", "graphml", "gexf", "json", "gml", "parquet", "arrow"}},
			`invalid options: layout is "sgf", and must be one of auto, edges, adjacency, matrix, metis, pajek, vertices, matrix_market, graphml, gexf, json, gml, parquet, arrow`},
	} {
		err := tt.options.Validate()
		var got *format.OptionError
		if !errors.As(err, &got) || !reflect.DeepEqual(*got, tt.want) || err.Error() != tt.text || !errors.Is(err, format.ErrOptions) {
			t.Errorf("%+v: %+v, %v", tt.options, got, err)
		}
	}
}

// TestReadEdgeList_Summary refuses a last line that says how many lines there are.
func TestReadEdgeList_Summary(t *testing.T) {
	for text, want := range map[string]string{
		"1 2\n2 3\nTotal: 3 edges\n":                  `input:3:1: the last line looks like a summary, "Total: 3 edges", below lines of numbers`,
		"# n\n1,2\n2,3\ntotal,2\n\n \n":               `input:4:1: the last line looks`,
		"1\t2\n(1 rows)":                              `input:2:1: `,
		"source,target\n1,2\nSum,2":                   "",
		"1 2\n2 3\n# Total: 3 edges\n":                "",
		"a b\ntotal edges\n":                          "",
		"total 1\n":                                   "",
		"1 2\nb c\n":                                  "",
		strings.Repeat("1 2\n", 40_000) + "2 edges\n": "input:40001:1: ",
	} {
		_, _, err := readAll(t, strings.NewReader(text), format.EdgeListOptions{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
		if _, _, err := readAll(t, strings.NewReader(text), format.EdgeListOptions{Header: format.HeaderNone}); err != nil {
			t.Errorf("%.60q without a header: %v", text, err)
		}
	}
	_, stats, err := readAll(t, strings.NewReader("1 2\n2 3\nTotal: 3 edges\n"), format.EdgeListOptions{SkipBad: true})
	if err != nil || len(stats.Remarks) != 1 || stats.Remarks[0].Line != 3 {
		t.Errorf("%+v, %v", stats.Remarks, err)
	}
}
