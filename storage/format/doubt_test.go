package format_test

import (
	"errors"
	"strings"
	"testing"

	"heavytail/storage/format"
)

// Of a text that looks like no list of edges, or like one of other columns, a remark says what is
// unlikely about it.
func TestRead_Doubts(t *testing.T) {
	t.Parallel()
	const (
		lengths = "lines of different lengths, of which the first two columns are the ends: 1"
		figures = "columns of ends with decimal numbers or dates: "
		counter = "first column with another, larger number in each line, taken as an end: 1"
		apart   = "first column taken as an end, although the second and the third share keys: 1"
		kinds   = "columns that number things of two kinds: 1"
		unlike  = "lines unlike the others, taken as edges: "
		lists   = "ends that look like lists of vertices, each taken as one: "
		summary = "last lines that look like a summary, taken as edges: 1"
	)
	for _, c := range []struct {
		name, text string
		opts       format.EdgeListOptions
		remarks    string
	}{
		{"plain", "1 2\n2 3\n3 1\n", format.EdgeListOptions{}, ""},
		{"ratings between known names", "source,target,stars\n1,2,5\n2,3,4\n3,1,1\n", format.EdgeListOptions{}, ""},
		{"a time may be missing", "1 2 7\n2 3\n3 1 9\n", format.EdgeListOptions{}, ""},
		{"neighbours", "a b c\nb c\nc d e f\n", format.EdgeListOptions{}, lengths},
		{"neighbours behind a colon", "1: 2 3 4\n2: 3\n", format.EdgeListOptions{}, lengths},
		{"communities", "7\t8\t9\n1\t2\n1\t2\t3\t4\t5\n", format.EdgeListOptions{}, lengths},
		{"records of keys and values", "Id: 0\nASIN: 0771044445\n title: Patterns of a book\n", format.EdgeListOptions{}, lengths},
		{"a comment behind an edge", "1 2 # first\n2 3 # second\n3 1\n", format.EdgeListOptions{}, lengths},
		{"the size of a matrix", "3 3 2\n2 1\n3 2\n", format.EdgeListOptions{}, "first line that ends in the number of lines below, taken as an edge: 1"},
		{"weights first", "0.5 a b\n0.25 b c\n0.5 c a\n", format.EdgeListOptions{}, figures + "1"},
		{"weights first, as the options say", "0.5 a b\n0.25 b c\n", format.EdgeListOptions{Source: "2", Target: "3"}, ""},
		{"dates first", "2004-01-01 a b\n2004-01-02 b c\n", format.EdgeListOptions{}, figures + "1"},
		{"dates second", "0\t2010-10-19T23:55:27Z\t30.2\n0\t2010-10-18T22:17:43Z\t30.2\n", format.EdgeListOptions{}, figures + "1"},
		{"numbers of numpy", "1.0e+00 2.0e+00\n2.0e+00 3.0e+00\n", format.EdgeListOptions{}, figures + "2"},
		{"negative keys", "-1 -2\n-2 -3\n", format.EdgeListOptions{}, ""},
		{"a row number first", "0 10 20\n1 20 30\n2 30 10\n3 10 30\n4 20 10\n", format.EdgeListOptions{}, counter},
		{"a row number under an unknown name", "row,x,y\n0,10,20\n1,20,30\n2,30,10\n3,10,30\n4,20,10\n", format.EdgeListOptions{}, counter},
		{"a parent of each", "0 10 0.5\n1 20 0.5\n2 10 0.5\n3 10 0.5\n4 20 0.5\n", format.EdgeListOptions{}, ""},
		{"a time first", "20 114 164\n20 161 114\n20 164 161\n40 114 161\n40 164 114\n", format.EdgeListOptions{}, apart},
		{"users and things", "userId,movieId\n1,2\n1,3\n2,1\n", format.EdgeListOptions{}, kinds},
		{"users and things with keys of words", "user_id,item_id\nu1,i2\nu1,i3\n", format.EdgeListOptions{}, ""},
		{"users", "user_id,friend_id\n1,2\n1,3\n2,1\n", format.EdgeListOptions{}, ""},
		{"comments of another kind", "// one two\n// three four\n1 2\n2 3\n3 1\n", format.EdgeListOptions{}, unlike + "2"},
		{"units below names", "source,target,km\n[id],[id],[km]\na,b,5\nb,c,7\nc,d,7\n", format.EdgeListOptions{}, unlike + "1"},
		{"a line among many", strings.Repeat("1 2\n2 3\n", 8) + "see below\n" + strings.Repeat("3 4\n", 9), format.EdgeListOptions{}, unlike + "1"},
		{"lists between commas", "source,target\na,\"b,c,d\"\nb,\"c,d\"\nc,a\n", format.EdgeListOptions{}, lists + "2"},
		{"lists of Python", "user,friends\n1,\"[2, 3]\"\n2,\"[1]\"\n3,\"[1, 2]\"\n", format.EdgeListOptions{}, lists + "2"},
		{"titles with commas", "source,target\na,\"President, The\"\nb,\"Lake, The\"\n", format.EdgeListOptions{}, ""},
		{"single quotes", "'a','b'\n'b','c'\n", format.EdgeListOptions{}, "ends in single quotes, kept with them: 4"},
		{"a summary below words", "from,to,weight\nann,bob,1\nbob,cy,2\nTotal,2,3\n", format.EdgeListOptions{}, summary},
		{"a word below words", "from,to\nann,bob\nbob,total\n", format.EdgeListOptions{}, ""},
	} {
		c.opts.Name = "g"
		if _, stats, err := edgesOf(t, []byte(c.text), format.Options{EdgeListOptions: c.opts, Layout: format.LayoutEdges}); err != nil || remarks(stats) != c.remarks {
			t.Errorf("%s: %v, remarks %q, want %q", c.name, err, remarks(stats), c.remarks)
		}
	}
}

