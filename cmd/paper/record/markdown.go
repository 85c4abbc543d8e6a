package main

import (
	"fmt"
	"regexp"
	"strings"
)

// markdown returns a run as a part of the document: a line with command, machine, load and
// commit, and the tables with their titles.
func (r Run) markdown() string {
	parts := []string{r.Command, r.Machine.words()}
	if r.Load != "" {
		parts = append(parts, "load: "+r.Load)
	}
	commit := "commit " + r.Commit
	if r.Date != "" {
		commit += " on " + r.Date
	}
	var text strings.Builder
	text.WriteString(strings.Join(append(parts, commit), "; ") + ".\n")
	for _, t := range r.Tables {
		if t.Title != "" {
			text.WriteString("\n" + t.Title + "\n")
		}
		text.WriteString("\n" + t.markdown())
	}
	return text.String()
}

// words describes a machine for the document.
func (m Machine) words() string {
	if m.Text != "" {
		return m.Text
	}
	memory := ""
	if m.MemoryGB > 0 {
		memory = fmt.Sprintf(" and %d GB", m.MemoryGB)
	}
	return fmt.Sprintf("%s with %d cores%s, %s kernels, %s on %s", m.Processor, m.Cores, memory, m.Kernels, m.Go, m.System)
}

// figure matches a cell that begins with a number.
var figure = regexp.MustCompile(`^[*+−-]*\.?[0-9]`)

// markdown writes the table; columns of figures are aligned on the right.
func (t Table) markdown() string {
	var text strings.Builder
	text.WriteString("| " + strings.Join(t.Columns, " | ") + " |\n|")
	for i := range t.Columns {
		rule := "--:|"
		for _, row := range t.Rows {
			if row[i] != "" && !figure.MatchString(row[i]) {
				rule = "---|"
			}
		}
		text.WriteString(rule)
	}
	text.WriteString("\n")
	for _, row := range t.Rows {
		text.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return text.String()
}

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

// cellsIn returns the cells of a line of a table.
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
