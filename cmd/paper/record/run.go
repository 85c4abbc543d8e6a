package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Run is one run of a command that measured something. It is the content of one file of
// cmd/paper/figures, and one part of a document.
type Run struct {
	// Command is what was run, as Markdown: usually a command line or a statement in
	// backquotes.
	Command string `json:"command"`

	// Machine is the machine that all figures of the run come from.
	Machine Machine `json:"machine"`

	// Commit is the commit that was measured, as git describe writes it, with "-dirty" where
	// files differed from it. For a run without a date it is the commit whose documentation
	// first had the figures.
	Commit string `json:"commit"`

	// Date is the day of the run, as 2026-12-31. Runs before these files have none.
	Date string `json:"date,omitempty"`

	// Load describes what else the machine did: the load average before the run and at its
	// end, which includes the run, or words. "" means that nobody noted it.
	Load string `json:"load,omitempty"`

	// Tables are the figures, in the order of the output; at least one.
	Tables []Table `json:"tables"`
}

// Machine describes a machine: by Text, or by all other fields.
type Machine struct {
	Text      string `json:"text,omitempty"`      // what was noted about it in words
	Processor string `json:"processor,omitempty"` // model, or architecture where the system does not name it
	Cores     int    `json:"cores,omitempty"`     // that the system shows to the program
	MemoryGB  int    `json:"memory_gb,omitempty"` // in 10⁹ bytes; 0 where the system does not name it
	Kernels   string `json:"kernels,omitempty"`   // of package vec, as "avx512"
	Go        string `json:"go,omitempty"`        // version of the compiler
	System    string `json:"system,omitempty"`    // operating system and architecture
}

// Table is a table of figures. Cells are the texts that the program printed, so that no digit
// is added or lost, in plain Markdown without vertical bars.
type Table struct {
	// Title is the line above the table, as Markdown; "" for a table that needs none.
	Title string `json:"title,omitempty"`

	// Text explains the table, as Markdown; it may be empty.
	Text string `json:"text,omitempty"`

	// Columns are the heads, each with its unit: "import, s".
	Columns []string `json:"columns"`

	// Rows have one cell for every column. "" is a figure that was not measured.
	Rows [][]string `json:"rows"`
}

// day is the form of Run.Date.
var day = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// check returns what is missing in a run, all faults at once.
func (r Run) check() error {
	var faults []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	m := r.Machine
	need(r.Command != "", "no command: -command gives it")
	need(r.Commit != "", "no commit: -commit gives it")
	need(m.Text != "" || m.Processor != "" && m.Cores > 0 && m.Kernels != "" && m.Go != "" && m.System != "", "no machine: -machine gives it")
	need(m.Text == "" || m == Machine{Text: m.Text}, "a machine in words, and by fields too")
	need(r.Date == "" || day.MatchString(r.Date), "date %q: expected a day as 2026-12-31", r.Date)
	need(r.Date != "" || m.Text != "", "no date")
	need(len(r.Tables) > 0, "no table and no benchmark in the output")
	for i, t := range r.Tables {
		need(len(t.Columns) > 0 && len(t.Rows) > 0, "table %d is empty", i+1)
		for j, row := range t.Rows {
			need(len(row) == len(t.Columns), "table %d, row %d: %d cells of %d columns", i+1, j+1, len(row), len(t.Columns))
		}
		for _, cell := range t.cells() {
			need(!strings.ContainsAny(cell, "|\n"), "table %d: cell %q has a vertical bar or a line break", i+1, cell)
		}
	}
	return errors.Join(faults...)
}

func (t Table) cells() []string {
	list := t.Columns
	for _, row := range t.Rows {
		list = append(list[:len(list):len(list)], row...)
	}
	return list
}

// encode returns a run as JSON, with one line for each row of a table, so that the difference
// of two runs is read row by row.
func (r Run) encode() ([]byte, error) {
	var text, line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	var failed error
	plain := func(v any) []byte {
		line.Reset()
		failed = errors.Join(failed, encoder.Encode(v))
		return bytes.TrimSpace(line.Bytes())
	}
	field := func(name string, v any) { fmt.Fprintf(&text, "  %q: %s,\n", name, plain(v)) }
	text.WriteString("{\n")
	field("command", r.Command)
	field("machine", r.Machine)
	field("commit", r.Commit)
	if r.Date != "" {
		field("date", r.Date)
	}
	if r.Load != "" {
		field("load", r.Load)
	}
	text.WriteString("  \"tables\": [")
	for i, t := range r.Tables {
		text.WriteString(separator(i) + "\n    {\n")
		if t.Title != "" {
			fmt.Fprintf(&text, "      \"title\": %s,\n", plain(t.Title))
		}
		if t.Text != "" {
			fmt.Fprintf(&text, "      \"text\": %s,\n", plain(t.Text))
		}
		fmt.Fprintf(&text, "      \"columns\": %s,\n      \"rows\": [", plain(t.Columns))
		for j, row := range t.Rows {
			fmt.Fprintf(&text, "%s\n        %s", separator(j), plain(row))
		}
		text.WriteString("\n      ]\n    }")
	}
	text.WriteString("\n  ]\n}\n")
	return text.Bytes(), failed
}

// separator returns what is written before element i of a list.
func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
