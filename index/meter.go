package index

import (
	"sync/atomic"

	"heavytail/storage/vec"
)

// meter adds up the progress of several goroutines, and reports it as [vec.Reporter] does.
type meter struct {
	progress func(stage string, done, total int64) // nil: no reports
	report   func(done int64)                      // of the present stage
	done     atomic.Int64
}

func newMeter(progress func(stage string, done, total int64), stage string, total int64) *meter {
	return &meter{progress: progress, report: vec.Reporter(progress, stage, total)}
}

// begin ends a stage and begins another one, while nobody adds.
func (m *meter) begin(stage string, total int64) {
	m.finish()
	m.report = vec.Reporter(m.progress, stage, total)
	m.done.Store(0)
}

// add counts n more units as done.
func (m *meter) add(n int64) { m.report(m.done.Add(n)) }

// finish reports the end, also of a stage without units. Nothing may be added after.
func (m *meter) finish() { m.report(m.done.Load()) }
