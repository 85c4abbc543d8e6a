package repl

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"heavytail/query/parser"
	"heavytail/query/rows"
)

// rendered writes one result in a format.
func rendered(f Format, columns []string, table [][]rows.Value) string {
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	r := newRenderer(f, out, nil)
	r.begin(columns, make([]rows.ColumnType, len(columns)))
	for _, row := range table {
		r.row(row)
	}
	r.end(nil)
	out.Flush()
	return b.String()
}

// FuzzRender writes any values in every format. Reading CSV and JSON must return the same
// values; a table must have straight columns, and nothing that a terminal would obey.
func FuzzRender(f *testing.F) {
	f.Add("plain", "a,\"b\"\r\n|", int64(-1<<63), 0.1)
	f.Add("", "\x1b[2J\u202e\xff", int64(0), 1e-300)
	f.Add("世界", "\u009b31m\U000e0041\x7f", int64(1<<62), 123456789.0)
	f.Fuzz(func(t *testing.T, a, b string, n int64, x float64) {
		columns := []string{a, b, "n", "x"}
		table := [][]rows.Value{{a, b, n, x}, {b, nil, n, 0.0}}
		finite := x-x == 0

		records, err := csv.NewReader(strings.NewReader(rendered(CSV, columns, table))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		lines := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") } // as csv.Reader has them
		if len(records) != 3 || records[1][0] != lines(a) || records[1][1] != lines(b) || records[2][1] != "" {
			t.Fatalf("CSV has %q", records)
		}
		if got, err := strconv.ParseFloat(records[1][3], 64); err != nil || finite && got != x {
			t.Fatalf("CSV has %q for %v", records[1][3], x)
		}
		if got, err := strconv.ParseInt(records[1][2], 10, 64); err != nil || got != n {
			t.Fatalf("CSV has %q for %v", records[1][2], n)
		}

		names := []string{"0" + a, "1" + b, "n", "x"} // names of columns differ
		line := rendered(JSON, names, table)
		if parser.Escape(strings.TrimSuffix(line, "\n")) != strings.TrimSuffix(line, "\n") {
			t.Fatalf("JSON is not safe to print: %q", line)
		}
		var answer []map[string]any
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		if err := dec.Decode(&answer); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		valid := func(s string) string { return string([]rune(s)) } // with U+FFFD for each bad byte
		var number any
		if finite {
			number = answer[0]["x"]
			if got, err := number.(json.Number).Float64(); err != nil || got != x {
				t.Fatalf("JSON has %v for %v", number, x)
			}
		}
		whole := json.Number(strconv.FormatInt(n, 10))
		want := []map[string]any{
			{"0" + valid(a): valid(a), "1" + valid(b): valid(b), "n": whole, "x": number},
			{"0" + valid(a): valid(b), "1" + valid(b): nil, "n": whole, "x": json.Number("0")},
		}
		if !reflect.DeepEqual(answer, want) {
			t.Fatalf("JSON has %q, want %q", answer, want)
		}

		for _, format := range []Format{Table, Markdown} {
			text := rendered(format, columns, table)
			for _, r := range text {
				if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || !utf8.ValidString(text) {
					t.Fatalf("%s holds %U: %q", format, r, text)
				}
			}
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if format == Table {
				lines = lines[:len(lines)-1] // (2 rows)
			}
			if len(lines) != 4 {
				t.Fatalf("%s has %d lines: %q", format, len(lines), text)
			}
			for i, l := range lines {
				if i == 1 && format == Table {
					l = l[1:] // the rule is one longer on each side
				}
				if parser.Width(l) != parser.Width(lines[0]) {
					t.Fatalf("%s is not straight: %q", format, text)
				}
			}
		}
	})
}

// TestTable_Pages writes more rows than a page: later pages only get wider.
func TestTable_Pages(t *testing.T) {
	var table [][]rows.Value
	for i := range 2*pageRows + 5 {
		key := "v"
		if i == pageRows+7 {
			key = "a long key"
		}
		table = append(table, []rows.Value{key, int64(i)})
	}
	lines := strings.Split(rendered(Table, []string{"vertex", "n"}, table), "\n")
	for i, want := range map[int]string{
		0:                  " vertex |   n",
		1:                  "--------+-----",
		2:                  " v      |   0",
		pageRows + 1:       " v      | 999",
		pageRows + 2:       " v          | 1000",
		pageRows + 9:       " a long key | 1007",
		2*pageRows + 2:     " v          | 2000",
		2*pageRows + 5 + 2: "(2005 rows)",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
}

// BenchmarkRender writes rows as SCORE FILE makes them.
func BenchmarkRender(b *testing.B) {
	row := []rows.Value{"somebody", int64(123456), 0.123456789}
	for _, f := range Formats() {
		b.Run("format="+f, func(b *testing.B) {
			out := bufio.NewWriterSize(discard{}, 64<<10)
			r := newRenderer(Format(f), out, nil)
			r.begin([]string{"source", "target", "score"}, make([]rows.ColumnType, 3))
			b.ReportAllocs()
			for b.Loop() {
				r.row(row)
			}
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func ExampleParseFormat() {
	_, err := ParseFormat("jsn")
	fmt.Println(err)
	// Output: unknown format "jsn", expected one of table, box, csv, tsv, json, ndjson, markdown, line; did you mean json?
}

// FuzzTable_Fit fits tables into terminals of any width: lines are straight, no
// wider than the terminal where that can be, numbers are whole, and texts are
// whole or cut with an ellipsis.
func FuzzTable_Fit(f *testing.F) {
	f.Add("a long text that must be cut somewhere", "世界世界世界世界", int64(-1<<63), 30)
	f.Add("e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", "x", int64(0), 16)
	f.Add("", strings.Repeat("w", 300), int64(123456), 80)
	f.Fuzz(func(t *testing.T, a, b string, n int64, limit int) {
		limit = 1 + (limit&0xFF+256)%256
		for _, style := range []*style{tableStyle, boxStyle} {
			var buffer bytes.Buffer
			out := bufio.NewWriter(&buffer)
			r := &pageRenderer{out: out, style: style, limit: func() int { return limit }}
			r.begin([]string{"text", "other", "a number with a long name"}, make([]rows.ColumnType, 3))
			r.row([]rows.Value{a, b, n})
			r.row([]rows.Value{b, n, n})
			r.end(nil)
			out.Flush()
			lines := strings.Split(strings.TrimSuffix(buffer.String(), "\n"), "\n")
			lines = lines[:len(lines)-1] // (2 rows)
			least := 2*6 + max(6, len(strconv.FormatInt(n, 10))) + len(strconv.FormatInt(n, 10)) + 12
			whole := strings.Count(buffer.String(), strconv.FormatInt(n, 10))
			for i, l := range lines {
				if w := parser.Width(strings.TrimRight(l, " ")); w > limit && limit >= least {
					t.Fatalf("%d columns in a terminal of %d: %q", w, limit, l)
				}
				if strings.HasPrefix(lines[0], "┌") && parser.Width(l) != parser.Width(lines[0]) {
					t.Fatalf("line %d is not straight:\n%s", i, buffer.String())
				}
			}
			if whole < 3 {
				t.Fatalf("a number was cut:\n%s", buffer.String())
			}
			if cut := strings.Count(buffer.String(), "…") > strings.Count(a+b+b, "…"); r.cut && !cut {
				t.Fatalf("something was cut without a sign:\n%s", buffer.String())
			}
			for _, c := range strings.ReplaceAll(buffer.String(), "\n", "") {
				if parser.Escape(string(c)) != string(c) {
					t.Fatalf("%U is not safe: %q", c, buffer.String())
				}
			}
		}
	})
}

// TestTable_FitsLater keeps to the terminal on later pages, whose texts may be
// longer, and lets numbers grow.
func TestTable_FitsLater(t *testing.T) {
	var buffer bytes.Buffer
	out := bufio.NewWriter(&buffer)
	r := &pageRenderer{out: out, style: boxStyle, limit: func() int { return 40 }}
	r.begin([]string{"vertex", "n"}, make([]rows.ColumnType, 2))
	for i := range 3 * pageRows {
		key, n := "v", int64(i)
		if i > pageRows {
			key = strings.Repeat("long ", 20)
		}
		if i > 2*pageRows {
			n *= 1e12
		}
		r.row([]rows.Value{key, n})
	}
	r.end(nil)
	out.Flush()
	if !r.cut {
		t.Error("nothing was cut")
	}
	lines := strings.Split(buffer.String(), "\n")
	for i, want := range map[int]string{
		2:                `├────────┼─────┤`,
		pageRows + 3:     `├───────────────────────────────┼──────┤`,
		pageRows + 5:     `│ long long long long long lon… │ 1001 │`,
		3*pageRows/2 + 4: `│ long long long long long lon… │ 1500 │`,
		2*pageRows + 4:   `├───────────────────────────────┼──────────────────┤`,
		3*pageRows + 4:   `│ long long long long long lon… │ 2999000000000000 │`,
		3*pageRows + 5:   `└───────────────────────────────┴──────────────────┘`,
	} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
}

// TestCSV_Terminal expects texts to be escaped on a terminal.
func TestCSV_Terminal(t *testing.T) {
	for _, f := range []Format{CSV, TSV} {
		var buffer bytes.Buffer
		out := bufio.NewWriter(&buffer)
		r := newRenderer(f, out, func() int { return 80 })
		r.begin([]string{"a\x1b[2J"}, make([]rows.ColumnType, 1))
		r.row([]rows.Value{"b\x1b]0;x\x07\u202e"})
		out.Flush()
		for _, c := range strings.ReplaceAll(buffer.String(), "\n", "") {
			if parser.Escape(string(c)) != string(c) {
				t.Errorf("%s: %q", f, &buffer)
			}
		}
	}
}

// TestTable_Narrow rounds floats before it cuts texts, turns a short result that
// is too wide all the same, and wraps the second of two columns.
func TestTable_Narrow(t *testing.T) {
	for _, test := range []struct {
		width   int
		columns []string
		row     []rows.Value
		want    string
	}{
		{30, []string{"v", "a", "b"}, []rows.Value{"a text", 0.123456, 1234.567}, "" +
			" v      |        a |       b\n--------+----------+---------\n a text | 0.123456 | 1234.57\n(1 row)\n"},
		{26, []string{"v", "a", "b"}, []rows.Value{"a text", 0.123456, 123456.7}, "" +
			" v      |      a |      b\n--------+--------+--------\n a text | 0.1235 | 123457\n(1 row)\n"},
		{15, []string{"vertex", "a", "b"}, []rows.Value{"a text", 0.123456, nil}, "" +
			"vertex = a text\n     a = 0.123\n     b = \n(1 row)\n"},
		{25, []string{"item", "text"}, []rows.Value{"syntax", "one two three-and-four five"}, "" +
			" item   | text\n--------+----------------\n syntax | one two\n        | three-and-four\n        | five\n(1 row)\n"},
	} {
		var buffer bytes.Buffer
		out := bufio.NewWriter(&buffer)
		r := newRenderer(Table, out, func() int { return test.width })
		r.begin(test.columns, make([]rows.ColumnType, len(test.columns)))
		r.row(test.row)
		r.end(nil)
		out.Flush()
		if buffer.String() != test.want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", test.width, &buffer, test.want)
		}
	}
}

// TestWrap keeps every character but blanks at the ends of lines.
func TestWrap(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("世", 9), "a b c d e f g", strings.Repeat("word ", 40), "e\u0301e\u0301e\u0301"} {
		for columns := 1; columns < 12; columns++ {
			lines := wrap(text, columns)
			squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
			if squeeze(strings.Join(lines, "")) != squeeze(text) || len(lines) > wrapLines {
				t.Errorf("%q in %d columns: %q", text, columns, lines)
			}
		}
	}
}
