package plan

import "time"

// Stopwatch measures the steps of one call by name.
type Stopwatch struct {
	Now      func() time.Time // the clock
	measured map[string]measurement
}

// measurement has the rows and the time of a step.
type measurement struct {
	rows    int64
	seconds float64
	note    string // detail that is known only after running, such as a cache hit
}

// NewStopwatch returns a stopwatch without measurements.
func NewStopwatch(now func() time.Time) *Stopwatch {
	return &Stopwatch{Now: now, measured: map[string]measurement{}}
}

// Start begins a step and returns the function that ends it.
func (w *Stopwatch) Start(step string) (stop func(rows int64, note string)) {
	began := w.Now()
	return func(rows int64, note string) {
		w.measured[step] = measurement{rows: rows, seconds: w.Now().Sub(began).Seconds(), note: note}
	}
}

// Names of measured steps that do not contain the name of an object.
const (
	Scan   = "exact scan"
	Join   = "exact join"
	Score  = "score"
	Store  = "store"
	Write  = "write"
	Read   = "read"
	Solve  = "solve"
	Split  = "split"
	Search = "search"
	Whole  = "result" // the whole statement
)
