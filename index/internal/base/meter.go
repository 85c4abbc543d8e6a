package base

import (
	"sync/atomic"

	"heavytail/storage/vec"
)

// Meter adds up the progress of several goroutines, and reports it as [vec.Reporter] does.
type Meter struct {
	progress func(stage string, done, total int64) // nil: no reports
	report   func(done int64)                      // of the present stage
	done     atomic.Int64
}

func NewMeter(progress func(stage string, done, total int64), stage string, total int64) *Meter {
	return &Meter{progress: progress, report: vec.Reporter(progress, stage, total)}
}

// Begin ends a stage and begins another one, while nobody adds.
func (m *Meter) Begin(stage string, total int64) {
	m.Finish()
	m.report = vec.Reporter(m.progress, stage, total)
	m.done.Store(0)
}

// Add counts n more units as done.
func (m *Meter) Add(n int64) { m.report(m.done.Add(n)) }

// Finish reports the end, also of a stage without units. Nothing may be added after.
func (m *Meter) Finish() { m.report(m.done.Load()) }
