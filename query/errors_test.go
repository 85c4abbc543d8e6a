package query

import (
	"strings"
	"testing"

	"heavytail/query/parser"
)

func TestCaret(t *testing.T) {
	cases := []struct {
		source     string
		start, end int
		want       string
	}{
		{"DROP GRAPH x", 11, 12, "DROP GRAPH x\n           ^"},
		{"NEAREST 1\n\tTO 'ä' USING spce;\nCHECK", 25, 29, "\tTO 'ä' USING spce;\n\t             ^^^^"},
		{"CHECK\r\nHELP", 0, 5, "CHECK\n^^^^^"},
		{"DROP", 4, 4, "DROP\n    ^"},
		{"", 0, 0, "\n^"},
		{"ab\ncd", 1, 5, "ab\n ^"}, // what goes on beyond the line is not drawn
		{"ab", 5, 6, ""},
	}
	for _, c := range cases {
		at := parser.Range{Start: parser.Pos{Offset: c.start, Line: 1, Column: 1}, End: parser.Pos{Offset: c.end}}
		if got := (&Error{Range: at}).Caret(c.source); got != c.want {
			t.Errorf("%q from %d to %d:\n%s\nexpected\n%s", c.source, c.start, c.end, got, c.want)
		}
	}
	if got := (&Error{}).Caret("text"); got != "" {
		t.Errorf("an error without a position draws %q", got)
	}
}

// Text that came from data cannot do anything to a terminal.
func TestQuote_EscapesWhatATerminalObeys(t *testing.T) {
	hostile := "a\x1b[2J\r\n\u202eevil\u200b\xff" + strings.Repeat("x", 100)
	for _, text := range []string{quote(hostile), quoteKey(hostile), name(hostile)} {
		for _, r := range text {
			if r < 0x20 || r == 0x7f || r == '\u202e' || r == '\u200b' || r == '\ufffd' {
				t.Errorf("%q has %U", text, r)
			}
		}
		if len(text) > 200 {
			t.Errorf("%d bytes", len(text))
		}
	}
	if got := quoteKey("o'neil \"x\""); got != `'o''neil "x"'` {
		t.Errorf("quoteKey: %s", got)
	}
}
