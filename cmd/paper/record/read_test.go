package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// The tests generate the tables of the document from the files, with -update, and compare them.

// decode reads what encode wrote, and checks it.
func decode(text []byte) (Run, error) {
	var r Run
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return r, err
	}
	return r, r.check()
}

// readRun reads a file of cmd/paper/figures.
func readRun(path string) (Run, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Run{}, err
	}
	r, err := decode(text)
	if err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

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
		if t.Text != "" {
			text.WriteString("\n" + t.Text + "\n")
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
