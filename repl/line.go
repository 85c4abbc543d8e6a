package repl

import (
	"bufio"
	"strings"

	"heavytail/query/parser"
	"heavytail/query/rows"
)

// lineRenderer writes one line for each value, for people who want to see
// every value whole.
type lineRenderer struct {
	out   *bufio.Writer
	names []string // of the columns, padded to the same width
	rows  int      // written so far, in all results
}

func (r *lineRenderer) begin(columns []string, _ []rows.ColumnType) {
	r.names = r.names[:0]
	widest := 0
	for _, c := range columns {
		name := parser.Escape(c)
		r.names = append(r.names, name)
		widest = max(widest, parser.Width(name))
	}
	for i, name := range r.names {
		r.names[i] = strings.Repeat(" ", widest-parser.Width(name)) + name
	}
}

func (r *lineRenderer) row(values []rows.Value) error {
	if r.rows++; r.rows > 1 {
		r.out.WriteByte('\n')
	}
	for i, v := range values {
		r.out.WriteString(r.names[i] + " = " + shortText(v) + "\n")
	}
	// Writing nothing returns the error that a bufio.Writer has kept.
	_, err := r.out.Write(nil)
	return err
}

func (r *lineRenderer) end(error) {}
