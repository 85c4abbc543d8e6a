package query

import (
	"fmt"
	"strings"
	"time"
)

// Plan is one step of how a statement is answered. The steps that it takes its
// input from come before it. A Plan never changes after it was made.
type Plan struct {
	Step   string  // a noun, such as "exact scan"
	Detail string  // on what, and how
	Inputs []*Plan // in the order in which they run
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

// explainRows is the table of EXPLAIN: step and detail.
func (p *Plan) explainRows() *Rows {
	var table [][]Value
	p.walk(0, func(depth int, step *Plan) {
		table = append(table, []Value{strings.Repeat("  ", depth) + step.Step, step.Detail})
	})
	return rowsOf([]string{"step", "detail"}, table)
}

// profileRows is the table of PROFILE: step and detail with what was measured.
// A step that was not measured by itself has no figures.
func (p *Plan) profileRows(w *stopwatch) *Rows {
	var table [][]Value
	p.walk(0, func(depth int, step *Plan) {
		row := []Value{strings.Repeat("  ", depth) + step.Step, step.Detail, nil, nil}
		if m, ok := w.measured[step.key]; ok {
			if m.note != "" {
				row[1] = step.Detail + "; " + m.note
			}
			row[2], row[3] = m.rows, m.seconds
		}
		table = append(table, row)
	})
	return rowsOf([]string{"step", "detail", "rows", "seconds"}, table)
}

// stopwatch measures the steps of one call by name.
type stopwatch struct {
	now      func() time.Time
	measured map[string]measurement
}

// measurement is what a step gave and took.
type measurement struct {
	rows    int64
	seconds float64
	note    string // what only running could tell, such as a cache hit
}

func newStopwatch(now func() time.Time) *stopwatch {
	return &stopwatch{now: now, measured: map[string]measurement{}}
}

// start begins a step and returns the function that ends it.
func (w *stopwatch) start(step string) (stop func(rows int64, note string)) {
	began := w.now()
	return func(rows int64, note string) {
		w.measured[step] = measurement{rows: rows, seconds: w.now().Sub(began).Seconds(), note: note}
	}
}

// Names of steps that are measured by PROFILE and that no object names.
const (
	stepScan   = "exact scan"
	stepJoin   = "exact join"
	stepScore  = "score"
	stepStore  = "store"
	stepWrite  = "write"
	stepRead   = "read"
	stepSolve  = "solve"
	stepSplit  = "split"
	stepSearch = "search"
	stepResult = "result" // the whole statement
)
