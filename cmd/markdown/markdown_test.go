package markdown

import (
	"strings"
	"testing"

	"heavytail/query/parser"
)

const sample = "# A *page*\n\nOne & two &amp; three, `a code`, **bold** and [a link](other.md).\n\n<!-- a comment -->\n\n" +
	"## Lists\n\n- first, which is longer than one line of the narrow terminal of this test\n- second\n  - inner\n\n1. one\n2. two\n\n" +
	"## Code and tables\n\n```sql\nSHOW  GRAPHS;\n\n  -- a long line of code, which keeps its form whatever the width of the terminal is\n```\n\n" +
	"| name | size | text |\n|---|--:|---|\n| `a\\|b` | 1 | short |\n| c | 1,000 | a text that does not fit into a line of forty columns |\n"

// Text breaks paragraphs, lists and cells at blanks, and keeps code.
func TestText(t *testing.T) {
	t.Parallel()
	want := `A page
======

One & two & three, ` + "`a code`" + `, bold and a
link (other.md).

Lists
-----

- first, which is longer than one line
  of the narrow terminal of this test
- second
  - inner

1. one
2. two

Code and tables
---------------

    SHOW  GRAPHS;

      -- a long line of code, which keeps its form whatever the width of the terminal is

name    size  text
-----  -----  --------------------------
` + "`a|b`" + `      1  short

c      1,000  a text that does not fit
              into a line of forty
              columns
`
	got := Parse("sample", sample).Text(40, false)
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// Colours change nothing but the styles: without their sequences and the backquotes the words are the same.
func TestText_Color(t *testing.T) {
	t.Parallel()
	page := Parse("sample", sample)
	colored, plain := page.Text(60, true), page.Text(60, false)
	for _, sequence := range []string{"\x1b[1;4mA page\x1b[0m", "\x1b[1mbold\x1b[0m", "\x1b[36mcode\x1b[0m", "\x1b[1mLists\x1b[0m"} {
		if !strings.Contains(colored, sequence) {
			t.Errorf("no %q in %q", sequence, colored)
		}
	}
	bare := strings.NewReplacer("\x1b[1;4m", "", "\x1b[1m", "", "\x1b[36m", "", "\x1b[1;36m", "", "\x1b[0m", "").Replace(colored)
	words := func(text string) string {
		var list []string
		for word := range strings.FieldsSeq(strings.ReplaceAll(text, "`", "")) {
			if strings.Trim(word, "-=") != "" {
				list = append(list, word)
			}
		}
		return strings.Join(list, " ")
	}
	if words(bare) != words(plain) {
		t.Errorf("got\n%q\nwithout colours\n%q", words(bare), words(plain))
	}
}

// No line of a paragraph, a list or a table is wider than the terminal, whatever its width is.
func TestText_Width(t *testing.T) {
	t.Parallel()
	page := Parse("sample", strings.ReplaceAll(sample, "narrow", "schmalen Größe 日本"))
	for width := 32; width < 120; width++ {
		for line := range strings.Lines(page.Text(width, false)) {
			if line = strings.TrimSuffix(line, "\n"); parser.Width(line) > width && !strings.Contains(line, "-- a long line") {
				t.Errorf("%d columns of %d: %q", parser.Width(line), width, line)
			}
		}
	}
}

// A man page has no line that roff would read as a request, but those of its macros.
func TestMan(t *testing.T) {
	t.Parallel()
	got := Parse("sample", sample+"\n.not a request, 'nor this\n").Man()
	for _, want := range []string{
		".SH DESCRIPTION\nOne & two", ".SH Lists\n.IP \\(bu 2\nfirst,", "\\fBa\\fR \\fBcode\\fR,", ".nf\nSHOW  GRAPHS;\n", "c      1,000  a text",
		"\n\\&.not a request, \\(aqnor this\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A book escapes what it quotes, and its contents lead to the headings, which are unique.
func TestBook(t *testing.T) {
	t.Parallel()
	got := Book("<b>", "a & b", []Chapter{{"one", Parse("one", sample)}, {"two", Parse("two", "# Two\n\n## Lists\n\n## Lists\n\n<script>\n")}})
	for _, want := range []string{
		"<title>&lt;b&gt;</title>", `<a href="#one-lists">Lists</a>`, `<h3 id="one-lists">Lists</h3>`, `<h3 id="two-lists-2">Lists</h3>`,
		`<h2 id="one">A <em>page</em></h2>`, `<th scope="row"><code>a|b</code></th>`, "<caption class=\"heard\">Code and tables</caption>", "a &amp; b",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got[strings.Index(got, "<body>"):])
		}
	}
	if n := strings.Count(got, "<script>"); n != 1 {
		t.Errorf("%d scripts", n)
	}
}
