package main

import "strings"

// tablesIn returns the tables in a text of Markdown. The last heading above a table is its
// title, in bold, since it is not a heading of the document, and the lines between are its
// text. Without a heading there is no text.
func tablesIn(text string) []Table {
	var (
		tables []Table
		title  string
		about  []string // lines since the title
		open   bool     // whether the line before belongs to a table
	)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch cells, ok := cellsIn(line); {
		case ok && !open:
			tables, open = append(tables, Table{Title: title, Text: strings.Join(about, " "), Columns: cells}), true
			title, about = "", nil
		case ok:
			if t := &tables[len(tables)-1]; !isRule(cells) {
				t.Rows = append(t.Rows, cells)
			}
		default:
			open = false
			if heading, is := strings.CutPrefix(line, "#"); is {
				title, about = "**"+strings.TrimSpace(strings.TrimLeft(heading, "#"))+"**", nil
			} else if line != "" && title != "" {
				about = append(about, line)
			}
		}
	}
	return tables
}

func cellsIn(line string) (cells []string, ok bool) {
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return nil, false
	}
	for cell := range strings.SplitSeq(line[1:len(line)-1], "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells, true
}

// isRule reports whether cells are those of the line below the heads.
func isRule(cells []string) bool {
	for _, c := range cells {
		if strings.Trim(c, ":-") != "" || !strings.Contains(c, "-") {
			return false
		}
	}
	return true
}