// Names of columns in any place, and a line of counts below them.
func TestRead_ColumnNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, edges string
		counts      bool
	}{
		{"date,sender_id,receiver_id\n2020-01-01,1,2\n", "1 2 @1577836800", false},
		{"weight,x,y\n5,a,b\n", "a b 5", false},
		{"rank,from_name,To Name\n1,x,y\n", "x y", false},
		{"%id,from,to\n1,a,b\n", "a b", false},
		{"# edges from 2009\n1 a b\n", "1 a", false},
		{"source,target\n3,2\n1,2\n2,3\n", "1 2, 2 3, 3 2", false}, // as it is written
		{"from,to\n3,2\n1,2\n2,3\n", "1 2, 2 3, 3 2", true},
		{"# FromNodeId\tToNodeId\n3\t2\n1\t2\n2\t3\n", "1 2, 2 3, 3 2", true},
		{"left,right\n3,2\n1,2\n2,3\n", "1 2, 2 3, 3 2", true},
		{"source,target\n3,4\n1,2\n2,3\n", "1 2, 2 3, 3 4", false},
	} {
		edges, stats, err := edgesOf(t, []byte(c.text), format.Options{EdgeListOptions: format.EdgeListOptions{Name: "g"}, Layout: format.LayoutEdges})
		if err != nil || strings.Join(edges, ", ") != c.edges || stats.CountsHeader != c.counts || stats.NamedCounts != c.counts {
			t.Errorf("%q: %v, %q, counts %v", c.text, err, edges, stats.CountsHeader)
		}
	}
}

// A format of graphs that is not read is refused by its name, and Pajek's is read under any name.
func TestRead_OtherForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, err string }{
		{"g.txt", "c a comment\np edge 3 2\ne 1 2\ne 2 3\n", "2:1: this is a graph of DIMACS"},
		{"g.txt", "p sp 3 2\na 1 2 8\na 2 3 1\n", "1:1: this is a graph of DIMACS"},
		{"g.txt", "DL N = 3\nFORMAT = FULLMATRIX\nDATA:\n0 1 1\n", "1:1: this is a network of UCINET (DL)"},
		{"g.txt", "strict digraph g {\n a -> b;\n}\n", "1:1: this is a graph of Graphviz (DOT)"},
		{"g.txt", "<http://a> <http://p> <http://b> .\n", "1:1: this is a text of triples (N-Triples)"},
		{"g.csv", "\"export-world data (NetLogo 6.2.0)\"\n\"m.nlogo\"\n", "1:1: this is a world of NetLogo"},
		{"g.txt", "% c\n*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n", ""},
		{"g.clu", "*Vertices 2\n1\n2\n", "the ending \".clu\""},
		{"g.txt", "p sp\na b\nb c\n", ""},
		{"g.txt", "graph theory\ntheory book\n", ""},
	} {
		_, _, err := edgesOf(t, []byte(c.text), format.Options{EdgeListOptions: format.EdgeListOptions{Name: c.name}})
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %v, want %q", c.text, err, c.err)
		}
		if err != nil && strings.Contains(c.err, "this is") {
			if !errors.Is(err, format.ErrSyntax) {
				t.Errorf("%q: %v is no ErrSyntax", c.text, err)
			}
			if _, _, err := edgesOf(t, []byte(c.text), format.Options{EdgeListOptions: format.EdgeListOptions{Name: c.name}, Layout: format.LayoutEdges}); err != nil && strings.Contains(err.Error(), "format := 'edges'") {
				t.Errorf("%q: still %v as a list of edges", c.text, err)
			}
		}
	}
}

func TestHasUnseen(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{"a b": false, "Müller": false, "a ": true, "\u00a0a": true, "a\u200bb": true, "\ufeffa": true, "\f2": true, "a\nb": false, "می\u200cخواهم": false} {
		if format.HasUnseen([]byte(key)) != want {
			t.Errorf("%q: %v", key, !want)
		}
	}
}
