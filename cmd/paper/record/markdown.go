package main

import "strings"

// tablesIn returns the tables in a text of Markdown. The heading right above a table is its
// title, in bold, since it is not a heading of the document.
func tablesIn(text string) []Table {
	var (
		tables []Table
		before string // the last line that is neither empty nor of a table
		open   bool   // whether the line before belongs to a table
	)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch cells, ok := cellsIn(line); {
		case ok && !open:
			title := ""
			if heading, is := strings.CutPrefix(before, "#"); is {
				title = "**" + strings.TrimSpace(strings.TrimLeft(heading, "#")) + "**"
			}
			tables, open = append(tables, Table{Title: title, Columns: cells}), true
			before = ""
		case ok:
			if t := &tables[len(tables)-1]; !isRule(cells) {
				t.Rows = append(t.Rows, cells)
			}
		default:
			open = false
			if line != "" {
				before = line
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
