package plan

import (
	"fmt"
	"strings"
)

// Plan is one step of the plan of a statement. The steps that give it its
// input run before it. A Plan is immutable.
type Plan struct {
	Step   string  `json:"step"`   // a noun, such as "exact scan"
	Detail string  `json:"detail"` // the object and the parameters of the step
	Inputs []*Plan `json:"inputs"` // in the order in which they run
	key    string  // name of the step in the measurements of PROFILE; may be empty
}

// String draws the tree, one step a line, its inputs below it and indented.
func (p *Plan) String() string {
	var b strings.Builder
	p.walk(0, func(depth int, step *Plan) {
		fmt.Fprintf(&b, "%s%s: %s\n", strings.Repeat("  ", depth), step.Step, step.Detail)
	})
	return b.String()
}

// walk calls f for the plan and all its inputs, the plan first.
func (p *Plan) walk(depth int, f func(depth int, step *Plan)) {
	f(depth, p)
	for _, input := range p.Inputs {
		input.walk(depth+1, f)
	}
}

// Table has a row for each step: the step, indented, and its detail.
func (p *Plan) Table() [][]any {
	var table [][]any
	p.walk(0, func(depth int, step *Plan) {
		table = append(table, []any{strings.Repeat("  ", depth) + step.Step, step.Detail})
	})
	return table
}

// Profile is table with the rows and seconds of each step as w measured them. A
// step that is not measured has empty cells.
func (p *Plan) Profile(w *Stopwatch) [][]any {
	var table [][]any
	p.walk(0, func(depth int, step *Plan) {
		row := []any{strings.Repeat("  ", depth) + step.Step, step.Detail, nil, nil}
		if m, ok := w.measured[step.key]; ok {
			if m.note != "" {
				row[1] = step.Detail + "; " + m.note
			}
			row[2], row[3] = m.rows, m.seconds
		}
		table = append(table, row)
	})
	return table
}

// Step makes a step that is not measured.
func Step(name, detail string, inputs ...*Plan) *Plan {
	return &Plan{Step: name, Detail: detail, Inputs: inputs}
}

// Measured makes a step whose measurement has the name key.
func Measured(key, name, detail string, inputs ...*Plan) *Plan {
	return &Plan{Step: name, Detail: detail, Inputs: inputs, key: key}
}

// Result is the last step of every statement.
func Result(name, detail string, inputs ...*Plan) *Plan {
	return Measured(Whole, name, detail, inputs...)
}
