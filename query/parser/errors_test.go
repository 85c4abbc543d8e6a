package parser

import (
	"errors"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestError_Golden holds the whole message of typical mistakes, with the
// excerpt, against testdata/errors.txt. Each statement there is a Go string or
// plain text behind "> ", its message the lines up to the next one.
func TestError_Golden(t *testing.T) {
	const file = "testdata/errors.txt"
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(golden)) {
		if strings.HasPrefix(line, "#") {
			got.WriteString(line)
			continue
		}
		text, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		got.WriteString(line)
		text = strings.TrimSuffix(text, "\n")
		if strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
			if text, err = strconv.Unquote(text); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		st, err := Parse(text)
		var perr *Error
		if !errors.As(err, &perr) {
			t.Errorf("%s: got %v, %v, want a parser.Error", text, st, err)
			continue
		}
		got.WriteString(perr.Detail(Source{Text: text}) + "\n\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(golden); !*update && got.String() != want {
		t.Errorf("messages differ from %s (run with -update and read the diff):\n%s", file, got.String())
	}
}

// TestExcerpt_Columns compares the column of the caret with the expected one.
func TestExcerpt_Columns(t *testing.T) {
	tests := []struct {
		name, before string
		column       int // of the terminal, from 0
	}{
		{"plain", "SHOW x, ", 8},
		{"tab", "\tSHOW\t", 12},
		{"wide", "SHOW '世界' ", 12},
		{"combining", "SHOW 'e\u0301' ", 9},
		{"escape", "SHOW '\x1b[2J' ", 15},
		{"second line", "SHOW\nGRAPHS ", 7},
		{"after a carriage return", "SHOW\r\n  ", 2},
		{"byte order mark", "\uFEFFSHOW ", 5},
	}
	for _, tt := range tests {
		src := Source{Text: tt.before + "§§ and more\r\nnext line"}
		from := advance(start, tt.before)
		lines := strings.Split(Excerpt(src, Range{from, advance(from, "§§")}), "\n")
		if len(lines) != 2 {
			t.Errorf("%s: got %d lines, want 2: %q", tt.name, len(lines), lines)
			continue
		}
		if !strings.HasSuffix(lines[0], "§§ and more") || Width(strings.Split(lines[0], "§")[0]) != tt.column {
			t.Errorf("%s: got line %q", tt.name, lines[0])
		}
		if lines[1] != strings.Repeat(" ", tt.column)+"^^" {
			t.Errorf("%s: got carets %q, want them at %d", tt.name, lines[1], tt.column)
		}
	}
}

func TestExcerpt_LongLine(t *testing.T) {
	before, after := strings.Repeat("世", 5000), strings.Repeat("a", 5000)
	from := advance(start, before)
	lines := strings.Split(Excerpt(Source{Text: before + "!" + after}, Range{from, advance(from, "!")}), "\n")
	if w := Width(lines[0]); w > 110 {
		t.Errorf("the line is %d columns wide", w)
	}
	if i := strings.Index(lines[0], "!"); Width(lines[0][:i]) != strings.Index(lines[1], "^") {
		t.Errorf("the caret is not under the mark:\n%s\n%s", lines[0], lines[1])
	}
	if got := Excerpt(Source{Text: "a"}, Range{Pos{Offset: 2}, Pos{Offset: 3}}); got != "" {
		t.Errorf("got %q for a range outside the source", got)
	}
}

// TestError_InScript gives positions of the script, and the excerpt of the
// statement alone.
func TestError_InScript(t *testing.T) {
	split := NewSplitter(strings.NewReader("CHECK;\n  SHOW\n  GRAFS;"))
	if _, err := split.Next(); err != nil {
		t.Fatal(err)
	}
	src, err := split.Next()
	if err != nil {
		t.Fatal(err)
	}
	_, err = src.Parse()
	var perr *Error
	if !errors.As(err, &perr) {
		t.Fatalf("got error %v", err)
	}
	want := "line 3, column 3: found \"GRAFS\", expected GRAPHS, EMBEDDINGS, INDEXES, MODELS, PREDICTIONS, METHODS, MEASURES, SCORERS, GENERATORS, STATS, JOBS, GENERATIONS, VECTOR, VERTICES, EDGES, NEIGHBORS or ATTRIBUTES; did you mean GRAPHS?\n  GRAFS;\n  ^^^^^"
	if got := perr.Detail(src); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestError_Hint asks the fields what the message ends with: the nearest keyword or
// a remedy, never both.
func TestError_Hint(t *testing.T) {
	tests := []struct{ text, nearest, remedy string }{
		{"SHOW GRAFS", "GRAPHS", ""},
		{"DROP GRAPH where", "", "WHERE is a reserved word, which can be a name only in double quotes"},
		{"CHECK /*", "", "it ends with */"},
		{"EVALUATE LINKS IN g WITH cosine", "", "options are written WITH (name := value, …)"},
		{"EVALUATE LINKS IN g WITH", "", "options are written WITH (name := value, …)"},
		{"SHOW nothing", "", ""},
	}
	for _, tt := range tests {
		_, err := Parse(tt.text)
		var perr *Error
		if !errors.As(err, &perr) || perr.Nearest != tt.nearest || perr.Remedy != tt.remedy {
			t.Errorf("%s: got %+v, want the nearest %q and the remedy %q", tt.text, perr, tt.nearest, tt.remedy)
			continue
		}
		want := tt.remedy
		if tt.nearest != "" {
			want = "did you mean " + tt.nearest + "?"
		}
		if perr.Hint() != want || want != "" && !strings.HasSuffix(perr.Error(), "; "+want) {
			t.Errorf("%s: got hint %q in %q, want %q", tt.text, perr.Hint(), perr.Error(), want)
		}
	}
}

func TestSuggest(t *testing.T) {
	tests := []struct {
		word       string
		candidates []string
		want       string
	}{
		{"RETRUN", []string{"RECONSTRUCT", "RETURN"}, "RETURN"},
		{"spce", []string{"space", "spec"}, "space"}, // both one change: the first
		{"spce", []string{"social", "spec"}, "spec"},
		{"Spec", []string{"spec2", "spec"}, "spec"},
		{"x", []string{"y", "xy"}, ""},
		{"dp_spectrl", []string{"laplacian_eigenmaps", "dp_spectral"}, "dp_spectral"},
		{"WHEN", []string{"WHERE", "WITH"}, ""},
		{"", []string{"a"}, ""},
		{"laplacian", []string{"dp_spectral", "laplacian_eigenmaps"}, "laplacian_eigenmaps"},
		{"Lap", []string{"laplacian_eigenmaps", "laplacian_maps"}, ""}, // not the only one
		{"la", []string{"laplacian_eigenmaps"}, ""},
		{"größe", []string{"grosse", "grösse"}, "grösse"},
		{strings.Repeat("a", 1<<20), []string{"a"}, ""},
	}
	for _, tt := range tests {
		if got, ok := Suggest(tt.word, tt.candidates); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Suggest(%.20q, %q) = %q, %v, want %q", tt.word, tt.candidates, got, ok, tt.want)
		}
	}
}
