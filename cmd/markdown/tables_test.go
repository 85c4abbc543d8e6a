package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"
)

// Tables are those of the extension of goldmark, but for the heading of each row and the alignment of empty cells.
func TestTables(t *testing.T) {
	t.Parallel()
	theirs := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithXHTML()))
	ours := goldmark.New(tableOptions()...)
	first := regexp.MustCompile(`(?s)<th scope="row"([^>]*)>(.*?)</th>`)
	empty := regexp.MustCompile(`<(t[dh]) align="\w+"></t`)
	tables := 0
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		cell := rapid.SampledFrom([]string{"a", "", " ", "b c", "`d`", "`e\\|f`", "g\\|h", "*i*", "-", "--", ":-", "-:", ":-:", "&", "\\", "`", "    "})
		row := func(cells int, of *rapid.Generator[string]) {
			list := make([]string, cells)
			for i := range list {
				list[i] = of.Draw(t, "cell")
			}
			line := strings.Join(list, "|")
			switch rapid.IntRange(0, 4).Draw(t, "bars") {
			case 0:
				line = "|" + line
			case 1, 2:
				line = "| " + line + " |"
			}
			text.WriteString(line + "\n")
		}
		for range rapid.IntRange(1, 2).Draw(t, "blocks") {
			for range rapid.IntRange(0, 2).Draw(t, "before") {
				row(rapid.IntRange(1, 3).Draw(t, "cells"), cell)
			}
			columns := rapid.IntRange(1, 4).Draw(t, "columns")
			row(columns, cell)
			row(columns, rapid.SampledFrom([]string{"-", " -- ", ":--", "--: ", ":-:"}))
			for range rapid.IntRange(0, 3).Draw(t, "rows") {
				row(rapid.IntRange(1, 5).Draw(t, "cells"), cell)
			}
			text.WriteString("\n")
		}
		var have, want bytes.Buffer
		if err := theirs.Convert([]byte(text.String()), &want); err != nil {
			t.Fatal(err)
		}
		if err := ours.Convert([]byte(text.String()), &have); err != nil {
			t.Fatal(err)
		}
		got, wanted := first.ReplaceAllString(have.String(), "<td$1>$2</td>"), want.String()
		if got, wanted = empty.ReplaceAllString(got, "<$1></t"), empty.ReplaceAllString(wanted, "<$1></t"); got != wanted {
			t.Fatalf("%q:\n%s\nwant\n%s", text.String(), got, wanted)
		}
		tables += strings.Count(wanted, "<table>")
	})
	if tables < 20 {
		t.Errorf("%d tables", tables)
	}
}
