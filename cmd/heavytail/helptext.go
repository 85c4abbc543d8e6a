package main

import (
	"fmt"
	"strings"

	"heavytail/query/rows"
)

// helpText writes the rows of HELP as two columns of 80 characters together, with the notice below.
func helpText(rows *rows.Rows) string {
	var items, texts []string
	column := 0
	for rows.Next() {
		row := rows.Row()
		items, texts = append(items, fmt.Sprint(row[0])), append(texts, fmt.Sprint(row[1]))
		if width := len(items[len(items)-1]); width <= 24 {
			column = max(column, width)
		}
	}
	var b strings.Builder
	for i, item := range items {
		if len(item) > column {
			b.WriteString(item + "\n")
			item = ""
		}
		for _, line := range filled(texts[i], 78-column) {
			fmt.Fprintf(&b, "%-*s  %s\n", column, item, line)
			item = ""
		}
	}
	for _, n := range rows.Notices() {
		b.WriteString("\n" + sentence(n.Text) + ".\n")
	}
	return b.String()
}

// filled divides the words of a text into lines of at most so many bytes; a longer word has
// a line of its own.
func filled(text string, most int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > most {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// sentence begins a text with a capital.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
